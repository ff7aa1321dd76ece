#include "formats/xlsx/record_list.h"

namespace staged::xlsx {

Record& RecordList::Add(std::string kind, std::string locator, std::string parent) {
  const size_t use = ++uses_[locator];
  if (use > 1) locator += "#" + std::to_string(use);
  Record record;
  record.kind = std::move(kind);
  record.locator = std::move(locator);
  const bool is_below =
      !parent.empty() && record.locator.size() > parent.size() &&
      record.locator.starts_with(parent) &&
      (record.locator[parent.size()] == '!' || record.locator[parent.size()] == '/');
  record.key = is_below ? record.locator.substr(parent.size() + 1) : record.locator;
  record.parent = std::move(parent);
  record.hidden = hidden_;
  records_.push_back(std::move(record));
  return records_.back();
}

void SetUnlessEmpty(Value& attrs, std::string_view name, std::string value) {
  if (!value.empty()) attrs.Set(name, Value(std::move(value)));
}

}  // namespace staged::xlsx
