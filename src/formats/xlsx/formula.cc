#include "formats/xlsx/formula.h"

#include <optional>

#include "record/cell_address.h"

namespace staged::xlsx {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_' || c == '.' || c == '\\' || c == '?' ||
         (c & 0x80) != 0;
}

// A reference's half: "$A", "12", "B$7".
struct Corner {
  uint32_t column = 0;  // 0: none
  uint32_t row = 0;     // 0: none
  bool fixed_column = false;
  bool fixed_row = false;
  size_t size = 0;  // bytes it takes
};

std::optional<Corner> ReadCorner(std::string_view text) {
  Corner corner;
  size_t at = 0;
  bool dollar = at < text.size() && text[at] == '$';
  if (dollar) ++at;
  size_t begin = at;
  while (at < text.size() && IsLetter(text[at]) && at - begin < 4) {
    corner.column = corner.column * 26 + static_cast<uint32_t>((text[at] & ~0x20) - 'A' + 1);
    ++at;
  }
  if (corner.column > kSheetColumnsMax) return std::nullopt;
  if (at > begin) {
    corner.fixed_column = dollar;
    dollar = at < text.size() && text[at] == '$';
    if (dollar) ++at;
  }
  begin = at;
  while (at < text.size() && IsDigit(text[at]) && at - begin < 8) {
    corner.row = corner.row * 10 + static_cast<uint32_t>(text[at] - '0');
    ++at;
  }
  if (at > begin) {
    if (corner.row == 0 || corner.row > kSheetRowsMax) return std::nullopt;
    corner.fixed_row = dollar;
  } else if (dollar) {
    return std::nullopt;
  }
  if (corner.row == 0 && corner.column == 0) return std::nullopt;
  corner.size = at;
  return corner;
}

class Shifter {
 public:
  Shifter(std::string_view formula, int64_t rows, int64_t columns)
      : formula_(formula), rows_(rows), columns_(columns) {}

  std::string Shift() {
    while (at_ < formula_.size()) {
      const char c = formula_[at_];
      if (c == '"' || c == '\'') {
        CopyQuoted(c);
      } else if (c == '[') {
        CopyBrackets();
      } else if (IsNameChar(c) || c == '$') {
        CopyOrShiftWord();
      } else {
        out_.push_back(c);
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  void CopyTo(size_t end) {
    out_.append(formula_.substr(at_, end - at_));
    at_ = end;
  }

  // A doubled quotation mark ends one quotation and begins the next: nothing special.
  void CopyQuoted(char quote) {
    const size_t end = formula_.find(quote, at_ + 1);
    CopyTo(end == std::string_view::npos ? formula_.size() : end + 1);
  }

  // A structured reference or an external workbook's number.
  void CopyBrackets() {
    size_t depth = 0;
    size_t end = at_;
    for (; end < formula_.size(); ++end) {
      if (formula_[end] == '\'') {
        ++end;
        continue;
      }
      if (formula_[end] == '[') ++depth;
      if (formula_[end] == ']' && --depth == 0) break;
    }
    CopyTo(end < formula_.size() ? end + 1 : formula_.size());
  }

  size_t WordEnd(size_t at) const {
    while (at < formula_.size() && (IsNameChar(formula_[at]) || formula_[at] == '$')) ++at;
    return at;
  }

  void CopyOrShiftWord() {
    const size_t end = WordEnd(at_);
    const std::string_view word = formula_.substr(at_, end - at_);
    const char next = end < formula_.size() ? formula_[end] : '\0';
    const std::optional<Corner> first = ReadCorner(word);
    if (!first || first->size != word.size() || next == '(' || next == '!' || next == '[') {
      return CopyTo(end);
    }
    if (first->row != 0 && first->column != 0) {
      AppendCorner(*first);
      at_ = end;
      return;
    }
    // Whole rows or columns stand only in pairs: "A:C", "1:3".
    if (next != ':') return CopyTo(end);
    const size_t second_end = WordEnd(end + 1);
    const std::string_view second_word = formula_.substr(end + 1, second_end - end - 1);
    const std::optional<Corner> second = ReadCorner(second_word);
    if (!second || second->size != second_word.size() || (second->row != 0) != (first->row != 0) ||
        (second->column != 0) != (first->column != 0)) {
      return CopyTo(end);
    }
    AppendCorner(*first);
    out_.push_back(':');
    AppendCorner(*second);
    at_ = second_end;
  }

  void AppendCorner(const Corner& corner) {
    const int64_t row = corner.row + (corner.fixed_row ? 0 : rows_);
    const int64_t column = corner.column + (corner.fixed_column ? 0 : columns_);
    const bool has_row = corner.row != 0;
    const bool has_column = corner.column != 0;
    if ((has_row && (row < 1 || row > kSheetRowsMax)) ||
        (has_column && (column < 1 || column > kSheetColumnsMax))) {
      out_ += "#REF!";
      return;
    }
    if (has_column) {
      if (corner.fixed_column) out_.push_back('$');
      AppendColumnName(out_, static_cast<uint32_t>(column));
    }
    if (has_row) {
      if (corner.fixed_row) out_.push_back('$');
      out_ += std::to_string(row);
    }
  }

  std::string_view formula_;
  int64_t rows_;
  int64_t columns_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string ShiftFormula(std::string_view formula, int64_t rows, int64_t columns) {
  return Shifter(formula, rows, columns).Shift();
}

}  // namespace staged::xlsx
