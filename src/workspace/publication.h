#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "staged/ext/env.h"
#include "staged/ext/object_store.h"
#include "staged/operation.h"
#include "workspace/live_scan.h"

// Putting accepted bytes into the live folder (rules 8, 13, 14). A publisher owns the files
// tmp/publish-<owner>-<number>, one a path (its number in the submit), and holds the lock
// tmp/publish-<owner>.lock as long as it lives. docs/design/submit-protocol.md says what each state
// of these files means after a crash.
namespace staged {

// Folders of the live folder whose own names are known to survive power loss. Thread-safe.
class FolderMemory {
 public:
  [[nodiscard]] bool Knows(const std::string& folder, const FileStatus& status);
  void Remember(const std::string& folder, const FileStatus& status);
  void Forget(const std::string& folder);

 private:
  using Identity = std::pair<uint64_t, uint64_t>;  // device, inode
  std::mutex mutex_;
  std::map<std::string, Identity> durable_;
};

// The lock and the mark of publishers that came to their end, kept for the next ones under their
// old names. File systems are slow to make a file where many were just removed (ext4 passes over
// inodes that were freed seconds ago, and takes a millisecond for it); to rename one is cheap.
// Thread-safe.
class SparePublications {
 public:
  explicit SparePublications(Directory& temporary) : temporary_(temporary) {}
  ~SparePublications();  // removes what nobody took
  SparePublications(const SparePublications&) = delete;
  SparePublications& operator=(const SparePublications&) = delete;

  struct Spare {
    std::string owner;  // the names are its
    std::unique_ptr<FileLock> lock;
  };
  [[nodiscard]] std::optional<Spare> Take();
  // False where there are enough: `spare` is left as it is.
  [[nodiscard]] bool Give(Spare& spare);

 private:
  Directory& temporary_;
  std::mutex mutex_;
  std::vector<Spare> spares_;
};

class Publisher {
 public:
  // `root` is the live folder, `temporary` is .staged/tmp. All must outlive this.
  Publisher(Env& env, Directory& root, Directory& temporary, ObjectStore& store,
            FolderMemory& folders, SparePublications& spares);
  ~Publisher();

  // A new owner, with its lock.
  [[nodiscard]] Status Begin();
  // Takes over what a dead publisher left. kBusy while it lives.
  [[nodiscard]] Status TakeOver(const std::string& owner);
  [[nodiscard]] const std::string& owner() const { return owner_; }

  // Writes and syncs the new bytes of every change beside the live folder. What was prepared before
  // is removed: REQUIRES: nothing of it was published.
  [[nodiscard]] Status Prepare(const std::vector<PathChange>& changes);
  // Whether Prepare came to its end, here or in the process that died.
  [[nodiscard]] bool is_prepared() const { return is_prepared_; }
  // Makes the path show the change's result, if it shows its base or its result now; a path that
  // was published before the publisher died is left alone: what it shows now was saved on top.
  // False: a save came first, which stays untouched.
  [[nodiscard]] Result<bool> Publish(size_t number, const PathChange& change);
  // Whether every path was published or shows its result: if not, the submit was never
  // acknowledged.
  [[nodiscard]] Result<bool> IsComplete(const std::vector<PathChange>& changes);
  // Puts back what Publish displaced, unless somebody saved on top since.
  [[nodiscard]] Status TakeBack(size_t number, const PathChange& change);
  // Syncs the directories touched since.
  [[nodiscard]] Status SyncTouched();
  // Sets aside what was displaced, and removes all other files and the lock. Until then the files
  // tell what was published: they may go only when the publication's rows are gone for good.
  // `changes` are those that may have been published.
  [[nodiscard]] Status End(const std::vector<PathChange>& changes);

 private:
  [[nodiscard]] std::string Name(size_t number) const;
  // Takes a spare lock under a new name; false where there is none.
  bool BeginWithSpare();
  Status MakeMark();
  // Removes the files that are this owner's, the lock aside.
  Status RemoveOwn();
  Status WriteNew(size_t number, const PathChange& change);
  // Gives the new file the live file's owner, permissions and the like.
  Status TakeOnAttributes(const std::string& unfinished, size_t number, const PathChange& change);
  // Stores the live file's bytes again where the store cannot give them (rule 13).
  Status KeepBase(const PathChange& change);
  Status MakeParents(const std::string& path);
  void RemoveEmptyParents(const std::string& path);
  // Makes the names of the folders on the way to `path` durable: they may be somebody's who made
  // them just now, or a publisher's that died before it synced them.
  Status SyncWay(const std::string& path);
  // Whether the path was published and not taken back, as the publisher's files tell.
  Result<bool> WasPublished(size_t number, const PathChange& change);
  Result<bool> PublishReplacement(size_t number, const PathChange& change);
  Result<bool> PublishCreation(size_t number, const PathChange& change);
  Result<bool> PublishRemoval(size_t number, const PathChange& change);
  Status TakeBackReplacement(size_t number, const PathChange& change);
  Status TakeBackCreation(size_t number, const PathChange& change);
  Status TakeBackRemoval(size_t number, const PathChange& change);
  // The only way in which anything that lay in the live folder leaves the publisher's files: it is
  // removed where nobody can write to it any more and the store has its bytes, else parked.
  Status SetAside(size_t number, const PathChange& change);

  Env& env_;
  Directory& root_;
  Directory& temporary_;
  ObjectStore& store_;
  FolderMemory& folders_;
  SparePublications& spares_;
  std::string owner_;
  std::string spare_mark_;  // a mark of an earlier owner, to be made this one's; "" when none
  std::unique_ptr<FileLock> lock_;
  bool is_prepared_ = false;
  bool is_own_ = false;  // prepared by this object: the sets below are complete
  std::map<size_t, FileStatus> attributes_of_;  // the live file whose attributes the new one has
  std::set<size_t> published_;                  // and not taken back
  std::set<size_t> taken_back_;
  std::set<size_t> displaced_;     // whose file here may have come from the live folder
  std::set<std::string> touched_;  // directories to sync
};

// The owners of all publishers that left something, alive or dead.
[[nodiscard]] Result<std::set<std::string>> ListPublishers(Directory& temporary);

}  // namespace staged
