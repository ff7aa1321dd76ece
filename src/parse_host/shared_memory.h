#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "staged/status.h"

// Memory behind a descriptor (memfd_create(2)), in which large bodies of frames travel: no copy
// through a socket, and one side never waits for the other. The host makes it all, so that a worker
// can have no more of it than it was given.
namespace staged {

// A descriptor and its life.
class SharedMemory {
 public:
  SharedMemory() = default;
  explicit SharedMemory(int descriptor) : descriptor_(descriptor) {}
  ~SharedMemory() { Close(); }
  SharedMemory(SharedMemory&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    Close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    return *this;
  }

  // Empty, and closed when another program is started. Errors: kIoError.
  [[nodiscard]] static Result<SharedMemory> Create();
  // Appends. Errors: kIoError.
  [[nodiscard]] Status Write(std::string_view bytes) const;
  // From now on nobody can change it. Errors: kDataLoss (somebody still could).
  [[nodiscard]] Status Seal() const;
  // Errors: kIoError.
  [[nodiscard]] Result<uint64_t> SizeBytes() const;
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void Close();

 private:
  int descriptor_ = -1;
};

// Read-only, as long as this lives; the descriptor is not needed any more.
class MemoryMapping {
 public:
  MemoryMapping() = default;
  ~MemoryMapping();
  MemoryMapping(MemoryMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MemoryMapping& operator=(MemoryMapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // REQUIRES: `memory` has that many bytes and cannot shrink. Errors: kIoError.
  [[nodiscard]] static Result<MemoryMapping> Map(const SharedMemory& memory, uint64_t size_bytes);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace staged
