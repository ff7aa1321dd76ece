// Ways out of a conflict: rebase, resolve, discard; and revert, which merges an inverse.

#include <algorithm>

#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

// The merged kind, where at most one side changed it.
std::optional<EntryKind> MergeKinds(const Entry& base, const Entry& left, const Entry& right) {
  if (left.kind == right.kind || right.kind == base.kind) return left.kind;
  if (left.kind == base.kind) return right.kind;
  return std::nullopt;
}

MergeConflict WholeFile(std::string kind, const OptionalEntry& base, const OptionalEntry& left,
                        const OptionalEntry& right) {
  const auto text = [](const OptionalEntry& entry) {
    return entry ? Value(entry->hash.ToString()) : Value();
  };
  return {std::move(kind), "", text(base), text(left), text(right)};
}

}  // namespace

Result<std::optional<PathConflict>> WorkspaceImpl::MergeAndStage(
    WriteSession& session, const MergePlan& plan, OperationType type,
    std::vector<StagedChange>* staged) {
  PathConflict conflict{plan.path, HashOf(plan.base), HashOf(plan.left), HashOf(plan.right), {}};
  Operation operation;
  operation.type = type;
  operation.consumes = plan.consumes;
  OptionalEntry merged;
  if (plan.left == plan.right || plan.left == plan.base) {
    merged = plan.right;  // this branch adds nothing to what is accepted
  } else if (plan.right == plan.base) {
    merged = plan.left;
  } else if (!plan.left || !plan.right || !plan.base) {
    const bool removed = plan.base.has_value();
    conflict.details.push_back(
        WholeFile(removed ? "delete_modify" : "insert_insert", plan.base, plan.left, plan.right));
    return std::optional<PathConflict>(conflict);
  } else {
    const std::optional<EntryKind> kind = MergeKinds(*plan.base, *plan.left, *plan.right);
    const bool links = plan.base->kind == EntryKind::kSymlink ||
                       plan.left->kind == EntryKind::kSymlink ||
                       plan.right->kind == EntryKind::kSymlink;
    STAGED_ASSIGN_OR_RETURN(const auto policy_text,
                            session.transaction().Setting(std::string(kPolicySetting)));
    STAGED_ASSIGN_OR_RETURN(const Policy policy, Policy::Parse(policy_text.value_or("")));
    if (!kind || links || policy.For(plan.path).merge == MergePolicy::kReject) {
      conflict.details.push_back(WholeFile("whole_file", plan.base, plan.left, plan.right));
      return std::optional<PathConflict>(conflict);
    }
    STAGED_ASSIGN_OR_RETURN(const std::string base, ReadContent(plan.path, plan.base->hash));
    STAGED_ASSIGN_OR_RETURN(const std::string left, ReadContent(plan.path, plan.left->hash));
    STAGED_ASSIGN_OR_RETURN(const std::string right, ReadContent(plan.path, plan.right->hash));
    MergeOptions options;
    options.limits = options_.limits;
    STAGED_ASSIGN_OR_RETURN(const MergeResult result,
                            Merge(formats_, plan.path, base, left, right, options));
    if (!result.clean) {
      conflict.details = result.conflicts;
      return std::optional<PathConflict>(conflict);
    }
    PutOptions put;
    put.similar_to = &plan.right->hash;
    put.rewritten_members = result.rewritten_members;
    STAGED_ASSIGN_OR_RETURN(const ContentHash hash, store_->Put(result.bytes, put));
    merged = Entry{*kind, hash};
    operation.payload.Set("method", result.method);
  }
  operation.payload.Set("base", EntryToValue(plan.base));
  operation.payload.Set("left", EntryToValue(plan.left));
  operation.payload.Set("right", EntryToValue(plan.right));
  if (merged != plan.right) operation.changes = {{plan.path, plan.right, merged}};
  if (operation.changes.empty() && operation.consumes.empty()) {
    return std::optional<PathConflict>();
  }
  STAGED_ASSIGN_OR_RETURN(operation, session.Append(std::move(operation)));
  StagedChange answer = AnswerOf(operation);
  answer.path = plan.path;
  answer.base = HashOf(plan.right);
  answer.hash = HashOf(merged);
  staged->push_back(std::move(answer));
  return std::optional<PathConflict>();
}

Result<RebaseAnswer> WorkspaceImpl::Rebase(const CallContext& context,
                                           const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}));
  RebaseAnswer answer;
  if (!session->repeated().empty()) {
    for (const int64_t sequence : session->repeated()) {
      STAGED_ASSIGN_OR_RETURN(const Operation operation, session->transaction().Read(sequence));
      answer.rebased.push_back(AnswerOf(operation));
    }
    return answer;
  }
  STAGED_ASSIGN_OR_RETURN(const auto named, SelectStaged(session->reduction(), paths));
  const std::set<std::string> selected =
      TiedPaths(session->live(), std::set<std::string>(named.begin(), named.end()));
  const Reduction reduction = session->reduction();
  std::set<std::string> done;
  for (const std::string& path : selected) {
    const StagedPath& staged = *reduction.Find(path);
    if (!staged.conflict || done.contains(path)) continue;
    if (!staged.moved_to.empty() || !staged.moved_from.empty()) {
      // A move composes with an edit of what was moved: the accepted content, at the new place.
      const std::string& source = staged.moved_to.empty() ? staged.moved_from : path;
      const std::string& target = staged.moved_to.empty() ? path : staged.moved_to;
      done.insert({source, target});
      const StagedPath* from = reduction.Find(source);
      const StagedPath* to = reduction.Find(target);
      if (from == nullptr || to == nullptr || from->staged || !from->base || !from->accepted ||
          !to->staged || to->accepted) {
        PathConflict conflict = DescribeConflict(staged);
        conflict.details.push_back(
            WholeFile("move_move", staged.base, staged.staged, staged.accepted));
        answer.conflicts.push_back(std::move(conflict));
        continue;
      }
      std::set<int64_t> consumes(from->operations.begin(), from->operations.end());
      consumes.insert(to->operations.begin(), to->operations.end());
      Operation move;
      move.type = OperationType::kMove;
      move.consumes.assign(consumes.begin(), consumes.end());
      move.changes = {{source, from->accepted, {}}, {target, {}, from->accepted}};
      STAGED_ASSIGN_OR_RETURN(move, session->Append(std::move(move)));
      MergePlan plan{target, from->base, to->staged, from->accepted, {}};
      STAGED_ASSIGN_OR_RETURN(
          auto conflict, MergeAndStage(*session, plan, OperationType::kRebase, &answer.rebased));
      if (conflict) return ConflictError(staged);  // nothing of this call is kept
      answer.rebased.push_back(AnswerOf(move));
      continue;
    }
    const MergePlan plan{path, staged.base, staged.staged, staged.accepted, staged.operations};
    STAGED_ASSIGN_OR_RETURN(auto conflict,
                            MergeAndStage(*session, plan, OperationType::kRebase, &answer.rebased));
    if (conflict) answer.conflicts.push_back(*std::move(conflict));
  }
  if (!answer.rebased.empty()) STAGED_RETURN_IF_ERROR(session->Commit());
  return answer;
}

Result<StagedChange> WorkspaceImpl::Resolve(const CallContext& context, const std::string& path,
                                            Take take, std::string_view bytes) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  ContentHash given;
  if (take == Take::kBytes) {
    STAGED_ASSIGN_OR_RETURN(given, store_->Put(bytes, {}));
  }
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {normal}));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const StagedPath* staged = session->reduction().Find(normal);
  if (staged == nullptr && !session->reduction().working.contains(normal)) {
    return Status(ErrorCode::kNotFound,
                  "'" + normal +
                      "' is neither staged nor in the workspace; `staged status` lists "
                      "the paths");
  }
  if (staged == nullptr || !staged->conflict) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + normal + "' is not in conflict; there is nothing to resolve");
  }
  OptionalEntry taken;
  switch (take) {
    case Take::kLeft:
      taken = staged->staged;
      break;
    case Take::kRight:
      taken = staged->accepted;
      break;
    case Take::kBase:
      taken = staged->base;
      break;
    case Take::kBytes: {
      STAGED_RETURN_IF_ERROR(session->Require(given, bytes, {}));
      const EntryKind kind = staged->accepted ? staged->accepted->kind : EntryKind::kFile;
      taken = Entry{kind, given};
      break;
    }
  }
  Operation operation;
  operation.type = OperationType::kResolve;
  const std::set<std::string> tied = TiedPaths(session->live(), {normal});
  std::set<int64_t> consumes;
  for (const std::string& other : tied) {
    const StagedPath* one = session->reduction().Find(other);
    consumes.insert(one->operations.begin(), one->operations.end());
    if (other == normal) continue;
    // The other half of a move follows the decision: kept as this branch has it, or left alone.
    if (take == Take::kLeft && one->staged != one->accepted) {
      operation.changes.push_back({other, one->accepted, one->staged});
    }
  }
  operation.consumes.assign(consumes.begin(), consumes.end());
  if (taken != staged->accepted) {
    operation.changes.insert(operation.changes.begin(), {normal, staged->accepted, taken});
  }
  const OptionalEntry accepted = staged->accepted;
  STAGED_ASSIGN_OR_RETURN(operation, session->Append(std::move(operation)));
  STAGED_RETURN_IF_ERROR(session->Commit());
  StagedChange answer = AnswerOf(operation);
  answer.path = normal;
  answer.base = HashOf(accepted);
  answer.hash = HashOf(taken);
  return answer;
}

Result<std::vector<std::string>> WorkspaceImpl::Discard(const CallContext& context,
                                                        const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}));
  if (!session->repeated().empty()) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation,
                            session->transaction().Read(session->repeated().back()));
    std::vector<std::string> discarded;
    const Value* list = operation.payload.Find("paths");
    for (const Value& path : list ? list->as_array() : Value::Array{}) {
      discarded.push_back(path.as_string());
    }
    return discarded;
  }
  STAGED_ASSIGN_OR_RETURN(const auto named, SelectStaged(session->reduction(), paths));
  const std::set<std::string> tied =
      TiedPaths(session->live(), std::set<std::string>(named.begin(), named.end()));
  std::set<int64_t> consumes;
  Value::Array list;
  for (const std::string& path : tied) {
    const StagedPath* staged = session->reduction().Find(path);
    consumes.insert(staged->operations.begin(), staged->operations.end());
    list.push_back(path);
  }
  std::vector<std::string> discarded(tied.begin(), tied.end());
  if (consumes.empty()) return discarded;
  Operation operation;
  operation.type = OperationType::kDiscard;
  operation.consumes.assign(consumes.begin(), consumes.end());
  operation.payload.Set("paths", std::move(list));
  STAGED_RETURN_IF_ERROR(session->Append(std::move(operation)).status());
  STAGED_RETURN_IF_ERROR(session->Commit());
  return discarded;
}

Result<RebaseAnswer> WorkspaceImpl::Revert(const CallContext& context,
                                           const std::vector<int64_t>& operations) {
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}));
  RebaseAnswer answer;
  if (!session->repeated().empty()) {
    for (const int64_t sequence : session->repeated()) {
      STAGED_ASSIGN_OR_RETURN(const Operation operation, session->transaction().Read(sequence));
      answer.rebased.push_back(AnswerOf(operation));
    }
    return answer;
  }
  std::vector<int64_t> backwards = operations;
  std::sort(backwards.rbegin(), backwards.rend());
  for (const int64_t sequence : backwards) {
    STAGED_ASSIGN_OR_RETURN(const Operation submitted, session->transaction().Read(sequence));
    if (submitted.type != OperationType::kSubmit && submitted.type != OperationType::kAdopt &&
        !IsContentOperation(submitted.type)) {
      return Status(ErrorCode::kInvalidArgument, "operation " + std::to_string(sequence) +
                                                     " submitted nothing; `staged log` "
                                                     "lists the submits");
    }
    STAGED_ASSIGN_OR_RETURN(const bool live, session->transaction().IsLive(sequence));
    if (live) {
      return Status(ErrorCode::kInvalidArgument, "operation " + std::to_string(sequence) +
                                                     " is still staged; use `staged undo " +
                                                     std::to_string(sequence) + "`");
    }
    for (const PathChange& change : submitted.changes) {
      const StagedPath* staged = session->reduction().Find(change.path);
      if (staged != nullptr && staged->conflict) return ConflictError(*staged);
      const OptionalEntry working = FindEntry(session->reduction().working, change.path);
      // Inverse: the result is the base of the merge, what was before is the other side.
      const MergePlan plan{change.path, change.result, change.base, working, {}};
      STAGED_ASSIGN_OR_RETURN(
          auto conflict, MergeAndStage(*session, plan, OperationType::kReplace, &answer.rebased));
      if (conflict) answer.conflicts.push_back(*std::move(conflict));
      STAGED_RETURN_IF_ERROR(session->Renew());
    }
  }
  if (!answer.conflicts.empty()) {
    answer.rebased.clear();  // all or nothing: the transaction is dropped
    return answer;
  }
  if (!answer.rebased.empty()) STAGED_RETURN_IF_ERROR(session->Commit());
  return answer;
}

}  // namespace staged
