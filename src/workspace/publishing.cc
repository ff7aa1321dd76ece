// What follows a submit's commit: its publication, the end of it, or its withdrawal; by the process
// that submitted, or by whoever finds that this one died (rules 8, 13, 14).

#include <algorithm>

#include "workspace/displaced_files.h"
#include "workspace/live_state.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

// What a submit answers whose publication failed at `path`, or with it.
Status NotPublished(const Status& why, const std::string& path, bool is_withdrawn) {
  const std::string next =
      is_withdrawn
          ? "nothing was submitted, and the review still counts: mend that and submit again"
          : "the submit is neither published nor taken back: mend that; the next command ends it, "
            "and `staged log` says how";
  return {why.code(), "'" + path + "' could not be published (" + why.message() + "); " + next,
          Value::Object{{"path", path}}};
}

// Notes in the withdrawal that the receipts which the submit consumed count again, where it leaves
// everything as it was reviewed: the accepted entry, and what the branch did with the path since.
Status ReviveReceipts(JournalReader& reader, const Operation& submit, Operation& withdrawal) {
  const Value* states = submit.payload.Find(kPayloadReceiptStates);
  if (states == nullptr) return OkStatus();
  std::set<std::string> returned;
  for (const PathChange& change : withdrawal.changes) {
    OperationFilter later;
    later.after_sequence = submit.sequence;
    later.branch = submit.branch;
    later.path = change.path;
    later.limit = 1;
    bool is_untouched = true;
    STAGED_RETURN_IF_ERROR(
        reader.Scan(later, [&](const Operation&) { return is_untouched = false; }));
    if (is_untouched) returned.insert(change.path);
  }
  for (const Value& state : states->as_array()) {
    const std::string& id = state.as_array()[0].as_string();
    STAGED_ASSIGN_OR_RETURN(const auto receipt, reader.Receipt(id));
    if (receipt && receipt->state == ReceiptState::kConsumed && returned.contains(receipt->path)) {
      AddReceiptState(withdrawal, id, ReceiptState::kMinted);
    }
  }
  return OkStatus();
}

}  // namespace

std::unique_ptr<Publisher> WorkspaceImpl::NewPublisher() {
  return std::make_unique<Publisher>(env_, *root_directory_, *temporary_, *store_, folders_,
                                     *spares_);
}

Result<bool> WorkspaceImpl::PublishAll(Publisher& publisher, const std::vector<PathChange>& changes,
                                       std::vector<std::string>* met) {
  // After a power loss without the mark nothing was published, and what is there proves nothing.
  if (!publisher.is_prepared()) STAGED_RETURN_IF_ERROR(publisher.Prepare(changes));
  for (size_t number = 0; number < changes.size(); ++number) {
    const Result<bool> published = publisher.Publish(number, changes[number]);
    if (published.ok() && *published) continue;
    met->push_back(changes[number].path);
    return published;
  }
  STAGED_RETURN_IF_ERROR(publisher.SyncTouched());
  return true;
}

Status WorkspaceImpl::RemoveRows(int64_t sequence, const std::vector<PathChange>& changes,
                                 JournalTransaction::Durability durability) {
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  for (const PathChange& change : changes) {
    STAGED_RETURN_IF_ERROR(transaction->RemovePublication(sequence, change.path));
  }
  return transaction->Commit(durability);
}

void WorkspaceImpl::FinishPublication(std::unique_ptr<Publisher> publisher, int64_t sequence,
                                      const std::vector<PathChange>& changes) {
  // Everything is on disk: where the rows cannot go now, somebody else ends the publication.
  if (!RemoveRows(sequence, changes, JournalTransaction::Durability::kRelaxed).ok()) return;
  // The rows may come back with a power loss until something else is committed durably. Then the
  // publisher's files tell that the paths were published, so they stay as long.
  const std::lock_guard lock(ended_mutex_);
  ended_.push_back({++ended_count_, std::move(publisher), changes});
}

int64_t WorkspaceImpl::LastEnded() {
  const std::lock_guard lock(ended_mutex_);
  return ended_count_;
}

void WorkspaceImpl::ClearEnded(int64_t last) {
  std::vector<EndedPublication> cleared;
  {
    const std::lock_guard lock(ended_mutex_);
    const auto end = std::find_if(ended_.begin(), ended_.end(),
                                  [&](const auto& one) { return one.number > last; });
    cleared.assign(std::make_move_iterator(ended_.begin()), std::make_move_iterator(end));
    ended_.erase(ended_.begin(), end);
  }
  // What cannot be removed now is a dead publisher's for the next opening.
  for (EndedPublication& one : cleared) (void)one.publisher->End(one.changes).ok();
}

void WorkspaceImpl::SyncAndClearEnded() {
  const int64_t last = LastEnded();
  {
    const std::lock_guard lock(ended_mutex_);
    if (ended_.empty()) return;
  }
  if (journal_->Sync().ok()) ClearEnded(last);
}

Result<bool> WorkspaceImpl::AwaitPublications(std::unique_ptr<WriteSession>& session,
                                              const std::vector<PathChange>& changes) {
  STAGED_ASSIGN_OR_RETURN(const Publications seen, ReadPublications(session->transaction()));
  if (FindPublicationOf(seen, changes) == nullptr) return false;
  session.reset();
  constexpr int64_t kPauseNsMin = 1'000'000;
  constexpr int64_t kPauseNsMax = 100'000'000;
  const int64_t end_ns = env_.MonotonicNs() + int64_t{options_.writer_wait_ms} * 1'000'000;
  for (int64_t pause_ns = kPauseNsMin;; pause_ns = std::min(2 * pause_ns, kPauseNsMax)) {
    const Status ended = EndDeadPublications();
    STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
    STAGED_ASSIGN_OR_RETURN(const Publications publications, ReadPublications(*reader));
    const PublicationRow* pending = FindPublicationOf(publications, changes);
    if (pending == nullptr) return true;
    STAGED_RETURN_IF_ERROR(ended);
    if (env_.MonotonicNs() >= end_ns) {
      return Status(ErrorCode::kBusy,
                    "'" + pending->path + "' is being published (operation " +
                        std::to_string(pending->sequence) + "); submit again when that is done",
                    Value::Object{{"path", pending->path}, {"operation", pending->sequence}});
    }
    env_.Sleep(pause_ns);
  }
}

Status WorkspaceImpl::Withdraw(Publisher& publisher, int64_t sequence,
                               const std::vector<PathChange>& changes) {
  // Paths that show a person's change stay as they are.
  for (size_t number = changes.size(); number-- > 0;) {
    STAGED_RETURN_IF_ERROR(publisher.TakeBack(number, changes[number]));
  }
  STAGED_RETURN_IF_ERROR(publisher.SyncTouched());
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  STAGED_ASSIGN_OR_RETURN(const Operation submit, transaction->Read(sequence));
  Operation operation;
  operation.type = OperationType::kWithdraw;
  operation.actor = submit.actor;
  operation.branch = submit.branch;
  operation.turn = submit.turn;
  operation.time_ns = env_.NowNs();
  // A path that a person's save was taken in for meanwhile is theirs already.
  for (const PathChange& change : changes) {
    STAGED_ASSIGN_OR_RETURN(const auto accepted, transaction->Accepted(change.path));
    const OptionalEntry entry = accepted ? OptionalEntry(accepted->entry) : OptionalEntry();
    if (entry == change.result) {
      operation.changes.push_back({change.path, change.result, change.base});
    }
  }
  operation.revives = submit.consumes;
  operation.payload.Set(kPayloadWithdrawn, sequence);
  STAGED_RETURN_IF_ERROR(ReviveReceipts(*transaction, submit, operation));
  STAGED_RETURN_IF_ERROR(VoidReceipts(*transaction, operation));
  STAGED_RETURN_IF_ERROR(AppendAndProject(*transaction, operation));
  for (const PathChange& change : changes) {
    STAGED_RETURN_IF_ERROR(transaction->RemovePublication(sequence, change.path));
  }
  STAGED_RETURN_IF_ERROR(transaction->Commit(JournalTransaction::Durability::kDurable));
  NoteHead(*this, {operation.sequence, operation.chain});
  (void)publisher.End(changes).ok();  // it is withdrawn: the next opening removes what is left
  return OkStatus();
}

Status WorkspaceImpl::PublishOrWithdraw(std::unique_ptr<Publisher> publisher, int64_t sequence,
                                        const std::vector<PathChange>& changes) {
  if (changes.empty()) return publisher->End({});
  std::vector<std::string> met;
  const Result<bool> published = PublishAll(*publisher, changes, &met);
  if (published.ok() && *published) {
    FinishPublication(std::move(publisher), sequence, changes);
    return OkStatus();
  }
  // What cannot be put on disk, or met a person's change there, is not accepted: nobody was told
  // that it is.
  const Status withdrawn = Withdraw(*publisher, sequence, changes);
  publisher.reset();
  // Where taking back fails too, the rows stay, and whoever comes next publishes or withdraws.
  if (!published.ok()) {
    const std::string& path = met.empty() ? changes.front().path : met.front();
    return NotPublished(published.status(), path, withdrawn.ok());
  }
  STAGED_RETURN_IF_ERROR(withdrawn);
  STAGED_RETURN_IF_ERROR(AdoptLiveChanges({}).status());
  return {ErrorCode::kConflict,
          "'" + met.front() +
              "' was saved by somebody while it was submitted; nothing was submitted, run "
              "`staged rebase`",
          Value::Object{{"path", met.front()}}};
}

Status WorkspaceImpl::TakeInLateChanges() {
  STAGED_ASSIGN_OR_RETURN(const bool has_parked, HasParked(*temporary_));
  if (!has_parked) return OkStatus();
  const auto parking = LockParked(*temporary_, LockWait::kDoNotWait);
  if (!parking.ok()) {
    // Whoever parks or collects now leaves the rest to the next opening.
    return parking.status().code() == ErrorCode::kBusy ? OkStatus() : parking.status();
  }
  STAGED_ASSIGN_OR_RETURN(const std::vector<LateChange> late, CollectParked(*temporary_));
  for (const LateChange& change : late) {
    STAGED_ASSIGN_OR_RETURN(const ContentHash hash, store_->Put(change.bytes, {}));
    STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
    STAGED_RETURN_IF_ERROR(EnsureStored(*store_, hash, change.bytes, {}));
    // What the person wrote into the file that was displaced is staged for them, on what they saw:
    // a conflict that waits on the live folder's branch, with nothing lost.
    Operation operation;
    operation.type = OperationType::kReplace;
    operation.actor = options_.person;
    operation.branch = kDiskBranch;
    operation.time_ns = env_.NowNs();
    STAGED_ASSIGN_OR_RETURN(const JournalHead head, transaction->Head());
    operation.turn = "t" + std::to_string(head.sequence + 1);
    operation.changes = {{change.path, change.base, Entry{change.kind, hash}}};
    operation.payload.Set("reason", "written into a file after it was replaced");
    STAGED_ASSIGN_OR_RETURN(const auto branch, transaction->Branch(kDiskBranch));
    if (!branch) {
      BranchRow row;
      row.name = kDiskBranch;
      row.kind = BranchKind::kHuman;
      row.created_sequence = head.sequence + 1;
      STAGED_RETURN_IF_ERROR(transaction->PutBranch(row));
    }
    STAGED_RETURN_IF_ERROR(AppendAndProject(*transaction, operation));
    STAGED_RETURN_IF_ERROR(transaction->Commit(JournalTransaction::Durability::kDurable));
    NoteHead(*this, {operation.sequence, operation.chain});
    STAGED_RETURN_IF_ERROR(RemoveParked(*temporary_, change.parked_name));
  }
  return OkStatus();
}

Status WorkspaceImpl::EndDeadPublications() {
  std::map<int64_t, std::string> owners;
  {
    STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
    STAGED_ASSIGN_OR_RETURN(const std::vector<PublicationRow> rows, reader->Publications());
    for (const PublicationRow& row : rows) owners[row.sequence] = row.owner;
  }
  // What fails for one does not keep the others from their end.
  Status first_failure;
  for (const auto& [sequence, owner] : owners) {
    const std::unique_ptr<Publisher> publisher = NewPublisher();
    Status ended = publisher->TakeOver(owner);
    if (ended.code() == ErrorCode::kBusy) continue;  // its publisher lives
    if (ended.ok()) ended = EndDeadPublication(*publisher, sequence);
    if (first_failure.ok()) first_failure = std::move(ended);
  }
  return first_failure;
}

Status WorkspaceImpl::EndDeadPublication(Publisher& publisher, int64_t sequence) {
  Operation submit;
  {
    // It may have ended between our look and its lock: then what is left is cleared by an opening.
    STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
    STAGED_ASSIGN_OR_RETURN(const std::vector<PublicationRow> rows, reader->Publications());
    const bool is_pending = std::any_of(rows.begin(), rows.end(), [&](const PublicationRow& row) {
      return row.sequence == sequence;
    });
    if (!is_pending) return OkStatus();
    STAGED_ASSIGN_OR_RETURN(submit, reader->Read(sequence));
  }
  std::vector<std::string> met;
  const Result<bool> published = PublishAll(publisher, submit.changes, &met);
  if (!published.ok()) {
    // It may have been acknowledged before a power loss brought its rows back. Then an error takes
    // nothing back: the rows stay for whoever comes when the disk works again.
    STAGED_ASSIGN_OR_RETURN(const bool is_complete, publisher.IsComplete(submit.changes));
    if (is_complete) return published.status();
  }
  if (!published.ok() || !*published) return Withdraw(publisher, sequence, submit.changes);
  STAGED_RETURN_IF_ERROR(
      RemoveRows(sequence, submit.changes, JournalTransaction::Durability::kDurable));
  return publisher.End(submit.changes);
}

Status WorkspaceImpl::ClearLeftovers() {
  STAGED_ASSIGN_OR_RETURN(const std::set<std::string> owners, ListPublishers(*temporary_));
  for (const std::string& owner : owners) {
    const std::unique_ptr<Publisher> publisher = NewPublisher();
    if (!publisher->TakeOver(owner).ok()) continue;  // alive
    // Read under its lock: now nobody commits in its name.
    STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
    STAGED_ASSIGN_OR_RETURN(const std::vector<PublicationRow> rows, reader->Publications());
    const bool is_pending = std::any_of(
        rows.begin(), rows.end(), [&](const PublicationRow& row) { return row.owner == owner; });
    if (is_pending) continue;
    std::vector<PathChange> changes;
    if (publisher->is_prepared()) {
      // Did it die before its submit was committed, or after that was published?
      OperationFilter filter;
      filter.types = {OperationType::kSubmit};
      filter.newest_first = true;
      STAGED_RETURN_IF_ERROR(reader->Scan(filter, [&](const Operation& submit) {
        if (submit.payload.FindString(kPayloadPublisher) != owner) return true;
        changes = submit.changes;
        return false;
      }));
      // Rows that came back with a power loss would need these files.
      STAGED_RETURN_IF_ERROR(journal_->Sync());
    }
    STAGED_RETURN_IF_ERROR(publisher->End(changes));
  }
  return OkStatus();
}

Status WorkspaceImpl::Recover() {
  STAGED_RETURN_IF_ERROR(EndDeadPublications());
  STAGED_RETURN_IF_ERROR(ClearLeftovers());
  STAGED_RETURN_IF_ERROR(ClearCheckoutLocks());
  return TakeInLateChanges();
}

}  // namespace staged
