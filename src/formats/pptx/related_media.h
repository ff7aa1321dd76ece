#pragma once

#include <string>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/pptx/shape_reader.h"
#include "staged/record.h"

namespace staged::pptx {

// The parts and external targets that the elements below `element` refer to by r:embed, r:link or
// r:id, links and what lies below `skip` excepted: pictures, vector images, sound, video, models,
// embedded objects. Each is {element, part, digest} or {element, target}. `skip` is in order.
[[nodiscard]] Value::Array MediaBelow(const XmlTree& tree, uint32_t element,
                                      const ShapeContext& context,
                                      const std::vector<ByteSpan>& skip = {});

// Sets the attribute "media" where there is any.
void AddMedia(const XmlTree& tree, uint32_t element, const ShapeContext& context,
              const std::vector<ByteSpan>& skip, Record& record);

// Branches of alternate contents that are not read and show other text than those that are: a
// record each, "<prefix>/alt[1]".
[[nodiscard]] std::vector<Record> AlternativeRecords(const XmlTree& tree,
                                                     const std::string& prefix);

}  // namespace staged::pptx
