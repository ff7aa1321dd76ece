#include "tests/e2e/parse_worker/lies.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "base/binary.h"
#include "parse_host/channel.h"

namespace staged {
namespace {

constexpr size_t kToldBytes = 4096;

// The memory for its answer that comes with a request, or -1.
int TakeRequest(int descriptor) {
  std::string bytes(1 << 20, '\0');
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  iovec vector{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (::recvmsg(descriptor, &message, 0) <= 0) return -1;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return -1;
  int descriptors[2] = {-1, -1};
  std::memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  return descriptors[1];
}

}  // namespace

int TellLie(const std::string& name, int descriptor) {
  const int memory = TakeRequest(descriptor);
  if (name == "shares_less" && ::ftruncate(memory, kToldBytes - 1) != 0) return 1;
  if (name == "keeps_writing") {
    if (::ftruncate(memory, kToldBytes) != 0) return 1;
    void* const kept = ::mmap(nullptr, kToldBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (kept == MAP_FAILED) return 1;
  }
  BinaryWriter frame;
  frame.PutByte(static_cast<uint8_t>(FrameType::kParsed));
  frame.PutByte(1);
  frame.PutFixed32(0);
  frame.PutFixed64(kToldBytes);
  if (::send(descriptor, frame.bytes().data(), frame.bytes().size(), 0) <= 0) return 1;
  char byte = 0;
  while (::read(descriptor, &byte, 1) > 0) {
  }
  return 0;
}

}  // namespace staged
