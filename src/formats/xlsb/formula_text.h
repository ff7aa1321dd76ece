#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/cell_address.h"

namespace staged::xlsb {

// Sheets of one book that formulas refer to by one number ([MS-XLSB] 2.5.172).
struct SheetSpan {
  uint32_t book = 0;  // among the workbook's books
  int32_t first = 0;  // sheet, from 0; -1: the book itself, -2: deleted
  int32_t last = 0;
};

// A book that formulas refer to: this one, or an external one.
struct Book {
  bool is_own = false;
  uint32_t number = 0;  // of an external one, as in "[1]Sheet1!A1"
  std::vector<std::string> sheets;
  std::vector<std::string> names;
};

// What the numbers in formulas stand for.
struct FormulaNames {
  std::vector<std::string> sheets;
  std::vector<std::string> names;  // defined names, in order
  std::vector<Book> books;
  std::vector<SheetSpan> spans;
};

// A parsed formula: tokens, and what some of them keep apart.
struct ParsedFormula {
  std::string_view tokens;
  std::string_view extra;
};

// The formula as a person writes it, in English and A1 notation without "=", of the cell at `cell`,
// from which relative offsets count. nullopt for one with tokens that are not known.
[[nodiscard]] std::optional<std::string> FormulaText(const ParsedFormula& formula,
                                                     const FormulaNames& names, CellAddress cell);
// Whether the formula is that of a range, kept apart from its cells: the range's first cell.
[[nodiscard]] std::optional<CellAddress> RangeOfFormula(const ParsedFormula& formula);

}  // namespace staged::xlsb
