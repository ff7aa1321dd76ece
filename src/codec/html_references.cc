#include "codec/html_references.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/utf8.h"
#include "codec/html_encoding.h"

namespace staged {
namespace {

struct NamedReference {
  std::string_view name;
  uint32_t first = 0;
  uint32_t second = 0;  // 0 where there is one character only
  bool ends_anywhere = false;
};

constexpr std::string_view kNamedReferences =
#include "codec/html_named_references.inc"
    ;

uint32_t ReadHexadecimal(std::string_view digits) {
  uint32_t code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  return code;
}

std::vector<NamedReference> ReadTable() {
  std::vector<NamedReference> table;
  std::string_view rest = kNamedReferences;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(' '));
    rest.remove_prefix(entry.size() + 1);
    const size_t sign = entry.find_first_of(":!");
    const size_t comma = std::min(entry.find(','), entry.size());
    NamedReference& reference = table.emplace_back();
    reference.name = entry.substr(0, sign);
    reference.ends_anywhere = entry[sign] == '!';
    reference.first = ReadHexadecimal(entry.substr(sign + 1, comma - sign - 1));
    if (comma < entry.size()) reference.second = ReadHexadecimal(entry.substr(comma + 1));
  }
  return table;
}

const NamedReference* FindNamed(std::string_view name) {
  static const std::vector<NamedReference> table = ReadTable();
  const auto found = std::lower_bound(
      table.begin(), table.end(), name,
      [](const NamedReference& reference, std::string_view key) { return reference.name < key; });
  return found != table.end() && found->name == name ? &*found : nullptr;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsHexadecimal(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Section 13.2.5.80: C1 controls are meant as windows-1252; what is no character is U+FFFD.
uint32_t Repaired(uint64_t code) {
  if (code == 0 || code > 0x10FFFF) return 0xFFFD;
  if (code >= 0x80 && code <= 0x9F) return Windows1252CodePoint(static_cast<uint8_t>(code));
  return static_cast<uint32_t>(code);
}

bool DecodeNumeric(std::string_view text, size_t& position, std::string& out) {
  size_t at = position + 2;
  const bool is_hexadecimal = at < text.size() && (text[at] == 'x' || text[at] == 'X');
  if (is_hexadecimal) ++at;
  const size_t digits = at;
  uint64_t code = 0;
  while (at < text.size() && (is_hexadecimal ? IsHexadecimal(text[at]) : IsDigit(text[at]))) {
    const char c = text[at];
    const uint64_t digit =
        IsDigit(c) ? static_cast<uint64_t>(c - '0') : static_cast<uint64_t>((c | 0x20) - 'a' + 10);
    code = std::min<uint64_t>(code * (is_hexadecimal ? 16 : 10) + digit, 0x110000);
    ++at;
  }
  if (at == digits) return false;
  if (at < text.size() && text[at] == ';') ++at;
  AppendUtf8(out, Repaired(code));
  position = at;
  return true;
}

}  // namespace

bool DecodeHtmlReference(std::string_view text, HtmlContext context, size_t& position,
                         std::string& out) {
  if (position + 1 < text.size() && text[position + 1] == '#') {
    return DecodeNumeric(text, position, out);
  }
  constexpr size_t kNameBytesMax = 31;
  const std::string_view rest = text.substr(position + 1, kNameBytesMax + 1);
  size_t length = 0;
  while (length < rest.size() && IsAlphanumeric(rest[length])) ++length;
  const NamedReference* named = nullptr;
  size_t end = 0;
  if (length < rest.size() && rest[length] == ';') {
    named = FindNamed(rest.substr(0, length));
    end = length + 1;
  }
  constexpr size_t kBareNameBytesMax = 6;
  for (size_t size = std::min(length, kBareNameBytesMax); named == nullptr && size > 1; --size) {
    const NamedReference* candidate = FindNamed(rest.substr(0, size));
    if (candidate == nullptr || !candidate->ends_anywhere) continue;
    const bool goes_on = size < rest.size() && (rest[size] == '=' || IsAlphanumeric(rest[size]));
    if (context == HtmlContext::kAttribute && goes_on) return false;
    named = candidate;
    end = size;
  }
  if (named == nullptr) return false;
  AppendUtf8(out, named->first);
  if (named->second != 0) AppendUtf8(out, named->second);
  position += 1 + end;
  return true;
}

std::string DecodeHtmlReferences(std::string_view text, HtmlContext context) {
  std::string out;
  out.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t reference = std::min(text.find('&', position), text.size());
    out.append(text.substr(position, reference - position));
    position = reference;
    if (position == text.size()) break;
    if (!DecodeHtmlReference(text, context, position, out)) out.push_back(text[position++]);
  }
  return out;
}

std::string EscapeHtml(std::string_view text, char quote, bool ascii_only) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (size_t position = 0; position < text.size();) {
    const char c = text[position];
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == quote && quote != '\0') {
      out += quote == '"' ? "&quot;" : "&#39;";
    } else if (ascii_only && static_cast<uint8_t>(c) >= 0x80) {
      out += "&#" + std::to_string(NextCodePoint(text, position)) + ";";
      continue;
    } else {
      out.push_back(c);
    }
    ++position;
  }
  return out;
}

}  // namespace staged
