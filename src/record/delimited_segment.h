#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "record/line_index.h"
#include "staged/view.h"

namespace staged {

// How a delimited text (CSV, TSV) is written. A quote doubles to stand for itself.
struct DelimitedDialect {
  char delimiter = ',';
  char quote = '"';
  friend bool operator==(const DelimitedDialect&, const DelimitedDialect&) = default;
};

// Rows and cells as offsets into the text: no heap object a cell.
struct DelimitedTable {
  struct Cell {
    uint32_t begin = 0;  // with its quotes
    uint32_t end = 0;
  };
  std::vector<Cell> cells;           // row after row
  std::vector<uint32_t> row_cells;   // index of each row's first cell, and one past the last row's
  std::vector<uint32_t> row_begins;  // offset of each row, and the text's size

  [[nodiscard]] size_t row_count() const { return row_cells.empty() ? 0 : row_cells.size() - 1; }
  [[nodiscard]] size_t width(size_t row) const { return row_cells[row + 1] - row_cells[row]; }
  [[nodiscard]] Cell at(size_t row, size_t column) const { return cells[row_cells[row] + column]; }
};

// Appends the cell's content: without quotes, doubled quotes once; malformed quoting as written.
void AppendCellText(std::string& out, std::string_view raw, char quote);

// Names of columns, from 0: the header's cell, its ordinal where it is empty or absent; a name that
// an earlier column has gets "#2", "#3" ...
class ColumnNames {
 public:
  ColumnNames() = default;
  // REQUIRES: the table's cells lie in `text`.
  ColumnNames(std::string_view text, const DelimitedTable& table, const DelimitedDialect& dialect);
  [[nodiscard]] std::string Name(size_t column) const;
  [[nodiscard]] size_t count() const { return names_.size(); }  // of the header

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
};

// The cells of one delimited text, held as the text itself: leading records ("file"), then for each
// row a record "row" (`r:17`, counted from 1 with the header) and its records "cell"
// (`r:17/c:price`, their key the column's name), made on the way out.
class DelimitedSegment final : public Segment {
 public:
  static constexpr size_t kNoKeyColumn = SIZE_MAX;
  struct Options {
    DelimitedDialect dialect;
    size_t key_column = kNoKeyColumn;  // whose values name the rows: "id=42"
    uint64_t span_offset = 0;
    bool has_spans = true;
    bool is_valid_utf8 = true;
  };
  DelimitedSegment(std::string part, ContentHash digest, std::vector<Record> leading,
                   std::string text, DelimitedTable table, Options options);

  [[nodiscard]] const ContentHash& digest() const override { return digest_; }
  [[nodiscard]] const std::string& part() const override { return part_; }
  [[nodiscard]] size_t record_count() const override {
    return leading_.size() + table_.row_count() + table_.cells.size();
  }
  [[nodiscard]] Record At(size_t index) const override;
  void ForEach(const std::function<bool(const Record&)>& visit) const override;
  [[nodiscard]] std::string Encode() const override;
  [[nodiscard]] uint64_t memory_bytes() const override;

  // What Encode wrote, behind its tag. Errors: kDataLoss.
  [[nodiscard]] static Result<std::shared_ptr<const Segment>> Decode(std::string_view bytes);

 private:
  void FillRow(size_t row, Record& record) const;
  void FillCell(size_t row, size_t column, const std::string& row_locator, const std::string& name,
                Record& record) const;
  void SetCellText(std::string& out, DelimitedTable::Cell cell) const;

  std::string part_;
  ContentHash digest_;
  std::vector<Record> leading_;
  std::string text_;
  DelimitedTable table_;
  Options options_;
  ColumnNames names_;
};

}  // namespace staged
