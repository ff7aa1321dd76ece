// Policy, leases, and what proves, cleans and weighs a workspace.

#include <algorithm>

#include "base/ignore_missing.h"
#include "workspace/displaced_files.h"
#include "workspace/layout.h"
#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/settings.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

Result<uint64_t> FolderBytes(Directory& directory, const std::string& folder) {
  STAGED_ASSIGN_OR_RETURN(const auto items, directory.List(folder));
  uint64_t total = 0;
  for (const DirectoryItem& item : items) {
    const std::string path = folder.empty() ? item.name : folder + "/" + item.name;
    if (item.kind == FileKind::kDirectory) {
      STAGED_ASSIGN_OR_RETURN(const uint64_t below, FolderBytes(directory, path));
      total += below;
    } else if (const auto status = directory.Stat(path); status.ok()) {
      total += status->size_bytes;
    }
  }
  return total;
}

}  // namespace

Result<std::string> WorkspaceImpl::GetPolicy() {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  STAGED_ASSIGN_OR_RETURN(const auto text, reader->Setting(std::string(kPolicySetting)));
  return text.value_or("");
}

Status WorkspaceImpl::SetPolicy(const CallContext& context, std::string_view text) {
  STAGED_RETURN_IF_ERROR(Policy::Parse(text).status());
  if (context.actor.kind != ActorKind::kHuman) {
    return {ErrorCode::kPermissionDenied,
            "only a person changes the policy; ask one to run `staged policy --set FILE`"};
  }
  STAGED_ASSIGN_OR_RETURN(
      const auto session,
      WriteSession::Begin(*this, context, {}, RequestDigest("policy").Add(text)));
  if (session->is_repeated()) return OkStatus();
  Operation operation;
  operation.type = OperationType::kPolicy;
  operation.payload.Set(kPayloadPolicy, text);
  STAGED_RETURN_IF_ERROR(session->Append(std::move(operation)).status());
  STAGED_RETURN_IF_ERROR(session->Commit());
  // Best effort: the file is for people to read; the journal's text is in force.
  (void)metadata_->RemoveFile(layout::kPolicyFile).ok();
  const auto file = metadata_->Create(layout::kPolicyFile, 0600);
  if (file.ok()) (void)(*file)->WriteAt(0, text).ok();
  return OkStatus();
}

Result<std::vector<SettingRow>> WorkspaceImpl::GetSettings() {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  std::vector<SettingRow> rows;
  for (const SettingSpec& setting : AllSettings()) {
    STAGED_ASSIGN_OR_RETURN(const auto value,
                            reader->Setting(std::string(kConfigPrefix).append(setting.name)));
    SettingRow row;
    row.name = setting.name;
    row.default_value = setting.default_value;
    row.is_set = value && !value->empty();
    row.value = row.is_set ? *value : row.default_value;
    rows.push_back(std::move(row));
  }
  STAGED_ASSIGN_OR_RETURN(const auto policy, reader->Setting(std::string(kPolicySetting)));
  rows.push_back({"policy", policy.value_or(""), "", policy && !policy->empty()});
  std::sort(rows.begin(), rows.end(),
            [](const SettingRow& left, const SettingRow& right) { return left.name < right.name; });
  return rows;
}

Status WorkspaceImpl::SetSetting(const CallContext& context, const std::string& name,
                                 const std::optional<std::string>& value) {
  if (name == kPolicySetting) return SetPolicy(context, value.value_or(""));
  STAGED_ASSIGN_OR_RETURN(const SettingSpec setting, FindSetting(name));
  if (value) STAGED_RETURN_IF_ERROR(CheckSettingValue(setting, *value));
  if (context.actor.kind != ActorKind::kHuman) {
    return {ErrorCode::kPermissionDenied,
            "only a person changes settings; ask one to run `staged config set " + name + "`"};
  }
  RequestDigest request("config");
  request.Add(name).Add(value ? "set" : "unset").Add(value.value_or(""));
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}, request));
  if (session->is_repeated()) return OkStatus();
  Operation operation;
  operation.type = OperationType::kConfig;
  operation.payload.Set(kPayloadSetting, name);
  operation.payload.Set(kPayloadValue, value ? Value(*value) : Value());
  STAGED_RETURN_IF_ERROR(session->Append(std::move(operation)).status());
  return session->Commit();
}

Result<Lease> WorkspaceImpl::AcquireLease(const CallContext& context, const std::string& holder,
                                          int64_t duration_ns) {
  STAGED_RETURN_IF_ERROR(CheckBranchName(context.branch));
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  STAGED_ASSIGN_OR_RETURN(const auto known, transaction->Branch(context.branch));
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, transaction->Head());
  BranchRow row;
  row.name = context.branch;
  row.kind = context.branch_kind;
  row.created_sequence = head.sequence;
  if (known) row = *known;
  const int64_t now = env_.NowNs();
  if (!row.lease_holder.empty() && row.lease_holder != holder && row.lease_expires_ns > now) {
    return Status(ErrorCode::kBusy, "branch '" + context.branch + "' is leased by '" +
                                        row.lease_holder + "'; wait until its lease ends");
  }
  ++row.lease_epoch;
  row.lease_holder = holder;
  row.lease_expires_ns = now + duration_ns;
  STAGED_RETURN_IF_ERROR(transaction->PutBranch(row));
  STAGED_RETURN_IF_ERROR(transaction->Commit(JournalTransaction::Durability::kDurable));
  return Lease{row.name, row.lease_epoch, row.lease_expires_ns};
}

Status WorkspaceImpl::ReleaseLease(const CallContext& context, const Lease& lease) {
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  STAGED_ASSIGN_OR_RETURN(const auto row, transaction->Branch(context.branch));
  if (!row || row->lease_epoch != lease.epoch) {
    return {ErrorCode::kFenced, "the lease of branch '" + context.branch + "' was lost already"};
  }
  BranchRow released = *row;
  released.lease_holder.clear();
  released.lease_expires_ns = 0;
  STAGED_RETURN_IF_ERROR(transaction->PutBranch(released));
  return transaction->Commit(JournalTransaction::Durability::kDurable);
}

Result<std::set<ContentHash>> WorkspaceImpl::ForgottenHashes(JournalReader& reader) {
  std::set<ContentHash> forgotten;
  OperationFilter filter;
  filter.types = {OperationType::kForget};
  filter.limit = 1;
  int64_t first = 0;
  STAGED_RETURN_IF_ERROR(reader.Scan(filter, [&](const Operation& operation) {
    first = operation.sequence;
    return false;
  }));
  if (first == 0) return forgotten;
  // A content that somebody wrote again later is one like any other.
  OperationFilter since;
  since.after_sequence = first - 1;
  STAGED_RETURN_IF_ERROR(reader.Scan(since, [&](const Operation& operation) {
    for (const PathChange& change : operation.changes) {
      if (change.result) forgotten.erase(change.result->hash);
    }
    if (operation.type == OperationType::kForget) {
      const auto hash = ContentHash::Parse(operation.payload.FindString(kPayloadForgotten));
      if (hash.ok()) forgotten.insert(*hash);
    }
    return true;
  }));
  return forgotten;
}

Result<std::set<ContentHash>> WorkspaceImpl::ErasableHashes(JournalReader& reader) {
  STAGED_ASSIGN_OR_RETURN(auto erasable, ForgottenHashes(reader));
  if (erasable.empty()) return erasable;
  STAGED_ASSIGN_OR_RETURN(const auto live_paths, reader.LivePaths());
  std::set<std::string> branches;
  for (const auto& [branch, path] : live_paths) branches.insert(branch);
  for (const std::string& branch : branches) {
    STAGED_ASSIGN_OR_RETURN(const auto live, reader.LiveOperations(branch));
    for (const Operation& operation : live) {
      for (const PathChange& change : operation.changes) {
        if (change.result) erasable.erase(change.result->hash);
      }
    }
  }
  return erasable;
}

Result<std::unique_ptr<FileLock>> WorkspaceImpl::LockRemovals() {
  constexpr int64_t kPauseNsMin = 1'000'000;
  constexpr int64_t kPauseNsMax = 100'000'000;
  const int64_t end_ns = env_.MonotonicNs() + int64_t{options_.writer_wait_ms} * 1'000'000;
  for (int64_t pause_ns = kPauseNsMin;; pause_ns = std::min(2 * pause_ns, kPauseNsMax)) {
    auto lock = metadata_->Lock(layout::kRemovalLock, LockWait::kDoNotWait);
    if (lock.ok() || lock.status().code() != ErrorCode::kBusy) return lock;
    if (env_.MonotonicNs() >= end_ns) {
      return Status(ErrorCode::kBusy,
                    "another gc or forget is under way; run this again when it is done");
    }
    env_.Sleep(pause_ns);
  }
}

Status WorkspaceImpl::EraseForgotten(const ContentHash& hash) {
  // Derived data before the bytes: where this fails, they are still there, and forgetting again
  // does the rest.
  STAGED_RETURN_IF_ERROR(views_->Forget(hash));
  STAGED_RETURN_IF_ERROR(TakeInLateChanges());
  STAGED_RETURN_IF_ERROR(EraseBytes(hash));
  // A reader may have made a view until just now.
  STAGED_ASSIGN_OR_RETURN(const bool is_known, views_->Knows(hash));
  return is_known ? views_->Forget(hash) : OkStatus();
}

Status WorkspaceImpl::EraseBytes(const ContentHash& hash) {
  // Others may have written it again since the tombstone, and were told that it is stored.
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  STAGED_ASSIGN_OR_RETURN(const auto erasable, ErasableHashes(*transaction));
  if (!erasable.contains(hash)) return OkStatus();
  STAGED_RETURN_IF_ERROR(transaction->RuleOutFailedCommits());
  STAGED_RETURN_IF_ERROR(EraseDisplaced(*transaction, hash));
  STAGED_RETURN_IF_ERROR(edited_->Remove());
  return IgnoreMissing(store_->Forget(hash));
}

Status WorkspaceImpl::EraseDisplaced(JournalReader& reader, const ContentHash& hash) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<PublicationRow> rows, reader.Publications());
  for (const PublicationRow& row : rows) {
    const bool uses =
        (row.base && row.base->hash == hash) || (row.result && row.result->hash == hash);
    if (!uses) continue;
    return {ErrorCode::kBusy,
            "'" + row.path + "' is being published; forget again when that is done",
            Value::Object{{"path", row.path}}};
  }
  // Other processes keep what they displaced until the end of their publications is durable.
  STAGED_RETURN_IF_ERROR(journal_->Sync());
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, temporary_->List(""));
  for (const DirectoryItem& item : items) {
    if (item.kind != FileKind::kFile && item.kind != FileKind::kSymlink) continue;
    const Result<OptionalEntry> entry = EntryAt(*temporary_, item.name);
    if (!entry.ok()) return entry.status();
    // Locks and marks are empty, and an empty file has nothing to hide.
    if (!*entry || (*entry)->hash != hash || hash == ContentHash::Of("")) continue;
    if (item.kind == FileKind::kFile) {
      const Result<bool> has_writer = temporary_->HasWriter(item.name);
      if (has_writer.ok() && *has_writer) {
        return {
            ErrorCode::kBusy,
            "a program holds a replaced file with this content open, so as to write to it; have "
            "it closed there and forget again"};
      }
    }
    STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_->RemoveFile(item.name)));
  }
  return OkStatus();
}

Status WorkspaceImpl::CompareProjections(JournalReader& reader, const JournalHead& noted,
                                         FsckReport& report, std::set<ContentHash>& named) {
  MemoryProjection replayed;
  Status projected = OkStatus();
  ContentHash chain_there;
  STAGED_RETURN_IF_ERROR(reader.Scan({}, [&](const Operation& operation) {
    ++report.operations;
    if (operation.sequence == noted.sequence) chain_there = operation.chain;
    for (const PathChange& change : operation.changes) {
      if (change.base) named.insert(change.base->hash);
      if (change.result) named.insert(change.result->hash);
    }
    projected = Project(operation, replayed);
    return projected.ok();
  }));
  STAGED_RETURN_IF_ERROR(projected);
  if (noted.sequence > 0 && chain_there != noted.chain) {
    report.findings.push_back(
        {"head_differs", std::to_string(noted.sequence),
         "the journal ends before, or differs from, the head noted beside it; restore .staged from "
         "a copy"});
  }
  STAGED_ASSIGN_OR_RETURN(const Tree accepted, ReadAcceptedTree(reader));
  for (const Tree* tree : {&accepted, static_cast<const Tree*>(&replayed.accepted)}) {
    for (const auto& [path, entry] : *tree) {
      if (FindEntry(accepted, path) == FindEntry(replayed.accepted, path)) continue;
      report.findings.push_back({"accepted_differs", path,
                                 "the accepted tree is not what the journal's operations give"});
    }
  }
  for (int64_t sequence = 1; sequence <= report.operations; ++sequence) {
    STAGED_ASSIGN_OR_RETURN(const bool live, reader.IsLive(sequence));
    if (live == replayed.live.contains(sequence)) continue;
    report.findings.push_back({"live_differs", std::to_string(sequence),
                               "the set of live operations is not what the journal gives"});
  }
  return OkStatus();
}

Result<FsckReport> WorkspaceImpl::Fsck(const ProgressCallback& progress) {
  FsckReport report;
  const Status chain = journal_->Verify({});
  if (!chain.ok()) {
    report.findings.push_back({"journal_damaged", layout::kJournalFile, chain.message()});
    return report;
  }
  // Before the snapshot: writers that go on meanwhile note heads that it does not have.
  const JournalHead noted = ReadHeadNote(*metadata_).value_or(JournalHead{});
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  std::set<ContentHash> named;
  STAGED_RETURN_IF_ERROR(CompareProjections(*reader, noted, report, named));
  STAGED_ASSIGN_OR_RETURN(const auto forgotten, ForgottenHashes(*reader));
  STAGED_ASSIGN_OR_RETURN(const StoreReport objects, store_->Verify(progress));
  report.objects = objects.objects;
  for (const ObjectDamage& damage : objects.damage) {
    report.findings.push_back(
        {"object_damaged", damage.hash.ToString(), damage.file + ": " + damage.reason});
    named.erase(damage.hash);
  }
  for (const ContentHash& hash : named) {
    if (forgotten.contains(hash)) continue;
    STAGED_ASSIGN_OR_RETURN(const bool there, store_->Has(hash));
    if (!there) {
      report.findings.push_back(
          {"object_missing", hash.ToString(), "the journal names it and the store lacks it"});
    }
  }
  return report;
}

Result<StoreReport> WorkspaceImpl::CollectGarbage(const ProgressCallback& progress) {
  STAGED_ASSIGN_OR_RETURN(const auto lock, LockRemovals());
  // The write transaction keeps writers out; what one has stored but not yet appended it stores
  // again (WriteSession::Require).
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  std::unordered_set<ContentHash> live;
  STAGED_RETURN_IF_ERROR(
      transaction->ForEachHash([&](const ContentHash& hash) { live.insert(hash); }));
  STAGED_ASSIGN_OR_RETURN(const auto erasable, ErasableHashes(*transaction));
  for (const ContentHash& hash : erasable) live.erase(hash);
  // An operation that came back with a power loss would name contents that are gone.
  STAGED_RETURN_IF_ERROR(transaction->RuleOutFailedCommits());
  STAGED_ASSIGN_OR_RETURN(StoreReport report, store_->Collect(live, progress));
  (void)views_->Sweep(live).ok();  // derived data: another time will do
  STAGED_RETURN_IF_ERROR(edited_->Remove());
  return report;
}

Result<UsageReport> WorkspaceImpl::Usage() {
  UsageReport report;
  STAGED_ASSIGN_OR_RETURN(report.store, store_->Usage());
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const auto status = metadata_->Stat(std::string(layout::kJournalFile) + suffix);
    if (status.ok()) report.journal_bytes += status->size_bytes;
  }
  const auto derived = FolderBytes(*metadata_, layout::kDerived);
  if (derived.ok()) report.derived_bytes = *derived;
  return report;
}

Status WorkspaceImpl::Forget(const CallContext& context, const ContentHash& hash) {
  STAGED_ASSIGN_OR_RETURN(const auto lock, LockRemovals());
  // The tombstone first: a crash between leaves bytes that the next collection removes. So the
  // bytes may still be there when a request comes again.
  STAGED_RETURN_IF_ERROR(PutTombstone(context, hash));
  return EraseForgotten(hash);
}

Status WorkspaceImpl::PutTombstone(const CallContext& context, const ContentHash& hash) {
  STAGED_ASSIGN_OR_RETURN(
      const auto session,
      WriteSession::Begin(*this, context, {}, RequestDigest("forget").Add(BaseHash(hash))));
  if (session->is_repeated()) return OkStatus();
  for (const Tree* tree : {&session->reduction().accepted, &session->reduction().working}) {
    for (const auto& [path, entry] : *tree) {
      if (entry.hash != hash) continue;
      return {ErrorCode::kConflict,
              "'" + path + "' has this content now; remove or change it, submit, and then forget",
              Value::Object{{"path", path}}};
    }
  }
  STAGED_ASSIGN_OR_RETURN(const auto live_paths, session->transaction().LivePaths());
  std::set<std::string> branches;
  for (const auto& [branch, path] : live_paths) branches.insert(branch);
  for (const std::string& branch : branches) {
    STAGED_ASSIGN_OR_RETURN(const auto live, session->transaction().LiveOperations(branch));
    for (const Operation& operation : live) {
      for (const PathChange& change : operation.changes) {
        const bool uses = (change.base && change.base->hash == hash) ||
                          (change.result && change.result->hash == hash);
        if (!uses) continue;
        return {ErrorCode::kConflict,
                "branch '" + branch + "' stages this content at '" + change.path +
                    "'; discard that first",
                Value::Object{{"path", change.path}}};
      }
    }
  }
  STAGED_ASSIGN_OR_RETURN(const bool there, store_->Has(hash));
  if (!there) {
    STAGED_ASSIGN_OR_RETURN(const auto forgotten, ForgottenHashes(session->transaction()));
    return {ErrorCode::kNotFound,
            hash.ToString() + (forgotten.contains(hash)
                                   ? " was forgotten already; nothing of it is left to forget"
                                   : " is not in the store; check it with `staged log`")};
  }
  Operation operation;
  operation.type = OperationType::kForget;
  operation.payload.Set(kPayloadForgotten, hash.ToString());
  STAGED_RETURN_IF_ERROR(session->Append(std::move(operation)).status());
  return session->Commit();
}

}  // namespace staged
