#include "record/segments.h"

#include "base/binary.h"

namespace staged {
namespace {

// First byte of an encoded segment. Persisted in caches only; unknown tags are damage.
constexpr uint8_t kListTag = 1;

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

}  // namespace

RecordListSegment::RecordListSegment(std::string part, ContentHash digest,
                                     std::vector<Record> records)
    : part_(std::move(part)), digest_(digest), records_(std::move(records)) {}

void RecordListSegment::ForEach(const std::function<bool(const Record&)>& visit) const {
  for (const Record& record : records_) {
    if (!visit(record)) return;
  }
}

std::string RecordListSegment::Encode() const {
  BinaryWriter writer;
  writer.PutByte(kListTag);
  writer.PutString(part_);
  writer.PutHash(digest_);
  writer.PutUnsigned(records_.size());
  for (const Record& record : records_) PutRecord(writer, record);
  return writer.Take();
}

uint64_t RecordListSegment::memory_bytes() const {
  uint64_t total = 0;
  for (const Record& record : records_) {
    total += sizeof(Record) + record.locator.size() + record.parent.size() + record.text.size();
  }
  return total;
}

Result<std::shared_ptr<const Segment>> DecodeSegment(std::string_view bytes) {
  BinaryReader reader(bytes);
  const uint8_t tag = reader.GetByte();
  if (tag != kListTag) {
    return Status(ErrorCode::kDataLoss, "a cached view is damaged; delete .staged/derived");
  }
  std::string part(reader.GetString());
  const ContentHash digest = reader.GetHash();
  constexpr uint64_t kRecordBytesMin = 8;
  std::vector<Record> records(reader.GetCount(kRecordBytesMin));
  for (Record& record : records) {
    if (!reader.ok()) break;
    record = GetRecord(reader);
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached view"));
  return std::shared_ptr<const Segment>(
      std::make_shared<RecordListSegment>(std::move(part), digest, std::move(records)));
}

}  // namespace staged
