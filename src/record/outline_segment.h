#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "staged/view.h"

namespace staged {

// The values of a nested text, held flat: no heap object a record. Each row stands below an earlier
// one, whose locator and a step ("/name", "/17") make its own. Around the rows may lie a few plain
// records.
class OutlineSegment final : public Segment {
 public:
  static constexpr uint32_t kNoParent = std::numeric_limits<uint32_t>::max();
  class Builder;

  [[nodiscard]] const ContentHash& digest() const override { return digest_; }
  [[nodiscard]] const std::string& part() const override { return part_; }
  [[nodiscard]] size_t record_count() const override {
    return leading_.size() + rows() + trailing_.size();
  }
  [[nodiscard]] Record At(size_t index) const override;
  void ForEach(const std::function<bool(const Record&)>& visit) const override;
  [[nodiscard]] std::string Encode() const override;
  [[nodiscard]] uint64_t memory_bytes() const override;

  // What Encode wrote, behind its tag. Errors: kDataLoss.
  [[nodiscard]] static Result<std::shared_ptr<const Segment>> Decode(std::string_view bytes);

 private:
  // What rows have in common: there are few.
  struct Class {
    std::string kind;
    Value attrs;
  };
  struct Span {
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  // A name's number, or with this bit a position in an array.
  static constexpr uint32_t kIsPosition = uint32_t{1} << 31;

  OutlineSegment() = default;
  [[nodiscard]] size_t rows() const { return classes_of_.size(); }
  [[nodiscard]] std::string_view Name(uint32_t id) const;
  [[nodiscard]] std::string_view Text(size_t row) const;
  void AppendStep(std::string& locator, size_t row) const;
  void SetClass(size_t row, Record& record) const;
  // All but class, locator and parent. `key` is where the row's own key lies in keys_, if it has
  // one.
  void Fill(size_t row, const uint32_t* key, Record& record) const;
  [[nodiscard]] const uint32_t* FindKey(size_t row) const;
  [[nodiscard]] bool IsSound() const;

  std::string part_;
  ContentHash digest_;
  bool has_spans_ = true;
  uint64_t span_offset_ = 0;
  std::vector<Record> leading_, trailing_;
  std::vector<Class> classes_;
  std::string names_;  // one after the other, in order of their numbers
  std::vector<uint64_t> name_ends_;
  std::string texts_;  // one after the other, in order of rows
  // By row:
  std::vector<uint8_t> classes_of_;
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> steps_;
  std::vector<uint64_t> text_ends_;
  std::vector<Span> spans_;
  // Rows that stand at a position and have a key of their own all the same, in order, and the names
  // that these keys are.
  std::vector<uint32_t> key_rows_, keys_;
};

// Rows come in document order: each behind its parent and all that stands below earlier rows of it.
class OutlineSegment::Builder {
 public:
  struct Options {
    bool has_spans = true;
    uint64_t span_offset = 0;  // added to those of rows
  };
  Builder(std::string part, const ContentHash& digest, const Options& options);
  void Reserve(size_t rows);

  // A kind with its attributes. REQUIRES: at most 256.
  [[nodiscard]] uint8_t AddClass(std::string_view kind, Value attrs);
  struct Row {
    uint8_t class_id = 0;
    uint32_t parent = kNoParent;  // its number, from 0
    uint32_t begin = 0;           // of its span
    uint32_t end = 0;
    std::string_view text;
  };
  // "/name"; the record's key is the name. REQUIRES: fewer than 2^31 rows.
  void AddNamed(const Row& row, std::string_view name);
  // "/17", with a key or "". REQUIRES: position < 2^31.
  void AddAt(const Row& row, uint32_t position, std::string_view key);
  // With an empty locator, as the one root.
  void AddRoot(const Row& row);

  void AddLeading(Record record) { segment_->leading_.push_back(std::move(record)); }
  void AddTrailing(Record record) { segment_->trailing_.push_back(std::move(record)); }
  [[nodiscard]] std::shared_ptr<const Segment> Finish() { return std::move(segment_); }

 private:
  void Add(const Row& row, uint32_t step);
  uint32_t NameId(std::string_view name);
  uint32_t AppendName(std::string_view name);

  std::shared_ptr<OutlineSegment> segment_;
  std::unordered_map<std::string, uint32_t> ids_;
};

}  // namespace staged
