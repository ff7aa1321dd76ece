#pragma once

#include <memory>
#include <string>

#include "staged/ext/env.h"
#include "staged/status.h"

namespace staged {

// kConflict, with what to do, where an import into this directory did not finish.
[[nodiscard]] Status CheckNoUnfinishedImport(Directory& target);

// The folder below its target in which an import makes the workspace, so that an import that dies
// leaves nothing there that could pass for a workspace or its files. One process uses it at a time.
class ImportFolder {
 public:
  // Removes what an import that died left behind. `target` must outlive this. Errors: kConflict
  // (the target is not empty), kBusy (another import is under way).
  [[nodiscard]] static Result<ImportFolder> Make(Directory& target);

  // Relative to the target: the root of the workspace to be made.
  [[nodiscard]] static std::string Name();
  // Moves everything up into the target, durably; .staged last. The workspace is closed.
  [[nodiscard]] Status MoveUp();
  // After a failure, as far as it goes: nothing is in the way of another try.
  void Remove();

 private:
  ImportFolder(Directory& target, std::unique_ptr<FileLock> lock)
      : target_(&target), lock_(std::move(lock)) {}

  Directory* target_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace staged
