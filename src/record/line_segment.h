#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/line_index.h"
#include "staged/view.h"

namespace staged {

// The lines of one text, held as the text itself: a few leading records ("file"), then one record
// "line" each, made on the way out. A line's text is without its newline; `attrs.newline` is given
// only where it differs from the text's dominant one, `attrs.raw` (hexadecimal) only where bytes
// are not UTF-8 and the text shows U+FFFD. So the leading record's encoding, byte order mark,
// newline and final newline and the lines together give the bytes.
class LineSegment final : public Segment {
 public:
  struct Options {
    uint64_t span_offset = 0;  // added to offsets in the text to give offsets in the part
    bool has_spans = true;     // false where the part's bytes are not the text's (UTF-16)
    bool is_valid_utf8 = true;
  };
  // REQUIRES: text.size() < 4 GiB.
  LineSegment(std::string part, ContentHash digest, std::vector<Record> leading, std::string text,
              Options options);

  [[nodiscard]] const ContentHash& digest() const override { return digest_; }
  [[nodiscard]] const std::string& part() const override { return part_; }
  [[nodiscard]] size_t record_count() const override { return leading_.size() + index_.count(); }
  [[nodiscard]] Record At(size_t index) const override;
  void ForEach(const std::function<bool(const Record&)>& visit) const override;
  [[nodiscard]] std::string Encode() const override;
  [[nodiscard]] uint64_t memory_bytes() const override;

  [[nodiscard]] const LineIndex& lines() const { return index_; }
  // What Encode wrote, behind its tag. Errors: kDataLoss.
  [[nodiscard]] static Result<std::shared_ptr<const Segment>> Decode(std::string_view bytes);

 private:
  void FillLine(size_t line, Record& record) const;

  std::string part_;
  ContentHash digest_;
  std::vector<Record> leading_;
  std::string text_;
  Options options_;
  LineIndex index_;
};

}  // namespace staged
