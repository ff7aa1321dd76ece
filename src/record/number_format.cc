#include "record/number_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "record/number_format_parser.h"

namespace staged {
namespace {

using Section = NumberFormat::Section;
using Token = NumberFormat::Token;
using TokenType = NumberFormat::TokenType;

// A magnitude in decimal with the 15 digits that spreadsheets keep, so that 1.005 rounds up.
class Decimal {
 public:
  explicit Decimal(double magnitude) {
    char buffer[40];
    const auto result = std::to_chars(buffer, buffer + sizeof(buffer), magnitude,
                                      std::chars_format::scientific, 14);
    const std::string_view text(buffer, static_cast<size_t>(result.ptr - buffer));
    const size_t mark = text.find('e');
    if (mark == std::string_view::npos) return;
    for (const char c : text.substr(0, mark)) {
      if (c != '.') digits_.push_back(c);
    }
    size_t sign = mark + 1;
    if (sign < text.size() && text[sign] == '+') ++sign;
    std::from_chars(text.data() + sign, text.data() + text.size(), point_);
    ++point_;
    if (magnitude == 0) point_ = 0;
  }

  // Rounds half up to that many digits behind the point.
  void Round(int decimals) {
    const int keep = point_ + decimals;
    if (keep >= static_cast<int>(digits_.size())) return;
    if (keep < 0) {
      digits_ = "0";
      point_ = 0;
      return;
    }
    const bool up = digits_[static_cast<size_t>(keep)] >= '5';
    digits_.resize(static_cast<size_t>(keep));
    if (!up) return;
    size_t i = digits_.size();
    while (i > 0 && digits_[i - 1] == '9') digits_[--i] = '0';
    if (i > 0) {
      ++digits_[i - 1];
    } else {
      digits_.insert(digits_.begin(), '1');
      ++point_;
    }
  }

  // Digits before the point without leading zeros: empty for 0.5.
  std::string Whole() const {
    std::string whole = digits_.substr(0, static_cast<size_t>(std::max(point_, 0)));
    whole.resize(static_cast<size_t>(std::max(point_, 0)), '0');
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    return whole;
  }
  // Digits behind the point without trailing zeros.
  std::string Fraction() const {
    std::string fraction = point_ < 0 ? std::string(static_cast<size_t>(-point_), '0') : "";
    if (point_ < static_cast<int>(digits_.size())) {
      fraction += digits_.substr(static_cast<size_t>(std::max(point_, 0)));
    }
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
    return fraction;
  }
  int point() const { return point_; }

 private:
  std::string digits_;
  int point_ = 0;  // the value is 0.digits * 10^point
};

std::string Join(const Decimal& decimal) {
  std::string out = decimal.Whole();
  if (out.empty()) out = "0";
  const std::string fraction = decimal.Fraction();
  return fraction.empty() ? out : out + "." + fraction;
}

std::string Scientific(double magnitude) {
  constexpr int kDecimals = 5;
  const int exponent = Decimal(magnitude).point() - 1;
  Decimal mantissa(magnitude / std::pow(10.0, exponent));
  mantissa.Round(kDecimals);
  int shown = exponent;
  std::string digits = Join(mantissa);
  if (mantissa.Whole().size() > 1) {  // 9.999999 became 10
    digits = "1";
    ++shown;
  }
  const std::string power = std::to_string(std::abs(shown));
  return digits + (shown < 0 ? "E-" : "E+") + (power.size() < 2 ? "0" : "") + power;
}

// Writes a magnitude into a section's placeholders.
class NumberWriter {
 public:
  NumberWriter(const Section& section, double magnitude) : section_(section) {
    value_ =
        magnitude * std::pow(100.0, section.percents) / std::pow(1000.0, section.thousands_scale);
    int* count = &whole_places_;
    for (const Token& token : section.tokens) {
      if (token.type == TokenType::kPoint) count = &fraction_places_;
      if (token.type == TokenType::kExponent) break;
      if (token.type == TokenType::kDigits) *count += static_cast<int>(token.text.size());
    }
  }

  std::string Write() {
    const auto has = [&](TokenType type) {
      return std::any_of(section_.tokens.begin(), section_.tokens.end(),
                         [&](const Token& token) { return token.type == type; });
    };
    if (has(TokenType::kSlash) && section_.has_digits) return WriteFraction();
    if (has(TokenType::kExponent)) ScaleToExponent();
    Decimal decimal(value_);
    decimal.Round(fraction_places_);
    whole_ = decimal.Whole();
    fraction_ = decimal.Fraction();
    for (const Token& token : section_.tokens) WriteToken(token);
    return std::move(out_);
  }

 private:
  void ScaleToExponent() {
    const int places = std::max(whole_places_, 1);
    const int point = value_ == 0 ? places : Decimal(value_).point();
    // With one place every power; with more the powers that are multiples (engineering).
    exponent_ = point - places;
    if (places > 1) {
      exponent_ = static_cast<int>(std::floor(static_cast<double>(point - 1) / places)) * places;
    }
    double scaled = value_ / std::pow(10.0, exponent_);
    Decimal rounded(scaled);
    rounded.Round(fraction_places_);
    if (static_cast<int>(rounded.Whole().size()) > places) {
      exponent_ += places > 1 ? places : 1;
      scaled = value_ / std::pow(10.0, exponent_);
    }
    value_ = scaled;
  }

  void WriteToken(const Token& token) {
    switch (token.type) {
      case TokenType::kDigits:
        if (in_exponent_) return WriteExponentDigits(token.text);
        return in_fraction_ ? WriteFractionDigits(token.text) : WriteWholeDigits(token.text);
      case TokenType::kPoint:
        if (!in_fraction_ && whole_places_ == 0) out_ += whole_;
        in_fraction_ = true;
        out_.push_back('.');
        return;
      case TokenType::kExponent:
        in_exponent_ = true;
        out_.push_back('E');
        if (exponent_ < 0) {
          out_.push_back('-');
        } else if (token.text[1] == '+') {
          out_.push_back('+');
        }
        return;
      case TokenType::kGeneral:
        out_ += FormatGeneral(value_);
        return;
      case TokenType::kText:
        out_ += FormatGeneral(value_);
        return;
      default:
        out_ += token.text;
    }
  }

  void WriteWholeDigits(const std::string& places) {
    for (const char place : places) {
      const int left = whole_places_ - whole_written_;  // places from here on, this one included
      const int digits = static_cast<int>(whole_.size());
      if (whole_written_ == 0 && digits > left) {
        for (int i = 0; i < digits - left; ++i)
          PutWhole(whole_[static_cast<size_t>(i)], digits - i);
      }
      if (digits >= left) {
        PutWhole(whole_[static_cast<size_t>(digits - left)], left);
      } else if (place == '0') {
        PutWhole('0', left);
      }
      ++whole_written_;
    }
  }

  void PutWhole(char digit, int position_from_point) {
    out_.push_back(digit);
    if (section_.has_grouping && position_from_point > 1 && position_from_point % 3 == 1) {
      out_.push_back(',');
    }
  }

  void WriteFractionDigits(const std::string& places) {
    for (const char place : places) {
      if (fraction_written_ < fraction_.size()) {
        out_.push_back(fraction_[fraction_written_]);
      } else if (place == '0') {
        out_.push_back('0');
      }
      ++fraction_written_;
    }
  }

  void WriteExponentDigits(const std::string& places) {
    const std::string power = std::to_string(std::abs(exponent_));
    for (size_t i = power.size(); i < places.size(); ++i) {
      if (places[i] == '0') out_.push_back('0');
    }
    out_ += power;
  }

  // "# ?/?": the nearest fraction whose denominator has as many digits, or is the one written.
  std::string WriteFraction() {
    const std::vector<Token>& tokens = section_.tokens;
    size_t slash = 0;
    while (tokens[slash].type != TokenType::kSlash) ++slash;
    int runs_before = 0;
    for (size_t i = 0; i < slash; ++i) runs_before += tokens[i].type == TokenType::kDigits;
    const bool has_whole = runs_before > 1;
    const double whole = has_whole ? std::floor(value_) : 0;
    const double part = value_ - whole;
    int64_t fixed = 0;
    size_t places = 1;
    if (slash + 1 < tokens.size()) {
      const std::string& below = tokens[slash + 1].text;
      std::from_chars(below.data(), below.data() + below.size(), fixed);
      if (tokens[slash + 1].type == TokenType::kDigits) places = std::min<size_t>(below.size(), 4);
    }
    constexpr int64_t kDenominatorMax = 9999;
    const int64_t last =
        fixed > 0 ? fixed
                  : std::min<int64_t>(kDenominatorMax, std::llround(std::pow(10.0, places)) - 1);
    int64_t best = last;
    double best_error = 2;
    for (int64_t below = fixed > 0 ? fixed : 1; below <= last; ++below) {
      const double error = std::abs(part - std::round(part * static_cast<double>(below)) /
                                               static_cast<double>(below));
      if (error < best_error - 1e-12) {
        best_error = error;
        best = below;
      }
    }
    int64_t above = std::llround(part * static_cast<double>(best));
    double shown_whole = whole;
    if (has_whole && above == best) {
      above = 0;
      shown_whole += 1;
    }
    std::string out;
    if (shown_whole != 0) out = FormatGeneral(shown_whole);
    if (above == 0) return out.empty() ? "0" : out;
    if (!out.empty()) out.push_back(' ');
    return out + std::to_string(above) + "/" + std::to_string(best);
  }

  const Section& section_;
  double value_ = 0;
  int whole_places_ = 0;
  int fraction_places_ = 0;
  int exponent_ = 0;
  std::string whole_;
  std::string fraction_;
  std::string out_;
  int whole_written_ = 0;
  size_t fraction_written_ = 0;
  bool in_fraction_ = false;
  bool in_exponent_ = false;
};

struct Moment {
  int64_t year = 0, month = 0, day = 0, weekday = 0;  // weekday: 0 is Sunday
  int64_t hour = 0, minute = 0, second = 0, millisecond = 0;
  int64_t total_seconds = 0;
};

// Days since 1970-01-01 to a Gregorian date.
void SetDate(Moment& moment, int64_t days) {
  days += 719468;
  const int64_t era = days / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  moment.day = day_of_year - (153 * month_index + 2) / 5 + 1;
  moment.month = month_index < 10 ? month_index + 3 : month_index - 9;
  moment.year = year_of_era + era * 400 + (moment.month <= 2 ? 1 : 0);
}

Moment MakeMoment(double serial, DateEpoch epoch, int subsecond_digits) {
  const double unit = std::pow(10.0, subsecond_digits);
  const auto ticks = static_cast<int64_t>(std::floor(serial * 86400 * unit + 0.5));
  const auto scale = static_cast<int64_t>(unit);
  Moment moment;
  moment.total_seconds = ticks / scale;
  moment.millisecond = ticks % scale * (1000 / scale);
  const int64_t day = moment.total_seconds / 86400;
  const int64_t second = moment.total_seconds % 86400;
  moment.hour = second / 3600;
  moment.minute = second / 60 % 60;
  moment.second = second % 60;
  constexpr int64_t kUnixDayOf1900 = -25568;  // 1899-12-31
  constexpr int64_t kUnixDayOf1904 = -24107;
  if (epoch == DateEpoch::k1904) {
    SetDate(moment, day + kUnixDayOf1904);
    moment.weekday = (day + 5) % 7;
    return moment;
  }
  moment.weekday = (day + 6) % 7;
  if (day == 60) {
    moment.year = 1900, moment.month = 2, moment.day = 29;
  } else if (day == 0) {
    moment.year = 1900, moment.month = 1, moment.day = 0;
  } else {
    SetDate(moment, day + kUnixDayOf1900 - (day > 60 ? 1 : 0));
  }
  return moment;
}

std::string Padded(int64_t number, size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

std::string FormatMonth(const Moment& moment, size_t letters) {
  const std::string_view name = kMonths[static_cast<size_t>(moment.month - 1)];
  if (letters <= 2) return Padded(moment.month, letters);
  if (letters == 3) return std::string(name.substr(0, 3));
  return std::string(letters == 5 ? name.substr(0, 1) : name);
}

std::string FormatMomentToken(const Token& token, const Moment& moment, const Section& section) {
  const size_t letters = token.text.size();
  const size_t two = std::min<size_t>(letters, 2);
  switch (token.type) {
    case TokenType::kYear:
      return letters <= 2 && (token.text[0] | 0x20) == 'y' ? Padded(moment.year % 100, 2)
                                                           : Padded(moment.year, 4);
    case TokenType::kMonth:
      return FormatMonth(moment, letters);
    case TokenType::kDay: {
      if (letters <= 2) return Padded(moment.day, letters);
      const std::string_view name = kWeekdays[static_cast<size_t>(moment.weekday)];
      return std::string(letters == 3 ? name.substr(0, 3) : name);
    }
    case TokenType::kHour:
      return Padded(section.is_twelve_hours ? (moment.hour + 11) % 12 + 1 : moment.hour, two);
    case TokenType::kMinute:
      return Padded(moment.minute, two);
    case TokenType::kSecond:
      return Padded(moment.second, two);
    case TokenType::kSubsecond:
      return "." + Padded(moment.millisecond, 3).substr(0, std::min<size_t>(letters - 1, 3));
    case TokenType::kAmPm: {
      const std::string_view half = moment.hour < 12 ? "AM" : "PM";
      return std::string(letters > 3 ? half : half.substr(0, 1));
    }
    case TokenType::kElapsedHours:
      return Padded(moment.total_seconds / 3600, letters);
    case TokenType::kElapsedMinutes:
      return Padded(moment.total_seconds / 60, letters);
    case TokenType::kElapsedSeconds:
      return Padded(moment.total_seconds, letters);
    default:
      return token.text;
  }
}

std::string FormatDate(const Section& section, double serial, DateEpoch epoch) {
  const Moment moment = MakeMoment(serial, epoch, section.subsecond_digits);
  std::string out;
  for (const Token& token : section.tokens) out += FormatMomentToken(token, moment, section);
  return out;
}

// The format of most cells, which needs no placeholders filled.
bool IsGeneral(const Section& section) {
  return section.tokens.size() == 1 && section.tokens.front().type == TokenType::kGeneral &&
         section.percents == 0 && section.thousands_scale == 0;
}

bool Holds(const NumberFormat::Condition& condition, double number) {
  if (condition.comparison == "<") return number < condition.limit;
  if (condition.comparison == "<=") return number <= condition.limit;
  if (condition.comparison == ">") return number > condition.limit;
  if (condition.comparison == ">=") return number >= condition.limit;
  if (condition.comparison == "<>") return number != condition.limit;
  return number == condition.limit;
}

}  // namespace

NumberFormat::NumberFormat(std::string_view code, DateEpoch epoch)
    : sections_(ParseNumberFormat(code)), epoch_(epoch) {
  is_date_ = sections_.front().is_date;
}

const Section& NumberFormat::Choose(double number, bool& show_minus) const {
  const size_t count = std::min<size_t>(sections_.size(), 3);
  show_minus = number < 0;
  if (sections_.front().condition || (count > 1 && sections_[1].condition)) {
    for (size_t i = 0; i < count; ++i) {
      const std::optional<Condition>& condition = sections_[i].condition;
      if (condition && !Holds(*condition, number)) continue;
      const bool only_negative =
          condition && condition->comparison.front() == '<' && condition->limit <= 0;
      if (only_negative) show_minus = false;
      return sections_[i];
    }
    return sections_[count - 1];
  }
  if (count > 1 && number < 0) {
    show_minus = false;
    return sections_[1];
  }
  return sections_[count > 2 && number == 0 ? 2 : 0];
}

std::string NumberFormat::Format(double number) const {
  if (!std::isfinite(number)) return FormatShortest(number);
  bool show_minus = false;
  const Section& section = Choose(number, show_minus);
  constexpr double kSerialMax = 2958466;  // 10000-01-01
  if (section.is_date) {
    // A negative moment and one beyond year 9999 cannot be shown: as many "#" as fit.
    if (number < 0 || number >= kSerialMax) return FormatGeneral(number);
    return FormatDate(section, number, epoch_);
  }
  const double magnitude = std::abs(number);
  std::string out =
      IsGeneral(section) ? FormatGeneral(magnitude) : NumberWriter(section, magnitude).Write();
  if (!show_minus) return out;
  const bool shows_zero = out.find_first_of("123456789") == std::string::npos;
  if (!(shows_zero && section.has_digits)) out.insert(out.begin(), '-');
  return out;
}

std::string NumberFormat::FormatText(std::string_view text) const {
  // The fourth section, or a lone one with "@" in it.
  const Section& section = sections_.size() > 3 ? sections_[3] : sections_.back();
  if (sections_.size() < 4 && !section.has_text) return std::string(text);
  std::string out;
  for (const Token& token : section.tokens) {
    if (token.type == TokenType::kText) {
      out += text;
    } else {
      out += token.text;
    }
  }
  return out;
}

namespace {

// Numbers that are a count of hundredths, as most in tables are; empty for all others. The division
// is exact to the nearest double, so that no other number of fifteen digits is meant.
std::string FormatHundredths(double number) {
  constexpr double kMax = 1e8;
  const double magnitude = std::abs(number);
  if (!(magnitude >= 0.01 && magnitude < kMax)) return "";
  const double hundredths = std::round(magnitude * 100);
  if (hundredths / 100 != magnitude) return "";
  const auto count = static_cast<uint64_t>(hundredths);
  char buffer[24];
  char* end = buffer;
  if (number < 0) *end++ = '-';
  end = std::to_chars(end, buffer + sizeof(buffer), count / 100).ptr;
  if (count % 100 != 0) {
    *end++ = '.';
    *end++ = static_cast<char>('0' + count % 100 / 10);
    if (count % 10 != 0) *end++ = static_cast<char>('0' + count % 10);
  }
  return {buffer, end};
}

}  // namespace

std::string FormatGeneral(double number) {
  if (!std::isfinite(number)) return FormatShortest(number);
  if (std::string quick = FormatHundredths(number); !quick.empty()) return quick;
  const double magnitude = std::abs(number);
  constexpr double kFixedMax = 1e11;
  constexpr double kFixedMin = 1e-4;
  constexpr int kDigits = 10;
  std::string out;
  Decimal decimal(magnitude);
  const int whole_digits = std::max(decimal.point(), 1);
  Decimal rounded = decimal;
  rounded.Round(std::max(kDigits - whole_digits, 0));
  const bool loses = Join(rounded) != Join(decimal);
  const bool overflows = rounded.Whole().size() > 11;
  if (magnitude >= kFixedMax || overflows || (magnitude != 0 && magnitude < kFixedMin && loses)) {
    out = Scientific(magnitude);
  } else {
    out = Join(rounded);
  }
  if (number < 0 && out != "0") out.insert(out.begin(), '-');
  return out;
}

std::string FormatShortest(double number) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

}  // namespace staged
