#pragma once

#include <string>
#include <string_view>

#include "staged/status.h"
#include "workspace/tree.h"

// Paths of the workspace: relative to its root, '/' between names, exact UTF-8 bytes (rule 18).
namespace staged {

// `path` with "./", doubled and trailing slashes removed. Errors: kPathEscape for absolute paths,
// "..", and anything in .git or .staged (in any case); kInvalidArgument for what is no UTF-8, is
// empty, or has NUL.
[[nodiscard]] Result<std::string> NormalizePath(std::string_view path);

// Whether a branch may be called so: UTF-8 without control characters, 1 to 255 bytes. Errors:
// kInvalidArgument.
[[nodiscard]] Status CheckBranchName(std::string_view name);

// Whether this name is never touched: ".git" or ".staged" in any case, and whatever another system
// would take for it (".git.", "git~1", ".g\u200cit").
[[nodiscard]] bool IsReservedName(std::string_view name);
// Scratch that never enters the journal (rule 17): __pycache__, .ipynb_checkpoints, ~$*, office
// lock files.
[[nodiscard]] bool IsScratchName(std::string_view name);

// `path` as file systems without case or normalisation would see it (NFKC, case folded).
[[nodiscard]] std::string FoldedPath(std::string_view path);
// A different path of `tree` that such a file system would take for `path` (or has a directory that
// it would take for a new one of `path`), or "".
[[nodiscard]] std::string FindTwin(const Tree& tree, const std::string& path);

// Whether a symlink at `path` with this target stays inside the root for sure, wherever other
// symlinks inside the root lead.
[[nodiscard]] bool SymlinkStaysInside(std::string_view path, std::string_view target);

}  // namespace staged
