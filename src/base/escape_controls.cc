#include "base/escape_controls.h"

namespace staged {

std::string EscapeControls(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (size_t position = 0; position < text.size(); ++position) {
    const auto byte = static_cast<unsigned char>(text[position]);
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\r') {
      out += "\\r";
    } else if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else if (byte == 0xC2 && position + 1 < text.size() &&
               static_cast<unsigned char>(text[position + 1]) >= 0x80 &&
               static_cast<unsigned char>(text[position + 1]) < 0xA0) {
      const auto control = static_cast<unsigned char>(text[++position]);
      out += "\\u00";
      out += kDigits[control >> 4];
      out += kDigits[control & 15];
    } else {
      out += text[position];
    }
  }
  return out;
}

}  // namespace staged
