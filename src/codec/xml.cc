#include "codec/xml.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/utf8.h"

namespace staged {
namespace {

enum CharClass : uint8_t {
  kSpace = 1,
  kNameStart = 2,
  kNameChar = 4,
  kTextStop = 8,
  kValueStop = 16,
};

constexpr std::array<uint8_t, 256> MakeCharClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
    const bool digit = (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (letter || c >= 0x80) classes[c] |= kNameStart | kNameChar;
    if (digit) classes[c] |= kNameChar;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') classes[c] |= kSpace;
    if (c == '<' || c == '&' || c == ']') classes[c] |= kTextStop;
    if (c == '<' || c == '&' || c == '"' || c == '\'') classes[c] |= kValueStop;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kCharClasses = MakeCharClasses();

bool Is(char c, uint8_t classes) { return (kCharClasses[static_cast<uint8_t>(c)] & classes) != 0; }

bool IsLegalCodePoint(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code <= 0xD7FF || (code >= 0xE000 && code <= 0xFFFD) ||
         (code >= 0x10000 && code <= 0x10FFFF);
}

constexpr size_t kBlockBytes = 64;

// Whether the bytes of a block are all printable ASCII or white space, in a form that compilers
// vectorise: of constant size.
bool IsPlainBlock(const char* bytes) {
  uint8_t bad = 0;
  for (size_t i = 0; i < kBlockBytes; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    bad |= static_cast<uint8_t>(byte >= 0x80) |
           (static_cast<uint8_t>(byte < 0x20) & static_cast<uint8_t>(byte != '\t') &
            static_cast<uint8_t>(byte != '\n') & static_cast<uint8_t>(byte != '\r'));
  }
  return bad == 0;
}

// The offset of the first character that XML does not allow or that is malformed UTF-8.
size_t FindIllegal(std::string_view input) {
  size_t position = 0;
  while (position < input.size()) {
    const size_t block = std::min(kBlockBytes, input.size() - position);
    if (block == kBlockBytes && IsPlainBlock(input.data() + position)) {
      position += block;
      continue;
    }
    const size_t block_end = position + block;
    while (position < block_end) {
      const auto byte = static_cast<uint8_t>(input[position]);
      if (byte < 0x80) {
        if (!IsLegalCodePoint(byte)) return position;
        ++position;
        continue;
      }
      const size_t begin = position;
      const uint32_t code = NextCodePoint(input, position);
      // A replacement character that is not written as one stands for malformed bytes.
      if (!IsLegalCodePoint(code) || (code == 0xFFFD && position - begin != 3)) return begin;
    }
  }
  return input.size();
}

// Names are a few bytes long: a call of memchr costs more than to look at them.
std::string_view LocalName(std::string_view name) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ':') return name.substr(i + 1);
  }
  return name;
}

// The code point of "#10" or "#xA", or nullopt when it is malformed or no legal character.
std::optional<uint32_t> ParseNumericReference(std::string_view body) {
  const bool hex = body.size() > 1 && body[1] == 'x';
  const std::string_view digits = body.substr(hex ? 2 : 1);
  if (digits.empty()) return std::nullopt;
  uint32_t code = 0;
  for (const char c : digits) {
    uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if (hex && c >= 'a' && c <= 'f') {
      digit = static_cast<uint32_t>(c - 'a' + 10);
    } else if (hex && c >= 'A' && c <= 'F') {
      digit = static_cast<uint32_t>(c - 'A' + 10);
    } else {
      return std::nullopt;
    }
    code = code * (hex ? 16 : 10) + digit;
    if (code > 0x10FFFF) return std::nullopt;
  }
  if (!IsLegalCodePoint(code)) return std::nullopt;
  return code;
}

char PredefinedEntity(std::string_view name) {
  if (name == "amp") return '&';
  if (name == "lt") return '<';
  if (name == "gt") return '>';
  if (name == "quot") return '"';
  if (name == "apos") return '\'';
  return '\0';
}

// Appends what the reference at raw[position] == '&' stands for and moves behind it.
void DecodeReference(std::string_view raw, size_t& position, std::string& out) {
  constexpr size_t kReferenceBytesMax = 64;
  const size_t semicolon = raw.substr(position, kReferenceBytesMax).find(';');
  if (semicolon != std::string_view::npos) {
    const std::string_view body = raw.substr(position + 1, semicolon - 1);
    if (const char character = PredefinedEntity(body); character != '\0') {
      out.push_back(character);
      position += semicolon + 1;
      return;
    }
    if (!body.empty() && body[0] == '#') {
      if (const std::optional<uint32_t> code = ParseNumericReference(body)) {
        AppendUtf8(out, *code);
        position += semicolon + 1;
        return;
      }
    }
  }
  out.push_back('&');
  ++position;
}

void Decode(std::string_view raw, bool is_attribute, std::string& out) {
  size_t position = 0;
  while (position < raw.size()) {
    const size_t stop = raw.find_first_of(is_attribute ? "&\r\n\t" : "&\r", position);
    out.append(raw.substr(position, stop - position));
    if (stop == std::string_view::npos) return;
    position = stop;
    if (raw[position] == '&') {
      DecodeReference(raw, position, out);
      continue;
    }
    const bool pair =
        raw[position] == '\r' && position + 1 < raw.size() && raw[position + 1] == '\n';
    out.push_back(is_attribute ? ' ' : '\n');
    position += pair ? 2 : 1;
  }
}

std::string Escape(std::string_view text, std::string_view specials) {
  std::string out;
  out.reserve(text.size());
  size_t position = 0;
  while (position < text.size()) {
    const size_t stop = text.find_first_of(specials, position);
    out.append(text.substr(position, stop - position));
    if (stop == std::string_view::npos) break;
    switch (text[stop]) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      case '"':
        out.append("&quot;");
        break;
      case '\'':
        out.append("&apos;");
        break;
      case '\r':
        out.append("&#13;");
        break;
      case '\n':
        out.append("&#10;");
        break;
      default:
        out.append("&#9;");
        break;
    }
    position = stop + 1;
  }
  return out;
}

}  // namespace

std::string_view XmlAttribute::local_name() const { return LocalName(name); }
std::string_view XmlToken::local_name() const { return LocalName(name); }
std::string_view XmlToken::prefix() const {
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

XmlTokenizer::XmlTokenizer(std::string_view input, const Limits& limits)
    : input_(input), invalid_at_(FindIllegal(input)), depth_max_(limits.depth_max) {
  if (input_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

Result<XmlToken> XmlTokenizer::Next() {
  if (!Read() && failure_) return *failure_;
  return last_;
}

bool XmlTokenizer::Read() {
  if (failure_) return false;
  attributes_.clear();
  if (pending_end_) {
    pending_end_ = false;
    return ReadEnd();
  }
  if (open_.empty()) position_ = SkipSpace(position_);
  if (position_ >= input_.size()) return Finish();
  last_ = XmlToken{.begin = position_};
  if (input_[position_] == '<') return ReadMarkup();
  if (open_.empty()) {
    if (position_ >= invalid_at_) return Fail(invalid_at_, "a character that XML does not allow");
    return Fail(position_,
                seen_root_ ? "text behind the root element" : "text in front of the root element");
  }
  return ReadText();
}

bool XmlTokenizer::Finish() {
  if (!open_.empty()) {
    return Fail(input_.size(),
                "the input ends inside the element '" + std::string(open_.back()) + "'");
  }
  if (!seen_root_) return Fail(input_.size(), "there is no root element");
  last_ = XmlToken{.begin = input_.size(), .end = input_.size()};
  return false;
}

bool XmlTokenizer::Fail(size_t offset, std::string_view reason) {
  last_ = XmlToken{.begin = offset, .end = offset};
  attributes_.clear();
  Value details;
  details.Set("offset", static_cast<int64_t>(offset));
  failure_ = Status(ErrorCode::kParseFailed,
                    "the XML is damaged at byte " + std::to_string(offset) + ": " +
                        std::string(reason) + "; repair or replace this part",
                    std::move(details));
  return false;
}

bool XmlTokenizer::Deliver(XmlTokenType type, size_t end) {
  if (end > invalid_at_) return Fail(invalid_at_, "a character that XML does not allow");
  last_.type = type;
  last_.end = end;
  position_ = end;
  return true;
}

bool XmlTokenizer::ReadEnd() {
  last_ = XmlToken{
      .type = XmlTokenType::kEnd, .name = open_.back(), .begin = position_, .end = position_};
  open_.pop_back();
  return true;
}

bool XmlTokenizer::StartsWith(size_t position, std::string_view text) const {
  return input_.substr(position, text.size()) == text;
}

size_t XmlTokenizer::SkipName(size_t position) const {
  if (position >= input_.size() || !Is(input_[position], kNameStart)) return position;
  while (position < input_.size() && Is(input_[position], kNameChar)) ++position;
  return position;
}

size_t XmlTokenizer::SkipSpace(size_t position) const {
  while (position < input_.size() && Is(input_[position], kSpace)) ++position;
  return position;
}

bool XmlTokenizer::ReadText() {
  size_t position = position_;
  while (position < input_.size()) {
    const char c = input_[position];
    if (!Is(c, kTextStop)) {
      ++position;
    } else if (c == '<') {
      break;
    } else if (c == '&') {
      if (!CheckReference(position)) return false;
    } else if (StartsWith(position, "]]>")) {
      return Fail(position, "']]>' in character data");
    } else {
      ++position;
    }
  }
  last_.raw = input_.substr(position_, position - position_);
  return Deliver(XmlTokenType::kText, position);
}

bool XmlTokenizer::CheckReference(size_t& position) {
  const size_t begin = position + 1;
  size_t end = SkipName(begin);
  if (end == begin && begin < input_.size() && input_[begin] == '#') {
    end = begin + 1;
    while (end < input_.size() && Is(input_[end], kNameChar)) ++end;
    if (!ParseNumericReference(input_.substr(begin, end - begin))) {
      return Fail(position, "a malformed character reference");
    }
  }
  if (end == begin || end >= input_.size() || input_[end] != ';') {
    return Fail(position, "an '&' that starts no reference");
  }
  position = end + 1;
  return true;
}

bool XmlTokenizer::ReadMarkup() {
  if (position_ + 1 >= input_.size()) return Fail(position_, "the input ends inside a tag");
  switch (input_[position_ + 1]) {
    case '/':
      return ReadEndTag();
    case '?':
      return ReadInstruction();
    case '!':
      return ReadDeclaration();
    default:
      return ReadStartTag();
  }
}

bool XmlTokenizer::ReadStartTag() {
  const size_t name_begin = position_ + 1;
  size_t position = SkipName(name_begin);
  if (position == name_begin) return Fail(position_, "a '<' that starts no tag");
  if (open_.empty() && seen_root_) return Fail(position_, "a second root element");
  last_.name = input_.substr(name_begin, position - name_begin);
  const size_t attributes_begin = position;
  while (true) {
    const size_t behind_space = SkipSpace(position);
    if (behind_space >= input_.size()) return Fail(behind_space, "the input ends inside a tag");
    const char c = input_[behind_space];
    if (c == '>' || c == '/') {
      last_.raw = input_.substr(attributes_begin, behind_space - attributes_begin);
      last_.is_empty = c == '/';
      position = behind_space + 1;
      break;
    }
    if (behind_space == position) return Fail(position, "no white space before an attribute");
    position = behind_space;
    if (!ReadAttribute(position)) return false;
  }
  if (last_.is_empty) {
    if (position >= input_.size() || input_[position] != '>') {
      return Fail(position, "a '/' inside a tag");
    }
    ++position;
  }
  if (attributes_.size() > 1 && !CheckUniqueAttributes()) return false;
  if (open_.size() >= depth_max_) {
    failure_ = Status(ErrorCode::kLimitExceeded,
                      "the XML at byte " + std::to_string(position_) + " nests deeper than " +
                          std::to_string(depth_max_) + " elements; raise the limit depth_max");
    return false;
  }
  open_.push_back(last_.name);
  seen_root_ = true;
  pending_end_ = last_.is_empty;
  return Deliver(XmlTokenType::kStart, position);
}

bool XmlTokenizer::ReadAttribute(size_t& position) {
  const size_t name_end = SkipName(position);
  if (name_end == position) return Fail(position, "a malformed attribute name");
  XmlAttribute& attribute = attributes_.emplace_back();
  attribute.begin = position;
  attribute.name = input_.substr(position, name_end - position);
  position = SkipSpace(name_end);
  if (position >= input_.size() || input_[position] != '=') {
    return Fail(position, "an attribute without '='");
  }
  position = SkipSpace(position + 1);
  if (position >= input_.size() || (input_[position] != '"' && input_[position] != '\'')) {
    return Fail(position, "an attribute value without quotes");
  }
  const char quote = input_[position];
  const size_t value_begin = ++position;
  while (true) {
    while (position < input_.size() && !Is(input_[position], kValueStop)) ++position;
    if (position >= input_.size()) return Fail(position, "the input ends inside a tag");
    const char c = input_[position];
    if (c == quote) break;
    if (c == '<') return Fail(position, "a '<' in an attribute value");
    if (c == '&') {
      if (!CheckReference(position)) return false;
    } else {
      ++position;
    }
  }
  attribute.value = input_.substr(value_begin, position - value_begin);
  attribute.end = ++position;
  return true;
}

bool XmlTokenizer::CheckUniqueAttributes() {
  constexpr size_t kPairwiseMax = 8;
  std::optional<std::string_view> twin;
  if (attributes_.size() <= kPairwiseMax) {
    for (size_t i = 1; i < attributes_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const std::string_view one = attributes_[i].name;
        const std::string_view other = attributes_[j].name;
        if (one.size() == other.size() && one.front() == other.front() && one == other) twin = one;
      }
    }
  } else {
    sorted_names_.clear();
    for (const XmlAttribute& attribute : attributes_) sorted_names_.push_back(attribute.name);
    std::sort(sorted_names_.begin(), sorted_names_.end());
    const auto found = std::adjacent_find(sorted_names_.begin(), sorted_names_.end());
    if (found != sorted_names_.end()) twin = *found;
  }
  if (!twin) return true;
  return Fail(position_, "the attribute '" + std::string(*twin) + "' stands twice in one tag");
}

bool XmlTokenizer::ReadEndTag() {
  const size_t name_begin = position_ + 2;
  if (!open_.empty() && StartsWith(name_begin, open_.back())) {
    const size_t name_end = name_begin + open_.back().size();
    size_t close = name_end;
    if (close < input_.size() && input_[close] != '>') close = SkipSpace(close);
    if (close < input_.size() && input_[close] == '>') {
      last_.name = open_.back();
      open_.pop_back();
      return Deliver(XmlTokenType::kEnd, close + 1);
    }
  }
  const size_t name_end = SkipName(name_begin);
  const std::string name(input_.substr(name_begin, name_end - name_begin));
  if (name.empty() || name_end >= input_.size()) return Fail(position_, "a malformed end tag");
  if (open_.empty()) return Fail(position_, "the end tag '" + name + "' closes nothing");
  return Fail(position_,
              "the end tag '" + name + "' does not close '" + std::string(open_.back()) + "'");
}

bool XmlTokenizer::ReadInstruction() {
  const size_t name_begin = position_ + 2;
  const size_t name_end = SkipName(name_begin);
  if (name_end == name_begin) return Fail(position_, "a malformed processing instruction");
  const size_t close = input_.find("?>", name_end);
  if (close == std::string_view::npos) {
    return Fail(position_, "the input ends inside a processing instruction");
  }
  if (close != name_end && !Is(input_[name_end], kSpace)) {
    return Fail(name_end, "a malformed processing instruction");
  }
  last_.name = input_.substr(name_begin, name_end - name_begin);
  const bool reserved = last_.name.size() == 3 && (last_.name[0] | 0x20) == 'x' &&
                        (last_.name[1] | 0x20) == 'm' && (last_.name[2] | 0x20) == 'l';
  const bool at_start = position_ == 0 || (position_ == 3 && input_.starts_with("\xEF\xBB\xBF"));
  if (reserved && (!at_start || last_.name != "xml")) {
    return Fail(position_, "an XML declaration that is not at the start");
  }
  last_.raw = input_.substr(name_end, close - name_end);
  return Deliver(XmlTokenType::kInstruction, close + 2);
}

bool XmlTokenizer::ReadDeclaration() {
  if (StartsWith(position_, "<!--")) {
    const size_t dashes = input_.find("--", position_ + 4);
    if (dashes == std::string_view::npos) return Fail(position_, "an unclosed comment");
    if (!StartsWith(dashes, "-->")) return Fail(dashes, "'--' inside a comment");
    last_.raw = input_.substr(position_ + 4, dashes - position_ - 4);
    return Deliver(XmlTokenType::kComment, dashes + 3);
  }
  if (StartsWith(position_, "<![CDATA[") && !open_.empty()) {
    const size_t close = input_.find("]]>", position_ + 9);
    if (close == std::string_view::npos) return Fail(position_, "an unclosed CDATA section");
    last_.raw = input_.substr(position_ + 9, close - position_ - 9);
    return Deliver(XmlTokenType::kCData, close + 3);
  }
  if (StartsWith(position_, "<!DOCTYPE")) return ReadDoctype();
  return Fail(position_, "a '<!' that starts nothing known");
}

// Moves behind a quoted literal, a comment or a processing instruction of the internal subset; one
// byte otherwise.
bool XmlTokenizer::SkipQuotedOrComment(size_t& position) {
  std::string_view close;
  size_t opening = 1;
  if (input_[position] == '"') {
    close = "\"";
  } else if (input_[position] == '\'') {
    close = "'";
  } else if (StartsWith(position, "<!--")) {
    close = "-->";
    opening = 4;
  } else if (StartsWith(position, "<?")) {
    close = "?>";
    opening = 2;
  } else {
    ++position;
    return true;
  }
  const size_t found = input_.find(close, position + opening);
  if (found == std::string_view::npos) return Fail(position, "an unclosed document type");
  position = found + close.size();
  return true;
}

bool XmlTokenizer::ReadDoctype() {
  if (seen_root_ || seen_doctype_) return Fail(position_, "a misplaced document type");
  seen_doctype_ = true;
  size_t position = position_ + 9;
  if (position >= input_.size() || !Is(input_[position], kSpace)) {
    return Fail(position_, "a malformed document type");
  }
  bool in_subset = false;
  size_t open_declarations = 0;
  while (position < input_.size()) {
    const char c = input_[position];
    if (c == '[' && open_declarations == 0 && !in_subset) {
      in_subset = true;
    } else if (c == ']' && open_declarations == 0 && in_subset) {
      in_subset = false;
    } else if (c == '<' && StartsWith(position, "<!") && !StartsWith(position, "<!--")) {
      if (!in_subset) return Fail(position, "a malformed document type");
      ++open_declarations;
    } else if (c == '>') {
      if (open_declarations == 0) {
        if (in_subset) return Fail(position, "a malformed document type");
        last_.raw = input_.substr(position_ + 9, position - position_ - 9);
        return Deliver(XmlTokenType::kDoctype, position + 1);
      }
      --open_declarations;
    }
    if (!SkipQuotedOrComment(position)) return false;
  }
  return Fail(position_, "an unclosed document type");
}

std::optional<std::string_view> XmlTokenizer::Attribute(std::string_view name) const {
  for (const XmlAttribute& attribute : attributes_) {
    if (attribute.name == name) return attribute.value;
  }
  return std::nullopt;
}

std::optional<std::string_view> XmlTokenizer::AttributeByLocalName(std::string_view name) const {
  for (const XmlAttribute& attribute : attributes_) {
    if (attribute.local_name() == name) return attribute.value;
  }
  return std::nullopt;
}

Result<size_t> XmlTokenizer::SkipElement() {
  const size_t outer = open_.size() - 1;
  while (open_.size() > outer) {
    if (!Read()) return status();
  }
  return last_.end;
}

std::string XmlDecode(std::string_view raw) {
  std::string out;
  XmlDecodeTo(raw, out);
  return out;
}

void XmlDecodeTo(std::string_view raw, std::string& out) { Decode(raw, false, out); }

std::string XmlDecodeAttribute(std::string_view raw) {
  std::string out;
  Decode(raw, true, out);
  return out;
}

std::string XmlEscapeText(std::string_view text) { return Escape(text, "&<>\r"); }
std::string XmlEscapeAttribute(std::string_view text) { return Escape(text, "&<>\"'\r\n\t"); }
bool XmlCanHold(std::string_view text) { return FindIllegal(text) == text.size(); }

}  // namespace staged
