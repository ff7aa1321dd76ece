// Renaming and copying: calls of Linux with their plain POSIX replacements.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "env/posix_system.h"

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#endif

namespace staged::posix {
namespace {

enum class RenameFlag : unsigned { kNoReplace = 1, kExchange = 2 };  // as in linux/fs.h

// ENOSYS where the call is missing, not allowed here or not known to the file system.
int RenameAt2([[maybe_unused]] const Parent& from, [[maybe_unused]] const Parent& to,
              [[maybe_unused]] RenameFlag flag, [[maybe_unused]] const PosixEnvOptions& options) {
#if defined(__linux__)
  if (options.use_renameat2) {
    const long result = Retry([&] {
      return syscall(SYS_renameat2, from.directory, from.name, to.directory, to.name,
                     static_cast<unsigned>(flag));
    });
    // EINVAL also stands for a directory moved into itself, which the replacement refuses again.
    if (result == -1 && (errno == EINVAL || errno == ENOTSUP)) errno = ENOSYS;
    return static_cast<int>(result);
  }
#endif
  errno = ENOSYS;
  return -1;
}

int RenameAt(const Parent& from, int to_directory, const char* to_name) {
  return Retry([&] { return renameat(from.directory, from.name, to_directory, to_name); });
}

// Renames over a directory made for it, because a directory cannot be linked.
int RenameDirectoryWithoutReplacing(const Parent& from, const Parent& to) {
  if (mkdirat(to.directory, to.name, 0700) != 0) return -1;
  if (RenameAt(from, to.directory, to.name) == 0) return 0;
  const int error = errno;
  unlinkat(to.directory, to.name, AT_REMOVEDIR);
  errno = error;
  return -1;
}

int CopyThroughMemory(int from, int to, uint64_t offset) {
  constexpr uint64_t kBlockBytes = 1 << 20;
  std::string block;
  do {
    if (ReadFully(from, offset, kBlockBytes, &block) != 0) return -1;
    if (WriteFully(to, offset, block) != 0) return -1;
    offset += block.size();
  } while (block.size() == kBlockBytes);
  return 0;
}

#if defined(__linux__)
std::vector<std::string> AttributeNames(int descriptor) {
  std::string names;
  for (ssize_t size = flistxattr(descriptor, nullptr, 0); size > 0;) {
    names.resize(static_cast<size_t>(size));
    const ssize_t read = flistxattr(descriptor, names.data(), names.size());
    if (read >= 0) {
      names.resize(static_cast<size_t>(read));
      break;
    }
    names.clear();
    size = errno == ERANGE ? flistxattr(descriptor, nullptr, 0) : 0;
  }
  std::vector<std::string> result;
  for (size_t start = 0; start < names.size();) {
    result.emplace_back(names.c_str() + start);
    start += result.back().size() + 1;
  }
  return result;
}

void CopyExtendedAttributes(int from, int to) {
  std::set<std::string> copied;
  for (const std::string& name : AttributeNames(from)) {
    // Signatures over the content, which will not be the same.
    if (name == "security.ima" || name == "security.evm") continue;
    const ssize_t size = fgetxattr(from, name.c_str(), nullptr, 0);
    if (size < 0) continue;
    std::string value(static_cast<size_t>(size), '\0');
    const ssize_t read = fgetxattr(from, name.c_str(), value.data(), value.size());
    if (read < 0) continue;
    (void)fsetxattr(to, name.c_str(), value.data(), static_cast<size_t>(read), 0);
    copied.insert(name);
  }
  // What `to` inherited from its directory (a default ACL) is not an attribute of `from`.
  for (const std::string& name : AttributeNames(to)) {
    const bool is_ours = name.starts_with("user.") || name.starts_with("system.posix_acl_");
    if (is_ours && !copied.contains(name)) (void)fremovexattr(to, name.c_str());
  }
}
#else
void CopyExtendedAttributes(int, int) {}
#endif

}  // namespace

int RenameWithoutReplacing(const Parent& from, const Parent& to, const PosixEnvOptions& options) {
  const int result = RenameAt2(from, to, RenameFlag::kNoReplace, options);
  if (result == 0 || errno != ENOSYS) return result;
  struct stat status;
  if (fstatat(from.directory, from.name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (S_ISDIR(status.st_mode)) return RenameDirectoryWithoutReplacing(from, to);
  if (linkat(from.directory, from.name, to.directory, to.name, 0) != 0) return -1;
  return unlinkat(from.directory, from.name, 0);
}

int RenameExchanging(const Parent& from, const Parent& to, const PosixEnvOptions& options) {
  const int result = RenameAt2(from, to, RenameFlag::kExchange, options);
  if (result == 0 || errno != ENOSYS) return result;
  struct stat from_status;
  struct stat to_status;
  if (fstatat(from.directory, from.name, &from_status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (fstatat(to.directory, to.name, &to_status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (S_ISDIR(from_status.st_mode) || S_ISDIR(to_status.st_mode)) {
    errno = EINVAL;
    return -1;
  }
  if (from_status.st_ino == to_status.st_ino && from_status.st_dev == to_status.st_dev) return 0;
  const std::string kept =
      ".staged-exchange-" + std::to_string(getpid()) + "-" + std::to_string(to_status.st_ino);
  if (linkat(to.directory, to.name, from.directory, kept.c_str(), 0) != 0) return -1;
  if (RenameAt(from, to.directory, to.name) != 0) {
    const int error = errno;
    unlinkat(from.directory, kept.c_str(), 0);
    errno = error;
    return -1;
  }
  return Retry([&] { return renameat(from.directory, kept.c_str(), from.directory, from.name); });
}

int CopyBytes(int from, int to, [[maybe_unused]] const PosixEnvOptions& options) {
  uint64_t offset = 0;
#if defined(__linux__)
  if (options.use_reflink) {
    if (Retry([&] { return ioctl(to, FICLONE, from); }) == 0) return 0;
    constexpr size_t kBlockBytes = size_t{1} << 30;
    off_t from_offset = 0;
    off_t to_offset = 0;
    ssize_t count = 0;
    do {
      count = Retry(
          [&] { return copy_file_range(from, &from_offset, to, &to_offset, kBlockBytes, 0); });
    } while (count > 0);
    if (count < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG)) {
      return -1;
    }
    // Some file systems (procfs) report a premature end: the rest is read and written.
    offset = static_cast<uint64_t>(to_offset);
  }
#endif
  return CopyThroughMemory(from, to, offset);
}

bool HasWriter(int descriptor) {
#if defined(__linux__)
  // Whoever opens the file while the lease is held makes the kernel signal this process. SIGIO, the
  // default, would end it; SIGURG is ignored unless somebody handles it.
  (void)fcntl(descriptor, F_SETSIG, SIGURG);
  if (Retry([&] { return fcntl(descriptor, F_SETLEASE, F_RDLCK); }) == 0) {
    (void)fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return false;
  }
  return errno == EAGAIN;
#else
  (void)descriptor;
  return false;
#endif
}

int CopyAttributes(int from, int to, CopyMetadata what) {
  struct stat source;
  struct stat target;
  if (fstat(from, &source) != 0) return -1;
  if (what == CopyMetadata::kAll) {
    // The group alone may be ours to give when the owner is not.
    if (fchown(to, source.st_uid, source.st_gid) != 0 &&
        fchown(to, static_cast<uid_t>(-1), source.st_gid) != 0) {
      // Best effort: the owner stays.
    }
    CopyExtendedAttributes(from, to);
  }
  if (fstat(to, &target) != 0) return -1;
  mode_t mode = source.st_mode & 07777;
  if (source.st_uid != target.st_uid) mode &= ~static_cast<mode_t>(S_ISUID);
  if (source.st_gid != target.st_gid) mode &= ~static_cast<mode_t>(S_ISGID);
  return fchmod(to, mode);
}

}  // namespace staged::posix
