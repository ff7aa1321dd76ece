// Submit: the accepted tree moves at the journal's commit, then the live folder follows (rules 8,
// 13, 14): publishing.cc.

#include <algorithm>

#include "workspace/layout.h"
#include "workspace/office_lock.h"
#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

// How often a plan is made again because other writers moved the branch meanwhile.
constexpr int kPlanAttempts = 4;

SubmitAnswer AnswerOfSubmit(const Operation& operation) {
  SubmitAnswer answer;
  answer.operation = operation.sequence;
  for (const PathChange& change : operation.changes) {
    answer.submitted.push_back({change.path, HashOf(change.base), HashOf(change.result)});
  }
  return answer;
}

RequestDigest SubmitRequest(const std::vector<std::string>& paths, const SubmitOptions& options) {
  return RequestDigest("submit").Add(paths).Add(options.message);
}

// Whether a review since the chain began saw the path: its receipt is void then.
Result<bool> WasReviewed(JournalReader& reader, const std::string& branch,
                         const StagedPath& staged) {
  OperationFilter filter;
  filter.after_sequence = staged.operations.front();
  filter.path = staged.path;
  filter.types = {OperationType::kReview};
  filter.limit = 1;
  bool reviewed = false;
  filter.branch = branch;
  STAGED_RETURN_IF_ERROR(reader.Scan(filter, [&](const Operation&) {
    reviewed = true;
    return false;
  }));
  return reviewed;
}

// A staged file can only be accepted with the removals that make room for it: a file that becomes a
// directory, or the reverse.
std::set<std::string> WithRoomMade(const Reduction& reduction, std::set<std::string> paths) {
  for (size_t before = 0; before != paths.size();) {
    before = paths.size();
    for (const auto& [path, removed] : reduction.staged) {
      if (removed.staged || !removed.accepted || paths.contains(path)) continue;
      const bool in_the_way = std::any_of(paths.begin(), paths.end(), [&](const auto& selected) {
        return reduction.staged.at(selected).staged &&
               (selected.starts_with(path + "/") || path.starts_with(selected + "/"));
      });
      if (in_the_way) paths.insert(path);
    }
  }
  return paths;
}

// Whatever lies in a folder and its folders, folders themselves aside.
Result<std::vector<std::string>> FilesBelow(Directory& directory, const std::string& folder) {
  std::vector<std::string> files;
  STAGED_ASSIGN_OR_RETURN(const auto items, directory.List(folder));
  for (const DirectoryItem& item : items) {
    const std::string path = folder + "/" + item.name;
    if (item.kind != FileKind::kDirectory) {
      files.push_back(path);
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(const auto below, FilesBelow(directory, path));
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

// Removals before creations, so that a file may take a removed directory's name and the reverse.
void OrderForPublication(std::vector<PathChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const PathChange& left, const PathChange& right) {
                     return left.result.has_value() < right.result.has_value();
                   });
}

}  // namespace

Result<std::string> WorkspaceImpl::FindReceipt(JournalReader& reader,
                                               const std::vector<ReceiptRow>& receipts,
                                               const std::string& branch, const StagedPath& staged,
                                               const PathPolicy& policy) {
  std::set<ReceiptState> states;
  for (const ReceiptRow& receipt : receipts) {
    if (receipt.path != staged.path || receipt.base != staged.accepted ||
        receipt.staged != staged.staged || receipt.staged_sequence != staged.operations.back()) {
      continue;
    }
    // A receipt of before the policy asked for a person is no person's approval.
    const bool enough =
        policy.review != ReviewPolicy::kHuman || receipt.evidence.FindString("policy") == "human";
    if (receipt.state == ReceiptState::kMinted && enough) return receipt.id;
    states.insert(receipt.state);
  }
  if (policy.review == ReviewPolicy::kNone) return std::string();
  const Value details = Value::Object{{"path", staged.path}};
  if (states.contains(ReceiptState::kPending)) {
    return Status(ErrorCode::kNotReviewed,
                  "'" + staged.path +
                      "' waits for a person's approval: `staged review --approve "
                      "RECEIPT`",
                  details);
  }
  if (states.contains(ReceiptState::kRejected)) {
    return Status(ErrorCode::kNotReviewed,
                  "the review of '" + staged.path + "' was rejected; change it and review again",
                  details);
  }
  if (states.contains(ReceiptState::kMinted)) {
    return Status(ErrorCode::kNotReviewed,
                  "the policy wants a person to approve '" + staged.path +
                      "' now; run `staged review` again and have it approved",
                  details);
  }
  STAGED_ASSIGN_OR_RETURN(const bool reviewed_before, WasReviewed(reader, branch, staged));
  if (reviewed_before) {
    return Status(ErrorCode::kReviewVoid,
                  "'" + staged.path + "' changed after its review; run `staged review` again",
                  details);
  }
  return Status(ErrorCode::kNotReviewed,
                "'" + staged.path + "' was not reviewed; run `staged review` first", details);
}

Result<WorkspaceImpl::SubmitPlan> WorkspaceImpl::PlanSubmit(
    JournalReader& reader, const Reduction& reduction, const std::vector<Operation>& operations,
    const std::string& branch, const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(const auto named, SelectStaged(reduction, paths));
  std::set<std::string> selected(named.begin(), named.end());
  for (size_t before = SIZE_MAX; before != selected.size();) {
    before = selected.size();
    selected = WithRoomMade(reduction, TiedPaths(operations, selected));
  }
  STAGED_ASSIGN_OR_RETURN(const auto receipts, reader.Receipts(branch));
  STAGED_ASSIGN_OR_RETURN(const auto policy_text, reader.Setting(std::string(kPolicySetting)));
  STAGED_ASSIGN_OR_RETURN(const Policy policy, Policy::Parse(policy_text.value_or("")));

  // A conflict anywhere comes before a missing review anywhere: the contract's order of errors.
  for (const std::string& path : selected) {
    const StagedPath* staged = reduction.Find(path);
    if (staged->conflict) return ConflictError(*staged);
  }
  SubmitPlan plan;
  std::set<int64_t> consumes;
  std::optional<Status> refusal;
  for (const std::string& path : selected) {
    const StagedPath& staged = *reduction.Find(path);
    consumes.insert(staged.operations.begin(), staged.operations.end());
    if (!staged.changes_anything()) continue;
    Result<std::string> receipt = FindReceipt(reader, receipts, branch, staged, policy.For(path));
    if (!receipt.ok()) {
      if (!refusal || receipt.status().code() < refusal->code()) refusal = receipt.status();
      continue;
    }
    if (!receipt->empty()) plan.receipts.push_back(*std::move(receipt));
    plan.changes.push_back({path, staged.accepted, staged.staged});
  }
  if (refusal) return *std::move(refusal);
  // Likewise: a missing review anywhere comes before a failed parse anywhere.
  for (const PathChange& change : plan.changes) {
    if (!change.result) continue;
    STAGED_RETURN_IF_ERROR(CheckParsed(change.path, *change.result, policy.For(change.path)));
  }
  OrderForPublication(plan.changes);
  plan.consumes.assign(consumes.begin(), consumes.end());
  return plan;
}

Status WorkspaceImpl::CheckParsed(const std::string& path, const Entry& staged,
                                  const PathPolicy& policy) {
  const bool validated = policy.validate == ValidatePolicy::kRequired;
  if (policy.parse != ParsePolicy::kRequired && !validated) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const auto view, ViewOf(path, staged.hash));
  const Value details = Value::Object{{"path", path}, {"hash", staged.hash.ToString()}};
  if (!view->fallback.empty() && view->fallback != view->format) {
    return {ErrorCode::kParseFailed,
            "'" + path + "' could not be parsed and the policy requires it; `staged view " + path +
                "` says what failed",
            details};
  }
  if (!validated) return OkStatus();
  for (const Diagnostic& diagnostic : view->diagnostics) {
    if (diagnostic.severity != "error") continue;
    return {ErrorCode::kParseFailed,
            "'" + path + "' is not valid and the policy requires it (" + diagnostic.message +
                "); mend it and review it again",
            details};
  }
  return OkStatus();
}

Status WorkspaceImpl::CheckOfficeLocks(const std::vector<PathChange>& changes) {
  for (const PathChange& change : changes) {
    const std::string owner = FindOfficeLock(*root_directory_, change.path);
    if (owner.empty()) continue;
    return {ErrorCode::kBusy,
            "'" + change.path + "' is open in an office program (" + owner +
                "); have it closed there, or submit with --ignore-locks",
            Value::Object{{"path", change.path}, {"owner", owner}}};
  }
  return OkStatus();
}

Status WorkspaceImpl::CheckDisk(const std::vector<PathChange>& changes) {
  // What people saved was just taken in, so that anything else here is no file of the workspace: an
  // ignored or skipped file that has the name.
  const auto in_the_way = [](const std::string& path, const std::string& obstacle) {
    return Status(
        ErrorCode::kConflict,
        "'" + obstacle + "' on disk is not versioned and in the way; move it away and submit again",
        Value::Object{{"path", path}, {"obstacle", obstacle}});
  };
  std::set<std::string> removed;
  for (const PathChange& change : changes) {
    if (!change.result) removed.insert(change.path);
  }
  for (const PathChange& change : changes) {
    if (change.base || !change.result) continue;
    for (size_t slash = change.path.find('/'); slash != std::string::npos;
         slash = change.path.find('/', slash + 1)) {
      const std::string parent = change.path.substr(0, slash);
      const auto status = root_directory_->Stat(parent);
      if (status.ok() && status->kind != FileKind::kDirectory && !removed.contains(parent)) {
        return in_the_way(change.path, parent);
      }
    }
    const auto status = root_directory_->Stat(change.path);
    if (!status.ok()) continue;
    if (status->kind != FileKind::kDirectory) return in_the_way(change.path, change.path);
    STAGED_ASSIGN_OR_RETURN(const auto inside, FilesBelow(*root_directory_, change.path));
    for (const std::string& path : inside) {
      if (!removed.contains(path)) return in_the_way(change.path, path);
    }
  }
  return OkStatus();
}

Result<SubmitAnswer> WorkspaceImpl::RepeatedSubmit(WriteSession& session) {
  if (session.repeated().empty()) return SubmitAnswer{};
  STAGED_ASSIGN_OR_RETURN(const Operation submit,
                          session.transaction().Read(session.repeated().back()));
  OperationFilter filter;
  filter.after_sequence = submit.sequence;
  filter.types = {OperationType::kWithdraw};
  int64_t withdrawn = 0;
  STAGED_RETURN_IF_ERROR(session.transaction().Scan(filter, [&](const Operation& operation) {
    const Value* sequence = operation.payload.Find(kPayloadWithdrawn);
    if (sequence != nullptr && sequence->is_integer() &&
        sequence->as_integer() == submit.sequence) {
      withdrawn = operation.sequence;
    }
    return withdrawn == 0;
  }));
  if (withdrawn != 0) {
    return Status(ErrorCode::kConflict,
                  "this request's submit (operation " + std::to_string(submit.sequence) +
                      ") was taken back (operation " + std::to_string(withdrawn) +
                      "); nothing was submitted, run `staged rebase`, review and submit again",
                  Value::Object{{"submit", submit.sequence}, {"withdraw", withdrawn}});
  }
  STAGED_ASSIGN_OR_RETURN(const auto rows, session.transaction().Publications());
  for (const PublicationRow& row : rows) {
    if (row.sequence != submit.sequence) continue;
    return Status(ErrorCode::kBusy, "this request's submit (operation " +
                                        std::to_string(submit.sequence) +
                                        ") is being published; ask again when that is done");
  }
  return AnswerOfSubmit(submit);
}

Result<Operation> WorkspaceImpl::CommitSubmit(WriteSession& session, const SubmitPlan& plan,
                                              const std::string& publisher,
                                              const SubmitOptions& options) {
  Operation operation;
  operation.type = OperationType::kSubmit;
  operation.changes = plan.changes;
  operation.consumes = plan.consumes;
  operation.payload.Set(kPayloadPublisher, publisher);
  if (!options.message.empty()) operation.payload.Set(kPayloadMessage, options.message);
  for (const std::string& receipt : plan.receipts) {
    AddReceiptState(operation, receipt, ReceiptState::kConsumed);
  }
  STAGED_ASSIGN_OR_RETURN(operation, session.Append(std::move(operation)));
  for (const PathChange& change : plan.changes) {
    STAGED_RETURN_IF_ERROR(session.transaction().PutPublication(
        {operation.sequence, publisher, change.path, change.base, change.result}));
  }
  STAGED_RETURN_IF_ERROR(session.Commit());
  return operation;
}

namespace {

// The accepted tree as far as the operations are about it.
Result<Tree> AcceptedOf(JournalReader& reader, const std::vector<Operation>& operations) {
  Tree tree;
  for (const Operation& operation : operations) {
    for (const PathChange& change : operation.changes) {
      STAGED_ASSIGN_OR_RETURN(const auto accepted, reader.Accepted(change.path));
      if (accepted) tree.insert_or_assign(change.path, accepted->entry);
    }
  }
  return tree;
}

}  // namespace

Result<WorkspaceImpl::SubmitPlan> WorkspaceImpl::PlanFromJournal(
    const std::string& branch, const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  STAGED_ASSIGN_OR_RETURN(const auto operations, reader->LiveOperations(branch));
  STAGED_ASSIGN_OR_RETURN(Tree accepted, AcceptedOf(*reader, operations));
  const Reduction reduction = Reduce(std::move(accepted), {}, operations);
  return PlanSubmit(*reader, reduction, operations, branch, paths);
}

Result<SubmitAnswer> WorkspaceImpl::Submit(const CallContext& context,
                                           const std::vector<std::string>& paths,
                                           const SubmitOptions& options) {
  STAGED_RETURN_IF_ERROR(CheckBranchName(context.branch));
  std::unique_ptr<Publisher> publisher = NewPublisher();
  STAGED_RETURN_IF_ERROR(publisher->Begin());
  std::vector<PathChange> prepared;
  const auto give_up = [&](Status status) -> Status {
    (void)publisher->End({}).ok();  // only temporary files; the next opening removes the rest
    return status;
  };
  const auto prepare = [&](const std::vector<PathChange>& changes) -> Status {
    if (prepared == changes) return OkStatus();
    if (publisher->is_prepared()) {
      // Another name: the mark of the first attempt must not vouch for the files of the second.
      STAGED_RETURN_IF_ERROR(publisher->End({}));
      publisher = NewPublisher();
      STAGED_RETURN_IF_ERROR(publisher->Begin());
    }
    STAGED_RETURN_IF_ERROR(publisher->Prepare(changes));
    prepared = changes;
    return OkStatus();
  };
  // To prepare before others have to wait.
  const Result<SubmitPlan> first = PlanFromJournal(context.branch, paths);
  if (first.ok() && !first->changes.empty()) {
    if (Status status = prepare(first->changes); !status.ok()) return give_up(status);
  }
  for (int attempt = 0; attempt < kPlanAttempts; ++attempt) {
    std::vector<std::string> touched;
    for (const PathChange& change : prepared) touched.push_back(change.path);
    auto begun = WriteSession::Begin(*this, context, touched, SubmitRequest(paths, options));
    if (!begun.ok()) return give_up(begun.status());
    WriteSession& session = **begun;
    if (session.is_repeated()) {
      Result<SubmitAnswer> answer = RepeatedSubmit(session);
      (void)give_up(OkStatus()).ok();
      return answer;
    }
    Result<SubmitPlan> plan = PlanSubmit(session.transaction(), session.reduction(), session.live(),
                                         context.branch, paths);
    if (!plan.ok()) return give_up(plan.status());
    // While a path is published, what is live may be another submit's base (rule 8).
    const Result<bool> waited = AwaitPublications(*begun, plan->changes);
    if (!waited.ok()) return give_up(waited.status());
    if (*waited) continue;
    if (plan->changes != prepared) {
      // The branch moved: prepare without keeping others waiting, then look again.
      begun->reset();
      if (Status status = prepare(plan->changes); !status.ok()) return give_up(status);
      continue;
    }
    if (plan->changes.empty() && plan->consumes.empty()) {
      (void)give_up(OkStatus()).ok();
      STAGED_RETURN_IF_ERROR(session.CommitAnswer());
      return SubmitAnswer{};
    }
    if (!options.ignore_office_locks) {
      if (Status status = CheckOfficeLocks(plan->changes); !status.ok()) return give_up(status);
    }
    if (Status status = CheckDisk(plan->changes); !status.ok()) return give_up(status);
    STAGED_ASSIGN_OR_RETURN(const Operation operation,
                            CommitSubmit(session, *plan, publisher->owner(), options));
    STAGED_RETURN_IF_ERROR(
        PublishOrWithdraw(std::move(publisher), operation.sequence, plan->changes));
    (void)TakeInLateChanges().ok();  // the submit stands; the next opening takes in the rest
    return AnswerOfSubmit(operation);
  }
  return give_up({ErrorCode::kBusy, "branch '" + context.branch +
                                        "' keeps changing while it is submitted; try "
                                        "again when its writers are done"});
}

}  // namespace staged
