#include "workspace/reducer.h"

#include <algorithm>
#include <cstdint>

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

// Ties the place where a content is accepted to the one where the chain leaves it, over any number
// of moves between.
void NoteMove(std::map<std::string, StagedPath>& staged, const Operation& operation) {
  if (operation.type != OperationType::kMove || operation.changes.size() != 2) return;
  StagedPath& from = staged[operation.changes[0].path];
  StagedPath& to = staged[operation.changes[1].path];
  to.moved_from.clear();
  // What is moved from where the accepted content left already was made on this branch.
  if (from.moved_from.empty() && !from.moved_to.empty()) return;
  StagedPath& origin = from.moved_from.empty() ? from : staged[from.moved_from];
  from.moved_from.clear();
  origin.moved_to.clear();
  if (&origin == &to || !origin.base) return;  // back where it was, or made on this branch
  origin.moved_to = to.path;
  to.moved_from = origin.path;
}

// A move of what was removed or replaced later is none any more.
void ForgetEndedMoves(std::map<std::string, StagedPath>& staged) {
  for (auto& [path, from] : staged) {
    if (from.moved_to.empty()) continue;
    StagedPath& to = staged.at(from.moved_to);
    if (to.moved_from == path && to.staged && !from.staged) continue;
    if (to.moved_from == path) to.moved_from.clear();
    from.moved_to.clear();
  }
  for (auto& [path, to] : staged) {
    if (!to.moved_from.empty() && staged.at(to.moved_from).moved_to != path) to.moved_from.clear();
  }
}

// Splits the stale operations: those of chains that leave what is there anyway have converged. A
// chain converges whole or not at all, with whatever it is tied to.
void SplitStale(Reduction& reduction, const std::vector<const Operation*>& stale) {
  std::set<std::string> differing;
  for (const Operation* operation : stale) {
    for (const PathChange& change : operation->changes) {
      const StagedPath& staged = reduction.staged.at(change.path);
      if (staged.staged != staged.working) differing.insert(change.path);
    }
  }
  for (size_t before = SIZE_MAX; before != differing.size();) {
    before = differing.size();
    for (const Operation* operation : stale) {
      const bool differs =
          std::any_of(operation->changes.begin(), operation->changes.end(),
                      [&](const PathChange& change) { return differing.contains(change.path); });
      if (!differs) continue;
      for (const PathChange& change : operation->changes) differing.insert(change.path);
    }
  }
  for (const Operation* operation : stale) {
    if (!differing.contains(operation->changes.front().path)) {
      reduction.converged_operations.push_back(operation->sequence);
      continue;
    }
    reduction.stale_operations.push_back(operation->sequence);
    for (const PathChange& change : operation->changes) {
      StagedPath& staged = reduction.staged.at(change.path);
      if (!staged.conflict) staged.base = change.base;
      staged.conflict = true;
      staged.kept.push_back(operation->sequence);
    }
  }
}

}  // namespace

Reduction Reduce(Tree accepted, const TreeChanges& overlay, const std::vector<Operation>& live) {
  Reduction reduction;
  for (const auto& [path, entry] : overlay) SetEntry(accepted, path, entry);
  reduction.accepted = std::move(accepted);
  reduction.working = reduction.accepted;

  std::vector<const Operation*> stale;
  std::set<std::string> broken;  // paths with a stale operation: what follows stands on it
  for (const Operation& operation : live) {
    if (operation.changes.empty()) continue;
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
    const bool stands_on_stale =
        std::any_of(operation.changes.begin(), operation.changes.end(),
                    [&](const PathChange& change) { return broken.contains(change.path); });
    if (!stands_on_stale && Applies(reduction.working, operation) &&
        Apply(reduction.working, operation)) {
      continue;
    }
    stale.push_back(&operation);
    for (const PathChange& change : operation.changes) broken.insert(change.path);
  }
  for (auto& [path, staged] : reduction.staged) staged.working = FindEntry(reduction.working, path);
  ForgetEndedMoves(reduction.staged);
  SplitStale(reduction, stale);
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
