#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "staged/record.h"

namespace staged::xlsx {

// Records of one segment, whose locators it keeps apart: of two that would be equal, the second one
// gets "#2" behind it.
class RecordList {
 public:
  // `hidden`: why none of them is seen ("hidden sheet"), or "".
  explicit RecordList(std::string hidden) : hidden_(std::move(hidden)) {}

  // A record whose key is its locator behind that of its parent. The reference holds until the next
  // call.
  Record& Add(std::string kind, std::string locator, std::string parent);
  [[nodiscard]] Record& At(size_t index) { return records_[index]; }
  [[nodiscard]] size_t size() const { return records_.size(); }
  [[nodiscard]] std::vector<Record> Take() { return std::move(records_); }

 private:
  std::string hidden_;
  std::vector<Record> records_;
  std::unordered_map<std::string, size_t> uses_;
};

// Sets an attribute unless it would be empty.
void SetUnlessEmpty(Value& attrs, std::string_view name, std::string value);

}  // namespace staged::xlsx
