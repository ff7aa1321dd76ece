#include "workspace/folder_changes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace staged {
namespace {

std::map<std::string, std::string> FindMoves(const FolderChanges& changes, const Tree& before,
                                             const Tree& after) {
  std::map<ContentHash, std::vector<std::string>> sources;
  std::map<ContentHash, std::vector<std::string>> targets;
  for (const std::string& path : changes.gone) sources[before.at(path).hash].push_back(path);
  for (const std::string& path : changes.came) targets[after.at(path).hash].push_back(path);
  std::map<std::string, std::string> moves;
  for (const auto& [hash, paths] : sources) {
    const auto found = targets.find(hash);
    if (found == targets.end() || paths.size() != 1 || found->second.size() != 1) continue;
    if (before.at(paths.front()) != after.at(found->second.front())) continue;
    moves[paths.front()] = found->second.front();
  }
  return moves;
}

Operation OperationOf(OperationType type, std::vector<PathChange> changes) {
  Operation operation;
  operation.type = type;
  operation.changes = std::move(changes);
  return operation;
}

}  // namespace

bool IsInside(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

FolderChanges CompareFolder(const Tree& before, const ScannedTree& now) {
  const auto is_skipped = [&](const std::string& path) {
    return std::any_of(now.skipped.begin(), now.skipped.end(),
                       [&](const SkippedFile& one) { return IsInside(path, one.path); });
  };
  FolderChanges changes;
  for (const auto& [path, entry] : before) {
    if (!now.entries.contains(path) && !is_skipped(path)) changes.gone.push_back(path);
  }
  for (const auto& [path, entry] : now.entries) {
    const OptionalEntry known = FindEntry(before, path);
    if (!known) {
      changes.came.push_back(path);
    } else if (*known != entry) {
      changes.changed.push_back(path);
    }
  }
  return changes;
}

std::vector<Operation> FolderOperations(const FolderChanges& changes, const Tree& before,
                                        const Tree& after) {
  const std::map<std::string, std::string> moves = FindMoves(changes, before, after);
  std::set<std::string> moved;
  for (const auto& [from, to] : moves) moved.insert({from, to});

  std::vector<Operation> operations;
  for (const std::string& path : changes.gone) {
    if (moved.contains(path)) continue;
    operations.push_back(OperationOf(OperationType::kDelete, {{path, before.at(path), {}}}));
  }
  for (const std::string& path : changes.changed) {
    const Entry& old = before.at(path);
    const Entry& now = after.at(path);
    operations.push_back(OperationOf(
        old.hash == now.hash ? OperationType::kMode : OperationType::kReplace, {{path, old, now}}));
  }
  for (const auto& [from, to] : moves) {
    const Entry& entry = before.at(from);
    operations.push_back(OperationOf(OperationType::kMove, {{from, entry, {}}, {to, {}, entry}}));
  }
  for (const std::string& path : changes.came) {
    if (moved.contains(path)) continue;
    operations.push_back(OperationOf(OperationType::kCreate, {{path, {}, after.at(path)}}));
  }
  return operations;
}

}  // namespace staged
