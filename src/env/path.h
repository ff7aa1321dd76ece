#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "staged/status.h"

// Rules for the relative paths that a Directory accepts; shared by the real and simulated Env.
namespace staged {

enum class EmptyPath : uint8_t { kRefused = 0, kMeansDirectoryItself = 1 };

// Checks a path relative to a directory: components separated by single '/', none of them empty,
// "." or "..", no NUL byte, no trailing slash. kPathEscape for ".." and absolute paths, else
// kInvalidArgument.
[[nodiscard]] Status CheckRelativePath(std::string_view path, EmptyPath empty_path);

// The folder of a path and the name in it: {".", name} for a name alone, {"/", name} at the root.
[[nodiscard]] std::pair<std::string, std::string> SplitFileName(const std::string& path);

// The path in double quotes for a message; bytes that are not printable UTF-8 become \xNN.
[[nodiscard]] std::string QuotePath(std::string_view path);

}  // namespace staged
