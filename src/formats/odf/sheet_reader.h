#pragma once

#include "formats/odf/block_reader.h"

namespace staged::odf {

// A table of a spreadsheet: the sheet's record, its non-empty cells, comments and drawings.
// Locators as in every spreadsheet: "'Q3 Sales'!B7". A repeated cell gives one record each, or
// where there are many, one record with "repeated" (columns and rows).
void ReadSheet(const XmlTree& tree, uint32_t table, size_t index, const std::string& locator,
               const BlockContext& context, Blocks& blocks);

// Named ranges and expressions, and database ranges, of a spreadsheet or table.
void ReadNames(const XmlTree& tree, uint32_t element, Blocks& blocks, BlockReader& reader,
               const std::string& parent);

// A cell's typed value; null when it has none.
[[nodiscard]] Value CellValue(const XmlTree& tree, uint32_t cell, const std::string& text);
// Its displayed text: paragraphs, a line each.
[[nodiscard]] std::string CellText(const XmlTree& tree, uint32_t cell);
// The name of a sheet as records show it.
[[nodiscard]] std::string SheetName(const XmlTree& tree, uint32_t table, size_t index);

}  // namespace staged::odf
