#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "parse_host/message.h"
#include "parse_host/worker_process.h"
#include "staged/ext/format.h"

namespace staged {

struct ParseHostOptions {
  // Absolute path and arguments of a program that calls RunParseWorker on its standard input.
  std::vector<std::string> worker_command;
  uint64_t answer_bytes_max = uint64_t{4} << 30;
  int64_t request_ns_max = int64_t{120} * 1'000'000'000;
  unsigned idle_workers_max = 2;
  // A worker that was given more than this is not used again: its memory goes back.
  uint64_t reused_after_bytes_max = uint64_t{16} << 20;
};

// Runs parsers and editors in worker processes that can do nothing but answer. A file that crashes
// its parser, or makes it hang, costs that worker and an error, nothing else. Workers are started
// when needed and used again. Thread-safe: each caller has a worker of its own.
class ParseHost {
 public:
  explicit ParseHost(ParseHostOptions options) : options_(std::move(options)) {}

  // Starts a worker unless one is idle, and does not wait until it is ready. That none can be
  // started is told by the first request.
  void Prepare();
  // Like Format::Parse and Format::Apply of the format of that name. Errors: those of the format;
  // kParseFailed (the worker crashed), kLimitExceeded (time, memory or the answer's size), kIoError
  // (no worker can be started).
  [[nodiscard]] Result<ParsedContent> Parse(const std::string& format, std::string_view bytes,
                                            const Limits& limits, const SegmentSource& reuse);
  [[nodiscard]] Result<EditOutcome> Apply(const std::string& format, std::string_view bytes,
                                          const std::vector<Edit>& edits, const Limits& limits);

 private:
  // Sends the request and answers its segment questions until there is an answer.
  Result<Frame> Converse(FrameType type, const std::string& head, std::string_view bytes,
                         const SegmentSource& reuse, GivenSegments& given);
  Result<Frame> ConverseWith(WorkerProcess& worker, FrameType type, const std::string& head,
                             std::string_view bytes, const SegmentSource& reuse,
                             GivenSegments& given);
  Result<std::unique_ptr<WorkerProcess>> TakeWorker(bool* used_before);
  void GiveBack(std::unique_ptr<WorkerProcess> worker, uint64_t used_bytes);
  // What a worker that is gone, or had to be killed, means for the file that it was given.
  static Status Explain(WorkerProcess& worker, const Status& failure);

  const ParseHostOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerProcess>> idle_;  // guarded by mutex_
};

// The same formats, with Parse and Apply in workers of `host`; detection, which only looks at the
// head or at a directory of the bytes, stays here, and so does all of the format "binary", which
// parses nothing. A shared_ptr is justified: every format of the new registry holds both.
[[nodiscard]] FormatRegistry SandboxFormats(const std::shared_ptr<const FormatRegistry>& formats,
                                            const std::shared_ptr<ParseHost>& host);

}  // namespace staged
