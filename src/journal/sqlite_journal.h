#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "staged/ext/journal.h"
#include "staged/status.h"

namespace staged {

struct SqliteJournalOptions {
  enum class Mode : uint8_t {
    kCreate = 1,        // kConflict if there is a journal already
    kOpenExisting = 2,  // kDataLoss if there is none: a missing journal is never replaced
  };
  Mode mode = Mode::kOpenExisting;
  // Name of the registered SQLite VFS whose files hold the journal; empty: the system's.
  std::string vfs;
  // When the write-ahead log has this many pages (of 4 KiB), they are copied to the database.
  // Bounds what a process must read when it is the first to open the journal.
  int checkpoint_pages = 500;
  // Called instead of sleeping while another process writes. Null: the VFS sleeps.
  std::function<void(int microseconds)> writer_wait;
};

// The journal in one SQLite database at `path` (with "-wal" and "-shm" beside it while open), mode
// 0600, in WAL mode with synchronous = FULL. Several processes may have it open. The files must not
// be opened by other means in a process that has the journal open: closing such a descriptor would
// drop SQLite's locks.
// Errors: kDataLoss, kConflict (see Mode), kUnsupportedEdit (newer version), kBusy (another process
// is creating or repairing it), kIoError, kPermissionDenied.
[[nodiscard]] Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                                 SqliteJournalOptions options);

}  // namespace staged
