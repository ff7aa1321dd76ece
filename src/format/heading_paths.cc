#include "format/heading_paths.h"

#include <cstdint>

namespace staged {

std::string HeadingAnchor(std::string_view text) {
  constexpr size_t kAnchorBytesMax = 200;
  std::string anchor;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c >= 'A' && c <= 'Z') {
      anchor.push_back(static_cast<char>(c - 'A' + 'a'));
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               byte >= 0x80) {
      anchor.push_back(c);
    } else if (c == ' ' || c == '\n') {
      anchor.push_back('-');
    }
  }
  if (anchor.size() > kAnchorBytesMax) {
    size_t end = kAnchorBytesMax;
    while (end > 0 && (static_cast<uint8_t>(anchor[end]) & 0xC0) == 0x80) --end;
    anchor.resize(end);
  }
  return anchor.empty() ? "section" : anchor;
}

void HeadingPaths::CloseTo(int level) {
  while (!open_.empty() && open_.back().level >= level) open_.pop_back();
}

std::string HeadingPaths::Open(int level, const std::string& anchor) {
  CloseTo(level);
  const std::string path = open_.empty() ? "h:" + anchor : current() + "/" + anchor;
  const size_t count = ++counts_[path];
  open_.push_back({level, count > 1 ? path + "#" + std::to_string(count) : path});
  return open_.back().locator;
}

const std::string& HeadingPaths::current() const {
  static const std::string none;
  return open_.empty() ? none : open_.back().locator;
}

}  // namespace staged
