#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codec/xml_tree.h"

// Why readers do not see text that stands in a document.
namespace staged::docx {

// What of a run's or a style's formatting decides whether people see the text.
struct Appearance {
  std::optional<bool> is_vanished;  // w:vanish
  std::optional<std::string> color;
  std::optional<int> half_points;  // size
  bool has_ground = false;         // shading or highlight: another colour behind the text
};

// Of the w:rPr and w:pPr, each of which may be XmlTree::kNone.
[[nodiscard]] Appearance ReadAppearance(const XmlTree& tree, uint32_t run_properties,
                                        uint32_t paragraph_properties);
// `under` where `over` says nothing.
[[nodiscard]] Appearance Over(const Appearance& over, const Appearance& under);
// "hidden text", "text in the colour of the page" ..., or "" for text that people see.
// `is_on_page`: nothing but the white page is behind it.
[[nodiscard]] std::string_view HiddenReason(const Appearance& appearance, bool is_on_page);

}  // namespace staged::docx
