#include "record/delimited_segment.h"

#include <algorithm>
#include <unordered_map>

#include "base/binary.h"
#include "base/utf8.h"
#include "record/record_codec.h"

namespace staged {

void AppendCellText(std::string& out, std::string_view raw, char quote) {
  if (raw.empty() || raw.front() != quote) {
    out.append(raw);
    return;
  }
  size_t at = 1;
  while (at < raw.size()) {
    const size_t next = std::min(raw.find(quote, at), raw.size());
    out.append(raw.substr(at, next - at));
    if (next == raw.size()) return;
    const bool is_doubled = next + 1 < raw.size() && raw[next + 1] == quote;
    if (!is_doubled) {
      out.append(raw.substr(next + 1));
      return;
    }
    out.push_back(quote);
    at = next + 2;
  }
}

ColumnNames::ColumnNames(std::string_view text, const DelimitedTable& table,
                         const DelimitedDialect& dialect) {
  if (table.row_count() == 0) return;
  std::unordered_map<std::string, uint32_t> seen;
  names_.reserve(table.width(0));
  for (size_t column = 0; column < table.width(0); ++column) {
    const DelimitedTable::Cell cell = table.at(0, column);
    std::string name;
    AppendCellText(name, text.substr(cell.begin, cell.end - cell.begin), dialect.quote);
    if (!IsValidUtf8(name)) name = ReplaceInvalidUtf8(name);
    if (name.empty()) name = std::to_string(column + 1);
    uint32_t& count = seen[name];
    std::string unique = name;
    do {
      ++count;
      if (count > 1) unique = name + "#" + std::to_string(count);
    } while (!taken_.insert(unique).second);
    names_.push_back(std::move(unique));
  }
}

std::string ColumnNames::Name(size_t column) const {
  if (column < names_.size()) return names_[column];
  std::string name = std::to_string(column + 1);
  // A header may be such a number itself.
  while (taken_.count(name) > 0) name += "#2";
  return name;
}

DelimitedSegment::DelimitedSegment(std::string part, ContentHash digest,
                                   std::vector<Record> leading, std::string text,
                                   DelimitedTable table, Options options)
    : part_(std::move(part)),
      digest_(digest),
      leading_(std::move(leading)),
      text_(std::move(text)),
      table_(std::move(table)),
      options_(options),
      names_(text_, table_, options_.dialect) {}

void DelimitedSegment::SetCellText(std::string& out, DelimitedTable::Cell cell) const {
  out.clear();
  AppendCellText(out, std::string_view(text_).substr(cell.begin, cell.end - cell.begin),
                 options_.dialect.quote);
  if (!options_.is_valid_utf8) out = ReplaceInvalidUtf8(out);
}

void DelimitedSegment::FillRow(size_t row, Record& record) const {
  record.kind = "row";
  record.locator.assign("r:").append(std::to_string(row + 1));
  record.parent.clear();
  record.text.clear();
  record.key.clear();
  record.attrs = Value();
  if (row == 0) {
    record.attrs.Set("header", true);
  } else if (options_.key_column < table_.width(row)) {
    SetCellText(record.key, table_.at(row, options_.key_column));
    record.key.insert(0, names_.Name(options_.key_column) + "=");
  }
  if (options_.has_spans) {
    record.span = ByteSpan{table_.row_begins[row] + options_.span_offset,
                           table_.row_begins[row + 1] + options_.span_offset};
  }
}

void DelimitedSegment::FillCell(size_t row, size_t column, const std::string& row_locator,
                                const std::string& name, Record& record) const {
  record.kind = "cell";
  record.parent = row_locator;
  record.locator.assign(row_locator).append("/c:").append(name);
  record.key = name;
  const DelimitedTable::Cell cell = table_.at(row, column);
  SetCellText(record.text, cell);
  if (options_.has_spans) {
    record.span = ByteSpan{cell.begin + options_.span_offset, cell.end + options_.span_offset};
  }
}

Record DelimitedSegment::At(size_t index) const {
  if (index < leading_.size()) return leading_[index];
  index -= leading_.size();
  // Row r's record comes behind r rows and all their cells.
  size_t low = 0;
  size_t high = table_.row_count();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (table_.row_cells[middle] + middle <= index ? low : high) = middle;
  }
  Record record;
  FillRow(low, record);
  const size_t within = index - (table_.row_cells[low] + low);
  if (within == 0) return record;
  Record cell;
  FillCell(low, within - 1, record.locator, names_.Name(within - 1), cell);
  return cell;
}

void DelimitedSegment::ForEach(const std::function<bool(const Record&)>& visit) const {
  for (const Record& record : leading_) {
    if (!visit(record)) return;
  }
  Record row_record;
  Record cell_record;
  std::vector<std::string> names;
  for (size_t row = 0; row < table_.row_count(); ++row) {
    FillRow(row, row_record);
    if (!visit(row_record)) return;
    while (names.size() < table_.width(row)) names.push_back(names_.Name(names.size()));
    for (size_t column = 0; column < table_.width(row); ++column) {
      FillCell(row, column, row_record.locator, names[column], cell_record);
      if (!visit(cell_record)) return;
    }
  }
}

std::string DelimitedSegment::Encode() const {
  BinaryWriter writer;
  writer.PutByte(kDelimitedSegmentTag);
  writer.PutString(part_);
  writer.PutHash(digest_);
  writer.PutByte(static_cast<uint8_t>(options_.dialect.delimiter));
  writer.PutByte(static_cast<uint8_t>(options_.dialect.quote));
  writer.PutUnsigned(options_.key_column);
  writer.PutUnsigned(options_.span_offset);
  writer.PutBool(options_.has_spans);
  writer.PutBool(options_.is_valid_utf8);
  writer.PutUnsigned(leading_.size());
  for (const Record& record : leading_) PutRecord(writer, record);
  writer.PutString(text_);
  writer.PutUnsigned(table_.row_count());
  for (size_t row = 0; row < table_.row_count(); ++row) {
    writer.PutUnsigned(table_.row_begins[row]);
    writer.PutUnsigned(table_.width(row));
    for (size_t column = 0; column < table_.width(row); ++column) {
      const DelimitedTable::Cell cell = table_.at(row, column);
      writer.PutUnsigned(cell.begin);
      writer.PutUnsigned(cell.end - cell.begin);
    }
  }
  return writer.Take();
}

Result<std::shared_ptr<const Segment>> DelimitedSegment::Decode(std::string_view bytes) {
  BinaryReader reader(bytes);
  std::string part(reader.GetString());
  const ContentHash digest = reader.GetHash();
  Options options;
  options.dialect.delimiter = static_cast<char>(reader.GetByte());
  options.dialect.quote = static_cast<char>(reader.GetByte());
  options.key_column = reader.GetUnsigned();
  options.span_offset = reader.GetUnsigned();
  options.has_spans = reader.GetBool();
  options.is_valid_utf8 = reader.GetBool();
  std::vector<Record> leading = GetRecords(reader);
  std::string text(reader.GetString());
  DelimitedTable table;
  const uint64_t rows = reader.GetCount(2);
  bool is_sound = true;
  for (uint64_t row = 0; row < rows && reader.ok(); ++row) {
    table.row_begins.push_back(static_cast<uint32_t>(reader.GetUnsigned()));
    table.row_cells.push_back(static_cast<uint32_t>(table.cells.size()));
    const uint64_t width = reader.GetCount(2);
    for (uint64_t column = 0; column < width && reader.ok(); ++column) {
      const uint64_t begin = reader.GetUnsigned();
      const uint64_t size = reader.GetUnsigned();
      is_sound = is_sound && begin <= text.size() && size <= text.size() - begin;
      table.cells.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)});
    }
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached view"));
  if (!is_sound) {
    return Status(ErrorCode::kDataLoss, "a cached view is damaged; delete .staged/derived");
  }
  table.row_begins.push_back(static_cast<uint32_t>(text.size()));
  table.row_cells.push_back(static_cast<uint32_t>(table.cells.size()));
  return std::shared_ptr<const Segment>(std::make_shared<DelimitedSegment>(
      std::move(part), digest, std::move(leading), std::move(text), std::move(table), options));
}

uint64_t DelimitedSegment::memory_bytes() const {
  return sizeof(*this) + text_.capacity() + table_.cells.capacity() * sizeof(table_.cells[0]) +
         (table_.row_cells.capacity() + table_.row_begins.capacity()) * sizeof(uint32_t);
}

}  // namespace staged
