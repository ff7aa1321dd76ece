#include "parse_host/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/binary.h"

namespace staged {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

Status SocketError(int error) {
  if (error == EPIPE || error == ECONNRESET) {
    return {ErrorCode::kNotFound, "the other end of the parser's channel is gone"};
  }
  return {ErrorCode::kIoError, "the parser's channel failed (error " + std::to_string(error) + ")"};
}

}  // namespace

int64_t MonotonicNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status Channel::Wait(short events, int64_t deadline_ns) const {
  while (true) {
    int timeout_ms = -1;
    if (deadline_ns != 0) {
      const int64_t left_ns = deadline_ns - MonotonicNs();
      if (left_ns <= 0) return {ErrorCode::kBusy, "the parser did not answer in time"};
      timeout_ms = static_cast<int>(std::min<int64_t>(left_ns / kNsPerMs + 1, 1'000'000'000));
    }
    pollfd wanted{descriptor_, events, 0};
    const int ready = ::poll(&wanted, 1, timeout_ms);
    if (ready > 0) return OkStatus();
    if (ready < 0 && errno != EINTR) return SocketError(errno);
  }
}

Status Channel::SendAll(std::string_view bytes, int64_t deadline_ns) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      STAGED_RETURN_IF_ERROR(Wait(POLLOUT, deadline_ns));
    } else if (errno != EINTR) {
      return SocketError(errno);
    }
  }
  return OkStatus();
}

Status Channel::ReceiveAll(char* to, size_t size_bytes, int64_t deadline_ns) {
  while (size_bytes > 0) {
    const ssize_t received = ::recv(descriptor_, to, size_bytes, MSG_DONTWAIT);
    if (received > 0) {
      to += received;
      size_bytes -= static_cast<size_t>(received);
    } else if (received == 0) {
      return SocketError(EPIPE);
    } else if (errno == EAGAIN) {
      STAGED_RETURN_IF_ERROR(Wait(POLLIN, deadline_ns));
    } else if (errno != EINTR) {
      return SocketError(errno);
    }
  }
  return OkStatus();
}

Status Channel::Send(FrameType type, std::string_view head, std::string_view body,
                     int64_t deadline_ns) {
  BinaryWriter fixed;
  fixed.PutByte(static_cast<uint8_t>(type));
  fixed.PutFixed32(static_cast<uint32_t>(head.size()));
  fixed.PutFixed64(body.size());
  fixed.PutRaw(head);
  STAGED_RETURN_IF_ERROR(SendAll(fixed.bytes(), deadline_ns));
  return SendAll(body, deadline_ns);
}

Result<Frame> Channel::Receive(uint64_t size_bytes_max, int64_t deadline_ns) {
  std::string fixed(kFrameFixedBytes, '\0');
  STAGED_RETURN_IF_ERROR(ReceiveAll(fixed.data(), fixed.size(), deadline_ns));
  BinaryReader reader(fixed);
  Frame frame;
  frame.type = static_cast<FrameType>(reader.GetByte());
  const uint64_t head_bytes = reader.GetFixed32();
  const uint64_t body_bytes = reader.GetFixed64();
  if (body_bytes > size_bytes_max || head_bytes > size_bytes_max - body_bytes) {
    return Status(ErrorCode::kLimitExceeded, "the parser's answer is larger than " +
                                                 std::to_string(size_bytes_max) +
                                                 " bytes; raise the limit to have it");
  }
  frame.head.resize(head_bytes);
  STAGED_RETURN_IF_ERROR(ReceiveAll(frame.head.data(), head_bytes, deadline_ns));
  frame.body.resize(body_bytes);
  STAGED_RETURN_IF_ERROR(ReceiveAll(frame.body.data(), body_bytes, deadline_ns));
  return frame;
}

}  // namespace staged
