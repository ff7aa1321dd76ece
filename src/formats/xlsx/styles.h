#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "staged/limits.h"

namespace staged::xlsx {

// What cells need of the style sheet (ECMA-376 part 1, 18.8).
struct Styles {
  std::vector<std::string> formats;  // number format code by cell style ("s" attribute)

  // "General" for a style that does not exist.
  [[nodiscard]] std::string_view FormatOf(size_t style) const {
    return style < formats.size() ? std::string_view(formats[style]) : "General";
  }
};

// What could be read of it; malformed XML ends reading.
[[nodiscard]] Styles ReadStyles(std::string_view xml, const Limits& limits);
// The code of a number format that every application knows by its number (18.8.30); "" for others.
[[nodiscard]] std::string_view BuiltinNumberFormat(unsigned id);

}  // namespace staged::xlsx
