#include "journal/sqlite_connection.h"

#include <sqlite3.h>

#include <utility>

namespace staged {
namespace {

constexpr std::string_view kDamaged =
    "; restore it from a backup or an export, then run `staged fsck`";

Status DamagedRow() {
  return {ErrorCode::kDataLoss, "the journal has a damaged row" + std::string(kDamaged)};
}

}  // namespace

Status SqliteError(sqlite3* database, int code, std::string_view doing) {
  std::string text = "the journal failed while " + std::string(doing) + ": " +
                     (database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code)) +
                     " (" + std::to_string(code) + ")";
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return {ErrorCode::kDataLoss, text + std::string(kDamaged)};
    case SQLITE_FULL:
      return {ErrorCode::kLimitExceeded, text + "; free disk space, then try again"};
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      return {ErrorCode::kLimitExceeded, text + "; split the change into smaller ones"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kBusy, text + "; another process is at work, try again"};
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return {ErrorCode::kPermissionDenied, text + "; check who owns the journal's files"};
    default:
      return {ErrorCode::kIoError, text + "; check the disk, then try again"};
  }
}

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      in_use_(std::exchange(other.in_use_, nullptr)),
      error_(other.error_),
      parameter_(other.parameter_) {}

SqliteStatement::~SqliteStatement() {
  if (in_use_ == nullptr) {
    sqlite3_finalize(statement_);
    return;
  }
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  *in_use_ = false;
}

void SqliteStatement::Note(int code) {
  if (error_ == SQLITE_OK) error_ = code;
}

SqliteStatement& SqliteStatement::BindInteger(int64_t number) {
  ++parameter_;
  if (statement_ != nullptr) Note(sqlite3_bind_int64(statement_, parameter_, number));
  return *this;
}

SqliteStatement& SqliteStatement::BindText(std::string_view text) {
  ++parameter_;
  if (statement_ == nullptr) return *this;
  const char* data = text.data() == nullptr ? "" : text.data();
  Note(sqlite3_bind_text64(statement_, parameter_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::BindBlob(std::string_view bytes) {
  ++parameter_;
  if (statement_ == nullptr) return *this;
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  Note(sqlite3_bind_blob64(statement_, parameter_, data, bytes.size(), SQLITE_STATIC));
  return *this;
}

SqliteStatement& SqliteStatement::BindNull() {
  ++parameter_;
  if (statement_ != nullptr) Note(sqlite3_bind_null(statement_, parameter_));
  return *this;
}

SqliteStatement& SqliteStatement::BindOptionalHash(const OptionalEntry& entry) {
  return entry ? BindHash(entry->hash) : BindNull();
}

SqliteStatement& SqliteStatement::BindEntry(const OptionalEntry& entry) {
  if (!entry) return BindNull().BindNull();
  return BindInteger(static_cast<int64_t>(entry->kind)).BindHash(entry->hash);
}

void SqliteStatement::Reset() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
  parameter_ = 0;
}

Result<bool> SqliteStatement::Step() {
  if (error_ != SQLITE_OK) return connection_->Error(error_, "preparing a query");
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->Error(code, "running a query");
}

Status SqliteStatement::Run() {
  STAGED_ASSIGN_OR_RETURN(bool more, Step());
  while (more) {
    STAGED_ASSIGN_OR_RETURN(more, Step());
  }
  return OkStatus();
}

int64_t SqliteStatement::GetInteger(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view SqliteStatement::GetBytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<size_t>(size)};
}

bool SqliteStatement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<ContentHash> SqliteStatement::GetHash(int column) const {
  const std::string_view raw = GetBytes(column);
  if (raw.size() != ContentHash::kSizeBytes) return DamagedRow();
  return ContentHash::FromRaw(raw);
}

Result<OptionalEntry> SqliteStatement::GetEntry(int kind_column) const {
  if (IsNull(kind_column)) return OptionalEntry();
  const int64_t kind = GetInteger(kind_column);
  if (kind < static_cast<int64_t>(EntryKind::kFile) ||
      kind > static_cast<int64_t>(EntryKind::kSymlink)) {
    return DamagedRow();
  }
  STAGED_ASSIGN_OR_RETURN(const ContentHash hash, GetHash(kind_column + 1));
  return OptionalEntry(Entry{static_cast<EntryKind>(kind), hash});
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::Open(const std::string& path,
                                                                 const std::string& vfs,
                                                                 SqliteOpen mode) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == SqliteOpen::kCreate ? SQLITE_OPEN_CREATE : 0);
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &database, flags, vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    Status error = SqliteError(database, code, "opening " + path);
    sqlite3_close(database);
    return error;
  }
  return std::unique_ptr<SqliteConnection>(new SqliteConnection(database));
}

SqliteConnection::~SqliteConnection() {
  for (auto& [sql, cached] : statements_) sqlite3_finalize(cached.statement);
  sqlite3_close(database_);
}

SqliteStatement SqliteConnection::Prepare(std::string_view sql) {
  Cached& cached = statements_[std::string(sql)];
  if (cached.statement != nullptr && !cached.in_use) {
    cached.in_use = true;
    return {this, cached.statement, &cached.in_use, SQLITE_OK};
  }
  const bool keep = cached.statement == nullptr;
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                                      keep ? SQLITE_PREPARE_PERSISTENT : 0, &statement, nullptr);
  if (code != SQLITE_OK || !keep) return {this, statement, nullptr, code};
  cached = {statement, true};
  return {this, statement, &cached.in_use, SQLITE_OK};
}

Status SqliteConnection::Execute(std::string_view sql) { return Prepare(sql).Run(); }

Status SqliteConnection::ExecuteScript(const std::string& sql) {
  const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return OkStatus();
  return Error(code, "running a script");
}

Result<int64_t> SqliteConnection::QueryInteger(std::string_view sql) {
  SqliteStatement statement = Prepare(sql);
  STAGED_ASSIGN_OR_RETURN(const bool found, statement.Step());
  return found ? statement.GetInteger(0) : 0;
}

void SqliteConnection::KeepLogOnClose() {
  sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_wal_hook(
      database_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteConnection*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
}

void SqliteConnection::Checkpoint(LogAfter after) {
  const int mode = after == LogAfter::kCut ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  sqlite3_wal_checkpoint_v2(database_, nullptr, mode, nullptr, nullptr);
}

bool SqliteConnection::in_transaction() const { return sqlite3_get_autocommit(database_) == 0; }

void SqliteConnection::RollBack() {
  if (!in_transaction()) return;
  if (!Execute("ROLLBACK").ok() && in_transaction()) healthy_ = false;
}

Status SqliteConnection::Error(int code, std::string_view doing) {
  const int primary = code & 0xff;
  if (primary != SQLITE_BUSY && primary != SQLITE_LOCKED && primary != SQLITE_FULL) {
    healthy_ = false;
  }
  return SqliteError(database_, code, doing);
}

}  // namespace staged
