#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/inline_reader.h"
#include "formats/docx/numbering.h"
#include "formats/docx/properties.h"
#include "formats/docx/relationships.h"
#include "formats/docx/styles.h"
#include "staged/limits.h"
#include "staged/record.h"

namespace staged::docx {

// What a part related to a story is, as far as records tell.
struct RelatedPart {
  std::string digest;   // "sha256:..."; empty when the archive lacks it
  std::string text;     // of a chart or a diagram
  bool is_cut = false;  // the text goes on
  // What the part shows or links to: {type, part, digest} or {type, target}.
  Value::Array media;
};

// Where a comment is anchored in the document.
struct CommentAnchor {
  std::string start_locator;  // "p:12"
  size_t start = 0;
  std::string end_locator;
  size_t end = 0;
  bool has_end = false;
};

// What a comment's part does not say about it (MS-DOCX, 2.5.4).
struct CommentThread {
  std::string reply_to;  // "cm:1"; empty for the first one of a thread
  bool is_resolved = false;
};

// Everything that the records of a story depend on besides its own XML. Borrowed.
struct StoryContext {
  const StyleTable* styles = nullptr;
  const NumberingTable* numbering = nullptr;
  const Relationships* relationships = nullptr;
  std::function<RelatedPart(const std::string& part)> related;
  std::function<std::string(const std::string& part)> story_locator;  // "hdr:1" of a header part
  const std::map<std::string, CommentAnchor>* comment_anchors = nullptr;  // for the comments' part
  const std::map<std::string, CommentThread>* comment_threads = nullptr;  // the same, by native id
  std::string hidden;           // why nobody sees the story, or ""
  bool has_background = false;  // the page is not white
  Limits limits;
};

// The records of one story part, and the element that each was made from.
struct Story {
  std::vector<Record> records;
  std::vector<uint32_t> nodes;
  bool is_truncated = false;  // at Limits::records_max
  bool has_alternate_chunks = false;
};

// Reads a document, header, footer, notes, comments or glossary part. `prefix` ("" or "hdr:1/")
// goes in front of every locator.
[[nodiscard]] Story ReadStory(const XmlTree& tree, const StoryContext& context,
                              const std::string& prefix);

}  // namespace staged::docx
