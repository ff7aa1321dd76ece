#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/xml_tree.h"
#include "staged/value.h"

// Where shapes lie, in English Metric Units (914,400 to the inch).
namespace staged::pptx {

struct Geometry {
  int64_t x = 0;
  int64_t y = 0;
  int64_t width = 0;
  int64_t height = 0;
  int64_t rotation = 0;  // in 60,000ths of a degree, clockwise
  bool flip_horizontal = false;
  bool flip_vertical = false;

  [[nodiscard]] Value ToValue() const;
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// The a:xfrm or p:xfrm that belongs to a shape element, or kNone.
[[nodiscard]] uint32_t TransformOf(const XmlTree& tree, uint32_t shape);
// What a transform says; nullopt when it has no offset or extent.
[[nodiscard]] std::optional<Geometry> ReadTransform(const XmlTree& tree, uint32_t transform);

// From the coordinates inside a group (or several nested ones) to those of the slide.
struct CoordinateMap {
  double scale_x = 1;
  double scale_y = 1;
  double move_x = 0;
  double move_y = 0;

  // The map inside a group whose a:xfrm is `transform`.
  [[nodiscard]] CoordinateMap Inside(const XmlTree& tree, uint32_t transform) const;
  // Whether nothing of the shape can lie in a slide of that size. Rotation is met by its circle.
  [[nodiscard]] bool IsOutside(const Geometry& geometry, int64_t width, int64_t height) const;
};

// A placeholder as a layout or master defines it.
struct Placeholder {
  std::string type;   // "" stands for "obj"
  std::string index;  // "" stands for 0
  std::optional<Geometry> geometry;
};

// The type and index of a shape's placeholder; nullopt when it is none.
[[nodiscard]] std::optional<Placeholder> ReadPlaceholder(const XmlTree& tree, uint32_t shape);
// Placeholders of a layout's or master's part, in order.
[[nodiscard]] std::vector<Placeholder> ReadPlaceholders(const XmlTree& tree);
// The one of a layout that a slide's placeholder takes after: by index, else by type; or nullptr.
[[nodiscard]] const Placeholder* FindInLayout(const std::vector<Placeholder>& layout,
                                              const Placeholder& placeholder);
// The one of a master that a layout's placeholder takes after: by kind of type; or nullptr.
[[nodiscard]] const Placeholder* FindInMaster(const std::vector<Placeholder>& master,
                                              const Placeholder& placeholder);

}  // namespace staged::pptx
