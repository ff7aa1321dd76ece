#include "diff/part_changes.h"

#include <map>
#include <optional>
#include <utility>

namespace staged {
namespace {

Record RecordOf(const std::string& name, const ContentHash& digest,
                std::optional<uint64_t> size_bytes) {
  Record record;
  record.kind = "part";
  record.locator = name.empty() ? "file" : "part:" + name;
  record.text = digest.ToString();
  record.attrs.Set("digest", digest.ToString());
  if (size_bytes) {
    record.text += " (" + std::to_string(*size_bytes) + " bytes)";
    record.attrs.Set("size_bytes", *size_bytes);
  }
  return record;
}

Change PartChange(std::optional<Record> before, std::optional<Record> after, bool covered) {
  Change change;
  change.kind = "part";
  change.op = !before ? ChangeOp::kInsert : !after ? ChangeOp::kDelete : ChangeOp::kModify;
  if (change.op == ChangeOp::kModify) change.facets = {"bytes"};
  change.change_class = covered ? ChangeClass::kSerialization : ChangeClass::kOpaque;
  change.before = std::move(before);
  change.after = std::move(after);
  change.before_index = change.after_index = kNoRecord;
  return change;
}

}  // namespace

void AddPartChanges(const View& from, const View& to, const std::set<std::string>& shown_parts,
                    Diff& diff) {
  // A part's name may occur twice in a damaged container: the n-th is the n-th of the other side.
  std::map<std::pair<std::string, size_t>, std::pair<const Part*, const Part*>> parts;
  std::map<std::string, size_t> seen;
  for (const Part& part : from.parts) parts[{part.name, seen[part.name]++}].first = &part;
  seen.clear();
  for (const Part& part : to.parts) parts[{part.name, seen[part.name]++}].second = &part;
  for (const auto& [name, sides] : parts) {
    const auto [before, after] = sides;
    if (before != nullptr && after != nullptr && before->digest == after->digest) continue;
    const bool covered = (before == nullptr || !before->kinds.empty()) &&
                         (after == nullptr || !after->kinds.empty());
    if (covered && shown_parts.count(name.first) > 0) continue;
    std::optional<Record> left, right;
    if (before != nullptr) left = RecordOf(before->name, before->digest, before->size_bytes);
    if (after != nullptr) right = RecordOf(after->name, after->digest, after->size_bytes);
    diff.changes.push_back(PartChange(std::move(left), std::move(right), covered));
  }
  if (diff.changes.empty() && from.hash != to.hash) {
    const bool covered = from.record_count() > 0 && to.record_count() > 0;
    diff.changes.push_back(PartChange(RecordOf("", from.hash, std::nullopt),
                                      RecordOf("", to.hash, std::nullopt), covered));
  }
}

void AddWholePartChanges(const View& view, bool inserted, const std::set<std::string>& shown_parts,
                         Diff& diff) {
  const size_t before_count = diff.changes.size();
  const auto add = [&](Record record, bool covered) {
    std::optional<Record> left, right;
    (inserted ? right : left) = std::move(record);
    diff.changes.push_back(PartChange(std::move(left), std::move(right), covered));
  };
  for (const Part& part : view.parts) {
    const bool covered = !part.kinds.empty();
    if (covered && shown_parts.count(part.name) > 0) continue;
    add(RecordOf(part.name, part.digest, part.size_bytes), covered);
  }
  if (diff.changes.size() == before_count && view.record_count() == 0) {
    add(RecordOf("", view.hash, std::nullopt), false);
  }
}

}  // namespace staged
