#include "record/cell_address.h"

#include <algorithm>
#include <charconv>

namespace staged {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether the whole name is an A1 or R1C1 reference, which formulas would take for a cell.
bool LooksLikeReference(std::string_view name) {
  if (ParseCellAddress(name)) return true;
  size_t at = 0;
  for (const char part : {'R', 'C'}) {
    if (at < name.size() && (name[at] & ~0x20) == part) {
      ++at;
      while (at < name.size() && IsDigit(name[at])) ++at;
    }
  }
  return !name.empty() && at == name.size();
}

}  // namespace

void AppendColumnName(std::string& out, uint32_t column) {
  char letters[8];
  size_t begin = sizeof(letters);
  while (column > 0 && begin > 0) {
    letters[--begin] = static_cast<char>('A' + (column - 1) % 26);
    column = (column - 1) / 26;
  }
  out.append(letters + begin, sizeof(letters) - begin);
}

void AppendCellAddress(std::string& out, CellAddress cell) {
  AppendColumnName(out, cell.column);
  char digits[12];
  const auto result = std::to_chars(digits, digits + sizeof(digits), cell.row);
  out.append(digits, result.ptr);
}

std::string FormatCellAddress(CellAddress cell) {
  std::string out;
  AppendCellAddress(out, cell);
  return out;
}

std::string FormatCellRange(const CellRange& range) {
  std::string out = FormatCellAddress(range.first);
  if (range.last == range.first) return out;
  out.push_back(':');
  AppendCellAddress(out, range.last);
  return out;
}

std::optional<CellAddress> ParseCellAddress(std::string_view text) {
  CellAddress cell;
  size_t at = 0;
  const auto skip_dollar = [&] {
    if (at < text.size() && text[at] == '$') ++at;
  };
  skip_dollar();
  for (; at < text.size() && IsLetter(text[at]); ++at) {
    cell.column = cell.column * 26 + static_cast<uint32_t>((text[at] & ~0x20) - 'A' + 1);
    if (cell.column > kSheetColumnsMax) return std::nullopt;
  }
  skip_dollar();
  if (cell.column == 0 || at == text.size() || text[at] == '0') return std::nullopt;
  for (; at < text.size(); ++at) {
    if (!IsDigit(text[at])) return std::nullopt;
    cell.row = cell.row * 10 + static_cast<uint32_t>(text[at] - '0');
    if (cell.row > kSheetRowsMax) return std::nullopt;
  }
  return cell;
}

std::optional<CellRange> ParseCellRange(std::string_view text) {
  const size_t colon = text.find(':');
  const std::optional<CellAddress> one = ParseCellAddress(text.substr(0, colon));
  if (!one) return std::nullopt;
  if (colon == std::string_view::npos) return CellRange{*one, *one};
  const std::optional<CellAddress> other = ParseCellAddress(text.substr(colon + 1));
  if (!other) return std::nullopt;
  return CellRange{{std::min(one->row, other->row), std::min(one->column, other->column)},
                   {std::max(one->row, other->row), std::max(one->column, other->column)}};
}

std::string QuoteSheetName(std::string_view name) {
  const auto is_plain = [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '_' || c == '.' || (c & 0x80) != 0;
  };
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), is_plain) &&
                     !IsDigit(name.front()) && name.front() != '.' && !LooksLikeReference(name);
  if (plain) return std::string(name);
  std::string out = "'";
  for (const char c : name) {
    if (c == '\'') out.push_back('\'');
    out.push_back(c);
  }
  out.push_back('\'');
  return out;
}

std::optional<SheetLocator> SplitSheetLocator(std::string_view locator) {
  SheetLocator split;
  if (locator.empty() || locator.front() != '\'') {
    const size_t mark = locator.rfind('!');
    if (mark == std::string_view::npos) {
      split.rest = std::string(locator);
    } else {
      split.sheet = std::string(locator.substr(0, mark));
      split.rest = std::string(locator.substr(mark + 1));
    }
    return split;
  }
  for (size_t at = 1; at < locator.size(); ++at) {
    if (locator[at] != '\'') {
      split.sheet.push_back(locator[at]);
      continue;
    }
    if (at + 1 < locator.size() && locator[at + 1] == '\'') {
      split.sheet.push_back('\'');
      ++at;
      continue;
    }
    const std::string_view rest = locator.substr(at + 1);
    if (!rest.empty() && rest.front() != '!') return std::nullopt;
    if (!rest.empty()) split.rest = std::string(rest.substr(1));
    return split;
  }
  return std::nullopt;
}

}  // namespace staged
