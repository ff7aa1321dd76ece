#include "parse_host/worker.h"

#include <new>
#include <optional>
#include <utility>

#include "parse_host/channel.h"
#include "parse_host/confinement.h"
#include "parse_host/message.h"
#include "record/segments.h"

namespace staged {
namespace {

constexpr int64_t kForEver = 0;
constexpr uint64_t kNoLimit = UINT64_MAX;  // the host is trusted
constexpr int kExitChannelLost = 3;
constexpr int kExitUnconfined = 4;

class Worker {
 public:
  Worker(Channel channel, const FormatRegistry& formats)
      : channel_(std::move(channel)), formats_(formats) {}

  int Run() {
    while (true) {
      Result<Frame> request = channel_.Receive(kNoLimit, kForEver);
      if (!request.ok())
        return request.status().code() == ErrorCode::kNotFound ? 0 : kExitChannelLost;
      if (!AnswerWithinMemory(*request).ok()) return kExitChannelLost;
    }
  }

 private:
  // The one place that catches: where memory ends, the parser's frames are unwound and the worker
  // goes on.
  Status AnswerWithinMemory(const Frame& request) {
    try {
      return Answer(request);
    } catch (const std::bad_alloc&) {
      return Fail(
          {ErrorCode::kLimitExceeded,
           "the file needs more memory than a parser may have; raise the limit to parse it"});
    }
  }

  Status Answer(const Frame& request) {
    switch (request.type) {
      case FrameType::kParse:
        return Parse(request);
      case FrameType::kApply:
        return Apply(request);
      default:
        return Fail({ErrorCode::kInvalidArgument, "the parser was asked for something unknown"});
    }
  }

  Status Parse(const Frame& frame) {
    const Result<ParseRequest> request = DecodeParseRequest(frame.head);
    if (!request.ok()) return Fail(request.status());
    const Format* format = formats_.Find(request->format);
    if (format == nullptr) return Fail(Unknown(request->format));
    given_.clear();
    channel_lost_ = false;
    const Result<ParsedContent> parsed = format->Parse(
        frame.body(), request->limits,
        [this](const std::string& part, const ContentHash& digest) { return Ask(part, digest); });
    if (channel_lost_) return {ErrorCode::kIoError, "the host is gone"};
    if (!parsed.ok()) return Fail(parsed.status());
    return channel_.Send(FrameType::kParsed, EncodeParsedHead(*parsed),
                         EncodeSegments(*parsed, given_), kForEver);
  }

  Status Apply(const Frame& frame) {
    const Result<ApplyRequest> request = DecodeApplyRequest(frame.head);
    if (!request.ok()) return Fail(request.status());
    const Format* format = formats_.Find(request->format);
    if (format == nullptr) return Fail(Unknown(request->format));
    const Result<EditOutcome> outcome =
        format->Apply(frame.body(), request->edits, request->limits);
    if (!outcome.ok()) return Fail(outcome.status());
    return channel_.Send(FrameType::kApplied, EncodeOutcomeHead(*outcome), outcome->bytes,
                         kForEver);
  }

  std::shared_ptr<const Segment> Ask(const std::string& part, const ContentHash& digest) {
    if (!channel_.Send(FrameType::kReuse, EncodeReuseRequest({part, digest}), {}, kForEver).ok()) {
      channel_lost_ = true;
      return nullptr;
    }
    const Result<Frame> answer = channel_.Receive(kNoLimit, kForEver);
    if (!answer.ok() || answer->type != FrameType::kSegment) {
      channel_lost_ = true;
      return nullptr;
    }
    if (answer->body().empty()) return nullptr;
    Result<std::shared_ptr<const Segment>> segment = DecodeSegment(answer->body());
    // The host counts what it gave, so a segment that cannot be read must be counted too.
    given_.push_back(segment.ok() ? *segment : nullptr);
    return given_.back();
  }

  static Status Unknown(const std::string& format) {
    return {ErrorCode::kInvalidArgument,
            "the parser does not know the format '" + format + "'; host and worker differ"};
  }

  Status Fail(const Status& status) {
    return channel_.Send(FrameType::kFailed, EncodeFailure(status), {}, kForEver);
  }

  Channel channel_;
  const FormatRegistry& formats_;
  GivenSegments given_;
  bool channel_lost_ = false;
};

}  // namespace

int RunParseWorker(int descriptor, const FormatRegistry& formats, uint64_t memory_bytes_max) {
  if (!ConfineThisProcess(descriptor, memory_bytes_max).ok()) return kExitUnconfined;
  return Worker(Channel(ChannelEnd::kWorker, descriptor), formats).Run();
}

}  // namespace staged
