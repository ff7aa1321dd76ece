#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/limits.h"
#include "staged/status.h"

namespace staged::xlsx {

// A style with a name (18.8.7), which cells may be made by.
struct NamedStyle {
  std::string name;
  std::string look;  // all of it, the usual font too: "Calibri, 11pt"
  std::string number_format;
};

// What a style sheet holds besides formats: colours, table styles, differential formats ...
struct StylePart {
  std::string name;  // "dxfs"
  std::string summary;
  std::string digest;
};

// The style sheet (ECMA-376 part 1, 18.8), as cells and rules refer to it.
struct Styles {
  std::vector<std::string> formats;  // number format code by cell style ("s" attribute)
  std::vector<std::string> looks;    // beside it: "bold, fill #FFFF00"; "" for the usual look
  std::vector<std::string> differential_looks;  // by "dxfId"
  std::vector<NamedStyle> named;
  std::vector<StylePart> rest;
  std::vector<uint32_t> look_classes;  // by style: the first style with that format and look
  Status error;                        // why reading ended early

  // "General" for a style that does not exist.
  [[nodiscard]] std::string_view FormatOf(size_t style) const {
    return style < formats.size() ? std::string_view(formats[style]) : "General";
  }
  [[nodiscard]] std::string_view LookOf(size_t style) const {
    return style < looks.size() ? std::string_view(looks[style]) : std::string_view();
  }
  [[nodiscard]] uint32_t LookClassOf(uint32_t style) const {
    return style < look_classes.size() ? look_classes[style] : 0;
  }
};

// What could be read of it; malformed XML ends reading.
[[nodiscard]] Styles ReadStyles(std::string_view xml, const Limits& limits);

}  // namespace staged::xlsx
