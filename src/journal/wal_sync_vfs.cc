#include "journal/wal_sync_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace staged {

struct WalSyncVfsAccess {
  static sqlite3_vfs* Below(WalSyncVfs* vfs) { return vfs->below_; }
  static std::atomic<bool>& IsLogSuspect(WalSyncVfs* vfs) { return vfs->is_log_suspect_; }
};

namespace {

// Our own file control; SQLite leaves numbers above 100 to VFSes.
constexpr int kControlWalSync = 0x5357;
// https://www.sqlite.org/fileformat2.html#walformat
constexpr sqlite3_int64 kWalHeaderBytes = 32;
constexpr size_t kWalFrameHeaderBytes = 24;
constexpr sqlite3_int64 kNoOffset = INT64_MAX;

// A write-ahead log; the file of the VFS below follows in memory. Files of other kinds are that
// VFS's own. SQLite aligns to 8 bytes.
struct WalFile {
  sqlite3_file file;
  std::atomic<bool>* is_log_suspect;
  sqlite3_int64 first_frame;  // lowest offset that the commit wrote at, without the header
  WalSync sync;
  bool header_unsynced;
};

static_assert(alignof(WalFile) == 8 && sizeof(WalFile) % 8 == 0);

WalFile* Self(sqlite3_file* file) { return reinterpret_cast<WalFile*>(file); }
sqlite3_file* Below(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(Self(file) + 1); }
sqlite3_vfs* Below(sqlite3_vfs* vfs) {
  return WalSyncVfsAccess::Below(static_cast<WalSyncVfs*>(vfs->pAppData));
}

int Close(sqlite3_file* file) { return Below(file)->pMethods->xClose(Below(file)); }

int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return Below(file)->pMethods->xRead(Below(file), bytes, size, offset);
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (offset < kWalHeaderBytes) {
    Self(file)->header_unsynced = true;
  } else {
    Self(file)->first_frame = std::min(Self(file)->first_frame, offset);
  }
  return Below(file)->pMethods->xWrite(Below(file), bytes, size, offset);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  return Below(file)->pMethods->xTruncate(Below(file), size);
}

// Makes every page of the log one that is still to be written. REQUIRES: nobody else writes to it.
int WriteAgain(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  int code = Below(file)->pMethods->xFileSize(Below(file), &size);
  char block[4096];
  for (sqlite3_int64 offset = 0; code == SQLITE_OK && offset < size;) {
    const int count = static_cast<int>(std::min<sqlite3_int64>(sizeof(block), size - offset));
    code = Read(file, block, count, offset);
    if (code == SQLITE_OK) code = Write(file, block, count, offset);
    offset += count;
  }
  return code;
}

// After a failed sync. What fails here as well is made up for as far as can be by the next commit.
void GiveUpFrames(sqlite3_file* file) {
  constexpr char kNoFrame[kWalFrameHeaderBytes] = {};
  if (Self(file)->first_frame != kNoOffset) {
    Below(file)->pMethods->xWrite(Below(file), kNoFrame, sizeof(kNoFrame), Self(file)->first_frame);
  }
  WriteAgain(file);
}

int Sync(sqlite3_file* file, int flags) {
  WalFile& self = *Self(file);
  // SQLite syncs a new header at once, before the frames that rely on it.
  if (self.sync == WalSync::kLeaveOut && !self.header_unsynced) return SQLITE_OK;
  const bool is_suspect = *self.is_log_suspect;
  if (is_suspect) {
    if (self.sync == WalSync::kOutsideCommit) return SQLITE_IOERR_FSYNC;
    if (const int code = WriteAgain(file); code != SQLITE_OK) return code;
  }
  const int code = Below(file)->pMethods->xSync(Below(file), flags);
  if (code != SQLITE_OK) {
    *self.is_log_suspect = true;
    if (self.sync != WalSync::kOutsideCommit) GiveUpFrames(file);
    return code;
  }
  if (is_suspect) *self.is_log_suspect = false;
  self.header_unsynced = false;
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Below(file)->pMethods->xFileSize(Below(file), size);
}

int Lock(sqlite3_file* file, int level) { return Below(file)->pMethods->xLock(Below(file), level); }

int Unlock(sqlite3_file* file, int level) {
  return Below(file)->pMethods->xUnlock(Below(file), level);
}

int CheckReservedLock(sqlite3_file* file, int* reserved) {
  return Below(file)->pMethods->xCheckReservedLock(Below(file), reserved);
}

int FileControl(sqlite3_file* file, int control, void* argument) {
  if (control == kControlWalSync) {
    Self(file)->sync = *static_cast<const WalSync*>(argument);
    Self(file)->first_frame = kNoOffset;
    return SQLITE_OK;
  }
  return Below(file)->pMethods->xFileControl(Below(file), control, argument);
}

int SectorSize(sqlite3_file* file) { return Below(file)->pMethods->xSectorSize(Below(file)); }

int DeviceCharacteristics(sqlite3_file* file) {
  return Below(file)->pMethods->xDeviceCharacteristics(Below(file));
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = Close,
    .xRead = Read,
    .xWrite = Write,
    .xTruncate = Truncate,
    .xSync = Sync,
    .xFileSize = FileSize,
    .xLock = Lock,
    .xUnlock = Unlock,
    .xCheckReservedLock = CheckReservedLock,
    .xFileControl = FileControl,
    .xSectorSize = SectorSize,
    .xDeviceCharacteristics = DeviceCharacteristics,
};

int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  if ((flags & SQLITE_OPEN_WAL) == 0) {
    return Below(vfs)->xOpen(Below(vfs), name, file, flags, out_flags);
  }
  *Self(file) = {};
  Self(file)->is_log_suspect =
      &WalSyncVfsAccess::IsLogSuspect(static_cast<WalSyncVfs*>(vfs->pAppData));
  Self(file)->first_frame = kNoOffset;
  const int code = Below(vfs)->xOpen(Below(vfs), name, Below(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

int Delete(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  return Below(vfs)->xDelete(Below(vfs), name, sync_directory);
}

int Access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  return Below(vfs)->xAccess(Below(vfs), name, flags, result);
}

int FullPathname(sqlite3_vfs* vfs, const char* name, int size, char* result) {
  return Below(vfs)->xFullPathname(Below(vfs), name, size, result);
}

int Randomness(sqlite3_vfs* vfs, int size, char* bytes) {
  return Below(vfs)->xRandomness(Below(vfs), size, bytes);
}

int Sleep(sqlite3_vfs* vfs, int microseconds) {
  return Below(vfs)->xSleep(Below(vfs), microseconds);
}

int CurrentTime(sqlite3_vfs* vfs, double* days) {
  return Below(vfs)->xCurrentTime(Below(vfs), days);
}

int GetLastError(sqlite3_vfs* vfs, int size, char* text) {
  return Below(vfs)->xGetLastError != nullptr ? Below(vfs)->xGetLastError(Below(vfs), size, text)
                                              : 0;
}

int CurrentTimeInt64(sqlite3_vfs* vfs, sqlite3_int64* milliseconds) {
  return Below(vfs)->xCurrentTimeInt64(Below(vfs), milliseconds);
}

// Null unless a write-ahead log is open.
int FindLog(SqliteConnection& connection, sqlite3_file*& log) {
  log = nullptr;
  const int code = sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                                        static_cast<void*>(&log));
  if (log != nullptr && log->pMethods != &kMethods) log = nullptr;
  return code;
}

}  // namespace

Result<std::unique_ptr<WalSyncVfs>> WalSyncVfs::Register(const std::string& base) {
  sqlite3_vfs* below = sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
  if (below == nullptr) {
    return Status(ErrorCode::kInvalidArgument, "no such SQLite VFS: " + base + "; register it");
  }
  std::unique_ptr<WalSyncVfs> result(new WalSyncVfs);
  result->below_ = below;
  result->vfs_ = std::make_unique<sqlite3_vfs>();
  sqlite3_vfs& vfs = *result->vfs_;
  char address[32];
  std::snprintf(address, sizeof(address), "%p", static_cast<void*>(&vfs));
  result->name_ = std::string("staged-wal-sync-") + address;
  vfs.iVersion = std::min(below->iVersion, 2);
  vfs.szOsFile = below->szOsFile + static_cast<int>(sizeof(WalFile));
  vfs.mxPathname = below->mxPathname;
  vfs.zName = result->name_.c_str();
  vfs.pAppData = result.get();
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  vfs.xRandomness = Randomness;
  vfs.xSleep = Sleep;
  vfs.xCurrentTime = CurrentTime;
  vfs.xGetLastError = GetLastError;
  vfs.xCurrentTimeInt64 = CurrentTimeInt64;
  if (const int code = sqlite3_vfs_register(&vfs, 0); code != SQLITE_OK) {
    return SqliteError(nullptr, code, "registering a VFS");
  }
  return result;
}

WalSyncVfs::~WalSyncVfs() { sqlite3_vfs_unregister(vfs_.get()); }

Status SetWalSync(SqliteConnection& connection, WalSync sync) {
  sqlite3_file* log = nullptr;
  const int code = FindLog(connection, log);
  if (code == SQLITE_OK && log != nullptr) FileControl(log, kControlWalSync, &sync);
  if (code == SQLITE_OK) return OkStatus();
  return connection.Error(code, "setting a commit's durability");
}

Status OverwriteLogTail(SqliteConnection& connection) {
  STAGED_RETURN_IF_ERROR(SetWalSync(connection, WalSync::kSync));
  sqlite3_file* log = nullptr;
  int code = FindLog(connection, log);
  if (code == SQLITE_OK && log == nullptr) code = SQLITE_MISUSE;
  if (code == SQLITE_OK) code = sqlite3_db_cacheflush(connection.handle());
  // Without a frame nothing of the tail would be overwritten.
  if (code == SQLITE_OK && Self(log)->first_frame == kNoOffset) code = SQLITE_IOERR_WRITE;
  if (code == SQLITE_OK) code = Sync(log, SQLITE_SYNC_NORMAL);
  const Status outside = SetWalSync(connection, WalSync::kOutsideCommit);
  if (code != SQLITE_OK) return connection.Error(code, "overwriting the log's tail");
  return outside;
}

Status SyncLog(SqliteConnection& connection) {
  sqlite3_file* log = nullptr;
  int code = FindLog(connection, log);
  sqlite3_int64 size = 0;
  if (code == SQLITE_OK && log != nullptr) code = FileSize(log, &size);
  if (code == SQLITE_OK && size > 0) {
    // Who writes may write the log again, where an earlier sync failed.
    const bool writes = sqlite3_txn_state(connection.handle(), "main") == SQLITE_TXN_WRITE;
    if (writes) STAGED_RETURN_IF_ERROR(SetWalSync(connection, WalSync::kSync));
    code = Sync(log, SQLITE_SYNC_NORMAL);
    if (writes) STAGED_RETURN_IF_ERROR(SetWalSync(connection, WalSync::kOutsideCommit));
  }
  if (code == SQLITE_OK) return OkStatus();
  return connection.Error(code, "syncing the log");
}

}  // namespace staged
