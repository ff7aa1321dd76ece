#include "env/posix_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace staged::posix {
namespace {

constexpr uint64_t kOffsetMax = static_cast<uint64_t>(std::numeric_limits<off_t>::max());

class PosixFile : public File {
 public:
  PosixFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Result<std::string> ReadAt(uint64_t offset, uint64_t size_bytes) override {
    // The buffer must not grow with what a caller asks for beyond the end of the file.
    constexpr uint64_t kSmallBytes = 1 << 16;
    if (size_bytes > kSmallBytes) {
      struct stat status;
      if (fstat(descriptor_.get(), &status) != 0) return Failed("read");
      const auto end = static_cast<uint64_t>(status.st_size);
      size_bytes = std::min(size_bytes, std::max(end - std::min(end, offset), kSmallBytes));
    }
    std::string bytes;
    if (offset > kOffsetMax - size_bytes) return bytes;
    if (ReadFully(descriptor_.get(), offset, size_bytes, &bytes) != 0) return Failed("read");
    return bytes;
  }

  Status WriteAt(uint64_t offset, std::string_view bytes) override {
    if (offset > kOffsetMax - bytes.size()) return ErrorStatus(EFBIG, "write", path_);
    if (WriteFully(descriptor_.get(), offset, bytes) != 0) return Failed("write");
    return OkStatus();
  }

  Status Truncate(uint64_t size_bytes) override {
    if (size_bytes > kOffsetMax) return ErrorStatus(EFBIG, "truncate", path_);
    const int result =
        Retry([&] { return ftruncate(descriptor_.get(), static_cast<off_t>(size_bytes)); });
    return result == 0 ? OkStatus() : Failed("truncate");
  }

  Status Sync() override {
#if defined(F_FULLFSYNC)
    // macOS: fsync leaves the bytes in the drive's own cache.
    if (Retry([&] { return fcntl(descriptor_.get(), F_FULLFSYNC); }) == 0) return OkStatus();
#endif
    return Retry([&] { return fsync(descriptor_.get()); }) == 0 ? OkStatus() : Failed("sync");
  }

  Result<FileStatus> GetStatus() override {
    struct stat status;
    if (fstat(descriptor_.get(), &status) != 0) return Failed("stat");
    return ToFileStatus(status);
  }

 private:
  [[nodiscard]] Status Failed(std::string_view action) const {
    return ErrorStatus(errno, action, path_);
  }

  Descriptor descriptor_;
  std::string path_;
};

// flock belongs to the open file description: it excludes other processes and other descriptors of
// this process alike, unlike fcntl's record locks, and goes away with the process.
class PosixFileLock : public FileLock {
 public:
  explicit PosixFileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  ~PosixFileLock() override {
    // Unlocks although a child process that was forked meanwhile may still have the descriptor.
    (void)flock(descriptor_.get(), LOCK_UN);
  }

 private:
  Descriptor descriptor_;
};

}  // namespace

std::unique_ptr<File> NewFile(Descriptor descriptor, std::string path) {
  return std::make_unique<PosixFile>(std::move(descriptor), std::move(path));
}

Result<std::unique_ptr<FileLock>> LockFile(int root, const std::string& path, LockWait wait,
                                           const PosixEnvOptions& options) {
  constexpr mode_t kLockMode = 0666;
  const int operation = LOCK_EX | (wait == LockWait::kDoNotWait ? LOCK_NB : 0);
  while (true) {
    Descriptor file =
        OpenBeneath(root, path, O_RDWR | O_CREAT | O_NOCTTY | O_NONBLOCK, kLockMode, options);
    if (!file.valid()) return ErrorStatus(errno, "lock", path);
    if (Retry([&] { return flock(file.get(), operation); }) != 0) {
      if (errno == EWOULDBLOCK) {
        return Status(ErrorCode::kBusy,
                      "the lock " + path + " is held by another process; try again later");
      }
      return ErrorStatus(errno, "lock", path);
    }
    // A lock on a file that was removed or replaced while this one waited excludes nobody.
    struct stat locked;
    struct stat named;
    const Parent parent = OpenParent(root, path, options);
    if (fstat(file.get(), &locked) == 0 && parent.directory >= 0 &&
        fstatat(parent.directory, parent.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        locked.st_ino == named.st_ino && locked.st_dev == named.st_dev) {
      return std::unique_ptr<FileLock>(std::make_unique<PosixFileLock>(std::move(file)));
    }
  }
}

}  // namespace staged::posix
