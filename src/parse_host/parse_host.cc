#include "parse_host/parse_host.h"

#include <csignal>
#include <utility>

namespace staged {

void ParseHost::Prepare() {
  bool used_before = false;
  Result<std::unique_ptr<WorkerProcess>> worker = TakeWorker(&used_before);
  if (worker.ok()) GiveBack(*std::move(worker), 0);
}

Result<ParsedContent> ParseHost::Parse(const std::string& format, std::string_view bytes,
                                       const Limits& limits, const SegmentSource& reuse) {
  GivenSegments given;
  STAGED_ASSIGN_OR_RETURN(
      const Frame answer,
      Converse(FrameType::kParse, EncodeParseRequest({format, limits}), bytes, reuse, given));
  if (answer.type != FrameType::kParsed) {
    return Status(ErrorCode::kParseFailed, "the parser gave another kind of answer");
  }
  Result<ParsedContent> parsed = DecodeParsed(answer.head, answer.body(), given);
  if (!parsed.ok()) return Status(ErrorCode::kParseFailed, parsed.status().message());
  return parsed;
}

Result<EditOutcome> ParseHost::Apply(const std::string& format, std::string_view bytes,
                                     const std::vector<Edit>& edits, const Limits& limits) {
  GivenSegments given;
  STAGED_ASSIGN_OR_RETURN(
      Frame answer,
      Converse(FrameType::kApply, EncodeApplyRequest({format, limits, edits}), bytes, {}, given));
  if (answer.type != FrameType::kApplied) {
    return Status(ErrorCode::kParseFailed, "the editor gave another kind of answer");
  }
  Result<EditOutcome> outcome = DecodeOutcome(answer.head, answer.TakeBody());
  if (!outcome.ok()) return Status(ErrorCode::kParseFailed, outcome.status().message());
  return outcome;
}

Result<Frame> ParseHost::Converse(FrameType type, const std::string& head, std::string_view bytes,
                                  const SegmentSource& reuse, GivenSegments& given) {
  while (true) {
    bool used_before = false;
    STAGED_ASSIGN_OR_RETURN(std::unique_ptr<WorkerProcess> worker, TakeWorker(&used_before));
    given.clear();
    Result<Frame> answer = ConverseWith(*worker, type, head, bytes, reuse, given);
    if (!answer.ok()) {
      Status failure = Explain(*worker, answer.status());
      // One that waited here may have been killed by anybody meanwhile: that says nothing of the
      // file, so a new one has the last word.
      if (used_before && answer.status().code() == ErrorCode::kNotFound) continue;
      return failure;
    }
    GiveBack(std::move(worker), bytes.size() + answer->body().size());
    if (answer->type == FrameType::kFailed) return DecodeFailure(answer->head);
    return answer;
  }
}

Result<Frame> ParseHost::ConverseWith(WorkerProcess& worker, FrameType type,
                                      const std::string& head, std::string_view bytes,
                                      const SegmentSource& reuse, GivenSegments& given) {
  const int64_t deadline_ns = MonotonicNs() + options_.request_ns_max;
  Channel& channel = worker.channel();
  STAGED_RETURN_IF_ERROR(channel.Send(type, head, bytes, deadline_ns));
  while (true) {
    STAGED_ASSIGN_OR_RETURN(Frame answer, channel.Receive(options_.answer_bytes_max, deadline_ns));
    if (answer.type != FrameType::kReuse) return answer;
    const Result<ReuseRequest> request = DecodeReuseRequest(answer.head);
    std::shared_ptr<const Segment> segment;
    if (request.ok() && reuse) segment = reuse(request->part, request->digest);
    if (segment != nullptr) given.push_back(segment);
    STAGED_RETURN_IF_ERROR(channel.Send(FrameType::kSegment, {},
                                        segment == nullptr ? std::string() : segment->Encode(),
                                        deadline_ns));
  }
}

Status ParseHost::Explain(WorkerProcess& worker, const Status& failure) {
  const std::string end = worker.Reap();
  switch (failure.code()) {
    case ErrorCode::kBusy:
      return {ErrorCode::kLimitExceeded,
              "the file took longer to parse than a parser may; raise the time limit"};
    case ErrorCode::kNotFound:
      if (end == "exit code 4") {
        return {ErrorCode::kIoError,
                "this system cannot confine a parser process; parse in-process instead "
                "(for `staged`: STAGED_PARSERS=in-process)"};
      }
      if (end == "signal " + std::to_string(SIGKILL)) {
        return {ErrorCode::kIoError,
                "the parser was killed from outside, which says nothing of the file; free memory "
                "and try again"};
      }
      return {ErrorCode::kParseFailed,
              "the parser ended by " + end + " on this file; please report the file"};
    case ErrorCode::kDataLoss:
      return {ErrorCode::kParseFailed, failure.message() + "; please report the file"};
    default:
      return failure;
  }
}

Result<std::unique_ptr<WorkerProcess>> ParseHost::TakeWorker(bool* used_before) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<WorkerProcess> worker = std::move(idle_.back());
      idle_.pop_back();
      *used_before = true;
      return worker;
    }
  }
  return WorkerProcess::Start(options_.worker_command);
}

void ParseHost::GiveBack(std::unique_ptr<WorkerProcess> worker, uint64_t used_bytes) {
  if (used_bytes > options_.reused_after_bytes_max) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < options_.idle_workers_max) idle_.push_back(std::move(worker));
}

namespace {

class SandboxedFormat final : public Format {
 public:
  SandboxedFormat(std::shared_ptr<const FormatRegistry> formats, const Format& format,
                  std::shared_ptr<ParseHost> host)
      : formats_(std::move(formats)), format_(format), host_(std::move(host)) {}

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return format_.descriptor(); }
  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    return format_.Sniff(bytes, extension);
  }
  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    if (InProcess()) return format_.Parse(bytes, limits, reuse);
    return host_->Parse(descriptor().name, bytes, limits, reuse);
  }
  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    if (InProcess()) return format_.Apply(bytes, edits, limits);
    return host_->Apply(descriptor().name, bytes, edits, limits);
  }

 private:
  [[nodiscard]] bool InProcess() const { return descriptor().name == "binary"; }

  std::shared_ptr<const FormatRegistry> formats_;  // owns format_
  const Format& format_;
  std::shared_ptr<ParseHost> host_;
};

}  // namespace

FormatRegistry SandboxFormats(const std::shared_ptr<const FormatRegistry>& formats,
                              const std::shared_ptr<ParseHost>& host) {
  FormatRegistry sandboxed;
  for (const auto& format : formats->formats()) {
    sandboxed.Register(std::make_unique<SandboxedFormat>(formats, *format, host));
  }
  return sandboxed;
}

}  // namespace staged
