#include "formats/pptx/geometry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/pptx/presentation_names.h"

namespace staged::pptx {
namespace {

int64_t Number(const XmlTree& tree, uint32_t element, std::string_view attribute) {
  int64_t number = 0;
  const std::string_view digits = tree.Attribute(element, attribute).value_or("");
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  // No length of a real slide comes near; sums of two stay far from overflow.
  constexpr int64_t kLargest = int64_t{1} << 50;
  return error == std::errc() && end != nullptr ? std::clamp(number, -kLargest, kLargest) : 0;
}

bool IsTrue(const XmlTree& tree, uint32_t element, std::string_view attribute) {
  const std::string_view value = tree.Attribute(element, attribute).value_or("0");
  return value == "1" || value == "true" || value == "on";
}

// Types that take after one another (ECMA-376 part 1, 19.7.10).
std::string_view KindOfType(std::string_view type) {
  if (type == "title" || type == "ctrTitle") return "title";
  if (type == "dt" || type == "ftr" || type == "sldNum" || type == "hdr" || type == "sldImg") {
    return type;
  }
  return "body";
}

}  // namespace

Value Geometry::ToValue() const {
  Value::Object value{{"x", x}, {"y", y}, {"width", width}, {"height", height}};
  if (rotation != 0) value.emplace_back("rotation", rotation);
  if (flip_horizontal) value.emplace_back("flip_horizontal", true);
  if (flip_vertical) value.emplace_back("flip_vertical", true);
  return Value(std::move(value));
}

uint32_t TransformOf(const XmlTree& tree, uint32_t shape) {
  const uint32_t own = tree.Child(shape, kFrameTransform);
  if (own != XmlTree::kNone) return own;
  for (const uint16_t holder : {kShapeProperties, kGroupProperties}) {
    const uint32_t properties = tree.Child(shape, holder);
    if (properties != XmlTree::kNone) return tree.Child(properties, kTransform);
  }
  return XmlTree::kNone;
}

std::optional<Geometry> ReadTransform(const XmlTree& tree, uint32_t transform) {
  if (transform == XmlTree::kNone) return std::nullopt;
  const uint32_t offset = tree.Child(transform, kOffset);
  const uint32_t extent = tree.Child(transform, kExtent);
  if (offset == XmlTree::kNone || extent == XmlTree::kNone) return std::nullopt;
  Geometry geometry;
  geometry.x = Number(tree, offset, "x");
  geometry.y = Number(tree, offset, "y");
  geometry.width = Number(tree, extent, "cx");
  geometry.height = Number(tree, extent, "cy");
  geometry.rotation = Number(tree, transform, "rot");
  geometry.flip_horizontal = IsTrue(tree, transform, "flipH");
  geometry.flip_vertical = IsTrue(tree, transform, "flipV");
  return geometry;
}

CoordinateMap CoordinateMap::Inside(const XmlTree& tree, uint32_t transform) const {
  const std::optional<Geometry> group = ReadTransform(tree, transform);
  if (!group) return *this;
  const uint32_t offset = tree.Child(transform, kChildOffset);
  const uint32_t extent = tree.Child(transform, kChildExtent);
  double scale_x = 1;
  double scale_y = 1;
  double from_x = static_cast<double>(group->x);
  double from_y = static_cast<double>(group->y);
  if (offset != XmlTree::kNone && extent != XmlTree::kNone) {
    from_x = static_cast<double>(Number(tree, offset, "x"));
    from_y = static_cast<double>(Number(tree, offset, "y"));
    const int64_t width = Number(tree, extent, "cx");
    const int64_t height = Number(tree, extent, "cy");
    if (width > 0) scale_x = static_cast<double>(group->width) / static_cast<double>(width);
    if (height > 0) scale_y = static_cast<double>(group->height) / static_cast<double>(height);
  }
  CoordinateMap inner;
  inner.scale_x = this->scale_x * scale_x;
  inner.scale_y = this->scale_y * scale_y;
  inner.move_x = move_x + this->scale_x * (static_cast<double>(group->x) - from_x * scale_x);
  inner.move_y = move_y + this->scale_y * (static_cast<double>(group->y) - from_y * scale_y);
  return inner;
}

bool CoordinateMap::IsOutside(const Geometry& geometry, int64_t width, int64_t height) const {
  if (width <= 0 || height <= 0) return false;
  double left = move_x + scale_x * static_cast<double>(geometry.x);
  double top = move_y + scale_y * static_cast<double>(geometry.y);
  double right = left + scale_x * static_cast<double>(geometry.width);
  double bottom = top + scale_y * static_cast<double>(geometry.height);
  if (geometry.rotation != 0) {
    const double center_x = (left + right) / 2;
    const double center_y = (top + bottom) / 2;
    const double radius = std::hypot(right - left, bottom - top) / 2;
    left = center_x - radius;
    right = center_x + radius;
    top = center_y - radius;
    bottom = center_y + radius;
  }
  return right < 0 || bottom < 0 || left > static_cast<double>(width) ||
         top > static_cast<double>(height);
}

std::optional<Placeholder> ReadPlaceholder(const XmlTree& tree, uint32_t shape) {
  // It stands in p:nvPr, in the first child of the shape.
  const uint32_t first = tree.FirstChild(shape);
  for (uint32_t child = first; child != XmlTree::kNone; child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    const uint32_t node = Descendant(tree, child, kPlaceholder);
    if (node == XmlTree::kNone) return std::nullopt;
    return Placeholder{tree.AttributeText(node, "type"), tree.AttributeText(node, "idx"), {}};
  }
  return std::nullopt;
}

std::vector<Placeholder> ReadPlaceholders(const XmlTree& tree) {
  std::vector<Placeholder> placeholders;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    if (tree[node].name != kShape && tree[node].name != kPicture &&
        tree[node].name != kGraphicFrame) {
      continue;
    }
    std::optional<Placeholder> placeholder = ReadPlaceholder(tree, node);
    if (!placeholder) continue;
    placeholder->geometry = ReadTransform(tree, TransformOf(tree, node));
    placeholders.push_back(*std::move(placeholder));
  }
  return placeholders;
}

const Placeholder* FindInLayout(const std::vector<Placeholder>& layout,
                                const Placeholder& placeholder) {
  const auto index = [](const Placeholder& item) -> std::string_view {
    return item.index.empty() ? std::string_view("0") : item.index;
  };
  for (const Placeholder& item : layout) {
    if (index(item) == index(placeholder) &&
        KindOfType(item.type) == KindOfType(placeholder.type)) {
      return &item;
    }
  }
  if (!placeholder.index.empty() && KindOfType(placeholder.type) == "body") return nullptr;
  for (const Placeholder& item : layout) {
    if (KindOfType(item.type) == KindOfType(placeholder.type)) return &item;
  }
  return nullptr;
}

const Placeholder* FindInMaster(const std::vector<Placeholder>& master,
                                const Placeholder& placeholder) {
  for (const Placeholder& item : master) {
    if (KindOfType(item.type) == KindOfType(placeholder.type)) return &item;
  }
  return nullptr;
}

}  // namespace staged::pptx
