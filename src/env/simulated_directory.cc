#include <utility>

#include "env/path.h"
#include "env/simulated_machine.h"

namespace staged::simulated {
namespace {

constexpr uint32_t kUmask = 022;
constexpr uint32_t kOwnerRead = 0400;
constexpr uint32_t kOwnerWrite = 0200;
constexpr uint32_t kOwnerSearch = 0100;
constexpr size_t kNameBytesMax = 255;

// Where a path's last component lives; `node` is kNoNode if there is none of that name.
struct Place {
  NodeId directory = kNoNode;
  std::string name;
  NodeId node = kNoNode;
};

class SimulatedLock : public FileLock {
 public:
  SimulatedLock(std::shared_ptr<Machine> machine, NodeId id, uint64_t token)
      : machine_(std::move(machine)), id_(id), token_(token) {}
  ~SimulatedLock() override {
    const std::lock_guard<std::mutex> guard(machine_->mutex);
    const auto held = machine_->locks.find(id_);
    // Another's by now, if this holder's process died.
    if (held == machine_->locks.end() || held->second.token != token_) return;
    machine_->locks.erase(held);
    machine_->lock_released.notify_all();
  }

 private:
  const std::shared_ptr<Machine> machine_;
  const NodeId id_;
  const uint64_t token_;
};

class SimulatedDirectory : public Directory {
 public:
  SimulatedDirectory(std::shared_ptr<Machine> machine, const Caller& caller, NodeId id,
                     std::string path)
      : machine_(std::move(machine)), caller_(caller), id_(id), path_(std::move(path)) {
    machine_->OpenNode(id_, caller_, false);
  }
  ~SimulatedDirectory() override {
    const std::lock_guard<std::mutex> guard(machine_->mutex);
    machine_->CloseNode(id_, caller_, false);
  }

  Result<FileStatus> Stat(const std::string& path) override;
  Result<std::vector<DirectoryItem>> List(const std::string& path) override;
  Result<std::vector<ListedItem>> ListWithStatus(const std::string& path) override;
  Result<std::unique_ptr<File>> OpenRead(const std::string& path) override {
    return OpenFile(path, false);
  }
  Result<std::unique_ptr<File>> OpenWrite(const std::string& path) override {
    return OpenFile(path, true);
  }
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
  Status Rename(const std::string& from, Directory& to_directory, const std::string& to) override {
    return Move(from, to_directory, to, /*may_replace=*/true);
  }
  Status RenameNew(const std::string& from, Directory& to_directory,
                   const std::string& to) override {
    return Move(from, to_directory, to, /*may_replace=*/false);
  }
  Status Exchange(const std::string& from, Directory& to_directory, const std::string& to) override;
  Status Clone(const std::string& from, Directory& to_directory, const std::string& to,
               uint32_t mode) override;
  Status SyncDirectory(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path, LockWait wait) override;
  Result<bool> HasWriter(const std::string& path) override;
  Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) override;
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  // RunCall on this directory's machine.
  template <typename Body>
  auto Call(CallKind kind, Body body) {
    return RunCall(*machine_, caller_, kind, std::move(body));
  }
  [[nodiscard]] Disk& disk() const { return machine_->disk; }
  // Walks to the path's parent. An empty path gives the directory itself and no name.
  [[nodiscard]] Result<Place> Find(const std::string& path, EmptyPath empty_path,
                                   std::string_view action) const;
  // The same for what must exist.
  [[nodiscard]] Result<Place> FindExisting(const std::string& path, std::string_view action) const;
  // The same for a name that must be free in a directory that may be changed.
  [[nodiscard]] Result<Place> FindFree(const std::string& path, std::string_view action) const;
  [[nodiscard]] Result<NodeId> FindDirectory(const std::string& path,
                                             std::string_view action) const;
  // What must be a regular file with these permission bits.
  [[nodiscard]] Result<NodeId> FindFile(const std::string& path, std::string_view action,
                                        uint32_t permissions) const;
  [[nodiscard]] Status CheckPermission(NodeId id, uint32_t permissions, std::string_view action,
                                       const std::string& path) const;
  [[nodiscard]] Result<SimulatedDirectory*> SameMachine(Directory& directory) const;
  Result<std::unique_ptr<File>> OpenFile(const std::string& path, bool is_writable);
  Status Move(const std::string& from, Directory& to_directory, const std::string& to,
              bool may_replace);
  // Whether what has the name `to` may be replaced by `from`.
  [[nodiscard]] Status CheckReplaceable(const Place& from, const Place& to,
                                        const std::string& to_path) const;
  // A new named node.
  NodeId Add(const Place& place, FileKind kind, uint32_t mode);

  const std::shared_ptr<Machine> machine_;
  const Caller caller_;
  const NodeId id_;
  const std::string path_;
};

Status SimulatedDirectory::CheckPermission(NodeId id, uint32_t permissions, std::string_view action,
                                           const std::string& path) const {
  if ((disk().Get(id).mode & permissions) == permissions) return OkStatus();
  return Failure(ErrorCode::kPermissionDenied, action, path,
                 "permission denied; check its owner and mode");
}

Result<Place> SimulatedDirectory::Find(const std::string& path, EmptyPath empty_path,
                                       std::string_view action) const {
  STAGED_RETURN_IF_ERROR(CheckRelativePath(path, empty_path));
  Place place;
  place.node = id_;
  if (path.empty()) return place;
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const Node& parent = disk().Get(place.node);
    if (parent.kind == FileKind::kSymlink) {
      return Failure(ErrorCode::kPathEscape, action, path,
                     "symlinks are not followed; give the real path");
    }
    if (parent.kind != FileKind::kDirectory) return NotFound(action, path);
    STAGED_RETURN_IF_ERROR(CheckPermission(place.node, kOwnerSearch, action, path));
    place.directory = place.node;
    place.name = path.substr(start, end - start);
    if (place.name.size() > kNameBytesMax) {
      return Failure(ErrorCode::kInvalidArgument, action, path,
                     "the name is longer than 255 bytes; shorten it");
    }
    place.node = disk().Lookup(place.directory, place.name);
    if (place.node == kNoNode && end != path.size()) return NotFound(action, path);
    start = end + 1;
  }
  return place;
}

Result<Place> SimulatedDirectory::FindExisting(const std::string& path,
                                               std::string_view action) const {
  STAGED_ASSIGN_OR_RETURN(Place place, Find(path, EmptyPath::kRefused, action));
  if (place.node == kNoNode) return NotFound(action, path);
  return place;
}

Result<Place> SimulatedDirectory::FindFree(const std::string& path, std::string_view action) const {
  STAGED_ASSIGN_OR_RETURN(Place place, Find(path, EmptyPath::kRefused, action));
  if (place.node != kNoNode) {
    return Failure(ErrorCode::kConflict, action, path,
                   "it exists; remove it first or choose another name");
  }
  if (disk().Get(place.directory).is_removed) return NotFound(action, path);
  STAGED_RETURN_IF_ERROR(CheckPermission(place.directory, kOwnerWrite, action, path));
  return place;
}

Result<NodeId> SimulatedDirectory::FindDirectory(const std::string& path,
                                                 std::string_view action) const {
  STAGED_ASSIGN_OR_RETURN(const Place place, Find(path, EmptyPath::kMeansDirectoryItself, action));
  if (place.node == kNoNode) return NotFound(action, path);
  const FileKind kind = disk().Get(place.node).kind;
  if (kind == FileKind::kSymlink) {
    return Failure(ErrorCode::kPathEscape, action, path,
                   "symlinks are not followed; give the real path");
  }
  if (kind != FileKind::kDirectory) return NotFound(action, path);
  return place.node;
}

Result<NodeId> SimulatedDirectory::FindFile(const std::string& path, std::string_view action,
                                            uint32_t permissions) const {
  STAGED_ASSIGN_OR_RETURN(const Place place, FindExisting(path, action));
  const FileKind kind = disk().Get(place.node).kind;
  if (kind == FileKind::kSymlink) {
    return Failure(ErrorCode::kPathEscape, action, path,
                   "symlinks are not followed; give the real path");
  }
  if (kind != FileKind::kFile) {
    return Failure(ErrorCode::kInvalidArgument, action, path, "it is not a regular file; name one");
  }
  STAGED_RETURN_IF_ERROR(CheckPermission(place.node, permissions, action, path));
  return place.node;
}

Result<SimulatedDirectory*> SimulatedDirectory::SameMachine(Directory& directory) const {
  auto* simulated = dynamic_cast<SimulatedDirectory*>(&directory);
  if (simulated == nullptr || simulated->machine_ != machine_) {
    return Status(ErrorCode::kInvalidArgument,
                  "both directories must come from the same environment; open the target with it");
  }
  return simulated;
}

NodeId SimulatedDirectory::Add(const Place& place, FileKind kind, uint32_t mode) {
  machine_->CollectSometimes();
  const int64_t now_ns = machine_->FileTimeNs();
  const NodeId id = disk().NewNode(kind, mode & 07777 & ~kUmask, now_ns);
  disk().ChangeNames({{place.directory, place.name, id}}, now_ns);
  return id;
}

Result<FileStatus> SimulatedDirectory::Stat(const std::string& path) {
  return Call(CallKind::kRead, [&]() -> Result<FileStatus> {
    STAGED_ASSIGN_OR_RETURN(const Place place,
                            Find(path, EmptyPath::kMeansDirectoryItself, "stat"));
    if (place.node == kNoNode) return NotFound("stat", path);
    return ToFileStatus(disk(), place.node);
  });
}

Result<std::vector<DirectoryItem>> SimulatedDirectory::List(const std::string& path) {
  return Call(CallKind::kRead, [&]() -> Result<std::vector<DirectoryItem>> {
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindDirectory(path, "list"));
    STAGED_RETURN_IF_ERROR(CheckPermission(id, kOwnerRead, "list", path));
    std::vector<DirectoryItem> items;
    for (const auto& [name, child] : disk().Get(id).names) {
      items.push_back({name, disk().Get(child).kind});
    }
    return items;
  });
}

Result<std::vector<ListedItem>> SimulatedDirectory::ListWithStatus(const std::string& path) {
  return Call(CallKind::kRead, [&]() -> Result<std::vector<ListedItem>> {
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindDirectory(path, "list"));
    STAGED_RETURN_IF_ERROR(CheckPermission(id, kOwnerRead | kOwnerSearch, "list", path));
    std::vector<ListedItem> items;
    for (const auto& [name, child] : disk().Get(id).names) {
      items.push_back({name, ToFileStatus(disk(), child)});
    }
    return items;
  });
}

Result<std::unique_ptr<File>> SimulatedDirectory::OpenFile(const std::string& path,
                                                           bool is_writable) {
  return Call(CallKind::kRead, [&]() -> Result<std::unique_ptr<File>> {
    const uint32_t permissions = is_writable ? kOwnerRead | kOwnerWrite : kOwnerRead;
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindFile(path, "open", permissions));
    return NewFile(machine_, caller_, id, is_writable, path);
  });
}

Result<std::unique_ptr<File>> SimulatedDirectory::Create(const std::string& path, uint32_t mode) {
  return Call(CallKind::kAllocate, [&]() -> Result<std::unique_ptr<File>> {
    STAGED_ASSIGN_OR_RETURN(const Place place, FindFree(path, "create"));
    return NewFile(machine_, caller_, Add(place, FileKind::kFile, mode), true, path);
  });
}

Result<std::string> SimulatedDirectory::ReadFile(const std::string& path, uint64_t size_bytes_max) {
  return Call(CallKind::kRead, [&]() -> Result<std::string> {
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindFile(path, "open", kOwnerRead));
    const Content& content = disk().Get(id).content;
    if (content.size_bytes() > size_bytes_max) {
      return Status(ErrorCode::kLimitExceeded, QuotePath(path) + " is larger than " +
                                                   std::to_string(size_bytes_max) +
                                                   " bytes; raise the limit or leave it out");
    }
    return content.Read(0, content.size_bytes());
  });
}

Status SimulatedDirectory::MakeDirectory(const std::string& path, uint32_t mode) {
  return Call(CallKind::kAllocate, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const Place place, FindFree(path, "make directory"));
    Add(place, FileKind::kDirectory, mode);
    return OkStatus();
  });
}

Status SimulatedDirectory::RemoveDirectory(const std::string& path) {
  return Call(CallKind::kChange, [&]() -> Status {
    constexpr std::string_view kAction = "remove directory";
    STAGED_ASSIGN_OR_RETURN(const Place place, FindExisting(path, kAction));
    const Node& node = disk().Get(place.node);
    if (node.kind != FileKind::kDirectory) return NotFound(kAction, path);
    STAGED_RETURN_IF_ERROR(CheckPermission(place.directory, kOwnerWrite, kAction, path));
    if (!node.names.empty()) {
      return Failure(ErrorCode::kConflict, kAction, path,
                     "it is not empty; remove its items first");
    }
    disk().ChangeNames({{place.directory, place.name, kNoNode}}, machine_->FileTimeNs());
    return OkStatus();
  });
}

Status SimulatedDirectory::RemoveFile(const std::string& path) {
  return Call(CallKind::kChange, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const Place place, FindExisting(path, "remove"));
    if (disk().Get(place.node).kind == FileKind::kDirectory) {
      return Failure(ErrorCode::kInvalidArgument, "remove", path,
                     "it is a directory; remove it as one");
    }
    STAGED_RETURN_IF_ERROR(CheckPermission(place.directory, kOwnerWrite, "remove", path));
    disk().ChangeNames({{place.directory, place.name, kNoNode}}, machine_->FileTimeNs());
    return OkStatus();
  });
}

Result<std::string> SimulatedDirectory::ReadLink(const std::string& path) {
  return Call(CallKind::kRead, [&]() -> Result<std::string> {
    STAGED_ASSIGN_OR_RETURN(const Place place, FindExisting(path, "read link"));
    const Node& node = disk().Get(place.node);
    if (node.kind != FileKind::kSymlink) {
      return Failure(ErrorCode::kInvalidArgument, "read link", path,
                     "it is not a symlink; name one");
    }
    return node.target;
  });
}

Status SimulatedDirectory::MakeSymlink(const std::string& path, const std::string& target) {
  return Call(CallKind::kAllocate, [&]() -> Status {
    if (target.empty() || target.find('\0') != std::string::npos) {
      return Failure(ErrorCode::kInvalidArgument, "make link", path,
                     "the target is empty or contains a NUL byte");
    }
    STAGED_ASSIGN_OR_RETURN(const Place place, FindFree(path, "make link"));
    disk().SetTarget(Add(place, FileKind::kSymlink, 0777 | kUmask), target);
    return OkStatus();
  });
}

Status SimulatedDirectory::SetMode(const std::string& path, uint32_t mode) {
  return Call(CallKind::kChange, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const Place place, FindExisting(path, "set the mode of"));
    if (disk().Get(place.node).kind == FileKind::kSymlink) {
      return Failure(ErrorCode::kPathEscape, "set the mode of", path,
                     "symlinks are not followed; give the real path");
    }
    disk().SetMode(place.node, mode & 07777, machine_->FileTimeNs());
    return OkStatus();
  });
}

// The simulated machine has one user and no extended attributes: the mode is all there is.
Status SimulatedDirectory::CopyAttributes(const std::string& from, Directory& to_directory,
                                          const std::string& to, CopyMetadata) {
  STAGED_ASSIGN_OR_RETURN(SimulatedDirectory* const target, SameMachine(to_directory));
  return Call(CallKind::kChange, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const Place source, FindExisting(from, "read the attributes of"));
    STAGED_ASSIGN_OR_RETURN(const Place copy, target->FindExisting(to, "set the attributes of"));
    for (const auto& [id, path] : {std::pair(source.node, from), std::pair(copy.node, to)}) {
      if (disk().Get(id).kind != FileKind::kSymlink) continue;
      return Failure(ErrorCode::kPathEscape, "copy the attributes of", path,
                     "symlinks are not followed; give the real path");
    }
    STAGED_RETURN_IF_ERROR(
        CheckPermission(source.node, kOwnerRead, "read the attributes of", from));
    disk().SetMode(copy.node, disk().Get(source.node).mode, machine_->FileTimeNs());
    return OkStatus();
  });
}

Status SimulatedDirectory::CheckReplaceable(const Place& from, const Place& to,
                                            const std::string& to_path) const {
  const Node& displaced = disk().Get(to.node);
  const bool is_directory = displaced.kind == FileKind::kDirectory;
  if (is_directory != (disk().Get(from.node).kind == FileKind::kDirectory)) {
    return Failure(ErrorCode::kConflict, "rename to", to_path,
                   "one is a directory, the other is not; remove one first");
  }
  if (is_directory && !displaced.names.empty()) {
    return Failure(ErrorCode::kConflict, "rename to", to_path,
                   "it is not empty; remove its items first");
  }
  return OkStatus();
}

Status SimulatedDirectory::Move(const std::string& from, Directory& to_directory,
                                const std::string& to, bool may_replace) {
  STAGED_ASSIGN_OR_RETURN(SimulatedDirectory* const target, SameMachine(to_directory));
  return Call(CallKind::kChange, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const Place source, FindExisting(from, "rename"));
    STAGED_ASSIGN_OR_RETURN(const Place place,
                            may_replace ? target->Find(to, EmptyPath::kRefused, "rename to")
                                        : target->FindFree(to, "rename to"));
    STAGED_RETURN_IF_ERROR(CheckPermission(source.directory, kOwnerWrite, "rename", from));
    STAGED_RETURN_IF_ERROR(CheckPermission(place.directory, kOwnerWrite, "rename to", to));
    if (place.node == source.node) return OkStatus();
    if (disk().Get(place.directory).is_removed) return NotFound("rename to", to);
    if (disk().IsAncestor(source.node, place.directory)) {
      return Failure(ErrorCode::kInvalidArgument, "rename", from,
                     "it would be moved into itself; choose another target");
    }
    if (place.node != kNoNode) STAGED_RETURN_IF_ERROR(CheckReplaceable(source, place, to));
    disk().ChangeNames(
        {{source.directory, source.name, kNoNode}, {place.directory, place.name, source.node}},
        machine_->FileTimeNs());
    return OkStatus();
  });
}

Status SimulatedDirectory::Exchange(const std::string& from, Directory& to_directory,
                                    const std::string& to) {
  STAGED_ASSIGN_OR_RETURN(SimulatedDirectory* const target, SameMachine(to_directory));
  return Call(CallKind::kChange, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const Place first, FindExisting(from, "exchange"));
    STAGED_ASSIGN_OR_RETURN(const Place second, target->FindExisting(to, "exchange"));
    STAGED_RETURN_IF_ERROR(CheckPermission(first.directory, kOwnerWrite, "exchange", from));
    STAGED_RETURN_IF_ERROR(CheckPermission(second.directory, kOwnerWrite, "exchange", to));
    if (first.node == second.node) return OkStatus();
    if (disk().IsAncestor(first.node, second.directory) ||
        disk().IsAncestor(second.node, first.directory)) {
      return Failure(ErrorCode::kInvalidArgument, "exchange", from,
                     "one is inside the other; choose another target");
    }
    disk().ChangeNames(
        {{first.directory, first.name, second.node}, {second.directory, second.name, first.node}},
        machine_->FileTimeNs());
    return OkStatus();
  });
}

Status SimulatedDirectory::Clone(const std::string& from, Directory& to_directory,
                                 const std::string& to, uint32_t mode) {
  STAGED_ASSIGN_OR_RETURN(SimulatedDirectory* const target, SameMachine(to_directory));
  return Call(CallKind::kAllocate, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const NodeId source, FindFile(from, "open", kOwnerRead));
    STAGED_ASSIGN_OR_RETURN(const Place place, target->FindFree(to, "create"));
    const NodeId copy = Add(place, FileKind::kFile, mode);
    disk().CopyContent(source, copy, machine_->FileTimeNs());
    return OkStatus();
  });
}

Status SimulatedDirectory::SyncDirectory(const std::string& path) {
  return Call(CallKind::kSync, [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindDirectory(path, "sync"));
    disk().SyncDirectory(id);
    return OkStatus();
  });
}

Result<std::unique_ptr<FileLock>> SimulatedDirectory::Lock(const std::string& path, LockWait wait) {
  // Nothing in a simulation takes that long: whoever waits longer waits for itself.
  constexpr std::chrono::seconds kDeadlockTimeout(20);
  std::unique_lock<std::mutex> guard(machine_->mutex);
  const Machine::Verdict verdict = machine_->BeginCall(caller_, CallKind::kChange);
  if (!verdict.status.ok()) {
    machine_->EndCall(caller_, verdict);
    return verdict.status;
  }
  while (true) {
    STAGED_ASSIGN_OR_RETURN(Place place, Find(path, EmptyPath::kRefused, "lock"));
    if (place.node == kNoNode) {
      STAGED_ASSIGN_OR_RETURN(place, FindFree(path, "lock"));
      place.node = Add(place, FileKind::kFile, 0666);
    }
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindFile(path, "lock", kOwnerRead | kOwnerWrite));
    if (!machine_->locks.contains(id)) {
      const uint64_t token = machine_->next_token++;
      machine_->locks[id] = {caller_.process, token};
      return std::unique_ptr<FileLock>(std::make_unique<SimulatedLock>(machine_, id, token));
    }
    if (wait == LockWait::kDoNotWait ||
        machine_->lock_released.wait_for(guard, kDeadlockTimeout) == std::cv_status::timeout) {
      return Failure(ErrorCode::kBusy, "lock", path, "another holder has it; try again later");
    }
    if (!machine_->IsCurrent(caller_)) {
      return Status(ErrorCode::kIoError, "the simulated process has ended; open it again");
    }
  }
}

Result<bool> SimulatedDirectory::HasWriter(const std::string& path) {
  return Call(CallKind::kRead, [&]() -> Result<bool> {
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindFile(path, "open", kOwnerRead));
    return machine_->HasWriter(id);
  });
}

Result<std::unique_ptr<Directory>> SimulatedDirectory::OpenDirectory(const std::string& path) {
  return Call(CallKind::kRead, [&]() -> Result<std::unique_ptr<Directory>> {
    STAGED_ASSIGN_OR_RETURN(const NodeId id, FindDirectory(path, "open"));
    return NewDirectory(machine_, caller_, id, path.empty() ? path_ : path_ + "/" + path);
  });
}

}  // namespace

std::unique_ptr<Directory> NewDirectory(std::shared_ptr<Machine> machine, const Caller& caller,
                                        NodeId id, std::string path) {
  return std::make_unique<SimulatedDirectory>(std::move(machine), caller, id, std::move(path));
}

}  // namespace staged::simulated
