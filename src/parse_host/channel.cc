#include "parse_host/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/binary.h"

namespace staged {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr size_t kDescriptorsMax = 2;  // in one message

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

Status Channel::SendDescriptors(std::string_view bytes, const int* descriptors, size_t count,
                                int64_t deadline_ns) {
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsMax * sizeof(int))] = {};
  iovec vector{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
  while (true) {
    const ssize_t sent = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) return SendAll(bytes.substr(static_cast<size_t>(sent)), deadline_ns);
    if (errno == EAGAIN) {
      STAGED_RETURN_IF_ERROR(Wait(POLLOUT, deadline_ns));
    } else if (errno != EINTR) {
      return SocketError(errno);
    }
  }
}

Status Channel::SendShared(std::string_view fixed, std::string_view body, int64_t deadline_ns) {
  if (end_ == ChannelEnd::kWorker) {
    const SharedMemory memory = std::move(answer_);
    STAGED_RETURN_IF_ERROR(memory.Write(body));
    return SendAll(fixed, deadline_ns);
  }
  STAGED_ASSIGN_OR_RETURN(const SharedMemory memory, SharedMemory::Create());
  STAGED_RETURN_IF_ERROR(memory.Write(body));
  const int body_only[] = {memory.descriptor()};
  if (answer_.is_open()) return SendDescriptors(fixed, body_only, 1, deadline_ns);
  STAGED_ASSIGN_OR_RETURN(answer_, SharedMemory::Create());
  const int both[] = {memory.descriptor(), answer_.descriptor()};
  return SendDescriptors(fixed, both, 2, deadline_ns);
}

Status Channel::Send(FrameType type, std::string_view head, std::string_view body,
                     int64_t deadline_ns) {
  const bool is_shared =
      body.size() >= kSharedBodyBytesMin && (end_ == ChannelEnd::kHost || answer_.is_open());
  BinaryWriter fixed;
  fixed.PutByte(static_cast<uint8_t>(type));
  fixed.PutByte(is_shared ? 1 : 0);
  fixed.PutFixed32(static_cast<uint32_t>(head.size()));
  fixed.PutFixed64(body.size());
  fixed.PutRaw(head);
  if (is_shared) return SendShared(fixed.bytes(), body, deadline_ns);
  STAGED_RETURN_IF_ERROR(SendAll(fixed.bytes(), deadline_ns));
  return SendAll(body, deadline_ns);
}

// A worker takes the descriptors that come with it; to a host none are sent, and those that a
// worker sends all the same are not taken.
Status Channel::ReceiveFixed(std::string& fixed, SharedMemory& memory, int64_t deadline_ns) {
  if (end_ == ChannelEnd::kHost) return ReceiveAll(fixed.data(), fixed.size(), deadline_ns);
  STAGED_RETURN_IF_ERROR(Wait(POLLIN, deadline_ns));
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsMax * sizeof(int))] = {};
  iovec vector{fixed.data(), fixed.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t received = ::recvmsg(descriptor_, &message, MSG_CMSG_CLOEXEC);
  if (received <= 0) return SocketError(received == 0 ? EPIPE : errno);
  if (const cmsghdr* const header = CMSG_FIRSTHDR(&message); header != nullptr) {
    int descriptors[kDescriptorsMax] = {-1, -1};
    std::memcpy(descriptors, CMSG_DATA(header),
                std::min(sizeof(descriptors), header->cmsg_len - CMSG_LEN(0)));
    memory = SharedMemory(descriptors[0]);
    if (descriptors[1] >= 0) answer_ = SharedMemory(descriptors[1]);
  }
  const auto taken = static_cast<size_t>(received);
  return ReceiveAll(fixed.data() + taken, fixed.size() - taken, deadline_ns);
}

Result<MemoryMapping> Channel::MapBody(SharedMemory memory, uint64_t size_bytes) {
  if (end_ == ChannelEnd::kHost) {
    memory = std::move(answer_);
    if (!memory.is_open()) return Status(ErrorCode::kDataLoss, "the parser shared nothing");
    // What a worker wrote must not change while it is read.
    STAGED_RETURN_IF_ERROR(memory.Seal());
    STAGED_ASSIGN_OR_RETURN(const uint64_t written_bytes, memory.SizeBytes());
    if (written_bytes < size_bytes) {
      return Status(ErrorCode::kDataLoss, "the parser shared less than it said");
    }
  }
  return MemoryMapping::Map(memory, size_bytes);
}

Result<Frame> Channel::Receive(uint64_t size_bytes_max, int64_t deadline_ns) {
  std::string fixed(kFrameFixedBytes, '\0');
  SharedMemory memory;
  STAGED_RETURN_IF_ERROR(ReceiveFixed(fixed, memory, deadline_ns));
  BinaryReader reader(fixed);
  Frame frame;
  frame.type = static_cast<FrameType>(reader.GetByte());
  const bool is_shared = reader.GetByte() != 0;
  const uint64_t head_bytes = reader.GetFixed32();
  const uint64_t body_bytes = reader.GetFixed64();
  if (body_bytes > size_bytes_max || head_bytes > size_bytes_max - body_bytes) {
    return Status(ErrorCode::kLimitExceeded, "the parser's answer is larger than " +
                                                 std::to_string(size_bytes_max) +
                                                 " bytes; raise the limit to have it");
  }
  frame.head.resize(head_bytes);
  STAGED_RETURN_IF_ERROR(ReceiveAll(frame.head.data(), head_bytes, deadline_ns));
  if (is_shared) {
    STAGED_ASSIGN_OR_RETURN(frame.shared, MapBody(std::move(memory), body_bytes));
    return frame;
  }
  frame.text.resize(body_bytes);
  STAGED_RETURN_IF_ERROR(ReceiveAll(frame.text.data(), body_bytes, deadline_ns));
  return frame;
}

}  // namespace staged
