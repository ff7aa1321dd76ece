#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace staged {

struct GridCell {
  uint32_t row = 0, column = 0;  // from 1
  uint32_t node = 0;
  uint64_t content = 0;  // fingerprint; of formulas whatever they refer to
};

enum class GridAxis : uint8_t { kRows = 1, kColumns = 2 };

// Rows (or columns) of one side that are the same on the other, in runs of one distance; behind the
// last run its distance holds on.
struct GridLineRun {
  uint32_t left = 0, right = 0, count = 0;
};

// How the lines of one sheet moved because lines were inserted or deleted before them.
struct GridShift {
  std::string sheet;   // unquoted
  std::string prefix;  // of its locators: "'Q3 Sales'!"
  std::string parent;  // of its cells
  GridAxis axis = GridAxis::kRows;
  std::vector<GridLineRun> runs;
  std::vector<uint32_t> deleted;   // lines of the left side
  std::vector<uint32_t> inserted;  // lines of the right side
  // Where a line of the left side is on the right; 0 when it was deleted.
  [[nodiscard]] uint32_t Map(uint32_t line) const;
};

// Aligns rows, and columns, of two versions of a sheet by content; the shift that leaves the fewest
// cells changed, or nullopt when comparing by address leaves no more. Near-linear in cells.
[[nodiscard]] std::optional<GridShift> AlignGrid(const std::vector<GridCell>& left,
                                                 const std::vector<GridCell>& right);

}  // namespace staged
