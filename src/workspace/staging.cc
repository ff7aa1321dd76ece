// Writing calls that stage one change on a branch.

#include <algorithm>
#include <optional>
#include <thread>

#include "workspace/layout.h"
#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

constexpr size_t kCompareBesideBytesMin = size_t{1} << 20;
constexpr size_t kEditedBytesMax = size_t{64} << 20;

Value EditsToValue(const std::vector<Edit>& edits) {
  Value::Array list;
  for (const Edit& edit : edits) {
    Value value = edit.arguments.is_object() ? edit.arguments : Value(Value::Object{});
    value.Set("op", edit.op);
    value.Set("locator", edit.locator);
    if (edit.expect) value.Set("expect", *edit.expect);
    list.push_back(std::move(value));
  }
  return list;
}

Status NotThere(const std::string& path, const std::string& branch) {
  return {ErrorCode::kNotFound, "'" + path + "' is not in the working state of branch '" + branch +
                                    "'; `staged ls` lists what is"};
}

}  // namespace

StagedChange WorkspaceImpl::AnswerOf(const Operation& operation) {
  StagedChange answer;
  answer.operation = operation.sequence;
  answer.turn = operation.turn;
  answer.superseded = operation.consumes;
  if (operation.changes.empty()) return answer;
  const PathChange& first = operation.changes.front();
  answer.path = first.path;
  answer.base = HashOf(first.base);
  answer.hash = HashOf(first.result);
  if (operation.type == OperationType::kMove && operation.changes.size() == 2) {
    answer.moved_to = operation.changes[1].path;
    answer.hash = HashOf(operation.changes[1].result);
  }
  return answer;
}

Result<std::optional<StagedChange>> WorkspaceImpl::RepeatedChange(WriteSession& session) {
  if (session.repeated().empty()) return std::optional<StagedChange>();
  STAGED_ASSIGN_OR_RETURN(const Operation operation,
                          session.transaction().Read(session.repeated().back()));
  return std::optional<StagedChange>(AnswerOf(operation));
}

Result<Operation> WorkspaceImpl::SupersedeConflict(WriteSession& session, Operation operation) {
  std::set<int64_t> stale(session.reduction().stale_operations.begin(),
                          session.reduction().stale_operations.end());
  std::set<int64_t> consumed;
  for (const PathChange& change : operation.changes) {
    const StagedPath* staged = session.reduction().Find(change.path);
    if (staged == nullptr || !staged->conflict) continue;
    for (const int64_t sequence : staged->operations) {
      if (stale.contains(sequence)) consumed.insert(sequence);
    }
  }
  operation.consumes.insert(operation.consumes.end(), consumed.begin(), consumed.end());
  return operation;
}

Status WorkspaceImpl::CheckNewPath(const Reduction& reduction, const std::string& path) {
  if (const std::string obstacle = PrefixObstacle(reduction.working, path); !obstacle.empty()) {
    return {ErrorCode::kConflict,
            "'" + path + "' and '" + obstacle + "' cannot both be files; move one of them first",
            Value::Object{{"path", path}, {"obstacle", obstacle}}};
  }
  if (const std::string twin = FindTwin(reduction.working, path); !twin.empty()) {
    return {ErrorCode::kConflict,
            "'" + path + "' would be the same file as '" + twin +
                "' on systems without case or normalisation; choose another name",
            Value::Object{{"path", path}, {"twin", twin}}};
  }
  return CheckParentsOnDisk(reduction, path);
}

Status WorkspaceImpl::CheckParentsOnDisk(const Reduction& reduction, const std::string& path) {
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    // A tracked file in the way is decided at submit, when it may have been removed.
    if (reduction.accepted.contains(folder)) return OkStatus();
    const Result<FileStatus> status = root_directory_->Stat(folder);
    if (!status.ok()) {
      return status.status().code() == ErrorCode::kNotFound ? OkStatus() : status.status();
    }
    if (status->kind != FileKind::kDirectory) {
      return {ErrorCode::kPathEscape,
              "'" + folder +
                  "' on disk is no directory but a link or file that is not tracked; "
                  "name a file below a real directory",
              Value::Object{{"path", path}, {"obstacle", folder}}};
    }
    if (root_directory_->Stat(folder + "/" + layout::kFolder).ok()) {
      return {ErrorCode::kPathEscape,
              "'" + folder + "' is a workspace of its own; work there with --root",
              Value::Object{{"path", path}, {"obstacle", folder}}};
    }
  }
  return OkStatus();
}

Result<StagedChange> WorkspaceImpl::AppendStaged(WriteSession& session, Operation operation) {
  STAGED_ASSIGN_OR_RETURN(operation, SupersedeConflict(session, std::move(operation)));
  STAGED_ASSIGN_OR_RETURN(operation, session.Append(std::move(operation)));
  STAGED_RETURN_IF_ERROR(session.Commit());
  return AnswerOf(operation);
}

Result<StagedChange> WorkspaceImpl::StageBytes(const CallContext& context, const WritePlan& plan) {
  PutOptions put = plan.put;
  if (plan.base) put.similar_to = &*plan.base;
  STAGED_ASSIGN_OR_RETURN(const ContentHash hash, store_->Put(plan.bytes, put));
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {plan.path}));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), plan.path, plan.base, hash));
  STAGED_RETURN_IF_ERROR(session->Require(hash, plan.bytes, put));
  const OptionalEntry base = FindEntry(session->reduction().working, plan.path);
  if (!base) STAGED_RETURN_IF_ERROR(CheckNewPath(session->reduction(), plan.path));
  Entry result{base ? base->kind : EntryKind::kFile, hash};
  if (result.kind == EntryKind::kSymlink && !SymlinkStaysInside(plan.path, plan.bytes)) {
    return Status(ErrorCode::kPathEscape,
                  "'" + plan.path +
                      "' is a symlink and its new target leads out of the workspace; "
                      "remove it first to write a file");
  }
  Operation operation;
  operation.type = base ? plan.type : OperationType::kCreate;
  operation.changes = {{plan.path, base, result}};
  if (!plan.edits.empty()) operation.payload.Set(kPayloadEdits, EditsToValue(plan.edits));
  return AppendStaged(*session, std::move(operation));
}

Result<StagedChange> WorkspaceImpl::Write(const CallContext& context, const std::string& path,
                                          const BaseHash& base, std::string_view bytes) {
  WritePlan plan;
  STAGED_ASSIGN_OR_RETURN(plan.path, NormalizePath(path));
  plan.base = base;
  plan.bytes = bytes;
  return StageBytes(context, plan);
}

Result<StagedChange> WorkspaceImpl::ApplyEdits(const CallContext& context, const std::string& path,
                                               const BaseHash& base,
                                               const std::vector<Edit>& edits) {
  return OnSteadyDisk([&] { return ApplyEditsOnce(context, path, base, edits); });
}

std::shared_ptr<const std::string> WorkspaceImpl::FindEdited(const ContentHash& hash) {
  const std::lock_guard lock(edited_mutex_);
  if (edited_bytes_ == nullptr || edited_hash_ != hash) return nullptr;
  // It may have been forgotten, by another process too.
  const Result<bool> stored = store_->Has(hash);
  return stored.ok() && *stored ? edited_bytes_ : nullptr;
}

void WorkspaceImpl::RememberEdited(const ContentHash& hash, std::string bytes) {
  if (bytes.size() > kEditedBytesMax) return;
  const std::lock_guard lock(edited_mutex_);
  edited_hash_ = hash;
  edited_bytes_ = std::make_shared<const std::string>(std::move(bytes));
}

Result<StagedChange> WorkspaceImpl::ApplyEditsOnce(const CallContext& context,
                                                   const std::string& path, const BaseHash& base,
                                                   const std::vector<Edit>& edits) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  if (edits.empty()) {
    return Status(ErrorCode::kInvalidArgument, "the list of edits is empty; name at least one");
  }
  // The base decides what is edited; whether it still is the working content is checked before any
  // work is done, and again under the transaction.
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
  const OptionalEntry working = FindEntry(state.reduction.working, normal);
  if (!context.request_id.empty()) {
    STAGED_ASSIGN_OR_RETURN(const auto answered,
                            state.live.reader->RequestAnswer(context.request_id));
    if (answered) {
      STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}));
      STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
      if (repeated) return *std::move(repeated);
    }
  }
  if (!working) return NotThere(normal, context.branch);
  STAGED_RETURN_IF_ERROR(CheckBase(state.reduction, normal, base, {}));
  std::shared_ptr<const std::string> bytes = FindEdited(working->hash);
  if (bytes == nullptr) {
    STAGED_ASSIGN_OR_RETURN(std::string read, ReadContent(normal, working->hash));
    bytes = std::make_shared<const std::string>(std::move(read));
  }
  const Format& format = formats_.Detect(*bytes, normal);
  STAGED_ASSIGN_OR_RETURN(EditOutcome outcome, format.Apply(*bytes, edits, options_.limits));

  WritePlan plan;
  plan.type = OperationType::kEdit;
  plan.path = normal;
  plan.base = base;
  plan.bytes = outcome.bytes;
  plan.put.rewritten_members = outcome.rewritten_members;
  plan.edits = edits;
  // The view and the difference are a courtesy: without them the write is acknowledged all the
  // same.
  ContentHash hash;
  std::optional<Diff> diff;
  const auto compare = [&] {
    const Result<std::shared_ptr<const View>> before = ViewOf(normal, working->hash);
    hash = ContentHash::Of(outcome.bytes);
    const Result<std::shared_ptr<const View>> after =
        views_->Get(hash, normal, [&]() -> Result<std::string> { return outcome.bytes; });
    if (before.ok() && after.ok()) {
      diff = ComputeDiff(**before, **after, format.descriptor().profile);
    }
  };
  // A large file is parsed while its bytes are made durable.
  std::thread comparer;
  if (outcome.bytes.size() >= kCompareBesideBytesMin) comparer = std::thread(compare);
  Result<StagedChange> answer = StageBytes(context, plan);
  if (comparer.joinable()) {
    comparer.join();
  } else if (answer.ok()) {
    compare();
  }
  STAGED_RETURN_IF_ERROR(answer.status());
  answer->derived = std::move(outcome.derived);
  if (answer->hash == hash) {
    answer->diff = std::move(diff);
    RememberEdited(hash, std::move(outcome.bytes));
  }
  return answer;
}

Result<std::vector<std::string>> WorkspaceImpl::ExpandDirectory(const Reduction& reduction,
                                                                const std::string& path) {
  std::vector<std::string> files;
  const std::string below = path + "/";
  for (auto next = reduction.working.lower_bound(below);
       next != reduction.working.end() && next->first.starts_with(below); ++next) {
    files.push_back(next->first);
  }
  return files;
}

Result<StagedChange> WorkspaceImpl::Remove(const CallContext& context, const std::string& path,
                                           const BaseHash& base) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {normal}));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const OptionalEntry working = FindEntry(session->reduction().working, normal);
  Operation operation;
  operation.type = OperationType::kDelete;
  if (!working) {
    // A directory stands for its files; there is no one hash to name as base.
    STAGED_ASSIGN_OR_RETURN(const auto files, ExpandDirectory(session->reduction(), normal));
    if (files.empty()) return NotThere(normal, context.branch);
    for (const std::string& file : files) {
      operation.changes.push_back({file, FindEntry(session->reduction().working, file), {}});
    }
    return AppendStaged(*session, std::move(operation));
  }
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), normal, base, {}));
  operation.changes = {{normal, working, {}}};
  return AppendStaged(*session, std::move(operation));
}

Result<StagedChange> WorkspaceImpl::Move(const CallContext& context, const std::string& from,
                                         const std::string& to, const BaseHash& base) {
  STAGED_ASSIGN_OR_RETURN(const std::string source, NormalizePath(from));
  STAGED_ASSIGN_OR_RETURN(const std::string target, NormalizePath(to));
  STAGED_ASSIGN_OR_RETURN(const auto session,
                          WriteSession::Begin(*this, context, {source, target}));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const Reduction& reduction = session->reduction();
  const OptionalEntry working = FindEntry(reduction.working, source);
  if (!working) {
    STAGED_ASSIGN_OR_RETURN(const auto files, ExpandDirectory(reduction, source));
    if (files.empty()) return NotThere(source, context.branch);
    Tree after = reduction.working;
    StagedChange last;
    for (const std::string& file : files) after.erase(file);
    std::vector<Operation> operations;
    for (const std::string& file : files) {
      const std::string moved = target + file.substr(source.size());
      const OptionalEntry entry = FindEntry(reduction.working, file);
      if (after.contains(moved) || !PrefixObstacle(after, moved).empty()) {
        return Status(ErrorCode::kConflict, "'" + moved + "' is taken; move it away first");
      }
      after[moved] = *entry;
      Operation operation;
      operation.type = OperationType::kMove;
      operation.changes = {{file, entry, {}}, {moved, {}, entry}};
      STAGED_ASSIGN_OR_RETURN(operation, session->Append(std::move(operation)));
      last = AnswerOf(operation);
    }
    STAGED_RETURN_IF_ERROR(session->Commit());
    last.path = source;
    last.moved_to = target;
    last.base.reset();
    last.hash.reset();
    return last;
  }
  STAGED_RETURN_IF_ERROR(CheckBase(reduction, source, base, {}));
  if (source == target) {
    return Status(ErrorCode::kInvalidArgument, "'" + source + "' is where it would move to");
  }
  if (const OptionalEntry taken = FindEntry(reduction.working, target)) {
    return Status(ErrorCode::kConflict, "'" + target + "' is taken; remove or move it first",
                  Value::Object{{"path", target}, {"actual", taken->hash.ToString()}});
  }
  Reduction without = reduction;
  without.working.erase(source);
  STAGED_RETURN_IF_ERROR(CheckNewPath(without, target));
  if (working->kind == EntryKind::kSymlink) {
    STAGED_ASSIGN_OR_RETURN(const std::string link, ReadContent(source, working->hash));
    if (!SymlinkStaysInside(target, link)) {
      return Status(ErrorCode::kPathEscape, "the symlink '" + source +
                                                "' would lead out of the "
                                                "workspace from '" +
                                                target + "'");
    }
  }
  Operation operation;
  operation.type = OperationType::kMove;
  operation.changes = {{source, working, {}}, {target, {}, working}};
  return AppendStaged(*session, std::move(operation));
}

Result<StagedChange> WorkspaceImpl::ChangeMode(const CallContext& context, const std::string& path,
                                               const BaseHash& base, bool executable) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {normal}));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const OptionalEntry working = FindEntry(session->reduction().working, normal);
  if (!working) return NotThere(normal, context.branch);
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), normal, base, {}));
  if (working->kind == EntryKind::kSymlink) {
    return Status(ErrorCode::kInvalidArgument, "'" + normal + "' is a symlink and has no mode");
  }
  Operation operation;
  operation.type = OperationType::kMode;
  const EntryKind kind = executable ? EntryKind::kExecutable : EntryKind::kFile;
  operation.changes = {{normal, working, Entry{kind, working->hash}}};
  return AppendStaged(*session, std::move(operation));
}

Result<std::vector<std::string>> WorkspaceImpl::AdoptLiveChanges(const CallContext& context) {
  CallContext person = context;
  person.request_id.clear();
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, person, {}));
  const std::vector<std::string> adopted = session->adopted();
  if (!adopted.empty()) STAGED_RETURN_IF_ERROR(session->Commit());
  return adopted;
}

}  // namespace staged
