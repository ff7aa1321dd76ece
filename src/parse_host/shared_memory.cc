#include "parse_host/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace staged {
namespace {

constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Status Failed(const std::string& what) {
  return {ErrorCode::kIoError, "the parser's shared memory failed: " + what + " (error " +
                                   std::to_string(errno) + "); free memory and try again"};
}

}  // namespace

Result<SharedMemory> SharedMemory::Create() {
  const int descriptor = ::memfd_create("staged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return Failed("memfd_create");
  return SharedMemory(descriptor);
}

Status SharedMemory::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return Failed("write");
    }
  }
  return OkStatus();
}

Status SharedMemory::Seal() const {
  if (::fcntl(descriptor_, F_ADD_SEALS, kSeals) != 0) {
    return {ErrorCode::kDataLoss, "the parser keeps access to what it has shared"};
  }
  return OkStatus();
}

Result<uint64_t> SharedMemory::SizeBytes() const {
  struct stat now{};
  if (::fstat(descriptor_, &now) != 0) return Failed("fstat");
  return static_cast<uint64_t>(now.st_size);
}

void SharedMemory::Close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

MemoryMapping::~MemoryMapping() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

Result<MemoryMapping> MemoryMapping::Map(const SharedMemory& memory, uint64_t size_bytes) {
  MemoryMapping mapping;
  if (size_bytes == 0) return mapping;
  void* const at =
      ::mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, memory.descriptor(), 0);
  if (at == MAP_FAILED) return Failed("mmap");
  mapping.bytes_ = {static_cast<const char*>(at), size_bytes};
  return mapping;
}

}  // namespace staged
