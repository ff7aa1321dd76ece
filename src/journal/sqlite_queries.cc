#include "journal/sqlite_queries.h"

#include <unordered_set>

#include "base/binary.h"
#include "journal/operation_encoding.h"
#include "journal/wal_sync_vfs.h"

namespace staged {
namespace {

Status Damaged(std::string_view what) {
  return {ErrorCode::kDataLoss, std::string(what) + " is damaged; run `staged fsck`"};
}

// Columns sequence, chain, encoding from `column` on.
Result<Operation> GetOperation(const SqliteStatement& row, int column) {
  const int64_t sequence = row.GetInteger(column);
  STAGED_ASSIGN_OR_RETURN(Operation operation, DecodeOperation(row.GetBytes(column + 2)));
  if (operation.sequence != sequence) {
    return Damaged("operation " + std::to_string(sequence) + " of the journal");
  }
  STAGED_ASSIGN_OR_RETURN(operation.chain, row.GetHash(column + 1));
  return operation;
}

constexpr std::string_view kReceiptColumns =
    "SELECT id, branch, path, state, base_kind, base_hash, staged_kind, staged_hash, "
    "review_sequence, staged_sequence, evidence FROM receipts ";

Result<ReceiptRow> GetReceipt(const SqliteStatement& row) {
  ReceiptRow receipt;
  receipt.id = row.GetString(0);
  receipt.branch = row.GetString(1);
  receipt.path = row.GetString(2);
  const int64_t state = row.GetInteger(3);
  if (state < static_cast<int64_t>(ReceiptState::kMinted) ||
      state > static_cast<int64_t>(ReceiptState::kConsumed)) {
    return Damaged("receipt " + receipt.id);
  }
  receipt.state = static_cast<ReceiptState>(state);
  STAGED_ASSIGN_OR_RETURN(receipt.base, row.GetEntry(4));
  STAGED_ASSIGN_OR_RETURN(receipt.staged, row.GetEntry(6));
  receipt.review_sequence = row.GetInteger(8);
  receipt.staged_sequence = row.GetInteger(9);
  BinaryReader evidence(row.GetBytes(10));
  receipt.evidence = evidence.GetValue();
  STAGED_RETURN_IF_ERROR(evidence.Finish("receipt " + receipt.id));
  return receipt;
}

constexpr std::string_view kBranchColumns =
    "SELECT name, kind, created_sequence, lease_epoch, lease_holder, lease_expires_ns "
    "FROM branches ";

Result<BranchRow> GetBranch(const SqliteStatement& row) {
  BranchRow branch;
  branch.name = row.GetString(0);
  const int64_t kind = row.GetInteger(1);
  if (kind < static_cast<int64_t>(BranchKind::kChat) ||
      kind > static_cast<int64_t>(BranchKind::kHuman)) {
    return Damaged("branch " + branch.name);
  }
  branch.kind = static_cast<BranchKind>(kind);
  branch.created_sequence = row.GetInteger(2);
  branch.lease_epoch = row.GetInteger(3);
  branch.lease_holder = row.GetString(4);
  branch.lease_expires_ns = row.GetInteger(5);
  return branch;
}

// Columns path, kind, hash, sequence. Rows without an entry (absent then) are left out.
Result<std::vector<AcceptedEntry>> GetTree(SqliteStatement& rows) {
  std::vector<AcceptedEntry> tree;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return tree;
    STAGED_ASSIGN_OR_RETURN(const OptionalEntry entry, rows.GetEntry(1));
    if (entry) tree.push_back({rows.GetString(0), *entry, rows.GetInteger(3)});
  }
}

Result<std::optional<std::string>> GetOptionalBytes(SqliteStatement statement) {
  STAGED_ASSIGN_OR_RETURN(const bool found, statement.Step());
  if (!found) return std::optional<std::string>();
  return std::optional<std::string>(statement.GetString(0));
}

// The query of a scan: through the paths' key where a path is asked for, else by sequence or by the
// index of branch or turn. Types are numbers of ours, so they may stand in the text.
std::string ScanQuery(const OperationFilter& filter) {
  std::string sql = "SELECT o.sequence, o.chain, o.encoding FROM ";
  const std::string key = filter.path ? "p.sequence" : "o.sequence";
  sql += filter.path ? "operation_paths p CROSS JOIN operations o ON o.sequence = p.sequence WHERE "
                       "p.path = ? AND "
                     : "operations o WHERE ";
  sql += key + " > ? AND " + key + " <= ?";
  if (filter.branch) sql += " AND o.branch = ?";
  if (filter.actor) sql += " AND o.actor = ?";
  if (filter.turn)
    sql += filter.turn->empty() ? " AND o.turn = ?" : " AND o.turn = ? AND o.turn <> ''";
  if (!filter.types.empty()) {
    sql += " AND o.type IN (";
    for (size_t i = 0; i < filter.types.size(); ++i) {
      sql += (i == 0 ? "" : ",") + std::to_string(static_cast<int>(filter.types[i]));
    }
    sql += ")";
  }
  return sql + " ORDER BY " + key + (filter.newest_first ? " DESC" : "");
}

// Strings that are exactly one written hash, anywhere inside.
void ForEachHashIn(const Value& value, const std::function<void(const ContentHash&)>& visit) {
  if (value.is_string()) {
    if (const auto hash = ContentHash::Parse(value.as_string()); hash.ok()) visit(*hash);
  } else if (value.is_array()) {
    for (const Value& item : value.as_array()) ForEachHashIn(item, visit);
  } else if (value.is_object()) {
    for (const Value::Member& member : value.as_object()) ForEachHashIn(member.second, visit);
  }
}

}  // namespace

Result<JournalHead> SqliteQueries::Head() {
  SqliteStatement row =
      connection_.Prepare("SELECT sequence, chain FROM operations ORDER BY sequence DESC LIMIT 1");
  STAGED_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return JournalHead();
  STAGED_ASSIGN_OR_RETURN(const ContentHash chain, row.GetHash(1));
  return JournalHead{row.GetInteger(0), chain};
}

Result<Operation> SqliteQueries::Read(int64_t sequence) {
  SqliteStatement row =
      connection_.Prepare("SELECT sequence, chain, encoding FROM operations WHERE sequence = ?");
  STAGED_ASSIGN_OR_RETURN(const bool found, row.BindInteger(sequence).Step());
  if (!found) {
    return Status(ErrorCode::kNotFound, "there is no operation " + std::to_string(sequence) +
                                            "; `staged log` lists those there are");
  }
  return GetOperation(row, 0);
}

Status SqliteQueries::Scan(const OperationFilter& filter,
                           const std::function<bool(const Operation&)>& visit) {
  SqliteStatement rows = connection_.Prepare(ScanQuery(filter));
  if (filter.path) rows.BindText(*filter.path);
  rows.BindInteger(filter.after_sequence).BindInteger(filter.up_to_sequence);
  if (filter.branch) rows.BindText(*filter.branch);
  if (filter.actor) rows.BindText(*filter.actor);
  if (filter.turn) rows.BindText(*filter.turn);
  int64_t previous = 0;
  for (size_t count = 0; count < filter.limit;) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    // An operation that names a path twice has two rows there.
    if (rows.GetInteger(0) == previous) continue;
    previous = rows.GetInteger(0);
    STAGED_ASSIGN_OR_RETURN(const Operation operation, GetOperation(rows, 0));
    ++count;
    if (!visit(operation)) break;
  }
  return OkStatus();
}

Result<std::optional<AcceptedEntry>> SqliteQueries::Accepted(const std::string& path) {
  SqliteStatement row =
      connection_.Prepare("SELECT kind, hash, sequence FROM accepted WHERE path = ?");
  STAGED_ASSIGN_OR_RETURN(const bool found, row.BindText(path).Step());
  if (!found) return std::optional<AcceptedEntry>();
  STAGED_ASSIGN_OR_RETURN(const OptionalEntry entry, row.GetEntry(0));
  if (!entry) return Damaged("the accepted entry of " + path);
  return std::optional<AcceptedEntry>({path, *entry, row.GetInteger(2)});
}

Result<std::vector<AcceptedEntry>> SqliteQueries::AcceptedTree() {
  SqliteStatement rows =
      connection_.Prepare("SELECT path, kind, hash, sequence FROM accepted ORDER BY path");
  return GetTree(rows);
}

Result<std::vector<AcceptedEntry>> SqliteQueries::AcceptedTreeAt(int64_t sequence) {
  // Beside MAX the other columns are those of the row that has it.
  SqliteStatement rows = connection_.Prepare(
      "SELECT path, kind, hash, MAX(sequence) FROM accepted_history WHERE sequence <= ? "
      "GROUP BY path ORDER BY path");
  rows.BindInteger(sequence);
  return GetTree(rows);
}

Result<std::vector<Operation>> SqliteQueries::LiveOperations(const std::string& branch) {
  SqliteStatement rows = connection_.Prepare(
      "SELECT o.sequence, o.chain, o.encoding FROM live l CROSS JOIN operations o "
      "ON o.sequence = l.sequence WHERE l.branch = ? ORDER BY l.sequence");
  rows.BindText(branch);
  std::vector<Operation> operations;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return operations;
    STAGED_ASSIGN_OR_RETURN(Operation operation, GetOperation(rows, 0));
    operations.push_back(std::move(operation));
  }
}

Result<std::vector<std::pair<std::string, std::string>>> SqliteQueries::LivePaths() {
  SqliteStatement rows =
      connection_.Prepare("SELECT DISTINCT branch, path FROM live_paths ORDER BY branch, path");
  std::vector<std::pair<std::string, std::string>> paths;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return paths;
    paths.emplace_back(rows.GetString(0), rows.GetString(1));
  }
}

Result<bool> SqliteQueries::IsLive(int64_t sequence) {
  return connection_.Prepare("SELECT 1 FROM live WHERE sequence = ?").BindInteger(sequence).Step();
}

Result<std::optional<ReceiptRow>> SqliteQueries::Receipt(const std::string& id) {
  SqliteStatement row = connection_.Prepare(std::string(kReceiptColumns) + "WHERE id = ?");
  STAGED_ASSIGN_OR_RETURN(const bool found, row.BindText(id).Step());
  if (!found) return std::optional<ReceiptRow>();
  STAGED_ASSIGN_OR_RETURN(ReceiptRow receipt, GetReceipt(row));
  return std::optional<ReceiptRow>(std::move(receipt));
}

Result<std::vector<ReceiptRow>> SqliteQueries::Receipts(const std::string& branch) {
  SqliteStatement rows =
      connection_.Prepare(std::string(kReceiptColumns) +
                          "WHERE branch = ? AND state <= 3 ORDER BY path, review_sequence, id");
  rows.BindText(branch);
  std::vector<ReceiptRow> receipts;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return receipts;
    STAGED_ASSIGN_OR_RETURN(ReceiptRow receipt, GetReceipt(rows));
    receipts.push_back(std::move(receipt));
  }
}

Result<std::vector<PublicationRow>> SqliteQueries::Publications() {
  SqliteStatement rows = connection_.Prepare(
      "SELECT sequence, owner, path, base_kind, base_hash, result_kind, result_hash "
      "FROM publications ORDER BY sequence, path");
  std::vector<PublicationRow> publications;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return publications;
    PublicationRow publication{rows.GetInteger(0), rows.GetString(1), rows.GetString(2), {}, {}};
    STAGED_ASSIGN_OR_RETURN(publication.base, rows.GetEntry(3));
    STAGED_ASSIGN_OR_RETURN(publication.result, rows.GetEntry(5));
    publications.push_back(std::move(publication));
  }
}

Result<std::optional<BranchRow>> SqliteQueries::Branch(const std::string& name) {
  SqliteStatement row = connection_.Prepare(std::string(kBranchColumns) + "WHERE name = ?");
  STAGED_ASSIGN_OR_RETURN(const bool found, row.BindText(name).Step());
  if (!found) return std::optional<BranchRow>();
  STAGED_ASSIGN_OR_RETURN(BranchRow branch, GetBranch(row));
  return std::optional<BranchRow>(std::move(branch));
}

Result<std::vector<BranchRow>> SqliteQueries::Branches() {
  SqliteStatement rows = connection_.Prepare(std::string(kBranchColumns) + "ORDER BY name");
  std::vector<BranchRow> branches;
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return branches;
    STAGED_ASSIGN_OR_RETURN(BranchRow branch, GetBranch(rows));
    branches.push_back(std::move(branch));
  }
}

Result<std::optional<std::string>> SqliteQueries::RequestAnswer(const std::string& request_id) {
  SqliteStatement row = connection_.Prepare("SELECT answer FROM requests WHERE id = ?");
  row.BindText(request_id);
  STAGED_ASSIGN_OR_RETURN(auto answer, GetOptionalBytes(std::move(row)));
  // The answer will be given without another commit, so what it says must not be lost any more.
  if (answer) STAGED_RETURN_IF_ERROR(SyncLog(connection_));
  return answer;
}

Result<bool> SqliteQueries::WasAt(const std::string& path, const ContentHash& hash) {
  SqliteStatement row = connection_.Prepare(
      "SELECT 1 FROM operation_paths WHERE path = ? AND (base_hash = ? OR result_hash = ?) LIMIT "
      "1");
  return row.BindText(path).BindHash(hash).BindHash(hash).Step();
}

Status SqliteQueries::ForEachHash(const std::function<void(const ContentHash&)>& visit) {
  std::unordered_set<ContentHash> seen;
  const auto visit_once = [&](const ContentHash& hash) {
    if (seen.insert(hash).second) visit(hash);
  };
  {
    SqliteStatement rows = connection_.Prepare(
        "SELECT base_hash FROM operation_paths UNION SELECT result_hash FROM operation_paths "
        "UNION SELECT hash FROM accepted UNION SELECT hash FROM accepted_history "
        "UNION SELECT base_hash FROM receipts UNION SELECT staged_hash FROM receipts "
        "UNION SELECT base_hash FROM publications UNION SELECT result_hash FROM publications");
    while (true) {
      STAGED_ASSIGN_OR_RETURN(const bool more, rows.Step());
      if (!more) break;
      if (rows.IsNull(0)) continue;
      STAGED_ASSIGN_OR_RETURN(const ContentHash hash, rows.GetHash(0));
      visit_once(hash);
    }
  }
  STAGED_RETURN_IF_ERROR(Scan({}, [&](const Operation& operation) {
    ForEachHashIn(operation.payload, visit_once);
    return true;
  }));
  SqliteStatement receipts = connection_.Prepare(kReceiptColumns);
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, receipts.Step());
    if (!more) break;
    STAGED_ASSIGN_OR_RETURN(const ReceiptRow receipt, GetReceipt(receipts));
    ForEachHashIn(receipt.evidence, visit_once);
  }
  SqliteStatement settings = connection_.Prepare("SELECT value FROM settings");
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool more, settings.Step());
    if (!more) return OkStatus();
    if (const auto hash = ContentHash::Parse(settings.GetBytes(0)); hash.ok()) visit_once(*hash);
  }
}

Result<std::optional<std::string>> SqliteQueries::Setting(const std::string& name) {
  SqliteStatement row = connection_.Prepare("SELECT value FROM settings WHERE name = ?");
  row.BindText(name);
  return GetOptionalBytes(std::move(row));
}

}  // namespace staged
