#include "formats/xlsx/shared_strings.h"

#include "base/utf8.h"
#include "codec/xml.h"
#include "formats/xlsx/looks.h"

namespace staged::xlsx {
namespace {

constexpr size_t kEscapeSizeBytes = 7;  // "_x000D_"

// The code unit of an escape that begins at `at`.
std::optional<uint32_t> ReadEscape(std::string_view text, size_t at) {
  if (text.size() - at < kEscapeSizeBytes || text[at] != '_' || text[at + 1] != 'x' ||
      text[at + 6] != '_') {
    return std::nullopt;
  }
  uint32_t unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
    unit = unit * 16 + digit;
  }
  return unit;
}

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

}  // namespace

std::string DecodeXstring(std::string text) {
  if (text.find("_x") == std::string::npos) return text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::optional<uint32_t> unit = ReadEscape(text, at);
    if (!unit) {
      out.push_back(text[at++]);
      continue;
    }
    at += kEscapeSizeBytes;
    uint32_t code_point = *unit;
    if (IsHighSurrogate(code_point) && at < text.size()) {
      const std::optional<uint32_t> low = ReadEscape(text, at);
      if (low && IsLowSurrogate(*low)) {
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (*low - 0xDC00);
        at += kEscapeSizeBytes;
      }
    }
    AppendUtf8(out, code_point);
  }
  return out;
}

std::string EncodeXstring(std::string_view text) {
  const auto escape = [](uint32_t unit) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out = "_x0000_";
    for (int i = 0; i < 4; ++i) {
      out[static_cast<size_t>(5 - i)] = kDigits[(unit >> (4 * i)) & 15];
    }
    return out;
  };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (ReadEscape(text, at)) {  // a literal "_x0041_" must not be read as an escape
      out += escape('_');
      ++at;
      continue;
    }
    size_t next = at;
    const uint32_t code_point = NextCodePoint(text, next);
    const bool is_control = code_point < 0x20 && code_point != '\t' && code_point != '\n';
    if (is_control || code_point == 0xFFFE || code_point == 0xFFFF) {
      out += escape(code_point);
    } else {
      out.append(text.substr(at, next - at));
    }
    at = next;
  }
  return XmlEscapeText(out);
}

SharedStrings SharedStrings::Read(std::string_view xml, const Limits& limits, Status* status) {
  SharedStrings strings;
  XmlTokenizer tokenizer(xml, limits);
  bool in_item = false;
  bool in_text = false;
  bool plain = true;
  size_t item_begin = 0;
  std::string item;
  *status = OkStatus();
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type == XmlTokenType::kText || token.type == XmlTokenType::kCData) {
      if (!in_text) continue;
      if (token.type == XmlTokenType::kText) {
        XmlDecodeTo(token.raw, item);
      } else {
        item.append(token.raw);
      }
      continue;
    }
    if (token.type != XmlTokenType::kStart && token.type != XmlTokenType::kEnd) continue;
    const bool starts = token.type == XmlTokenType::kStart;
    const std::string_view name = token.local_name();
    if (name == "si") {
      if (starts) {
        item.clear();
        plain = true;
        item_begin = token.begin;
      } else if (in_item) {
        if (item.find("_x") != std::string::npos) item = DecodeXstring(std::move(item));
        if (!plain) {
          const PartTree tree(xml.substr(item_begin, token.end - item_begin), limits);
          Rich rich{RunLooks(tree, 0), PhoneticText(tree, 0)};
          const bool is_rich = !rich.runs.empty() || !rich.phonetic.empty();
          if (is_rich) strings.rich_.emplace(strings.ends_.size(), std::move(rich));
        }
        strings.pool_.append(item);
        strings.ends_.push_back(strings.pool_.size());
        strings.is_plain_.push_back(plain);
      }
      in_item = starts;
    } else if (in_item && name == "t") {
      in_text = starts;
    } else if (in_item && starts) {
      plain = false;
      if (name == "rPh" || name == "phoneticPr" || name == "rPr") {
        if (const Result<size_t> end = tokenizer.SkipElement(); !end.ok()) break;
      }
    }
  }
  *status = tokenizer.status();
  return strings;
}

std::optional<size_t> SharedStrings::FindPlain(std::string_view text) const {
  for (size_t i = 0; i < ends_.size(); ++i) {
    if (is_plain_[i] && at(i) == text) return i;
  }
  return std::nullopt;
}

}  // namespace staged::xlsx
