// Reviews mint receipts; people approve or reject pending ones (rules 6 and 7).

#include <algorithm>

#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

constexpr size_t kReceiptIdBytes = 8;

std::string NewReceiptId(Env& env) {
  const ContentHash random = ContentHash::Of(env.RandomBytes(ContentHash::kSizeBytes));
  return "r-" + random.ToHex().substr(0, 2 * kReceiptIdBytes);
}

std::string MovePartner(const StagedPath& staged) {
  return staged.moved_to.empty() ? staged.moved_from : staged.moved_to;
}

// A receipt for what `diff` shows, without its id.
ReceiptRow ReceiptOf(const CallContext& context, const StagedPath& staged, ReviewPolicy policy,
                     const Diff& diff) {
  const bool by_human = policy == ReviewPolicy::kHuman;
  ReceiptRow receipt;
  receipt.branch = context.branch;
  receipt.path = staged.path;
  receipt.state = by_human ? ReceiptState::kPending : ReceiptState::kMinted;
  receipt.base = staged.accepted;
  receipt.staged = staged.staged;
  receipt.staged_sequence = staged.operations.back();
  receipt.evidence =
      Value::Object{{"policy", by_human ? "human" : "any"},  {"diff", DiffHash(diff).ToString()},
                    {"diff_version", kDiffVersion},          {"parser", diff.parser.name},
                    {"parser_version", diff.parser.version}, {"shown_whole", true},
                    {"reviewer", context.actor.name}};
  return receipt;
}

}  // namespace

Result<ReviewAnswer> WorkspaceImpl::Review(const CallContext& context,
                                           const std::vector<std::string>& paths) {
  return OnSteadyDisk([&] { return ReviewOnce(context, paths); });
}

Result<WorkspaceImpl::PreparedDiffs> WorkspaceImpl::PrepareReview(
    const std::string& branch, const std::vector<std::string>& paths) {
  PreparedDiffs prepared;
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(branch));
  STAGED_ASSIGN_OR_RETURN(const auto named, SelectStaged(state.reduction, paths));
  for (const std::string& path : TiedPaths(state.operations, {named.begin(), named.end()})) {
    const StagedPath& staged = *state.reduction.Find(path);
    if (staged.conflict || !staged.changes_anything()) continue;
    STAGED_ASSIGN_OR_RETURN(Diff diff, DiffStaged(state.reduction, staged));
    prepared[path] = {PathChange{path, staged.accepted, staged.staged}, std::move(diff)};
  }
  return prepared;
}

Result<ReviewAnswer> WorkspaceImpl::ReviewOnce(const CallContext& context,
                                               const std::vector<std::string>& paths) {
  // Views and differences are made before the transaction, which others wait for; they stay valid
  // as long as the same entries are staged on the same base. What is wrong is said under the
  // transaction, where a repeated request is known.
  PreparedDiffs prepared;
  if (auto early = PrepareReview(context.branch, paths); early.ok()) prepared = *std::move(early);
  std::vector<std::string> touched;
  for (const std::string& path : paths) {
    STAGED_ASSIGN_OR_RETURN(touched.emplace_back(), NormalizePath(path));
  }
  const RequestDigest asked = RequestDigest("review").Add(paths);
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, touched, asked));
  const Reduction& reduction = session->reduction();
  ReviewAnswer answer;
  if (session->is_repeated()) {
    if (session->repeated().empty()) return answer;
    STAGED_ASSIGN_OR_RETURN(const Operation operation,
                            session->transaction().Read(session->repeated().back()));
    return RepeatedReview(operation);
  }
  STAGED_ASSIGN_OR_RETURN(const auto named, SelectStaged(reduction, paths));
  // The halves of a move are seen together, as they are submitted together.
  const std::set<std::string> selected = TiedPaths(session->live(), {named.begin(), named.end()});
  STAGED_ASSIGN_OR_RETURN(const auto policy_text,
                          session->transaction().Setting(std::string(kPolicySetting)));
  STAGED_ASSIGN_OR_RETURN(const Policy policy, Policy::Parse(policy_text.value_or("")));

  Operation operation;
  operation.type = OperationType::kReview;
  Value::Array receipts;
  for (const std::string& path : selected) {
    const StagedPath& staged = *reduction.Find(path);
    if (staged.conflict) return ConflictError(staged);
    if (!staged.changes_anything()) continue;
    const PathChange change{path, staged.accepted, staged.staged};
    auto known = prepared.find(path);
    if (known == prepared.end() || known->second.first != change) {
      STAGED_ASSIGN_OR_RETURN(Diff diff, DiffStaged(reduction, staged));
      prepared[path] = {change, std::move(diff)};
      known = prepared.find(path);
    }
    const Diff& diff = known->second.second;
    const std::string partner = MovePartner(staged);
    ReceiptRow receipt = ReceiptOf(context, staged, policy.For(path).review, diff);
    receipt.id = NewReceiptId(env_);
    if (!partner.empty()) receipt.evidence.Set("moved_with", partner);
    receipts.push_back(ReceiptToValue(receipt));
    operation.changes.push_back(change);
    answer.reviewed.push_back({std::move(receipt), partner, diff});
  }
  if (answer.reviewed.empty()) {
    STAGED_RETURN_IF_ERROR(session->CommitAnswer());
    return answer;
  }
  operation.payload.Set(kPayloadReceipts, std::move(receipts));
  STAGED_ASSIGN_OR_RETURN(operation, session->Append(std::move(operation)));
  STAGED_RETURN_IF_ERROR(session->Commit());
  answer.operation = operation.sequence;
  for (ReviewedPath& reviewed : answer.reviewed) {
    reviewed.receipt.review_sequence = operation.sequence;
  }
  return answer;
}

Result<ReviewAnswer> WorkspaceImpl::RepeatedReview(const Operation& operation) {
  ReviewAnswer answer;
  answer.operation = operation.sequence;
  // The paths of the review as they were staged then: enough to make the same differences again.
  Reduction then;
  const Value* receipts = operation.payload.Find(kPayloadReceipts);
  for (const Value& value : receipts ? receipts->as_array() : Value::Array{}) {
    STAGED_ASSIGN_OR_RETURN(ReceiptRow receipt, ReceiptFromValue(value));
    receipt.review_sequence = operation.sequence;
    StagedPath& staged = then.staged[receipt.path];
    staged.path = receipt.path;
    staged.accepted = receipt.base;
    staged.staged = receipt.staged;
    const std::string partner(receipt.evidence.FindString("moved_with"));
    (receipt.staged ? staged.moved_from : staged.moved_to) = partner;
    answer.reviewed.push_back({std::move(receipt), partner, {}});
  }
  for (ReviewedPath& reviewed : answer.reviewed) {
    STAGED_ASSIGN_OR_RETURN(reviewed.diff, DiffStaged(then, *then.Find(reviewed.receipt.path)));
  }
  return answer;
}

Result<std::set<std::string>> WorkspaceImpl::AuthorsOf(JournalReader& reader,
                                                       const ReceiptRow& receipt) {
  STAGED_ASSIGN_OR_RETURN(const auto live, reader.LiveOperations(receipt.branch));
  const std::set<std::string> tied = TiedPaths(live, {receipt.path});
  std::vector<Operation> pending;
  for (const Operation& operation : live) {
    const bool touches =
        std::any_of(operation.changes.begin(), operation.changes.end(),
                    [&](const PathChange& change) { return tied.contains(change.path); });
    if (touches) pending.push_back(operation);
  }
  std::set<std::string> authors;
  std::set<int64_t> seen;
  while (!pending.empty()) {
    const Operation operation = std::move(pending.back());
    pending.pop_back();
    authors.insert(operation.actor.name);
    for (const int64_t sequence : operation.consumes) {
      if (!seen.insert(sequence).second) continue;
      STAGED_ASSIGN_OR_RETURN(Operation consumed, reader.Read(sequence));
      if (IsContentOperation(consumed.type)) pending.push_back(std::move(consumed));
    }
  }
  return authors;
}

Status WorkspaceImpl::DecideReceipt(const CallContext& context, const std::string& id,
                                    ReceiptState state, const std::string& why) {
  RequestDigest request(state == ReceiptState::kMinted ? "approve" : "reject");
  request.Add(id).Add(why);
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}, request));
  if (session->is_repeated()) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const auto receipt, session->transaction().Receipt(id));
  if (!receipt) {
    return {ErrorCode::kNotFound,
            "there is no receipt '" + id + "'; `staged review --json` names them"};
  }
  if (receipt->state != ReceiptState::kPending) {
    const bool decided_again =
        receipt->state == ReceiptState::kMinted && state == ReceiptState::kRejected;
    if (!decided_again) {
      return {receipt->state == ReceiptState::kVoid ? ErrorCode::kReviewVoid
                                                    : ErrorCode::kInvalidArgument,
              "receipt '" + id + "' is not pending any more; review the path again"};
    }
  }
  // Only somebody else, and a person, completes what the policy wants a person to see.
  if (context.actor.kind != ActorKind::kHuman) {
    return {ErrorCode::kPermissionDenied,
            "only a person decides on receipt '" + id + "'; run the command as a human actor"};
  }
  STAGED_ASSIGN_OR_RETURN(const auto authors, AuthorsOf(session->transaction(), *receipt));
  if (authors.contains(context.actor.name)) {
    return {ErrorCode::kPermissionDenied, "'" + context.actor.name + "' wrote part of '" +
                                              receipt->path +
                                              "'; somebody else must decide on its receipt"};
  }
  Operation operation;
  operation.type = OperationType::kApprove;
  operation.payload.Set("decision", state == ReceiptState::kMinted ? "approved" : "rejected");
  operation.payload.Set("receipt", id);
  if (!why.empty()) operation.payload.Set("why", why);
  AddReceiptState(operation, id, state);
  STAGED_RETURN_IF_ERROR(session->Append(std::move(operation)).status());
  return session->Commit();
}

Status WorkspaceImpl::Approve(const CallContext& context, const std::string& receipt) {
  return DecideReceipt(context, receipt, ReceiptState::kMinted, "");
}

Status WorkspaceImpl::Reject(const CallContext& context, const std::string& receipt,
                             const std::string& why) {
  return DecideReceipt(context, receipt, ReceiptState::kRejected, why);
}

}  // namespace staged
