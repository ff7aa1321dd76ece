#include "formats/code/code_editor.h"

#include <algorithm>

namespace staged {
namespace {

constexpr std::string_view kSymbolPrefix = "sym:";
constexpr std::string_view kBlanks = " \t\r\n";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

}  // namespace

Status CodeEditor::Plan(const Edit& edit) {
  if (TextEditor::Handles(edit)) return editor_.Plan(edit);
  if (!edit.locator.starts_with(kSymbolPrefix)) {
    return Status(ErrorCode::kInvalidArgument, "'" + edit.locator +
                                                   "' is no locator in source code; write "
                                                   "sym:Class.method or line:3");
  }
  const size_t line = edit.locator.rfind("/line:");
  STAGED_ASSIGN_OR_RETURN(const Symbol* symbol, Resolve(edit.locator.substr(0, line)));
  if (line != std::string::npos) {
    return PlanSymbolLine(edit, *symbol, std::string_view(edit.locator).substr(line + 1));
  }
  return PlanSymbol(edit, *symbol);
}

Result<const Symbol*> CodeEditor::Resolve(std::string_view locator) {
  if (!outline_) outline_ = OutlineCode(editor_.text(), parser_, limits_);
  const Symbol* found = nullptr;
  const std::string repeated = std::string(locator) + "#2";
  bool is_repeated = false;
  for (const Symbol& symbol : outline_->symbols) {
    const std::string known = symbol.Locator();
    if (known == locator) found = &symbol;
    is_repeated = is_repeated || known == repeated;
  }
  if (found == nullptr) {
    return Status(ErrorCode::kNoMatch,
                  "there is no '" + std::string(locator) + "'; parse the file for its symbols");
  }
  if (is_repeated) {
    return Status(ErrorCode::kAmbiguous, "several symbols are called '" + std::string(locator) +
                                             "'; name the lines instead, or '" + repeated +
                                             "' for the second");
  }
  return found;
}

LineRange CodeEditor::LinesOf(uint64_t begin, uint64_t end) const {
  return {editor_.lines().LineOf(begin), editor_.lines().LineOf(end > begin ? end - 1 : begin)};
}

bool CodeEditor::OwnsItsLines(const Symbol& symbol) const {
  const LineRange range = LinesOf(symbol.span.begin, symbol.span.end);
  const uint64_t begin = editor_.lines().Span(range.first).begin;
  const uint64_t end = editor_.lines().Span(range.last).end;
  return IsBlank(editor_.text().substr(begin, symbol.span.begin - begin)) &&
         IsBlank(editor_.text().substr(symbol.span.end, end - symbol.span.end));
}

Status CodeEditor::PlanSymbol(const Edit& edit, const Symbol& symbol) {
  const std::string_view text = editor_.text();
  const std::string_view source =
      text.substr(symbol.span.begin, symbol.span.end - symbol.span.begin);
  STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, source));
  if (edit.op == "replace_text") return editor_.ReplaceText(edit, symbol.span);
  const LineRange lines = LinesOf(symbol.span.begin, symbol.span.end);
  const LineRange all_lines = LinesOf(symbol.leading_begin, symbol.span.end);
  if (edit.op == "delete") {
    if (symbol.is_listed) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "'" + edit.locator +
                        "' shares its declaration with others; replace the declaration's lines");
    }
    if (!OwnsItsLines(symbol)) return editor_.Replace(symbol.span, "");
    LineRange deleted = all_lines;
    // Of the blank lines around it, those behind it go too, so that its neighbours stay as far
    // apart as they were.
    const auto is_blank_line = [&](size_t line) {
      return IsBlank(editor_.lines().Text(text, line));
    };
    if (deleted.first == 0 || is_blank_line(deleted.first - 1)) {
      while (deleted.last + 1 < editor_.lines().count() && is_blank_line(deleted.last + 1)) {
        ++deleted.last;
      }
    }
    editor_.DeleteLines(deleted);
    return OkStatus();
  }
  if (edit.op != "replace" && edit.op != "insert_before" && edit.op != "insert_after") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a symbol cannot be edited with '" + edit.op +
                      "'; use replace, replace_text, insert_before, insert_after or delete");
  }
  STAGED_ASSIGN_OR_RETURN(std::string replacement, TextArgument(edit, "text"));
  if (edit.op == "insert_before") return editor_.InsertBefore(all_lines.first, replacement);
  if (edit.op == "insert_after") return editor_.InsertAfter(lines.last, replacement);
  // The first line's indentation stays outside the span; text that brings it along is not indented
  // twice.
  const uint64_t line_begin = editor_.lines().Span(lines.first).begin;
  const std::string_view indent = text.substr(line_begin, symbol.span.begin - line_begin);
  if (!indent.empty() && IsBlank(indent) && replacement.starts_with(indent)) {
    replacement.erase(0, indent.size());
  }
  while (!replacement.empty() && (replacement.back() == '\n' || replacement.back() == '\r')) {
    replacement.pop_back();
  }
  return editor_.Replace(symbol.span, WithNewlines(replacement, editor_.lines().dominant()));
}

Status CodeEditor::PlanSymbolLine(const Edit& edit, const Symbol& symbol,
                                  std::string_view line_locator) {
  const LineRange lines = LinesOf(symbol.span.begin, symbol.span.end);
  STAGED_ASSIGN_OR_RETURN(const LineRange within,
                          ParseLineLocator(line_locator, lines.last - lines.first + 1));
  Edit in_file = edit;
  in_file.locator =
      LineLocator(lines.first + within.first) + "-" + std::to_string(lines.first + within.last + 1);
  return editor_.Plan(in_file);
}

}  // namespace staged
