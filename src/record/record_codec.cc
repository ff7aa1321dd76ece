#include "record/record_codec.h"

namespace staged {

void PutLimits(BinaryWriter& writer, const Limits& limits) {
  writer.PutUnsigned(limits.input_bytes_max);
  writer.PutUnsigned(limits.expanded_bytes_max);
  writer.PutUnsigned(limits.part_bytes_max);
  writer.PutUnsigned(limits.records_max);
  writer.PutUnsigned(limits.parts_max);
  writer.PutUnsigned(limits.depth_max);
  writer.PutUnsigned(limits.diagnostics_max);
}

Limits GetLimits(BinaryReader& reader) {
  Limits limits;
  limits.input_bytes_max = reader.GetUnsigned();
  limits.expanded_bytes_max = reader.GetUnsigned();
  limits.part_bytes_max = reader.GetUnsigned();
  limits.records_max = reader.GetUnsigned();
  limits.parts_max = reader.GetUnsigned();
  limits.depth_max = static_cast<uint32_t>(reader.GetUnsigned());
  limits.diagnostics_max = static_cast<uint32_t>(reader.GetUnsigned());
  return limits;
}

void PutRecord(BinaryWriter& writer, const Record& record) {
  writer.PutString(record.kind);
  writer.PutString(record.locator);
  writer.PutString(record.parent);
  writer.PutString(record.key);
  writer.PutString(record.text);
  writer.PutValue(record.attrs);
  writer.PutBool(record.span.has_value());
  if (record.span) {
    writer.PutUnsigned(record.span->begin);
    writer.PutUnsigned(record.span->end);
  }
  writer.PutString(record.hidden);
}

Record GetRecord(BinaryReader& reader) {
  Record record;
  record.kind = reader.GetString();
  record.locator = reader.GetString();
  record.parent = reader.GetString();
  record.key = reader.GetString();
  record.text = reader.GetString();
  record.attrs = reader.GetValue();
  if (reader.GetBool()) {
    const uint64_t begin = reader.GetUnsigned();
    record.span = ByteSpan{begin, reader.GetUnsigned()};
  }
  record.hidden = reader.GetString();
  return record;
}

std::vector<Record> GetRecords(BinaryReader& reader) {
  constexpr uint64_t kRecordBytesMin = 8;
  std::vector<Record> records(reader.GetCount(kRecordBytesMin));
  for (Record& record : records) {
    if (!reader.ok()) break;
    record = GetRecord(reader);
  }
  return records;
}

}  // namespace staged
