#include "formats/xlsb/formula_text.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "codec/text_encoding.h"
#include "formats/xlsb/binary_record.h"
#include "formats/xlsb/functions.h"

namespace staged::xlsb {
namespace {

// Tokens ([MS-XLSB] 2.5.97.16), those of operands without their data type.
enum class Token : uint8_t {
  kRange = 0x01,
  kFirstOperator = 0x03,
  kLastOperator = 0x11,
  kPlus = 0x12,
  kMinus = 0x13,
  kPercent = 0x14,
  kParentheses = 0x15,
  kMissingArgument = 0x16,
  kText = 0x17,
  kExtended = 0x18,
  kAttribute = 0x19,
  kError = 0x1C,
  kBoolean = 0x1D,
  kInteger = 0x1E,
  kNumber = 0x1F,
  kArray = 0x20,
  kFunction = 0x21,
  kVariableFunction = 0x22,
  kName = 0x23,
  kReference = 0x24,
  kArea = 0x25,
  kMemoryArea = 0x26,
  kMemoryError = 0x27,
  kMemoryNothing = 0x28,
  kMemoryFunction = 0x29,
  kDeletedReference = 0x2A,
  kDeletedArea = 0x2B,
  kOffsetReference = 0x2C,
  kOffsetArea = 0x2D,
  kForeignName = 0x39,
  kReference3d = 0x3A,
  kArea3d = 0x3B,
  kDeletedReference3d = 0x3C,
  kDeletedArea3d = 0x3D,
};

constexpr const char* kOperators[] = {
    "+", "-", "*", "/", "^", "&", "<", "<=", "=", ">=", ">", "<>", " ", ",", ":"};
constexpr uint16_t kUserFunction = 255;    // the name of the function is its first argument
constexpr size_t kTextBytesMax = 1 << 16;  // far more than a formula may have
constexpr size_t kOperandsMax = 4096;

// Kinds of PtgAttr (2.5.97.20 and following).
constexpr uint8_t kAttributeChoose = 0x04;
constexpr uint8_t kAttributeSum = 0x10;

struct Corner {
  uint32_t row = 0;     // from 0
  uint32_t column = 0;  // from 0
  bool is_row_relative = false;
  bool is_column_relative = false;
};

void AppendColumn(std::string& text, const Corner& corner) {
  if (!corner.is_column_relative) text += '$';
  AppendColumnName(text, corner.column + 1);
}

void AppendRow(std::string& text, const Corner& corner) {
  if (!corner.is_row_relative) text += '$';
  text += std::to_string(corner.row + 1);
}

std::string TextOf(const Corner& corner) {
  std::string text;
  AppendColumn(text, corner);
  AppendRow(text, corner);
  return text;
}

// "B2:D9", or "B:D" and "2:9" for whole columns and rows.
std::string TextOf(const Corner& first, const Corner& last) {
  std::string text;
  if (first.row == 0 && last.row == kSheetRowsMax - 1) {
    AppendColumn(text, first);
    text += ':';
    AppendColumn(text, last);
  } else if (first.column == 0 && last.column == kSheetColumnsMax - 1) {
    AppendRow(text, first);
    text += ':';
    AppendRow(text, last);
  } else {
    text = TextOf(first) + ":" + TextOf(last);
  }
  return text;
}

// Without an exponent as far as a person would write it.
std::string NumberText(double number) {
  char text[32];
  const double size = std::abs(number);
  const bool is_plain = number == 0 || (size >= 1e-4 && size < 1e15);
  const auto end =
      std::to_chars(text, text + sizeof(text), number,
                    is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string shown(text, end.ptr);
  for (char& c : shown) c = c == 'e' ? 'E' : c;
  return shown;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

class Decompiler {
 public:
  Decompiler(const ParsedFormula& formula, const FormulaNames& names, CellAddress cell)
      : tokens_(formula.tokens), extra_(formula.extra), names_(names), cell_(cell) {}

  std::optional<std::string> Run() {
    while (!tokens_.rest().empty()) {
      if (!Read(tokens_.Byte()) || !tokens_.ok() || operands_.size() > kOperandsMax) {
        return std::nullopt;
      }
    }
    if (operands_.size() != 1) return std::nullopt;
    return std::move(operands_.back());
  }

 private:
  bool Push(std::string text) {
    if (text.size() > kTextBytesMax) return false;
    operands_.push_back(std::move(text));
    return true;
  }

  // The last operands, in order; false where there are fewer.
  bool Pop(size_t count, std::vector<std::string>& taken) {
    if (operands_.size() < count) return false;
    const auto begin = operands_.end() - static_cast<ptrdiff_t>(count);
    taken.assign(std::make_move_iterator(begin), std::make_move_iterator(operands_.end()));
    operands_.erase(begin, operands_.end());
    return true;
  }

  bool Around(const char* before, const char* behind) {
    return !operands_.empty() && Push(before + TakeLast() + behind);
  }

  std::string TakeLast() {
    std::string last = std::move(operands_.back());
    operands_.pop_back();
    return last;
  }

  bool Read(uint8_t byte) {
    // Operands say in two bits what they are wanted as.
    const auto token = static_cast<Token>(byte < 0x20 ? byte : (byte & 0x1F) | 0x20);
    if (token >= Token::kFirstOperator && token <= Token::kLastOperator) {
      std::vector<std::string> sides;
      const size_t which = byte - static_cast<uint8_t>(Token::kFirstOperator);
      return Pop(2, sides) && Push(sides[0] + kOperators[which] + sides[1]);
    }
    return byte < 0x20 ? ReadBasic(token) : ReadOperand(token);
  }

  bool ReadBasic(Token token) {
    switch (token) {
      case Token::kPlus:
        return Around("+", "");
      case Token::kMinus:
        return Around("-", "");
      case Token::kPercent:
        return Around("", "%");
      case Token::kParentheses:
        return Around("(", ")");
      case Token::kMissingArgument:
        return Push("");
      case Token::kText: {
        const uint64_t units = tokens_.Short();
        return Push(Quoted(Utf16LittleEndianToUtf8(tokens_.Bytes(units * 2))));
      }
      case Token::kAttribute:
        return ReadAttribute();
      case Token::kError:
        return Push(ErrorName(tokens_.Byte()));
      case Token::kBoolean:
        return Push(tokens_.Byte() != 0 ? "TRUE" : "FALSE");
      case Token::kInteger:
        return Push(std::to_string(tokens_.Short()));
      case Token::kNumber:
        return Push(NumberText(tokens_.Real()));
      default:
        return false;
    }
  }

  // How the formula is computed or spaced; only a sum of one argument has no other token.
  bool ReadAttribute() {
    const uint8_t kind = tokens_.Byte();
    const uint16_t detail = tokens_.Short();
    if ((kind & kAttributeChoose) != 0) (void)tokens_.Bytes((uint64_t{detail} + 1) * 2);
    return (kind & kAttributeSum) == 0 || Around("SUM(", ")");
  }

  bool ReadOperand(Token token) {
    switch (token) {
      case Token::kFunction: {
        const Function* function = FindFunction(tokens_.Short());
        if (function == nullptr || function->arguments < 0) return false;
        return Call(std::string(function->name), static_cast<size_t>(function->arguments));
      }
      case Token::kVariableFunction:
        return ReadVariableFunction();
      case Token::kName: {
        const uint32_t number = tokens_.Long();
        return number >= 1 && number <= names_.names.size() && Push(names_.names[number - 1]);
      }
      case Token::kForeignName:
        return ReadForeignName();
      case Token::kReference:
        return Push(TextOf(ReadCorner()));
      case Token::kArea:
        return PushArea("");
      case Token::kOffsetReference:
        return Push(TextOf(Moved(ReadCorner())));
      case Token::kOffsetArea: {
        const auto [first, last] = ReadCorners();
        return Push(TextOf(Moved(first), Moved(last)));
      }
      case Token::kReference3d: {
        const std::optional<std::string> sheet = SheetOf(tokens_.Short());
        return sheet && Push(*sheet + TextOf(ReadCorner()));
      }
      case Token::kArea3d: {
        const std::optional<std::string> sheet = SheetOf(tokens_.Short());
        return sheet && PushArea(*sheet);
      }
      case Token::kDeletedReference:
        return Skip(6) && Push("#REF!");
      case Token::kDeletedArea:
        return Skip(12) && Push("#REF!");
      case Token::kDeletedReference3d:
        return PushDeleted(6);
      case Token::kDeletedArea3d:
        return PushDeleted(12);
      case Token::kMemoryArea:
      case Token::kMemoryError:
      case Token::kMemoryNothing:
        return Skip(6);  // what follows is the reference itself
      case Token::kMemoryFunction:
        return Skip(2);
      default:
        return false;
    }
  }

  bool Skip(size_t bytes) {
    (void)tokens_.Bytes(bytes);
    return tokens_.ok();
  }

  bool Call(const std::string& name, size_t count) {
    std::vector<std::string> arguments;
    if (!Pop(count, arguments)) return false;
    std::string text = name + "(";
    for (size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? "," : "") + arguments[i];
    return Push(text + ")");
  }

  bool ReadVariableFunction() {
    const size_t count = tokens_.Byte() & 0x7F;
    const uint16_t number = tokens_.Short();
    if (number == kUserFunction) {
      std::vector<std::string> all;
      if (count == 0 || !Pop(count, all)) return false;
      const std::string name = all.front();
      for (size_t i = 1; i < all.size(); ++i) operands_.push_back(std::move(all[i]));
      return Call(name, count - 1);
    }
    const Function* function = FindFunction(number);
    return function != nullptr && Call(std::string(function->name), count);
  }

  bool ReadForeignName() {
    const uint16_t span_number = tokens_.Short();
    const uint32_t number = tokens_.Long();
    if (span_number >= names_.spans.size()) return false;
    const SheetSpan& span = names_.spans[span_number];
    if (span.book >= names_.books.size()) return false;
    const Book& book = names_.books[span.book];
    const std::vector<std::string>& known = book.is_own ? names_.names : book.names;
    if (number < 1 || number > known.size()) return false;
    return Push((book.number == 0 ? "" : "[" + std::to_string(book.number) + "]!") +
                known[number - 1]);
  }

  Corner ReadColumn(uint32_t row) {
    Corner corner;
    const uint16_t column = tokens_.Short();
    corner.row = row;
    corner.column = column & 0x3FFF;
    corner.is_column_relative = (column & 0x4000) != 0;
    corner.is_row_relative = (column & 0x8000) != 0;
    return corner;
  }

  Corner ReadCorner() { return ReadColumn(tokens_.Long() % kSheetRowsMax); }

  std::pair<Corner, Corner> ReadCorners() {
    const uint32_t first_row = tokens_.Long() % kSheetRowsMax;
    const uint32_t last_row = tokens_.Long() % kSheetRowsMax;
    const Corner first = ReadColumn(first_row);
    return {first, ReadColumn(last_row)};
  }

  // Relative parts count from the formula's own cell, around the sheet's borders.
  [[nodiscard]] Corner Moved(Corner corner) const {
    if (corner.is_row_relative) corner.row = (corner.row + cell_.row - 1) % kSheetRowsMax;
    if (corner.is_column_relative) {
      corner.column = (corner.column + cell_.column - 1) % kSheetColumnsMax;
    }
    return corner;
  }

  bool PushArea(const std::string& sheet) {
    const auto [first, last] = ReadCorners();
    return Push(sheet + TextOf(first, last));
  }

  bool PushDeleted(size_t bytes) {
    const std::optional<std::string> sheet = SheetOf(tokens_.Short());
    return sheet && Skip(bytes) && Push(*sheet + "#REF!");
  }

  // "Sheet1!", "'[1]Q3 Sales'!", "Jan:Dec!".
  [[nodiscard]] std::optional<std::string> SheetOf(uint16_t number) const {
    if (number >= names_.spans.size()) return std::nullopt;
    const SheetSpan& span = names_.spans[number];
    if (span.book >= names_.books.size()) return std::nullopt;
    const Book& book = names_.books[span.book];
    if (span.first == -2 || span.last == -2) return "#REF!";
    const std::vector<std::string>& sheets = book.is_own ? names_.sheets : book.sheets;
    if (span.first < 0 || span.last < 0 || static_cast<size_t>(span.first) >= sheets.size() ||
        static_cast<size_t>(span.last) >= sheets.size()) {
      return std::nullopt;
    }
    const std::string& first = sheets[static_cast<size_t>(span.first)];
    const std::string& last = sheets[static_cast<size_t>(span.last)];
    const std::string of_book = book.number == 0 ? "" : "[" + std::to_string(book.number) + "]";
    const bool is_plain =
        QuoteSheetName(first) == first && (first == last || QuoteSheetName(last) == last);
    const std::string whole = of_book + (first == last ? first : first + ":" + last);
    if (is_plain) return whole + "!";
    std::string quoted = "'";
    for (const char c : whole) {
      if (c == '\'') quoted += '\'';
      quoted += c;
    }
    return quoted + "'!";
  }

  FieldReader tokens_;
  std::string_view extra_;
  const FormulaNames& names_;
  const CellAddress cell_;
  std::vector<std::string> operands_;
};

}  // namespace

std::optional<std::string> FormulaText(const ParsedFormula& formula, const FormulaNames& names,
                                       CellAddress cell) {
  return Decompiler(formula, names, cell).Run();
}

std::optional<CellAddress> RangeOfFormula(const ParsedFormula& formula) {
  FieldReader reader(formula.tokens);
  if (reader.Byte() != static_cast<uint8_t>(Token::kRange)) return std::nullopt;
  const uint32_t row = reader.Long();
  FieldReader extra(formula.extra);
  const uint32_t column = extra.Long();
  if (!reader.ok() || !extra.ok() || row >= kSheetRowsMax || column >= kSheetColumnsMax) {
    return CellAddress();  // of no range that there is
  }
  return CellAddress{row + 1, column + 1};
}

}  // namespace staged::xlsb
