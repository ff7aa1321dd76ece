#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/html/html_document.h"
#include "staged/record.h"

namespace staged {

// What a node reads as.
struct HtmlText {
  std::string text;
  // Where each byte of `text` comes from: bytes of the source, equal for the bytes of one
  // character. Only if they were asked for.
  std::vector<ByteSpan> sources;
  // A digest of the inline elements in it and of their places; empty where there are none.
  std::string format;
  bool has_attributes = false;  // some inline element has attributes
};

// White space runs together as in a browser, except in preformatted text; a <br> is a line feed.
[[nodiscard]] HtmlText ReadHtmlText(std::string_view source, const HtmlNode& node,
                                    HtmlCharset charset, bool with_sources);
// An attribute's value, decoded.
[[nodiscard]] std::string HtmlAttributeValue(const HtmlAttribute& attribute, HtmlCharset charset);

}  // namespace staged
