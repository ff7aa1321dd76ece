#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/text_editor.h"
#include "formats/code/symbols.h"

namespace staged {

// Plans edits of source code by symbol (`sym:Class.method`, `sym:f#2/line:3`) and by line. All
// locators address the file as it was.
class CodeEditor {
 public:
  // REQUIRES: `bytes`, `parser` and `limits` outlive this.
  CodeEditor(std::string_view bytes, const CodeParser& parser, const Limits& limits)
      : editor_(bytes), parser_(parser), limits_(limits) {}

  // replace, insert_before, insert_after, delete, replace_text of symbols; lines and replace_text
  // as in every text format. Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  [[nodiscard]] Result<std::string> Finish() const { return editor_.Finish(); }

 private:
  [[nodiscard]] Result<const Symbol*> Resolve(std::string_view locator);
  [[nodiscard]] Status PlanSymbol(const Edit& edit, const Symbol& symbol);
  [[nodiscard]] Status PlanSymbolLine(const Edit& edit, const Symbol& symbol,
                                      std::string_view line_locator);
  [[nodiscard]] LineRange LinesOf(uint64_t begin, uint64_t end) const;
  [[nodiscard]] bool OwnsItsLines(const Symbol& symbol) const;

  TextEditor editor_;
  const CodeParser& parser_;
  const Limits& limits_;
  std::optional<CodeOutline> outline_;  // made when the first symbol is named
};

}  // namespace staged
