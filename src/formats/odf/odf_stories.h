#pragma once

#include <string>
#include <vector>

#include "formats/odf/odf_file.h"

namespace staged::odf {

// What is read, cached and edited as one: the body of a text, a header, a sheet, a slide, a master.
struct OdfStory {
  std::string part;  // content or styles part, "" for a flat file
  bool is_in_styles = false;
  uint32_t node = XmlTree::kNone;
  std::string kind;     // "body", "header", "footer", "sheet", "names", "slide", "master"
  std::string locator;  // of its record; "" for bodies and names
  std::string name;     // as people see it
  size_t number = 0;    // from 1 among its kind
};

// The stories of a document in order. REQUIRES: ReadTrees was called.
[[nodiscard]] std::vector<OdfStory> StoriesOf(const OdfFile& file, OdfKind kind);
[[nodiscard]] const XmlTree& TreeOf(const OdfFile& file, const OdfStory& story);
// Its records; locators are unique among them.
[[nodiscard]] Blocks ReadStory(const OdfFile& file, const OdfStory& story,
                               const BlockContext& context);

}  // namespace staged::odf
