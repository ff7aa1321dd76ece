#include "workspace/publication.h"

#include <algorithm>
#include <set>

#include "base/binary.h"
#include "base/utf8.h"

namespace staged {
namespace {

constexpr std::string_view kPublishPrefix = "publish-";
constexpr std::string_view kLockSuffix = ".lock";
constexpr std::string_view kParkedPrefix = "displaced-";
constexpr std::string_view kParkedSuffix = ".path";
constexpr char kParkingLock[] = "displaced.lock";
constexpr std::string_view kUnfinishedSuffix = ".new";
constexpr uint64_t kParkedNoteBytesMax = 1 << 16;
constexpr size_t kOwnerBytes = 8;

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string RandomName(Env& env) {
  std::string name;
  for (const char byte : env.RandomBytes(kOwnerBytes)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    name += kDigits[static_cast<uint8_t>(byte) >> 4];
    name += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return name;
}

uint32_t ModeOf(EntryKind kind) { return kind == EntryKind::kExecutable ? 0755 : 0644; }

// The permission bits of a published file: those it had, with execution as the entry says.
uint32_t AdjustMode(uint32_t mode, EntryKind kind) {
  if (kind != EntryKind::kExecutable) return mode & ~uint32_t{0111};
  return mode | ((mode & 0444) >> 2) | 0100;
}

Result<OptionalEntry> EntryAt(Directory& directory, const std::string& path) {
  return ScanPath(directory, path, {});
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

Status IgnoreMissing(Status status) {
  return status.code() == ErrorCode::kNotFound ? OkStatus() : status;
}

// A directory that is gone, or has become a symlink or a file, holds nothing of ours to sync.
Status IgnoreNoDirectory(Status status) {
  return status.code() == ErrorCode::kPathEscape ? OkStatus() : IgnoreMissing(std::move(status));
}

}  // namespace

Publisher::Publisher(Env& env, Directory& root, Directory& temporary, ObjectStore& store)
    : env_(env), root_(root), temporary_(temporary), store_(store) {}

Publisher::~Publisher() = default;

std::string Publisher::Name(size_t number) const {
  return std::string(kPublishPrefix) + owner_ + "/" + std::to_string(number);
}

Status Publisher::Begin() {
  // Somebody who clears up after the dead may hold a lock for the instant in which it is new: then
  // another name will do.
  constexpr int kAttempts = 16;
  Status locked;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    owner_ = RandomName(env_);
    const std::string folder = std::string(kPublishPrefix) + owner_;
    auto lock = temporary_.Lock(folder + std::string(kLockSuffix), LockWait::kDoNotWait);
    if (lock.ok()) {
      lock_ = *std::move(lock);
      return temporary_.MakeDirectory(folder, 0700);
    }
    locked = lock.status();
    if (locked.code() != ErrorCode::kBusy) break;
  }
  return locked;
}

Status Publisher::TakeOver(const std::string& owner) {
  owner_ = owner;
  const std::string folder = std::string(kPublishPrefix) + owner_;
  STAGED_ASSIGN_OR_RETURN(lock_,
                          temporary_.Lock(folder + std::string(kLockSuffix), LockWait::kDoNotWait));
  const Status made = temporary_.MakeDirectory(folder, 0700);
  return made.code() == ErrorCode::kConflict ? OkStatus() : made;
}

Status Publisher::WriteNew(const std::string& name, const PathChange& change) {
  // Under another name until it is whole: what bears the name is ours whole, or somebody's.
  const std::string unfinished = name + std::string(kUnfinishedSuffix);
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(unfinished)));
  STAGED_ASSIGN_OR_RETURN(const std::string bytes, store_.Get(change.result->hash));
  if (change.result->kind == EntryKind::kSymlink) {
    STAGED_RETURN_IF_ERROR(temporary_.MakeSymlink(unfinished, bytes));
  } else {
    STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                            temporary_.Create(unfinished, ModeOf(change.result->kind)));
    STAGED_RETURN_IF_ERROR(file->WriteAt(0, bytes));
    STAGED_RETURN_IF_ERROR(file->Sync());
  }
  return temporary_.Rename(unfinished, temporary_, name);
}

Status Publisher::Prepare(size_t number, const PathChange& change) {
  if (change.base) STAGED_RETURN_IF_ERROR(KeepBase(change));
  return change.result ? WriteNew(Name(number), change) : OkStatus();
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
    if (made.ok()) touched_.push_back(ParentOf(folder));
    if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
  }
  return OkStatus();
}

void Publisher::RemoveEmptyParents(const std::string& path) {
  for (std::string folder = ParentOf(path); !folder.empty(); folder = ParentOf(folder)) {
    if (!root_.RemoveDirectory(folder).ok()) return;
    std::erase(touched_, folder);
    touched_.push_back(ParentOf(folder));
  }
}

Result<bool> Publisher::Publish(size_t number, const PathChange& change) {
  const std::string name = Name(number);
  // Folders are not tracked: empty ones make room for a file, others are in its way.
  if (change.result && !RemoveEmptyFolders(root_, change.path)) return false;
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry on_disk, EntryAt(root_, change.path));
  if (on_disk == change.result) {
    touched_.push_back(ParentOf(change.path));
    return true;
  }
  if (on_disk != change.base) return false;
  if (change.result) {
    // What was prepared may be gone after a power loss, or of another attempt: only whole new bytes
    // ever get a name in the live folder.
    STAGED_ASSIGN_OR_RETURN(const OptionalEntry prepared, EntryAt(temporary_, name));
    if (prepared != change.result) {
      // Taking back: the displaced file may hold what its writer put into it since.
      const bool may_be_persons = prepared && prepared->kind != EntryKind::kSymlink &&
                                  change.base.has_value() && prepared != change.base;
      if (may_be_persons) {
        STAGED_RETURN_IF_ERROR(Park(name, {change.path, change.result, change.base}));
      }
      STAGED_RETURN_IF_ERROR(WriteNew(name, change));
    }
  }
  if (!change.result) return PublishRemoval(name, change);
  return change.base ? PublishReplacement(name, change) : PublishCreation(name, change);
}

Result<bool> Publisher::PublishReplacement(const std::string& name, const PathChange& change) {
  if (change.result->kind != EntryKind::kSymlink && change.base->kind != EntryKind::kSymlink) {
    STAGED_RETURN_IF_ERROR(root_.CopyAttributes(change.path, temporary_, name, CopyMetadata::kAll));
    STAGED_ASSIGN_OR_RETURN(const FileStatus status, temporary_.Stat(name));
    const uint32_t mode = AdjustMode(status.mode, change.result->kind);
    if (mode != status.mode) STAGED_RETURN_IF_ERROR(temporary_.SetMode(name, mode));
  }
  const Status exchanged = temporary_.Exchange(name, root_, change.path);
  if (exchanged.code() == ErrorCode::kNotFound) return false;  // removed just now
  STAGED_RETURN_IF_ERROR(exchanged);
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry displaced, EntryAt(temporary_, name));
  if (displaced != change.base) {
    STAGED_RETURN_IF_ERROR(temporary_.Exchange(name, root_, change.path));
    return false;
  }
  touched_.push_back(ParentOf(change.path));
  return true;
}

Result<bool> Publisher::PublishCreation(const std::string& name, const PathChange& change) {
  STAGED_RETURN_IF_ERROR(MakeParents(change.path));
  const Status renamed = temporary_.RenameNew(name, root_, change.path);
  // Something has the name, or that of one of its folders.
  if (renamed.code() == ErrorCode::kConflict || renamed.code() == ErrorCode::kNotFound ||
      renamed.code() == ErrorCode::kPathEscape) {
    return false;
  }
  STAGED_RETURN_IF_ERROR(renamed);
  touched_.push_back(ParentOf(change.path));
  return true;
}

Result<bool> Publisher::PublishRemoval(const std::string& name, const PathChange& change) {
  const Status renamed = root_.RenameNew(change.path, temporary_, name);
  if (renamed.code() == ErrorCode::kNotFound) return true;
  STAGED_RETURN_IF_ERROR(renamed);
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry displaced, EntryAt(temporary_, name));
  if (displaced != change.base) {
    // Nobody may have taken the name meanwhile; if somebody did, the moved file is parked and its
    // bytes become that person's operation.
    const Status back = temporary_.RenameNew(name, root_, change.path);
    if (back.code() == ErrorCode::kConflict) STAGED_RETURN_IF_ERROR(Park(name, change));
    return false;
  }
  touched_.push_back(ParentOf(change.path));
  RemoveEmptyParents(change.path);
  return true;
}

Status Publisher::SyncTouched() {
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const std::string& folder : touched_) {
    STAGED_RETURN_IF_ERROR(IgnoreNoDirectory(root_.SyncDirectory(folder)));
  }
  touched_.clear();
  return OkStatus();
}

Status Publisher::Park(const std::string& name, const PathChange& change) {
  // The note comes first: whoever collected between the two would take it for an orphan.
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> parking,
                          LockParked(temporary_, LockWait::kWait));
  const std::string parked = std::string(kParkedPrefix) + RandomName(env_);
  BinaryWriter note;
  note.PutString(change.path);
  note.PutByte(static_cast<uint8_t>(change.base->kind));
  note.PutHash(change.base->hash);
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                          temporary_.Create(parked + std::string(kParkedSuffix), 0600));
  STAGED_RETURN_IF_ERROR(file->WriteAt(0, note.bytes()));
  STAGED_RETURN_IF_ERROR(file->Sync());
  STAGED_RETURN_IF_ERROR(temporary_.RenameNew(name, temporary_, parked));
  return temporary_.SyncDirectory("");
}

Status Publisher::End(const std::vector<PathChange>& changes) {
  for (size_t number = 0; number < changes.size(); ++number) {
    const std::string name = Name(number);
    STAGED_RETURN_IF_ERROR(
        IgnoreMissing(temporary_.RemoveFile(name + std::string(kUnfinishedSuffix))));
    const Result<OptionalEntry> left = EntryAt(temporary_, name);
    if (!left.ok()) return left.status();
    if (!*left) continue;
    const PathChange& change = changes[number];
    const bool may_be_persons = change.base.has_value() && *left != change.result;
    if (may_be_persons && (*left)->kind != EntryKind::kSymlink) {
      STAGED_ASSIGN_OR_RETURN(const bool has_writer, temporary_.HasWriter(name));
      // Looked at again after nobody could write any more.
      STAGED_ASSIGN_OR_RETURN(const OptionalEntry now, EntryAt(temporary_, name));
      if (has_writer || now != change.base) {
        STAGED_RETURN_IF_ERROR(Park(name, change));
        continue;
      }
    }
    STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(name)));
  }
  const std::string folder = std::string(kPublishPrefix) + owner_;
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveDirectory(folder)));
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_.RemoveFile(folder + std::string(kLockSuffix))));
  lock_.reset();
  return OkStatus();
}

Result<std::unique_ptr<FileLock>> LockParked(Directory& temporary, LockWait wait) {
  return temporary.Lock(kParkingLock, wait);
}

Result<std::vector<LateChange>> CollectParked(Directory& temporary) {
  std::vector<LateChange> changes;
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, temporary.List(""));
  for (const DirectoryItem& item : items) {
    if (!item.name.starts_with(kParkedPrefix) || !item.name.ends_with(kParkedSuffix)) continue;
    const std::string parked = item.name.substr(0, item.name.size() - kParkedSuffix.size());
    STAGED_ASSIGN_OR_RETURN(const OptionalEntry now, EntryAt(temporary, parked));
    if (!now) {
      STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary.RemoveFile(item.name)));
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(const bool has_writer, temporary.HasWriter(parked));
    if (has_writer) continue;
    STAGED_ASSIGN_OR_RETURN(const std::string note,
                            temporary.ReadFile(item.name, kParkedNoteBytesMax));
    BinaryReader reader(note);
    LateChange change;
    change.path = reader.GetString();
    change.base.kind = static_cast<EntryKind>(reader.GetByte());
    change.base.hash = reader.GetHash();
    STAGED_RETURN_IF_ERROR(reader.Finish("the note of a displaced file"));
    STAGED_ASSIGN_OR_RETURN(change.bytes, ReadEntry(temporary, parked));
    if (ContentHash::Of(change.bytes) == change.base.hash) {
      STAGED_RETURN_IF_ERROR(RemoveParked(temporary, parked));
      continue;
    }
    change.kind = now->kind;
    change.parked_name = parked;
    changes.push_back(std::move(change));
  }
  return changes;
}

Status RemoveParked(Directory& temporary, const std::string& parked_name) {
  STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary.RemoveFile(parked_name)));
  return IgnoreMissing(temporary.RemoveFile(parked_name + std::string(kParkedSuffix)));
}

Status RemoveLeftovers(Directory& temporary,
                       const std::function<bool(const std::string& owner)>& is_pending) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, temporary.List(""));
  // A power loss may leave the folder without the lock, or the lock without the folder.
  std::set<std::string> owners;
  for (const DirectoryItem& item : items) {
    if (!item.name.starts_with(kPublishPrefix)) continue;
    std::string owner = item.name.substr(kPublishPrefix.size());
    if (owner.ends_with(kLockSuffix)) owner.resize(owner.size() - kLockSuffix.size());
    owners.insert(std::move(owner));
  }
  for (const std::string& owner : owners) {
    if (is_pending(owner)) continue;
    const std::string folder = std::string(kPublishPrefix) + owner;
    const std::string lock_name = folder + std::string(kLockSuffix);
    const auto lock = temporary.Lock(lock_name, LockWait::kDoNotWait);
    if (!lock.ok()) continue;  // alive: it has not committed yet
    // Its publisher may have ended since the list was read: then only the lock's new file is left.
    const auto files = temporary.List(folder);
    if (!files.ok()) STAGED_RETURN_IF_ERROR(IgnoreMissing(files.status()));
    for (size_t i = 0; files.ok() && i < files->size(); ++i) {
      STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary.RemoveFile(folder + "/" + (*files)[i].name)));
    }
    STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary.RemoveDirectory(folder)));
    STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary.RemoveFile(lock_name)));
  }
  return OkStatus();
}

std::string FindOfficeLock(Directory& root, const std::string& path) {
  constexpr uint64_t kLockBytesMax = 4096;
  const std::string parent = ParentOf(path);
  const std::string prefix = parent.empty() ? "" : parent + "/";
  const std::string name = path.substr(prefix.size());
  // LibreOffice: ",user,host,time,profile;". The user's part may be empty.
  if (const auto text = root.ReadFile(prefix + ".~lock." + name + "#", kLockBytesMax); text.ok()) {
    std::string owner = text->substr(0, text->find(';'));
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= owner.size();) {
      const size_t comma = std::min(owner.find(',', begin), owner.size());
      if (comma > begin) parts.push_back(owner.substr(begin, comma - begin));
      begin = comma + 1;
    }
    return parts.empty() ? "somebody" : ReplaceInvalidUtf8(parts.front());
  }
  // Microsoft Office: "~$" before the name, or in place of its first two letters; one length byte,
  // then the user's name.
  for (const std::string& lock :
       {"~$" + name, "~$" + (name.size() > 2 ? name.substr(2) : std::string())}) {
    const auto text = root.ReadFile(prefix + lock, kLockBytesMax);
    if (!text.ok()) continue;
    const size_t length = text->empty() ? 0 : static_cast<uint8_t>(text->front());
    std::string owner = text->size() > length ? text->substr(1, length) : std::string();
    return owner.empty() ? "somebody" : ReplaceInvalidUtf8(owner);
  }
  return "";
}

}  // namespace staged
