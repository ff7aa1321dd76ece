#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/opc.h"
#include "formats/xlsx/record_list.h"
#include "formats/xlsx/sheet_parser.h"
#include "formats/xlsx/styles.h"
#include "formats/xlsx/workbook.h"
#include "staged/limits.h"

namespace staged::xlsx {

// The records of what a sheet's own part holds besides cells: the sheet itself, then merged ranges,
// rows, columns, formats, pieces, hyperlinks and embedded files. Locators: sheet "'Q3 Sales'",
// "Sheet1!merge:A1:B2", "Sheet1!hyperlink:B7", "Sheet1!row:5", "Sheet1!property:pageMargins".
// `digest_of` answers the digest of a part as text.
void AddSheetRecords(const SheetEntry& sheet, size_t index, const ParsedSheet& parsed,
                     const std::vector<OpcRelationship>& relationships, const Styles& styles,
                     const Limits& limits,
                     const std::function<std::string(std::string_view part)>& digest_of,
                     RecordList& records);

// Whether a sheet's relationship of that type leads to a file that is embedded as it is.
[[nodiscard]] bool IsEmbeddedFile(std::string_view relationship_type);

}  // namespace staged::xlsx
