#include "workspace/displaced_files.h"

#include <algorithm>

#include "base/binary.h"
#include "base/ignore_missing.h"

namespace staged {
namespace {

constexpr std::string_view kParkedPrefix = "displaced-";
constexpr std::string_view kParkedSuffix = ".path";
constexpr char kParkingLock[] = "displaced.lock";
constexpr uint64_t kParkedNoteBytesMax = 1 << 16;
constexpr size_t kRandomNameBytes = 8;

}  // namespace

std::string RandomName(Env& env) {
  std::string name;
  for (const char byte : env.RandomBytes(kRandomNameBytes)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    name += kDigits[static_cast<uint8_t>(byte) >> 4];
    name += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return name;
}

Result<OptionalEntry> EntryAt(Directory& directory, const std::string& path) {
  return ScanPath(directory, path, {});
}

Result<std::unique_ptr<FileLock>> LockParked(Directory& temporary, LockWait wait) {
  return temporary.Lock(kParkingLock, wait);
}

Result<bool> HasParked(Directory& temporary) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, temporary.List(""));
  return std::any_of(items.begin(), items.end(), [](const DirectoryItem& item) {
    return item.name.starts_with(kParkedPrefix) && item.name.ends_with(kParkedSuffix);
  });
}

Status ParkDisplaced(Env& env, Directory& temporary, const std::string& name,
                     const std::string& path, const Entry& seen) {
  // The note comes first: whoever collected between the two would take it for an orphan.
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> parking,
                          LockParked(temporary, LockWait::kWait));
  const std::string parked = std::string(kParkedPrefix) + RandomName(env);
  BinaryWriter note;
  note.PutString(path);
  note.PutByte(static_cast<uint8_t>(seen.kind));
  note.PutHash(seen.hash);
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                          temporary.Create(parked + std::string(kParkedSuffix), 0600));
  STAGED_RETURN_IF_ERROR(file->WriteAt(0, note.bytes()));
  STAGED_RETURN_IF_ERROR(file->Sync());
  STAGED_RETURN_IF_ERROR(temporary.RenameNew(name, temporary, parked));
  return temporary.SyncDirectory("");
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
    if (now->kind != EntryKind::kSymlink) {
      STAGED_ASSIGN_OR_RETURN(const bool has_writer, temporary.HasWriter(parked));
      if (has_writer) continue;
    }
    STAGED_ASSIGN_OR_RETURN(const std::string note,
                            temporary.ReadFile(item.name, kParkedNoteBytesMax));
    BinaryReader reader(note);
    LateChange change;
    change.path = reader.GetString();
    change.base.kind = static_cast<EntryKind>(reader.GetByte());
    change.base.hash = reader.GetHash();
    STAGED_RETURN_IF_ERROR(reader.Finish("the note of a displaced file"));
    STAGED_ASSIGN_OR_RETURN(change.bytes, ReadEntry(temporary, parked));
    const bool is_same_kind =
        (now->kind == EntryKind::kSymlink) == (change.base.kind == EntryKind::kSymlink);
    if (is_same_kind && ContentHash::Of(change.bytes) == change.base.hash) {
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

}  // namespace staged
