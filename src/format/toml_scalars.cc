#include "format/toml_scalars.h"

#include <algorithm>

#include "base/utf8.h"
#include "format/toml_parser.h"

namespace staged {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

uint32_t HexValue(char c) {
  if (c <= '9') return static_cast<uint32_t>(c - '0');
  return static_cast<uint32_t>((c | 0x20) - 'a') + 10;
}

// Behind the backslash at `position`; moves behind the escape.
bool ReadEscape(std::string_view text, size_t& position, bool is_multiline, std::string& out) {
  if (position >= text.size()) return false;
  const char kind = text[position++];
  constexpr std::string_view kLetters = "btnfr\"\\";
  constexpr std::string_view kMeanings = "\b\t\n\f\r\"\\";
  const size_t letter = kLetters.find(kind);
  if (letter != std::string_view::npos) {
    out.push_back(kMeanings[letter]);
    return true;
  }
  if (kind == 'u' || kind == 'U') {
    const size_t digits = kind == 'u' ? 4 : 8;
    if (position + digits > text.size()) return false;
    uint32_t code_point = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char c = text[position++];
      if (!IsHexDigit(c)) return false;
      code_point = code_point * 16 + HexValue(c);
    }
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) return false;
    AppendUtf8(out, code_point);
    return true;
  }
  if (!is_multiline) return false;
  // A backslash before the line's end: all white space up to the next character goes.
  --position;
  const size_t line = text.find_first_not_of(" \t\r", position);
  if (line == std::string_view::npos || text[line] != '\n') return false;
  position = std::min(text.find_first_not_of(" \t\r\n", line), text.size());
  return true;
}

bool IsControl(char c) { return (static_cast<uint8_t>(c) < 0x20 && c != '\t') || c == 0x7F; }

bool AllDigits(std::string_view text, std::string_view digits) {
  bool was_digit = false;
  for (const char c : text) {
    if (c == '_') {
      if (!was_digit) return false;
      was_digit = false;
      continue;
    }
    if (digits.find(c) == std::string_view::npos) return false;
    was_digit = true;
  }
  return was_digit;
}

bool IsDecimal(std::string_view text) {
  return AllDigits(text, kDigits) && (text.size() == 1 || text[0] != '0');
}

bool IsNumber(std::string_view text) {
  if (text.starts_with("0x")) return AllDigits(text.substr(2), "0123456789abcdefABCDEF");
  if (text.starts_with("0o")) return AllDigits(text.substr(2), "01234567");
  if (text.starts_with("0b")) return AllDigits(text.substr(2), "01");
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "inf" || text == "nan") return true;
  const size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view power = text.substr(exponent + 1);
    if (!power.empty() && (power[0] == '-' || power[0] == '+')) power.remove_prefix(1);
    if (!AllDigits(power, kDigits)) return false;
    text = text.substr(0, exponent);
  }
  const size_t point = text.find('.');
  if (point == std::string_view::npos) return IsDecimal(text);
  return IsDecimal(text.substr(0, point)) && AllDigits(text.substr(point + 1), kDigits);
}

// `pattern` with 0 for a digit; anything else stands for itself.
bool HasPattern(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (pattern[i] == '0' ? !is_digit : text[i] != pattern[i]) return false;
  }
  return true;
}

int TwoDigits(std::string_view text, size_t at) {
  return (text[at] - '0') * 10 + text[at + 1] - '0';
}

bool IsTime(std::string_view text) {
  if (!HasPattern(text, "00:00:00")) return false;
  if (TwoDigits(text, 0) > 23 || TwoDigits(text, 3) > 59 || TwoDigits(text, 6) > 60) return false;
  text.remove_prefix(8);
  return text.empty() || (text[0] == '.' && text.size() > 1 &&
                          text.substr(1).find_first_not_of(kDigits) == std::string_view::npos);
}

bool IsDate(std::string_view text) {
  if (!HasPattern(text, "0000-00-00")) return false;
  const int year = TwoDigits(text, 0) * 100 + TwoDigits(text, 2);
  const int month = TwoDigits(text, 5), day = TwoDigits(text, 8);
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

bool IsDateOrTime(std::string_view text) {
  constexpr size_t kDateSize = 10;
  if (IsTime(text)) return true;
  if (!IsDate(text)) return false;
  if (text.size() == kDateSize) return true;
  if (std::string_view("Tt ").find(text[kDateSize]) == std::string_view::npos) return false;
  text.remove_prefix(kDateSize + 1);
  if (text.ends_with('Z') || text.ends_with('z')) return IsTime(text.substr(0, text.size() - 1));
  const size_t sign = text.find_first_of("+-");
  if (sign == std::string_view::npos) return IsTime(text);
  const std::string_view zone = text.substr(sign + 1);
  return IsTime(text.substr(0, sign)) && HasPattern(zone, "00:00") && zone.size() == 5 &&
         TwoDigits(zone, 0) <= 23 && TwoDigits(zone, 3) <= 59;
}

}  // namespace

DataType BareTomlType(std::string_view text) {
  if (text == "true" || text == "false") return DataType::kBoolean;
  if (IsNumber(text)) return DataType::kNumber;
  return IsDateOrTime(text) ? DataType::kDate : DataType::kString;
}

TomlString ReadTomlString(std::string_view text, size_t& position) {
  TomlString read;
  const char quote = text[position];
  const bool is_basic = quote == '"';
  const std::string three(3, quote);
  const bool is_multiline = text.substr(position, 3) == three;
  read.style = is_multiline ? (is_basic ? "multiline_basic" : "multiline_literal")
                            : (is_basic ? "basic" : "literal");
  position += is_multiline ? 3 : 1;
  if (is_multiline && text.substr(position, 2) == "\r\n") ++position;
  if (is_multiline && text.substr(position, 1) == "\n") ++position;
  while (position < text.size()) {
    const char c = text[position];
    if (c == quote && (!is_multiline || text.substr(position, 3) == three)) {
      position += is_multiline ? 3 : 1;
      // Up to two more quotes belong to the text.
      for (int i = 0; is_multiline && i < 2 && position < text.size() && text[position] == quote;
           ++i) {
        read.text.push_back(quote);
        ++position;
      }
      if (!IsValidUtf8(read.text)) read.error = "the string is not UTF-8";
      return read;
    }
    if (c == '\\' && is_basic) {
      ++position;
      if (ReadEscape(text, position, is_multiline, read.text)) continue;
      read.error = "this escape is none of TOML's";
      return read;
    }
    const bool is_newline = c == '\n' || (c == '\r' && text.substr(position, 2) == "\r\n");
    if (is_newline ? !is_multiline : IsControl(c)) break;
    if (c != '\r' || !is_newline) read.text.push_back(c);
    ++position;
  }
  read.error = "the string has no end, or a control character inside";
  return read;
}

std::string WriteTomlString(std::string_view text, std::string_view style,
                            std::string_view newline) {
  const bool is_plain = std::none_of(text.begin(), text.end(), IsControl);
  if (style == "literal" && is_plain && text.find('\'') == std::string_view::npos) {
    return "'" + std::string(text) + "'";
  }
  const bool is_multiline =
      style.starts_with("multiline") && text.find('\n') != std::string_view::npos;
  std::string out = is_multiline ? "\"\"\"" + std::string(newline) : "\"";
  for (const char c : text) {
    constexpr std::string_view kSpecial = "\b\t\n\f\r\"\\";
    constexpr std::string_view kLetters = "btnfr\"\\";
    const size_t special = kSpecial.find(c);
    if (is_multiline && c == '\n') {
      out += newline;
    } else if (special != std::string_view::npos) {
      out += '\\';
      out += kLetters[special];
    } else if (IsControl(c)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[static_cast<uint8_t>(c) >> 4];
      out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  return out + (is_multiline ? "\"\"\"" : "\"");
}

std::string WriteTomlKey(std::string_view key) {
  const bool is_bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  return is_bare ? std::string(key) : WriteTomlString(key, "basic", "\n");
}

std::optional<std::string> WriteTomlValue(const Value& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return WriteTomlString(value.as_string(), "basic", "\n");
  if (!value.is_array() && !value.is_object()) return DataScalarText(value);
  std::string out;
  const size_t size = value.is_array() ? value.as_array().size() : value.as_object().size();
  for (size_t i = 0; i < size; ++i) {
    const Value& child = value.is_array() ? value.as_array()[i] : value.as_object()[i].second;
    const std::optional<std::string> text = WriteTomlValue(child);
    if (!text) return std::nullopt;
    if (i > 0) out += ", ";
    if (value.is_object()) out += WriteTomlKey(value.as_object()[i].first) + " = ";
    out += *text;
  }
  if (value.is_array()) return "[" + out + "]";
  return out.empty() ? "{}" : "{ " + out + " }";
}

}  // namespace staged
