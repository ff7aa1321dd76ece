#pragma once

#include <string_view>
#include <vector>

#include "formats/html/html_document.h"
#include "staged/ext/format.h"

namespace staged {

// A record and what of the document it shows.
struct HtmlEntry {
  Record record;
  uint32_t node = HtmlNode::kNone;
  uint32_t text_node = HtmlNode::kNone;  // whose text it is; kNone where it is no text of the page
  std::string attribute;                 // the attribute that is its text, where it is one
};

// Records with spans as offsets in `text`: "heading" (`h:intro/setup`, parent of what follows it),
// blocks (`block:12`), "container" (`container:3`: a block without text but with attributes),
// tables (`t:1/r:2/c:3`), links, images, media, scripts, styles, comments, forms with their fields
// (`field:name`) and options, and "metadata" (`meta:description`).
[[nodiscard]] std::vector<HtmlEntry> HtmlRecords(std::string_view text,
                                                 const HtmlDocument& document, HtmlCharset charset);
// The kinds of HtmlRecords.
[[nodiscard]] std::vector<KindRule> HtmlKindRules();

}  // namespace staged
