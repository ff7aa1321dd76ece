#include "record/grid_segment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

namespace staged {
namespace {

bool HoldsString(CellType type) { return type == CellType::kString || type == CellType::kError; }

Value NumberValue(double number) {
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  if (std::abs(number) < kExactMax && number == std::trunc(number)) {
    return Value(static_cast<int64_t>(number));
  }
  return Value(number);
}

constexpr std::array kDetails = {CellDetail::kRuns, CellDetail::kPhonetic, CellDetail::kArray,
                                 CellDetail::kMetadata};

bool IsIn(const std::vector<GridLines>& lines, uint32_t line) {
  const auto behind =
      std::upper_bound(lines.begin(), lines.end(), line,
                       [](uint32_t value, const GridLines& run) { return value < run.first; });
  return behind != lines.begin() && line <= std::prev(behind)->last;
}

}  // namespace

std::string_view CellDetailName(CellDetail detail) {
  switch (detail) {
    case CellDetail::kRuns:
      return "runs";
    case CellDetail::kPhonetic:
      return "phonetic";
    case CellDetail::kArray:
      return "array";
    case CellDetail::kMetadata:
      return "metadata";
  }
  return "";
}

std::string_view CellTypeName(CellType type) {
  switch (type) {
    case CellType::kBlank:
      return "blank";
    case CellType::kNumber:
      return "number";
    case CellType::kString:
      return "string";
    case CellType::kBoolean:
      return "boolean";
    case CellType::kError:
      return "error";
    case CellType::kDate:
      return "date";
  }
  return "blank";
}

std::string_view GridSegment::PooledString(uint32_t id) const {
  const uint64_t begin = id == 0 ? 0 : pool_ends_[id - 1];
  return std::string_view(pool_).substr(begin, pool_ends_[id] - begin);
}

double GridSegment::number(size_t index) const {
  const CellType type = types_[index];
  if (HoldsString(type) || type == CellType::kBlank) return 0;
  return std::bit_cast<double>(payloads_[index]);
}

std::string_view GridSegment::string(size_t index) const {
  if (!HoldsString(types_[index])) return {};
  return PooledString(static_cast<uint32_t>(payloads_[index]));
}

std::string_view GridSegment::formula(size_t index) const {
  if (formulas_.empty() || formulas_[index] == kNoFormula) return {};
  return PooledString(formulas_[index]);
}

std::string_view GridSegment::detail(size_t index, CellDetail detail) const {
  if (details_.empty()) return {};
  const auto place = std::pair(address(index), detail);
  const auto found = std::lower_bound(details_.begin(), details_.end(), place,
                                      [](const Detail& left, const auto& right) {
                                        return std::pair(left.cell, left.kind) < right;
                                      });
  const bool has = found != details_.end() && std::pair(found->cell, found->kind) == place;
  return has ? PooledString(found->string_id) : std::string_view();
}

std::string_view GridSegment::hidden(size_t index) const {
  if (!sheet_.hidden.empty()) return sheet_.hidden;
  if (!sheet_.hidden_rows.empty() && IsIn(sheet_.hidden_rows, row(index))) return "hidden row";
  if (!sheet_.hidden_columns.empty() && IsIn(sheet_.hidden_columns, column(index))) {
    return "hidden column";
  }
  return {};
}

Value GridSegment::value(size_t index) const {
  switch (types_[index]) {
    case CellType::kBlank:
      return Value();
    case CellType::kNumber:
    case CellType::kDate:
      return NumberValue(number(index));
    case CellType::kBoolean:
      return Value(number(index) != 0);
    case CellType::kString:
    case CellType::kError:
      return Value(string(index));
  }
  return Value();
}

std::string GridSegment::text(size_t index) const {
  const NumberFormat& format = number_formats_[formats_[index]];
  switch (types_[index]) {
    case CellType::kBlank:
      return {};
    case CellType::kNumber:
    case CellType::kDate:
      return format.Format(number(index));
    case CellType::kBoolean:
      return number(index) != 0 ? "TRUE" : "FALSE";
    case CellType::kString:
      return format.FormatText(string(index));
    case CellType::kError:
      return std::string(string(index));
  }
  return {};
}

std::string GridSegment::locator(size_t index) const {
  std::string out = quoted_name_;
  out.push_back('!');
  AppendCellAddress(out, address(index));
  return out;
}

void GridSegment::FillRecord(size_t index, Record& record) const {
  record.locator.assign(quoted_name_).push_back('!');
  AppendCellAddress(record.locator, address(index));
  record.key.assign(record.locator, quoted_name_.size() + 1);
  record.text = text(index);
  Value::Object attrs;
  if (record.attrs.is_object()) attrs = std::move(record.attrs.as_object());  // for its room
  attrs.clear();
  attrs.reserve(5);
  attrs.emplace_back("type", CellTypeName(types_[index]));
  attrs.emplace_back("value", value(index));
  const std::string_view formula_text = formula(index);
  if (!formula_text.empty()) attrs.emplace_back("formula", formula_text);
  attrs.emplace_back("number_format", number_format(index));
  const std::string_view look = style(index);
  if (!look.empty()) attrs.emplace_back("style", look);
  if (!details_.empty()) {
    for (const CellDetail kind : kDetails) {
      const std::string_view words = detail(index, kind);
      if (!words.empty()) attrs.emplace_back(CellDetailName(kind), words);
    }
  }
  record.hidden = hidden(index);
  record.attrs = Value(std::move(attrs));
}

Record GridSegment::At(size_t index) const {
  Record record;
  record.kind = "cell";
  record.parent = sheet_.parent;
  FillRecord(index, record);
  return record;
}

void GridSegment::ForEach(const std::function<bool(const Record&)>& visit) const {
  Record record;
  record.kind = "cell";
  record.parent = sheet_.parent;
  for (size_t i = 0; i < rows_.size(); ++i) {
    FillRecord(i, record);
    if (!visit(record)) return;
  }
}

size_t GridSegment::LowerBound(uint32_t row) const {
  return static_cast<size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
}

size_t GridSegment::CountCommonAddresses(const GridSegment& other) const {
  const size_t most = std::min(rows_.size(), other.rows_.size());
  size_t count = 0;
  while (count < most && rows_[count] == other.rows_[count] &&
         columns_[count] == other.columns_[count]) {
    ++count;
  }
  // The row in which they part is not common.
  uint32_t row = UINT32_MAX;
  if (count < rows_.size()) row = std::min(row, rows_[count]);
  if (count < other.rows_.size()) row = std::min(row, other.rows_[count]);
  while (count > 0 && rows_[count - 1] >= row) --count;
  return count;
}

std::optional<std::vector<size_t>> GridSegment::FindDifferingCells(const GridSegment& other,
                                                                   size_t count,
                                                                   size_t most) const {
  const bool same_sheet =
      sheet_.name == other.sheet_.name && sheet_.part == other.sheet_.part &&
      sheet_.parent == other.sheet_.parent && sheet_.hidden == other.sheet_.hidden &&
      sheet_.hidden_rows == other.sheet_.hidden_rows &&
      sheet_.hidden_columns == other.sheet_.hidden_columns && sheet_.epoch == other.sheet_.epoch;
  if (!same_sheet) return std::nullopt;
  const auto same_details = [&](size_t i) {
    return std::all_of(kDetails.begin(), kDetails.end(),
                       [&](CellDetail kind) { return detail(i, kind) == other.detail(i, kind); });
  };
  const bool has_details = !details_.empty() || !other.details_.empty();
  std::vector<size_t> differing;
  for (size_t i = 0; i < count; ++i) {
    // A string's payload is its number in the pool: what counts is the text.
    const bool pooled = types_[i] == CellType::kString || types_[i] == CellType::kError;
    const bool same =
        types_[i] == other.types_[i] &&
        (pooled ? string(i) == other.string(i) : payloads_[i] == other.payloads_[i]) &&
        formula(i) == other.formula(i) && number_format(i) == other.number_format(i) &&
        style(i) == other.style(i) && (!has_details || same_details(i));
    if (same) continue;
    if (differing.size() == most) return std::nullopt;
    differing.push_back(i);
  }
  return differing;
}

std::optional<size_t> GridSegment::FindCell(CellAddress address) const {
  const size_t begin = LowerBound(address.row);
  const size_t end = LowerBound(address.row + 1);
  const auto first = columns_.begin() + static_cast<ptrdiff_t>(begin);
  const auto last = columns_.begin() + static_cast<ptrdiff_t>(end);
  const auto found = std::lower_bound(first, last, address.column);
  if (found == last || *found != address.column) return std::nullopt;
  return static_cast<size_t>(found - columns_.begin());
}

void GridSegment::MakeFormats() {
  quoted_name_ = QuoteSheetName(sheet_.name);
  number_formats_.clear();
  for (const std::string& code : format_codes_) number_formats_.emplace_back(code, sheet_.epoch);
}

uint64_t GridSegment::CellTextBytes(size_t index) const {
  return string(index).size() + formula(index).size() + number_format(index).size() +
         style(index).size() + sheet_.name.size();
}

void GridSegment::CountText() {
  text_bytes_ = 0;
  for (size_t i = 0; i < rows_.size(); ++i) text_bytes_ += CellTextBytes(i);
  for (const Detail& detail : details_) text_bytes_ += PooledString(detail.string_id).size();
}

uint64_t GridSegment::memory_bytes() const {
  return sizeof(*this) + rows_.capacity() * 4 + columns_.capacity() * 2 + types_.capacity() +
         payloads_.capacity() * 8 + formulas_.capacity() * 4 + formats_.capacity() * 2 +
         pool_.capacity() + pool_ends_.capacity() * 8 + format_codes_.size() * 512 +
         details_.capacity() * sizeof(Detail) +
         (sheet_.hidden_rows.size() + sheet_.hidden_columns.size()) * sizeof(GridLines);
}

GridSegment::Builder::Builder(GridSheet sheet, const ContentHash& digest)
    : segment_(new GridSegment()) {
  segment_->sheet_ = std::move(sheet);
  segment_->digest_ = digest;
  [[maybe_unused]] const uint16_t general = AddFormat("General");
}

void GridSegment::Builder::Reserve(size_t cells) {
  segment_->rows_.reserve(cells);
  segment_->columns_.reserve(cells);
  segment_->types_.reserve(cells);
  segment_->payloads_.reserve(cells);
  segment_->formats_.reserve(cells);
}

uint32_t GridSegment::Builder::AddString(std::string_view text) {
  segment_->pool_.append(text);
  segment_->pool_ends_.push_back(segment_->pool_.size());
  return static_cast<uint32_t>(segment_->pool_ends_.size() - 1);
}

uint16_t GridSegment::Builder::AddFormat(std::string_view code, std::string_view style) {
  std::string key(code);
  key.push_back('\0');
  key += style;
  const auto found = format_ids_.find(key);
  if (found != format_ids_.end()) return found->second;
  std::vector<std::string>& codes = segment_->format_codes_;
  constexpr size_t kFormatsMax = 65536;
  if (codes.size() >= kFormatsMax) return 0;
  const auto id = static_cast<uint16_t>(codes.size());
  codes.emplace_back(code);
  segment_->styles_.emplace_back(style);
  segment_->number_formats_.emplace_back(code, segment_->sheet_.epoch);
  format_ids_.emplace(std::move(key), id);
  return id;
}

bool GridSegment::Builder::IsDateFormat(uint16_t format) const {
  return segment_->number_formats_[format].is_date();
}

void GridSegment::Builder::Add(CellAddress cell, CellType type, uint64_t payload, uint16_t format) {
  GridSegment& segment = *segment_;
  // The cell before has its formula by now.
  if (!segment.rows_.empty()) {
    segment.text_bytes_ += segment.CellTextBytes(segment.rows_.size() - 1);
  }
  if (is_sorted_ && !segment.rows_.empty()) {
    const CellAddress last{segment.rows_.back(), segment.columns_.back()};
    is_sorted_ = last < cell;
  }
  segment.rows_.push_back(cell.row);
  segment.columns_.push_back(static_cast<uint16_t>(cell.column));
  segment.types_.push_back(type);
  segment.payloads_.push_back(payload);
  segment.formats_.push_back(format);
  if (!segment.formulas_.empty()) segment.formulas_.push_back(kNoFormula);
}

void GridSegment::Builder::AddNumber(CellAddress cell, double number, uint16_t format) {
  Add(cell, IsDateFormat(format) ? CellType::kDate : CellType::kNumber,
      std::bit_cast<uint64_t>(number), format);
}
void GridSegment::Builder::AddBoolean(CellAddress cell, bool flag, uint16_t format) {
  Add(cell, CellType::kBoolean, std::bit_cast<uint64_t>(flag ? 1.0 : 0.0), format);
}
void GridSegment::Builder::AddString(CellAddress cell, uint32_t string_id, uint16_t format) {
  Add(cell, CellType::kString, string_id, format);
}
void GridSegment::Builder::AddError(CellAddress cell, uint32_t string_id, uint16_t format) {
  Add(cell, CellType::kError, string_id, format);
}
void GridSegment::Builder::AddBlank(CellAddress cell, uint16_t format) {
  Add(cell, CellType::kBlank, 0, format);
}

void GridSegment::Builder::SetFormula(uint32_t string_id) {
  GridSegment& segment = *segment_;
  if (segment.formulas_.empty()) {
    segment.formulas_.reserve(segment.rows_.capacity());
    segment.formulas_.resize(segment.rows_.size(), kNoFormula);
  }
  segment.formulas_.back() = string_id;
}

void GridSegment::Builder::AddDetail(CellAddress cell, CellDetail detail, uint32_t string_id) {
  segment_->details_.push_back({cell, detail, string_id});
  segment_->text_bytes_ += segment_->PooledString(string_id).size();
}

void GridSegment::Builder::AddArray(const CellRange& range, uint32_t formula_id) {
  arrays_.emplace_back(range, formula_id);
}

void GridSegment::Builder::HideRows(GridLines rows) {
  segment_->sheet_.hidden_rows.push_back(rows);
}

void GridSegment::Builder::HideColumns(GridLines columns) {
  segment_->sheet_.hidden_columns.push_back(columns);
}

// Arrays may not overlap, yet a file can say so: each cell in a range costs, up to a bound.
void GridSegment::Builder::FillArrays() {
  GridSegment& segment = *segment_;
  if (arrays_.empty()) return;
  if (segment.formulas_.empty()) segment.formulas_.resize(segment.rows_.size(), kNoFormula);
  size_t work_left = 4 * segment.rows_.size() + 1024;
  for (const auto& [range, formula_id] : arrays_) {
    const uint32_t range_id = AddString(FormatCellRange(range));
    for (size_t at = segment.LowerBound(range.first.row); at < segment.rows_.size(); ++at) {
      if (segment.rows_[at] > range.last.row) break;
      if (work_left-- == 0) {
        are_arrays_filled_ = false;
        return;
      }
      if (!range.Contains(segment.address(at))) continue;
      if (segment.formulas_[at] == kNoFormula) segment.formulas_[at] = formula_id;
      AddDetail(segment.address(at), CellDetail::kArray, range_id);
    }
  }
}

void GridSegment::Builder::SortDetails() {
  std::vector<Detail>& details = segment_->details_;
  const auto place = [](const Detail& detail) { return std::pair(detail.cell, detail.kind); };
  std::stable_sort(details.begin(), details.end(), [&](const Detail& left, const Detail& right) {
    return place(left) < place(right);
  });
  std::vector<Detail> kept;
  for (const Detail& detail : details) {
    if (!kept.empty() && place(kept.back()) == place(detail)) kept.pop_back();
    kept.push_back(detail);
  }
  details = std::move(kept);
}

void GridSegment::Builder::SortCells() {
  GridSegment& segment = *segment_;
  std::vector<uint32_t> order(segment.rows_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto address = [&](uint32_t index) {
    return CellAddress{segment.rows_[index], segment.columns_[index]};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t left, uint32_t right) { return address(left) < address(right); });
  std::vector<uint32_t> kept;
  kept.reserve(order.size());
  for (const uint32_t index : order) {
    if (!kept.empty() && address(kept.back()) == address(index)) kept.pop_back();
    kept.push_back(index);
  }
  const auto permute = [&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> sorted;
    sorted.reserve(kept.size());
    for (const uint32_t index : kept) sorted.push_back(column[index]);
    column = std::move(sorted);
  };
  permute(segment.types_);
  permute(segment.payloads_);
  permute(segment.formulas_);
  permute(segment.formats_);
  std::vector<uint32_t> rows;
  std::vector<uint16_t> columns;
  for (const uint32_t index : kept) {
    rows.push_back(segment.rows_[index]);
    columns.push_back(segment.columns_[index]);
  }
  segment.rows_ = std::move(rows);
  segment.columns_ = std::move(columns);
}

std::shared_ptr<const GridSegment> GridSegment::Builder::Finish() {
  if (!is_sorted_) SortCells();
  FillArrays();
  SortDetails();
  segment_->MakeFormats();
  segment_->CountText();
  return std::move(segment_);
}

}  // namespace staged
