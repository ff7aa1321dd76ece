#include "staged/view.h"

namespace staged {

size_t View::record_count() const {
  size_t count = 0;
  for (const auto& segment : segments) count += segment->record_count();
  return count;
}

void View::ForEach(const std::function<bool(const Record&)>& visit) const {
  bool more = true;
  for (const auto& segment : segments) {
    if (!more) return;
    segment->ForEach([&](const Record& record) { return more = visit(record); });
  }
}

std::vector<Record> View::Records() const {
  std::vector<Record> records;
  records.reserve(record_count());
  ForEach([&](const Record& record) {
    records.push_back(record);
    return true;
  });
  return records;
}

Result<Record> View::Find(std::string_view locator) const {
  std::optional<Record> found;
  ForEach([&](const Record& record) {
    if (record.locator == locator) found = record;
    return !found.has_value();
  });
  if (found) return *std::move(found);
  return Status(ErrorCode::kNoMatch, "no record has the locator '" + std::string(locator) +
                                         "'; list the locators with `staged parse FILE --jsonl`");
}

}  // namespace staged
