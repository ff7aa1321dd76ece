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

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

// The first `count` names of a path, or all.
std::string_view FirstNames(std::string_view path, std::ptrdiff_t count) {
  size_t end = 0;
  while (count-- > 0 && end != std::string_view::npos) {
    end = path.find('/', end == 0 ? 0 : end + 1);
  }
  return path.substr(0, end);
}

Status Escapes(std::string_view path) {
  return {ErrorCode::kPathEscape, "'" + ReplaceInvalidUtf8(path) +
                                      "' leads out of the workspace or into its metadata; name "
                                      "a file below the root"};
}

}  // namespace

bool IsReservedName(std::string_view name) {
  // Other systems ignore trailing dots and blanks, take what follows a colon for a stream, and know
  // ".git" by its short name; and letters that fold to the same, or are not drawn, count as well.
  name = name.substr(0, name.find(':'));
  while (name.ends_with('.') || name.ends_with(' ')) name.remove_suffix(1);
  if (EqualsIgnoringAsciiCase(name, ".git") || EqualsIgnoringAsciiCase(name, ".staged") ||
      EqualsIgnoringAsciiCase(name, "git~1")) {
    return true;
  }
  if (IsAscii(name)) return false;
  const std::string folded = FoldedPath(name);
  return folded == ".git" || folded == ".staged";
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
  if (path.find('\0') != std::string_view::npos || !IsValidUtf8(path)) {
    return Status(ErrorCode::kInvalidArgument,
                  "a path must be UTF-8 without NUL; rename the file first");
  }
  if (path.starts_with('/')) return Escapes(path);
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
  if (IsAscii(path)) {
    std::string folded(path);
    for (char& byte : folded) {
      if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + 32);
    }
    return folded;
  }
  utf8proc_uint8_t* folded = nullptr;
  const auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(path.data()),
                   static_cast<utf8proc_ssize_t>(path.size()), &folded, options);
  if (size < 0) return std::string(path);
  std::string result(reinterpret_cast<const char*>(folded), static_cast<size_t>(size));
  std::free(folded);
  return result;
}

std::string FindTwin(const Tree& tree, const std::string& path) {
  // The path itself, and those of its directories that are new, must not fold to what is there. A
  // directory that is there already may have a twin of old.
  size_t known = 0;  // bytes of the path's directories that are there, with the slash
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash + 1);
    const auto below = tree.lower_bound(folder);
    if (below == tree.end() || !below->first.starts_with(folder)) break;
    known = folder.size();
  }
  const std::string folded = FoldedPath(path);
  const size_t folded_known = FoldedPath(path.substr(0, known)).size();
  for (const auto& [other, entry] : tree) {
    if (other == path) continue;
    const std::string other_folded = FoldedPath(other);
    const size_t common = static_cast<size_t>(
        std::mismatch(folded.begin(), folded.end(), other_folded.begin(), other_folded.end())
            .first -
        folded.begin());
    // How far the two name the same: up to a slash or the end of both, which a file and a directory
    // of one name share too.
    const size_t slash = common == 0 ? std::string::npos : folded.rfind('/', common - 1);
    size_t same = slash == std::string::npos ? 0 : slash;
    const auto ends = [&](const std::string& text) {
      return common == text.size() || text[common] == '/';
    };
    if (ends(folded) && ends(other_folded)) same = common;
    if (same <= folded_known) continue;
    const auto depth = std::count(folded.begin(), folded.begin() + static_cast<long>(same), '/');
    if (FirstNames(other, depth + 1) != FirstNames(path, depth + 1)) return other;
  }
  return "";
}

bool SymlinkStaysInside(std::string_view path, std::string_view target) {
  if (target.empty() || target.starts_with('/')) return false;
  std::vector<std::string_view> names = SplitNames(path);
  names.pop_back();
  bool went_down = false;
  for (const std::string_view name : SplitNames(target)) {
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      // A name before it may itself be a symlink, from whose target ".." leads anywhere.
      if (names.empty() || went_down) return false;
      names.pop_back();
    } else {
      if (IsReservedName(name)) return false;
      went_down = true;
    }
  }
  return true;
}

}  // namespace staged
