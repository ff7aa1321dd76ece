#pragma once

#include <string_view>
#include <vector>

namespace staged {

// The lines with their ends ("\n" belongs to its line); the last one may have none.
inline std::vector<std::string_view> LinesWithEnds(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// The same without "\n" and "\r\n": whether the last line ends is no part of what it says.
inline std::vector<std::string_view> LinesWithoutEnds(std::string_view text) {
  std::vector<std::string_view> lines = LinesWithEnds(text);
  for (std::string_view& line : lines) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  }
  return lines;
}

}  // namespace staged
