#include "record/line_segment.h"

#include "base/binary.h"
#include "base/utf8.h"
#include "record/record_codec.h"

namespace staged {
namespace {

std::string ToHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    hex.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
    hex.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
  }
  return hex;
}

}  // namespace

LineSegment::LineSegment(std::string part, ContentHash digest, std::vector<Record> leading,
                         std::string text, Options options)
    : part_(std::move(part)),
      digest_(digest),
      leading_(std::move(leading)),
      text_(std::move(text)),
      options_(options),
      index_(text_) {}

void LineSegment::FillLine(size_t line, Record& record) const {
  record.locator.assign("line:").append(std::to_string(line + 1));
  const std::string_view text = index_.Text(text_, line);
  const bool is_damaged = !options_.is_valid_utf8 && !IsValidUtf8(text);
  record.attrs = Value();
  if (is_damaged) {
    record.text = ReplaceInvalidUtf8(text);
    record.attrs.Set("raw", ToHex(text));
  } else {
    record.text.assign(text);
  }
  const Newline newline = index_.NewlineOf(text_, line);
  if (newline != index_.dominant() && newline != Newline::kNone) {
    record.attrs.Set("newline", NewlineName(newline));
  }
  if (options_.has_spans) {
    const ByteSpan span = index_.Span(line);
    record.span = ByteSpan{span.begin + options_.span_offset, span.end + options_.span_offset};
  }
}

Record LineSegment::At(size_t index) const {
  if (index < leading_.size()) return leading_[index];
  Record record;
  record.kind = "line";
  FillLine(index - leading_.size(), record);
  return record;
}

void LineSegment::ForEach(const std::function<bool(const Record&)>& visit) const {
  for (const Record& record : leading_) {
    if (!visit(record)) return;
  }
  Record record;
  record.kind = "line";
  for (size_t line = 0; line < index_.count(); ++line) {
    FillLine(line, record);
    if (!visit(record)) return;
  }
}

std::string LineSegment::Encode() const {
  BinaryWriter writer;
  writer.PutByte(kLineSegmentTag);
  writer.PutString(part_);
  writer.PutHash(digest_);
  writer.PutUnsigned(options_.span_offset);
  writer.PutBool(options_.has_spans);
  writer.PutBool(options_.is_valid_utf8);
  writer.PutUnsigned(leading_.size());
  for (const Record& record : leading_) PutRecord(writer, record);
  writer.PutString(text_);
  return writer.Take();
}

Result<std::shared_ptr<const Segment>> LineSegment::Decode(std::string_view bytes) {
  BinaryReader reader(bytes);
  std::string part(reader.GetString());
  const ContentHash digest = reader.GetHash();
  Options options;
  options.span_offset = reader.GetUnsigned();
  options.has_spans = reader.GetBool();
  options.is_valid_utf8 = reader.GetBool();
  std::vector<Record> leading = GetRecords(reader);
  std::string text(reader.GetString());
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached view"));
  return std::shared_ptr<const Segment>(std::make_shared<LineSegment>(
      std::move(part), digest, std::move(leading), std::move(text), options));
}

uint64_t LineSegment::memory_bytes() const {
  return sizeof(*this) + text_.capacity() + index_.memory_bytes();
}

}  // namespace staged
