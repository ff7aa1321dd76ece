#pragma once

#include <span>
#include <string>

#include "journal/sqlite_connection.h"
#include "staged/status.h"

// The journal's tables (docs/storage-format.md) and how an older version of them becomes this one.
namespace staged {

// "SWJL": marks a database as a journal (PRAGMA application_id).
inline constexpr int64_t kJournalApplicationId = 0x53574a4c;

// Brings the tables from `from_version` to the next one.
struct SchemaUpgrade {
  int64_t from_version = 0;
  const char* script = "";
};

struct Schema {
  int64_t version = 0;
  const char* script = "";                  // makes all tables of `version`
  std::span<const SchemaUpgrade> upgrades;  // one for each older version that can be read
};

[[nodiscard]] const Schema& JournalSchema();

// Makes the tables in an empty database, in one transaction. kConflict if it is not empty.
Status CreateSchema(SqliteConnection& connection, const Schema& schema);

// Checks that the database is a journal of this version. An older one is first copied to
// "<path>.v<version>.backup", then upgraded in one transaction.
// Errors: kDataLoss (no journal), kUnsupportedEdit (newer version, or too old).
Status OpenSchema(SqliteConnection& connection, const Schema& schema, const std::string& path,
                  const std::string& vfs);

// Makes the file readable and writable by its owner only. Does nothing for a `vfs` other than the
// default: its files are no files of the system.
Status RestrictToOwner(const std::string& path, const std::string& vfs);

}  // namespace staged
