#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/delimited.h"
#include "format/text_editor.h"

namespace staged {

// Plans edits of a delimited text by cell and row and splices them in its dialect. All locators
// address the text as it was.
class CsvEditor {
 public:
  explicit CsvEditor(std::string_view bytes);

  // set of a cell or row; insert_before, insert_after, delete of rows; append of a row; lines and
  // replace_text as in every text format. Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  // The new bytes, parsed again and compared with what was asked for.
  [[nodiscard]] Result<std::string> Finish();

 private:
  struct Place {
    size_t row = 0;
    std::optional<size_t> column;
  };

  [[nodiscard]] Result<Place> Resolve(std::string_view locator) const;
  [[nodiscard]] Result<size_t> ResolveRow(std::string_view locator) const;
  [[nodiscard]] Result<size_t> ResolveColumn(std::string_view name) const;
  [[nodiscard]] std::string CellText(size_t row, size_t column) const;
  [[nodiscard]] std::string RowText(size_t row) const;

  [[nodiscard]] Status PlanCell(const Edit& edit, size_t row, size_t column);
  [[nodiscard]] Status PlanRow(const Edit& edit, size_t row);
  [[nodiscard]] Status PlanAppend(const Edit& edit);
  // The "values" of an edit (a list, or an object by column) as contents in order.
  [[nodiscard]] Result<std::vector<std::string>> RowValues(const Edit& edit) const;
  [[nodiscard]] std::string RenderRow(const std::vector<std::string>& values) const;
  [[nodiscard]] Status ExtendRows();
  [[nodiscard]] Status CheckResult(std::string_view bytes) const;

  TextEditor editor_;
  std::string_view text_;
  DelimitedDialect dialect_;
  DelimitedTable table_;
  ColumnNames names_;
  bool quotes_all_ = false;
  // Cells to be added behind a row's last one.
  std::map<size_t, std::map<size_t, std::string>> added_cells_;
  // For the check: each row's inserted rows and fate.
  std::map<std::pair<size_t, size_t>, std::string> set_cells_;
  int64_t row_count_change_ = 0;
  bool has_table_edits_ = false;
  bool has_text_edits_ = false;
};

}  // namespace staged
