#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codec/text_elements.h"
#include "staged/record.h"

// Paragraphs of DrawingML text (ECMA-376 part 1, section 21.1.2): a:p.
namespace staged::pptx {

// Text of one format; kNone: the format that the shape gives it.
struct RunSpan {
  size_t begin = 0;
  size_t end = 0;
  uint32_t properties = XmlTree::kNone;  // a:rPr
};

struct ParagraphContent : TextContent {
  std::vector<RunSpan> runs;
};

// A line break is "\n"; fields and equations are fixed text.
[[nodiscard]] ParagraphContent ReadParagraph(const XmlTree& tree, uint32_t paragraph);

// Where a link leads: the target of a relationship of the part, by id; "" when there is none.
using LinkTarget = std::function<std::string(std::string_view id)>;

// The paragraph's text, level, format, runs and links. A run is named where its format differs from
// the shape's; offsets are bytes of the UTF-8 text. `ground` is the FillColor behind the text, ""
// if unknown: text that nobody sees against it is told.
void FillParagraph(const XmlTree& tree, uint32_t paragraph, const LinkTarget& target,
                   std::string_view ground, Record& record);

// The colour of the a:solidFill that is a child of the element, to compare; "" where it has none.
[[nodiscard]] std::string FillColor(const XmlTree& tree, uint32_t element);

// The target and action of an a:hlinkClick as text: "https://...", "slide slides/slide3.xml".
[[nodiscard]] std::string LinkText(const XmlTree& tree, uint32_t link, const LinkTarget& target);

[[nodiscard]] const TextDialect& DrawingDialect();

// a:rPr and the like under another name: a break's or run's properties from a paragraph's end ones.
[[nodiscard]] std::string RenamedElement(const XmlTree& tree, uint32_t element,
                                         std::string_view local_name);
// Runs and breaks that show `text`; `properties` is the a:rPr of each, or "".
[[nodiscard]] std::string RunElements(std::string_view text, std::string_view prefix,
                                      std::string_view properties);

}  // namespace staged::pptx
