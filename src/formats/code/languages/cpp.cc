#include "formats/code/c_source.h"
#include "formats/code/languages/all.h"

extern "C" const TSLanguage* tree_sitter_cpp();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"cc",  "cpp", "cxx", "c++", "h",   "hh",
                                            "hpp", "hxx", "h++", "ipp", "inl", "tpp"};
constexpr SymbolRule kSymbols[] = {
    {"function_definition", "function", "declarator"},
    {.node_type = "declaration", .symbol_kind = "variable", .name = "declarator", .is_each = true},
    {.node_type = "field_declaration",
     .symbol_kind = "variable",
     .name = "declarator",
     .is_each = true},
    {.node_type = "type_definition", .symbol_kind = "type", .name = "declarator", .is_each = true},
    {.node_type = "class_specifier",
     .symbol_kind = "class",
     .scope = ScopeKind::kType,
     .needs_body = true},
    {.node_type = "struct_specifier",
     .symbol_kind = "struct",
     .scope = ScopeKind::kType,
     .needs_body = true},
    {.node_type = "union_specifier",
     .symbol_kind = "union",
     .scope = ScopeKind::kType,
     .needs_body = true},
    {.node_type = "enum_specifier",
     .symbol_kind = "enum",
     .scope = ScopeKind::kType,
     .needs_body = true},
    {"enumerator", "constant"},
    {"concept_definition", "concept"},
    {"namespace_definition", "namespace", "name", ScopeKind::kNamespace},
    {"namespace_alias_definition", "namespace"},
    {"alias_declaration", "type"},
    {.node_type = "preproc_def", .symbol_kind = "macro", .body = ""},
    {.node_type = "preproc_function_def", .symbol_kind = "macro", .body = "value"},
};
constexpr std::string_view kContainers[] = {
    "translation_unit",
    "declaration_list",
    "field_declaration_list",
    "enumerator_list",
    "linkage_specification",
    "class_specifier",
    "struct_specifier",
    "union_specifier",
    "enum_specifier",
    "namespace_definition",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "preproc_elifdef",
    "declaration",
    "field_declaration",
    "type_definition",
    "export_declaration",
};
constexpr std::string_view kWrappers[] = {"template_declaration"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string_literal", "raw_string_literal", "char_literal",
                                         "concatenated_string"};
constexpr std::string_view kImports[] = {"preproc_include", "using_declaration",
                                         "import_declaration"};

bool IsMeant(std::string_view text, std::string_view extension) {
  return extension != "h" || IsCppHeader(text);
}

}  // namespace

constinit const CodeLanguage kCpp = {
    .name = "cpp",
    .extensions = kExtensions,
    .grammar = &tree_sitter_cpp,
    .symbols = kSymbols,
    .containers = kContainers,
    .wrappers = kWrappers,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
    .is_meant = &IsMeant,
    .readable = &ReadableCSource,
    .simplified = &CSourceWithoutConditions,
};

}  // namespace staged
