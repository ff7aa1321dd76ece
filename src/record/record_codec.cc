#include "record/record_codec.h"

namespace staged {

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
