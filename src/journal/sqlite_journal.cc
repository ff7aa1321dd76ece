#include "journal/sqlite_journal.h"

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/binary.h"
#include "journal/operation_encoding.h"
#include "journal/sqlite_connection.h"
#include "journal/sqlite_queries.h"
#include "journal/sqlite_schema.h"
#include "journal/sqlite_verify.h"
#include "journal/wal_sync_vfs.h"

namespace staged {
namespace {

using Durability = JournalTransaction::Durability;

constexpr int kIdleConnectionsMax = 4;
constexpr int kReaderWaitMs = 10'000;   // for another process's recovery, which is short
constexpr size_t kHugeChanges = 2'000;  // whose commit fills the log beyond a checkpoint
constexpr int kPollMicrosecondsMin = 200;
constexpr int kPollMicrosecondsMax = 3'000;

Status Busy(int wait_ms) {
  return {ErrorCode::kBusy, "another writer held the journal for " + std::to_string(wait_ms) +
                                " ms; try again, or with a longer wait"};
}

// Lets threads write one after the other, in the order of their asking.
class WriterQueue {
 public:
  // Waits up to `wait_ms`; what is left of it is put back. False: still taken.
  bool Enter(int& wait_ms) {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t ticket = next_ticket_++;
    tickets_.push_back(ticket);
    while (busy_ || tickets_.front() != ticket) {
      const int slice_ms = std::min(wait_ms, kSliceMs);
      if (slice_ms <= 0) {
        std::erase(tickets_, ticket);
        changed_.notify_all();
        return false;
      }
      if (changed_.wait_for(lock, std::chrono::milliseconds(slice_ms)) == std::cv_status::timeout) {
        wait_ms -= slice_ms;
      }
    }
    tickets_.pop_front();
    busy_ = true;
    return true;
  }

  void Leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    busy_ = false;
    changed_.notify_all();
  }

 private:
  static constexpr int kSliceMs = 10;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<uint64_t> tickets_;
  uint64_t next_ticket_ = 0;
  bool busy_ = false;
};

class SqliteJournal : public Journal {
 public:
  SqliteJournal(std::string path, SqliteJournalOptions options)
      : path_(std::move(path)), options_(std::move(options)) {}

  Status Open();

  Result<std::unique_ptr<JournalReader>> BeginRead() override;
  Result<std::unique_ptr<JournalTransaction>> BeginWrite(int wait_ms) override;
  Status Sync() override;
  Status Verify(const std::function<void(int64_t done, int64_t total)>& progress) override;

  void Return(std::unique_ptr<SqliteConnection> connection);
  void LeaveWriting() { writers_.Leave(); }

 private:
  Result<std::unique_ptr<SqliteConnection>> Take();
  Result<std::unique_ptr<SqliteConnection>> Connect(SqliteOpen mode);
  // Repeats `attempt` while it answers kBusy, up to `wait_ms`.
  Status Retry(int wait_ms, const std::function<Status()>& attempt);

  const std::string path_;
  const SqliteJournalOptions options_;
  std::unique_ptr<WalSyncVfs> vfs_;
  WriterQueue writers_;
  std::atomic<bool> is_log_known_durable_ = false;  // all that was there when this was opened
  std::mutex mutex_;                                // guards idle_
  std::vector<std::unique_ptr<SqliteConnection>> idle_;
};

class SqliteReader : public SqliteSnapshot<JournalReader> {
 public:
  SqliteReader(SqliteJournal& journal, std::unique_ptr<SqliteConnection> connection)
      : SqliteSnapshot(*connection), journal_(journal), connection_(std::move(connection)) {}
  ~SqliteReader() override { journal_.Return(std::move(connection_)); }

 private:
  SqliteJournal& journal_;
  std::unique_ptr<SqliteConnection> connection_;
};

class SqliteTransaction : public SqliteSnapshot<JournalTransaction> {
 public:
  SqliteTransaction(SqliteJournal& journal, std::unique_ptr<SqliteConnection> connection,
                    JournalHead head, int checkpoint_pages)
      : SqliteSnapshot(*connection),
        journal_(journal),
        connection_(std::move(connection)),
        head_(head),
        checkpoint_pages_(checkpoint_pages) {}
  ~SqliteTransaction() override {
    journal_.Return(std::move(connection_));
    if (writing_) journal_.LeaveWriting();
  }

  Status Append(Operation& operation) override;
  Status SetAccepted(const std::string& path, const OptionalEntry& entry,
                     int64_t sequence) override;
  Status SetLive(int64_t sequence, bool live) override;
  Status PutReceipt(const ReceiptRow& receipt) override;
  Status PutPublication(const PublicationRow& publication) override;
  Status RemovePublication(int64_t sequence, const std::string& path) override;
  Status PutBranch(const BranchRow& branch) override;
  Status PutRequestAnswer(const std::string& request_id, std::string_view answer) override;
  Status PutSetting(const std::string& name, std::string_view value) override;
  Status RuleOutFailedCommits() override;
  Status Commit(Durability durability) override;

 private:
  // Remembers the first failure: after it a part of a change may be in, so nothing is committed.
  Status Keep(Status status) {
    if (!status.ok() && failure_.ok()) failure_ = status;
    return status;
  }
  Status AppendRows(const Operation& operation, std::string_view encoding);
  Status MoveLive(const Operation& operation, bool live);

  SqliteJournal& journal_;
  std::unique_ptr<SqliteConnection> connection_;
  JournalHead head_;
  const int checkpoint_pages_;
  Status failure_;
  size_t changes_appended_ = 0;
  bool writing_ = true;  // holds the writers' turn
};

Status SqliteTransaction::Append(Operation& operation) {
  STAGED_RETURN_IF_ERROR(failure_);
  Operation next = operation;
  next.sequence = head_.sequence + 1;
  STAGED_ASSIGN_OR_RETURN(const std::string encoding, EncodeOperation(next));
  next.chain = NextChain(head_.chain, encoding);
  STAGED_RETURN_IF_ERROR(Keep(AppendRows(next, encoding)));
  head_ = {next.sequence, next.chain};
  operation.sequence = next.sequence;
  operation.chain = next.chain;
  return OkStatus();
}

Status SqliteTransaction::AppendRows(const Operation& operation, std::string_view encoding) {
  STAGED_RETURN_IF_ERROR(
      connection_
          ->Prepare("INSERT INTO operations(sequence, branch, turn, actor, type, time_ns, chain, "
                    "encoding) VALUES(?,?,?,?,?,?,?,?)")
          .BindInteger(operation.sequence)
          .BindText(operation.branch)
          .BindText(operation.turn)
          .BindText(operation.actor.name)
          .BindInteger(static_cast<int64_t>(operation.type))
          .BindInteger(operation.time_ns)
          .BindHash(operation.chain)
          .BindBlob(encoding)
          .Run());
  SqliteStatement insert = connection_->Prepare(
      "INSERT INTO operation_paths(path, sequence, position, base_hash, result_hash) "
      "VALUES(?,?,?,?,?)");
  changes_appended_ += operation.changes.size();
  for (size_t i = 0; i < operation.changes.size(); ++i) {
    const PathChange& change = operation.changes[i];
    insert.Reset();
    insert.BindText(change.path)
        .BindInteger(operation.sequence)
        .BindInteger(static_cast<int64_t>(i));
    insert.BindOptionalHash(change.base).BindOptionalHash(change.result);
    STAGED_RETURN_IF_ERROR(insert.Run());
  }
  return OkStatus();
}

Status SqliteTransaction::SetAccepted(const std::string& path, const OptionalEntry& entry,
                                      int64_t sequence) {
  STAGED_RETURN_IF_ERROR(failure_);
  STAGED_RETURN_IF_ERROR(Keep(
      connection_
          ->Prepare(
              "INSERT OR REPLACE INTO accepted_history(path, sequence, kind, hash) VALUES(?,?,?,?)")
          .BindText(path)
          .BindInteger(sequence)
          .BindEntry(entry)
          .Run()));
  if (!entry) {
    return Keep(connection_->Prepare("DELETE FROM accepted WHERE path = ?").BindText(path).Run());
  }
  return Keep(connection_
                  ->Prepare("INSERT OR REPLACE INTO accepted(path, sequence, kind, hash) "
                            "VALUES(?,?,?,?)")
                  .BindText(path)
                  .BindInteger(sequence)
                  .BindEntry(entry)
                  .Run());
}

Status SqliteTransaction::SetLive(int64_t sequence, bool live) {
  STAGED_RETURN_IF_ERROR(failure_);
  STAGED_ASSIGN_OR_RETURN(const bool is_live, IsLive(sequence));
  if (is_live == live) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const Operation operation, Read(sequence));
  return Keep(MoveLive(operation, live));
}

Status SqliteTransaction::MoveLive(const Operation& operation, bool live) {
  SqliteStatement change =
      live ? connection_->Prepare("INSERT INTO live(sequence, branch) VALUES(?,?)")
           : connection_->Prepare("DELETE FROM live WHERE sequence = ? AND branch = ?");
  STAGED_RETURN_IF_ERROR(change.BindInteger(operation.sequence).BindText(operation.branch).Run());
  SqliteStatement paths =
      live ? connection_->Prepare(
                 "INSERT OR IGNORE INTO live_paths(branch, path, sequence) VALUES(?,?,?)")
           : connection_->Prepare(
                 "DELETE FROM live_paths WHERE branch = ? AND path = ? AND sequence = ?");
  for (const PathChange& path : operation.changes) {
    paths.Reset();
    STAGED_RETURN_IF_ERROR(
        paths.BindText(operation.branch).BindText(path.path).BindInteger(operation.sequence).Run());
  }
  return OkStatus();
}

Status SqliteTransaction::PutReceipt(const ReceiptRow& receipt) {
  STAGED_RETURN_IF_ERROR(failure_);
  BinaryWriter evidence;
  evidence.PutValue(receipt.evidence);
  return Keep(connection_
                  ->Prepare("INSERT OR REPLACE INTO receipts(id, branch, path, state, base_kind, "
                            "base_hash, staged_kind, staged_hash, review_sequence, "
                            "staged_sequence, evidence) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
                  .BindText(receipt.id)
                  .BindText(receipt.branch)
                  .BindText(receipt.path)
                  .BindInteger(static_cast<int64_t>(receipt.state))
                  .BindEntry(receipt.base)
                  .BindEntry(receipt.staged)
                  .BindInteger(receipt.review_sequence)
                  .BindInteger(receipt.staged_sequence)
                  .BindBlob(evidence.bytes())
                  .Run());
}

Status SqliteTransaction::PutPublication(const PublicationRow& publication) {
  STAGED_RETURN_IF_ERROR(failure_);
  return Keep(connection_
                  ->Prepare("INSERT OR REPLACE INTO publications(sequence, path, owner, "
                            "base_kind, base_hash, result_kind, result_hash) VALUES(?,?,?,?,?,?,?)")
                  .BindInteger(publication.sequence)
                  .BindText(publication.path)
                  .BindText(publication.owner)
                  .BindEntry(publication.base)
                  .BindEntry(publication.result)
                  .Run());
}

Status SqliteTransaction::RemovePublication(int64_t sequence, const std::string& path) {
  STAGED_RETURN_IF_ERROR(failure_);
  return Keep(connection_->Prepare("DELETE FROM publications WHERE sequence = ? AND path = ?")
                  .BindInteger(sequence)
                  .BindText(path)
                  .Run());
}

Status SqliteTransaction::PutBranch(const BranchRow& branch) {
  STAGED_RETURN_IF_ERROR(failure_);
  return Keep(connection_
                  ->Prepare("INSERT OR REPLACE INTO branches(name, kind, created_sequence, "
                            "lease_epoch, lease_holder, lease_expires_ns) VALUES(?,?,?,?,?,?)")
                  .BindText(branch.name)
                  .BindInteger(static_cast<int64_t>(branch.kind))
                  .BindInteger(branch.created_sequence)
                  .BindInteger(branch.lease_epoch)
                  .BindText(branch.lease_holder)
                  .BindInteger(branch.lease_expires_ns)
                  .Run());
}

Status SqliteTransaction::PutRequestAnswer(const std::string& request_id, std::string_view answer) {
  STAGED_RETURN_IF_ERROR(failure_);
  return Keep(connection_->Prepare("INSERT OR REPLACE INTO requests(id, answer) VALUES(?,?)")
                  .BindText(request_id)
                  .BindBlob(answer)
                  .Run());
}

Status SqliteTransaction::PutSetting(const std::string& name, std::string_view value) {
  STAGED_RETURN_IF_ERROR(failure_);
  return Keep(connection_->Prepare("INSERT OR REPLACE INTO settings(name, value) VALUES(?,?)")
                  .BindText(name)
                  .BindBlob(value)
                  .Run());
}

Status SqliteTransaction::RuleOutFailedCommits() {
  STAGED_RETURN_IF_ERROR(failure_);
  // Any change will do, if it is one: SQLite writes no page whose bytes stay the same.
  STAGED_RETURN_IF_ERROR(Keep(connection_->Execute(
      "INSERT OR REPLACE INTO settings(name, value) VALUES('log_tail', randomblob(16))")));
  return Keep(OverwriteLogTail(*connection_));
}

Status SqliteTransaction::Commit(Durability durability) {
  STAGED_RETURN_IF_ERROR(failure_);
  const WalSync sync = durability == Durability::kRelaxed ? WalSync::kLeaveOut : WalSync::kSync;
  STAGED_RETURN_IF_ERROR(Keep(SetWalSync(*connection_, sync)));
  STAGED_RETURN_IF_ERROR(Keep(connection_->Execute("COMMIT")));
  // If this fails, the connection is not used again.
  const Status outside = SetWalSync(*connection_, WalSync::kOutsideCommit);
  failure_ = Status(ErrorCode::kInvalidArgument,
                    "the journal's transaction is committed; begin another for more changes");
  writing_ = false;
  journal_.LeaveWriting();
  // The commit stands, whatever becomes of this: a failed checkpoint is made up for by the next.
  if (outside.ok() && connection_->log_pages() >= checkpoint_pages_) {
    // Every process reads the log whole when it opens the journal. A log that is used over and over
    // is kept, since writing over it is faster than growing it; one huge change would only be read.
    const bool is_huge = changes_appended_ >= kHugeChanges;
    connection_->Checkpoint(is_huge ? SqliteConnection::LogAfter::kCut
                                    : SqliteConnection::LogAfter::kKept);
  }
  return OkStatus();
}

Status SqliteJournal::Retry(int wait_ms, const std::function<Status()>& attempt) {
  sqlite3_vfs* files = sqlite3_vfs_find(options_.vfs.empty() ? nullptr : options_.vfs.c_str());
  int64_t left = int64_t{wait_ms} * 1000;
  for (int pause = kPollMicrosecondsMin;;) {
    Status status = attempt();
    if (status.code() != ErrorCode::kBusy) return status;
    if (left <= 0) return Busy(wait_ms);
    // Random, so that no process is always the one that comes too late.
    uint32_t random = 0;
    sqlite3_randomness(sizeof(random), &random);
    const int wait = pause / 2 + static_cast<int>(random % static_cast<uint32_t>(pause));
    if (options_.writer_wait) {
      options_.writer_wait(wait);
    } else {
      files->xSleep(files, wait);
    }
    left -= wait;
    pause = std::min(pause * 2, kPollMicrosecondsMax);
  }
}

Result<std::unique_ptr<SqliteConnection>> SqliteJournal::Connect(SqliteOpen mode) {
  STAGED_ASSIGN_OR_RETURN(auto connection, SqliteConnection::Open(path_, vfs_->name(), mode));
  for (const std::string_view pragma :
       {"PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON",
        "PRAGMA trusted_schema = OFF", "PRAGMA cache_size = -8000", "PRAGMA temp_store = MEMORY"}) {
    STAGED_RETURN_IF_ERROR(connection->Execute(pragma));
  }
  connection->KeepLogOnClose();
  return connection;
}

Status SqliteJournal::Open() {
  STAGED_ASSIGN_OR_RETURN(vfs_, WalSyncVfs::Register(options_.vfs));
  sqlite3_vfs* files = sqlite3_vfs_find(options_.vfs.empty() ? nullptr : options_.vfs.c_str());
  if (files == nullptr) {
    return {ErrorCode::kInvalidArgument, "no such SQLite VFS: " + options_.vfs};
  }
  int exists = 0;
  if (const int code = files->xAccess(files, path_.c_str(), SQLITE_ACCESS_EXISTS, &exists);
      code != SQLITE_OK) {
    return SqliteError(nullptr, code, "looking for " + path_);
  }
  const bool create = options_.mode == SqliteJournalOptions::Mode::kCreate;
  if (!create && exists == 0) {
    return {ErrorCode::kDataLoss,
            "there is no journal at " + path_ + "; restore it from a backup or an export"};
  }
  std::unique_ptr<SqliteConnection> connection;
  const auto open = [&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(connection,
                            Connect(create ? SqliteOpen::kCreate : SqliteOpen::kExisting));
    if (create) {
      STAGED_RETURN_IF_ERROR(RestrictToOwner(path_, options_.vfs));
      STAGED_RETURN_IF_ERROR(connection->Execute("PRAGMA journal_mode = WAL"));
      return CreateSchema(*connection, JournalSchema());
    }
    return OpenSchema(*connection, JournalSchema(), path_, options_.vfs);
  };
  STAGED_RETURN_IF_ERROR(Retry(kReaderWaitMs, open));
  Return(std::move(connection));
  return OkStatus();
}

Result<std::unique_ptr<SqliteConnection>> SqliteJournal::Take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<SqliteConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return Connect(SqliteOpen::kExisting);
}

void SqliteJournal::Return(std::unique_ptr<SqliteConnection> connection) {
  connection->RollBack();
  if (!connection->is_healthy()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < kIdleConnectionsMax) idle_.push_back(std::move(connection));
}

Result<std::unique_ptr<JournalReader>> SqliteJournal::BeginRead() {
  std::unique_ptr<SqliteConnection> connection;
  const auto begin = [&]() -> Status {
    if (connection == nullptr) {
      STAGED_ASSIGN_OR_RETURN(connection, Take());
    }
    connection->RollBack();
    STAGED_RETURN_IF_ERROR(connection->Execute("BEGIN"));
    // The snapshot is taken by the first read, not by BEGIN.
    return SqliteQueries(*connection).Head().status();
  };
  Status status = Retry(kReaderWaitMs, begin);
  if (!status.ok()) {
    if (connection != nullptr) Return(std::move(connection));
    return status;
  }
  return std::unique_ptr<JournalReader>(
      std::make_unique<SqliteReader>(*this, std::move(connection)));
}

Result<std::unique_ptr<JournalTransaction>> SqliteJournal::BeginWrite(int wait_ms) {
  int left_ms = wait_ms;
  if (!writers_.Enter(left_ms)) return Busy(wait_ms);
  std::unique_ptr<SqliteConnection> connection;
  JournalHead head;
  Status status = Retry(left_ms, [&]() -> Status {
    if (connection == nullptr) {
      STAGED_ASSIGN_OR_RETURN(connection, Take());
    }
    STAGED_RETURN_IF_ERROR(connection->Execute("BEGIN IMMEDIATE"));
    STAGED_ASSIGN_OR_RETURN(head, SqliteQueries(*connection).Head());
    // A writer that was killed between writing and syncing its commit left one that whoever opened
    // the journal first can see. Nobody is told that there is nothing left to do on its account.
    if (!is_log_known_durable_) {
      STAGED_RETURN_IF_ERROR(SyncLog(*connection));
      is_log_known_durable_ = true;
    }
    return OkStatus();
  });
  if (!status.ok()) {
    if (connection != nullptr) Return(std::move(connection));
    writers_.Leave();
    return status.code() == ErrorCode::kBusy ? Busy(wait_ms) : status;
  }
  return std::unique_ptr<JournalTransaction>(std::make_unique<SqliteTransaction>(
      *this, std::move(connection), head, options_.checkpoint_pages));
}

Status SqliteJournal::Sync() {
  // The connection's log file is open once it has read.
  STAGED_ASSIGN_OR_RETURN(auto connection, Take());
  Status status = SqliteQueries(*connection).Head().status();
  if (status.ok()) status = SyncLog(*connection);
  Return(std::move(connection));
  return status;
}

Status SqliteJournal::Verify(const std::function<void(int64_t done, int64_t total)>& progress) {
  STAGED_ASSIGN_OR_RETURN(auto connection, Take());
  STAGED_RETURN_IF_ERROR(connection->Execute("BEGIN"));
  Status status = VerifySqliteJournal(*connection, progress);
  Return(std::move(connection));
  return status;
}

}  // namespace

Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                   SqliteJournalOptions options) {
  auto journal = std::make_unique<SqliteJournal>(path, std::move(options));
  STAGED_RETURN_IF_ERROR(journal->Open());
  return std::unique_ptr<Journal>(std::move(journal));
}

}  // namespace staged
