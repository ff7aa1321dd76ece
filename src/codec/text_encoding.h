#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "staged/status.h"

// Text files as UTF-8, and back to their native bytes.
namespace staged {

enum class TextEncoding : uint8_t {
  kUtf8 = 1,
  kUtf16LittleEndian = 2,
  kUtf16BigEndian = 3,
  kUnknown8Bit = 4,  // ASCII with bytes that are not UTF-8: Latin-1, a mixture, damage
};
[[nodiscard]] std::string_view TextEncodingName(TextEncoding encoding);  // "utf-8", "utf-16le"

// A text without its byte order mark. UTF-8 and 8-bit text is borrowed from the native bytes;
// UTF-16 is converted, unpaired surrogates to U+FFFD.
class DecodedText {
 public:
  // REQUIRES: `bytes` outlive this.
  explicit DecodedText(std::string_view bytes);
  DecodedText(const DecodedText&) = delete;
  DecodedText& operator=(const DecodedText&) = delete;

  [[nodiscard]] std::string_view text() const { return is_utf16() ? converted_ : borrowed_; }
  [[nodiscard]] TextEncoding encoding() const { return encoding_; }
  [[nodiscard]] bool has_byte_order_mark() const { return mark_size_bytes_ != 0; }
  // Where text() begins in the native bytes.
  [[nodiscard]] size_t mark_size_bytes() const { return mark_size_bytes_; }
  // Whether offsets in text() are, plus mark_size_bytes(), offsets in the native bytes.
  [[nodiscard]] bool keeps_offsets() const { return !is_utf16(); }
  // Whether Encode(text()) gives the native bytes back.
  [[nodiscard]] bool is_exact() const { return is_exact_; }

  // The native bytes for an edited text(), with the same byte order mark and encoding. Errors:
  // kUnsupportedEdit when the encoding cannot be written without loss.
  [[nodiscard]] Result<std::string> Encode(std::string_view text) const;
  // Whether new text may be put into this file. Errors: kUnsupportedEdit (non-ASCII text for a file
  // whose encoding is unknown), kInvalidArgument (not UTF-8).
  [[nodiscard]] Status CheckInsertable(std::string_view inserted) const;

 private:
  [[nodiscard]] bool is_utf16() const {
    return encoding_ == TextEncoding::kUtf16LittleEndian ||
           encoding_ == TextEncoding::kUtf16BigEndian;
  }

  std::string_view borrowed_;
  std::string converted_;
  TextEncoding encoding_ = TextEncoding::kUtf8;
  size_t mark_size_bytes_ = 0;
  bool is_exact_ = true;
};

// UTF-16LE without a byte order mark; unpaired surrogates become U+FFFD.
[[nodiscard]] std::string Utf16LittleEndianToUtf8(std::string_view bytes);

// Whether `bytes` read as text: UTF-16 with a byte order mark, or no NUL byte and, in the first 64
// KiB, few control characters and bytes that are not UTF-8. The empty input is text.
[[nodiscard]] bool LooksLikeText(std::string_view bytes);

}  // namespace staged
