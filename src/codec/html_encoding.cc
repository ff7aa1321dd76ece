#include "codec/html_encoding.h"

#include <algorithm>

#include "base/utf8.h"

namespace staged {
namespace {

constexpr std::string_view kSpaces = " \t\n\f\r";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

}  // namespace

HtmlCharset HtmlCharsetOf(std::string_view label) {
  const size_t begin = std::min(label.find_first_not_of(kSpaces), label.size());
  const size_t end = label.find_last_not_of(kSpaces);
  const std::string name = Lower(label.substr(begin, end == label.npos ? 0 : end + 1 - begin));
  constexpr std::string_view kUtf8[] = {"utf-8",    "utf8",     "unicode-1-1-utf-8", "utf-16",
                                        "utf-16le", "utf-16be", "x-unicode20utf8",   "unicode"};
  constexpr std::string_view kWindows1252[] = {
      "windows-1252", "cp1252",    "x-cp1252",    "ansi_x3.4-1968", "ascii",          "us-ascii",
      "iso-8859-1",   "iso8859-1", "iso88591",    "iso_8859-1",     "latin1",         "l1",
      "ibm819",       "cp819",     "csisolatin1", "iso-ir-100",     "iso_8859-1:1987"};
  if (std::find(std::begin(kUtf8), std::end(kUtf8), name) != std::end(kUtf8)) {
    return HtmlCharset::kUtf8;
  }
  const auto* const found = std::find(std::begin(kWindows1252), std::end(kWindows1252), name);
  return found != std::end(kWindows1252) ? HtmlCharset::kWindows1252 : HtmlCharset::kUnread;
}

std::string_view HtmlCharsetLabel(std::string_view content) {
  const std::string lower = Lower(content);
  for (size_t at = lower.find("charset"); at != lower.npos; at = lower.find("charset", at)) {
    at = std::min(lower.find_first_not_of(kSpaces, at + 7), lower.size());
    if (at == lower.size() || lower[at] != '=') continue;
    at = std::min(lower.find_first_not_of(kSpaces, at + 1), lower.size());
    if (at == lower.size()) return "";
    if (lower[at] == '"' || lower[at] == '\'') {
      const size_t close = lower.find(lower[at], at + 1);
      return close == lower.npos ? "" : content.substr(at + 1, close - at - 1);
    }
    return content.substr(at, lower.find_first_of(" \t\n\f\r;", at) - at);
  }
  return "";
}

uint32_t Windows1252CodePoint(uint8_t byte) {
  // WHATWG Encoding, index-windows-1252: 0x80 to 0x9F.
  constexpr uint16_t kHigh[] = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};
  return byte >= 0x80 && byte <= 0x9F ? kHigh[byte - 0x80] : byte;
}

std::string HtmlToUtf8(std::string_view bytes, HtmlCharset charset) {
  if (charset == HtmlCharset::kUtf8) {
    return IsValidUtf8(bytes) ? std::string(bytes) : ReplaceInvalidUtf8(bytes);
  }
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    const bool is_read = byte < 0x80 || charset == HtmlCharset::kWindows1252;
    AppendUtf8(out, is_read ? Windows1252CodePoint(byte) : 0xFFFD);
  }
  return out;
}

}  // namespace staged
