// Writing calls that stage one change on a branch.

#include <algorithm>
#include <future>
#include <optional>
#include <thread>

#include "base/binary.h"
#include "staged/ext/apply_edits.h"
#include "workspace/layout.h"
#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

constexpr size_t kCompareBesideBytesMin = size_t{1} << 20;
constexpr size_t kEditedBytesMin = size_t{64} << 10;  // a smaller file is read as quickly

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

// What the journal says of edits for ever. Their texts are in the contents that the operation
// names, and go with those when they are forgotten; which ones they were, a digest proves.
Value EvidenceOf(const std::vector<Edit>& edits) {
  Value::Array list;
  for (const Edit& edit : edits) {
    BinaryWriter whole;
    whole.PutValue(EditsToValue({edit}));
    list.push_back(Value::Object{{"op", edit.op},
                                 {"locator", edit.locator},
                                 {"digest", ContentHash::Of(whole.bytes()).ToHex()}});
  }
  return list;
}

RequestDigest EditRequest(const std::string& path, const BaseHash& base,
                          const std::vector<Edit>& edits) {
  BinaryWriter listed;
  listed.PutValue(EditsToValue(edits));
  return RequestDigest("edit").Add(path).Add(base).Add(listed.bytes());
}

Value DerivedToValue(const std::vector<DerivedEffect>& derived) {
  Value::Array list;
  for (const DerivedEffect& effect : derived) {
    list.push_back(Value::Array{effect.locator, effect.description});
  }
  return list;
}

std::vector<DerivedEffect> DerivedOf(const Operation& operation) {
  std::vector<DerivedEffect> derived;
  const Value* list = operation.payload.Find(kPayloadDerived);
  for (const Value& one : list != nullptr ? list->as_array() : Value::Array{}) {
    derived.push_back({one.as_array()[0].as_string(), one.as_array()[1].as_string()});
  }
  return derived;
}

Status NotThere(const std::string& path, const std::string& branch) {
  return {ErrorCode::kNotFound, "'" + path + "' is not in the working state of branch '" + branch +
                                    "'; `staged ls` lists what is"};
}

// A file is removed or moved as it was seen.
Status CheckBaseOfFile(const std::string& path, const BaseHash& base) {
  if (base) return OkStatus();
  return {ErrorCode::kInvalidArgument,
          "'" + path +
              "' is a file: name the hash that you saw with --base; `staged status --json` shows "
              "it as working",
          Value::Object{{"path", path}}};
}

// A directory stands for its files as they are now.
Status CheckBaseOfDirectory(const std::string& path, const BaseHash& base) {
  if (!base) return OkStatus();
  return {ErrorCode::kInvalidArgument,
          "'" + path + "' is a directory and has no hash; leave out --base",
          Value::Object{{"path", path}}};
}

// Only for large files a thread pays.
std::launch LaunchFor(size_t size_bytes) {
  return size_bytes < kCompareBesideBytesMin ? std::launch::deferred
                                             : std::launch::async | std::launch::deferred;
}

}  // namespace

StagedChange WorkspaceImpl::AnswerOf(const Operation& operation) {
  StagedChange answer;
  answer.operation = operation.sequence;
  answer.turn = operation.turn;
  answer.superseded = operation.consumes;
  const auto hash = [](const Value& value, std::string_view name) {
    const auto parsed = ContentHash::Parse(value.FindString(name));
    return parsed.ok() ? BaseHash(*parsed) : BaseHash();
  };
  for (const std::string_view name : {kPayloadDirectory, kPayloadAnswer}) {
    const Value* noted = operation.payload.Find(name);
    if (noted == nullptr) continue;
    answer.path = noted->FindString("path");
    answer.moved_to = noted->FindString("to");
    answer.base = hash(*noted, "base");
    answer.hash = hash(*noted, "hash");
    return answer;
  }
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
  if (!session.is_repeated()) return std::optional<StagedChange>();
  StagedChange answer;
  std::vector<int64_t> superseded;
  for (const int64_t sequence : session.repeated()) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation, session.transaction().Read(sequence));
    answer = AnswerOf(operation);
    superseded.insert(superseded.end(), answer.superseded.begin(), answer.superseded.end());
    if (operation.type != OperationType::kEdit || operation.changes.size() != 1) continue;
    const PathChange& change = operation.changes.front();
    answer.derived = DerivedOf(operation);
    // As in the first answer, a courtesy: the bytes may have been forgotten since.
    Result<Diff> diff = DiffEntries(change.path, change.base, change.path, change.result);
    if (diff.ok()) answer.diff = *std::move(diff);
  }
  answer.superseded = std::move(superseded);
  return std::optional<StagedChange>(std::move(answer));
}

Result<Operation> WorkspaceImpl::SupersedeConflict(WriteSession& session, Operation operation) {
  std::set<int64_t> consumed;
  for (const PathChange& change : operation.changes) {
    const StagedPath* staged = session.reduction().Find(change.path);
    if (staged == nullptr || !staged->conflict || staged->working != change.base) continue;
    consumed.insert(staged->kept.begin(), staged->kept.end());
  }
  operation.consumes.insert(operation.consumes.end(), consumed.begin(), consumed.end());
  return operation;
}

Status WorkspaceImpl::CheckVersioned(WriteSession& session, const std::string& path) {
  for (size_t begin = 0; begin <= path.size();) {
    const size_t slash = std::min(path.find('/', begin), path.size());
    if (IsScratchName(std::string_view(path).substr(begin, slash - begin))) {
      return {ErrorCode::kInvalidArgument,
              "'" + path + "' is scratch that is never versioned; choose another name",
              Value::Object{{"path", path}}};
    }
    const std::string folder = path.substr(0, slash);
    if (slash < path.size() && root_directory_->Stat(folder + "/" + layout::kFolder).ok()) {
      return {ErrorCode::kPathEscape,
              "'" + folder + "' is a workspace of its own; open that one to change '" + path + "'",
              Value::Object{{"path", path}, {"workspace", folder}}};
    }
    begin = slash + 1;
  }
  if (session.ignore_rules().IsFileExcluded(path)) {
    return {ErrorCode::kInvalidArgument,
            "'" + path +
                "' is excluded by .gitignore or .stagedignore; choose another name or "
                "change the rule",
            Value::Object{{"path", path}}};
  }
  return OkStatus();
}

Status WorkspaceImpl::CheckNewPath(const Reduction& reduction, const std::string& path) {
  const Result<FileStatus> on_disk = root_directory_->Stat(path);
  if (on_disk.ok() && on_disk->kind != FileKind::kDirectory && !reduction.accepted.contains(path)) {
    return {ErrorCode::kConflict,
            "'" + path +
                "' is on disk but not versioned (`staged status` says why it is skipped); "
                "choose another name or move that file away",
            Value::Object{{"path", path}}};
  }
  if (const std::string obstacle = PrefixObstacle(reduction.working, path); !obstacle.empty()) {
    return {ErrorCode::kConflict,
            "'" + path + "' and '" + obstacle + "' cannot both be files; move one of them first",
            Value::Object{{"path", path}, {"obstacle", obstacle}}};
  }
  STAGED_RETURN_IF_ERROR(CheckTwin(reduction.working, path));
  return CheckParentsOnDisk(reduction, path);
}

Status WorkspaceImpl::CheckTwin(const Tree& tree, const std::string& path) {
  if (const std::string twin = FindTwin(tree, path); !twin.empty()) {
    return {ErrorCode::kConflict,
            "'" + path + "' would be the same file as '" + twin +
                "' on systems without case or normalisation; choose another name",
            Value::Object{{"path", path}, {"twin", twin}}};
  }
  return OkStatus();
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
  RequestDigest request = plan.request;
  if (plan.request_names_result) request.Add(BaseHash(hash));
  STAGED_ASSIGN_OR_RETURN(const auto session,
                          WriteSession::Begin(*this, context, {plan.path}, request));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const OptionalEntry base = FindEntry(session->reduction().working, plan.path);
  Entry result{base ? base->kind : EntryKind::kFile, hash};
  if (result.kind == EntryKind::kSymlink && !SymlinkStaysInside(plan.path, plan.bytes)) {
    return Status(ErrorCode::kPathEscape,
                  "'" + plan.path +
                      "' is a symlink and its new target leads out of the workspace; "
                      "remove it first to write a file");
  }
  if (!base) {
    STAGED_RETURN_IF_ERROR(CheckVersioned(*session, plan.path));
    STAGED_RETURN_IF_ERROR(CheckNewPath(session->reduction(), plan.path));
  }
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), plan.path, plan.base, hash));
  STAGED_RETURN_IF_ERROR(session->Require(hash, plan.bytes, put));
  // What the store must deflate again to give it; under the transaction, so that no forget comes
  // before it.
  const bool is_slow_to_give =
      !put.rewritten_members.empty() && plan.bytes.size() >= kEditedBytesMin;
  if (is_slow_to_give) edited_->Save(hash, plan.bytes);
  Operation operation;
  operation.type = base ? plan.type : OperationType::kCreate;
  operation.changes = {{plan.path, base, result}};
  if (!plan.edits.empty()) operation.payload.Set(kPayloadEdits, EvidenceOf(plan.edits));
  if (!plan.derived.empty()) operation.payload.Set(kPayloadDerived, DerivedToValue(plan.derived));
  return AppendStaged(*session, std::move(operation));
}

Result<StagedChange> WorkspaceImpl::Write(const CallContext& context, const std::string& path,
                                          const BaseHash& base, std::string_view bytes) {
  WritePlan plan;
  STAGED_ASSIGN_OR_RETURN(plan.path, NormalizePath(path));
  plan.base = base;
  plan.bytes = bytes;
  plan.request = RequestDigest("write");
  plan.request.Add(plan.path).Add(base);
  plan.request_names_result = true;
  return StageBytes(context, plan);
}

Result<StagedChange> WorkspaceImpl::ApplyEdits(const CallContext& context, const std::string& path,
                                               const BaseHash& base,
                                               const std::vector<Edit>& edits) {
  return OnSteadyDisk([&] { return ApplyEditsOnce(context, path, base, edits); });
}

std::shared_ptr<const std::string> WorkspaceImpl::FindEdited(const ContentHash& hash) {
  std::shared_ptr<const std::string> bytes = edited_->Find(hash);
  if (bytes == nullptr) return nullptr;
  // It may have been forgotten, by another process too.
  const Result<bool> stored = store_->Has(hash);
  return stored.ok() && *stored ? bytes : nullptr;
}

Result<StagedChange> WorkspaceImpl::ApplyEditsOnce(const CallContext& context,
                                                   const std::string& path, const BaseHash& base,
                                                   const std::vector<Edit>& edits) {
  if (edits.empty()) {
    return Status(ErrorCode::kInvalidArgument, "the list of edits is empty; name at least one");
  }
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  const RequestDigest request = EditRequest(normal, base, edits);
  // The base decides what is edited; whether it still is the working content is checked before any
  // work is done, and again under the transaction.
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
  const OptionalEntry working = FindEntry(state.reduction.working, normal);
  if (!context.request_id.empty()) {
    STAGED_ASSIGN_OR_RETURN(const auto answered,
                            state.live.reader->RequestAnswer(context.request_id));
    if (answered) {
      STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}, request));
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
  // A large file's view of before is read while the edit is made, that of after while the new bytes
  // are made durable.
  std::future<Result<std::shared_ptr<const View>>> view_before =
      std::async(LaunchFor(bytes->size()), [&] { return ViewOf(normal, working->hash); });
  const Format& format = formats_.Detect(*bytes, normal);
  STAGED_ASSIGN_OR_RETURN(EditOutcome outcome,
                          staged::ApplyEdits(formats_, *bytes, normal, edits, options_.limits));

  WritePlan plan;
  plan.type = OperationType::kEdit;
  plan.path = normal;
  plan.base = base;
  plan.bytes = outcome.bytes;
  plan.put.rewritten_members = outcome.rewritten_members;
  plan.put.deflated = std::move(outcome.deflated);
  plan.edits = edits;
  plan.derived = outcome.derived;
  plan.request = request;
  // The view and the difference are a courtesy: without them the write is acknowledged all the
  // same.
  ContentHash hash;
  std::optional<Diff> diff;
  const auto compare = [&] {
    const Result<std::shared_ptr<const View>> before = view_before.get();
    hash = ContentHash::Of(outcome.bytes);
    const Result<std::shared_ptr<const View>> after =
        views_->Get(hash, normal, [&]() -> Result<std::string> { return outcome.bytes; });
    if (before.ok() && after.ok()) {
      diff = ComputeDiff(**before, **after, format.descriptor().profile);
    }
  };
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
    edited_->Remember(hash, std::move(outcome.bytes));
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
  STAGED_ASSIGN_OR_RETURN(
      const auto session,
      WriteSession::Begin(*this, context, {normal}, RequestDigest("rm").Add(normal).Add(base)));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const OptionalEntry working = FindEntry(session->reduction().working, normal);
  if (!working) {
    STAGED_ASSIGN_OR_RETURN(const auto files, ExpandDirectory(session->reduction(), normal));
    if (files.empty()) return NotThere(normal, context.branch);
    STAGED_RETURN_IF_ERROR(CheckBaseOfDirectory(normal, base));
    std::vector<Operation> operations;
    for (const std::string& file : files) {
      Operation operation;
      operation.type = OperationType::kDelete;
      operation.changes = {{file, FindEntry(session->reduction().working, file), {}}};
      operations.push_back(std::move(operation));
    }
    return AppendDirectory(*session, normal, "", std::move(operations));
  }
  STAGED_RETURN_IF_ERROR(CheckBaseOfFile(normal, base));
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), normal, base, {}));
  Operation operation;
  operation.type = OperationType::kDelete;
  operation.changes = {{normal, working, {}}};
  return AppendStaged(*session, std::move(operation));
}

Result<StagedChange> WorkspaceImpl::AppendDirectory(WriteSession& session, const std::string& path,
                                                    const std::string& to,
                                                    std::vector<Operation> operations) {
  // A directory stands for its files: there is no one hash to name as base or result, and each file
  // is reviewed, merged and submitted for itself. Undo takes them back together.
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, session.transaction().Head());
  Value directory = Value::Object{{"path", path}};
  if (!to.empty()) directory.Set("to", to);
  directory.Set("first", head.sequence + 1);
  StagedChange answer;
  std::vector<int64_t> superseded;
  for (Operation& operation : operations) {
    operation.payload.Set(kPayloadDirectory, directory);
    STAGED_ASSIGN_OR_RETURN(operation, SupersedeConflict(session, std::move(operation)));
    STAGED_ASSIGN_OR_RETURN(operation, session.Append(std::move(operation)));
    answer = AnswerOf(operation);
    superseded.insert(superseded.end(), answer.superseded.begin(), answer.superseded.end());
  }
  STAGED_RETURN_IF_ERROR(session.Commit());
  answer.superseded = std::move(superseded);
  return answer;
}

Status WorkspaceImpl::CheckMove(WriteSession& session, const Reduction& without,
                                const std::string& from, const Entry& entry,
                                const std::string& to) {
  STAGED_RETURN_IF_ERROR(CheckVersioned(session, to));
  if (entry.kind == EntryKind::kSymlink) {
    STAGED_ASSIGN_OR_RETURN(const std::string link, ReadContent(from, entry.hash));
    if (!SymlinkStaysInside(to, link)) {
      return {ErrorCode::kPathEscape, "the symlink '" + from +
                                          "' would lead out of the workspace from '" + to +
                                          "'; move what it points to, or remove it"};
    }
  }
  if (const OptionalEntry taken = FindEntry(without.working, to)) {
    return {ErrorCode::kConflict, "'" + to + "' is taken; remove or move it first",
            Value::Object{{"path", to}, {"actual", taken->hash.ToString()}}};
  }
  return CheckNewPath(without, to);
}

Result<StagedChange> WorkspaceImpl::MoveDirectory(WriteSession& session, const std::string& from,
                                                  const std::string& to, const BaseHash& base) {
  if (to.starts_with(from + "/")) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + from + "' cannot move into itself; name another target");
  }
  STAGED_ASSIGN_OR_RETURN(auto files, ExpandDirectory(session.reduction(), from));
  if (files.empty()) return NotThere(from, session.context().branch);
  STAGED_RETURN_IF_ERROR(CheckBaseOfDirectory(from, base));
  // What frees a name goes before what takes it: a directory that moves up, say. When no file can
  // go, something else has the name.
  Reduction now = session.reduction();
  std::vector<Operation> operations;
  while (!files.empty()) {
    Status refused = OkStatus();
    const size_t waiting = files.size();
    for (auto file = files.begin(); file != files.end();) {
      const Entry entry = now.working.at(*file);
      const std::string moved = to + file->substr(from.size());
      now.working.erase(*file);
      Status checked = CheckMove(session, now, *file, entry, moved);
      if (!checked.ok()) {
        now.working[*file] = entry;
        refused = std::move(checked);
        ++file;
        continue;
      }
      now.working[moved] = entry;
      Operation operation;
      operation.type = OperationType::kMove;
      operation.changes = {{*file, entry, {}}, {moved, {}, entry}};
      operations.push_back(std::move(operation));
      file = files.erase(file);
    }
    if (files.size() == waiting) return refused;
  }
  return AppendDirectory(session, from, to, std::move(operations));
}

Result<StagedChange> WorkspaceImpl::Move(const CallContext& context, const std::string& from,
                                         const std::string& to, const BaseHash& base) {
  STAGED_ASSIGN_OR_RETURN(const std::string source, NormalizePath(from));
  STAGED_ASSIGN_OR_RETURN(const std::string target, NormalizePath(to));
  if (source == target) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + source + "' is where it would move to; name another target");
  }
  STAGED_ASSIGN_OR_RETURN(
      const auto session,
      WriteSession::Begin(*this, context, {source, target},
                          RequestDigest("mv").Add(source).Add(target).Add(base)));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const OptionalEntry working = FindEntry(session->reduction().working, source);
  if (!working) return MoveDirectory(*session, source, target, base);
  STAGED_RETURN_IF_ERROR(CheckBaseOfFile(source, base));
  Reduction without = session->reduction();
  without.working.erase(source);
  STAGED_RETURN_IF_ERROR(CheckMove(*session, without, source, *working, target));
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), source, base, {}));
  Operation operation;
  operation.type = OperationType::kMove;
  operation.changes = {{source, working, {}}, {target, {}, working}};
  return AppendStaged(*session, std::move(operation));
}

Result<StagedChange> WorkspaceImpl::ChangeMode(const CallContext& context, const std::string& path,
                                               const BaseHash& base, bool executable) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  STAGED_ASSIGN_OR_RETURN(const auto session,
                          WriteSession::Begin(*this, context, {normal},
                                              RequestDigest("chmod").Add(normal).Add(base).Add(
                                                  executable ? "+x" : "-x")));
  STAGED_ASSIGN_OR_RETURN(auto repeated, RepeatedChange(*session));
  if (repeated) return *std::move(repeated);
  const OptionalEntry working = FindEntry(session->reduction().working, normal);
  if (!working) return NotThere(normal, context.branch);
  if (working->kind == EntryKind::kSymlink) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + normal + "' is a symlink and has no mode; change the file it points to");
  }
  STAGED_RETURN_IF_ERROR(CheckBase(session->reduction(), normal, base, {}));
  Operation operation;
  operation.type = OperationType::kMode;
  const EntryKind kind = executable ? EntryKind::kExecutable : EntryKind::kFile;
  operation.changes = {{normal, working, Entry{kind, working->hash}}};
  return AppendStaged(*session, std::move(operation));
}

Result<std::vector<std::string>> WorkspaceImpl::AdoptLiveChanges(const CallContext& context) {
  SyncAndClearEnded();
  STAGED_RETURN_IF_ERROR(TakeInLateChanges());
  // On the live folder's own branch: no lease on another keeps people's saves out.
  CallContext person;
  person.actor = context.actor;
  person.branch = kDiskBranch;
  person.branch_kind = BranchKind::kHuman;
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, person, {}));
  const std::vector<std::string> adopted = session->adopted();
  if (!adopted.empty()) STAGED_RETURN_IF_ERROR(session->Commit());
  return adopted;
}

}  // namespace staged
