#pragma once

#include <map>
#include <string>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/story_reader.h"
#include "staged/value.h"
#include "staged/view.h"

// What one story of a document tells about another one.
namespace staged::docx {

using CommentAnchors = std::map<std::string, CommentAnchor>;  // by native id
using CommentThreads = std::map<std::string, CommentThread>;  // the same

// Adds where the comments that a story's records name are anchored.
void CollectAnchors(const Segment& story, CommentAnchors& anchors);
// Replies and resolutions: the part of comments together with its extension (MS-DOCX, 2.5.4).
[[nodiscard]] CommentThreads ReadCommentThreads(const XmlTree& comments, const XmlTree& extension);

// Where a header or footer is used (ECMA-376 part 1, 17.10).
struct HeaderUse {
  Value::Array sections;  // {section: "sec:1", type: "first"}
  std::string hidden;     // why no page shows it, or ""
};

// By the header's locator, of those that the document's sections name.
[[nodiscard]] std::map<std::string, HeaderUse> HeaderUses(const Segment& document,
                                                          bool has_even_headers);

}  // namespace staged::docx
