#pragma once

#include <string>
#include <vector>

#include "formats/xlsx/part_tree.h"
#include "formats/xlsx/record_list.h"
#include "formats/xlsx/related_records.h"
#include "formats/xlsx/styles.h"
#include "formats/xlsx/workbook.h"

// The records of a workbook that stand under no sheet.
namespace staged::xlsx {

// Defined names (ECMA-376 part 1, 18.2.5): "name:Rate", "Sheet1!name:Print_Area".
[[nodiscard]] std::vector<Record> MakeNameRecords(const Workbook& workbook);

// What the workbook part holds besides sheets and names (18.2): how it is computed and protected,
// its windows, and every other element by summary and digest.
void ReadWorkbookSettings(const PartTree& tree, RecordList& records);
// Named styles, and what a style sheet holds that no cell shows.
void AddStyleRecords(const Styles& styles, RecordList& records);
// The colours and fonts that styles name (20.1.6.9).
void ReadTheme(const PartTree& tree, const PartContext& context, RecordList& records);

// Document properties; `prefix` is "prop:", "app:" or "custom:". What programs write when they save
// has the kind "saved_property".
void ReadProperties(const PartTree& tree, std::string_view prefix, RecordList& records);

// Another workbook that formulas refer to (18.14), with the values kept of it. `context.base` is
// the link's locator.
void ReadExternalLink(const PartTree& tree, const PartContext& context, RecordList& records);
// Where data comes from (18.13).
void ReadConnections(const PartTree& tree, const PartContext& context, RecordList& records);
// Caches of slicers and timelines ([MS-XLSX] 2.6.57).
void ReadSlicerCache(const PartTree& tree, const PartContext& context, RecordList& records);

// Any other part, all that it says in one text: its character data and the values of its
// attributes. `context.base` is the record's locator.
void ReadOtherPart(const PartTree& tree, const PartContext& context, RecordList& records);
// Whether a part of that root element only says how things look that others show.
[[nodiscard]] bool IsLookOnly(std::string_view root);

}  // namespace staged::xlsx
