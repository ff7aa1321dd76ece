#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Addresses of spreadsheet cells in A1 notation, as every spreadsheet format's locators use them.
namespace staged {

inline constexpr uint32_t kSheetRowsMax = 1'048'576;  // ECMA-376 part 1, 18.3.1.73
inline constexpr uint32_t kSheetColumnsMax = 16'384;  // column XFD

// Row and column count from 1.
struct CellAddress {
  uint32_t row = 0;
  uint32_t column = 0;
  friend auto operator<=>(const CellAddress&, const CellAddress&) = default;
};

// First and last cell, both inside; first.row <= last.row, first.column <= last.column.
struct CellRange {
  CellAddress first;
  CellAddress last;
  friend bool operator==(const CellRange&, const CellRange&) = default;

  [[nodiscard]] bool Contains(CellAddress cell) const {
    return cell.row >= first.row && cell.row <= last.row && cell.column >= first.column &&
           cell.column <= last.column;
  }
};

void AppendColumnName(std::string& out, uint32_t column);  // 28: "AB"
void AppendCellAddress(std::string& out, CellAddress cell);
[[nodiscard]] std::string FormatCellAddress(CellAddress cell);      // "AB12"
[[nodiscard]] std::string FormatCellRange(const CellRange& range);  // "A1:B2"; one cell: "A1"

// Reads "AB12" or "$AB$12", any letter case; nothing else around it. nullopt beyond the limits.
[[nodiscard]] std::optional<CellAddress> ParseCellAddress(std::string_view text);
// Reads "A1:B2" or "A1"; corners in any order.
[[nodiscard]] std::optional<CellRange> ParseCellRange(std::string_view text);

// The sheet's name as formulas write it: in apostrophes, those inside doubled, where it could be
// read as anything else ("Q3 Sales", "AB12", "2024").
[[nodiscard]] std::string QuoteSheetName(std::string_view name);

struct SheetLocator {
  std::string sheet;  // unquoted; empty when the locator names none
  std::string rest;   // behind the '!': "B7", "row:5"; the whole locator when there is no '!'
};
// Splits "'Q3 Sales'!B7" (quoted where needed or not). nullopt for an unclosed quotation.
[[nodiscard]] std::optional<SheetLocator> SplitSheetLocator(std::string_view locator);

}  // namespace staged
