#include "formats/xlsx/sheet_layout.h"

#include <algorithm>

#include "formats/xlsx/cell_values.h"

namespace staged::xlsx {
namespace {

constexpr size_t kRangesListedMax = 100;    // of one format
constexpr size_t kRowRunsMax = 100'000;     // of one sheet
constexpr size_t kColumnRunsMax = 100'000;  // more than there are columns

uint64_t Mix(uint64_t hash, uint64_t number) {
  constexpr uint64_t kPrime = 1099511628211U;  // FNV-1a's
  return (hash ^ number) * kPrime;
}

// The lines that are hidden, put together where they touch, in order.
std::vector<GridLines> HiddenOf(const std::vector<LineRun>& runs) {
  std::vector<GridLines> hidden;
  for (const LineRun& run : runs) {
    if (run.is_hidden) hidden.push_back(run.lines);
  }
  std::sort(hidden.begin(), hidden.end(),
            [](const GridLines& left, const GridLines& right) { return left.first < right.first; });
  std::vector<GridLines> joined;
  for (const GridLines& lines : hidden) {
    if (!joined.empty() && lines.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, lines.last);
    } else {
      joined.push_back(lines);
    }
  }
  return joined;
}

bool IsUsual(const LineRun& run) {
  return run.size.empty() && run.style == 0 && run.outline_level.empty() && !run.is_hidden &&
         !run.is_collapsed;
}

bool IsAlike(const LineRun& left, const LineRun& right) {
  return left.size == right.size && left.style == right.style &&
         left.outline_level == right.outline_level && left.is_hidden == right.is_hidden &&
         left.is_collapsed == right.is_collapsed;
}

}  // namespace

bool IsOn(std::string_view value) { return value == "1" || value == "true" || value == "on"; }

void SheetLayout::AddColumns(const std::vector<XmlAttribute>& attributes) {
  LineRun run;
  for (const XmlAttribute& attribute : attributes) {
    const std::string_view name = attribute.name;
    const uint32_t number = ParseUnsigned(attribute.value).value_or(0);
    if (name == "min") run.lines.first = number;
    if (name == "max") run.lines.last = std::min(number, kSheetColumnsMax);
    if (name == "width") run.size = attribute.value;
    if (name == "style") run.style = number;
    if (name == "outlineLevel" && number != 0) run.outline_level = attribute.value;
    if (name == "hidden") run.is_hidden = IsOn(attribute.value);
    if (name == "collapsed") run.is_collapsed = IsOn(attribute.value);
  }
  const bool is_sound = run.lines.first > 0 && run.lines.first <= run.lines.last;
  if (!is_sound || IsUsual(run) || columns_.size() >= kColumnRunsMax) return;
  if (run.style != 0) {
    column_styles_.resize(std::max<size_t>(column_styles_.size(), run.lines.last + 1), 0);
    std::fill(column_styles_.begin() + run.lines.first, column_styles_.begin() + run.lines.last + 1,
              run.style);
  }
  columns_.push_back(std::move(run));
}

void SheetLayout::StartRow(uint32_t row, const std::vector<XmlAttribute>& attributes) {
  EndRow();
  row_ = row;
  has_row_style_ = false;
  row_style_ = 0;
  LineRun run;
  run.lines = {row, row};
  bool has_height = false;
  std::string_view height;
  for (const XmlAttribute& attribute : attributes) {
    const std::string_view name = attribute.name;
    if (name == "r" || name == "spans") continue;
    if (name == "ht") height = attribute.value;
    if (name == "customHeight") has_height = IsOn(attribute.value);
    if (name == "s") row_style_ = ParseUnsigned(attribute.value).value_or(0);
    if (name == "customFormat") has_row_style_ = IsOn(attribute.value);
    if (name == "outlineLevel" && attribute.value != "0") run.outline_level = attribute.value;
    if (name == "hidden") run.is_hidden = IsOn(attribute.value);
    if (name == "collapsed") run.is_collapsed = IsOn(attribute.value);
  }
  if (has_height) run.size = height;
  if (has_row_style_) run.style = row_style_;
  is_usual_row_ = !has_row_style_;
  if (IsUsual(run) || row == 0 || row > kSheetRowsMax) return;
  if (!rows_.empty() && rows_.back().lines.last + 1 == row && IsAlike(rows_.back(), run)) {
    rows_.back().lines.last = row;
  } else if (rows_.size() < kRowRunsMax) {
    rows_.push_back(std::move(run));
  } else {
    ++rows_left_out_;
  }
}

void SheetLayout::AddStyledCell(uint32_t column, uint32_t style) {
  const uint32_t expected = has_row_style_                   ? row_style_
                            : column < column_styles_.size() ? column_styles_[column]
                                                             : 0;
  if (row_ == 0 || row_ > kSheetRowsMax || column > kSheetColumnsMax) return;
  style = styles_.LookClassOf(style);
  if (style == styles_.LookClassOf(expected)) return;
  if (!runs_.empty() && runs_.back().style == style && runs_.back().last_column + 1 == column) {
    runs_.back().last_column = column;
  } else {
    runs_.push_back({style, column, column, row_, row_});
  }
}

void SheetLayout::EndRow() {
  if (runs_.empty() && open_.empty()) return;
  size_t next = 0;  // of open_
  for (Run& run : runs_) {
    while (next < open_.size() && open_[next].first_column < run.first_column) Emit(open_[next++]);
    if (next == open_.size()) break;
    const Run& above = open_[next];
    const bool goes_on = above.style == run.style && above.first_column == run.first_column &&
                         above.last_column == run.last_column && above.last_row + 1 == row_;
    if (!goes_on) continue;
    run.first_row = above.first_row;
    ++next;
  }
  while (next < open_.size()) Emit(open_[next++]);
  open_.swap(runs_);
  runs_.clear();
}

void SheetLayout::Emit(const Run& run) {
  FormattedCells& cells = formats_[run.style];
  cells.style = run.style;
  ++cells.range_count;
  for (const uint32_t number : {run.first_row, run.first_column, run.last_row, run.last_column}) {
    cells.digest = Mix(cells.digest, number);
  }
  if (cells.ranges.size() < kRangesListedMax) {
    cells.ranges.push_back({{run.first_row, run.first_column}, {run.last_row, run.last_column}});
  }
}

void SheetLayout::Finish() {
  EndRow();
  EndRow();  // what the last row left open
}

std::vector<FormattedCells> SheetLayout::Formats() const {
  std::vector<FormattedCells> formats;
  for (const auto& [style, cells] : formats_) {
    formats.push_back(cells);
    std::sort(formats.back().ranges.begin(), formats.back().ranges.end(),
              [](const CellRange& left, const CellRange& right) {
                return std::pair(left.first, left.last) < std::pair(right.first, right.last);
              });
  }
  return formats;
}

std::vector<GridLines> SheetLayout::HiddenRows() const { return HiddenOf(rows_); }
std::vector<GridLines> SheetLayout::HiddenColumns() const { return HiddenOf(columns_); }

}  // namespace staged::xlsx
