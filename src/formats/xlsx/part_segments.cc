#include "formats/xlsx/part_segments.h"

#include <algorithm>

#include "base/binary.h"
#include "formats/xlsx/view_builder.h"
#include "record/segments.h"

namespace staged::xlsx {

PartSegments::PartSegments(
    const OpcPackage& package, const Limits& limits, const SegmentSource& reuse,
    std::function<ContentHash(std::string_view part)> digest_of,
    std::function<void(std::string_view part, std::vector<std::string> kinds)> cover,
    ParsedContent& content, uint64_t& records_left)
    : package_(package),
      limits_(limits),
      reuse_(reuse),
      digest_of_(std::move(digest_of)),
      cover_(std::move(cover)),
      content_(content),
      records_left_(records_left),
      bytes_left_(limits.part_bytes_max) {}

void PartSegments::Diagnose(std::string code, std::string locator, std::string message) {
  content_.diagnostics.push_back(
      {"error", std::move(code), std::move(locator), std::move(message)});
}

const std::vector<OpcRelationship>& PartSegments::RelationshipsOf(const std::string& part) {
  const auto found = relationships_.find(part);
  if (found != relationships_.end()) return found->second;
  Result<std::vector<OpcRelationship>> read = package_.Relationships(part, limits_);
  if (!read.ok()) {
    Diagnose("malformed", "", read.status().message());
    read = std::vector<OpcRelationship>();
  }
  return relationships_.emplace(part, *std::move(read)).first->second;
}

ContentHash PartSegments::KeyOf(const Job& job) {
  BinaryWriter key;
  key.PutString(kParserVersion);
  for (const std::string* text : {&job.part, &job.sheet, &job.base, &job.hidden, &job.extra}) {
    key.PutString(*text);
  }
  key.PutHash(digest_of_(job.part));
  for (const OpcRelationship& relationship : RelationshipsOf(job.part)) {
    key.PutString(relationship.id);
    key.PutString(relationship.target);
    if (!relationship.is_external) key.PutHash(digest_of_(relationship.target));
  }
  return ContentHash::Of(key.bytes());
}

void PartSegments::ReadTree(const std::string& part, const std::string& locator,
                            const std::function<void(const PartTree&)>& read) {
  const Result<std::string> xml = package_.ReadXml(part);
  if (!xml.ok()) return Diagnose("unreadable_part", locator, xml.status().message());
  // One part may hang on many sheets.
  if (xml->size() > bytes_left_) {
    return Diagnose("limit_exceeded", locator,
                    part + " is left out: the parts around the sheets have more than " +
                        std::to_string(limits_.part_bytes_max) + " bytes");
  }
  bytes_left_ -= xml->size();
  const PartTree tree(*xml, limits_);
  if (!tree.error().ok()) Diagnose("malformed", locator, part + ": " + tree.error().message());
  if (!tree.is_empty()) read(tree);
}

void PartSegments::DiagnoseRepetition(const std::string& locator, const std::string& part) {
  Diagnose("limit_exceeded", locator,
           part + " repeats its words so often that its last records are left out");
}

void PartSegments::KeepLimit(const std::string& locator, std::vector<Record>& records) {
  const size_t kept = std::min<uint64_t>(records.size(), std::max<uint64_t>(records_left_, 1));
  records_left_ -= std::min<uint64_t>(records_left_, records.size());
  if (kept == records.size()) return;
  Diagnose("limit_exceeded", locator,
           "more records than the limit records_max; the last " +
               std::to_string(records.size() - kept) + " of this part are left out");
  records.resize(kept);
}

std::shared_ptr<const Segment> PartSegments::Add(const Job& job) {
  if (!Has(job.part)) return nullptr;
  const auto cover = [&] {
    cover_(job.part, job.kinds);
    cover_(OpcRelationshipsPart(job.part), job.kinds);
  };
  const ContentHash key = KeyOf(job);
  if (reuse_) {
    if (std::shared_ptr<const Segment> segment = reuse_(job.part, key)) {
      content_.segments.push_back(segment);
      records_left_ -= std::min<uint64_t>(records_left_, segment->record_count());
      cover();
      return segment;
    }
  }
  PartContext context;
  context.part = job.part;
  context.sheet = job.sheet;
  context.base = job.base;
  context.relationships = &RelationshipsOf(job.part);
  context.digest_of = [this](std::string_view part) {
    const ContentHash digest = digest_of_(part);
    return digest.is_zero() ? std::string() : digest.ToString();
  };
  if (job.prepare) job.prepare(context);
  const size_t complaints = content_.diagnostics.size();
  RecordList records(job.hidden);
  ReadTree(job.part, job.sheet, [&](const PartTree& tree) {
    records.LimitBytes(RecordList::GrantedBytes(tree.tree().source().size()));
    job.read(tree, context, records);
  });
  if (records.is_full()) DiagnoseRepetition(job.sheet, job.part);
  if (records.size() == 0) return nullptr;
  std::vector<Record> taken = records.Take();
  KeepLimit(job.sheet, taken);
  // A part that gave cause for complaint must be read again next time, to complain again.
  const bool is_sound = content_.diagnostics.size() == complaints;
  if (is_sound) cover();
  auto segment = std::make_shared<RecordListSegment>(
      job.part, is_sound ? key : ContentHash::Of(key.ToString() + "complaints"), std::move(taken));
  content_.segments.push_back(segment);
  return segment;
}

}  // namespace staged::xlsx
