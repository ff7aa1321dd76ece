#include "diff/cell_references.h"

#include <algorithm>

namespace staged {
namespace {

bool IsNameByte(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' || byte == '$' ||
         static_cast<uint8_t>(byte) >= 0x80;
}

// End of what is quoted from `begin` on; a doubled quote is part of it.
size_t QuotedEnd(std::string_view text, size_t begin) {
  const char quote = text[begin];
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] != quote) continue;
    if (i + 1 < text.size() && text[i + 1] == quote) {
      ++i;
      continue;
    }
    return i + 1;
  }
  return text.size();
}

std::string Unquoted(std::string_view quoted) {
  std::string name;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    name += quoted[i];
    if (quoted[i] == '\'') ++i;
  }
  return name;
}

void AppendReference(std::string& out, std::string_view token, CellAddress cell) {
  if (cell.row == 0) {
    out += '#';
    return;
  }
  const bool fixed_column = token[0] == '$';
  const bool fixed_row = token.find('$', 1) != std::string_view::npos;
  if (fixed_column) out += '$';
  AppendColumnName(out, cell.column);
  if (fixed_row) out += '$';
  out += std::to_string(cell.row);
}

}  // namespace

std::string RemapReferences(
    std::string_view formula,
    const std::function<CellAddress(std::string_view sheet, CellAddress cell)>& remap) {
  std::string out, sheet;
  for (size_t at = 0; at < formula.size();) {
    const char byte = formula[at];
    size_t end = at + 1;
    if (byte == '"' || byte == '\'') {
      end = QuotedEnd(formula, at);
      if (byte == '\'') sheet = Unquoted(formula.substr(at, end - at));
    } else if (byte == '[') {
      for (int depth = 1; end < formula.size() && depth > 0; ++end) {
        depth += formula[end] == '[' ? 1 : formula[end] == ']' ? -1 : 0;
      }
    } else if (IsNameByte(byte)) {
      while (end < formula.size() && IsNameByte(formula[end])) ++end;
      const std::string_view token = formula.substr(at, end - at);
      const char next = end < formula.size() ? formula[end] : '\0';
      const auto cell = next == '(' ? std::nullopt : ParseCellAddress(token);
      if (next == '!') {
        sheet = token;
      } else if (cell) {
        AppendReference(out, token, remap(sheet, *cell));
        if (next != ':') sheet.clear();
        at = end;
        continue;
      } else {
        sheet.clear();
      }
    } else if (byte != '!' && byte != ':') {
      sheet.clear();
    }
    out += formula.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace staged
