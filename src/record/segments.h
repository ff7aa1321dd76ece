#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "staged/view.h"

namespace staged {

// The general segment: a plain list of records.
class RecordListSegment final : public Segment {
 public:
  RecordListSegment(std::string part, ContentHash digest, std::vector<Record> records);

  [[nodiscard]] const ContentHash& digest() const override { return digest_; }
  [[nodiscard]] const std::string& part() const override { return part_; }
  [[nodiscard]] size_t record_count() const override { return records_.size(); }
  [[nodiscard]] Record At(size_t index) const override { return records_[index]; }
  void ForEach(const std::function<bool(const Record&)>& visit) const override;
  [[nodiscard]] std::string Encode() const override;
  [[nodiscard]] uint64_t memory_bytes() const override;

 private:
  std::string part_;
  ContentHash digest_;
  std::vector<Record> records_;
};

// Reads back what Segment::Encode wrote. Errors: kDataLoss.
[[nodiscard]] Result<std::shared_ptr<const Segment>> DecodeSegment(std::string_view bytes);

}  // namespace staged
