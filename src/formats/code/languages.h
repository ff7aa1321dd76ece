#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

struct TSLanguage;

namespace staged {

// A kind of syntax node that is a symbol.
struct SymbolRule {
  std::string_view node_type;
  std::string_view symbol_kind;  // "function", "class", "method" is derived from the scope
  std::string_view name_field;   // the field that leads to its name
  bool is_scope = false;         // symbols inside are qualified by its name
  // Only with such a node on the way to its name: a declaration is a symbol if it declares a
  // function.
  std::string_view needs_declarator;
};

enum class DocumentationStyle : uint8_t {
  kPrecedingComments = 1,  // comments on the lines directly above
  kDocstring = 2,          // a string as the body's first statement
};

// One programming language: adding one is a row in languages.cc and its grammar in third_party.
struct CodeLanguage {
  std::string_view name;  // also the format's name
  std::vector<std::string_view> extensions;
  std::vector<std::string_view> interpreters;  // in the first line "#!..."
  const TSLanguage* (*grammar)();
  std::vector<SymbolRule> symbols;
  std::vector<std::string_view> containers;  // looked into, no symbols themselves
  std::vector<std::string_view> wrappers;  // belong to the one symbol inside: decorators, templates
  std::vector<std::string_view> imports;
  DocumentationStyle documentation = DocumentationStyle::kPrecedingComments;
};

[[nodiscard]] const std::vector<CodeLanguage>& CodeLanguages();

}  // namespace staged
