#include "formats/code/languages.h"

extern "C" {
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_cpp();
}

namespace staged {
namespace {

CodeLanguage Python() {
  return {
      "python",
      {"py", "pyi", "pyw"},
      {"python", "python3"},
      &tree_sitter_python,
      {
          {"function_definition", "function", "name", true, ""},
          {"class_definition", "class", "name", true, ""},
          {"assignment", "variable", "left", false, ""},
          {"type_alias_statement", "type", "left", false, ""},
      },
      {"module", "block", "expression_statement", "if_statement", "else_clause", "elif_clause",
       "try_statement", "except_clause", "finally_clause", "with_statement", "ERROR"},
      {"decorated_definition"},
      {"import_statement", "import_from_statement", "future_import_statement"},
      DocumentationStyle::kDocstring,
  };
}

CodeLanguage Cpp() {
  return {
      "cpp",
      {"cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "ipp", "inl", "c"},
      {},
      &tree_sitter_cpp,
      {
          {"function_definition", "function", "declarator", false, ""},
          {"declaration", "function", "declarator", false, "function_declarator"},
          {"field_declaration", "function", "declarator", false, "function_declarator"},
          {"class_specifier", "class", "name", true, ""},
          {"struct_specifier", "struct", "name", true, ""},
          {"union_specifier", "union", "name", true, ""},
          {"enum_specifier", "enum", "name", true, ""},
          {"concept_definition", "concept", "name", false, ""},
          {"namespace_definition", "namespace", "name", true, ""},
          {"type_definition", "type", "declarator", false, ""},
          {"alias_declaration", "type", "name", false, ""},
          {"preproc_def", "macro", "name", false, ""},
          {"preproc_function_def", "macro", "name", false, ""},
      },
      {"translation_unit", "declaration_list", "field_declaration_list", "linkage_specification",
       "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
       "declaration", "field_declaration", "type_definition", "ERROR"},
      {"template_declaration"},
      {"preproc_include", "using_declaration", "import_declaration"},
      DocumentationStyle::kPrecedingComments,
  };
}

}  // namespace

const std::vector<CodeLanguage>& CodeLanguages() {
  static const auto* const languages = new std::vector<CodeLanguage>{Python(), Cpp()};
  return *languages;
}

}  // namespace staged
