#include "format/text_records.h"

#include "base/utf8.h"
#include "record/line_segment.h"

namespace staged {

Record TextFileRecord(const DecodedText& decoded, const LineIndex& lines) {
  Record record;
  record.kind = "file";
  record.locator = "file";
  record.attrs.Set("encoding", TextEncodingName(decoded.encoding()));
  record.attrs.Set("byte_order_mark", decoded.has_byte_order_mark());
  record.attrs.Set("newline", NewlineName(lines.dominant()));
  record.attrs.Set("final_newline", lines.has_final_newline());
  return record;
}

KindRule TextFileKindRule() {
  return {"file",
          Matching::kKeyed,
          {{"encoding",
            ChangeClass::kSerialization,
            {"encoding", "byte_order_mark", "newline", "final_newline"}}}};
}

std::shared_ptr<const Segment> NewLineSegment(const DecodedText& decoded,
                                              const ContentHash& digest) {
  const LineSegment::Options options{decoded.mark_size_bytes(), decoded.keeps_offsets(),
                                     decoded.encoding() != TextEncoding::kUnknown8Bit};
  const LineIndex lines(decoded.text());
  return std::make_shared<LineSegment>("", digest,
                                       std::vector<Record>{TextFileRecord(decoded, lines)},
                                       std::string(decoded.text()), options);
}

std::vector<Diagnostic> EncodingDiagnostics(const DecodedText& decoded) {
  std::vector<Diagnostic> diagnostics;
  if (!decoded.is_exact()) {
    diagnostics.push_back(
        {"warning", "invalid_encoding", "", "the UTF-16 has unpaired surrogates, shown as U+FFFD"});
  }
  if (decoded.encoding() != TextEncoding::kUnknown8Bit) return diagnostics;
  const std::string_view text = decoded.text();
  constexpr size_t kNamedMax = 20;
  size_t damaged = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t before = position;
    const bool is_replaced = NextCodePoint(text, position) == 0xFFFD && position == before + 1;
    if (!is_replaced) continue;
    if (++damaged > kNamedMax) continue;
    const uint64_t offset = before + decoded.mark_size_bytes();
    diagnostics.push_back({"warning", "invalid_utf8",
                           "bytes:" + std::to_string(offset) + "-" + std::to_string(offset + 1),
                           "this byte is not UTF-8; it is shown as U+FFFD and kept as it is"});
  }
  if (damaged > kNamedMax) {
    diagnostics.push_back({"note", "invalid_utf8", "",
                           std::to_string(damaged - kNamedMax) + " more bytes are not UTF-8"});
  }
  return diagnostics;
}

Status CheckTextSize(std::string_view bytes, const Limits& limits) {
  constexpr uint64_t kTextBytesMax = uint64_t{3} << 30;  // offsets in text have 32 bits
  if (bytes.size() <= limits.input_bytes_max && bytes.size() <= kTextBytesMax) return OkStatus();
  return Status(ErrorCode::kLimitExceeded,
                "the text has " + std::to_string(bytes.size()) + " bytes, more than the limit");
}

}  // namespace staged
