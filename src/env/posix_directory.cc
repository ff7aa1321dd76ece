#include "env/posix_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "env/path.h"
#include "env/posix_file.h"

namespace staged::posix {
namespace {

// What this process never wants when it opens a file that may be something else: to become its
// terminal's owner or to hang on a FIFO.
constexpr int kHarmless = O_NOCTTY | O_NONBLOCK;

// Thread-safe because nothing changes after construction: every call resolves its path afresh. A
// cached parent would be faster, but could meanwhile have been moved out of the root.
class PosixDirectory : public Directory {
 public:
  PosixDirectory(Descriptor descriptor, std::string path, const PosixEnvOptions& options)
      : root_(std::move(descriptor)), path_(std::move(path)), options_(options) {}

  Result<FileStatus> Stat(const std::string& path) override;
  Result<std::vector<DirectoryItem>> List(const std::string& path) override;
  Result<std::vector<ListedItem>> ListWithStatus(const std::string& path) override;
  Result<std::unique_ptr<File>> OpenRead(const std::string& path) override;
  Result<std::unique_ptr<File>> OpenWrite(const std::string& path) override;
  Result<std::unique_ptr<File>> Create(const std::string& path, uint32_t mode) override;
  Result<std::string> ReadFile(const std::string& path, uint64_t size_bytes_max) override;
  Status MakeDirectory(const std::string& path, uint32_t mode) override;
  Status RemoveDirectory(const std::string& path) override;
  Status RemoveFile(const std::string& path) override;
  Result<std::string> ReadLink(const std::string& path) override;
  Status MakeSymlink(const std::string& path, const std::string& target) override;
  Status SetMode(const std::string& path, uint32_t mode) override;
  Status CopyAttributes(const std::string& from, Directory& to_directory, const std::string& to,
                        CopyMetadata what) override;
  Status Rename(const std::string& from, Directory& to_directory, const std::string& to) override;
  Status RenameNew(const std::string& from, Directory& to_directory,
                   const std::string& to) override;
  Status Exchange(const std::string& from, Directory& to_directory, const std::string& to) override;
  Status Clone(const std::string& from, Directory& to_directory, const std::string& to,
               uint32_t mode) override;
  Status SyncDirectory(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path, LockWait wait) override;
  Result<bool> HasWriter(const std::string& path) override;
  Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) override;
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  // Opens anything but a symlink.
  Result<Descriptor> Open(const std::string& path, int flags, mode_t mode,
                          std::string_view action) const;
  // Opens for reading what must be a regular file.
  Result<Descriptor> OpenRegular(const std::string& path, int flags, struct stat* status) const;
  // Opens a directory, or the root for the empty path.
  Result<Descriptor> OpenSubdirectory(const std::string& path, int flags,
                                      std::string_view action) const;
  // Checks the path and runs `call(parent)`; its failure becomes an error.
  template <typename Call>
  Status AtParent(const std::string& path, std::string_view action, Call call) const;
  // The same for two paths; `call(from_parent, to_parent)`.
  template <typename Call>
  Status AtParents(const std::string& from, Directory& to_directory, const std::string& to,
                   std::string_view action, Call call) const;

  const Descriptor root_;
  const std::string path_;
  const PosixEnvOptions options_;
};

template <typename Call>
Status PosixDirectory::AtParent(const std::string& path, std::string_view action, Call call) const {
  STAGED_RETURN_IF_ERROR(CheckRelativePath(path, EmptyPath::kRefused));
  const Parent parent = OpenParent(root_.get(), path, options_);
  if (parent.directory < 0) return ErrorStatus(errno, action, path);
  if (Retry([&] { return call(parent); }) < 0) return ErrorStatus(errno, action, path);
  return OkStatus();
}

template <typename Call>
Status PosixDirectory::AtParents(const std::string& from, Directory& to_directory,
                                 const std::string& to, std::string_view action, Call call) const {
  STAGED_RETURN_IF_ERROR(CheckRelativePath(from, EmptyPath::kRefused));
  STAGED_RETURN_IF_ERROR(CheckRelativePath(to, EmptyPath::kRefused));
  const auto* target = dynamic_cast<const PosixDirectory*>(&to_directory);
  if (target == nullptr) {
    return {ErrorCode::kInvalidArgument,
            "both directories must come from the same environment; open the target with it"};
  }
  const Parent from_parent = OpenParent(root_.get(), from, options_);
  if (from_parent.directory < 0) return ErrorStatus(errno, action, from);
  const Parent to_parent = OpenParent(target->root_.get(), to, target->options_);
  if (to_parent.directory < 0) return ErrorStatus(errno, action, to);
  if (call(from_parent, to_parent) == 0) return OkStatus();
  switch (errno) {
    case EXDEV:
      return {ErrorCode::kIoError, "cannot " + std::string(action) + " " + QuotePath(from) +
                                       " to " + QuotePath(to) +
                                       ": they are on different file systems; copy it instead"};
    case EISDIR:
    case ENOTDIR:
      return {ErrorCode::kConflict, "cannot " + std::string(action) + " " + QuotePath(from) +
                                        " to " + QuotePath(to) +
                                        ": one is a directory, the other is not; remove one first"};
    case EEXIST:
    case ENOTEMPTY:
      return ErrorStatus(errno, std::string(action) + " to", to);
    default:
      return ErrorStatus(errno, action, from);
  }
}

Result<Descriptor> PosixDirectory::Open(const std::string& path, int flags, mode_t mode,
                                        std::string_view action) const {
  STAGED_RETURN_IF_ERROR(CheckRelativePath(path, EmptyPath::kRefused));
  Descriptor descriptor = OpenBeneath(root_.get(), path, flags, mode, options_);
  if (!descriptor.valid()) return ErrorStatus(errno, action, path);
  return descriptor;
}

Result<Descriptor> PosixDirectory::OpenRegular(const std::string& path, int flags,
                                               struct stat* status) const {
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, Open(path, flags | kHarmless, 0, "open"));
  if (fstat(descriptor.get(), status) != 0) return ErrorStatus(errno, "stat", path);
  if (S_ISDIR(status->st_mode)) return ErrorStatus(EISDIR, "open", path);
  if (!S_ISREG(status->st_mode)) return ErrorStatus(EINVAL, "open", path);
  return descriptor;
}

Result<Descriptor> PosixDirectory::OpenSubdirectory(const std::string& path, int flags,
                                                    std::string_view action) const {
  STAGED_RETURN_IF_ERROR(CheckRelativePath(path, EmptyPath::kMeansDirectoryItself));
  if (!path.empty()) return Open(path, flags | O_DIRECTORY, 0, action);
  Descriptor descriptor(
      Retry([&] { return openat(root_.get(), ".", flags | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.valid()) return ErrorStatus(errno, action, path_);
  return descriptor;
}

Result<FileStatus> PosixDirectory::Stat(const std::string& path) {
  struct stat status;
  if (path.empty()) {
    if (fstat(root_.get(), &status) != 0) return ErrorStatus(errno, "stat", path_);
    return ToFileStatus(status);
  }
  STAGED_RETURN_IF_ERROR(AtParent(path, "stat", [&](const Parent& parent) {
    return fstatat(parent.directory, parent.name, &status, AT_SYMLINK_NOFOLLOW);
  }));
  return ToFileStatus(status);
}

Result<std::vector<DirectoryItem>> PosixDirectory::List(const std::string& path) {
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, OpenSubdirectory(path, O_RDONLY, "list"));
  return ListItems(std::move(descriptor), path.empty() ? path_ : path);
}

Result<std::vector<ListedItem>> PosixDirectory::ListWithStatus(const std::string& path) {
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, OpenSubdirectory(path, O_RDONLY, "list"));
  Descriptor directory(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (!directory.valid()) return ErrorStatus(errno, "list", path);
  STAGED_ASSIGN_OR_RETURN(std::vector<DirectoryItem> items,
                          ListItems(std::move(descriptor), path.empty() ? path_ : path));
  std::vector<ListedItem> listed;
  listed.reserve(items.size());
  for (DirectoryItem& item : items) {
    struct stat status;
    if (fstatat(directory.get(), item.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      listed.push_back({std::move(item.name), ToFileStatus(status)});
    } else if (errno != ENOENT) {  // removed since: as if it had been before
      return ErrorStatus(errno, "stat", path.empty() ? item.name : path + "/" + item.name);
    }
  }
  return listed;
}

Result<std::unique_ptr<File>> PosixDirectory::OpenRead(const std::string& path) {
  struct stat status;
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, OpenRegular(path, O_RDONLY, &status));
  return NewFile(std::move(descriptor), path);
}

Result<std::unique_ptr<File>> PosixDirectory::OpenWrite(const std::string& path) {
  struct stat status;
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, OpenRegular(path, O_RDWR, &status));
  return NewFile(std::move(descriptor), path);
}

Result<std::unique_ptr<File>> PosixDirectory::Create(const std::string& path, uint32_t mode) {
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor,
                          Open(path, O_RDWR | O_CREAT | O_EXCL | O_NOCTTY, mode & 07777, "create"));
  return NewFile(std::move(descriptor), path);
}

Result<std::string> PosixDirectory::ReadFile(const std::string& path, uint64_t size_bytes_max) {
  struct stat status;
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, OpenRegular(path, O_RDONLY, &status));
  const auto too_large = [&] {
    return Status(ErrorCode::kLimitExceeded, QuotePath(path) + " is larger than " +
                                                 std::to_string(size_bytes_max) +
                                                 " bytes; raise the limit or leave it out");
  };
  auto size_bytes = static_cast<uint64_t>(status.st_size);
  if (size_bytes > size_bytes_max) return too_large();
  // One byte more than the size tells whether the file is growing; then the rest is read as well.
  std::string bytes;
  if (ReadFully(descriptor.get(), 0, size_bytes + 1, &bytes) != 0) {
    return ErrorStatus(errno, "read", path);
  }
  while (bytes.size() > size_bytes && bytes.size() <= size_bytes_max) {
    size_bytes = bytes.size();
    std::string more;
    if (ReadFully(descriptor.get(), size_bytes, size_bytes + 1, &more) != 0) {
      return ErrorStatus(errno, "read", path);
    }
    bytes += more;
  }
  if (bytes.size() > size_bytes_max) return too_large();
  return bytes;
}

Status PosixDirectory::MakeDirectory(const std::string& path, uint32_t mode) {
  return AtParent(path, "make directory", [&](const Parent& parent) {
    return mkdirat(parent.directory, parent.name, mode & 07777);
  });
}

Status PosixDirectory::RemoveDirectory(const std::string& path) {
  return AtParent(path, "remove directory", [](const Parent& parent) {
    return unlinkat(parent.directory, parent.name, AT_REMOVEDIR);
  });
}

Status PosixDirectory::RemoveFile(const std::string& path) {
  return AtParent(path, "remove", [](const Parent& parent) {
    const int result = unlinkat(parent.directory, parent.name, 0);
#if !defined(__linux__)
    // POSIX says EPERM for a directory.
    struct stat status;
    if (result != 0 && errno == EPERM) {
      const bool is_directory =
          fstatat(parent.directory, parent.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISDIR(status.st_mode);
      errno = is_directory ? EISDIR : EPERM;
    }
#endif
    return result;
  });
}

Result<std::string> PosixDirectory::ReadLink(const std::string& path) {
  constexpr ssize_t kTargetBytesMax = 1 << 16;
  std::string target(kTargetBytesMax, '\0');
  ssize_t size = 0;
  STAGED_RETURN_IF_ERROR(AtParent(path, "read link", [&](const Parent& parent) {
    size = readlinkat(parent.directory, parent.name, target.data(), target.size());
    return size;
  }));
  target.resize(static_cast<size_t>(size));
  target.shrink_to_fit();
  return target;
}

Status PosixDirectory::MakeSymlink(const std::string& path, const std::string& target) {
  if (target.empty() || target.find('\0') != std::string::npos) {
    return {ErrorCode::kInvalidArgument,
            "the target of the link " + QuotePath(path) + " is empty or contains a NUL byte"};
  }
  return AtParent(path, "make link", [&](const Parent& parent) {
    return symlinkat(target.c_str(), parent.directory, parent.name);
  });
}

Status PosixDirectory::SetMode(const std::string& path, uint32_t mode) {
  return AtParent(path, "set the mode of", [&](const Parent& parent) {
    const int result = fchmodat(parent.directory, parent.name, mode & 07777, AT_SYMLINK_NOFOLLOW);
    // Linux's way to say that it is a symlink.
    if (result != 0 && errno == ENOTSUP) errno = ELOOP;
    return result;
  });
}

Status PosixDirectory::CopyAttributes(const std::string& from, Directory& to_directory,
                                      const std::string& to, CopyMetadata what) {
  auto* target = dynamic_cast<PosixDirectory*>(&to_directory);
  if (target == nullptr) {
    return {ErrorCode::kInvalidArgument,
            "both directories must come from the same environment; open the target with it"};
  }
  STAGED_ASSIGN_OR_RETURN(const Descriptor source,
                          Open(from, O_RDONLY | kHarmless, 0, "read the attributes of"));
  STAGED_ASSIGN_OR_RETURN(const Descriptor copy,
                          target->Open(to, O_RDONLY | kHarmless, 0, "set the attributes of"));
  if (posix::CopyAttributes(source.get(), copy.get(), what) != 0) {
    return ErrorStatus(errno, "set the attributes of", to);
  }
  return OkStatus();
}

Status PosixDirectory::Rename(const std::string& from, Directory& to_directory,
                              const std::string& to) {
  return AtParents(from, to_directory, to, "rename",
                   [](const Parent& from_parent, const Parent& to_parent) {
                     return Retry([&] {
                       return renameat(from_parent.directory, from_parent.name, to_parent.directory,
                                       to_parent.name);
                     });
                   });
}

Status PosixDirectory::RenameNew(const std::string& from, Directory& to_directory,
                                 const std::string& to) {
  return AtParents(from, to_directory, to, "rename",
                   [this](const Parent& from_parent, const Parent& to_parent) {
                     return RenameWithoutReplacing(from_parent, to_parent, options_);
                   });
}

Status PosixDirectory::Exchange(const std::string& from, Directory& to_directory,
                                const std::string& to) {
  return AtParents(from, to_directory, to, "exchange",
                   [this](const Parent& from_parent, const Parent& to_parent) {
                     return RenameExchanging(from_parent, to_parent, options_);
                   });
}

Status PosixDirectory::Clone(const std::string& from, Directory& to_directory,
                             const std::string& to, uint32_t mode) {
  auto* target = dynamic_cast<PosixDirectory*>(&to_directory);
  if (target == nullptr) {
    return {ErrorCode::kInvalidArgument,
            "both directories must come from the same environment; open the target with it"};
  }
  struct stat status;
  STAGED_ASSIGN_OR_RETURN(const Descriptor source, OpenRegular(from, O_RDONLY, &status));
  STAGED_ASSIGN_OR_RETURN(
      const Descriptor copy,
      target->Open(to, O_RDWR | O_CREAT | O_EXCL | O_NOCTTY, mode & 07777, "create"));
  if (CopyBytes(source.get(), copy.get(), options_) == 0) return OkStatus();
  Status status_of_copy = ErrorStatus(errno, "copy to", to);
  // The error that matters is the copy's; what remains of it is only clutter.
  (void)target->RemoveFile(to);
  return status_of_copy;
}

Status PosixDirectory::SyncDirectory(const std::string& path) {
  STAGED_ASSIGN_OR_RETURN(const Descriptor descriptor, OpenSubdirectory(path, O_RDONLY, "sync"));
  if (Retry([&] { return fsync(descriptor.get()); }) == 0) return OkStatus();
  // A file system that has no such operation (some of FUSE's) keeps names without being asked.
  if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return OkStatus();
  return ErrorStatus(errno, "sync", path.empty() ? path_ : path);
}

Result<std::unique_ptr<FileLock>> PosixDirectory::Lock(const std::string& path, LockWait wait) {
  STAGED_RETURN_IF_ERROR(CheckRelativePath(path, EmptyPath::kRefused));
  return LockFile(root_.get(), path, wait, options_);
}

Result<bool> PosixDirectory::HasWriter(const std::string& path) {
  struct stat status;
  STAGED_ASSIGN_OR_RETURN(const Descriptor descriptor, OpenRegular(path, O_RDONLY, &status));
  return posix::HasWriter(descriptor.get());
}

Result<std::unique_ptr<Directory>> PosixDirectory::OpenDirectory(const std::string& path) {
  STAGED_ASSIGN_OR_RETURN(Descriptor descriptor, OpenSubdirectory(path, kDirectoryFlags, "open"));
  return NewDirectory(std::move(descriptor), path.empty() ? path_ : path_ + "/" + path, options_);
}

}  // namespace

std::unique_ptr<Directory> NewDirectory(Descriptor descriptor, std::string path,
                                        const PosixEnvOptions& options) {
  return std::make_unique<PosixDirectory>(std::move(descriptor), std::move(path), options);
}

Result<std::vector<DirectoryItem>> ListItems(Descriptor descriptor, const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(descriptor.get()), closedir);
  if (stream == nullptr) return ErrorStatus(errno, "list", path);
  const int directory = descriptor.Release();  // the stream's now
  std::vector<DirectoryItem> items;
  while (true) {
    errno = 0;
    const struct dirent* entry = readdir(stream.get());
    if (entry == nullptr) {
      if (errno == EINTR) continue;
      if (errno != 0) return ErrorStatus(errno, "list", path);
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    FileKind kind = FileKind::kOther;
    if (entry->d_type == DT_UNKNOWN) {
      struct stat status;
      // Removed since: as if it had been before.
      if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      kind = ToFileKind(status.st_mode);
    } else if (entry->d_type == DT_REG) {
      kind = FileKind::kFile;
    } else if (entry->d_type == DT_DIR) {
      kind = FileKind::kDirectory;
    } else if (entry->d_type == DT_LNK) {
      kind = FileKind::kSymlink;
    }
    items.push_back({std::string(name), kind});
  }
  std::sort(items.begin(), items.end(), [](const DirectoryItem& left, const DirectoryItem& right) {
    return left.name < right.name;
  });
  return items;
}

}  // namespace staged::posix
