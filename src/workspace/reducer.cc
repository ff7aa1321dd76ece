#include "workspace/reducer.h"

#include <algorithm>

namespace staged {

std::string PrefixObstacle(const Tree& tree, const std::string& path) {
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    if (tree.contains(parent)) return parent;
  }
  const std::string below = path + "/";
  const auto next = tree.lower_bound(below);
  if (next != tree.end() && next->first.starts_with(below)) return next->first;
  return "";
}

namespace {

bool Applies(const Tree& working, const Operation& operation) {
  return std::all_of(
      operation.changes.begin(), operation.changes.end(),
      [&](const PathChange& change) { return FindEntry(working, change.path) == change.base; });
}

// Applies all changes, or none when the result would have a file below a file.
bool Apply(Tree& working, const Operation& operation) {
  for (const PathChange& change : operation.changes) SetEntry(working, change.path, change.result);
  const bool fits = std::all_of(
      operation.changes.begin(), operation.changes.end(), [&](const PathChange& change) {
        return !change.result || PrefixObstacle(working, change.path).empty();
      });
  if (fits) return true;
  for (auto change = operation.changes.rbegin(); change != operation.changes.rend(); ++change) {
    SetEntry(working, change->path, change->base);
  }
  return false;
}

void NoteMove(std::map<std::string, StagedPath>& staged, const Operation& operation) {
  if (operation.type != OperationType::kMove || operation.changes.size() != 2) return;
  staged[operation.changes[0].path].moved_to = operation.changes[1].path;
  staged[operation.changes[1].path].moved_from = operation.changes[0].path;
}

// A chain whose last result is what is accepted anyway has nothing left to say.
bool IsConverged(const Reduction& reduction, const Operation& operation) {
  return std::all_of(operation.changes.begin(), operation.changes.end(),
                     [&](const PathChange& change) {
                       const StagedPath& staged = reduction.staged.at(change.path);
                       return staged.staged == FindEntry(reduction.working, change.path);
                     });
}

}  // namespace

Reduction Reduce(Tree accepted, const TreeChanges& overlay, const std::vector<Operation>& live) {
  Reduction reduction;
  for (const auto& [path, entry] : overlay) SetEntry(accepted, path, entry);
  reduction.accepted = std::move(accepted);
  reduction.working = reduction.accepted;

  std::vector<const Operation*> stale;
  for (const Operation& operation : live) {
    for (const PathChange& change : operation.changes) {
      StagedPath& staged = reduction.staged[change.path];
      if (staged.operations.empty()) {
        staged.path = change.path;
        staged.base = change.base;
        staged.accepted = FindEntry(reduction.accepted, change.path);
      }
      staged.staged = change.result;
      staged.operations.push_back(operation.sequence);
    }
    NoteMove(reduction.staged, operation);
    if (!Applies(reduction.working, operation) || !Apply(reduction.working, operation)) {
      stale.push_back(&operation);
    }
  }
  for (const Operation* operation : stale) {
    const bool converged = IsConverged(reduction, *operation);
    auto& list = converged ? reduction.converged_operations : reduction.stale_operations;
    list.push_back(operation->sequence);
    for (const PathChange& change : operation->changes) {
      StagedPath& staged = reduction.staged[change.path];
      (converged ? staged.converged : staged.conflict) = true;
    }
  }
  for (auto& [path, staged] : reduction.staged) {
    if (staged.conflict) staged.converged = false;
  }
  return reduction;
}

std::set<std::string> TiedPaths(const std::vector<Operation>& live,
                                const std::set<std::string>& paths) {
  std::set<std::string> tied = paths;
  for (size_t before = 0; before != tied.size();) {
    before = tied.size();
    for (const Operation& operation : live) {
      const bool touches =
          std::any_of(operation.changes.begin(), operation.changes.end(),
                      [&](const PathChange& change) { return tied.contains(change.path); });
      if (!touches) continue;
      for (const PathChange& change : operation.changes) tied.insert(change.path);
    }
  }
  return tied;
}

std::vector<Operation> LiveAfter(const std::vector<Operation>& operations) {
  std::set<int64_t> live;
  for (const Operation& operation : operations) {
    for (const int64_t sequence : operation.consumes) live.erase(sequence);
    for (const int64_t sequence : operation.revives) live.insert(sequence);
    if (IsContentOperation(operation.type) && !operation.changes.empty()) {
      live.insert(operation.sequence);
    }
  }
  std::vector<Operation> result;
  for (const Operation& operation : operations) {
    if (live.contains(operation.sequence)) result.push_back(operation);
  }
  return result;
}

}  // namespace staged
