#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/xlsx/package_edits.h"
#include "formats/xlsx/shared_strings.h"
#include "formats/xlsx/styles.h"
#include "formats/xlsx/workbook.h"
#include "record/cell_address.h"
#include "staged/ext/format.h"

namespace staged::xlsx {

struct LocatedEdit {
  const Edit* edit = nullptr;
  CellAddress cell;
};

// What a cell is to hold. A formula has no value until it is computed.
struct CellContent {
  Value value;          // null, boolean, number or string
  std::string formula;  // without "="; "" when none
};

struct SheetEditContext {
  const SheetEntry* sheet = nullptr;
  DateEpoch epoch = DateEpoch::k1900;
  const Styles* styles = nullptr;
  const SharedStrings* strings = nullptr;
  SharedStringAppender* appender = nullptr;  // nullptr: the workbook has no shared strings
  std::vector<CellRange> table_headers;
  Limits limits;
};

struct SheetResult {
  std::optional<std::string> xml;               // absent when nothing changes
  std::map<CellAddress, CellContent> contents;  // of every edited cell, as it must be read back
  std::vector<CellAddress> formulas_gone;       // cells that had a formula and have none now
  int64_t reference_delta = 0;                  // cells with shared strings, after less before
  bool has_formulas = false;                    // somewhere on the sheet
  bool sets_formula = false;
  std::vector<DerivedEffect> derived;
};

// Plans the edits in order against one sheet and splices them all. Errors: those of Format::Apply.
[[nodiscard]] Result<SheetResult> EditSheetXml(std::string_view xml,
                                               const std::vector<LocatedEdit>& edits,
                                               const SheetEditContext& context);
// Whether the sheet holds exactly these contents. Errors: kDataLoss naming the first cell that
// differs.
[[nodiscard]] Status CheckSheetXml(std::string_view xml,
                                   const std::map<CellAddress, CellContent>& contents,
                                   const SheetEditContext& context);

}  // namespace staged::xlsx
