#include "formats/xlsx/cell_values.h"

#include <array>
#include <charconv>

namespace staged::xlsx {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A plain decimal of at most fifteen digits, as most cells hold. Its digits and the power of ten
// are doubles exactly, so that their quotient is the number's nearest double.
std::optional<double> ParseShortDecimal(std::string_view text) {
  constexpr size_t kDigitsMax = 15;
  static constexpr std::array<double, kDigitsMax + 1> kPowers = {
      1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool is_negative = text.front() == '-';
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kDigitsMax + 1) return std::nullopt;
  uint64_t digits = 0;
  size_t count = 0;
  size_t whole = SIZE_MAX;
  for (const char c : text) {
    if (c == '.' && whole == SIZE_MAX) {
      whole = count;
    } else if (c >= '0' && c <= '9') {
      digits = digits * 10 + static_cast<uint64_t>(c - '0');
      ++count;
    } else {
      return std::nullopt;
    }
  }
  if (count == 0 || count > kDigitsMax) return std::nullopt;
  const double number =
      static_cast<double>(digits) / kPowers[whole == SIZE_MAX ? 0 : count - whole];
  return is_negative ? -number : number;
}

// Days from 1970-01-01 to a Gregorian date.
int64_t DaysFromCivil(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> ParseNumber(std::string_view text) {
  text = Trim(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const char first = text[text.front() == '-' && text.size() > 1 ? 1 : 0];
  if ((first < '0' || first > '9') && first != '.') return std::nullopt;  // no "inf", "nan"
  if (const std::optional<double> quick = ParseShortDecimal(text)) return quick;
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ptr != text.data() + text.size()) return std::nullopt;
  return number;  // out of range: 0
}

std::optional<uint32_t> ParseUnsigned(std::string_view text) {
  uint32_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ParseIsoDate(std::string_view text, DateEpoch epoch) {
  const auto take = [&](size_t digits, char separator) -> std::optional<int64_t> {
    int64_t number = 0;
    if (text.size() < digits) return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + digits, number);
    if (result.ec != std::errc() || result.ptr != text.data() + digits || number < 0) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
    if (separator != '\0') {
      if (text.empty() || text.front() != separator) return std::nullopt;
      text.remove_prefix(1);
    }
    return number;
  };
  double serial = 0;
  if (text.size() >= 10 && text[4] == '-') {
    const auto year = take(4, '-');
    const auto month = take(2, '-');
    const auto day = take(2, '\0');
    if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1 || *day > 31) {
      return std::nullopt;
    }
    const int64_t days = DaysFromCivil(*year, *month, *day);
    constexpr int64_t kDayZero1900 = -25568;
    constexpr int64_t kDayZero1904 = -24107;
    int64_t whole = days - (epoch == DateEpoch::k1904 ? kDayZero1904 : kDayZero1900);
    if (epoch == DateEpoch::k1900 && whole >= 60) ++whole;  // the imagined 29 February 1900
    serial = static_cast<double>(whole);
    if (text.empty()) return serial;
    if (text.front() != 'T' && text.front() != ' ') return std::nullopt;
  }
  if (!text.empty() && text.front() == 'T') text.remove_prefix(1);
  const auto hour = take(2, ':');
  const auto minute = take(2, '\0');
  if (!hour || !minute) return std::nullopt;
  double seconds = static_cast<double>(*hour * 3600 + *minute * 60);
  if (!text.empty() && text.front() == ':') {
    text.remove_prefix(1);
    double second = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), second);
    if (result.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(result.ptr - text.data()));
    seconds += second;
  }
  if (!text.empty() && text != "Z") return std::nullopt;
  return serial + seconds / 86400;
}

}  // namespace staged::xlsx
