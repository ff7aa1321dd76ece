#include "journal/sqlite_verify.h"

#include <algorithm>
#include <string>

#include "journal/operation_encoding.h"
#include "journal/sqlite_queries.h"

namespace staged {
namespace {

constexpr int64_t kProgressEvery = 256;

Status Broken(const std::string& what) {
  return {ErrorCode::kDataLoss,
          "the journal is damaged: " + what + "; restore it from a backup or an export"};
}

Status CheckPages(SqliteConnection& connection) {
  SqliteStatement rows = connection.Prepare("PRAGMA integrity_check(1)");
  STAGED_ASSIGN_OR_RETURN(const bool found, rows.Step());
  if (!found || rows.GetBytes(0) == "ok") return OkStatus();
  std::string what = rows.GetString(0);
  std::replace(what.begin(), what.end(), '\n', ' ');
  return Broken(what);
}

// The rows that paths are searched by.
Status CheckPaths(SqliteConnection& connection, const Operation& operation) {
  SqliteStatement row = connection.Prepare(
      "SELECT base_hash, result_hash FROM operation_paths "
      "WHERE path = ? AND sequence = ? AND position = ?");
  const auto equals = [&](int column, const OptionalEntry& entry) {
    if (!entry) return row.IsNull(column);
    return !row.IsNull(column) && row.GetBytes(column) == entry->hash.raw();
  };
  for (size_t i = 0; i < operation.changes.size(); ++i) {
    const PathChange& change = operation.changes[i];
    row.Reset();
    row.BindText(change.path).BindInteger(operation.sequence).BindInteger(static_cast<int64_t>(i));
    STAGED_ASSIGN_OR_RETURN(const bool found, row.Step());
    if (!found || !equals(0, change.base) || !equals(1, change.result)) {
      return Broken("operation " + std::to_string(operation.sequence) +
                    " is not listed as it should be under " + change.path);
    }
  }
  return OkStatus();
}

// Columns sequence, chain, encoding, branch, turn, actor, type, time_ns.
Status CheckRow(const SqliteStatement& row, int64_t sequence, ContentHash& chain,
                Operation& operation) {
  const std::string name = "operation " + std::to_string(sequence);
  if (row.GetInteger(0) != sequence) return Broken(name + " is missing");
  chain = NextChain(chain, row.GetBytes(2));
  if (row.GetBytes(1) != chain.raw()) return Broken("the hash chain does not hold at " + name);
  Result<Operation> decoded = DecodeOperation(row.GetBytes(2));
  if (!decoded.ok()) {
    if (decoded.status().code() != ErrorCode::kDataLoss) return decoded.status();
    return Broken(name + " cannot be decoded");
  }
  operation = *std::move(decoded);
  if (operation.sequence != sequence || operation.branch != row.GetBytes(3) ||
      operation.turn != row.GetBytes(4) || operation.actor.name != row.GetBytes(5) ||
      static_cast<int64_t>(operation.type) != row.GetInteger(6) ||
      operation.time_ns != row.GetInteger(7)) {
    return Broken("the columns of " + name + " do not say what it says");
  }
  return OkStatus();
}

}  // namespace

Status VerifySqliteJournal(SqliteConnection& connection,
                           const std::function<void(int64_t done, int64_t total)>& progress) {
  STAGED_ASSIGN_OR_RETURN(const int64_t total,
                          connection.QueryInteger("SELECT count(*) FROM operations"));
  if (progress) progress(0, total);
  STAGED_RETURN_IF_ERROR(CheckPages(connection));
  SqliteStatement rows = connection.Prepare(
      "SELECT sequence, chain, encoding, branch, turn, actor, type, time_ns FROM operations "
      "ORDER BY sequence");
  ContentHash chain;
  int64_t done = 0;
  int64_t path_count = 0;
  Operation operation;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    STAGED_RETURN_IF_ERROR(CheckRow(rows, done + 1, chain, operation));
    STAGED_RETURN_IF_ERROR(CheckPaths(connection, operation));
    path_count += static_cast<int64_t>(operation.changes.size());
    ++done;
    if (progress && done % kProgressEvery == 0) progress(done, total);
  }
  STAGED_ASSIGN_OR_RETURN(const int64_t listed,
                          connection.QueryInteger("SELECT count(*) FROM operation_paths"));
  if (listed != path_count) return Broken("paths are listed that no operation names");
  if (progress) progress(done, total);
  return OkStatus();
}

}  // namespace staged
