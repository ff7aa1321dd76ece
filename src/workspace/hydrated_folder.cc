#include "workspace/hydrated_folder.h"

#include <memory>
#include <utility>

#include "base/parallel.h"
#include "workspace/live_scan.h"

namespace staged {
namespace {

constexpr int kSyncThreads = 16;  // they wait for the disk, not for a processor
constexpr size_t kFilesPerThread = 32;

}  // namespace

Status HydratedFolder::MakeParents(const std::string& path) {
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    if (folders_.contains(folder)) continue;
    STAGED_RETURN_IF_ERROR(directory_.MakeDirectory(folder, 0755));
    folders_.insert(std::move(folder));
  }
  return OkStatus();
}

Status HydratedFolder::MakeSymlink(const std::string& path, const std::string& target) {
  STAGED_RETURN_IF_ERROR(directory_.MakeSymlink(path, target));
  files_.push_back(path);
  return OkStatus();
}

Status HydratedFolder::MakeFile(const std::string& path, uint32_t mode, std::string_view bytes) {
  STAGED_ASSIGN_OR_RETURN(const auto file, directory_.Create(path, mode));
  files_.push_back(path);
  unsynced_.push_back(path);
  return file->WriteAt(0, bytes);
}

Result<bool> HydratedFolder::CloneFile(Directory& source, const std::string& path, uint32_t mode,
                                       const Entry& entry) {
  if (!source.Clone(path, directory_, path, mode).ok()) return false;
  files_.push_back(path);
  const Result<OptionalEntry> cloned = ScanPath(directory_, path, {});
  if (cloned.ok() && *cloned == entry) {
    unsynced_.push_back(path);
    return true;
  }
  STAGED_RETURN_IF_ERROR(directory_.RemoveFile(path));
  files_.pop_back();
  return false;
}

Status HydratedFolder::Sync() {
  // Side by side: the disk's journal takes many of them in one commit.
  std::vector<Status> synced(unsynced_.size());
  const int threads = unsynced_.size() < kFilesPerThread ? 1 : kSyncThreads;
  ParallelFor(unsynced_.size(), threads, [&](size_t number) {
    const Result<std::unique_ptr<File>> file = directory_.OpenWrite(unsynced_[number]);
    synced[number] = file.ok() ? (*file)->Sync() : file.status();
  });
  for (Status& status : synced) STAGED_RETURN_IF_ERROR(std::move(status));
  unsynced_.clear();
  for (const std::string& folder : folders_) {
    STAGED_RETURN_IF_ERROR(directory_.SyncDirectory(folder));
  }
  return directory_.SyncDirectory("");
}

void HydratedFolder::Remove() {
  for (const std::string& file : files_) (void)directory_.RemoveFile(file).ok();
  // Backwards, a folder comes before the one that it is in.
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    (void)directory_.RemoveDirectory(*folder).ok();
  }
}

}  // namespace staged
