#include "journal/sqlite_schema.h"

#include <sqlite3.h>

#include <filesystem>
#include <system_error>

namespace staged {
namespace {

// Tables are WITHOUT ROWID where the key is the whole point and rows are small; those with blobs or
// an integer key are not.
constexpr const char* kScript = R"sql(
CREATE TABLE operations(
  sequence INTEGER PRIMARY KEY,
  branch TEXT NOT NULL,
  turn TEXT NOT NULL,
  actor TEXT NOT NULL,
  type INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  chain BLOB NOT NULL,
  encoding BLOB NOT NULL);
CREATE INDEX operations_branch ON operations(branch);
CREATE INDEX operations_turn ON operations(turn) WHERE turn <> '';
CREATE TABLE operation_paths(
  path TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  position INTEGER NOT NULL,
  base_hash BLOB,
  result_hash BLOB,
  PRIMARY KEY(path, sequence, position)) WITHOUT ROWID;
CREATE TABLE accepted(
  path TEXT PRIMARY KEY NOT NULL,
  kind INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sequence INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE accepted_history(
  path TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind INTEGER,
  hash BLOB,
  PRIMARY KEY(path, sequence)) WITHOUT ROWID;
CREATE TABLE live(
  sequence INTEGER PRIMARY KEY,
  branch TEXT NOT NULL);
CREATE INDEX live_branch ON live(branch);
CREATE TABLE live_paths(
  branch TEXT NOT NULL,
  path TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY(branch, path, sequence)) WITHOUT ROWID;
CREATE TABLE receipts(
  id TEXT PRIMARY KEY NOT NULL,
  branch TEXT NOT NULL,
  path TEXT NOT NULL,
  state INTEGER NOT NULL,
  base_kind INTEGER,
  base_hash BLOB,
  staged_kind INTEGER,
  staged_hash BLOB,
  review_sequence INTEGER NOT NULL,
  staged_sequence INTEGER NOT NULL,
  evidence BLOB NOT NULL);
CREATE INDEX receipts_open ON receipts(branch, path, review_sequence, id) WHERE state <= 3;
CREATE TABLE publications(
  sequence INTEGER NOT NULL,
  path TEXT NOT NULL,
  owner TEXT NOT NULL,
  base_kind INTEGER,
  base_hash BLOB,
  result_kind INTEGER,
  result_hash BLOB,
  PRIMARY KEY(sequence, path)) WITHOUT ROWID;
CREATE TABLE branches(
  name TEXT PRIMARY KEY NOT NULL,
  kind INTEGER NOT NULL,
  created_sequence INTEGER NOT NULL,
  lease_epoch INTEGER NOT NULL,
  lease_holder TEXT NOT NULL,
  lease_expires_ns INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE requests(
  id TEXT PRIMARY KEY NOT NULL,
  answer BLOB NOT NULL);
CREATE TABLE settings(
  name TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL) WITHOUT ROWID;
)sql";

std::string SetVersion(int64_t version) {
  return "PRAGMA user_version = " + std::to_string(version);
}

Status CheckIdentity(SqliteConnection& connection, const Schema& schema, int64_t& version) {
  STAGED_ASSIGN_OR_RETURN(const int64_t id, connection.QueryInteger("PRAGMA application_id"));
  STAGED_ASSIGN_OR_RETURN(version, connection.QueryInteger("PRAGMA user_version"));
  if (id != kJournalApplicationId || version <= 0) {
    return {ErrorCode::kDataLoss,
            "the journal's file holds no journal; restore it from a backup or an export"};
  }
  if (version > schema.version) {
    return {ErrorCode::kUnsupportedEdit,
            "the journal has version " + std::to_string(version) + ", this program knows up to " +
                std::to_string(schema.version) + "; use a newer staged"};
  }
  return OkStatus();
}

const SchemaUpgrade* FindUpgrade(const Schema& schema, int64_t from_version) {
  for (const SchemaUpgrade& upgrade : schema.upgrades) {
    if (upgrade.from_version == from_version) return &upgrade;
  }
  return nullptr;
}

// A whole copy, durable on return. It is made by a connection of its own, since the upgrading one
// is inside a transaction that keeps other writers out.
Status BackUp(const std::string& path, const std::string& vfs, const std::string& copy) {
  sqlite3_vfs* files = sqlite3_vfs_find(vfs.empty() ? nullptr : vfs.c_str());
  if (files == nullptr) return {ErrorCode::kInvalidArgument, "no such SQLite VFS: " + vfs};
  if (const int code = files->xDelete(files, copy.c_str(), 1);
      code != SQLITE_OK && code != SQLITE_IOERR_DELETE_NOENT) {
    return SqliteError(nullptr, code, "removing an old " + copy);
  }
  {
    STAGED_ASSIGN_OR_RETURN(auto empty, SqliteConnection::Open(copy, vfs, SqliteOpen::kCreate));
    STAGED_RETURN_IF_ERROR(RestrictToOwner(copy, vfs));
  }
  STAGED_ASSIGN_OR_RETURN(auto source, SqliteConnection::Open(path, vfs, SqliteOpen::kExisting));
  STAGED_RETURN_IF_ERROR(source->Execute("PRAGMA synchronous = FULL"));
  return source->Prepare("VACUUM INTO ?1").BindText(copy).Run();
}

Status Upgrade(SqliteConnection& connection, const Schema& schema, const std::string& path,
               const std::string& vfs) {
  int64_t version = 0;  // again, now that no other process can upgrade it
  STAGED_RETURN_IF_ERROR(CheckIdentity(connection, schema, version));
  if (version == schema.version) return OkStatus();
  for (int64_t step = version; step < schema.version; ++step) {
    if (FindUpgrade(schema, step) == nullptr) {
      return {ErrorCode::kUnsupportedEdit, "the journal has version " + std::to_string(version) +
                                               ", too old for this program; upgrade it with an "
                                               "earlier staged first"};
    }
  }
  STAGED_RETURN_IF_ERROR(BackUp(path, vfs, path + ".v" + std::to_string(version) + ".backup"));
  for (; version < schema.version; ++version) {
    STAGED_RETURN_IF_ERROR(connection.ExecuteScript(FindUpgrade(schema, version)->script));
  }
  return connection.Execute(SetVersion(version));
}

}  // namespace

const Schema& JournalSchema() {
  static const Schema schema{.version = 1, .script = kScript, .upgrades = {}};
  return schema;
}

Status RestrictToOwner(const std::string& path, const std::string& vfs) {
  if (!vfs.empty()) return OkStatus();
  std::error_code error;
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
  if (!error) return OkStatus();
  return {ErrorCode::kIoError,
          "cannot make " + path + " private: " + error.message() + "; check who owns its folder"};
}

Status CreateSchema(SqliteConnection& connection, const Schema& schema) {
  STAGED_RETURN_IF_ERROR(connection.Execute("BEGIN IMMEDIATE"));
  const auto create = [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const int64_t tables,
                            connection.QueryInteger("SELECT count(*) FROM sqlite_schema"));
    if (tables != 0) {
      return {ErrorCode::kConflict, "there is a journal already; open it instead"};
    }
    STAGED_RETURN_IF_ERROR(connection.ExecuteScript(schema.script));
    STAGED_RETURN_IF_ERROR(
        connection.Execute("PRAGMA application_id = " + std::to_string(kJournalApplicationId)));
    STAGED_RETURN_IF_ERROR(connection.Execute(SetVersion(schema.version)));
    return connection.Execute("COMMIT");
  };
  Status status = create();
  connection.RollBack();
  return status;
}

Status OpenSchema(SqliteConnection& connection, const Schema& schema, const std::string& path,
                  const std::string& vfs) {
  int64_t version = 0;
  STAGED_RETURN_IF_ERROR(CheckIdentity(connection, schema, version));
  if (version == schema.version) return OkStatus();
  STAGED_RETURN_IF_ERROR(connection.Execute("BEGIN IMMEDIATE"));
  Status status = Upgrade(connection, schema, path, vfs);
  if (status.ok()) status = connection.Execute("COMMIT");
  connection.RollBack();
  return status;
}

}  // namespace staged
