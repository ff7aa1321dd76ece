#include "formats/xlsx/record_list.h"

namespace staged::xlsx {

namespace {

uint64_t BytesOf(const Value& value) {
  constexpr uint64_t kValueBytes = sizeof(Value);
  uint64_t bytes = kValueBytes;
  if (value.is_string()) bytes += value.as_string().size();
  if (value.is_array()) {
    for (const Value& item : value.as_array()) bytes += BytesOf(item);
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.as_object()) bytes += name.size() + BytesOf(member);
  }
  return bytes;
}

uint64_t BytesOf(const Record& record) {
  return record.locator.size() + record.parent.size() + record.key.size() + record.text.size() +
         BytesOf(record.attrs);
}

}  // namespace

uint64_t RecordList::GrantedBytes(uint64_t source_bytes) {
  constexpr uint64_t kAlwaysGrantedBytes = uint64_t{32} << 20;
  constexpr uint64_t kBytesPerSourceByte = 16;
  return kAlwaysGrantedBytes + kBytesPerSourceByte * source_bytes;
}

Record& RecordList::Add(std::string kind, std::string locator, std::string parent) {
  if (!records_.empty() && !is_full_) {
    bytes_ += BytesOf(records_.back());
    is_full_ = bytes_ > bytes_max_;
  }
  if (is_full_) {
    left_out_ = Record();
    return left_out_;
  }
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
