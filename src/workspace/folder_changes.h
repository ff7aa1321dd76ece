#pragma once

#include <string>
#include <vector>

#include "staged/operation.h"
#include "workspace/live_scan.h"
#include "workspace/tree.h"

namespace staged {

// What a hydrated folder shows against what was checked out into it; paths in order.
struct FolderChanges {
  std::vector<std::string> gone;
  std::vector<std::string> came;
  std::vector<std::string> changed;  // bytes, kind or mode
};

// Whether `path` is `folder` or lies in it.
[[nodiscard]] bool IsInside(const std::string& path, const std::string& folder);

// What the scan skipped, and what lies in it, has not gone: nobody looked.
[[nodiscard]] FolderChanges CompareFolder(const Tree& before, const ScannedTree& now);

// The operations that make `after` of `before`, deletions first, so that a directory may become a
// file. A file that went and one that came with the same bytes are one move, where that is unique.
[[nodiscard]] std::vector<Operation> FolderOperations(const FolderChanges& changes,
                                                      const Tree& before, const Tree& after);

}  // namespace staged
