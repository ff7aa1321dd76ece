#include "record/line_index.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace staged {

std::string_view NewlineBytes(Newline newline) {
  switch (newline) {
    case Newline::kNone:
      return "";
    case Newline::kLineFeed:
      return "\n";
    case Newline::kCarriageReturnLineFeed:
      return "\r\n";
    case Newline::kCarriageReturn:
      return "\r";
  }
  return "";
}

std::string_view NewlineName(Newline newline) {
  switch (newline) {
    case Newline::kNone:
      return "none";
    case Newline::kLineFeed:
      return "lf";
    case Newline::kCarriageReturnLineFeed:
      return "crlf";
    case Newline::kCarriageReturn:
      return "cr";
  }
  return "none";
}

LineIndex::LineIndex(std::string_view text) : size_bytes_(text.size()) {
  if (text.empty()) return;
  const bool has_line_feed = std::memchr(text.data(), '\n', text.size()) != nullptr;
  const char terminator = has_line_feed ? '\n' : '\r';
  std::array<size_t, 4> counts{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* line = begin; line < end;) {
    begins_.push_back(static_cast<uint32_t>(line - begin));
    const auto* found =
        static_cast<const char*>(std::memchr(line, terminator, static_cast<size_t>(end - line)));
    if (found == nullptr) break;
    const bool is_pair = has_line_feed && found > line && found[-1] == '\r';
    const Newline newline = !has_line_feed ? Newline::kCarriageReturn
                            : is_pair      ? Newline::kCarriageReturnLineFeed
                                           : Newline::kLineFeed;
    ++counts[static_cast<size_t>(newline)];
    line = found + 1;
  }
  has_final_newline_ = text.back() == terminator;
  const auto most = std::max_element(counts.begin() + 1, counts.end());
  if (*most > 0) dominant_ = static_cast<Newline>(most - counts.begin());
  is_mixed_ = std::count_if(counts.begin(), counts.end(), [](size_t n) { return n > 0; }) > 1;
}

ByteSpan LineIndex::Span(size_t line) const {
  return {begins_[line], line + 1 < begins_.size() ? begins_[line + 1] : size_bytes_};
}

Newline LineIndex::NewlineOf(std::string_view text, size_t line) const {
  if (line + 1 == count() && !has_final_newline_) return Newline::kNone;
  const ByteSpan span = Span(line);
  if (text[span.end - 1] == '\r') return Newline::kCarriageReturn;
  const bool is_pair = span.end - span.begin >= 2 && text[span.end - 2] == '\r';
  return is_pair ? Newline::kCarriageReturnLineFeed : Newline::kLineFeed;
}

std::string_view LineIndex::Text(std::string_view text, size_t line) const {
  const ByteSpan span = Span(line);
  const size_t newline_size = NewlineBytes(NewlineOf(text, line)).size();
  return text.substr(span.begin, span.end - span.begin - newline_size);
}

size_t LineIndex::LineOf(uint64_t offset) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset);
  return static_cast<size_t>(after - begins_.begin()) - 1;
}

}  // namespace staged
