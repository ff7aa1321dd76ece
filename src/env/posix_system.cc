#include "env/posix_system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "env/path.h"

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace staged::posix {
namespace {

std::string Describe(int error) {
#if defined(__GLIBC__)
  // Unlike strerror, independent of the locale and of other threads.
  if (const char* description = strerrordesc_np(error); description != nullptr) {
    return description;
  }
#endif
  return "error " + std::to_string(error);
}

struct Meaning {
  ErrorCode code;
  const char* next_step;
};

Meaning Explain(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::kNotFound, "check the path"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {ErrorCode::kPermissionDenied, "check its owner and mode"};
    case ELOOP:
    case EXDEV:
      return {ErrorCode::kPathEscape, "symlinks are not followed; give the real path"};
    case EEXIST:
    case ENOTEMPTY:
      return {ErrorCode::kConflict, "remove it first or choose another name"};
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {ErrorCode::kLimitExceeded, "free some space and try again"};
    case EMFILE:
    case ENFILE:
      return {ErrorCode::kLimitExceeded, "raise the limit of open files (ulimit -n)"};
    case EBUSY:
    case ETXTBSY:
    case EAGAIN:
      return {ErrorCode::kBusy, "try again when nobody uses it"};
    case EISDIR:
    case EINVAL:
    case ENXIO:
      return {ErrorCode::kInvalidArgument, "name a regular file or directory the system accepts"};
    case ENAMETOOLONG:
      return {ErrorCode::kInvalidArgument, "choose a shorter name"};
    default:
      return {ErrorCode::kIoError, "check the disk and the system log"};
  }
}

#if defined(__linux__)
int OpenAt2(int root, const char* path, int flags, mode_t mode) {
  struct open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(
      Retry([&] { return syscall(SYS_openat2, root, path, &how, sizeof(how)); }));
}
#endif

// openat of one component; a symlink gives ELOOP whatever the flags.
int OpenComponent(int directory, const char* name, int flags, mode_t mode) {
  const int descriptor =
      Retry([&] { return openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode); });
  if (descriptor < 0 && errno == ENOTDIR) {
    struct stat status;
    const bool is_link =
        fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    errno = is_link ? ELOOP : ENOTDIR;
  }
  return descriptor;
}

}  // namespace

#if defined(O_PATH)
const int kDirectoryFlags = O_PATH | O_DIRECTORY;
#else
const int kDirectoryFlags = O_RDONLY | O_DIRECTORY;
#endif

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) {
    const int saved_errno = errno;
    // Not retried on EINTR: the descriptor's state is unspecified then, and freed on Linux.
    close(descriptor_);
    errno = saved_errno;
  }
}

Status ErrorStatus(int error, std::string_view action, std::string_view path) {
  const Meaning meaning = Explain(error);
  return {meaning.code, "cannot " + std::string(action) + " " + QuotePath(path) + ": " +
                            Describe(error) + "; " + meaning.next_step};
}

FileKind ToFileKind(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kSymlink;
  return FileKind::kOther;
}

FileStatus ToFileStatus(const struct stat& status) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  FileStatus result;
  result.kind = ToFileKind(status.st_mode);
  result.size_bytes = static_cast<uint64_t>(status.st_size);
#if defined(__APPLE__)
  const struct timespec modified = status.st_mtimespec;
  const struct timespec changed = status.st_ctimespec;
#else
  const struct timespec modified = status.st_mtim;
  const struct timespec changed = status.st_ctim;
#endif
  result.modified_ns = modified.tv_sec * kNsPerSecond + modified.tv_nsec;
  result.changed_ns = changed.tv_sec * kNsPerSecond + changed.tv_nsec;
  result.inode = status.st_ino;
  result.device = status.st_dev;
  result.mode = status.st_mode & 07777;
  result.link_count = status.st_nlink;
  return result;
}

bool HasOpenBeneath() {
#if defined(__linux__)
  return Descriptor(OpenAt2(AT_FDCWD, ".", kDirectoryFlags, 0)).valid();
#else
  return false;
#endif
}

Descriptor OpenBeneath(int root, const std::string& path, int flags, mode_t mode,
                       const PosixEnvOptions& options) {
#if defined(__linux__)
  if (options.use_openat2) {
    // The kernel gives up with EAGAIN when a rename anywhere disturbs the resolution.
    constexpr int kAttemptsMax = 64;
    int descriptor = -1;
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      descriptor = OpenAt2(root, path.c_str(), flags, mode);
      if (descriptor >= 0 || errno != EAGAIN) break;
    }
    return Descriptor(descriptor);
  }
#endif
  const Parent parent = OpenParent(root, path, options);
  if (parent.directory < 0) return Descriptor();
  return Descriptor(OpenComponent(parent.directory, parent.name, flags, mode));
}

Parent OpenParent(int root, const std::string& path, const PosixEnvOptions& options) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {Descriptor(), root, path.c_str()};
  Parent parent;
  parent.name = path.c_str() + slash + 1;
  if (options.use_openat2) {
    parent.owned = OpenBeneath(root, path.substr(0, slash), kDirectoryFlags, 0, options);
    parent.directory = parent.owned.get();
    return parent;
  }
  parent.directory = root;
  for (size_t start = 0; start < slash;) {
    const size_t end = std::min(path.find('/', start), slash);
    const std::string component = path.substr(start, end - start);
    Descriptor next(OpenComponent(parent.directory, component.c_str(), kDirectoryFlags, 0));
    parent.directory = next.get();
    if (!next.valid()) break;
    parent.owned = std::move(next);
    start = end + 1;
  }
  return parent;
}

// Large memory in pages of two megabytes, where the system has them on request: a fault for each of
// four kilobytes takes longer than the reading itself.
void PreferHugePages(char* memory, size_t size_bytes) {
  constexpr uintptr_t kHugePageBytes = 2 << 20;
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t begin = (address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (address + size_bytes) / kHugePageBytes * kHugePageBytes;
  // A wish: what comes of it does not matter.
  if (begin < end) (void)madvise(memory + (begin - address), end - begin, MADV_HUGEPAGE);
}

int ReadFully(int descriptor, uint64_t offset, uint64_t size_bytes, std::string* bytes) {
  bytes->reserve(size_bytes);
  PreferHugePages(bytes->data(), size_bytes);
  bytes->resize(size_bytes);
  size_t done = 0;
  while (done < size_bytes) {
    const ssize_t count = Retry([&] {
      return pread(descriptor, bytes->data() + done, size_bytes - done,
                   static_cast<off_t>(offset + done));
    });
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes->resize(done);
  return 0;
}

int WriteFully(int descriptor, uint64_t offset, std::string_view bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = Retry([&] {
      return pwrite(descriptor, bytes.data() + done, bytes.size() - done,
                    static_cast<off_t>(offset + done));
    });
    if (count < 0) return -1;
    done += static_cast<size_t>(count);
  }
  return 0;
}

}  // namespace staged::posix
