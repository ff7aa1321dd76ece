#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/env.h"
#include "staged/operation.h"

namespace staged {

// The names that a checkout makes in a directory, so that they can be made durable, or taken away
// again when it fails. What it made is durable once Sync returns.
class HydratedFolder {
 public:
  explicit HydratedFolder(Directory& directory) : directory_(directory) {}

  [[nodiscard]] Status MakeParents(const std::string& path);
  [[nodiscard]] Status MakeSymlink(const std::string& path, const std::string& target);
  [[nodiscard]] Status MakeFile(const std::string& path, uint32_t mode, std::string_view bytes);
  // Makes `path` by sharing blocks with the file of that name in `source`. False, with nothing
  // made, where that cannot be or the file is not `entry` any more.
  [[nodiscard]] Result<bool> CloneFile(Directory& source, const std::string& path, uint32_t mode,
                                       const Entry& entry);
  [[nodiscard]] Status Sync();
  // Best effort: what cannot be removed stays, and so do folders that others put something in.
  void Remove();

 private:
  Directory& directory_;
  std::vector<std::string> files_;     // symlinks, too
  std::vector<std::string> unsynced_;  // regular files
  std::set<std::string> folders_;
};

}  // namespace staged
