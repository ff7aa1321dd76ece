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

// What a call answers about an operation whose changes alone do not say it.
void SetAnswer(Operation& operation, const std::string& path, const BaseHash& base,
               const BaseHash& hash) {
  const auto text = [](const BaseHash& one) { return one ? Value(one->ToString()) : Value(); };
  operation.payload.Set(kPayloadAnswer,
                        Value::Object{{"path", path}, {"base", text(base)}, {"hash", text(hash)}});
}

// With the staged files that stand where one of `paths` was removed: they go when it comes back.
std::set<std::string> WithGuests(const Reduction& reduction, std::set<std::string> paths) {
  const std::set<std::string> given = paths;
  for (const std::string& path : given) {
    const StagedPath& removed = reduction.staged.at(path);
    if (removed.staged || !removed.accepted) continue;
    for (const auto& [other, guest] : reduction.staged) {
      const bool below = other.starts_with(path + "/") || path.starts_with(other + "/");
      if (guest.staged && below) paths.insert(other);
    }
  }
  return paths;
}

OperationType TypeOf(const OptionalEntry& before, const OptionalEntry& after) {
  if (!before) return OperationType::kCreate;
  if (!after) return OperationType::kDelete;
  return before->hash == after->hash ? OperationType::kMode : OperationType::kReplace;
}

RequestDigest ResolveRequest(const std::string& path, Take take, const ContentHash& given) {
  const std::string side = std::to_string(static_cast<int>(take));
  return RequestDigest("resolve").Add(path).Add(side).Add(BaseHash(given));
}

}  // namespace

Result<WorkspaceImpl::EntryMerge> WorkspaceImpl::MergeEntries(WriteSession& session,
                                                              const MergePlan& plan) {
  EntryMerge outcome;
  PathConflict conflict{plan.path, HashOf(plan.base), HashOf(plan.left), HashOf(plan.right), {}};
  const auto refuse = [&](std::string kind) {
    conflict.details.push_back(WholeFile(std::move(kind), plan.base, plan.left, plan.right));
    outcome.conflict = conflict;
    return outcome;
  };
  if (plan.left == plan.right || plan.left == plan.base) {
    outcome.merged = plan.right;  // this branch adds nothing to what is there
    return outcome;
  }
  if (plan.right == plan.base) {
    // What is to be there must have room: another file may have become its folder meanwhile.
    if (plan.left && !plan.right &&
        !PrefixObstacle(session.reduction().working, plan.path).empty()) {
      return refuse("insert_insert");
    }
    outcome.merged = plan.left;
    return outcome;
  }
  if (!plan.left || !plan.right || !plan.base) {
    return refuse(plan.base ? "delete_modify" : "insert_insert");
  }
  const std::optional<EntryKind> kind = MergeKinds(*plan.base, *plan.left, *plan.right);
  const bool links = plan.base->kind == EntryKind::kSymlink ||
                     plan.left->kind == EntryKind::kSymlink ||
                     plan.right->kind == EntryKind::kSymlink;
  STAGED_ASSIGN_OR_RETURN(const auto policy_text,
                          session.transaction().Setting(std::string(kPolicySetting)));
  STAGED_ASSIGN_OR_RETURN(const Policy policy, Policy::Parse(policy_text.value_or("")));
  if (!kind || links || policy.For(plan.path).merge == MergePolicy::kReject) {
    return refuse("whole_file");
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
    outcome.conflict = std::move(conflict);
    return outcome;
  }
  PutOptions put;
  put.similar_to = &plan.right->hash;
  put.rewritten_members = result.rewritten_members;
  STAGED_ASSIGN_OR_RETURN(const ContentHash hash, store_->Put(result.bytes, put));
  outcome.merged = Entry{*kind, hash};
  outcome.method = result.method;
  return outcome;
}

Result<std::optional<PathConflict>> WorkspaceImpl::MergeAndStage(
    WriteSession& session, const MergePlan& plan, OperationType type,
    std::vector<StagedChange>* staged) {
  STAGED_ASSIGN_OR_RETURN(EntryMerge merge, MergeEntries(session, plan));
  if (merge.conflict) return std::move(merge.conflict);
  Operation operation;
  operation.type = type;
  operation.consumes = plan.consumes;
  if (!merge.method.empty()) operation.payload.Set("method", merge.method);
  operation.payload.Set("base", EntryToValue(plan.base));
  operation.payload.Set("left", EntryToValue(plan.left));
  operation.payload.Set("right", EntryToValue(plan.right));
  if (merge.merged != plan.right) operation.changes = {{plan.path, plan.right, merge.merged}};
  if (operation.changes.empty() && operation.consumes.empty()) {
    return std::optional<PathConflict>();
  }
  STAGED_RETURN_IF_ERROR(CheckRemembered(operation));
  SetAnswer(operation, plan.path, HashOf(plan.right), HashOf(merge.merged));
  STAGED_ASSIGN_OR_RETURN(operation, session.Append(std::move(operation)));
  staged->push_back(AnswerOf(operation));
  return std::optional<PathConflict>();
}

Result<std::optional<PathConflict>> WorkspaceImpl::RebaseMoved(WriteSession& session,
                                                               const StagedPath& from,
                                                               const StagedPath& to,
                                                               std::vector<StagedChange>* staged) {
  // A move composes with an edit of what was moved: what is accepted now, at the new place.
  const auto refuse = [&](const StagedPath& path, std::string kind) {
    PathConflict conflict = DescribeConflict(path);
    conflict.details.push_back(WholeFile(std::move(kind), path.base, path.staged, path.working));
    return std::optional<PathConflict>(std::move(conflict));
  };
  if (!from.working) {
    STAGED_ASSIGN_OR_RETURN(const std::string elsewhere,
                            FollowAcceptedMove(session, from.path, from.operations.front()));
    return refuse(from, elsewhere.empty() ? "delete_modify" : "move_move");
  }
  if (to.working) return refuse(to, "insert_insert");
  const MergePlan plan{to.path, from.base, to.staged, from.working, {}};
  STAGED_ASSIGN_OR_RETURN(EntryMerge merge, MergeEntries(session, plan));
  if (merge.conflict) return std::move(merge.conflict);
  if (!PrefixObstacle(session.reduction().working, to.path).empty()) {
    return refuse(to, "insert_insert");
  }
  std::set<int64_t> consumes(from.kept.begin(), from.kept.end());
  consumes.insert(to.kept.begin(), to.kept.end());
  Operation move;
  move.type = OperationType::kMove;
  move.consumes.assign(consumes.begin(), consumes.end());
  move.changes = {{from.path, from.working, {}}, {to.path, {}, from.working}};
  STAGED_ASSIGN_OR_RETURN(move, session.Append(std::move(move)));
  staged->push_back(AnswerOf(move));
  return MergeAndStage(session, plan, OperationType::kRebase, staged);
}

Result<std::string> WorkspaceImpl::FollowAcceptedMove(WriteSession& session,
                                                      const std::string& path, int64_t since) {
  OperationFilter filter;
  filter.after_sequence = since;
  filter.types = {OperationType::kSubmit};
  std::string place = path;
  std::vector<std::vector<int64_t>> submits;
  STAGED_RETURN_IF_ERROR(session.transaction().Scan(filter, [&](const Operation& submit) {
    submits.push_back(submit.consumes);
    return true;
  }));
  for (const std::vector<int64_t>& consumed : submits) {
    for (const int64_t sequence : consumed) {
      STAGED_ASSIGN_OR_RETURN(const Operation operation, session.transaction().Read(sequence));
      if (operation.type == OperationType::kMove && operation.changes.size() == 2 &&
          operation.changes[0].path == place) {
        place = operation.changes[1].path;
      }
    }
  }
  return place == path || !session.reduction().accepted.contains(place) ? std::string() : place;
}

Result<std::optional<PathConflict>> WorkspaceImpl::RebasePath(WriteSession& session,
                                                              const StagedPath& staged,
                                                              std::vector<StagedChange>* rebased) {
  MergePlan plan{staged.path, staged.base, staged.staged, staged.working, staged.kept};
  if (staged.base && staged.staged && !staged.working && staged.base != staged.staged) {
    // An edit composes with a move of what was edited, where this branch leaves that alone.
    STAGED_ASSIGN_OR_RETURN(const std::string place,
                            FollowAcceptedMove(session, staged.path, staged.kept.front()));
    if (!place.empty() && session.reduction().Find(place) == nullptr) {
      plan.path = place;
      plan.right = FindEntry(session.reduction().working, place);
    }
  }
  return MergeAndStage(session, plan, OperationType::kRebase, rebased);
}

namespace {

Value HashText(const BaseHash& hash) { return hash ? Value(hash->ToString()) : Value(); }

BaseHash HashFrom(const Value& value, std::string_view name) {
  const auto parsed = ContentHash::Parse(value.FindString(name));
  return parsed.ok() ? BaseHash(*parsed) : BaseHash();
}

// Whether the only detail is that of WholeFile, which the conflict's own members tell again.
bool IsOfWholeFile(const PathConflict& conflict) {
  if (conflict.details.size() != 1) return false;
  const MergeConflict& detail = conflict.details[0];
  return detail.locator.empty() && detail.base == HashText(conflict.base) &&
         detail.left == HashText(conflict.left) && detail.right == HashText(conflict.right);
}

}  // namespace

Value WorkspaceImpl::KeepConflicts(const std::vector<PathConflict>& conflicts) {
  Value::Array list;
  for (const PathConflict& conflict : conflicts) {
    const bool is_whole = IsOfWholeFile(conflict);
    list.push_back(Value::Object{{"path", conflict.path},
                                 {"base", HashText(conflict.base)},
                                 {"left", HashText(conflict.left)},
                                 {"right", HashText(conflict.right)},
                                 {"kind", is_whole ? conflict.details[0].kind : std::string()},
                                 {"is_merge", !conflict.details.empty() && !is_whole}});
  }
  return list;
}

std::vector<PathConflict> WorkspaceImpl::KeptConflicts(const Value& kept) {
  std::vector<PathConflict> conflicts;
  const Value* list = kept.Find("conflicts");
  for (const Value& one : list != nullptr ? list->as_array() : Value::Array{}) {
    PathConflict conflict{std::string(one.FindString("path")),
                          HashFrom(one, "base"),
                          HashFrom(one, "left"),
                          HashFrom(one, "right"),
                          {}};
    const std::string kind(one.FindString("kind"));
    if (!kind.empty()) {
      conflict.details.push_back(
          {kind, "", HashText(conflict.base), HashText(conflict.left), HashText(conflict.right)});
    }
    const Value* is_merge = one.Find("is_merge");
    if (is_merge != nullptr && is_merge->is_bool() && is_merge->as_bool()) {
      conflict.details = MergeAgain(conflict);
    }
    conflicts.push_back(std::move(conflict));
  }
  return conflicts;
}

std::vector<MergeConflict> WorkspaceImpl::MergeAgain(const PathConflict& conflict) {
  std::vector<std::string> sides;
  for (const BaseHash& hash : {conflict.base, conflict.left, conflict.right}) {
    const auto bytes =
        hash ? ReadContent(conflict.path, *hash) : Result<std::string>(std::string());
    if (!bytes.ok()) return {};  // forgotten since
    sides.push_back(*bytes);
  }
  MergeOptions options;
  options.limits = options_.limits;
  auto result = Merge(formats_, conflict.path, sides[0], sides[1], sides[2], options);
  return result.ok() ? std::move(result->conflicts) : std::vector<MergeConflict>();
}

Result<RebaseAnswer> WorkspaceImpl::RepeatedRebase(WriteSession& session) {
  RebaseAnswer answer;
  answer.conflicts = KeptConflicts(session.kept_answer());
  for (const int64_t sequence : session.repeated()) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation, session.transaction().Read(sequence));
    answer.rebased.push_back(AnswerOf(operation));
  }
  return answer;
}

Result<RebaseAnswer> WorkspaceImpl::Rebase(const CallContext& context,
                                           const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(
      const auto session,
      WriteSession::Begin(*this, context, {}, RequestDigest("rebase").Add(paths)));
  if (session->is_repeated()) return RepeatedRebase(*session);
  RebaseAnswer answer;
  STAGED_ASSIGN_OR_RETURN(const auto named, SelectStaged(session->reduction(), paths));
  const std::set<std::string> selected =
      TiedPaths(session->live(), std::set<std::string>(named.begin(), named.end()));
  const Reduction reduction = session->reduction();
  std::set<std::string> done;
  for (const std::string& path : selected) {
    const StagedPath& staged = *reduction.Find(path);
    if (!staged.conflict || done.contains(path)) continue;
    const std::string& source = staged.moved_from.empty() ? path : staged.moved_from;
    const std::string& target = staged.moved_to.empty() ? path : staged.moved_to;
    std::optional<PathConflict> conflict;
    if (source != target) {
      done.insert({source, target});
      STAGED_ASSIGN_OR_RETURN(conflict, RebaseMoved(*session, *reduction.Find(source),
                                                    *reduction.Find(target), &answer.rebased));
    } else {
      STAGED_ASSIGN_OR_RETURN(conflict, RebasePath(*session, staged, &answer.rebased));
    }
    if (conflict) answer.conflicts.push_back(*std::move(conflict));
  }
  session->KeepAnswer(Value::Object{{"conflicts", KeepConflicts(answer.conflicts)}});
  STAGED_RETURN_IF_ERROR(session->CommitAnswer());
  return answer;
}

Result<StagedChange> WorkspaceImpl::Resolve(const CallContext& context, const std::string& path,
                                            Take take, std::string_view bytes) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  ContentHash given;
  if (take == Take::kBytes) {
    STAGED_ASSIGN_OR_RETURN(given, store_->Put(bytes, {}));
  }
  const RequestDigest asked = ResolveRequest(normal, take, given);
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {normal}, asked));
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
      taken = staged->working;
      break;
    case Take::kBase:
      taken = staged->base;
      break;
    case Take::kBytes: {
      STAGED_RETURN_IF_ERROR(session->Require(given, bytes, {}));
      const EntryKind kind = staged->working ? staged->working->kind : EntryKind::kFile;
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
    consumes.insert(one->kept.begin(), one->kept.end());
    if (other == normal || !one->conflict) continue;
    // The other half of a move follows the decision: kept as this branch has it, or left alone.
    const bool keeps_move =
        take == Take::kLeft || (take == Take::kBytes && !staged->moved_from.empty());
    if (keeps_move && one->staged != one->working) {
      operation.changes.push_back({other, one->working, one->staged});
    }
  }
  operation.consumes.assign(consumes.begin(), consumes.end());
  if (taken != staged->working) {
    operation.changes.insert(operation.changes.begin(), {normal, staged->working, taken});
  }
  Tree after = session->reduction().working;
  for (const PathChange& change : operation.changes) SetEntry(after, change.path, change.result);
  for (const PathChange& change : operation.changes) {
    const std::string obstacle = change.result ? PrefixObstacle(after, change.path) : "";
    if (obstacle.empty()) continue;
    return Status(
        ErrorCode::kConflict,
        "'" + change.path + "' and '" + obstacle + "' cannot both be files; move one of them first",
        Value::Object{{"path", change.path}, {"obstacle", obstacle}});
  }
  SetAnswer(operation, normal, HashOf(staged->working), HashOf(taken));
  STAGED_ASSIGN_OR_RETURN(operation, session->Append(std::move(operation)));
  STAGED_RETURN_IF_ERROR(session->Commit());
  return AnswerOf(operation);
}

Result<std::vector<std::string>> WorkspaceImpl::Discard(const CallContext& context,
                                                        const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(
      const auto session,
      WriteSession::Begin(*this, context, {}, RequestDigest("discard").Add(paths)));
  if (session->is_repeated()) {
    if (session->repeated().empty()) return std::vector<std::string>();
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
  std::set<std::string> tied(named.begin(), named.end());
  for (size_t before = SIZE_MAX; before != tied.size();) {
    before = tied.size();
    tied = WithGuests(session->reduction(), TiedPaths(session->live(), tied));
  }
  std::set<int64_t> consumes;
  Value::Array list;
  for (const std::string& path : tied) {
    const StagedPath* staged = session->reduction().Find(path);
    consumes.insert(staged->operations.begin(), staged->operations.end());
    list.push_back(path);
  }
  std::vector<std::string> discarded(tied.begin(), tied.end());
  if (consumes.empty()) {
    STAGED_RETURN_IF_ERROR(session->CommitAnswer());
    return discarded;
  }
  Operation operation;
  operation.type = OperationType::kDiscard;
  operation.consumes.assign(consumes.begin(), consumes.end());
  operation.payload.Set("paths", std::move(list));
  STAGED_RETURN_IF_ERROR(session->Append(std::move(operation)).status());
  STAGED_RETURN_IF_ERROR(session->Commit());
  return discarded;
}

Status WorkspaceImpl::CheckSubmitted(WriteSession& session, const Operation& operation) {
  const std::string number = std::to_string(operation.sequence);
  if (operation.type == OperationType::kSubmit || operation.type == OperationType::kAdopt) {
    return OkStatus();
  }
  STAGED_ASSIGN_OR_RETURN(const bool live, session.transaction().IsLive(operation.sequence));
  if (live) {
    return {ErrorCode::kInvalidArgument,
            "operation " + number + " is still staged; use `staged undo " + number + "`"};
  }
  OperationFilter filter;
  filter.after_sequence = operation.sequence;
  filter.branch = operation.branch;
  filter.types = {OperationType::kSubmit};
  bool submitted = false;
  STAGED_RETURN_IF_ERROR(session.transaction().Scan(filter, [&](const Operation& submit) {
    submitted = std::count(submit.consumes.begin(), submit.consumes.end(), operation.sequence) > 0;
    return !submitted;
  }));
  if (submitted) return OkStatus();
  return {ErrorCode::kInvalidArgument,
          "operation " + number + " submitted nothing; `staged log` lists the submits"};
}

Result<RebaseAnswer> WorkspaceImpl::Revert(const CallContext& context,
                                           const std::vector<int64_t>& operations) {
  RequestDigest request("revert");
  for (const int64_t sequence : operations) request.Add(std::to_string(sequence));
  STAGED_ASSIGN_OR_RETURN(auto session, WriteSession::Begin(*this, context, {}, request));
  if (session->is_repeated()) return RepeatedRebase(*session);
  RebaseAnswer answer;
  std::vector<int64_t> backwards = operations;
  std::sort(backwards.rbegin(), backwards.rend());
  for (const int64_t sequence : backwards) {
    STAGED_ASSIGN_OR_RETURN(const Operation submitted, session->transaction().Read(sequence));
    STAGED_RETURN_IF_ERROR(CheckSubmitted(*session, submitted));
    // What has to go goes first: a directory that became a file, say.
    std::vector<PathChange> changes = submitted.changes;
    std::stable_sort(changes.begin(), changes.end(),
                     [](const PathChange& left, const PathChange& right) {
                       return left.base.has_value() < right.base.has_value();
                     });
    for (const PathChange& change : changes) {
      const StagedPath* staged = session->reduction().Find(change.path);
      if (staged != nullptr && staged->conflict) return ConflictError(*staged);
      const OptionalEntry working = FindEntry(session->reduction().working, change.path);
      // Inverse: the result is the base of the merge, what was before is the other side.
      const MergePlan plan{change.path, change.result, change.base, working, {}};
      STAGED_ASSIGN_OR_RETURN(
          auto conflict,
          MergeAndStage(*session, plan, TypeOf(working, change.base), &answer.rebased));
      if (conflict) answer.conflicts.push_back(*std::move(conflict));
      STAGED_RETURN_IF_ERROR(session->Renew());
    }
  }
  if (!answer.conflicts.empty()) {
    answer.rebased.clear();  // all or nothing: the transaction is dropped
    session.reset();
    if (context.request_id.empty()) return answer;
    STAGED_ASSIGN_OR_RETURN(session, WriteSession::Begin(*this, context, {}, request));
    if (session->is_repeated()) return RepeatedRebase(*session);
    session->KeepAnswer(Value::Object{{"conflicts", KeepConflicts(answer.conflicts)}});
  }
  STAGED_RETURN_IF_ERROR(session->CommitAnswer());
  return answer;
}

}  // namespace staged
