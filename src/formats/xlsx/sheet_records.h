#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/opc.h"
#include "formats/xlsx/sheet_parser.h"
#include "formats/xlsx/workbook.h"
#include "staged/record.h"

namespace staged::xlsx {

// The records of a workbook other than cells. Locators: sheet "'Q3 Sales'", "Sheet1!merge:A1:B2",
// "Sheet1!hyperlink:B7", "Sheet1!comment:B7", "Sheet1!property:cols", "name:Rate",
// "Sheet1!name:Print_Area", "table:Table1", "Table1[Qty]".
[[nodiscard]] std::vector<Record> MakeNameRecords(const Workbook& workbook);

// Records of one sheet: the sheet itself, then what hangs on it. Parts that cannot be read become
// diagnostics.
class SheetRecords {
 public:
  SheetRecords(const OpcPackage& package, const Workbook& workbook, size_t sheet_index,
               const Limits& limits);

  void AddSheet(const ParsedSheet& parsed);
  // Tables and comments, through the sheet's relationships.
  void AddRelatedParts(const std::vector<OpcRelationship>& relationships);
  void AddHyperlinks(const ParsedSheet& parsed, const std::vector<OpcRelationship>& relationships);

  [[nodiscard]] std::vector<Record> Take() { return std::move(records_); }
  [[nodiscard]] std::vector<Diagnostic> TakeDiagnostics() { return std::move(diagnostics_); }

 private:
  Record& Add(std::string kind, std::string locator, std::string parent);
  void AddTable(const std::string& part);
  void AddComments(const std::string& part);
  void AddThreadedComments(const std::string& part);
  [[nodiscard]] std::string ReadPart(const std::string& part);

  const OpcPackage& package_;
  const Workbook& workbook_;
  const SheetEntry& sheet_;
  size_t sheet_index_;
  const Limits& limits_;
  std::string locator_;
  std::vector<Record> records_;
  std::unordered_map<std::string, size_t> uses_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace staged::xlsx
