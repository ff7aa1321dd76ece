#pragma once

#include <string>
#include <vector>

#include "codec/text_elements.h"

// What stands inside one text:p or text:h (OpenDocument 1.3 part 3, section 6). White space is
// collapsed as 6.1.2 says.
namespace staged::odf {

// A stretch of text in a text:span of that style.
struct StyledSpan {
  size_t begin = 0;
  size_t end = 0;
  std::string style;
};

// An element and the text that it holds, or the point where it stands (begin == end).
struct InlineMark {
  size_t begin = 0;
  size_t end = 0;
  uint32_t node = XmlTree::kNone;
};

struct ParagraphContent : TextContent {
  std::vector<StyledSpan> spans;
  std::vector<InlineMark> links;        // text:a
  std::vector<InlineMark> fields;       // page numbers, dates, references ...
  std::vector<InlineMark> notes;        // text:note
  std::vector<InlineMark> annotations;  // office:annotation
  std::vector<InlineMark> changes;      // text:change, -start, -end
  std::vector<InlineMark> bookmarks;    // text:bookmark..., text:reference-mark...
  std::vector<InlineMark> rubies;       // text:ruby
  std::vector<uint32_t> drawings;       // frames and shapes anchored here
};

[[nodiscard]] ParagraphContent ReadParagraph(const XmlTree& tree, uint32_t paragraph);

[[nodiscard]] const TextDialect& OdfDialect();

// Text as the inside of a paragraph whose element prefix is `prefix` ("text:"): spaces that would
// collapse become text:s, tabs and newlines their elements.
[[nodiscard]] std::string ParagraphMarkup(std::string_view text, std::string_view prefix);

}  // namespace staged::odf
