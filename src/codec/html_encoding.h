#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace staged {

enum class HtmlCharset : uint8_t {
  kUtf8 = 1,
  kWindows1252 = 2,
  kUnread = 3,  // a known name, but its characters are not decoded: those behind ASCII are U+FFFD
};

// The encoding that a label in a document means (WHATWG Encoding, section 4.2): ASCII and Latin-1
// are read as windows-1252, and a UTF-16 that is written in ASCII as UTF-8. None for what is no
// label of an encoding, which readers pass over.
[[nodiscard]] std::optional<HtmlCharset> HtmlCharsetOf(std::string_view label);
// The label in the "content" of a meta element: "text/html; charset=utf-8" (WHATWG HTML, section
// 2.4.4), or "".
[[nodiscard]] std::string_view HtmlCharsetLabel(std::string_view content);

[[nodiscard]] uint32_t Windows1252CodePoint(uint8_t byte);
// The text of `bytes` as UTF-8; what is malformed or not decoded is U+FFFD.
[[nodiscard]] std::string HtmlToUtf8(std::string_view bytes, HtmlCharset charset);

}  // namespace staged
