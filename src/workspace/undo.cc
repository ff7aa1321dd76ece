// Undo and rollback: within a branch, backwards, nothing erased (rule 15).

#include <algorithm>

#include "workspace/workspace_impl.h"

namespace staged {
namespace {

bool SharesPath(const Operation& left, const Operation& right) {
  return std::any_of(left.changes.begin(), left.changes.end(), [&](const PathChange& one) {
    return std::any_of(right.changes.begin(), right.changes.end(),
                       [&](const PathChange& other) { return one.path == other.path; });
  });
}

Value SequencesToValue(const std::vector<int64_t>& sequences) {
  Value::Array list;
  for (const int64_t sequence : sequences) list.push_back(sequence);
  return list;
}

}  // namespace

Result<UndoAnswer> WorkspaceImpl::UndoOperations(
    const CallContext& context,
    const std::function<Result<std::vector<int64_t>>(WriteSession& session)>& choose,
    bool with_dependents) {
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, context, {}));
  UndoAnswer answer;
  if (!session->repeated().empty()) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation,
                            session->transaction().Read(session->repeated().back()));
    answer.operation = operation.sequence;
    answer.undone = operation.consumes;
    return answer;
  }
  STAGED_ASSIGN_OR_RETURN(const std::vector<int64_t> chosen, choose(*session));
  std::set<int64_t> targets(chosen.begin(), chosen.end());
  std::vector<Operation> undone;
  for (const int64_t sequence : targets) {
    STAGED_ASSIGN_OR_RETURN(undone.emplace_back(), session->transaction().Read(sequence));
  }
  // Later live operations on the same paths stand on these: they go too, or nothing does.
  std::vector<int64_t> dependents;
  for (size_t before = 0; before != undone.size();) {
    before = undone.size();
    for (const Operation& live : session->live()) {
      if (targets.contains(live.sequence)) continue;
      const bool stands_on =
          std::any_of(undone.begin(), undone.end(), [&](const Operation& operation) {
            return live.sequence > operation.sequence && SharesPath(live, operation);
          });
      if (!stands_on) continue;
      dependents.push_back(live.sequence);
      targets.insert(live.sequence);
      undone.push_back(live);
    }
  }
  if (!dependents.empty() && !with_dependents) {
    std::sort(dependents.begin(), dependents.end());
    return Status(ErrorCode::kConflict,
                  "later operations stand on operation " + std::to_string(chosen.front()) +
                      "; undo them first, or add --with-dependents",
                  Value::Object{{"dependents", SequencesToValue(dependents)}});
  }
  Operation operation;
  operation.type = OperationType::kUndo;
  operation.consumes.assign(targets.begin(), targets.end());
  // What an undone operation had ended (a superseded chain, the operations of an undo) lives again.
  std::set<int64_t> revived;
  for (const Operation& one : undone) {
    for (const int64_t sequence : one.consumes) {
      if (!targets.contains(sequence)) revived.insert(sequence);
    }
    for (const int64_t sequence : one.revives) operation.consumes.push_back(sequence);
  }
  operation.revives.assign(revived.begin(), revived.end());
  const Tree before = session->reduction().working;
  STAGED_ASSIGN_OR_RETURN(operation, session->Append(std::move(operation)));
  STAGED_RETURN_IF_ERROR(session->Renew());
  const Tree& after = session->reduction().working;
  std::set<std::string> paths;
  for (const Operation& one : undone) {
    for (const PathChange& change : one.changes) paths.insert(change.path);
  }
  for (const int64_t sequence : operation.revives) {
    STAGED_ASSIGN_OR_RETURN(const Operation one, session->transaction().Read(sequence));
    for (const PathChange& change : one.changes) paths.insert(change.path);
  }
  for (const std::string& path : paths) {
    answer.paths.push_back({path, HashOf(FindEntry(before, path)), HashOf(FindEntry(after, path))});
  }
  STAGED_RETURN_IF_ERROR(session->Commit());
  answer.operation = operation.sequence;
  answer.undone = operation.consumes;
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
      return std::vector<int64_t>{session.live().back().sequence};
    }
    STAGED_ASSIGN_OR_RETURN(const Operation target, session.transaction().Read(operation));
    if (target.branch != context.branch) {
      return Status(ErrorCode::kNotFound, "operation " + std::to_string(operation) +
                                              " is on branch '" + target.branch +
                                              "'; name it with --branch");
    }
    if (target.type == OperationType::kUndo) {
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
    return std::vector<int64_t>{operation};
  };
  return UndoOperations(context, choose, with_dependents);
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
  return UndoOperations(context, choose, false);
}

}  // namespace staged
