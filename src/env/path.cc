#include "env/path.h"

#include <cstddef>

#include "base/utf8.h"

namespace staged {

Status CheckRelativePath(std::string_view path, EmptyPath empty_path) {
  if (path.empty()) {
    return empty_path == EmptyPath::kMeansDirectoryItself
               ? OkStatus()
               : Status(ErrorCode::kInvalidArgument,
                        "the path is empty; name a file below the directory");
  }
  if (path.find('\0') != std::string_view::npos) {
    return {ErrorCode::kInvalidArgument,
            "the path " + QuotePath(path) + " contains a NUL byte; remove it"};
  }
  if (path.front() == '/') {
    return {ErrorCode::kPathEscape,
            "the path " + QuotePath(path) + " is absolute; give it relative to the directory"};
  }
  bool malformed = false;
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view component = path.substr(start, end - start);
    if (component == "..") {
      return {ErrorCode::kPathEscape,
              "the path " + QuotePath(path) + " leaves the directory; remove \"..\""};
    }
    malformed = malformed || component.empty() || component == ".";
    start = end + 1;
  }
  if (malformed) {
    return {ErrorCode::kInvalidArgument,
            "the path " + QuotePath(path) + " has an empty or \".\" component; write it without"};
  }
  return OkStatus();
}

std::pair<std::string, std::string> SplitFileName(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string QuotePath(std::string_view path) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  const bool is_utf8 = IsValidUtf8(path);
  std::string quoted = "\"";
  for (const char character : path) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) {
      quoted += "\\x";
      quoted += kHexDigits[byte >> 4];
      quoted += kHexDigits[byte & 15];
    } else {
      quoted += character;
    }
  }
  return quoted += '"';
}

}  // namespace staged
