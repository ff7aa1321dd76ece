#pragma once

#include <map>
#include <optional>
#include <string>

#include "staged/operation.h"

namespace staged {

// Path -> entry, sorted by path bytes.
using Tree = std::map<std::string, Entry>;

// What differs from a tree: an entry, or nullopt where the path is gone.
using TreeChanges = std::map<std::string, OptionalEntry>;

[[nodiscard]] inline OptionalEntry FindEntry(const Tree& tree, const std::string& path) {
  const auto found = tree.find(path);
  return found == tree.end() ? OptionalEntry() : OptionalEntry(found->second);
}

[[nodiscard]] inline std::optional<ContentHash> HashOf(const OptionalEntry& entry) {
  return entry ? std::optional<ContentHash>(entry->hash) : std::nullopt;
}

inline void SetEntry(Tree& tree, const std::string& path, const OptionalEntry& entry) {
  if (entry) {
    tree[path] = *entry;
  } else {
    tree.erase(path);
  }
}

// The path that keeps `path` from being a file in `tree`: a file that is one of its parent
// directories, or a file below it. Empty when nothing does.
[[nodiscard]] std::string PrefixObstacle(const Tree& tree, const std::string& path);

}  // namespace staged
