#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/code/code_parser.h"
#include "staged/limits.h"
#include "staged/record.h"
#include "staged/view.h"

namespace staged {

struct Symbol {
  std::string name;            // qualified: "Class.method"
  uint32_t ordinal = 1;        // among the symbols of that name
  size_t parent = SIZE_MAX;    // index of the enclosing symbol
  std::string_view kind;       // "function", "method", "class" ...
  std::string signature;       // what stands before the body, on one line
  std::string documentation;   // comment or docstring, without its marks
  ByteSpan span;               // with decorators, template heads and attributes
  uint64_t leading_begin = 0;  // where the comments directly above begin; span.begin without any
  bool is_listed = false;  // one of several in a declaration ("int a, b;"), whose span has it alone

  [[nodiscard]] std::string Locator() const;  // "sym:Class.method#2"
};

struct CodeOutline {
  std::vector<Symbol> symbols;  // in order of their beginning
  std::vector<ByteSpan> imports;
  std::vector<ByteSpan> errors;  // malformed places, at most a hundred
  bool is_complete = true;       // false where the parser gave up
};

// Parses `text` with the parser's grammar. Work is bounded: the parser gives up on input that
// costs it out of proportion.
[[nodiscard]] CodeOutline OutlineCode(std::string_view text, const CodeParser& parser,
                                      const Limits& limits);

}  // namespace staged
