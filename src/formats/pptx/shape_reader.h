#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codec/opc.h"
#include "codec/xml_tree.h"
#include "formats/pptx/geometry.h"
#include "staged/limits.h"
#include "staged/record.h"

namespace staged::pptx {

// What the records of one shape tree depend on besides its part.
struct ShapeContext {
  std::string part;
  std::string prefix;  // locator of what the tree belongs to: "slide[256]"
  std::string hidden;  // reason that holds for everything: "hidden slide", "speaker notes"
  // Placeholders of a layout or master are seen by authors only: the reason for them.
  std::string hidden_placeholders;
  int64_t slide_width = 0;  // EMU; 0: unknown, nothing is off the slide
  int64_t slide_height = 0;
  const std::vector<Placeholder>* layout = nullptr;
  const std::vector<Placeholder>* master = nullptr;
  // Paragraphs of the first "body" placeholder stand at "<prefix>/p[1]", as notes do.
  bool body_stands_alone = false;
  // A relationship of the part, or nullptr.
  std::function<const OpcRelationship*(std::string_view id)> relationship;
  // Digest of a part as text, "" when it is missing.
  std::function<std::string(const std::string& part)> digest;
  Limits limits;
};

// The records of a shape tree and the element that each was made of.
struct ShapeStory {
  std::vector<Record> records;
  std::vector<uint32_t> nodes;
  std::string title;  // text of the title placeholder
  bool is_truncated = false;
};

// Shapes, their paragraphs, tables, groups and frames, in order of the tree. `root` is the root of
// the part: p:sld, p:notes, p:sldLayout ... Records that would have the locator of an earlier one
// get "#2" and the attribute "duplicate_id".
[[nodiscard]] ShapeStory ReadShapes(const XmlTree& tree, const ShapeContext& context);

// The p:spTree of a part, or kNone.
[[nodiscard]] uint32_t ShapeTreeOf(const XmlTree& tree);

}  // namespace staged::pptx
