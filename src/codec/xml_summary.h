#pragma once

#include <string>
#include <vector>

#include "codec/xml_tree.h"
#include "staged/content_hash.h"
#include "staged/record.h"
#include "staged/value.h"

// XML that no record models in detail, as short texts and digests.
namespace staged {

// One element as a short text: "before=120 after=0", "center", "true". A lone attribute "val"
// stands without its name. Cut at a fixed length, where a digest of the whole follows.
[[nodiscard]] std::string XmlSummary(const XmlTree& tree, uint32_t element);

// Short hexadecimal digest of an element's source without the ranges in `modelled`: what records
// show otherwise. Ranges are in order and do not overlap.
[[nodiscard]] std::string XmlDigest(const XmlTree& tree, uint32_t element,
                                    const std::vector<ByteSpan>& modelled = {});

// The children of the element that holds a document's properties as records "prop:title", where
// `prefix` is "prop:". Hidden, since no reader sees them in the document.
[[nodiscard]] std::vector<Record> PropertyRecords(const XmlTree& tree, std::string_view prefix,
                                                  uint32_t element = 0);

// An XML part that no reader of its format models ("data:customXml/item1.xml"): all its texts and
// attribute values, a line each. None where it only says how other parts look.
[[nodiscard]] std::vector<Record> OtherPartRecords(const XmlTree& tree, std::string_view part);

}  // namespace staged
