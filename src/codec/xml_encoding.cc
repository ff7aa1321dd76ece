#include <algorithm>

#include "base/utf8.h"
#include "codec/xml.h"

// Which encoding an XML entity is in (XML 1.0, appendix F) and its conversion to UTF-8.
namespace staged {
namespace {

enum class Encoding : uint8_t { kUtf8, kUtf16Little, kUtf16Big, kLatin1, kUnknown };

// The name in encoding="..." of an XML declaration in an ASCII-compatible encoding, lower case.
std::string DeclaredEncoding(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return "";
  const std::string_view declaration = bytes.substr(0, bytes.substr(0, 1024).find("?>"));
  size_t position = declaration.find("encoding");
  if (position == std::string_view::npos) return "";
  position = declaration.find_first_of("\"'", position);
  if (position == std::string_view::npos) return "";
  const size_t end = declaration.find(declaration[position], position + 1);
  if (end == std::string_view::npos) return "";
  std::string name(declaration.substr(position + 1, end - position - 1));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return name;
}

Encoding DetectEncoding(std::string_view bytes, std::string& name) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return Encoding::kUtf8;
  if (bytes.starts_with("\xFF\xFE")) return Encoding::kUtf16Little;
  if (bytes.starts_with("\xFE\xFF")) return Encoding::kUtf16Big;
  if (bytes.starts_with(std::string_view("<\0", 2))) return Encoding::kUtf16Little;
  if (bytes.starts_with(std::string_view("\0<", 2))) return Encoding::kUtf16Big;
  name = DeclaredEncoding(bytes);
  // A part that calls itself UTF-16 in plain ASCII can only be ASCII-compatible.
  if (name.empty() || name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii" ||
      name.starts_with("utf-16")) {
    return Encoding::kUtf8;
  }
  if (name == "iso-8859-1" || name == "latin1") return Encoding::kLatin1;
  return Encoding::kUnknown;
}

Result<std::string> FromUtf16(std::string_view bytes, bool is_little) {
  std::string out;
  out.reserve(bytes.size());
  const auto unit_at = [&](size_t offset) {
    const auto first = static_cast<uint8_t>(bytes[offset]);
    const auto second = static_cast<uint8_t>(bytes[offset + 1]);
    return static_cast<uint32_t>(is_little ? first | second << 8 : first << 8 | second);
  };
  size_t position = 0;
  if (bytes.size() >= 2 && unit_at(0) == 0xFEFF) position = 2;
  while (position + 1 < bytes.size()) {
    const uint32_t unit = unit_at(position);
    position += 2;
    if (unit < 0xD800 || unit > 0xDFFF) {
      AppendUtf8(out, unit);
      continue;
    }
    const uint32_t low = position + 1 < bytes.size() ? unit_at(position) : 0;
    if (unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF) {
      return Status(ErrorCode::kParseFailed, "the XML is damaged at byte " +
                                                 std::to_string(position - 2) +
                                                 ": half a UTF-16 surrogate pair");
    }
    position += 2;
    AppendUtf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
  }
  if (position != bytes.size()) {
    return Status(ErrorCode::kParseFailed, "the XML ends inside a UTF-16 character");
  }
  return out;
}

}  // namespace

Result<std::string> XmlTakeAsUtf8(std::string bytes) {
  std::string name;
  switch (DetectEncoding(bytes, name)) {
    case Encoding::kUtf8:
      return bytes;
    case Encoding::kUtf16Little:
      return FromUtf16(bytes, true);
    case Encoding::kUtf16Big:
      return FromUtf16(bytes, false);
    case Encoding::kLatin1: {
      std::string out;
      out.reserve(bytes.size());
      for (const char c : bytes) AppendUtf8(out, static_cast<uint8_t>(c));
      return out;
    }
    case Encoding::kUnknown:
      break;
  }
  return Status(ErrorCode::kParseFailed,
                "the XML encoding '" + name + "' is not supported; save the part as UTF-8");
}

bool XmlIsUtf8(std::string_view bytes) {
  std::string name;
  return DetectEncoding(bytes, name) == Encoding::kUtf8;
}

Result<std::string> XmlToUtf8(std::string_view bytes) { return XmlTakeAsUtf8(std::string(bytes)); }

}  // namespace staged
