#include <algorithm>
#include <string>
#include <utility>

#include "base/binary.h"
#include "diff/kept_runs.h"
#include "staged/diff.h"

namespace staged {
namespace {

Status WrongRecords() {
  return Status(ErrorCode::kInvalidArgument,
                "these are not the records that the diff starts from; parse the content named by "
                "its `from` hash with the same parser version");
}

Status DamagedScript() {
  return Status(ErrorCode::kInvalidArgument,
                "the diff's edit script is inconsistent; compute the diff again");
}

bool IsPartChange(const Change& change) {
  return change.before_index == kNoRecord && change.after_index == kNoRecord;
}

// Each position of a side once: by a change, or by one kept run.
class Coverage {
 public:
  explicit Coverage(size_t count) : covered_(count) {}
  bool Cover(size_t begin, size_t count) {
    if (begin > covered_.size() || count > covered_.size() - begin) return false;
    for (size_t i = begin; i < begin + count; ++i) {
      if (covered_[i]) return false;
      covered_[i] = true;
    }
    total_ += count;
    return true;
  }
  [[nodiscard]] bool complete() const { return total_ == covered_.size(); }

 private:
  std::vector<bool> covered_;
  size_t total_ = 0;
};

void PutOptionalRecord(BinaryWriter& writer, const std::optional<Record>& record) {
  writer.PutBool(record.has_value());
  if (!record) return;
  for (const std::string* text : {&record->kind, &record->locator, &record->parent, &record->key,
                                  &record->text, &record->hidden}) {
    writer.PutString(*text);
  }
  writer.PutValue(record->attrs);
  writer.PutBool(record->span.has_value());
  if (record->span) {
    writer.PutUnsigned(record->span->begin);
    writer.PutUnsigned(record->span->end);
  }
}

void PutOptionalHash(BinaryWriter& writer, const std::optional<ContentHash>& hash) {
  writer.PutBool(hash.has_value());
  if (hash) writer.PutHash(*hash);
}

void PutIndex(BinaryWriter& writer, size_t index) {
  writer.PutUnsigned(index == kNoRecord ? 0 : static_cast<uint64_t>(index) + 1);
}

void PutChange(BinaryWriter& writer, const Change& change) {
  writer.PutString(change.id);
  writer.PutByte(static_cast<uint8_t>(change.op));
  writer.PutString(change.kind);
  writer.PutUnsigned(change.facets.size());
  for (const std::string& facet : change.facets) writer.PutString(facet);
  writer.PutByte(static_cast<uint8_t>(change.change_class));
  PutOptionalRecord(writer, change.before);
  PutOptionalRecord(writer, change.after);
  PutIndex(writer, change.before_index);
  PutIndex(writer, change.after_index);
  writer.PutUnsigned(change.text_changes.size());
  for (const TextReplacement& replacement : change.text_changes) {
    for (const ByteSpan& span : {replacement.before, replacement.after}) {
      writer.PutUnsigned(span.begin);
      writer.PutUnsigned(span.end);
    }
  }
  writer.PutString(change.context);
  writer.PutString(change.caused_by);
}

void PutPlacement(BinaryWriter& writer, const Placement& placement) {
  writer.PutString(placement.locator);
  writer.PutString(placement.parent);
  writer.PutString(placement.key);
  writer.PutBool(placement.span.has_value());
  if (placement.span) {
    writer.PutUnsigned(placement.span->begin);
    writer.PutUnsigned(placement.span->end);
  }
}

void PutRun(BinaryWriter& writer, const KeptRun& run) {
  writer.PutUnsigned(run.before_index);
  writer.PutUnsigned(run.after_index);
  writer.PutUnsigned(run.count);
  writer.PutSigned(run.span_begin_shift);
  writer.PutSigned(run.span_end_shift);
  for (const NumberShift& shift : {run.locator, run.parent, run.key}) {
    writer.PutUnsigned(shift.number_index);
    writer.PutSigned(shift.delta);
  }
  writer.PutBool(run.placements.has_value());
  if (run.placements) {
    PutPlacement(writer, run.placements->first);
    PutPlacement(writer, run.placements->second);
  }
}

}  // namespace

Result<std::vector<Record>> ApplyDiff(const Diff& diff, const std::vector<Record>& records) {
  if (records.size() != diff.from_record_count) return WrongRecords();
  std::vector<Record> result(diff.to_record_count);
  Coverage from(diff.from_record_count), to(diff.to_record_count);
  for (const Change& change : diff.changes) {
    if (IsPartChange(change)) continue;
    if (change.before) {
      if (!from.Cover(change.before_index, 1)) return DamagedScript();
      if (records[change.before_index] != *change.before) return WrongRecords();
    }
    if (change.after) {
      if (!to.Cover(change.after_index, 1)) return DamagedScript();
      result[change.after_index] = *change.after;
    }
  }
  for (const KeptRun& run : diff.kept) {
    if (!from.Cover(run.before_index, run.count) || !to.Cover(run.after_index, run.count)) {
      return DamagedScript();
    }
    for (size_t i = 0; i < run.count; ++i) {
      Record& record = result[run.after_index + i];
      record = records[run.before_index + i];
      ApplyRun(run, record);
    }
  }
  if (!from.complete() || !to.complete()) return DamagedScript();
  return result;
}

Diff InvertDiff(const Diff& diff) {
  Diff inverse = diff;
  std::swap(inverse.from, inverse.to);
  std::swap(inverse.from_record_count, inverse.to_record_count);
  std::swap(inverse.summary.insertions, inverse.summary.deletions);
  for (Change& change : inverse.changes) {
    std::swap(change.before, change.after);
    std::swap(change.before_index, change.after_index);
    for (TextReplacement& replacement : change.text_changes) {
      std::swap(replacement.before, replacement.after);
    }
    if (change.op == ChangeOp::kInsert) {
      change.op = ChangeOp::kDelete;
    } else if (change.op == ChangeOp::kDelete) {
      change.op = ChangeOp::kInsert;
    }
  }
  for (KeptRun& run : inverse.kept) {
    std::swap(run.before_index, run.after_index);
    run.span_begin_shift = -run.span_begin_shift;
    run.span_end_shift = -run.span_end_shift;
    for (NumberShift* shift : {&run.locator, &run.parent, &run.key}) shift->delta = -shift->delta;
    if (run.placements) std::swap(run.placements->first, run.placements->second);
  }
  std::sort(inverse.kept.begin(), inverse.kept.end(),
            [](const KeptRun& a, const KeptRun& b) { return a.after_index < b.after_index; });
  return inverse;
}

ContentHash DiffHash(const Diff& diff) {
  BinaryWriter writer;
  writer.PutString(kDiffVersion);
  PutOptionalHash(writer, diff.from);
  PutOptionalHash(writer, diff.to);
  writer.PutString(diff.format);
  writer.PutString(diff.parser.name);
  writer.PutString(diff.parser.version);
  writer.PutBool(diff.identical);
  writer.PutUnsigned(diff.changes.size());
  for (const Change& change : diff.changes) PutChange(writer, change);
  writer.PutUnsigned(diff.from_record_count);
  writer.PutUnsigned(diff.to_record_count);
  writer.PutUnsigned(diff.kept.size());
  for (const KeptRun& run : diff.kept) PutRun(writer, run);
  return ContentHash::Of(writer.bytes());
}

}  // namespace staged
