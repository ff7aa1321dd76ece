#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/xml.h"
#include "staged/record.h"

namespace staged {

enum class XmlPartKind : uint8_t {
  kElement = 1,
  kAttribute = 2,
  kText = 3,  // of an element that has children, where it is more than white space
  kComment = 4,
  kInstruction = 5,
  kDoctype = 6,
};

// An element, or what stands in one. In document order, attributes behind their element.
struct XmlPart {
  static constexpr uint32_t kNone = UINT32_MAX;

  XmlPartKind kind = XmlPartKind::kElement;
  uint32_t parent = kNone;
  uint32_t subtree_end = 0;
  uint64_t begin = 0;  // bytes [begin, end), with the tags
  uint64_t end = 0;
  // Of an element what is between its tags, of an attribute between its quotes, else the text.
  uint64_t content_begin = 0;
  uint64_t content_end = 0;
  std::string name;
  std::string text;           // decoded; of an element only where it has no children
  std::string locator;        // "/a/b[2]/@c"
  bool is_empty = false;      // <name/>
  bool is_cdata = false;      // the content is one CDATA section
  bool has_children = false;  // elements, comments or instructions
};

struct XmlDocument {
  std::vector<XmlPart> parts;
  Status error;  // why reading stopped
  uint64_t error_at = 0;
  uint64_t parsed_end = 0;  // the bytes behind it could not be read

  [[nodiscard]] const XmlPart* Find(std::string_view locator) const;
};

// Reads as much as is well-formed.
[[nodiscard]] XmlDocument ReadXmlDocument(std::string_view text, const Limits& limits);

// A record a part. An element's key is its id, name or key attribute where no sibling has the same.
[[nodiscard]] std::vector<Record> XmlRecords(const XmlDocument& document, uint64_t span_offset,
                                             bool has_spans);

}  // namespace staged
