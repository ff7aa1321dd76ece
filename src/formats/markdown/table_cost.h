#pragma once

#include <cstdint>
#include <string_view>

namespace staged {

// What the tables in a text cost its parser, at most.
struct TableCost {
  // Made up to fill rows to the width of their header (GitHub Flavored Markdown, section 4.10: "the
  // remainder of the row's cells will be empty").
  uint64_t padded_cells = 0;
  // Walks over a row's cells for each of them, and over a paragraph for each delimiter row in it.
  uint64_t steps = 0;
};

// From the bytes alone, without the parser; linear in their number.
[[nodiscard]] TableCost CostOfTables(std::string_view text);

// Whether it is so much that tables are read as paragraphs.
[[nodiscard]] bool CostsTooMuchForTables(std::string_view text);

}  // namespace staged
