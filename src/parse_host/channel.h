#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "staged/status.h"

namespace staged {

// What is sent between host and worker. Wire values: both ends are the same build.
enum class FrameType : uint8_t {
  kParse = 1,     // host: head = ParseRequest, body = native bytes
  kApply = 2,     // host: head = ApplyRequest, body = native bytes
  kSegment = 3,   // host: body = an encoded segment, empty for "not there"
  kReuse = 16,    // worker: head = a part and its digest; wants a kSegment
  kParsed = 17,   // worker: head = ParsedContent without segments, body = segments
  kApplied = 18,  // worker: head = EditOutcome without bytes, body = bytes
  kFailed = 19,   // worker: head = a Status
};

struct Frame {
  FrameType type = FrameType::kFailed;
  std::string head;
  std::string body;
};

// frame := type:u8 head_size:u32 body_size:u64 head[head_size] body[body_size], little-endian
inline constexpr size_t kFrameFixedBytes = 13;

// One end of a connected stream socket, which it owns. Not thread-safe.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(Channel&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Both wait for the other end until `deadline_ns` of MonotonicNs (0: for ever). Errors: kBusy at
  // the deadline, kNotFound when the other end is gone, kIoError.
  [[nodiscard]] Status Send(FrameType type, std::string_view head, std::string_view body,
                            int64_t deadline_ns);
  // Also kLimitExceeded for a frame above `size_bytes_max`.
  [[nodiscard]] Result<Frame> Receive(uint64_t size_bytes_max, int64_t deadline_ns);

 private:
  [[nodiscard]] Status SendAll(std::string_view bytes, int64_t deadline_ns);
  [[nodiscard]] Status ReceiveAll(char* to, size_t size_bytes, int64_t deadline_ns);
  [[nodiscard]] Status Wait(short events, int64_t deadline_ns) const;

  int descriptor_;
};

// Nanoseconds of a clock that only goes forward: for deadlines.
[[nodiscard]] int64_t MonotonicNs();

}  // namespace staged
