#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codec/xml.h"
#include "formats/xlsx/styles.h"
#include "record/cell_address.h"
#include "record/grid_segment.h"

namespace staged::xlsx {

// Consecutive rows or columns (ECMA-376 part 1, 18.3.1.73 and 18.3.1.13) that are alike and not as
// the sheet's usual ones.
struct LineRun {
  GridLines lines;
  std::string size;    // height in points or width in characters, as written; "" for the usual one
  uint32_t style = 0;  // that cells which the file does not name take
  std::string outline_level;
  bool is_hidden = false;
  bool is_collapsed = false;
};

// The cells of one format that is not that of their row or column, whether they hold something or
// not.
struct FormattedCells {
  uint32_t style = 0;
  std::vector<CellRange> ranges;  // the first ones
  uint64_t range_count = 0;       // of all
  uint64_t digest = 0;            // of all
};

// Follows a sheet's rows and cells as they are read. Cost follows them; memory follows the number
// of styles and of runs of rows.
class SheetLayout {
 public:
  // Borrows the styles.
  explicit SheetLayout(const Styles& styles) : styles_(styles) {}

  void AddColumns(const std::vector<XmlAttribute>& attributes);  // of a <col>
  // Rows as they come; `attributes` of the <row>.
  void StartRow(uint32_t row, const std::vector<XmlAttribute>& attributes);
  void AddCell(uint32_t column, uint32_t style) {
    if (style == 0 && is_usual_row_ && column_styles_.empty()) return;
    AddStyledCell(column, style);
  }
  void Finish();

  // After Finish.
  [[nodiscard]] const std::vector<LineRun>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<LineRun>& columns() const { return columns_; }
  [[nodiscard]] std::vector<FormattedCells> Formats() const;
  [[nodiscard]] std::vector<GridLines> HiddenRows() const;
  [[nodiscard]] std::vector<GridLines> HiddenColumns() const;
  // Runs of rows that were left out since there are too many.
  [[nodiscard]] uint64_t rows_left_out() const { return rows_left_out_; }

 private:
  struct Run {  // of cells in one row
    uint32_t style = 0;
    uint32_t first_column = 0;
    uint32_t last_column = 0;
    uint32_t first_row = 0;  // of the rectangle that ends with this row
    uint32_t last_row = 0;
  };

  void AddStyledCell(uint32_t column, uint32_t style);
  void EndRow();
  void Emit(const Run& run);

  const Styles& styles_;
  std::vector<LineRun> rows_;
  std::vector<LineRun> columns_;
  std::vector<uint32_t> column_styles_;  // by column, from 0; empty where no column has one
  uint64_t rows_left_out_ = 0;
  uint32_t row_ = 0;
  uint32_t row_style_ = 0;
  bool has_row_style_ = false;
  bool is_usual_row_ = true;
  std::vector<Run> runs_;  // of the row that is being read
  std::vector<Run> open_;  // rectangles that the row may go on, in order of columns
  std::map<uint32_t, FormattedCells> formats_;
};

// Of an ST_OnOff attribute's value.
[[nodiscard]] bool IsOn(std::string_view value);

}  // namespace staged::xlsx
