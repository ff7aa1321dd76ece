#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "parse_host/shared_memory.h"
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
  std::string text;      // the body, or
  MemoryMapping shared;  // where it travelled in shared memory

  [[nodiscard]] std::string_view body() const {
    return shared.bytes().empty() ? std::string_view(text) : shared.bytes();
  }
  [[nodiscard]] std::string TakeBody() {
    return shared.bytes().empty() ? std::move(text) : std::string(shared.bytes());
  }
};

// frame := type:u8 is_shared:u8 head_size:u32 body_size:u64 head[head_size] body[body_size],
// little-endian; no body follows where it is shared. With a shared body the host sends the
// descriptor of the memory that holds it, and, unless the worker has one, that of memory for a
// shared body of its answer.
inline constexpr size_t kFrameFixedBytes = 14;
// From this size on a body is worth the memory.
inline constexpr size_t kSharedBodyBytesMin = size_t{64} << 10;

enum class ChannelEnd : uint8_t { kHost = 1, kWorker = 2 };

// One end of a connected stream socket, which it owns. Not thread-safe.
class Channel {
 public:
  Channel(ChannelEnd end, int descriptor) : end_(end), descriptor_(descriptor) {}
  ~Channel();
  Channel(Channel&& other) noexcept
      : end_(other.end_),
        descriptor_(std::exchange(other.descriptor_, -1)),
        answer_(std::move(other.answer_)) {}
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
  [[nodiscard]] Status SendShared(std::string_view fixed, std::string_view body,
                                  int64_t deadline_ns);
  // With the descriptors beside the first byte.
  [[nodiscard]] Status SendDescriptors(std::string_view bytes, const int* descriptors, size_t count,
                                       int64_t deadline_ns);
  [[nodiscard]] Status ReceiveFixed(std::string& fixed, SharedMemory& memory, int64_t deadline_ns);
  [[nodiscard]] Result<MemoryMapping> MapBody(SharedMemory memory, uint64_t size_bytes);
  [[nodiscard]] Status SendAll(std::string_view bytes, int64_t deadline_ns);
  [[nodiscard]] Status ReceiveAll(char* to, size_t size_bytes, int64_t deadline_ns);
  [[nodiscard]] Status Wait(short events, int64_t deadline_ns) const;

  const ChannelEnd end_;
  int descriptor_;
  SharedMemory answer_;  // for a large body of the worker's answer
};

// Nanoseconds of a clock that only goes forward: for deadlines.
[[nodiscard]] int64_t MonotonicNs();

}  // namespace staged
