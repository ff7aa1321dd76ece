#include "journal/env_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "journal/env_vfs_locks.h"

namespace staged {

struct EnvVfsState {
  explicit EnvVfsState(Env& environment) : env(environment) {}

  Env& env;
  std::shared_ptr<EnvVfsLocks> locks;
  std::function<void(int)> sleep;
  std::string name;
  sqlite3_vfs vfs{};
  std::mutex mutex;  // guards directories
  std::map<std::string, std::unique_ptr<Directory>> directories;

  // The directory of an absolute path, kept open, and the name in it.
  Result<Directory*> Find(const std::string& path, std::string& name_in_directory) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
      return Status(ErrorCode::kInvalidArgument, path + " is not absolute; give the whole path");
    }
    name_in_directory = path.substr(slash + 1);
    const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
    const std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Directory>& directory = directories[parent];
    if (directory == nullptr) {
      STAGED_ASSIGN_OR_RETURN(directory, env.OpenDirectory(parent));
    }
    return directory.get();
  }
};

namespace {

constexpr uint32_t kFileMode = 0600;
constexpr int kPathBytesMax = 4096;
// SQLite's clock counts ms since noon of -4713-11-24 (Julian day 0).
constexpr int64_t kUnixEpochJulianMs = 210'866'760'000'000;

struct OpenFile {
  std::unique_ptr<File> native;
  std::shared_ptr<EnvVfsLocks> locks;
  std::string path;
  EnvVfsHolder holder;
};

// Lies in SQLite's memory.
struct EnvVfsFile {
  sqlite3_file file;
  OpenFile* open;
};

OpenFile& Self(sqlite3_file* file) { return *reinterpret_cast<EnvVfsFile*>(file)->open; }
EnvVfsState& StateOf(sqlite3_vfs* vfs) { return *static_cast<EnvVfsState*>(vfs->pAppData); }

// `otherwise` unless the status says something that SQLite can tell apart.
int Code(const Status& status, int otherwise) {
  switch (status.code()) {
    case ErrorCode::kOk:
      return SQLITE_OK;
    case ErrorCode::kLimitExceeded:
      return SQLITE_FULL;
    case ErrorCode::kPermissionDenied:
      return SQLITE_PERM;
    default:
      return otherwise;
  }
}

int Close(sqlite3_file* file) {
  OpenFile& self = Self(file);
  self.locks->UnmapMemory(self.path, self.holder);
  self.locks->Unlock(self.path, self.holder, SQLITE_LOCK_NONE);
  delete &self;
  return SQLITE_OK;
}

int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  const auto read =
      Self(file).native->ReadAt(static_cast<uint64_t>(offset), static_cast<uint64_t>(size));
  if (!read.ok()) return SQLITE_IOERR_READ;
  std::memcpy(bytes, read->data(), read->size());
  if (read->size() == static_cast<size_t>(size)) return SQLITE_OK;
  std::memset(static_cast<char*>(bytes) + read->size(), 0,
              static_cast<size_t>(size) - read->size());
  return SQLITE_IOERR_SHORT_READ;
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  return Code(
      Self(file).native->WriteAt(static_cast<uint64_t>(offset),
                                 {static_cast<const char*>(bytes), static_cast<size_t>(size)}),
      SQLITE_IOERR_WRITE);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  return Code(Self(file).native->Truncate(static_cast<uint64_t>(size)), SQLITE_IOERR_TRUNCATE);
}

int Sync(sqlite3_file* file, int /*flags*/) {
  return Code(Self(file).native->Sync(), SQLITE_IOERR_FSYNC);
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  const auto status = Self(file).native->GetStatus();
  if (!status.ok()) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>(status->size_bytes);
  return SQLITE_OK;
}

int Lock(sqlite3_file* file, int level) {
  return Self(file).locks->Lock(Self(file).path, Self(file).holder, level);
}

int Unlock(sqlite3_file* file, int level) {
  return Self(file).locks->Unlock(Self(file).path, Self(file).holder, level);
}

int CheckReservedLock(sqlite3_file* file, int* reserved) {
  *reserved = Self(file).locks->IsReserved(Self(file).path) ? 1 : 0;
  return SQLITE_OK;
}

int FileControl(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }

int SectorSize(sqlite3_file*) { return 4096; }

// A write changes no byte outside of it, not even when the power goes: what every disk in use
// promises, and the simulated one keeps.
int DeviceCharacteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int ShmMap(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  return Self(file).locks->MapMemory(Self(file).path, Self(file).holder, region, size, extend != 0,
                                     memory);
}

int ShmLock(sqlite3_file* file, int first, int count, int flags) {
  return Self(file).locks->LockMemory(Self(file).path, Self(file).holder, first, count, flags);
}

void ShmBarrier(sqlite3_file* file) { Self(file).locks->Barrier(); }

int ShmUnmap(sqlite3_file* file, int /*delete_it*/) {
  Self(file).locks->UnmapMemory(Self(file).path, Self(file).holder);
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
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
    .xShmMap = ShmMap,
    .xShmLock = ShmLock,
    .xShmBarrier = ShmBarrier,
    .xShmUnmap = ShmUnmap,
};

Result<std::unique_ptr<File>> OpenNative(EnvVfsState& state, const std::string& path, int flags) {
  std::string name;
  STAGED_ASSIGN_OR_RETURN(Directory* const directory, state.Find(path, name));
  if ((flags & SQLITE_OPEN_READWRITE) == 0) return directory->OpenRead(name);
  auto opened = directory->OpenWrite(name);
  if ((flags & SQLITE_OPEN_CREATE) == 0) return opened;
  if (opened.status().code() == ErrorCode::kNotFound) opened = directory->Create(name, kFileMode);
  if (!opened.ok()) return opened;
  // An empty file may be one whose maker did not come to make its name durable.
  STAGED_ASSIGN_OR_RETURN(const FileStatus status, (*opened)->GetStatus());
  if (status.size_bytes == 0) STAGED_RETURN_IF_ERROR(directory->SyncDirectory(""));
  return opened;
}

int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (name == nullptr) return SQLITE_CANTOPEN;  // a temporary file
  EnvVfsState& state = StateOf(vfs);
  auto native = OpenNative(state, name, flags);
  if (!native.ok()) return Code(native.status(), SQLITE_CANTOPEN);
  auto open = std::make_unique<OpenFile>();
  open->native = *std::move(native);
  open->locks = state.locks;
  open->path = name;
  reinterpret_cast<EnvVfsFile*>(file)->open = open.release();
  file->pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int Delete(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  std::string name;
  const auto directory = StateOf(vfs).Find(path, name);
  if (!directory.ok()) return SQLITE_IOERR_DELETE;
  const Status removed = (*directory)->RemoveFile(name);
  if (removed.code() == ErrorCode::kNotFound) return SQLITE_IOERR_DELETE_NOENT;
  if (!removed.ok()) return SQLITE_IOERR_DELETE;
  if (sync_directory == 0) return SQLITE_OK;
  return Code((*directory)->SyncDirectory(""), SQLITE_IOERR_DIR_FSYNC);
}

// An empty file counts as absent, as for SQLite's own VFSes.
int Access(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  *result = 0;
  std::string name;
  const auto directory = StateOf(vfs).Find(path, name);
  if (!directory.ok()) {
    return directory.status().code() == ErrorCode::kNotFound ? SQLITE_OK : SQLITE_IOERR_ACCESS;
  }
  const auto status = (*directory)->Stat(name);
  if (status.ok()) {
    *result = flags != SQLITE_ACCESS_EXISTS || status->size_bytes > 0 ? 1 : 0;
  } else if (status.status().code() != ErrorCode::kNotFound) {
    return SQLITE_IOERR_ACCESS;
  }
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs*, const char* path, int size, char* result) {
  const size_t length = std::strlen(path);
  if (path[0] != '/' || length + 1 > static_cast<size_t>(size)) return SQLITE_CANTOPEN;
  std::copy_n(path, length + 1, result);
  return SQLITE_OK;
}

int Randomness(sqlite3_vfs* vfs, int size, char* bytes) {
  const std::string random = StateOf(vfs).env.RandomBytes(static_cast<size_t>(size));
  std::copy(random.begin(), random.end(), bytes);
  return static_cast<int>(random.size());
}

int Sleep(sqlite3_vfs* vfs, int microseconds) {
  StateOf(vfs).sleep(microseconds);
  return microseconds;
}

int CurrentTimeInt64(sqlite3_vfs* vfs, sqlite3_int64* milliseconds) {
  *milliseconds = StateOf(vfs).env.NowNs() / 1'000'000 + kUnixEpochJulianMs;
  return SQLITE_OK;
}

int CurrentTime(sqlite3_vfs* vfs, double* days) {
  sqlite3_int64 milliseconds = 0;
  CurrentTimeInt64(vfs, &milliseconds);
  constexpr double kMillisecondsPerDay = 86'400'000;
  *days = static_cast<double>(milliseconds) / kMillisecondsPerDay;
  return SQLITE_OK;
}

int GetLastError(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

EnvVfs::EnvVfs(std::unique_ptr<EnvVfsState> state) : state_(std::move(state)) {}
EnvVfs::~EnvVfs() { sqlite3_vfs_unregister(&state_->vfs); }
const std::string& EnvVfs::name() const { return state_->name; }

Result<std::unique_ptr<EnvVfs>> RegisterEnvVfs(Env& env, EnvVfsOptions options) {
  auto state = std::make_unique<EnvVfsState>(env);
  state->locks = options.locks != nullptr ? std::move(options.locks) : MakeEnvVfsLocks();
  state->sleep = std::move(options.sleep);
  if (!state->sleep) {
    state->sleep = [](int microseconds) {
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    };
  }
  char address[32];
  std::snprintf(address, sizeof(address), "%p", static_cast<void*>(state.get()));
  state->name = std::string("staged-env-") + address;
  sqlite3_vfs& vfs = state->vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(EnvVfsFile);
  vfs.mxPathname = kPathBytesMax;
  vfs.zName = state->name.c_str();
  vfs.pAppData = state.get();
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  vfs.xRandomness = Randomness;
  vfs.xSleep = Sleep;
  vfs.xCurrentTime = CurrentTime;
  vfs.xGetLastError = GetLastError;
  vfs.xCurrentTimeInt64 = CurrentTimeInt64;
  if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) {
    return Status(ErrorCode::kLimitExceeded, "no memory to register a VFS; try again");
  }
  return std::unique_ptr<EnvVfs>(new EnvVfs(std::move(state)));
}

}  // namespace staged
