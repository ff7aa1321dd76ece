#pragma once

#include <memory>
#include <string>
#include <vector>

#include "staged/ext/env.h"
#include "staged/ext/object_store.h"
#include "staged/operation.h"
#include "workspace/live_scan.h"

// Putting accepted bytes into the live folder (rules 8, 13, 14). A publisher owns a folder
// tmp/publish-<owner>/ with one file a path (its number in the submit), and holds the lock
// tmp/publish-<owner>.lock as long as it lives. Every step looks at the disk first, so that running
// it again after a crash ends what was begun.
namespace staged {

// A file that a person's program may still hold open after it was replaced: parked as
// tmp/displaced-<name> beside tmp/displaced-<name>.path, until nobody can write to it.
struct LateChange {
  std::string path;
  Entry base;         // what was displaced
  std::string bytes;  // what somebody wrote into it since
  EntryKind kind = EntryKind::kFile;
  std::string parked_name;
};

class Publisher {
 public:
  // `root` is the live folder, `temporary` is .staged/tmp. All must outlive this.
  Publisher(Env& env, Directory& root, Directory& temporary, ObjectStore& store);
  ~Publisher();

  // A new owner: its lock and folder. Without this, `owner` is that of a dead publisher.
  [[nodiscard]] Status Begin();
  // Takes over what a dead publisher left. kBusy while it lives.
  [[nodiscard]] Status TakeOver(const std::string& owner);
  [[nodiscard]] const std::string& owner() const { return owner_; }

  // Writes and syncs the new bytes of change `number` beside the live folder.
  [[nodiscard]] Status Prepare(size_t number, const PathChange& change);
  // Makes the path show the change's result, if it shows its base or its result now. False: it
  // shows something else, which stays untouched.
  [[nodiscard]] Result<bool> Publish(size_t number, const PathChange& change);
  // Syncs the directories touched since.
  [[nodiscard]] Status SyncTouched();
  // Removes what was displaced, or parks it where a writer still holds it; then the folder and
  // lock.
  [[nodiscard]] Status End(const std::vector<PathChange>& changes);

 private:
  [[nodiscard]] std::string Name(size_t number) const;
  Status WriteNew(const std::string& name, const PathChange& change);
  // Stores the live file's bytes again where the store cannot give them (rule 13).
  Status KeepBase(const PathChange& change);
  Status MakeParents(const std::string& path);
  void RemoveEmptyParents(const std::string& path);
  Result<bool> PublishReplacement(const std::string& name, const PathChange& change);
  Result<bool> PublishCreation(const std::string& name, const PathChange& change);
  Result<bool> PublishRemoval(const std::string& name, const PathChange& change);
  Status Park(const std::string& name, const PathChange& change);

  Env& env_;
  Directory& root_;
  Directory& temporary_;
  ObjectStore& store_;
  std::string owner_;
  std::unique_ptr<FileLock> lock_;
  std::vector<std::string> touched_;  // directories to sync
};

// Parking and collecting exclude each other. A lock's holder may wait for the journal, so nobody
// who waits for this lock may hold a journal transaction.
[[nodiscard]] Result<std::unique_ptr<FileLock>> LockParked(Directory& temporary, LockWait wait);
// REQUIRES: the lock is held. Parked files that no writer holds any more: removed when unchanged,
// given out when changed.
[[nodiscard]] Result<std::vector<LateChange>> CollectParked(Directory& temporary);
// Removes a parked file whose late change was taken in.
[[nodiscard]] Status RemoveParked(Directory& temporary, const std::string& parked_name);
// Removes folders and locks of dead publishers that `is_pending` does not name.
[[nodiscard]] Status RemoveLeftovers(
    Directory& temporary, const std::function<bool(const std::string& owner)>& is_pending);

// The office lock file beside `path` and who holds it ("~$report.docx" -> "report.docx is open in
// an office suite by Ada"), or "".
[[nodiscard]] std::string FindOfficeLock(Directory& root, const std::string& path);

}  // namespace staged
