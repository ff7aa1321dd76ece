#include "base/binary.h"
#include "record/grid_segment.h"
#include "record/record_codec.h"

namespace staged {
namespace {

bool HoldsString(CellType type) { return type == CellType::kString || type == CellType::kError; }

bool IsKnownType(CellType type) { return type >= CellType::kBlank && type <= CellType::kDate; }

void PutLines(BinaryWriter& writer, const std::vector<GridLines>& lines) {
  writer.PutUnsigned(lines.size());
  for (const GridLines& run : lines) {
    writer.PutUnsigned(run.first);
    writer.PutUnsigned(run.last);
  }
}

std::vector<GridLines> GetLines(BinaryReader& reader) {
  std::vector<GridLines> lines(reader.GetCount(2));
  for (GridLines& run : lines) {
    run.first = static_cast<uint32_t>(reader.GetUnsigned());
    run.last = static_cast<uint32_t>(reader.GetUnsigned());
  }
  return lines;
}

Status DamagedSheet() {
  return {ErrorCode::kDataLoss, "a cached sheet is damaged; delete .staged/derived"};
}

}  // namespace

// grid = tag part digest name parent hidden epoch part-digest part-size hidden-rows hidden-columns
//        formats pool cells details
// lines = count { first last }; formats = count { code style }
// cells = count { row-delta column type format payload [formula] }, formula 0 for none.
// details = count { row column kind string }
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
  PutLines(writer, sheet_.hidden_rows);
  PutLines(writer, sheet_.hidden_columns);
  writer.PutUnsigned(format_codes_.size());
  for (size_t i = 0; i < format_codes_.size(); ++i) {
    writer.PutString(format_codes_[i]);
    writer.PutString(styles_[i]);
  }
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
  writer.PutUnsigned(details_.size());
  for (const Detail& detail : details_) {
    writer.PutUnsigned(detail.cell.row);
    writer.PutUnsigned(detail.cell.column);
    writer.PutByte(static_cast<uint8_t>(detail.kind));
    writer.PutUnsigned(detail.string_id);
  }
  return writer.Take();
}

Status GridSegment::DecodePool(BinaryReader& reader, size_t bytes_max) {
  pool_ends_.resize(reader.GetCount(1));
  uint64_t pool_end = 0;
  for (uint64_t& end : pool_ends_) {
    const uint64_t size = reader.GetUnsigned();
    if (size > bytes_max) return DamagedSheet();
    end = pool_end += size;
  }
  pool_ = reader.GetString();
  return pool_.size() == pool_end ? OkStatus() : DamagedSheet();
}

Status GridSegment::DecodeCells(BinaryReader& reader) {
  const bool has_formulas = reader.GetBool();
  constexpr uint64_t kCellBytesMin = 5;
  const size_t count = reader.GetCount(kCellBytesMin);
  rows_.resize(count);
  columns_.resize(count);
  types_.resize(count);
  payloads_.resize(count);
  formats_.resize(count);
  formulas_.resize(has_formulas ? count : 0);
  const uint64_t strings = pool_ends_.size();
  uint64_t row = 0;
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    row += reader.GetUnsigned();
    const uint64_t column = reader.GetUnsigned();
    const auto type = static_cast<CellType>(reader.GetByte());
    const uint64_t format = reader.GetUnsigned();
    if (row == 0 || row > kSheetRowsMax || column == 0 || column > kSheetColumnsMax ||
        !IsKnownType(type) || format >= format_codes_.size()) {
      return DamagedSheet();
    }
    rows_[i] = static_cast<uint32_t>(row);
    columns_[i] = static_cast<uint16_t>(column);
    types_[i] = type;
    formats_[i] = static_cast<uint16_t>(format);
    const uint64_t payload = HoldsString(type) ? reader.GetUnsigned() : reader.GetFixed64();
    if (HoldsString(type) && payload >= strings) return DamagedSheet();
    payloads_[i] = payload;
    if (has_formulas) {
      const uint64_t formula = reader.GetUnsigned();
      if (formula > strings) return DamagedSheet();
      formulas_[i] = formula == 0 ? kNoFormula : static_cast<uint32_t>(formula - 1);
    }
  }
  return OkStatus();
}

Status GridSegment::DecodeDetails(BinaryReader& reader) {
  constexpr uint64_t kDetailBytesMin = 4;
  details_.resize(reader.GetCount(kDetailBytesMin));
  for (Detail& detail : details_) {
    detail.cell.row = static_cast<uint32_t>(reader.GetUnsigned());
    detail.cell.column = static_cast<uint32_t>(reader.GetUnsigned());
    detail.kind = static_cast<CellDetail>(reader.GetByte());
    const uint64_t string_id = reader.GetUnsigned();
    if (CellDetailName(detail.kind).empty() || string_id >= pool_ends_.size())
      return DamagedSheet();
    detail.string_id = static_cast<uint32_t>(string_id);
  }
  return OkStatus();
}

Result<std::shared_ptr<const Segment>> GridSegment::Decode(std::string_view bytes) {
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
  segment->sheet_.hidden_rows = GetLines(reader);
  segment->sheet_.hidden_columns = GetLines(reader);
  segment->format_codes_.resize(reader.GetCount(2));
  segment->styles_.resize(segment->format_codes_.size());
  for (size_t i = 0; i < segment->styles_.size(); ++i) {
    segment->format_codes_[i] = reader.GetString();
    segment->styles_[i] = reader.GetString();
  }
  STAGED_RETURN_IF_ERROR(segment->DecodePool(reader, bytes.size()));
  STAGED_RETURN_IF_ERROR(segment->DecodeCells(reader));
  STAGED_RETURN_IF_ERROR(segment->DecodeDetails(reader));
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached sheet"));
  segment->MakeFormats();
  segment->CountText();
  return std::shared_ptr<const Segment>(std::move(segment));
}

}  // namespace staged
