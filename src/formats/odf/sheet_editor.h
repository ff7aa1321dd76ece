#pragma once

#include <map>
#include <string>

#include "codec/splice.h"
#include "codec/xml_tree.h"
#include "formats/odf/sheet_layout.h"
#include "record/cell_address.h"
#include "staged/ext/format.h"

namespace staged::odf {

// Edits of the cells of one table:table. Repeated rows and cells are split where they must be; what
// stays keeps its source. Borrows the tree.
class SheetEditor {
 public:
  SheetEditor(const XmlTree& tree, uint32_t table, const Limits& limits);

  // set {value | formula}, clear, replace_text {find, replace} on a cell. Errors: kNoMatch
  // (expect), kInvalidArgument, kUnsupportedEdit (covered cells, references in A1 notation).
  [[nodiscard]] Status Edit(const staged::Edit& edit, CellAddress address);
  [[nodiscard]] Status AddTo(SplicePlan& plan) const;

 private:
  // New content of a cell: attributes of its value and its paragraphs.
  struct NewCell {
    std::string attributes;
    std::string paragraphs;
  };
  using NewCells = std::map<uint64_t, NewCell>;  // by column

  [[nodiscard]] const SheetRow* RowOf(uint64_t row) const;
  [[nodiscard]] uint32_t CellOf(CellAddress address, bool& is_covered) const;
  [[nodiscard]] Result<NewCell> MakeCell(const staged::Edit& edit, uint32_t cell) const;
  [[nodiscard]] Result<NewCell> MakeValue(const Value& value, uint32_t cell) const;
  [[nodiscard]] Result<NewCell> MakeFormula(const staged::Edit& edit) const;
  [[nodiscard]] Result<NewCell> ReplaceText(const staged::Edit& edit, uint32_t cell) const;
  [[nodiscard]] Status CheckExpected(const staged::Edit& edit, CellAddress address,
                                     uint32_t cell) const;
  [[nodiscard]] std::string Paragraphs(const std::string& text) const;
  [[nodiscard]] std::string CellSource(uint32_t old_cell, const NewCell& cell) const;
  [[nodiscard]] std::string Repeated(uint32_t element, std::string_view attribute,
                                     uint64_t count) const;
  [[nodiscard]] Result<std::string> RowSource(const SheetRow& row, const NewCells& cells) const;
  [[nodiscard]] std::string SplitCell(const SheetCell& cell, const NewCells& cells) const;
  [[nodiscard]] std::string Gap(uint64_t columns) const;
  [[nodiscard]] std::string NewRow(const NewCells& cells) const;
  [[nodiscard]] size_t PlaceOfNewRows() const;

  const XmlTree& tree_;
  const uint32_t table_;
  const Limits limits_;
  const std::vector<SheetRow> rows_;
  std::string table_prefix_;             // "table:"
  std::string office_prefix_;            // "office:"
  std::string text_prefix_;              // "text:"
  std::map<uint64_t, NewCells> edited_;  // by row
};

}  // namespace staged::odf
