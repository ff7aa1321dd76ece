#pragma once

#include <cstdint>
#include <string_view>

namespace staged {

// What a part of an HTML document is shown as.
enum class HtmlNodeKind : uint8_t {
  kNone = 0,
  kContainer = 1,  // a block; a paragraph where it has text of its own
  kParagraph = 2,
  kHeading = 3,
  kListItem = 4,
  kTerm = 5,
  kDefinition = 6,
  kQuote = 7,
  kPreformatted = 8,
  kTable = 9,
  kTableRow = 10,
  kTableCell = 11,
  kThematicBreak = 12,
  kLink = 13,
  kImage = 14,
  kMedia = 15,
  kScript = 16,
  kStyle = 17,
  kComment = 18,
  kDoctype = 19,
  kMetadata = 20,
  kForm = 21,
  kField = 22,
  kOption = 23,
};
[[nodiscard]] std::string_view HtmlNodeKindName(HtmlNodeKind kind);  // "table_cell"

// Facts about element names (WHATWG HTML, sections 13.1.2 and 13.2.4.2).
enum HtmlElementFlags : uint32_t {
  kHtmlVoid = 1u << 0,     // no content, no end tag
  kHtmlBlock = 1u << 1,    // begins and ends a run of text
  kHtmlNested = 1u << 2,   // within a line, but with a text of its own
  kHtmlSpecial = 1u << 3,  // an end tag does not close elements through it
  kHtmlClosesParagraph = 1u << 4,
  kHtmlFormatting = 1u << 5,  // b, i, a ...: may end before what was opened in it
  kHtmlScope = 1u << 6,       // end tags look no further up
  kHtmlTableScope = 1u << 7,
  kHtmlImpliedEnd = 1u << 8,  // its end tag may be left out
  kHtmlRcData = 1u << 9,
  kHtmlRawText = 1u << 10,
  kHtmlHead = 1u << 11,       // stays in the head
  kHtmlBreaksOut = 1u << 12,  // ends svg and math
  kHtmlHolder = 1u << 13,     // reads as its first paragraph
  kHtmlFallback = 1u << 14,   // its content shows only where it cannot be shown itself
};

struct HtmlElementTraits {
  std::string_view name;
  HtmlNodeKind kind = HtmlNodeKind::kNone;
  uint32_t flags = 0;
};

// The traits of a name in lower case; those of an inline element for any other.
[[nodiscard]] const HtmlElementTraits& HtmlTraitsOf(std::string_view name);

}  // namespace staged
