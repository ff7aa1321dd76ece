#include "derived/database.h"

#include <utility>

#include "base/ignore_missing.h"
#include "derived/schema.h"

namespace staged {
namespace {

constexpr char kFolder[] = "derived";
constexpr char kDatabaseFile[] = "derived/derived.db";
constexpr char kLockFile[] = "derived/rebuild.lock";
constexpr char kBrokenFolder[] = "derived.broken";
constexpr char kBrokenLockFile[] = "derived.lock";
constexpr int kBrokenFoldersMax = 100;
constexpr uint32_t kFolderMode = 0700;
// Deleted rows leave their terms in the index until its parts are merged.
constexpr char kMergeIndexes[] =
    "INSERT INTO title_index(title_index) VALUES('optimize');"
    "INSERT INTO body_index(body_index) VALUES('optimize')";
// The copy is as large as the database, which memory need not hold.
constexpr char kCompact[] = "PRAGMA temp_store=FILE; VACUUM; PRAGMA temp_store=MEMORY";
constexpr int kWriteWaitMs = 5000;
constexpr size_t kIdleConnectionsMax = 4;

Status RemoveFolder(Directory& directory, const std::string& folder) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, directory.List(folder));
  for (const DirectoryItem& item : items) {
    const std::string path = folder + "/" + item.name;
    STAGED_RETURN_IF_ERROR(item.kind == FileKind::kDirectory
                               ? RemoveFolder(directory, path)
                               : IgnoreMissing(directory.RemoveFile(path)));
  }
  return IgnoreMissing(directory.RemoveDirectory(folder));
}

}  // namespace

Status DatabaseError(sqlite3* handle, int code) {
  const std::string reason =
      handle == nullptr ? sqlite3_errstr(code) : std::string(sqlite3_errmsg(handle));
  const std::string message = "the derived database failed (" + reason + ")";
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Status(ErrorCode::kBusy, message + "; try again when the other process is done");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR:
      return Status(ErrorCode::kDataLoss, message + "; delete .staged/derived, it will be rebuilt");
    case SQLITE_FULL:
      return Status(ErrorCode::kLimitExceeded, message + "; free some disk space");
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return Status(ErrorCode::kPermissionDenied, message + "; make .staged/derived writable");
    default:
      return Status(ErrorCode::kIoError, message + "; check the disk");
  }
}

Statement::~Statement() {
  if (handle_ == nullptr) return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

void Statement::BindText(int index, std::string_view text) {
  sqlite3_bind_text64(handle_, index, text.data() == nullptr ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::BindBlob(int index, std::string_view bytes) {
  sqlite3_bind_blob64(handle_, index, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                      SQLITE_STATIC);
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Status error = DatabaseError(sqlite3_db_handle(handle_), code);
  sqlite3_reset(handle_);
  return error;
}

Status Statement::Run() {
  STAGED_ASSIGN_OR_RETURN(const bool row, Step());
  (void)row;
  sqlite3_reset(handle_);
  return OkStatus();
}

std::string_view Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_, column);
  const int size_bytes = sqlite3_column_bytes(handle_, column);
  return {static_cast<const char*>(data), data == nullptr ? 0 : static_cast<size_t>(size_bytes)};
}

Connection::~Connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  full_text_.reset();
  WriteBackLongLog();
  sqlite3_close(handle_);
}

// Many short processes would write back all pages of a large view each time, twice synced; but who
// opens the database first reads the log whole, so that a long one costs every process.
void Connection::WriteBackLongLog() {
  constexpr int kLogPagesMax = 1024;  // 8 MiB
  int pages = 0;
  const int code =
      sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_NOOP, &pages, nullptr);
  if (code != SQLITE_OK || pages <= kLogPagesMax) return;
  sqlite3_busy_timeout(handle_, 0);  // others that use it write it back when they close
  sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
}

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  if (code != SQLITE_OK) {
    Status error = DatabaseError(handle, code);
    sqlite3_close(handle);
    return error;
  }
  std::unique_ptr<Connection> connection(new Connection(handle));
  STAGED_RETURN_IF_ERROR(connection->Configure());
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::OpenCopy(const std::string& path) {
  sqlite3* handle = nullptr;
  int code =
      sqlite3_open_v2(":memory:", &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    Status error = DatabaseError(handle, code);
    sqlite3_close(handle);
    return error;
  }
  std::unique_ptr<Connection> connection(new Connection(handle));
  sqlite3* source = nullptr;
  code =
      sqlite3_open_v2(path.c_str(), &source, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK) {
    // A copy that fails changes nothing: the database begins empty then.
    sqlite3_backup* copy = sqlite3_backup_init(handle, "main", source, "main");
    if (copy != nullptr) {
      sqlite3_backup_step(copy, -1);
      sqlite3_backup_finish(copy);
    }
  }
  sqlite3_close(source);
  STAGED_RETURN_IF_ERROR(connection->Configure());
  return connection;
}

Status Connection::Configure() {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kWriteWaitMs);
  // The log stays when the last connection closes: a process whose database was deleted under it
  // would otherwise delete, by name, the log of the database that came after.
  int keep_log = 1;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_log);
  // Nor is it written back then, unless it is long: see WriteBackLongLog.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  STAGED_ASSIGN_OR_RETURN(Statement read_version, Prepare("PRAGMA user_version"));
  STAGED_ASSIGN_OR_RETURN(const bool row, read_version.Step());
  const int64_t version = row ? read_version.Integer(0) : 0;
  read_version.Reset();
  if (version != 0 && version != kDerivedSchemaVersion) {
    return Status(ErrorCode::kDataLoss, "the derived database is of another version");
  }
  if (version == 0) STAGED_RETURN_IF_ERROR(MakeSchema());
  STAGED_RETURN_IF_ERROR(full_text_->Register(handle_));
  return Execute(kDerivedSettings);
}

Status Connection::MakeSchema() {
  STAGED_RETURN_IF_ERROR(Execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL"));
  STAGED_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  int64_t version = 0;
  {
    STAGED_ASSIGN_OR_RETURN(Statement read_version, Prepare("PRAGMA user_version"));
    STAGED_ASSIGN_OR_RETURN(const bool row, read_version.Step());
    if (row) version = read_version.Integer(0);
  }
  Status made = version == 0 ? Execute(kDerivedSchema) : OkStatus();
  if (!made.ok()) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    return made;
  }
  return Execute("COMMIT");
}

Result<Statement> Connection::Prepare(const char* sql) {
  auto [place, is_new] = statements_.try_emplace(sql, nullptr);
  if (is_new) {
    const int code =
        sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &place->second, nullptr);
    if (code != SQLITE_OK) {
      statements_.erase(place);
      return DatabaseError(handle_, code);
    }
  }
  return Statement(place->second);
}

Status Connection::Execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? OkStatus() : DatabaseError(handle_, code);
}

bool Connection::HasMoved() const {
  int moved = 0;
  const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

Result<int64_t> Connection::DataVersion() {
  STAGED_ASSIGN_OR_RETURN(Statement statement, Prepare("PRAGMA data_version"));
  STAGED_ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Integer(0) : 0;
}

Result<std::unique_ptr<Connection>> DerivedDatabase::Acquire() {
  if (storage_ == DerivedStorage::kNone) {
    return Status(ErrorCode::kBusy,
                  "derived data is not kept; open the workspace with it to search");
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (!connection->HasMoved()) return connection;
    }
  }
  return OpenOrMake();
}

Result<std::unique_ptr<Connection>> DerivedDatabase::OpenOrMake() {
  const std::string path = directory_.path() + "/" + kDatabaseFile;
  Result<std::unique_ptr<Connection>> connection = Connection::Open(path);
  if (connection.ok() || connection.status().code() != ErrorCode::kPermissionDenied) {
    return connection;
  }
  Status made = directory_.MakeDirectory(kFolder, kFolderMode);
  if (!made.ok()) return made.code() == ErrorCode::kConflict ? connection.status() : made;
  return Connection::Open(path);
}

std::vector<std::string> DerivedDatabase::TakeNotes() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(notes_, {});
}

void DerivedDatabase::Release(std::unique_ptr<Connection> connection) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < kIdleConnectionsMax) idle_.push_back(std::move(connection));
}

Status DerivedDatabase::Rebuild(const Connection* damaged, const Status& why) {
  Result<std::unique_ptr<FileLock>> lock = directory_.Lock(kLockFile, LockWait::kWait);
  if (!lock.ok()) return lock.status();
  {
    std::lock_guard<std::mutex> guard(mutex_);
    idle_.clear();
    ++rebuild_count_;
  }
  // Another process was quicker: its new database is good.
  if (damaged != nullptr && damaged->HasMoved()) return OkStatus();
  for (const char* suffix : {"", "-wal", "-shm"}) {
    Status removed = directory_.RemoveFile(std::string(kDatabaseFile) + suffix);
    if (!removed.ok() && removed.code() != ErrorCode::kNotFound) return removed;
  }
  std::lock_guard<std::mutex> guard(mutex_);
  notes_.push_back("views and search index were unusable and are made anew (" + why.message() +
                   ")");
  return OkStatus();
}

Status DerivedDatabase::SetAside(const Connection* failed, const Status& why) {
  // A lock outside of the folder that moves. Whoever was quicker made a good one.
  STAGED_ASSIGN_OR_RETURN(const auto lock, directory_.Lock(kBrokenLockFile, LockWait::kWait));
  if (failed != nullptr ? failed->HasMoved() : OpenOrMake().ok()) return OkStatus();
  {
    std::lock_guard<std::mutex> guard(mutex_);
    idle_.clear();
    ++rebuild_count_;
  }
  Status moved;
  for (int number = 1; number <= kBrokenFoldersMax; ++number) {
    const std::string name =
        kBrokenFolder + (number == 1 ? std::string() : "-" + std::to_string(number));
    moved = directory_.RenameNew(kFolder, directory_, name);
    if (moved.code() == ErrorCode::kConflict) continue;
    if (!moved.ok()) break;
    STAGED_RETURN_IF_ERROR(directory_.MakeDirectory(kFolder, kFolderMode));
    std::lock_guard<std::mutex> guard(mutex_);
    notes_.push_back("views and search index could not be opened and are made anew; the old ones " +
                     ("are in .staged/" + name) + ", delete them (" + why.message() + ")");
    return OkStatus();
  }
  return {why.code(), why.message() + "; move .staged/derived away yourself: it is made anew (" +
                          moved.message() + ")"};
}

bool DerivedDatabase::is_in_memory() {
  const std::lock_guard<std::mutex> memory_guard(memory_mutex_);
  return memory_ != nullptr;
}

Status DerivedDatabase::UseMemory(const Status& why) {
  const std::lock_guard<std::mutex> memory_guard(memory_mutex_);
  if (memory_ != nullptr) return OkStatus();
  const bool is_damaged = why.code() == ErrorCode::kDataLoss;
  STAGED_ASSIGN_OR_RETURN(
      memory_, Connection::OpenCopy(is_damaged ? "" : directory_.path() + "/" + kDatabaseFile));
  const std::lock_guard<std::mutex> guard(mutex_);
  idle_.clear();
  ++rebuild_count_;
  notes_.push_back(
      "'" + directory_.path() +
      "' cannot be written: what is missing of views and search index is made in memory, each "
      "time anew");
  return OkStatus();
}

std::optional<Status> DerivedDatabase::RunInMemory(const char* begin, const Body& body) {
  const std::lock_guard<std::mutex> memory_guard(memory_mutex_);
  if (memory_ == nullptr) return {};
  return RunOnce(*memory_, begin, LockWait::kWait, body);
}

Status DerivedDatabase::RunOnce(Connection& connection, const char* begin, LockWait wait,
                                const Body& body) {
  sqlite3_busy_timeout(connection.handle(), wait == LockWait::kWait ? kWriteWaitMs : 0);
  if (begin == nullptr) return body(connection);
  STAGED_RETURN_IF_ERROR(connection.Execute(begin));
  Status status = body(connection);
  if (status.ok()) status = connection.Execute("COMMIT");
  if (!status.ok() && sqlite3_get_autocommit(connection.handle()) == 0) {
    sqlite3_exec(connection.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return status;
}

Status DerivedDatabase::Run(const char* begin, LockWait wait, const Body& body) {
  constexpr int kAttempts = 3;  // as it is, after a rebuild, in a new folder
  Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (std::optional<Status> answer = RunInMemory(begin, body)) return *std::move(answer);
    Result<std::unique_ptr<Connection>> connection = Acquire();
    status = connection.ok() ? RunOnce(**connection, begin, wait, body) : connection.status();
    if (status.ok() || status.code() == ErrorCode::kBusy) {
      if (connection.ok()) Release(std::move(*connection));
      return status;
    }
    const bool is_damaged = status.code() == ErrorCode::kDataLoss;
    const bool is_closed =
        status.code() == ErrorCode::kPermissionDenied || status.code() == ErrorCode::kIoError;
    if ((!is_damaged && !is_closed) || attempt + 1 == kAttempts) return status;
    const Connection* failed = connection.ok() ? connection->get() : nullptr;
    if (is_damaged && attempt == 0 && Rebuild(failed, status).ok()) continue;
    const Status aside = SetAside(failed, status);
    // The folder above is closed too: it is read-only as a whole.
    STAGED_RETURN_IF_ERROR(aside.code() == ErrorCode::kPermissionDenied ? UseMemory(status)
                                                                        : aside);
  }
  return status;
}

Status DerivedDatabase::Read(const Body& body) { return Run("BEGIN", LockWait::kWait, body); }

Status DerivedDatabase::Write(LockWait wait, const Body& body) {
  return Run("BEGIN IMMEDIATE", wait, body);
}

Status DerivedDatabase::Scrub() {
  if (!is_kept()) return OkStatus();
  const auto merge = [](Connection& connection) { return connection.Execute(kMergeIndexes); };
  STAGED_RETURN_IF_ERROR(Write(LockWait::kWait, merge));
  const auto compact = [](Connection& connection) -> Status {
    STAGED_RETURN_IF_ERROR(connection.Execute(kCompact));
    STAGED_ASSIGN_OR_RETURN(Statement empty_log,
                            connection.Prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
    STAGED_ASSIGN_OR_RETURN(const bool row, empty_log.Step());
    if (!row || empty_log.Integer(0) == 0) return OkStatus();
    return Status(ErrorCode::kBusy,
                  "another process reads views or searches; try again when it is done");
  };
  STAGED_RETURN_IF_ERROR(Run(nullptr, LockWait::kWait, compact));
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, directory_.List(""));
  for (const DirectoryItem& item : items) {
    if (!item.name.starts_with(kBrokenFolder) || item.kind != FileKind::kDirectory) continue;
    STAGED_RETURN_IF_ERROR(RemoveFolder(directory_, item.name));
  }
  return OkStatus();
}

}  // namespace staged
