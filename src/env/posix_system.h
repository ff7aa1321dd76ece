#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "env/posix_env.h"
#include "staged/ext/env.h"
#include "staged/status.h"

// Thin layer over system calls: descriptors with an owner, retry on EINTR, errno as Status, and the
// Linux-only calls beside their plain POSIX replacements.
namespace staged::posix {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }
  [[nodiscard]] int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

// Calls a system call again as long as a signal interrupts it.
template <typename Call>
auto Retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) {
    result = call();
  }
  return result;
}

// The error for a failed call: `action` is what was tried ("open", "rename").
[[nodiscard]] Status ErrorStatus(int error, std::string_view action, std::string_view path);

[[nodiscard]] FileStatus ToFileStatus(const struct stat& status);
[[nodiscard]] FileKind ToFileKind(mode_t mode);

// Whether the kernel has openat2 and lets this process call it.
[[nodiscard]] bool HasOpenBeneath();

// Opens `path` (checked by CheckRelativePath, not empty) below `root` without following a symlink
// in any component. On failure invalid, with errno; ELOOP and EXDEV stand for a path that would
// escape.
[[nodiscard]] Descriptor OpenBeneath(int root, const std::string& path, int flags, mode_t mode,
                                     const PosixEnvOptions& options);

// Flags to hold a directory open for resolution only; needs no read permission on Linux.
extern const int kDirectoryFlags;

// Where a path's last component lives. `directory` is `owned` or the root itself.
struct Parent {
  Descriptor owned;
  int directory = -1;  // -1: not found, errno is set
  const char* name = nullptr;
};
// The result points into `path`.
[[nodiscard]] Parent OpenParent(int root, const std::string& path, const PosixEnvOptions& options);

// renameat2 with RENAME_NOREPLACE or RENAME_EXCHANGE. Where system or file system lack them:
// - RenameWithoutReplacing links the new name (makes an empty directory and renames over it, for
//   directories), then removes the old one; the file has both names for a moment.
// - RenameExchanging moves `from` over `to`, having kept the displaced file under a temporary name
//   that then becomes `from`. `to` exists at every instant; `from` is missing for one. After a
//   crash there the displaced file is left under ".staged-exchange-..." beside `from`. Files only:
//   directories give EINVAL.
[[nodiscard]] int RenameWithoutReplacing(const Parent& from, const Parent& to,
                                         const PosixEnvOptions& options);
[[nodiscard]] int RenameExchanging(const Parent& from, const Parent& to,
                                   const PosixEnvOptions& options);

// Copies all bytes: shared blocks if the file system can, else in the kernel, else through memory.
// Returns -1 and errno on failure.
[[nodiscard]] int CopyBytes(int from, int to, const PosixEnvOptions& options);

// Whether another open file description may write to the file, by trying to take a read lease.
[[nodiscard]] bool HasWriter(int descriptor);

// Gives `to` the owner, extended attributes (ACLs are among them) and mode of `from`, best effort
// but for the mode, whose failure is -1 and errno. Set-id bits are only given with their owner.
[[nodiscard]] int CopyAttributes(int from, int to, CopyMetadata what);

[[nodiscard]] int ReadFully(int descriptor, uint64_t offset, uint64_t size_bytes,
                            std::string* bytes);
[[nodiscard]] int WriteFully(int descriptor, uint64_t offset, std::string_view bytes);

}  // namespace staged::posix
