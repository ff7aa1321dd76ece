#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/cell_address.h"
#include "staged/limits.h"
#include "staged/record.h"
#include "staged/status.h"

namespace staged::xlsx {

// Where things stand in a sheet's XML, for splicing. Offsets are bytes; views borrow the XML.
struct CellPlace {
  std::optional<ByteSpan> cell;    // the whole <c> element where the cell exists (the last of two)
  std::string_view attributes;     // of that element, as written
  std::string_view inner;          // between its tags; empty for <c/>
  std::string_view formula_type;   // "shared", "array" ...; empty for a plain one or none
  std::string_view formula_range;  // "ref" of the formula
  std::optional<uint32_t> shared_index;
  bool has_formula = false;
  bool has_formula_text = false;

  std::optional<ByteSpan> row;    // the start tag of its row where that exists
  bool row_is_empty_tag = false;  // <row/>
  size_t insert_at = 0;           // where the cell (row exists) or the row would be put in
};

struct SharedChild {
  CellAddress cell;
  ByteSpan formula;  // its <f> element
};

struct ScannedSheet {
  std::map<CellAddress, CellPlace> places;
  std::string_view prefix;                 // "" or "x:", of the root
  std::optional<ByteSpan> empty_data_tag;  // <sheetData/> without content
  std::optional<ByteSpan> dimension;       // the value of <dimension ref>
  std::vector<CellRange> arrays;           // of array formulas and data tables over several cells
  std::vector<CellRange> merges;
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint32_t>>
      column_styles;                                    // (min, max), style
  std::map<uint32_t, std::vector<SharedChild>> shared;  // every cell that shares that formula
  bool has_formulas = false;
  bool has_data = false;                // a <sheetData> was found
  bool has_implicit_addresses = false;  // rows or cells without "r"
};

// One pass over the sheet. `targets` are the cells to be placed. Errors: kParseFailed,
// kLimitExceeded.
[[nodiscard]] Result<ScannedSheet> ScanSheet(std::string_view xml,
                                             const std::vector<CellAddress>& targets,
                                             const Limits& limits);

}  // namespace staged::xlsx
