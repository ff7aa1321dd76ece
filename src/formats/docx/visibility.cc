#include "formats/docx/visibility.h"

#include "formats/docx/properties.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

constexpr int kLegibleHalfPoints = 3;  // 1.5 points: what is smaller nobody reads

// Whether a shading or highlight puts a colour behind the text.
bool IsGround(const XmlTree& tree, uint32_t element) {
  const std::string_view name = tree.LocalName(element);
  if (name == "highlight") return tree.Attribute(element, "val").value_or("none") != "none";
  if (name != "shd") return false;
  const std::string_view fill = tree.Attribute(element, "fill").value_or("auto");
  const std::string_view pattern = tree.Attribute(element, "val").value_or("clear");
  return pattern != "nil" && (fill != "auto" || (pattern != "clear" && !pattern.empty()));
}

}  // namespace

Appearance ReadAppearance(const XmlTree& tree, uint32_t run_properties,
                          uint32_t paragraph_properties) {
  Appearance appearance;
  for (const uint32_t properties : {run_properties, paragraph_properties}) {
    if (properties == XmlTree::kNone) continue;
    for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
         child = tree.NextSibling(child)) {
      if (!tree.IsElement(child) || tree[child].group != kWordGroup) continue;
      const std::string_view name = tree.LocalName(child);
      if (name == "vanish") {
        appearance.is_vanished = IsOn(tree, child);
      } else if (name == "color") {
        appearance.color = tree.AttributeText(child, "val");
      } else if (name == "sz") {
        appearance.half_points = IntegerOr(tree.Attribute(child, "val").value_or(""), 0);
      } else {
        appearance.has_ground |= IsGround(tree, child);
      }
    }
  }
  return appearance;
}

Appearance Over(const Appearance& over, const Appearance& under) {
  Appearance both = over;
  if (!both.is_vanished) both.is_vanished = under.is_vanished;
  if (!both.color) both.color = under.color;
  if (!both.half_points) both.half_points = under.half_points;
  both.has_ground |= under.has_ground;
  return both;
}

std::string_view HiddenReason(const Appearance& appearance, bool is_on_page) {
  if (appearance.is_vanished.value_or(false)) return "hidden text";
  if (appearance.half_points && *appearance.half_points > 0 &&
      *appearance.half_points < kLegibleHalfPoints) {
    return "text too small to read";
  }
  const std::string color = appearance.color.value_or("");
  const bool is_white = color == "FFFFFF" || color == "ffffff";
  if (is_on_page && is_white && !appearance.has_ground) return "text in the colour of the page";
  return "";
}

}  // namespace staged::docx
