// Undo and rollback: within a branch, backwards, nothing erased (rule 15).

#include <algorithm>

#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

// Whether one operation can stand on the other: they change a path in common, or one makes a file
// where the other has a directory.
bool SharesPath(const Operation& left, const Operation& right) {
  return std::any_of(left.changes.begin(), left.changes.end(), [&](const PathChange& one) {
    return std::any_of(right.changes.begin(), right.changes.end(), [&](const PathChange& other) {
      return one.path == other.path || one.path.starts_with(other.path + "/") ||
             other.path.starts_with(one.path + "/");
    });
  });
}

// With the other operations of the command on a directory that `sequence` is part of.
std::vector<int64_t> WholeCommand(const std::vector<Operation>& live, int64_t sequence) {
  const auto directory = [](const Operation& operation) -> const Value* {
    const Value* noted = operation.payload.Find(kPayloadDirectory);
    return noted == nullptr ? nullptr : noted->Find("first");
  };
  const auto found = std::find_if(live.begin(), live.end(), [&](const Operation& operation) {
    return operation.sequence == sequence;
  });
  if (found == live.end() || directory(*found) == nullptr) return {sequence};
  std::vector<int64_t> sequences;
  for (const Operation& operation : live) {
    const Value* first = directory(operation);
    if (first != nullptr && *first == *directory(*found)) sequences.push_back(operation.sequence);
  }
  return sequences;
}

Value SequencesToValue(const std::vector<int64_t>& sequences) {
  Value::Array list;
  for (const int64_t sequence : sequences) list.push_back(sequence);
  return list;
}

// Adds the live operations that stand on what is undone, and on those: they go too, or nothing
// does. Whatever stands on an operation that an undo of `undone` brought back (in `brought_back`,
// by the undo's number) stands on that undo. Returns the numbers of those added.
std::vector<int64_t> AddDependents(const std::vector<Operation>& live,
                                   const std::multimap<int64_t, Operation>& brought_back,
                                   std::vector<Operation>& undone) {
  const auto stands = [&](const Operation& candidate, const Operation& operation) {
    if (candidate.sequence <= operation.sequence) return false;
    if (SharesPath(candidate, operation)) return true;
    const auto [first, last] = brought_back.equal_range(operation.sequence);
    return std::any_of(first, last,
                       [&](const auto& entry) { return SharesPath(candidate, entry.second); });
  };
  std::set<int64_t> known;
  for (const Operation& operation : undone) known.insert(operation.sequence);
  std::vector<int64_t> dependents;
  for (size_t before = 0; before != undone.size();) {
    before = undone.size();
    for (const Operation& candidate : live) {
      if (known.contains(candidate.sequence)) continue;
      const bool stands_on =
          std::any_of(undone.begin(), undone.end(),
                      [&](const Operation& operation) { return stands(candidate, operation); });
      if (!stands_on) continue;
      known.insert(candidate.sequence);
      dependents.push_back(candidate.sequence);
      undone.push_back(candidate);
    }
  }
  std::sort(dependents.begin(), dependents.end());
  return dependents;
}

// What every path of the undone and the revived operations was before and is after.
Value PathsToValue(const std::vector<Operation>& operations, const Tree& before,
                   const Tree& after) {
  std::set<std::string> paths;
  for (const Operation& operation : operations) {
    for (const PathChange& change : operation.changes) paths.insert(change.path);
  }
  Value::Array list;
  for (const std::string& path : paths) {
    list.push_back(Value::Object{{"path", path},
                                 {"before", EntryToValue(FindEntry(before, path))},
                                 {"after", EntryToValue(FindEntry(after, path))}});
  }
  return list;
}

}  // namespace

Result<UndoAnswer> WorkspaceImpl::UndoOperations(
    const CallContext& context,
    const std::function<Result<std::vector<int64_t>>(WriteSession& session)>& choose,
    bool with_dependents, const RequestDigest& request) {
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}, request));
  if (session->is_repeated()) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation,
                            session->transaction().Read(session->repeated().back()));
    return RepeatedUndo(operation);
  }
  STAGED_ASSIGN_OR_RETURN(const std::vector<int64_t> chosen, choose(*session));
  std::vector<Operation> undone;
  std::multimap<int64_t, Operation> brought_back;
  for (const int64_t sequence : std::set<int64_t>(chosen.begin(), chosen.end())) {
    STAGED_ASSIGN_OR_RETURN(Operation operation, session->transaction().Read(sequence));
    for (const int64_t revived : operation.revives) {
      STAGED_ASSIGN_OR_RETURN(Operation back, session->transaction().Read(revived));
      brought_back.emplace(sequence, std::move(back));
    }
    undone.push_back(std::move(operation));
  }
  const std::vector<int64_t> dependents = AddDependents(session->live(), brought_back, undone);
  if (!dependents.empty() && !with_dependents) {
    return Status(ErrorCode::kConflict,
                  "later operations stand on operation " + std::to_string(chosen.front()) +
                      "; undo them first, or add --with-dependents",
                  Value::Object{{"dependents", SequencesToValue(dependents)}});
  }
  STAGED_ASSIGN_OR_RETURN(Operation operation, PlanUndo(*session, undone));
  STAGED_ASSIGN_OR_RETURN(operation, session->Append(std::move(operation)));
  STAGED_RETURN_IF_ERROR(session->Commit());
  return RepeatedUndo(operation);
}

Result<Operation> WorkspaceImpl::PlanUndo(WriteSession& session, std::vector<Operation> undone) {
  Operation undo;
  undo.type = OperationType::kUndo;
  std::set<int64_t> targets;
  for (const Operation& operation : undone) targets.insert(operation.sequence);
  undo.consumes.assign(targets.begin(), targets.end());
  // What an undone operation had ended (a superseded chain, the operations of an undo) lives again.
  std::map<int64_t, Operation> revived;
  for (const Operation& operation : undone) {
    for (const int64_t sequence : operation.consumes) {
      if (targets.contains(sequence)) continue;
      STAGED_ASSIGN_OR_RETURN(Operation ended, session.transaction().Read(sequence));
      if (!IsContentOperation(ended.type) || ended.changes.empty()) continue;
      STAGED_RETURN_IF_ERROR(CheckRemembered(ended));
      revived.insert_or_assign(sequence, std::move(ended));
    }
    for (const int64_t sequence : operation.revives) undo.consumes.push_back(sequence);
  }
  for (auto& [sequence, operation] : revived) {
    undo.revives.push_back(sequence);
    undone.push_back(std::move(operation));
  }
  // Known before it is appended, so that a repeated request finds it in the journal.
  STAGED_ASSIGN_OR_RETURN(const Tree after, WorkingAfter(session, undo));
  undo.payload.Set("paths", PathsToValue(undone, session.reduction().working, after));
  return undo;
}

Status WorkspaceImpl::CheckRemembered(const Operation& operation) {
  for (const PathChange& change : operation.changes) {
    if (!change.result) continue;
    STAGED_ASSIGN_OR_RETURN(const bool there, store_->Has(change.result->hash));
    if (there) continue;
    return {ErrorCode::kNotFound,
            change.result->hash.ToString() + " of '" + change.path +
                "' was forgotten for good; write the file anew",
            Value::Object{{"path", change.path}}};
  }
  return OkStatus();
}

Result<Tree> WorkspaceImpl::WorkingAfter(WriteSession& session, const Operation& undo) {
  std::map<int64_t, Operation> live;
  for (const Operation& operation : session.live()) live[operation.sequence] = operation;
  for (const int64_t sequence : undo.consumes) live.erase(sequence);
  for (const int64_t sequence : undo.revives) {
    STAGED_ASSIGN_OR_RETURN(live[sequence], session.transaction().Read(sequence));
  }
  std::vector<Operation> operations;
  for (auto& [sequence, operation] : live) operations.push_back(std::move(operation));
  return Reduce(session.reduction().accepted, {}, operations).working;
}

UndoAnswer WorkspaceImpl::RepeatedUndo(const Operation& operation) {
  const auto hash = [](const Value* entry) {
    const auto parsed = ContentHash::Parse(entry == nullptr ? "" : entry->FindString("hash"));
    return parsed.ok() ? BaseHash(*parsed) : BaseHash();
  };
  UndoAnswer answer;
  answer.operation = operation.sequence;
  answer.undone = operation.consumes;
  if (const Value* paths = operation.payload.Find("paths")) {
    for (const Value& path : paths->as_array()) {
      answer.paths.push_back({std::string(path.FindString("path")), hash(path.Find("before")),
                              hash(path.Find("after"))});
    }
  }
  return answer;
}

Result<UndoAnswer> WorkspaceImpl::Undo(const CallContext& context, int64_t operation,
                                       bool with_dependents) {
  const auto choose = [&](WriteSession& session) -> Result<std::vector<int64_t>> {
    if (operation == 0) {
      if (session.live().empty()) {
        return Status(ErrorCode::kNotFound, "branch '" + context.branch +
                                                "' has nothing staged to undo; `staged log "
                                                "--branch " +
                                                context.branch + "` shows its history");
      }
      return WholeCommand(session.live(), session.live().back().sequence);
    }
    STAGED_ASSIGN_OR_RETURN(const Operation target, session.transaction().Read(operation));
    if (target.branch != context.branch) {
      return Status(ErrorCode::kNotFound, "operation " + std::to_string(operation) +
                                              " is on branch '" + target.branch +
                                              "'; name it with --branch");
    }
    if (target.type == OperationType::kUndo) {
      for (const int64_t sequence : target.revives) {
        STAGED_ASSIGN_OR_RETURN(const bool live, session.transaction().IsLive(sequence));
        if (live) continue;
        return Status(ErrorCode::kConflict,
                      "operation " + std::to_string(operation) +
                          " was undone already, or submitted: operation " +
                          std::to_string(sequence) +
                          ", which it brought back, is not staged any more (see `staged log`)");
      }
      // Redo: only while nothing was staged on the same paths since.
      for (const int64_t sequence : target.consumes) {
        STAGED_ASSIGN_OR_RETURN(const bool live, session.transaction().IsLive(sequence));
        if (live) {
          return Status(ErrorCode::kConflict,
                        "operation " + std::to_string(operation) + " was redone already");
        }
        STAGED_ASSIGN_OR_RETURN(const Operation undone, session.transaction().Read(sequence));
        for (const Operation& later : session.live()) {
          if (later.sequence > operation && SharesPath(later, undone)) {
            return Status(ErrorCode::kConflict,
                          "operation " + std::to_string(later.sequence) +
                              " was staged since; undo "
                              "it first",
                          Value::Object{{"dependents", Value::Array{later.sequence}}});
          }
        }
      }
      return std::vector<int64_t>{operation};
    }
    STAGED_ASSIGN_OR_RETURN(const bool live, session.transaction().IsLive(operation));
    if (!live) {
      return Status(ErrorCode::kInvalidArgument,
                    "operation " + std::to_string(operation) +
                        " is not staged any more; what was "
                        "submitted is taken back with `staged revert " +
                        std::to_string(operation) + "`");
    }
    return WholeCommand(session.live(), operation);
  };
  RequestDigest request("undo");
  request.Add(std::to_string(operation)).Add(with_dependents ? "with dependents" : "alone");
  return UndoOperations(context, choose, with_dependents, request);
}

Result<UndoAnswer> WorkspaceImpl::Rollback(const CallContext& context, const std::string& turn) {
  const auto choose = [&](WriteSession& session) -> Result<std::vector<int64_t>> {
    std::vector<int64_t> chosen;
    for (const Operation& operation : session.live()) {
      if (operation.turn == turn) chosen.push_back(operation.sequence);
    }
    if (chosen.empty()) {
      return Status(ErrorCode::kNotFound, "turn '" + turn + "' has nothing staged on branch '" +
                                              context.branch + "'; `staged log --branch " +
                                              context.branch + "` names the turns");
    }
    return chosen;
  };
  return UndoOperations(context, choose, false, RequestDigest("rollback").Add(turn));
}

}  // namespace staged
