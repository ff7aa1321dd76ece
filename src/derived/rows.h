#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/view.h"

// The index's unit is what a reader would call a line: a sheet's row (its cells joined by tabs), a
// paragraph, a text line, a heading. A row is a run of neighbouring records of one segment.
namespace staged {

// Rows of one kind and one length at equal distances.
struct RowRun {
  uint32_t kind = 0;          // position in RowMap::kinds
  uint32_t first_record = 0;  // of the first row
  uint32_t row_records = 1;   // records of each row
  uint32_t stride = 1;        // records from one row's first to the next one's
  uint32_t row_count = 0;
  uint64_t first_row = 0;  // rows before this run
};

// Which records the n-th row of a segment is made of, for titles and for bodies.
struct RowMap {
  std::vector<std::string> kinds;
  std::vector<RowRun> titles;
  std::vector<RowRun> bodies;

  [[nodiscard]] std::string Encode() const;
  // Errors: kDataLoss.
  [[nodiscard]] static Result<RowMap> Decode(std::string_view bytes);
};

struct RowPlace {
  uint32_t kind = 0;
  uint32_t first_record = 0;
  uint32_t record_count = 0;
};
// Where row number `row` (from 0) is. A row that is not there has no records.
[[nodiscard]] RowPlace FindRow(const std::vector<RowRun>& runs, uint64_t row);

// Texts in order, in one string.
struct RowTexts {
  std::string text;
  std::vector<uint64_t> ends;  // of each row in `text`

  [[nodiscard]] size_t count() const { return ends.size(); }
  [[nodiscard]] std::string_view At(size_t row) const {
    const uint64_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(text).substr(begin, ends[row] - begin);
  }
};

struct SegmentRows {
  RowMap map;
  RowTexts titles;
  RowTexts bodies;
};
[[nodiscard]] SegmentRows BuildRows(const Segment& segment);

// Whether records of this kind name what comes below or elsewhere: they are found first.
[[nodiscard]] bool IsTitleKind(std::string_view kind);
// Appends what the index holds of a record: its text, behind its key where a reader sees both in
// one line ("name: value"). Returns where the text begins in `out`.
size_t AppendRowText(const Record& record, std::string& out);
// Whether two neighbouring records stand in one line of a table.
[[nodiscard]] bool IsSameTableRow(const Record& left, const Record& right);

}  // namespace staged
