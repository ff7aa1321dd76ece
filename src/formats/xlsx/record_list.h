#pragma once

#include <cstdint>
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

  // What the records may come to, in bytes, so that little XML cannot say much: its words may be
  // repeated in many records. Unlimited before it is set.
  void LimitBytes(uint64_t bytes_max) { bytes_max_ = bytes_max; }
  // Sixteen times the source and 32 MiB more: honest parts need a few times theirs.
  [[nodiscard]] static uint64_t GrantedBytes(uint64_t source_bytes);
  // Whether records were left out for that.
  [[nodiscard]] bool is_full() const { return is_full_; }

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
  uint64_t bytes_ = 0;  // of all records but the last
  uint64_t bytes_max_ = UINT64_MAX;
  bool is_full_ = false;
  Record left_out_;
};

// Sets an attribute unless it would be empty.
void SetUnlessEmpty(Value& attrs, std::string_view name, std::string value);

}  // namespace staged::xlsx
