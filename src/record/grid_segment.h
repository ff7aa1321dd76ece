#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/cell_address.h"
#include "record/number_format.h"
#include "staged/view.h"

namespace staged {

class BinaryReader;  // base/binary.h

// Persisted in encoded segments: never renumber.
enum class CellType : uint8_t {
  kBlank = 1,  // a formula without a cached value
  kNumber = 2,
  kString = 3,
  kBoolean = 4,
  kError = 5,
  kDate = 6,  // a number that its format shows as date or time; the value is the serial
};
[[nodiscard]] std::string_view CellTypeName(CellType type);  // "number"

// Of one cell's text, the search index takes the beginning: four times what spreadsheet programs
// let a person type (32,767 characters). A workbook with longer ones says so in a diagnostic.
inline constexpr uint64_t kIndexedCellBytesMax = uint64_t{128} << 10;

// Rows or columns that are not shown, first and last, counted from 1.
struct GridLines {
  uint32_t first = 0;
  uint32_t last = 0;
  friend bool operator==(const GridLines&, const GridLines&) = default;
};

// What only few cells have besides their value. Persisted in encoded segments: never renumber. The
// name of the attribute that shows it: CellDetailName.
enum class CellDetail : uint8_t {
  kRuns = 1,      // formats of parts of the text: "0-4 bold"
  kPhonetic = 2,  // how the text is pronounced, where the file says so
  kArray = 3,     // the cells that one array formula fills: "B2:B9"
  kMetadata = 4,  // numbers of the cell's metadata records, as written: "cm=1"
};
[[nodiscard]] std::string_view CellDetailName(CellDetail detail);  // "runs"

// What is common to all cells of one sheet.
struct GridSheet {
  std::string name;    // unquoted
  std::string part;    // "xl/worksheets/sheet1.xml"
  std::string parent;  // locator of the sheet's record
  std::string hidden;  // why its cells are not seen ("hidden sheet"), or ""
  // In order, without overlaps.
  std::vector<GridLines> hidden_rows;
  std::vector<GridLines> hidden_columns;
  DateEpoch epoch = DateEpoch::k1900;
  ContentHash part_digest;       // of the part's uncompressed bytes, so that reuse need not read it
  uint64_t part_size_bytes = 0;  // uncompressed
};

// The non-empty cells of one sheet in columns of plain arrays, in order of row and column, about 21
// bytes a cell; records are made on the way out. Immutable and thread-safe, like every segment.
// A cell's record: kind "cell", locator "'Q3 Sales'!B7", key "B7", attrs type, value, formula,
// number_format, style, and its details.
class GridSegment final : public Segment {
 public:
  class Builder;

  [[nodiscard]] const ContentHash& digest() const override { return digest_; }
  [[nodiscard]] const std::string& part() const override { return sheet_.part; }
  [[nodiscard]] size_t record_count() const override { return rows_.size(); }
  [[nodiscard]] Record At(size_t index) const override;
  void ForEach(const std::function<bool(const Record&)>& visit) const override;
  [[nodiscard]] std::string Encode() const override;
  [[nodiscard]] uint64_t memory_bytes() const override;
  // What the texts of all records come to: strings, formulas, number formats and sheet names, each
  // as often as a cell has it. May be far more than memory_bytes().
  [[nodiscard]] uint64_t text_bytes() const { return text_bytes_; }

  // Typed reads that make no record. REQUIRES everywhere: index < cell_count().
  [[nodiscard]] const GridSheet& sheet() const { return sheet_; }
  [[nodiscard]] size_t cell_count() const { return rows_.size(); }
  [[nodiscard]] uint32_t row(size_t index) const { return rows_[index]; }        // from 1
  [[nodiscard]] uint32_t column(size_t index) const { return columns_[index]; }  // from 1
  [[nodiscard]] CellAddress address(size_t index) const { return {row(index), column(index)}; }
  [[nodiscard]] CellType type(size_t index) const { return types_[index]; }
  // The number, serial, or 0 and 1 of a boolean; 0 for the other types.
  [[nodiscard]] double number(size_t index) const;
  // The text of a string or the name of an error; "" for the other types.
  [[nodiscard]] std::string_view string(size_t index) const;
  [[nodiscard]] std::string_view formula(size_t index) const;  // without "="; "" when none
  [[nodiscard]] std::string_view number_format(size_t index) const {
    return format_codes_[formats_[index]];
  }
  // What it looks like beyond its number format: "bold, fill #FFFF00"; "" for the usual look.
  [[nodiscard]] std::string_view style(size_t index) const { return styles_[formats_[index]]; }
  // "" where the cell has none.
  [[nodiscard]] std::string_view detail(size_t index, CellDetail detail) const;
  // Why the cell is not seen: its sheet, its row or its column is hidden; "" where it is.
  [[nodiscard]] std::string_view hidden(size_t index) const;
  [[nodiscard]] Value value(size_t index) const;
  [[nodiscard]] std::string text(size_t index) const;     // as displayed
  [[nodiscard]] std::string locator(size_t index) const;  // "'Q3 Sales'!B7"
  // Index of the cell at that address, if it is not empty.
  [[nodiscard]] std::optional<size_t> FindCell(CellAddress address) const;
  // Index of the first cell of that row or of one below; cell_count() when there is none.
  [[nodiscard]] size_t LowerBound(uint32_t row) const;

  // How many of the first cells stand at the same addresses in both, in whole rows.
  [[nodiscard]] size_t CountCommonAddresses(const GridSegment& other) const;
  // Indices of those of the first `count` cells whose records differ, when both hold the same sheet
  // and no more than `most` differ; else nullopt. REQUIRES: count <= CountCommonAddresses(other).
  [[nodiscard]] std::optional<std::vector<size_t>> FindDifferingCells(const GridSegment& other,
                                                                      size_t count,
                                                                      size_t most) const;

  // Behind the tag that DecodeSegment reads. Errors: kDataLoss.
  [[nodiscard]] static Result<std::shared_ptr<const Segment>> Decode(std::string_view bytes);

 private:
  static constexpr uint32_t kNoFormula = UINT32_MAX;
  struct Detail {
    CellAddress cell;
    CellDetail kind = CellDetail::kRuns;
    uint32_t string_id = 0;
  };

  GridSegment() = default;
  [[nodiscard]] Status DecodePool(BinaryReader& reader, size_t bytes_max);
  [[nodiscard]] Status DecodeCells(BinaryReader& reader);
  [[nodiscard]] Status DecodeDetails(BinaryReader& reader);
  [[nodiscard]] std::string_view PooledString(uint32_t id) const;
  void FillRecord(size_t index, Record& record) const;
  void MakeFormats();
  // Of one cell, as in text_bytes().
  [[nodiscard]] uint64_t CellTextBytes(size_t index) const;
  void CountText();

  GridSheet sheet_;
  ContentHash digest_;
  std::string quoted_name_;
  std::vector<uint32_t> rows_;
  std::vector<uint16_t> columns_;
  std::vector<CellType> types_;
  std::vector<uint64_t> payloads_;  // bits of a double, or a string id
  std::vector<uint32_t> formulas_;  // string id or kNoFormula; empty when no cell has a formula
  std::vector<uint16_t> formats_;
  std::vector<std::string> format_codes_;
  std::vector<std::string> styles_;           // beside format_codes_
  std::vector<NumberFormat> number_formats_;  // of format_codes_
  std::vector<Detail> details_;               // by cell and kind
  std::string pool_;                          // all strings, one behind the other
  std::vector<uint64_t> pool_ends_;
  uint64_t text_bytes_ = 0;
};

// Collects cells in any order. Not thread-safe.
class GridSegment::Builder {
 public:
  Builder(GridSheet sheet, const ContentHash& digest);

  void Reserve(size_t cells);
  // Adds a string to the pool; its id.
  [[nodiscard]] uint32_t AddString(std::string_view text);
  // Adds a number format code and a style; the same ones always have the same id. At most 65,536
  // different ones; later ones share the first's id.
  [[nodiscard]] uint16_t AddFormat(std::string_view code, std::string_view style = {});
  [[nodiscard]] bool IsDateFormat(uint16_t format) const;
  // A number in a date format is a date.
  void AddNumber(CellAddress cell, double number, uint16_t format);
  void AddBoolean(CellAddress cell, bool flag, uint16_t format);
  void AddString(CellAddress cell, uint32_t string_id, uint16_t format);
  void AddError(CellAddress cell, uint32_t string_id, uint16_t format);
  void AddBlank(CellAddress cell, uint16_t format);
  // Gives the cell added last its formula.
  void SetFormula(uint32_t string_id);
  // Of a cell that was or will be added; of two of a kind the last counts.
  void AddDetail(CellAddress cell, CellDetail detail, uint32_t string_id);
  // Cells of the range that have no formula of their own get this one when all is read, and all get
  // the detail kArray.
  void AddArray(const CellRange& range, uint32_t formula_id);
  // After Finish: false when ranges overlap so much that the later ones were left as they are.
  [[nodiscard]] bool are_arrays_filled() const { return are_arrays_filled_; }
  void HideRows(GridLines rows);        // in order
  void HideColumns(GridLines columns);  // in order
  [[nodiscard]] size_t cell_count() const { return segment_->rows_.size(); }
  // As GridSegment::text_bytes, of the cells added so far but the last.
  [[nodiscard]] uint64_t text_bytes() const { return segment_->text_bytes_; }
  // Where it was not known at the beginning.
  void SetPartDigest(const ContentHash& digest) { segment_->sheet_.part_digest = digest; }
  // Sorts where needed; of two cells with one address the last added counts.
  [[nodiscard]] std::shared_ptr<const GridSegment> Finish();

 private:
  void Add(CellAddress cell, CellType type, uint64_t payload, uint16_t format);
  void SortCells();
  void SortDetails();
  void FillArrays();

  std::shared_ptr<GridSegment> segment_;
  std::map<std::string, uint16_t> format_ids_;  // by code and style
  std::vector<std::pair<CellRange, uint32_t>> arrays_;
  bool is_sorted_ = true;
  bool are_arrays_filled_ = true;
};

}  // namespace staged
