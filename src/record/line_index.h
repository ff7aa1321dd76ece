#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "staged/record.h"

namespace staged {

enum class Newline : uint8_t {
  kNone = 0,  // the last line of a text without a final newline
  kLineFeed = 1,
  kCarriageReturnLineFeed = 2,
  kCarriageReturn = 3,  // ends a line only in a text that has no line feed
};
[[nodiscard]] std::string_view NewlineBytes(Newline newline);
[[nodiscard]] std::string_view NewlineName(Newline newline);  // "lf", "crlf", "cr", "none"

// Where lines begin. A final newline ends the last line and begins no further one; the empty text
// has no line. Texts up to 4 GiB. Borrows nothing.
class LineIndex {
 public:
  LineIndex() = default;
  explicit LineIndex(std::string_view text);

  [[nodiscard]] size_t count() const { return begins_.size(); }
  // All lines from 0. REQUIRES: line < count(), `text` is what the index was made from.
  [[nodiscard]] ByteSpan Span(size_t line) const;  // with its newline
  [[nodiscard]] std::string_view Text(std::string_view text, size_t line) const;
  [[nodiscard]] Newline NewlineOf(std::string_view text, size_t line) const;
  // The line that holds the byte at `offset`; the last line for offsets behind it. REQUIRES:
  // count().
  [[nodiscard]] size_t LineOf(uint64_t offset) const;

  // The newline that most lines end with; kLineFeed when no line has one.
  [[nodiscard]] Newline dominant() const { return dominant_; }
  [[nodiscard]] bool is_mixed() const { return is_mixed_; }
  [[nodiscard]] bool has_final_newline() const { return has_final_newline_; }
  [[nodiscard]] uint64_t memory_bytes() const { return begins_.capacity() * sizeof(uint32_t); }

 private:
  std::vector<uint32_t> begins_;
  uint64_t size_bytes_ = 0;
  Newline dominant_ = Newline::kLineFeed;
  bool is_mixed_ = false;
  bool has_final_newline_ = false;
};

}  // namespace staged
