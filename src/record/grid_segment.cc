#include "record/grid_segment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/binary.h"
#include "record/record_codec.h"

namespace staged {
namespace {

bool HoldsString(CellType type) { return type == CellType::kString || type == CellType::kError; }

bool IsKnownType(CellType type) { return type >= CellType::kBlank && type <= CellType::kDate; }

Value NumberValue(double number) {
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  if (std::abs(number) < kExactMax && number == std::trunc(number)) {
    return Value(static_cast<int64_t>(number));
  }
  return Value(number);
}

}  // namespace

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
  attrs.reserve(4);
  attrs.emplace_back("type", CellTypeName(types_[index]));
  attrs.emplace_back("value", value(index));
  const std::string_view formula_text = formula(index);
  if (!formula_text.empty()) attrs.emplace_back("formula", formula_text);
  attrs.emplace_back("number_format", number_format(index));
  record.attrs = Value(std::move(attrs));
}

Record GridSegment::At(size_t index) const {
  Record record;
  record.kind = "cell";
  record.parent = sheet_.parent;
  record.hidden = sheet_.hidden;
  FillRecord(index, record);
  return record;
}

void GridSegment::ForEach(const std::function<bool(const Record&)>& visit) const {
  Record record;
  record.kind = "cell";
  record.parent = sheet_.parent;
  record.hidden = sheet_.hidden;
  for (size_t i = 0; i < rows_.size(); ++i) {
    FillRecord(i, record);
    if (!visit(record)) return;
  }
}

size_t GridSegment::LowerBound(uint32_t row) const {
  return static_cast<size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
}

std::optional<std::vector<size_t>> GridSegment::FindDifferingCells(const GridSegment& other,
                                                                   size_t most) const {
  const bool same_sheet = sheet_.name == other.sheet_.name && sheet_.part == other.sheet_.part &&
                          sheet_.parent == other.sheet_.parent &&
                          sheet_.hidden == other.sheet_.hidden &&
                          sheet_.epoch == other.sheet_.epoch;
  if (!same_sheet || rows_ != other.rows_ || columns_ != other.columns_) return std::nullopt;
  std::vector<size_t> differing;
  for (size_t i = 0; i < rows_.size(); ++i) {
    // A string's payload is its number in the pool: what counts is the text.
    const bool pooled = types_[i] == CellType::kString || types_[i] == CellType::kError;
    const bool same =
        types_[i] == other.types_[i] &&
        (pooled ? string(i) == other.string(i) : payloads_[i] == other.payloads_[i]) &&
        formula(i) == other.formula(i) && number_format(i) == other.number_format(i);
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
         sheet_.name.size();
}

void GridSegment::CountText() {
  text_bytes_ = 0;
  for (size_t i = 0; i < rows_.size(); ++i) text_bytes_ += CellTextBytes(i);
}

uint64_t GridSegment::memory_bytes() const {
  return sizeof(*this) + rows_.capacity() * 4 + columns_.capacity() * 2 + types_.capacity() +
         payloads_.capacity() * 8 + formulas_.capacity() * 4 + formats_.capacity() * 2 +
         pool_.capacity() + pool_ends_.capacity() * 8 + format_codes_.size() * 512;
}

// grid = tag part digest name parent hidden epoch part-digest part-size formats pool cells
// cells = count { row-delta column type format payload [formula] }, formula 0 for none.
std::string GridSegment::Encode() const {
  BinaryWriter writer;
  writer.PutByte(kGridSegmentTag);
  writer.PutString(sheet_.part);
  writer.PutHash(digest_);
  writer.PutString(sheet_.name);
  writer.PutString(sheet_.parent);
  writer.PutString(sheet_.hidden);
  writer.PutByte(static_cast<uint8_t>(sheet_.epoch));
  writer.PutHash(sheet_.part_digest);
  writer.PutUnsigned(sheet_.part_size_bytes);
  writer.PutUnsigned(format_codes_.size());
  for (const std::string& code : format_codes_) writer.PutString(code);
  writer.PutUnsigned(pool_ends_.size());
  for (uint32_t id = 0; id < pool_ends_.size(); ++id) writer.PutUnsigned(PooledString(id).size());
  writer.PutString(pool_);
  writer.PutBool(!formulas_.empty());
  writer.PutUnsigned(rows_.size());
  uint32_t previous_row = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    writer.PutUnsigned(rows_[i] - previous_row);
    previous_row = rows_[i];
    writer.PutUnsigned(columns_[i]);
    writer.PutByte(static_cast<uint8_t>(types_[i]));
    writer.PutUnsigned(formats_[i]);
    if (HoldsString(types_[i])) {
      writer.PutUnsigned(payloads_[i]);
    } else {
      writer.PutFixed64(payloads_[i]);
    }
    if (!formulas_.empty()) writer.PutUnsigned(formulas_[i] == kNoFormula ? 0 : formulas_[i] + 1);
  }
  return writer.Take();
}

Result<std::shared_ptr<const Segment>> GridSegment::Decode(std::string_view bytes) {
  const auto damaged = [] {
    return Status(ErrorCode::kDataLoss, "a cached sheet is damaged; delete .staged/derived");
  };
  BinaryReader reader(bytes);
  std::shared_ptr<GridSegment> segment(new GridSegment());
  segment->sheet_.part = reader.GetString();
  segment->digest_ = reader.GetHash();
  segment->sheet_.name = reader.GetString();
  segment->sheet_.parent = reader.GetString();
  segment->sheet_.hidden = reader.GetString();
  segment->sheet_.epoch = static_cast<DateEpoch>(reader.GetByte());
  segment->sheet_.part_digest = reader.GetHash();
  segment->sheet_.part_size_bytes = reader.GetUnsigned();
  segment->format_codes_.resize(reader.GetCount(1));
  for (std::string& code : segment->format_codes_) code = reader.GetString();
  segment->pool_ends_.resize(reader.GetCount(1));
  uint64_t pool_end = 0;
  for (uint64_t& end : segment->pool_ends_) {
    const uint64_t size = reader.GetUnsigned();
    if (size > bytes.size()) return damaged();
    end = pool_end += size;
  }
  segment->pool_ = reader.GetString();
  if (segment->pool_.size() != pool_end) return damaged();
  const bool has_formulas = reader.GetBool();
  constexpr uint64_t kCellBytesMin = 5;
  const size_t count = reader.GetCount(kCellBytesMin);
  segment->rows_.resize(count);
  segment->columns_.resize(count);
  segment->types_.resize(count);
  segment->payloads_.resize(count);
  segment->formats_.resize(count);
  segment->formulas_.resize(has_formulas ? count : 0);
  const uint64_t strings = segment->pool_ends_.size();
  uint64_t row = 0;
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    row += reader.GetUnsigned();
    const uint64_t column = reader.GetUnsigned();
    const auto type = static_cast<CellType>(reader.GetByte());
    const uint64_t format = reader.GetUnsigned();
    if (row == 0 || row > kSheetRowsMax || column == 0 || column > kSheetColumnsMax ||
        !IsKnownType(type) || format >= segment->format_codes_.size()) {
      return damaged();
    }
    segment->rows_[i] = static_cast<uint32_t>(row);
    segment->columns_[i] = static_cast<uint16_t>(column);
    segment->types_[i] = type;
    segment->formats_[i] = static_cast<uint16_t>(format);
    const uint64_t payload = HoldsString(type) ? reader.GetUnsigned() : reader.GetFixed64();
    if (HoldsString(type) && payload >= strings) return damaged();
    segment->payloads_[i] = payload;
    if (has_formulas) {
      const uint64_t formula = reader.GetUnsigned();
      if (formula > strings) return damaged();
      segment->formulas_[i] = formula == 0 ? kNoFormula : static_cast<uint32_t>(formula - 1);
    }
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached sheet"));
  segment->MakeFormats();
  segment->CountText();
  return std::shared_ptr<const Segment>(std::move(segment));
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

uint16_t GridSegment::Builder::AddFormat(std::string_view code) {
  const auto found = format_ids_.find(code);
  if (found != format_ids_.end()) return found->second;
  std::vector<std::string>& codes = segment_->format_codes_;
  constexpr size_t kFormatsMax = 65536;
  if (codes.size() >= kFormatsMax) return 0;
  const auto id = static_cast<uint16_t>(codes.size());
  codes.emplace_back(code);
  segment_->number_formats_.emplace_back(code, segment_->sheet_.epoch);
  format_ids_.emplace(code, id);
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
  segment_->MakeFormats();
  segment_->CountText();
  return std::move(segment_);
}

}  // namespace staged
