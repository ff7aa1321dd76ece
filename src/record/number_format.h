#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Spreadsheet number formats (ECMA-376 part 1, 18.8.30 and 18.8.31): what a number is shown as. In
// English and without a locale; padding for column width ("_x", "*x", "?") is left out. Immutable,
// thread-safe.
namespace staged {

// The day that a workbook calls zero: 1899-12-31 with an imagined 29 February 1900 as serial 60, or
// 1904-01-01. Persisted: never renumber.
enum class DateEpoch : uint8_t { k1900 = 1, k1904 = 2 };

class NumberFormat {
 public:
  // Never fails: a code that shows nothing sensible shows literally what stands in it.
  NumberFormat(std::string_view code, DateEpoch epoch);

  // Whether numbers are shown as dates, times of day or durations.
  [[nodiscard]] bool is_date() const { return is_date_; }
  // What a person would see of the number.
  [[nodiscard]] std::string Format(double number) const;
  // What a person would see of a text: the fourth section applied; normally the text itself.
  [[nodiscard]] std::string FormatText(std::string_view text) const;

  enum class TokenType : uint8_t {
    kLiteral,
    kDigits,
    kPoint,
    kPercent,
    kExponent,
    kSlash,
    kGeneral,
    kText,
    kYear,
    kMonth,
    kDay,
    kHour,
    kMinute,
    kSecond,
    kSubsecond,
    kAmPm,
    kElapsedHours,
    kElapsedMinutes,
    kElapsedSeconds,
  };
  struct Token {
    TokenType type = TokenType::kLiteral;
    std::string text;  // the literal, or the run of placeholders
  };
  struct Condition {
    std::string comparison;  // "<", ">=", "<>" ...
    double limit = 0;
  };
  struct Section {
    std::vector<Token> tokens;
    std::optional<Condition> condition;
    bool is_date = false;
    bool has_digits = false;
    bool has_text = false;
    bool is_twelve_hours = false;
    bool has_grouping = false;
    int subsecond_digits = 0;
    int percents = 0;
    int thousands_scale = 0;  // trailing commas: each divides by a thousand
  };

 private:
  [[nodiscard]] const Section& Choose(double number, bool& show_minus) const;

  std::vector<Section> sections_;  // at least one
  DateEpoch epoch_;
  bool is_date_ = false;
};

// As the format General shows it: at most 11 characters, else in scientific notation.
[[nodiscard]] std::string FormatGeneral(double number);
// The shortest digits that read back as exactly this number: "0.1", "1e+300".
[[nodiscard]] std::string FormatShortest(double number);

// The code of a number format that every application knows by its number (ECMA-376 part 1,
// 18.8.30); "" for others.
[[nodiscard]] std::string_view BuiltinNumberFormat(unsigned id);

}  // namespace staged
