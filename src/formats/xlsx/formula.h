#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace staged::xlsx {

// The formula of a cell that shares another's (ECMA-376 part 1, 18.3.1.40): relative references
// move by that many rows and columns; one that would leave the sheet becomes #REF!.
[[nodiscard]] std::string ShiftFormula(std::string_view formula, int64_t rows, int64_t columns);

}  // namespace staged::xlsx
