#include "codec/text_encoding.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace staged {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";
constexpr uint32_t kReplacement = 0xFFFD;

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Unpaired surrogates become U+FFFD; whether there were none is the answer.
bool Utf16ToUtf8(std::string_view bytes, bool is_big_endian, std::string& out) {
  const auto unit_at = [&](size_t position) -> uint32_t {
    const auto first = static_cast<uint8_t>(bytes[position]);
    const auto second = static_cast<uint8_t>(bytes[position + 1]);
    return is_big_endian ? (first << 8) | second : (second << 8) | first;
  };
  bool is_exact = bytes.size() % 2 == 0;
  out.reserve(bytes.size() / 2 + bytes.size() / 8);
  size_t position = 0;
  while (position + 1 < bytes.size()) {
    uint32_t unit = unit_at(position);
    position += 2;
    if (IsHighSurrogate(unit) && position + 1 < bytes.size() && IsLowSurrogate(unit_at(position))) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (unit_at(position) - 0xDC00);
      position += 2;
    } else if (IsHighSurrogate(unit) || IsLowSurrogate(unit)) {
      is_exact = false;
      unit = kReplacement;
    }
    AppendUtf8(out, unit);
  }
  return is_exact;
}

std::string Utf8ToUtf16(std::string_view text, bool is_big_endian) {
  std::string out;
  out.reserve(text.size() * 2);
  const auto put = [&](uint32_t unit) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    out.push_back(is_big_endian ? high : low);
    out.push_back(is_big_endian ? low : high);
  };
  for (size_t position = 0; position < text.size();) {
    const uint32_t code_point = NextCodePoint(text, position);
    if (code_point < 0x10000) {
      put(code_point);
    } else {
      put(0xD800 + ((code_point - 0x10000) >> 10));
      put(0xDC00 + ((code_point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

}  // namespace

std::string_view TextEncodingName(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::kUtf8:
      return "utf-8";
    case TextEncoding::kUtf16LittleEndian:
      return "utf-16le";
    case TextEncoding::kUtf16BigEndian:
      return "utf-16be";
    case TextEncoding::kUnknown8Bit:
      return "unknown-8bit";
  }
  return "unknown-8bit";
}

DecodedText::DecodedText(std::string_view bytes) {
  if (bytes.starts_with(kUtf16LittleMark) || bytes.starts_with(kUtf16BigMark)) {
    const bool is_big_endian = bytes.starts_with(kUtf16BigMark);
    encoding_ = is_big_endian ? TextEncoding::kUtf16BigEndian : TextEncoding::kUtf16LittleEndian;
    mark_size_bytes_ = kUtf16BigMark.size();
    is_exact_ = Utf16ToUtf8(bytes.substr(mark_size_bytes_), is_big_endian, converted_);
    return;
  }
  if (bytes.starts_with(kUtf8Mark)) mark_size_bytes_ = kUtf8Mark.size();
  borrowed_ = bytes.substr(mark_size_bytes_);
  if (!IsValidUtf8(borrowed_)) encoding_ = TextEncoding::kUnknown8Bit;
}

Result<std::string> DecodedText::Encode(std::string_view text) const {
  if (!is_utf16()) {
    std::string bytes(has_byte_order_mark() ? kUtf8Mark : std::string_view());
    bytes.append(text);
    return bytes;
  }
  if (!is_exact_) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the file's UTF-16 has unpaired surrogates that an edit would lose; "
                  "write the whole file instead");
  }
  const bool is_big_endian = encoding_ == TextEncoding::kUtf16BigEndian;
  std::string bytes(is_big_endian ? kUtf16BigMark : kUtf16LittleMark);
  bytes.append(Utf8ToUtf16(text, is_big_endian));
  return bytes;
}

Status DecodedText::CheckInsertable(std::string_view inserted) const {
  if (!IsValidUtf8(inserted)) {
    return Status(ErrorCode::kInvalidArgument, "the new text is not UTF-8; convert it first");
  }
  const bool is_ascii = std::all_of(inserted.begin(), inserted.end(),
                                    [](char c) { return static_cast<uint8_t>(c) < 0x80; });
  if (encoding_ == TextEncoding::kUnknown8Bit && !is_ascii) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the file is not UTF-8, so only ASCII can be inserted; convert the file to UTF-8 "
                  "with a whole-file write first");
  }
  return OkStatus();
}

namespace {

// Control bytes that no text has: all but tab, newlines, bell, backspace and escape.
bool IsSuspicious(uint8_t byte) {
  const bool is_control = (byte < 0x20) & ((byte < 0x07) | (byte > 0x0D)) & (byte != 0x1B);
  return is_control | (byte == 0x7F);
}

constexpr size_t kBlockSizeBytes = 64;

// The suspicious bytes of a block, or SIZE_MAX if it has bytes beyond ASCII.
size_t SuspiciousInBlock(const char* block) {
  uint8_t all = 0, count = 0;
  for (size_t i = 0; i < kBlockSizeBytes; ++i) {
    const auto byte = static_cast<uint8_t>(block[i]);
    all |= byte;
    count = static_cast<uint8_t>(count + IsSuspicious(byte));
  }
  return all < 0x80 ? count : SIZE_MAX;
}

}  // namespace

std::string Utf16LittleEndianToUtf8(std::string_view bytes) {
  std::string out;
  static_cast<void>(Utf16ToUtf8(bytes, false, out));
  return out;
}

bool LooksLikeText(std::string_view bytes) {
  if (bytes.starts_with(kUtf16LittleMark) || bytes.starts_with(kUtf16BigMark)) {
    return bytes.size() % 2 == 0;
  }
  if (bytes.empty()) return true;
  if (std::memchr(bytes.data(), 0, bytes.size()) != nullptr) return false;
  constexpr size_t kSampleSizeBytes = 64 << 10;
  const std::string_view sample = bytes.substr(0, kSampleSizeBytes);
  size_t suspicious = 0;
  for (size_t position = 0; position < sample.size();) {
    if (position % kBlockSizeBytes == 0 && sample.size() - position >= kBlockSizeBytes) {
      const size_t in_block = SuspiciousInBlock(sample.data() + position);
      if (in_block != SIZE_MAX) {
        suspicious += in_block;
        position += kBlockSizeBytes;
        continue;
      }
    }
    const auto byte = static_cast<uint8_t>(sample[position]);
    if (byte < 0x80) {
      suspicious += IsSuspicious(byte) ? 1 : 0;
      ++position;
      continue;
    }
    const size_t before = position;
    if (NextCodePoint(sample, position) == kReplacement && position == before + 1) ++suspicious;
  }
  constexpr size_t kSuspiciousShareMax = 8;  // one byte in eight
  return suspicious * kSuspiciousShareMax <= sample.size();
}

}  // namespace staged
