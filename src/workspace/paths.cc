#include "workspace/paths.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/escape_controls.h"
#include "base/utf8.h"

namespace staged {
namespace {

bool EqualsIgnoringAsciiCase(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char left, char right) {
           const char folded = left >= 'A' && left <= 'Z' ? static_cast<char>(left + 32) : left;
           return folded == right;
         });
}

std::vector<std::string_view> SplitNames(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    names.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return names;
}

Status Escapes(std::string_view path) {
  return {ErrorCode::kPathEscape, "'" + ReplaceInvalidUtf8(path) +
                                      "' leads out of the workspace or into its metadata; name "
                                      "a file below the root"};
}

}  // namespace

bool IsReservedName(std::string_view name) {
  return EqualsIgnoringAsciiCase(name, ".git") || EqualsIgnoringAsciiCase(name, ".staged");
}

bool IsScratchName(std::string_view name) {
  return name == "__pycache__" || name == ".ipynb_checkpoints" || name.starts_with("~$") ||
         (name.starts_with(".~lock.") && name.ends_with("#"));
}

Status CheckBranchName(std::string_view name) {
  constexpr size_t kBranchBytesMax = 255;
  if (!name.empty() && name.size() <= kBranchBytesMax && IsValidUtf8(name) &&
      EscapeControls(name) == name && name.find('\t') == std::string_view::npos) {
    return OkStatus();
  }
  return Status(ErrorCode::kInvalidArgument,
                "a branch's name is 1 to 255 bytes of UTF-8 without control characters; choose "
                "another one");
}

Result<std::string> NormalizePath(std::string_view path) {
  if (path.starts_with('/')) return Escapes(path);
  if (path.find('\0') != std::string_view::npos || !IsValidUtf8(path)) {
    return Status(ErrorCode::kInvalidArgument,
                  "a path must be UTF-8 without NUL; rename the file first");
  }
  std::string normal;
  for (const std::string_view name : SplitNames(path)) {
    if (name.empty() || name == ".") continue;
    if (name == ".." || IsReservedName(name)) return Escapes(path);
    if (!normal.empty()) normal += '/';
    normal += name;
  }
  if (normal.empty()) {
    return Status(ErrorCode::kInvalidArgument, "name a file below the workspace's root");
  }
  return normal;
}

std::string FoldedPath(std::string_view path) {
  if (std::all_of(path.begin(), path.end(),
                  [](char byte) { return static_cast<unsigned char>(byte) < 0x80; })) {
    std::string folded(path);
    for (char& byte : folded) {
      if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + 32);
    }
    return folded;
  }
  utf8proc_uint8_t* folded = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                                      UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(path.data()),
                   static_cast<utf8proc_ssize_t>(path.size()), &folded, options);
  if (size < 0) return std::string(path);
  std::string result(reinterpret_cast<const char*>(folded), static_cast<size_t>(size));
  std::free(folded);
  return result;
}

std::string FindTwin(const Tree& tree, const std::string& path) {
  const std::string folded = FoldedPath(path);
  // A twin directory is as bad as a twin file: compare each parent too.
  for (const auto& [other, entry] : tree) {
    if (other == path) continue;
    const std::string other_folded = FoldedPath(other);
    const size_t common = std::min(other_folded.size(), folded.size());
    if (other_folded == folded) return other;
    size_t slash = 0;
    for (size_t i = 0; i < common && other_folded[i] == folded[i]; ++i) {
      if (folded[i] == '/') slash = i;
    }
    if (slash == 0) continue;
    // The folded directories agree; the exact ones must too.
    const auto names = [&](std::string_view text) {
      size_t depth = static_cast<size_t>(
          std::count(folded.begin(), folded.begin() + static_cast<std::ptrdiff_t>(slash) + 1, '/'));
      size_t end = 0;
      while (depth-- > 0) end = text.find('/', end) + 1;
      return text.substr(0, end);
    };
    if (names(other) != names(path)) return other;
  }
  return "";
}

bool SymlinkStaysInside(std::string_view path, std::string_view target) {
  if (target.empty() || target.starts_with('/')) return false;
  std::vector<std::string_view> names = SplitNames(path);
  names.pop_back();
  for (const std::string_view name : SplitNames(target)) {
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (names.empty()) return false;
      names.pop_back();
    } else {
      if (IsReservedName(name)) return false;
      names.push_back(name);
    }
  }
  return true;
}

}  // namespace staged
