#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/status.h"

// The only road to the operating system. The workspace, the store and the tools are written against
// these classes; src/env/posix_env.cc is the real one, src/env/simulated_env.cc its faulty twin.
//
// Paths given to a Directory are relative to it, use '/', and are resolved without ever following a
// symlink in any component and without leaving the directory ("..", absolute paths: kPathEscape).
// A path has single slashes between its components and no ".", trailing slash or NUL (else
// kInvalidArgument); where a method says nothing else, it must not be empty. A symlink where
// something else is wanted is kPathEscape, another wrong kind kInvalidArgument; a component that is
// missing or no directory is kNotFound. Modes of what is made are less the process's umask. Errors
// everywhere: kNotFound, kPermissionDenied, kPathEscape, kIoError, kLimitExceeded (disk full);
// messages name the path.
namespace staged {

enum class FileKind : uint8_t { kFile = 1, kDirectory = 2, kSymlink = 3, kOther = 4 };

struct FileStatus {
  FileKind kind = FileKind::kOther;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;  // mtime
  int64_t changed_ns = 0;   // ctime
  uint64_t inode = 0;
  uint64_t device = 0;
  uint32_t mode = 0;  // permission bits only
  uint64_t link_count = 1;

  [[nodiscard]] bool is_executable() const { return (mode & 0100) != 0; }
  friend bool operator==(const FileStatus&, const FileStatus&) = default;
};

struct DirectoryItem {
  std::string name;  // exact bytes, may be non-UTF-8
  FileKind kind = FileKind::kOther;
};

struct ListedItem {
  std::string name;
  FileStatus status;
};

// An open file. Not thread-safe. The destructor closes without syncing.
class File {
 public:
  virtual ~File() = default;
  // Reads up to `size_bytes` at `offset`; fewer only at the end of the file.
  virtual Result<std::string> ReadAt(uint64_t offset, uint64_t size_bytes) = 0;
  // Writes all of `bytes` at `offset`, extending the file where needed.
  virtual Status WriteAt(uint64_t offset, std::string_view bytes) = 0;
  virtual Status Truncate(uint64_t size_bytes) = 0;
  // Returns once data and size survive power loss.
  virtual Status Sync() = 0;
  virtual Result<FileStatus> GetStatus() = 0;
};

// Held until destroyed; released by the system when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class LockWait : uint8_t { kDoNotWait = 0, kWait = 1 };

// Whether bytes may be shared with the source (reflink) is up to the system; the result is the
// same.
enum class CopyMetadata : uint8_t { kModeOnly = 0, kAll = 1 };  // kAll: owner, ACLs, xattrs too

// A directory held open: the root of every operation on files. Thread-safe.
class Directory {
 public:
  virtual ~Directory() = default;

  // Of a symlink: the link itself. Empty path: the directory itself.
  virtual Result<FileStatus> Stat(const std::string& path) = 0;
  // Items sorted by name bytes, without "." and "..". Empty path: the directory itself.
  virtual Result<std::vector<DirectoryItem>> List(const std::string& path) = 0;
  // The same with the status of each item, several times as fast as asking for each.
  virtual Result<std::vector<ListedItem>> ListWithStatus(const std::string& path) = 0;
  virtual Result<std::unique_ptr<File>> OpenRead(const std::string& path) = 0;
  virtual Result<std::unique_ptr<File>> OpenWrite(const std::string& path) = 0;  // must exist
  // Makes a new empty file; kConflict if the name is taken.
  virtual Result<std::unique_ptr<File>> Create(const std::string& path, uint32_t mode) = 0;
  // The whole file. kLimitExceeded if it is larger than `size_bytes_max`.
  virtual Result<std::string> ReadFile(const std::string& path, uint64_t size_bytes_max) = 0;

  virtual Status MakeDirectory(const std::string& path, uint32_t mode) = 0;  // kConflict if taken
  virtual Status RemoveDirectory(const std::string& path) = 0;  // kConflict if not empty
  virtual Status RemoveFile(const std::string& path) = 0;       // a file or symlink
  virtual Result<std::string> ReadLink(const std::string& path) = 0;
  virtual Status MakeSymlink(const std::string& path, const std::string& target) = 0;
  virtual Status SetMode(const std::string& path, uint32_t mode) = 0;
  // Gives `to` (in `to_directory`) the mode, and with kAll the owner, ACLs and extended attributes
  // of `from`, as far as this process may.
  virtual Status CopyAttributes(const std::string& from, Directory& to_directory,
                                const std::string& to, CopyMetadata what) = 0;

  // Atomic renames into `to_directory` (which may be this one) on the same file system.
  virtual Status Rename(const std::string& from, Directory& to_directory,
                        const std::string& to) = 0;  // replaces `to`
  virtual Status RenameNew(const std::string& from, Directory& to_directory,
                           const std::string& to) = 0;  // kConflict if `to` exists
  // Swaps the two names atomically. Both must exist. Where the file system cannot (FAT, some of
  // FUSE's): `to` exists at every instant, but `from` is missing for one, in which a crash leaves
  // what was `to` under a name ".staged-exchange-..." beside `from`; directories are
  // kInvalidArgument.
  virtual Status Exchange(const std::string& from, Directory& to_directory,
                          const std::string& to) = 0;
  // Makes `to` a new file with the bytes of `from`; reflink where possible. kConflict if taken.
  virtual Status Clone(const std::string& from, Directory& to_directory, const std::string& to,
                       uint32_t mode) = 0;

  // Returns once names created, removed or renamed in the directory `path` survive power loss.
  // Neither the data of its files nor its own name is meant. Empty path: the directory itself.
  virtual Status SyncDirectory(const std::string& path) = 0;

  // An exclusive advisory lock on the file `path` (made if absent). With kDoNotWait: kBusy when
  // another holder, in this or another process, has it.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path, LockWait wait) = 0;
  // Whether some process holds the file open for writing. Unknown counts as false.
  virtual Result<bool> HasWriter(const std::string& path) = 0;

  // A directory below this one, with the same rules.
  virtual Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) = 0;
  // Its absolute path, without symlinks: for messages, for libraries that want a path, and to tell
  // whether one directory lies in another.
  [[nodiscard]] virtual const std::string& path() const = 0;
};

// Tells that something changed below a directory; what changed is found by hashing.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Waits at most `timeout_ms` and returns the relative paths touched since the last call (possibly
  // none; "" means "anything": events were lost and all must be scanned).
  virtual Result<std::vector<std::string>> Wait(int timeout_ms) = 0;
};

// Thread-safe.
class Env {
 public:
  virtual ~Env() = default;
  // Opens an existing directory by absolute path; symlinks in `path` itself are followed once.
  virtual Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) = 0;
  // Makes the directory and its parents, durably. kConflict where something else has a name.
  virtual Status MakeDirectories(const std::string& path) = 0;
  // inotify where there is, else polling. `skip` names subdirectories (by relative path) not to be
  // watched; it must not use this Env.
  virtual Result<std::unique_ptr<Watcher>> Watch(const std::string& path,
                                                 std::function<bool(const std::string&)> skip) = 0;
  // The file system's type name where `path` lives ("ext4", "nfs"), and whether it keeps the
  // promises of this interface (locks, atomic rename, fsync).
  struct FileSystem {
    std::string type;
    bool safe = true;
  };
  virtual Result<FileSystem> GetFileSystem(const std::string& path) = 0;

  virtual int64_t NowNs() = 0;        // wall clock, ns since 1970-01-01 UTC
  virtual int64_t MonotonicNs() = 0;  // for durations
  // Waits at least that long, by the monotonic clock.
  virtual void Sleep(int64_t duration_ns) = 0;
  virtual std::string RandomBytes(size_t size_bytes) = 0;
  virtual int64_t ProcessId() = 0;
  virtual std::string HostName() = 0;
};

}  // namespace staged
