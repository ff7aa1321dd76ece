#pragma once

#include <string>
#include <vector>

#include "formats/xlsx/record_list.h"
#include "formats/xlsx/sheet_parser.h"
#include "formats/xlsx/styles.h"
#include "staged/limits.h"

namespace staged::xlsx {

// The records of what stands around a sheet's cells (ECMA-376 part 1, 18.3.1): views, protection,
// conditional formats, data validations, headers and footers, filters, and every other piece by
// summary and digest. `sheet` is the locator of the sheet's record.
void AddPieceRecords(const std::vector<SheetPiece>& pieces, const std::string& sheet,
                     const Styles& styles, const Limits& limits, RecordList& records);

// Rows, columns and formatted cells.
void AddLayoutRecords(const ParsedSheet& parsed, const std::string& sheet, const Styles& styles,
                      RecordList& records);

}  // namespace staged::xlsx
