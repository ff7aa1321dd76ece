#include "workspace/publication.h"

#include <algorithm>
#include <utility>

#include "base/ignore_missing.h"
#include "workspace/displaced_files.h"

namespace staged {
namespace {

constexpr std::string_view kPublishPrefix = "publish-";
constexpr std::string_view kLockSuffix = ".lock";
constexpr std::string_view kMarkSuffix = "-prepared";
constexpr std::string_view kUnfinishedSuffix = ".new";

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string LockOf(const std::string& owner) {
  return std::string(kPublishPrefix) + owner + std::string(kLockSuffix);
}

std::string MarkOf(const std::string& owner) {
  return std::string(kPublishPrefix) + owner + std::string(kMarkSuffix);
}

uint32_t ModeOf(EntryKind kind) { return kind == EntryKind::kExecutable ? 0755 : 0644; }

// The permission bits of a published file: those it had, with execution as the entry says.
uint32_t AdjustMode(uint32_t mode, EntryKind kind) {
  if (kind != EntryKind::kExecutable) return mode & ~uint32_t{0111};
  return mode | ((mode & 0444) >> 2) | 0100;
}

// Removes a folder with nothing but folders in it. False when something else remains.
bool RemoveEmptyFolders(Directory& directory, const std::string& path) {
  const auto status = directory.Stat(path);
  if (!status.ok() || status->kind != FileKind::kDirectory) return true;
  const auto items = directory.List(path);
  if (!items.ok()) return false;
  for (const DirectoryItem& item : *items) {
    if (item.kind != FileKind::kDirectory) return false;
    if (!RemoveEmptyFolders(directory, path + "/" + item.name)) return false;
  }
  return directory.RemoveDirectory(path).ok();
}

// A directory that is gone, or has become a symlink or a file, holds nothing of ours to sync.
Status IgnoreNoDirectory(const Status& status) {
  return status.code() == ErrorCode::kPathEscape ? OkStatus() : IgnoreMissing(status);
}

}  // namespace

bool FolderMemory::Knows(const std::string& folder, const FileStatus& status) {
  const std::lock_guard lock(mutex_);
  const auto found = durable_.find(folder);
  return found != durable_.end() && found->second == Identity{status.device, status.inode};
}

void FolderMemory::Remember(const std::string& folder, const FileStatus& status) {
  const std::lock_guard lock(mutex_);
  durable_[folder] = {status.device, status.inode};
}

void FolderMemory::Forget(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  durable_.erase(folder);
}

SparePublications::~SparePublications() {
  // What cannot be removed now is a dead publisher's for the next opening.
  for (const Spare& spare : spares_) {
    (void)temporary_.RemoveFile(MarkOf(spare.owner)).ok();
    (void)temporary_.RemoveFile(LockOf(spare.owner)).ok();
  }
}

std::optional<SparePublications::Spare> SparePublications::Take() {
  const std::lock_guard lock(mutex_);
  if (spares_.empty()) return std::nullopt;
  Spare spare = std::move(spares_.back());
  spares_.pop_back();
  return spare;
}

bool SparePublications::Give(Spare& spare) {
  constexpr size_t kSparesMax = 4;
  const std::lock_guard lock(mutex_);
  if (spares_.size() >= kSparesMax) return false;
  spares_.push_back(std::move(spare));
  return true;
}

Publisher::Publisher(Env& env, Directory& root, Directory& temporary, ObjectStore& store,
                     FolderMemory& folders, SparePublications& spares)
    : env_(env),
      root_(root),
      temporary_(temporary),
      store_(store),
      folders_(folders),
      spares_(spares) {}

Publisher::~Publisher() {
  if (!spare_mark_.empty()) (void)temporary_.RemoveFile(spare_mark_).ok();
}

std::string Publisher::Name(size_t number) const {
  return std::string(kPublishPrefix) + owner_ + "-" + std::to_string(number);
}

bool Publisher::BeginWithSpare() {
  std::optional<SparePublications::Spare> spare = spares_.Take();
  if (!spare) return false;
  owner_ = RandomName(env_);
  // The lock goes with its file. The mark stays what it was, of a publication that is over, until
  // everything is prepared.
  if (!temporary_.RenameNew(LockOf(spare->owner), temporary_, LockOf(owner_)).ok()) return false;
  spare_mark_ = MarkOf(spare->owner);
  lock_ = std::move(spare->lock);
  is_own_ = true;
  return true;
}

Status Publisher::Begin() {
  if (BeginWithSpare()) return OkStatus();
  // Somebody who clears up after the dead may hold a lock for the instant in which it is new: then
  // another name will do.
  constexpr int kAttempts = 16;
  Status locked;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    owner_ = RandomName(env_);
    auto lock = temporary_.Lock(LockOf(owner_), LockWait::kDoNotWait);
    if (lock.ok()) {
      lock_ = *std::move(lock);
      is_own_ = true;
      return OkStatus();
    }
    locked = lock.status();
    if (locked.code() != ErrorCode::kBusy) break;
  }
  return locked;
}

Status Publisher::TakeOver(const std::string& owner) {
  owner_ = owner;
  STAGED_ASSIGN_OR_RETURN(lock_, temporary_.Lock(LockOf(owner_), LockWait::kDoNotWait));
  const Result<FileStatus> mark = temporary_.Stat(MarkOf(owner_));
  is_prepared_ = mark.ok();
  return mark.ok() ? OkStatus() : IgnoreMissing(mark.status());
}

Status Publisher::RemoveOwn() {
  const std::string prefix = std::string(kPublishPrefix) + owner_ + "-";
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, temporary_.List(""));
  for (const DirectoryItem& item : items) {
    if (!item.name.starts_with(prefix)) continue;
    STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(item.name)));
  }
  return OkStatus();
}

Status Publisher::TakeOnAttributes(const std::string& unfinished, size_t number,
                                   const PathChange& change) {
  if (!change.base || change.base->kind == EntryKind::kSymlink) return OkStatus();
  const Result<FileStatus> live = root_.Stat(change.path);
  if (!live.ok() || live->kind != FileKind::kFile) return OkStatus();  // a save came first
  const Status copied =
      root_.CopyAttributes(change.path, temporary_, unfinished, CopyMetadata::kAll);
  if (!copied.ok()) return IgnoreMissing(copied);
  STAGED_ASSIGN_OR_RETURN(const FileStatus status, temporary_.Stat(unfinished));
  const uint32_t mode = AdjustMode(status.mode, change.result->kind);
  if (mode != status.mode) STAGED_RETURN_IF_ERROR(temporary_.SetMode(unfinished, mode));
  attributes_of_[number] = *live;
  return OkStatus();
}

Status Publisher::WriteNew(size_t number, const PathChange& change) {
  // Under another name until it is whole, with its mode: what bears the name is ours whole, or was
  // displaced.
  const std::string name = Name(number);
  const std::string unfinished = name + std::string(kUnfinishedSuffix);
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(unfinished)));
  STAGED_ASSIGN_OR_RETURN(const std::string bytes, store_.Get(change.result->hash));
  if (change.result->kind == EntryKind::kSymlink) {
    STAGED_RETURN_IF_ERROR(temporary_.MakeSymlink(unfinished, bytes));
  } else {
    STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                            temporary_.Create(unfinished, ModeOf(change.result->kind)));
    STAGED_RETURN_IF_ERROR(file->WriteAt(0, bytes));
    STAGED_RETURN_IF_ERROR(TakeOnAttributes(unfinished, number, change));
    STAGED_RETURN_IF_ERROR(file->Sync());
  }
  return temporary_.RenameNew(unfinished, temporary_, name);
}

Status Publisher::Prepare(const std::vector<PathChange>& changes) {
  const bool is_new = is_own_ && !is_prepared_;
  attributes_of_.clear();
  if (!is_new) STAGED_RETURN_IF_ERROR(RemoveOwn());
  for (size_t number = 0; number < changes.size(); ++number) {
    const PathChange& change = changes[number];
    if (change.base) STAGED_RETURN_IF_ERROR(KeepBase(change));
    if (change.result) STAGED_RETURN_IF_ERROR(WriteNew(number, change));
  }
  // The mark comes after all names and before any is moved into the live folder, so that after a
  // power loss it is there whenever anything was published.
  STAGED_RETURN_IF_ERROR(MakeMark());
  is_prepared_ = true;
  is_own_ = true;
  published_.clear();
  taken_back_.clear();
  displaced_.clear();
  return OkStatus();
}

Status Publisher::MakeMark() {
  const std::string spare = std::exchange(spare_mark_, {});
  if (!spare.empty() && temporary_.RenameNew(spare, temporary_, MarkOf(owner_)).ok()) {
    return OkStatus();
  }
  return temporary_.Create(MarkOf(owner_), 0600).status();
}

Status Publisher::KeepBase(const PathChange& change) {
  if (store_.Get(change.base->hash).ok()) return OkStatus();
  // Damaged or gone from the store: the live file is the last copy, and is about to be displaced.
  const Result<std::string> live = ReadEntry(root_, change.path);
  if (!live.ok() || ContentHash::Of(*live) != change.base->hash) return OkStatus();
  return store_.Put(*live, {}).status();
}

Status Publisher::MakeParents(const std::string& path) {
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    const Status made = root_.MakeDirectory(folder, 0755);
    if (made.ok()) folders_.Forget(folder);
    if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
  }
  return OkStatus();
}

void Publisher::RemoveEmptyParents(const std::string& path) {
  for (std::string folder = ParentOf(path); !folder.empty(); folder = ParentOf(folder)) {
    if (!root_.RemoveDirectory(folder).ok()) return;
    folders_.Forget(folder);
    touched_.erase(folder);
    touched_.insert(ParentOf(folder));
  }
}

Status Publisher::SyncWay(const std::string& path) {
  for (std::string folder = ParentOf(path); !folder.empty(); folder = ParentOf(folder)) {
    const Result<FileStatus> status = root_.Stat(folder);
    if (status.status().code() == ErrorCode::kNotFound) continue;
    STAGED_RETURN_IF_ERROR(status.status());
    if (status->kind != FileKind::kDirectory || folders_.Knows(folder, *status)) continue;
    STAGED_RETURN_IF_ERROR(IgnoreNoDirectory(root_.SyncDirectory(ParentOf(folder))));
    folders_.Remember(folder, *status);
  }
  return OkStatus();
}

Result<bool> Publisher::WasPublished(size_t number, const PathChange& change) {
  if (!is_prepared_) return false;
  if (is_own_) return published_.contains(number);
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry here, EntryAt(temporary_, Name(number)));
  if (here && here == change.result) return false;  // its turn had not come, or it was taken back
  return change.base ? here.has_value() : !here.has_value();
}

Result<bool> Publisher::Publish(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  STAGED_ASSIGN_OR_RETURN(const bool was_published, WasPublished(number, change));
  if (was_published) {
    if (change.result) STAGED_RETURN_IF_ERROR(SyncWay(change.path));
    touched_.insert(ParentOf(change.path));
    return true;
  }
  // Folders are not tracked: empty ones make room for a file, others are in its way.
  if (change.result && !RemoveEmptyFolders(root_, change.path)) return false;
  // Somebody has put a folder or a device there.
  const Result<FileStatus> there = root_.Stat(change.path);
  if (there.ok() && there->kind != FileKind::kFile && there->kind != FileKind::kSymlink) {
    return false;
  }
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry on_disk, EntryAt(root_, change.path));
  if (on_disk == change.result) {
    if (change.result) STAGED_RETURN_IF_ERROR(SyncWay(change.path));
    touched_.insert(ParentOf(change.path));
    return true;
  }
  if (on_disk != change.base) return false;
  if (!is_own_) {
    // Prepared by another process: only whole new bytes ever get a name in the live folder.
    STAGED_ASSIGN_OR_RETURN(const OptionalEntry prepared, EntryAt(temporary_, name));
    if (prepared != change.result) {
      STAGED_RETURN_IF_ERROR(SetAside(number, change));
      if (change.result) STAGED_RETURN_IF_ERROR(WriteNew(number, change));
    }
  }
  if (!change.result) return PublishRemoval(number, change);
  return change.base ? PublishReplacement(number, change) : PublishCreation(number, change);
}

Result<bool> Publisher::IsComplete(const std::vector<PathChange>& changes) {
  for (size_t number = 0; number < changes.size(); ++number) {
    const PathChange& change = changes[number];
    STAGED_ASSIGN_OR_RETURN(const bool was_published, WasPublished(number, change));
    if (was_published) continue;
    // A folder of that name is no file.
    const Result<FileStatus> status = root_.Stat(change.path);
    const bool is_directory = status.ok() && status->kind == FileKind::kDirectory;
    OptionalEntry on_disk;
    if (!is_directory) {
      STAGED_ASSIGN_OR_RETURN(on_disk, EntryAt(root_, change.path));
    }
    if (on_disk != change.result) return false;
  }
  return true;
}

Result<bool> Publisher::PublishReplacement(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  STAGED_RETURN_IF_ERROR(SyncWay(change.path));
  // Owner, mode and the like are those that the live file has now.
  const Result<FileStatus> live = root_.Stat(change.path);
  const auto seen = attributes_of_.find(number);
  const bool has_attributes = change.result->kind == EntryKind::kSymlink ||
                              change.base->kind == EntryKind::kSymlink ||
                              (seen != attributes_of_.end() && live.ok() && seen->second == *live);
  if (!has_attributes) {
    // Without the file the path counts as not published, which it is.
    STAGED_RETURN_IF_ERROR(temporary_.RemoveFile(name));
    STAGED_RETURN_IF_ERROR(WriteNew(number, change));
  }
  const Status exchanged = temporary_.Exchange(name, root_, change.path);
  if (exchanged.code() == ErrorCode::kNotFound) return false;  // removed just now
  STAGED_RETURN_IF_ERROR(exchanged);
  published_.insert(number);
  displaced_.insert(number);
  touched_.insert(
      ParentOf(change.path));  // also where it is undone: a power loss must not keep half
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry displaced, EntryAt(temporary_, name));
  if (displaced != change.base) {
    STAGED_RETURN_IF_ERROR(temporary_.Exchange(name, root_, change.path));
    published_.erase(number);
    return false;
  }
  return true;
}

Result<bool> Publisher::PublishCreation(size_t number, const PathChange& change) {
  STAGED_RETURN_IF_ERROR(MakeParents(change.path));
  // First the way to it: a power loss must not take the file with a folder's name, and leave it
  // gone from both places.
  STAGED_RETURN_IF_ERROR(SyncWay(change.path));
  const Status renamed = temporary_.RenameNew(Name(number), root_, change.path);
  // Something has the name, or that of one of its folders.
  if (renamed.code() == ErrorCode::kConflict || renamed.code() == ErrorCode::kNotFound ||
      renamed.code() == ErrorCode::kPathEscape) {
    return false;
  }
  STAGED_RETURN_IF_ERROR(renamed);
  published_.insert(number);
  touched_.insert(ParentOf(change.path));
  return true;
}

Result<bool> Publisher::PublishRemoval(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  const Status renamed = root_.RenameNew(change.path, temporary_, name);
  if (renamed.code() == ErrorCode::kNotFound) return true;
  STAGED_RETURN_IF_ERROR(renamed);
  published_.insert(number);
  displaced_.insert(number);
  touched_.insert(ParentOf(change.path));
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry displaced, EntryAt(temporary_, name));
  if (displaced != change.base) {
    // Where somebody has taken the name meanwhile, the moved file stays to be set aside.
    const Status back = temporary_.RenameNew(name, root_, change.path);
    if (back.ok()) published_.erase(number);
    return false;
  }
  RemoveEmptyParents(change.path);
  return true;
}

Status Publisher::TakeBack(size_t number, const PathChange& change) {
  STAGED_ASSIGN_OR_RETURN(const bool was_published, WasPublished(number, change));
  if (!was_published) return OkStatus();
  // Something else was put there since: it stays.
  const Result<FileStatus> status = root_.Stat(change.path);
  const bool is_directory = status.ok() && status->kind == FileKind::kDirectory;
  if (is_directory) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry on_disk, EntryAt(root_, change.path));
  if (on_disk != change.result) return OkStatus();
  if (!change.result) return TakeBackRemoval(number, change);
  return change.base ? TakeBackReplacement(number, change) : TakeBackCreation(number, change);
}

Status Publisher::TakeBackReplacement(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  // Whatever was displaced goes back as it is, also where it is not the base: then it is a
  // person's.
  const Status exchanged = temporary_.Exchange(name, root_, change.path);
  if (exchanged.code() == ErrorCode::kNotFound) return OkStatus();  // removed just now
  STAGED_RETURN_IF_ERROR(exchanged);
  touched_.insert(ParentOf(change.path));
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry taken, EntryAt(temporary_, name));
  if (taken != change.result) return temporary_.Exchange(name, root_, change.path);
  published_.erase(number);
  taken_back_.insert(number);
  displaced_.insert(number);
  return OkStatus();
}

Status Publisher::TakeBackCreation(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  const Status renamed = root_.RenameNew(change.path, temporary_, name);
  if (renamed.code() == ErrorCode::kNotFound) return OkStatus();
  STAGED_RETURN_IF_ERROR(renamed);
  published_.erase(number);
  taken_back_.insert(number);
  displaced_.insert(number);
  touched_.insert(ParentOf(change.path));
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry taken, EntryAt(temporary_, name));
  if (taken != change.result) {
    // As in a removal.
    (void)temporary_.RenameNew(name, root_, change.path).ok();
    return OkStatus();
  }
  RemoveEmptyParents(change.path);
  return OkStatus();
}

Status Publisher::TakeBackRemoval(size_t number, const PathChange& change) {
  STAGED_RETURN_IF_ERROR(MakeParents(change.path));
  STAGED_RETURN_IF_ERROR(SyncWay(change.path));
  const Status renamed = temporary_.RenameNew(Name(number), root_, change.path);
  if (renamed.code() == ErrorCode::kConflict || renamed.code() == ErrorCode::kPathEscape) {
    return OkStatus();  // somebody has taken the name; what was moved away is set aside
  }
  STAGED_RETURN_IF_ERROR(renamed);
  published_.erase(number);
  touched_.insert(ParentOf(change.path));
  return OkStatus();
}

Status Publisher::SyncTouched() {
  for (const std::string& folder : touched_) {
    STAGED_RETURN_IF_ERROR(IgnoreNoDirectory(root_.SyncDirectory(folder)));
  }
  touched_.clear();
  return OkStatus();
}

Status Publisher::SetAside(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  const Result<FileStatus> status = temporary_.Stat(name);
  if (!status.ok()) return IgnoreMissing(status.status());
  // Asked before the bytes are read: when nobody can write any more, they are final.
  bool has_writer = false;
  if (status->kind == FileKind::kFile) {
    STAGED_ASSIGN_OR_RETURN(has_writer, temporary_.HasWriter(name));
  }
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry here, EntryAt(temporary_, name));
  const bool is_known = here == change.base || here == change.result;
  if (is_known && !has_writer) return IgnoreMissing(temporary_.RemoveFile(name));
  // What its writer saw: the result, where that was shown and taken back, else the base.
  const bool saw_result = !change.base || (taken_back_.contains(number) && change.result);
  return ParkDisplaced(env_, temporary_, name, change.path,
                       saw_result ? *change.result : *change.base);
}

Status Publisher::End(const std::vector<PathChange>& changes) {
  for (size_t number = 0; number < changes.size(); ++number) {
    if (is_own_ && !displaced_.contains(number)) continue;
    STAGED_RETURN_IF_ERROR(SetAside(number, changes[number]));
  }
  // Where every path was published here, nothing is left but the mark.
  const bool is_done = is_own_ && !changes.empty() && published_.size() == changes.size();
  if (!is_done) STAGED_RETURN_IF_ERROR(RemoveOwn());
  if (is_done) {
    SparePublications::Spare spare{owner_, std::move(lock_)};
    if (spares_.Give(spare)) return OkStatus();
    lock_ = std::move(spare.lock);
  }
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(MarkOf(owner_))));
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(LockOf(owner_))));
  lock_.reset();
  return OkStatus();
}

Result<std::set<std::string>> ListPublishers(Directory& temporary) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, temporary.List(""));
  // A power loss may leave the files without the lock, or the lock without the files.
  std::set<std::string> owners;
  for (const DirectoryItem& item : items) {
    if (!item.name.starts_with(kPublishPrefix)) continue;
    const std::string owner = item.name.substr(kPublishPrefix.size());
    owners.insert(owner.substr(0, owner.find_first_of("-.")));
  }
  return owners;
}

}  // namespace staged
