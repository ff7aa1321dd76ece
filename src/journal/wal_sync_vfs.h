#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "journal/sqlite_connection.h"
#include "staged/status.h"

struct sqlite3_vfs;

// An SQLite VFS on top of another one, in which a single commit may leave out the sync of its
// write-ahead log. (SQLite has one level of durability for a connection, not to be changed inside a
// transaction.) Such a commit becomes durable with the next one that syncs, since the log is one
// file; until then a power loss takes it away whole, because its frames are not followed by others
// that are valid. All that keeps the database sound is synced as ever: the log's header before the
// first frame, the log before a checkpoint, the database before the log starts anew.
//
// After a failed sync the system may take written pages for clean that never reached the disk, so
// that the next sync succeeds without them; commits that left out theirs would be missing below
// those that follow. Therefore a commit whose sync fails writes the whole log again, but its own
// frames so that nobody who recovers the log takes them for committed; and so does the next commit
// before it syncs.
namespace staged {

enum class WalSync : uint8_t {
  kOutsideCommit = 0,  // checkpoints and the like
  kSync = 1,
  kLeaveOut = 2,
};

// Registered while it lives; every connection that uses it must be gone before.
class WalSyncVfs {
 public:
  // On the VFS called `base`, or the default one if that is empty. kInvalidArgument: no such VFS.
  static Result<std::unique_ptr<WalSyncVfs>> Register(const std::string& base);
  ~WalSyncVfs();
  WalSyncVfs(const WalSyncVfs&) = delete;
  WalSyncVfs& operator=(const WalSyncVfs&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  WalSyncVfs() = default;
  friend struct WalSyncVfsAccess;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  sqlite3_vfs* below_ = nullptr;
  std::atomic<bool> is_log_suspect_ = false;
};

// What the connection's commit does, from now on. REQUIRES: opened through a WalSyncVfs, a
// transaction was begun in WAL mode; kSync and kLeaveOut: it is a writing one.
Status SetWalSync(SqliteConnection& connection, WalSync sync);

// Makes durable what is in the log. A process that was killed between writing and syncing leaves a
// commit that whoever recovers the log can see: it must not be acknowledged before this.
// REQUIRES: something was read through the connection; a writing transaction changed nothing yet.
Status SyncLog(SqliteConnection& connection);

// Writes the transaction's changes so far over what follows the log's last commit, and syncs. What
// a writer left there that failed or died in its commit may be a whole commit to whoever recovers
// the log after a power loss; each frame's checksum covers all before it, so that one frame that
// differs ends the log there. REQUIRES: a writing transaction that changed a page and reads nothing
// now.
Status OverwriteLogTail(SqliteConnection& connection);

}  // namespace staged
