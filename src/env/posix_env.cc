#include "env/posix_env.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

#include "env/path.h"
#include "env/posix_directory.h"
#include "env/posix_system.h"
#include "env/posix_watcher.h"

#if defined(__linux__)
#include <sys/random.h>
#include <sys/statfs.h>
#endif

namespace staged {
namespace {

using posix::Descriptor;
using posix::ErrorStatus;
using posix::Retry;

#if defined(__linux__)
struct FileSystemType {
  uint32_t magic;
  const char* name;
  bool safe;
};

// statfs(2), linux/magic.h. Not safe: those of a network or of user space, where locks, atomic
// renames or fsync depend on a server that cannot be asked, and FAT, which has no exchange.
constexpr FileSystemType kFileSystemTypes[] = {
    {0xef53, "ext4", true},        {0x58465342, "xfs", true},      {0x9123683e, "btrfs", true},
    {0x2fc12fc1, "zfs", true},     {0xf2f52010, "f2fs", true},     {0xca451a4e, "bcachefs", true},
    {0x01021994, "tmpfs", true},   {0x858458f6, "ramfs", true},    {0x794c7630, "overlay", true},
    {0x3153464a, "jfs", true},     {0x52654973, "reiserfs", true}, {0xf15f, "ecryptfs", true},
    {0x6969, "nfs", false},        {0xff534d42, "cifs", false},    {0xfe534d42, "smb2", false},
    {0x517b, "smb", false},        {0x65735546, "fuse", false},    {0x01021997, "9p", false},
    {0x00c36400, "ceph", false},   {0x5346414f, "afs", false},     {0x6b414653, "kafs", false},
    {0x73757245, "coda", false},   {0x01161970, "gfs2", false},    {0x7461636f, "ocfs2", false},
    {0x0bd00bd0, "lustre", false}, {0x786f4256, "vboxsf", false},  {0xbacbacbc, "vmhgfs", false},
    {0x4d44, "vfat", false},       {0x2011bab0, "exfat", false},   {0x5346544e, "ntfs", false},
    {0x7366746e, "ntfs3", false},
};
#endif

class PosixEnv : public Env {
 public:
  explicit PosixEnv(const PosixEnvOptions& options) : options_(options) {}

  Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) override {
    STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, Open(path));
    std::string real_path = RealPath(path);
    return posix::NewDirectory(std::move(descriptor), std::move(real_path), options_);
  }

  Status MakeDirectories(const std::string& path) override;
  Result<std::unique_ptr<Watcher>> Watch(const std::string& path,
                                         std::function<bool(const std::string&)> skip) override {
    STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, Open(path));
    STAGED_ASSIGN_OR_RETURN(auto directory, OpenDirectory(path));
    return posix::NewWatcher(std::move(descriptor), std::move(directory), std::move(skip),
                             options_);
  }
  Result<FileSystem> GetFileSystem(const std::string& path) override;

  int64_t NowNs() override { return ReadClock(CLOCK_REALTIME); }
  int64_t MonotonicNs() override { return ReadClock(CLOCK_MONOTONIC); }
  void Sleep(int64_t duration_ns) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns));
  }
  std::string RandomBytes(size_t size_bytes) override;
  int64_t ProcessId() override { return getpid(); }
  std::string HostName() override {
    std::array<char, 256> name = {};
    if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
    return name.data();
  }

 private:
  static Status CheckAbsolutePath(const std::string& path) {
    if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) {
      return {ErrorCode::kInvalidArgument,
              "the path " + QuotePath(path) + " is not absolute; give it from the root on"};
    }
    return OkStatus();
  }
  // `path` without symlinks, or as it is where that cannot be told.
  static std::string RealPath(const std::string& path) {
    char* resolved = realpath(path.c_str(), nullptr);
    if (resolved == nullptr) return path;
    std::string result = resolved;
    std::free(resolved);
    return result;
  }
  static Result<Descriptor> Open(const std::string& path) {
    STAGED_RETURN_IF_ERROR(CheckAbsolutePath(path));
    Descriptor descriptor(
        Retry([&] { return open(path.c_str(), posix::kDirectoryFlags | O_CLOEXEC); }));
    if (!descriptor.valid()) return ErrorStatus(errno, "open", path);
    return descriptor;
  }
  static int64_t ReadClock(clockid_t clock) {
    struct timespec time = {};
    clock_gettime(clock, &time);
    return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
  }

  const PosixEnvOptions options_;
};

Status PosixEnv::MakeDirectories(const std::string& path) {
  STAGED_RETURN_IF_ERROR(CheckAbsolutePath(path));
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string ancestor = path.substr(0, end);
    if (mkdir(ancestor.c_str(), 0777) == 0) {
      // The new name is to outlive a power loss: a workspace below it would be gone otherwise.
      const Descriptor parent(open((ancestor + "/..").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (parent.valid() && Retry([&] { return fsync(parent.get()); }) != 0 && errno == EIO) {
        return ErrorStatus(errno, "sync the parent of", ancestor);
      }
    } else {
      const int error = errno;
      // An existing ancestor may refuse for another reason (a read-only file system) first.
      struct stat status;
      if (stat(ancestor.c_str(), &status) != 0) {
        return ErrorStatus(error == EEXIST ? errno : error, "make directory", ancestor);
      }
      if (!S_ISDIR(status.st_mode)) return ErrorStatus(EEXIST, "make directory", ancestor);
    }
    if (end == std::string::npos) return OkStatus();
  }
}

Result<Env::FileSystem> PosixEnv::GetFileSystem(const std::string& path) {
  STAGED_RETURN_IF_ERROR(CheckAbsolutePath(path));
#if defined(__linux__)
  struct statfs status;
  if (Retry([&] { return statfs(path.c_str(), &status); }) != 0) {
    return ErrorStatus(errno, "find the file system of", path);
  }
  const auto magic = static_cast<uint32_t>(status.f_type);
  for (const FileSystemType& type : kFileSystemTypes) {
    if (type.magic == magic) return FileSystem{type.name, type.safe};
  }
  std::array<char, 32> name = {};
  std::snprintf(name.data(), name.size(), "unknown-%08x", magic);
  return FileSystem{name.data(), false};
#else
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return ErrorStatus(errno, "find the file system of", path);
  }
  return FileSystem{"unknown", true};
#endif
}

std::string PosixEnv::RandomBytes(size_t size_bytes) {
  std::string bytes(size_bytes, '\0');
  size_t done = 0;
#if defined(__linux__)
  while (done < size_bytes) {
    const ssize_t count =
        Retry([&] { return getrandom(bytes.data() + done, size_bytes - done, 0); });
    if (count < 0) break;
    done += static_cast<size_t>(count);
  }
#endif
  if (done < size_bytes) {
    const Descriptor source(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
    while (done < size_bytes) {
      const ssize_t count =
          Retry([&] { return read(source.get(), bytes.data() + done, size_bytes - done); });
      // Identifiers that are not random would silently collide.
      if (count <= 0) std::abort();
      done += static_cast<size_t>(count);
    }
  }
  return bytes;
}

}  // namespace

std::unique_ptr<Env> NewPosixEnv(const PosixEnvOptions& options) {
  PosixEnvOptions usable = options;
  usable.use_openat2 = options.use_openat2 && posix::HasOpenBeneath();
  return std::make_unique<PosixEnv>(usable);
}

}  // namespace staged
