#include "codec/html_tokenizer.h"

#include <algorithm>

namespace staged {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr std::string_view kSpaces = " \t\n\f\r";
constexpr std::string_view kNameEnds = " \t\n\f\r/>";

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
bool IsOneOf(char c, std::string_view set) { return set.find(c) != kNone; }

// `lower` is in lower case.
bool StartsWith(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char left, char right) { return left == Lower(right); });
}

}  // namespace

bool HtmlTokenizer::Read() {
  if (position_ >= text_.size()) return false;
  if (is_inside_) {
    is_inside_ = false;
    entered_ = token_.name;
    if (ReadContent()) return true;
    if (position_ >= text_.size()) return false;
  }
  if (!BeginsMarkup(position_)) {
    ReadText();
    return true;
  }
  if (IsLetter(text_[position_ + 1]) ||
      (text_[position_ + 1] == '/' && position_ + 2 < text_.size() &&
       IsLetter(text_[position_ + 2]))) {
    return ReadTag();
  }
  ReadMarkup();
  return true;
}

bool HtmlTokenizer::BeginsMarkup(size_t at) const {
  if (text_[at] != '<' || at + 1 >= text_.size()) return false;
  const char next = text_[at + 1];
  if (next == '/') return at + 2 < text_.size();
  return IsLetter(next) || next == '!' || next == '?';
}

void HtmlTokenizer::Finish(HtmlTokenType type, size_t begin, size_t end, std::string_view raw) {
  token_.type = type;
  token_.begin = begin;
  token_.end = end;
  token_.raw = raw;
  token_.has_references = true;
  if (type != HtmlTokenType::kStartTag && type != HtmlTokenType::kEndTag) {
    token_.name.clear();
    token_.attributes.clear();
  }
  position_ = end;
}

void HtmlTokenizer::ReadText() {
  size_t end = position_ + 1;
  while (end < text_.size()) {
    end = std::min(text_.find('<', end), text_.size());
    if (end == text_.size() || BeginsMarkup(end)) break;
    ++end;
  }
  Finish(HtmlTokenType::kText, position_, end, text_.substr(position_, end - position_));
}

void HtmlTokenizer::ReadUntilGreater(HtmlTokenType type, size_t content) {
  const size_t close = std::min(text_.find('>', content), text_.size());
  Finish(type, position_, std::min(close + 1, text_.size()),
         text_.substr(content, close - content));
}

// Everything that begins with <! or <? and end tags without a name.
void HtmlTokenizer::ReadMarkup() {
  const std::string_view rest = text_.substr(position_);
  if (rest.starts_with("<!--")) return ReadComment();
  if (StartsWith(rest, "<!doctype")) {
    return ReadUntilGreater(HtmlTokenType::kDoctype, position_ + 9);
  }
  constexpr std::string_view kCData = "<![CDATA[";
  if (allows_cdata_ && rest.starts_with(kCData)) {
    const size_t content = position_ + kCData.size();
    const size_t close = std::min(text_.find("]]>", content), text_.size());
    Finish(HtmlTokenType::kText, position_, std::min(close + 3, text_.size()),
           text_.substr(content, close - content));
    token_.has_references = false;
    return;
  }
  const bool keeps_sign = rest[1] == '?';
  ReadUntilGreater(HtmlTokenType::kComment, position_ + (keeps_sign ? 1 : 2));
}

void HtmlTokenizer::ReadComment() {
  const size_t content = position_ + 4;
  const std::string_view rest = text_.substr(content);
  if (rest.starts_with('>') || rest.starts_with("->")) {
    return Finish(HtmlTokenType::kComment, position_, content + (rest[0] == '>' ? 1 : 2),
                  text_.substr(content, 0));
  }
  for (size_t dashes = text_.find("--", content); dashes != kNone;
       dashes = text_.find("--", dashes + 1)) {
    const std::string_view after = text_.substr(dashes + 2);
    const size_t sign = after.starts_with('>') ? 1 : after.starts_with("!>") ? 2 : 0;
    if (sign == 0) continue;
    return Finish(HtmlTokenType::kComment, position_, dashes + 2 + sign,
                  text_.substr(content, dashes - content));
  }
  Finish(HtmlTokenType::kComment, position_, text_.size(), rest);
}

bool HtmlTokenizer::ReadTag() {
  const size_t begin = position_;
  const bool is_end = text_[begin + 1] == '/';
  const size_t name = begin + (is_end ? 2 : 1);
  const size_t name_end = std::min(text_.find_first_of(kNameEnds, name), text_.size());
  token_.name.assign(text_.substr(name, name_end - name));
  for (char& c : token_.name) c = Lower(c);
  token_.attributes.clear();
  token_.attributes_omitted = 0;
  token_.is_self_closing = false;
  position_ = name_end;
  while (true) {
    position_ = std::min(text_.find_first_not_of(kSpaces, position_), text_.size());
    if (position_ == text_.size()) {
      unfinished_tag_ = begin;
      return false;
    }
    if (text_[position_] == '>') break;
    if (text_[position_] == '/') {
      token_.is_self_closing = position_ + 1 < text_.size() && text_[position_ + 1] == '>';
      ++position_;
      continue;
    }
    ReadAttribute();
  }
  Finish(is_end ? HtmlTokenType::kEndTag : HtmlTokenType::kStartTag, begin, position_ + 1, "");
  return true;
}

void HtmlTokenizer::ReadAttribute() {
  HtmlAttribute attribute;
  attribute.begin = position_;
  // A "=" at the beginning is part of the name.
  size_t end = std::min(text_.find_first_of(" \t\n\f\r/>=", position_ + 1), text_.size());
  attribute.name = text_.substr(position_, end - position_);
  attribute.value = text_.substr(end, 0);
  attribute.end = end;
  const size_t sign = std::min(text_.find_first_not_of(kSpaces, end), text_.size());
  if (sign < text_.size() && text_[sign] == '=') {
    attribute.has_value = true;
    size_t value = std::min(text_.find_first_not_of(kSpaces, sign + 1), text_.size());
    if (value < text_.size() && IsOneOf(text_[value], "\"'")) {
      attribute.quote = text_[value];
      ++value;
      end = std::min(text_.find(attribute.quote, value), text_.size());
      attribute.end = std::min(end + 1, text_.size());
    } else {
      end = std::min(text_.find_first_of(" \t\n\f\r>", value), text_.size());
      attribute.end = end;
    }
    attribute.value = text_.substr(value, end - value);
  }
  position_ = attribute.end;
  if (token_.attributes.size() < kAttributesMax) {
    token_.attributes.push_back(attribute);
  } else {
    ++token_.attributes_omitted;
  }
}

// Whether a tag `name` (in lower case, with its "<" or "</") begins at `at`.
bool HtmlTokenizer::IsTagAt(size_t at, std::string_view name) const {
  const std::string_view rest = text_.substr(at);
  return StartsWith(rest, name) && rest.size() > name.size() &&
         IsOneOf(rest[name.size()], kNameEnds);
}

// Sections 13.2.5.15 to 13.2.5.31: inside <!-- and a further <script>, </script> ends nothing.
size_t HtmlTokenizer::ScriptEnd(size_t from) const {
  enum class State : uint8_t { kPlain, kEscaped, kDoubleEscaped };
  State state = State::kPlain;
  for (size_t at = text_.find_first_of("<-", from); at != kNone;
       at = text_.find_first_of("<-", at + 1)) {
    const std::string_view rest = text_.substr(at);
    if (rest[0] == '-') {
      if (state != State::kPlain && rest.starts_with("-->")) state = State::kPlain;
    } else if (state == State::kPlain && rest.starts_with("<!--")) {
      // The dashes may be those of the end already.
      state =
          rest.starts_with("<!-->") || rest.starts_with("<!--->") ? State::kPlain : State::kEscaped;
      at += 3;
    } else if (state == State::kEscaped && IsTagAt(at, "<script")) {
      state = State::kDoubleEscaped;
    } else if (IsTagAt(at, "</script")) {
      if (state != State::kDoubleEscaped) return at;
      state = State::kEscaped;
    }
  }
  return text_.size();
}

size_t HtmlTokenizer::ContentEnd(size_t from) const {
  if (content_ == HtmlContent::kPlainText) return text_.size();
  if (content_ == HtmlContent::kScript) return ScriptEnd(from);
  const std::string end_tag = "</" + entered_;
  for (size_t at = text_.find("</", from); at != kNone; at = text_.find("</", at + 2)) {
    if (IsTagAt(at, end_tag)) return at;
  }
  return text_.size();
}

// The text of the element that was entered; false where it has none.
bool HtmlTokenizer::ReadContent() {
  const size_t end = ContentEnd(position_);
  if (end == position_) return false;
  Finish(HtmlTokenType::kText, position_, end, text_.substr(position_, end - position_));
  token_.has_references = content_ == HtmlContent::kRcData;
  return true;
}

}  // namespace staged
