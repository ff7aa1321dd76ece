#include "workspace/import_folder.h"

#include <utility>

#include "workspace/layout.h"

namespace staged {
namespace {

constexpr char kName[] = ".staged-import";
constexpr char kLockName[] = "import.lock";

std::string MetadataPath() { return std::string(kName) + "/" + layout::kFolder; }
std::string LockPath() { return MetadataPath() + "/" + kLockName; }

// Removes what is below `folder`, but not the item `kept`.
Status RemoveBelow(Directory& directory, const std::string& folder, const std::string& kept) {
  STAGED_ASSIGN_OR_RETURN(const auto items, directory.List(folder));
  for (const DirectoryItem& item : items) {
    if (item.name == kept) continue;
    const std::string path = folder + "/" + item.name;
    if (item.kind == FileKind::kDirectory) {
      STAGED_RETURN_IF_ERROR(RemoveBelow(directory, path, ""));
      STAGED_RETURN_IF_ERROR(directory.RemoveDirectory(path));
    } else {
      STAGED_RETURN_IF_ERROR(directory.RemoveFile(path));
    }
  }
  return OkStatus();
}

// .staged stays to the last: it tells what the folder is.
Status RemoveLeftovers(Directory& target) {
  STAGED_RETURN_IF_ERROR(RemoveBelow(target, kName, layout::kFolder));
  return RemoveBelow(target, MetadataPath(), kLockName);
}

Status MakeDirectoryIfAbsent(Directory& target, const std::string& path) {
  Status made = target.MakeDirectory(path, 0700);
  return made.code() == ErrorCode::kConflict ? OkStatus() : made;
}

}  // namespace

Status CheckNoUnfinishedImport(Directory& target) {
  if (!target.Stat(MetadataPath()).ok()) return OkStatus();
  return {ErrorCode::kConflict, "an import into '" + target.path() +
                                    "' did not finish; run `staged import` again, or remove '" +
                                    target.path() + "/" + kName + "'"};
}

std::string ImportFolder::Name() { return kName; }

Result<ImportFolder> ImportFolder::Make(Directory& target) {
  STAGED_ASSIGN_OR_RETURN(const auto items, target.List(""));
  for (const DirectoryItem& item : items) {
    if (item.name == kName) continue;
    return Status(ErrorCode::kConflict,
                  "'" + target.path() + "' is not empty; name an empty or new directory");
  }
  STAGED_RETURN_IF_ERROR(MakeDirectoryIfAbsent(target, kName));
  STAGED_RETURN_IF_ERROR(MakeDirectoryIfAbsent(target, MetadataPath()));
  Result<std::unique_ptr<FileLock>> lock = target.Lock(LockPath(), LockWait::kDoNotWait);
  if (!lock.ok() && lock.status().code() == ErrorCode::kBusy) {
    return Status(ErrorCode::kBusy, "another import into '" + target.path() +
                                        "' is under way; wait for it, or name another directory");
  }
  STAGED_RETURN_IF_ERROR(lock.status());
  STAGED_RETURN_IF_ERROR(RemoveLeftovers(target));
  return ImportFolder(target, *std::move(lock));
}

Status ImportFolder::MoveUp() {
  STAGED_ASSIGN_OR_RETURN(const auto items, target_->List(kName));
  for (const DirectoryItem& item : items) {
    if (item.name == layout::kFolder) continue;
    STAGED_RETURN_IF_ERROR(
        target_->RenameNew(std::string(kName) + "/" + item.name, *target_, item.name));
  }
  STAGED_RETURN_IF_ERROR(target_->RemoveFile(LockPath()));
  STAGED_RETURN_IF_ERROR(target_->SyncDirectory(MetadataPath()));
  // A name that a power loss takes away would look like a person's removal.
  STAGED_RETURN_IF_ERROR(target_->SyncDirectory(""));
  STAGED_RETURN_IF_ERROR(target_->SyncDirectory(kName));
  STAGED_RETURN_IF_ERROR(target_->RenameNew(MetadataPath(), *target_, layout::kFolder));
  STAGED_RETURN_IF_ERROR(target_->SyncDirectory(""));
  // An empty directory is in nobody's way.
  (void)target_->RemoveDirectory(kName).ok();
  return OkStatus();
}

void ImportFolder::Remove() {
  if (!RemoveLeftovers(*target_).ok()) return;
  if (!target_->RemoveFile(LockPath()).ok()) return;
  if (!target_->RemoveDirectory(MetadataPath()).ok()) return;
  (void)target_->RemoveDirectory(kName).ok();
}

}  // namespace staged
