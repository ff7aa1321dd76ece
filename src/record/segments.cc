#include "record/segments.h"

#include "record/delimited_segment.h"
#include "record/grid_segment.h"
#include "record/line_segment.h"
#include "record/outline_segment.h"
#include "record/record_codec.h"

namespace staged {
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
  writer.PutByte(kListSegmentTag);
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
  if (tag == kGridSegmentTag) return GridSegment::Decode(bytes.substr(1));
  if (tag == kLineSegmentTag) return LineSegment::Decode(bytes.substr(1));
  if (tag == kDelimitedSegmentTag) return DelimitedSegment::Decode(bytes.substr(1));
  if (tag == kOutlineSegmentTag) return OutlineSegment::Decode(bytes.substr(1));
  if (tag != kListSegmentTag) {
    return Status(ErrorCode::kDataLoss, "a cached view is damaged; delete .staged/derived");
  }
  std::string part(reader.GetString());
  const ContentHash digest = reader.GetHash();
  std::vector<Record> records = GetRecords(reader);
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached view"));
  return std::shared_ptr<const Segment>(
      std::make_shared<RecordListSegment>(std::move(part), digest, std::move(records)));
}

}  // namespace staged
