#include "record/number_format_parser.h"

#include <algorithm>
#include <charconv>

namespace staged {
namespace {

using Section = NumberFormat::Section;
using Token = NumberFormat::Token;
using TokenType = NumberFormat::TokenType;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(),
                    [](char left, char right) { return left == Lower(right); });
}

bool IsPlaceholder(char c) { return c == '0' || c == '#' || c == '?'; }

bool IsDateToken(TokenType type) { return type >= TokenType::kYear; }

class SectionParser {
 public:
  explicit SectionParser(std::string_view code) : code_(code) {}

  Section Parse() {
    while (at_ < code_.size()) ReadToken();
    TellMinutesFromMonths();
    for (const Token& token : section_.tokens) {
      section_.has_digits |= token.type == TokenType::kDigits;
      section_.has_text |= token.type == TokenType::kText;
      section_.is_date |= IsDateToken(token.type) && token.type != TokenType::kSubsecond;
    }
    return std::move(section_);
  }

 private:
  std::string_view Rest() const { return code_.substr(at_); }

  void Add(TokenType type, std::string_view text) {
    if (type == TokenType::kLiteral && !section_.tokens.empty() &&
        section_.tokens.back().type == TokenType::kLiteral) {
      section_.tokens.back().text.append(text);
      return;
    }
    section_.tokens.push_back({type, std::string(text)});
  }

  // Bytes of the character at `at`, so that padding by a multi-byte character is skipped whole.
  size_t CharacterSize(size_t at) const {
    size_t size = 1;
    while (at + size < code_.size() && (code_[at + size] & 0xC0) == 0x80) ++size;
    return size;
  }

  void ReadToken() {
    const char c = code_[at_];
    if (c == '"') return ReadQuoted();
    if (c == '[') return ReadBracket();
    if (c == '\\' || c == '_' || c == '*') return ReadEscape(c);
    if (IsPlaceholder(c)) return ReadDigits();
    if (StartsWithIgnoringCase(Rest(), "general")) return Take(TokenType::kGeneral, 7);
    for (const std::string_view marker : {"am/pm", "a/p"}) {
      if (!StartsWithIgnoringCase(Rest(), marker)) continue;
      section_.is_twelve_hours = true;
      return Take(TokenType::kAmPm, marker.size());
    }
    if ((c == 'E' || c == 'e') && at_ + 1 < code_.size() &&
        (code_[at_ + 1] == '+' || code_[at_ + 1] == '-')) {
      return Take(TokenType::kExponent, 2);
    }
    switch (Lower(c)) {
      case 'y':
      case 'e':
        return TakeRun(TokenType::kYear);
      case 'm':
        return TakeRun(TokenType::kMonth);
      case 'd':
        return TakeRun(TokenType::kDay);
      case 'h':
        return TakeRun(TokenType::kHour);
      case 's':
        return TakeRun(TokenType::kSecond);
      case '@':
        return Take(TokenType::kText, 1);
      case '/':
        return Take(TokenType::kSlash, 1);
      case '%':
        ++section_.percents;
        return Take(TokenType::kPercent, 1);
      case '.':
        return ReadPoint();
      case ',':
        return ReadComma();
      default:
        Take(TokenType::kLiteral, 1);
    }
  }

  void Take(TokenType type, size_t size) {
    Add(type, code_.substr(at_, size));
    at_ += size;
  }

  void TakeRun(TokenType type) {
    size_t size = 1;
    while (at_ + size < code_.size() && Lower(code_[at_ + size]) == Lower(code_[at_])) ++size;
    Take(type, size);
  }

  void ReadQuoted() {
    const size_t end = std::min(code_.find('"', at_ + 1), code_.size());
    Add(TokenType::kLiteral, code_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  void ReadEscape(char mark) {
    ++at_;
    if (at_ >= code_.size()) return;
    const size_t size = CharacterSize(at_);
    if (mark == '\\') Add(TokenType::kLiteral, code_.substr(at_, size));
    at_ += size;
  }

  void ReadBracket() {
    const size_t end = std::min(code_.find(']', at_), code_.size());
    const std::string_view inside = code_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (inside.empty()) return;
    const auto is_run_of = [&](char letter) {
      return std::all_of(inside.begin(), inside.end(), [&](char c) { return Lower(c) == letter; });
    };
    if (is_run_of('h')) return Add(TokenType::kElapsedHours, inside);
    if (is_run_of('m')) return Add(TokenType::kElapsedMinutes, inside);
    if (is_run_of('s')) return Add(TokenType::kElapsedSeconds, inside);
    if (inside.front() == '$') {  // currency symbol and locale: "$€-407"
      return Add(TokenType::kLiteral, inside.substr(1, inside.find('-', 1) - 1));
    }
    const size_t operand = inside.find_first_not_of("<>=");
    if (operand == 0 || operand == std::string_view::npos) return;  // a colour
    NumberFormat::Condition condition{std::string(inside.substr(0, operand)), 0};
    std::from_chars(inside.data() + operand, inside.data() + inside.size(), condition.limit);
    section_.condition = condition;
  }

  void ReadDigits() {
    size_t size = 1;
    while (at_ + size < code_.size() && IsPlaceholder(code_[at_ + size])) ++size;
    Take(TokenType::kDigits, size);
  }

  void ReadPoint() {
    size_t zeros = 0;
    while (at_ + 1 + zeros < code_.size() && code_[at_ + 1 + zeros] == '0') ++zeros;
    const bool after_second =
        !section_.tokens.empty() && (section_.tokens.back().type == TokenType::kSecond ||
                                     section_.tokens.back().type == TokenType::kElapsedSeconds);
    if (!after_second || zeros == 0) return Take(TokenType::kPoint, 1);
    section_.subsecond_digits = static_cast<int>(std::min<size_t>(zeros, 3));
    Take(TokenType::kSubsecond, zeros + 1);
  }

  // Between placeholders: grouping. Behind the last one: a scale. Elsewhere: itself.
  void ReadComma() {
    const bool behind_digits =
        !section_.tokens.empty() && section_.tokens.back().type == TokenType::kDigits;
    if (!behind_digits) return Take(TokenType::kLiteral, 1);
    size_t commas = 1;
    while (at_ + commas < code_.size() && code_[at_ + commas] == ',') ++commas;
    const bool before_digits = at_ + commas < code_.size() && IsPlaceholder(code_[at_ + commas]);
    if (before_digits) {
      section_.has_grouping = true;
      at_ += commas;
      const size_t begin = at_;
      while (at_ < code_.size() && IsPlaceholder(code_[at_])) ++at_;
      section_.tokens.back().text.append(code_.substr(begin, at_ - begin));
      return;
    }
    section_.thousands_scale += static_cast<int>(std::min<size_t>(commas, 20));
    at_ += commas;
  }

  // "m" is a minute behind an hour or before a second (18.8.31).
  void TellMinutesFromMonths() {
    Token* previous = nullptr;
    for (Token& token : section_.tokens) {
      if (!IsDateToken(token.type) || token.type == TokenType::kAmPm) continue;
      const bool after_hour = previous != nullptr && (previous->type == TokenType::kHour ||
                                                      previous->type == TokenType::kElapsedHours);
      if (token.type == TokenType::kMonth && token.text.size() <= 2 && after_hour) {
        token.type = TokenType::kMinute;
      }
      if (token.type == TokenType::kSecond && previous != nullptr &&
          previous->type == TokenType::kMonth && previous->text.size() <= 2) {
        previous->type = TokenType::kMinute;
      }
      previous = &token;
    }
  }

  std::string_view code_;
  size_t at_ = 0;
  Section section_;
};

}  // namespace

std::vector<Section> ParseNumberFormat(std::string_view code) {
  // The system's short date: shown as in English (United States), whose year has four digits.
  if (code == "mm-dd-yy") code = "m/d/yyyy";
  if (code == "m/d/yy h:mm") code = "m/d/yyyy h:mm";
  if (code.empty()) code = "General";
  std::vector<Section> sections;
  size_t begin = 0;
  bool in_quotes = false;
  for (size_t at = 0; at <= code.size(); ++at) {
    const bool at_end = at == code.size();
    if (!at_end && code[at] == '"') in_quotes = !in_quotes;
    if (!at_end && !in_quotes && (code[at] == '\\' || code[at] == '_' || code[at] == '*')) {
      ++at;
      if (at < code.size()) continue;
    }
    if (at < code.size() && (in_quotes || code[at] != ';')) continue;
    sections.push_back(SectionParser(code.substr(begin, at - begin)).Parse());
    begin = at + 1;
  }
  return sections;
}

}  // namespace staged
