#include "codec/html_encoding.h"

#include <algorithm>

#include "base/utf8.h"

namespace staged {
namespace {

constexpr std::string_view kSpaces = " \t\n\f\r";

// The labels of WHATWG Encoding, section 4.2, in lower case. x-user-defined is read as windows-1252
// (WHATWG HTML, section 13.2.3.2).
constexpr std::string_view kUtf8Labels[] = {
    "utf-8",           "utf8",        "unicode-1-1-utf-8", "unicode11utf8",   "unicode20utf8",
    "x-unicode20utf8", "utf-16",      "utf-16le",          "utf-16be",        "unicode",
    "unicodefeff",     "unicodefffe", "csunicode",         "iso-10646-ucs-2", "ucs-2"};
constexpr std::string_view kWindows1252Labels[] = {
    "windows-1252",    "cp1252",        "x-cp1252",    "ansi_x3.4-1968",
    "ascii",           "us-ascii",      "iso-8859-1",  "iso8859-1",
    "iso88591",        "iso_8859-1",    "latin1",      "l1",
    "ibm819",          "cp819",         "csisolatin1", "iso-ir-100",
    "iso_8859-1:1987", "x-user-defined"};
// Of encodings that are not decoded here, each between spaces.
constexpr std::string_view kOtherLabels =
    " 866 arabic asmo-708 big5 big5-hkscs chinese cn-big5 cp1250 cp1251 cp1253 cp1254 cp1255 "
    "cp1256 cp1257 cp1258 cp866 csbig5 cseuckr cseucpkdfmtjapanese csgb2312 csibm866 "
    "csiso2022jp csiso2022kr csiso58gb231280 csiso88596e csiso88596i csiso88598e csiso88598i "
    "csisolatin2 csisolatin3 csisolatin4 csisolatin5 csisolatin6 csisolatin9 csisolatinarabic "
    "csisolatincyrillic csisolatingreek csisolatinhebrew cskoi8r csksc56011987 csmacintosh "
    "csshiftjis cyrillic dos-874 ecma-114 ecma-118 elot_928 euc-jp euc-kr gb18030 gb2312 "
    "gb_2312 gb_2312-80 gbk greek greek8 hebrew hz-gb-2312 ibm866 iso-2022-cn iso-2022-cn-ext "
    "iso-2022-jp iso-2022-kr iso-8859-10 iso-8859-11 iso-8859-13 iso-8859-14 iso-8859-15 "
    "iso-8859-16 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-8859-7 iso-8859-8 iso-8859-8-e iso-8859-8-i iso-8859-9 iso-ir-101 "
    "iso-ir-109 iso-ir-110 iso-ir-126 iso-ir-127 iso-ir-138 iso-ir-144 iso-ir-148 iso-ir-149 "
    "iso-ir-157 iso-ir-58 iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-2 "
    "iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso885910 iso885911 "
    "iso885913 iso885914 iso885915 iso88592 iso88593 iso88594 iso88595 iso88596 iso88597 "
    "iso88598 iso88599 iso_8859-15 iso_8859-2 iso_8859-2:1987 iso_8859-3 iso_8859-3:1988 "
    "iso_8859-4 iso_8859-4:1988 iso_8859-5 iso_8859-5:1988 iso_8859-6 iso_8859-6:1987 "
    "iso_8859-7 iso_8859-7:1987 iso_8859-8 iso_8859-8:1988 iso_8859-9 iso_8859-9:1989 koi koi8 "
    "koi8-r koi8-ru koi8-u koi8_r korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 l2 l3 "
    "l4 l5 l6 l9 latin2 latin3 latin4 latin5 latin6 logical mac macintosh ms932 ms_kanji "
    "replacement shift-jis shift_jis sjis sun_eu_greek tis-620 visual windows-1250 windows-1251 "
    "windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-31j "
    "windows-874 windows-949 x-cp1250 x-cp1251 x-cp1253 x-cp1254 x-cp1255 x-cp1256 x-cp1257 "
    "x-cp1258 x-euc-jp x-gbk x-mac-cyrillic x-mac-roman x-mac-ukrainian x-sjis x-x-big5 ";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

}  // namespace

std::optional<HtmlCharset> HtmlCharsetOf(std::string_view label) {
  const size_t begin = std::min(label.find_first_not_of(kSpaces), label.size());
  const size_t end = label.find_last_not_of(kSpaces);
  const std::string name = Lower(label.substr(begin, end == label.npos ? 0 : end + 1 - begin));
  const auto is_in = [&name](const auto& labels) {
    return std::find(std::begin(labels), std::end(labels), name) != std::end(labels);
  };
  if (is_in(kUtf8Labels)) return HtmlCharset::kUtf8;
  if (is_in(kWindows1252Labels)) return HtmlCharset::kWindows1252;
  const bool is_word = !name.empty() && name.find(' ') == name.npos;
  if (!is_word || kOtherLabels.find(" " + name + " ") == kOtherLabels.npos) return std::nullopt;
  return HtmlCharset::kUnread;
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
