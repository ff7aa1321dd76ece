#pragma once

#include <map>
#include <string>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/pptx/shape_reader.h"
#include "staged/record.h"

// Parts that a slide shows or carries along: charts, diagrams, comments.
namespace staged::pptx {

// What the records of such a part depend on besides its XML.
struct FrameContext {
  std::string locator;  // of the frame that shows the part
  std::string hidden;
  const ShapeContext* part = nullptr;  // relationships and digests of the part
};

// A chart (ECMA-376 part 1, 21.2, and the extended charts of 2014) shown by the frame `locator`:
// its types and the digest of what else it holds, its texts, and its series with their cached
// values.
[[nodiscard]] std::vector<Record> ReadChart(const XmlTree& tree, const FrameContext& context);
// What is drawn on a chart (21.2.2.220): its texts.
[[nodiscard]] std::vector<Record> ReadChartDrawing(const XmlTree& tree,
                                                   const FrameContext& context);
// The data of a diagram (21.4): its nodes that have text.
[[nodiscard]] std::vector<Record> ReadDiagram(const XmlTree& tree, const FrameContext& context);

// Names by author id, of both kinds of comments.
using CommentAuthors = std::map<std::string, std::string, std::less<>>;
void ReadCommentAuthors(const XmlTree& tree, CommentAuthors& authors);
// All who could have written one.
[[nodiscard]] std::vector<Record> AuthorRecords(const XmlTree& tree);
// Comments of the slide `locator`, legacy or modern (threaded).
[[nodiscard]] std::vector<Record> ReadComments(const XmlTree& tree, const std::string& locator,
                                               const CommentAuthors& authors);

}  // namespace staged::pptx
