#pragma once

#include <cstdint>
#include <string_view>

namespace staged {

// How many cells the parser would make up at most to fill the rows of the tables in `text` to the
// width of their headers (GitHub Flavored Markdown, section 4.10: "the remainder of the row's cells
// will be empty"). From the bytes alone, without the parser; linear in their number.
[[nodiscard]] uint64_t PaddedTableCells(std::string_view text);

// Whether these are so many that tables are read as paragraphs.
[[nodiscard]] bool PadsTooManyTableCells(std::string_view text);

}  // namespace staged
