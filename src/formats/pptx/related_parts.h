#pragma once

#include <map>
#include <string>
#include <vector>

#include "codec/xml_tree.h"
#include "staged/record.h"

// Parts that a slide shows or carries along: charts, diagrams, comments.
namespace staged::pptx {

// A chart (ECMA-376 part 1, 21.2, and the extended charts of 2014) shown by the frame `locator`:
// its types and the digest of what else it holds, its texts, and its series with their cached
// values.
[[nodiscard]] std::vector<Record> ReadChart(const XmlTree& tree, const std::string& locator,
                                            const std::string& hidden);
// The data of a diagram (21.4): its nodes that have text.
[[nodiscard]] std::vector<Record> ReadDiagram(const XmlTree& tree, const std::string& locator,
                                              const std::string& hidden);

// Names by author id, of both kinds of comments.
using CommentAuthors = std::map<std::string, std::string, std::less<>>;
void ReadCommentAuthors(const XmlTree& tree, CommentAuthors& authors);
// Comments of the slide `locator`, legacy or modern (threaded).
[[nodiscard]] std::vector<Record> ReadComments(const XmlTree& tree, const std::string& locator,
                                               const CommentAuthors& authors);

}  // namespace staged::pptx
