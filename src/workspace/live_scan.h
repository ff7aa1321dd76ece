#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/env.h"
#include "workspace/ignore_rules.h"
#include "workspace/tree.h"

namespace staged {

struct SkippedFile {
  std::string path;    // invalid UTF-8 is shown with replacement characters
  std::string reason;  // "symlink leads out of the workspace"
};

// What lies in a folder: the live folder, or a hydrated one.
struct ScannedTree {
  Tree entries;
  std::vector<SkippedFile> skipped;
  IgnoreRules rules;  // those that lie in the folder, as read by this scan
};

// Remembers hashes by file status, so that an unchanged file is not read again. Only ever an
// optimisation: answering nothing is always right.
class HashMemory {
 public:
  virtual ~HashMemory() = default;
  // Around a scan of a whole tree.
  virtual void BeginScan() {}
  virtual void EndScan() {}
  [[nodiscard]] virtual OptionalEntry Lookup(const std::string& path, const FileStatus& status) = 0;
  virtual void Remember(const std::string& path, const FileStatus& status, const Entry& entry) = 0;
};

struct ScanOptions {
  const Tree* tracked = nullptr;  // taken in although an ignore rule names them
  HashMemory* memory = nullptr;
  bool ignore_rules = true;  // .gitignore, .stagedignore
  int threads = 1;           // that list folders, the caller's own with them
  // Takes the bytes of every file that is read and gives their hash (to store them in passing);
  // by default they are only hashed.
  std::function<Result<ContentHash>(std::string_view bytes)> content_sink;
  std::function<void(uint64_t files_done)> progress;
};

inline constexpr uint64_t kFileBytesMax = uint64_t{4} << 30;

[[nodiscard]] Result<ScannedTree> ScanTree(Directory& directory, const ScanOptions& options);

// The entry at one path now, or nullopt where there is no file (a directory, too, is none). Errors:
// kIoError, kPermissionDenied; kInvalidArgument for a device and the like.
[[nodiscard]] Result<OptionalEntry> ScanPath(Directory& directory, const std::string& path,
                                             const ScanOptions& options);

// The bytes of an entry on disk: a file's content, a symlink's target.
[[nodiscard]] Result<std::string> ReadEntry(Directory& directory, const std::string& path);

}  // namespace staged
