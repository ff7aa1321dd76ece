#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace staged {

// Where a character reference stands: attribute values are read a little differently (WHATWG HTML,
// section 13.2.5.73), so that "?a=1&copy=2" stays what it is.
enum class HtmlContext : unsigned char { kText = 1, kAttribute = 2 };

// Decodes the character reference at `text[position]`, which is '&', appends its characters and
// moves `position` behind it. Answers false, and changes nothing, where the '&' stands for itself.
[[nodiscard]] bool DecodeHtmlReference(std::string_view text, HtmlContext context, size_t& position,
                                       std::string& out);
// `text` with all its character references decoded.
[[nodiscard]] std::string DecodeHtmlReferences(std::string_view text, HtmlContext context);

// `text` so that HTML reads it as that text: '&', '<' and '>' as references, and `quote`, where it
// is not NUL. With `ascii_only` everything else that is not ASCII becomes a numeric reference.
[[nodiscard]] std::string EscapeHtml(std::string_view text, char quote, bool ascii_only);

}  // namespace staged
