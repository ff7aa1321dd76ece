#include "codec/lines.h"

#include <charconv>
#include <optional>

namespace staged {
namespace {

constexpr std::string_view kLinePrefix = "line:";

std::optional<size_t> ReadOrdinal(std::string_view digits) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number == 0) return {};
  return number;
}

}  // namespace

bool IsLineLocator(std::string_view locator) { return locator.starts_with(kLinePrefix); }

Result<LineRange> ParseLineLocator(std::string_view locator, size_t line_count) {
  const auto refuse = [&] {
    return Status(ErrorCode::kInvalidArgument, "'" + std::string(locator) +
                                                   "' is no line locator; write line:3 or "
                                                   "line:3-5, counted from 1");
  };
  if (!IsLineLocator(locator)) return refuse();
  const std::string_view numbers = locator.substr(kLinePrefix.size());
  const size_t dash = numbers.find('-');
  const std::optional<size_t> first = ReadOrdinal(numbers.substr(0, dash));
  const std::optional<size_t> last =
      dash == std::string_view::npos ? first : ReadOrdinal(numbers.substr(dash + 1));
  if (!first || !last || *first > *last) return refuse();
  if (*last > line_count) {
    return Status(ErrorCode::kNoMatch, "there is no " + std::string(locator) + ": the text has " +
                                           std::to_string(line_count) +
                                           " lines; read it again for fresh locators");
  }
  return LineRange{*first - 1, *last - 1};
}

std::string LineLocator(size_t line) { return std::string(kLinePrefix) + std::to_string(line + 1); }

std::string WithNewlines(std::string_view text, Newline newline) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (size_t position = 0; position < text.size(); ++position) {
    const char c = text[position];
    if (c == '\r' && position + 1 < text.size() && text[position + 1] == '\n') continue;
    if (c == '\n' || (c == '\r' && newline == Newline::kCarriageReturn)) {
      out.append(NewlineBytes(newline));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace staged
