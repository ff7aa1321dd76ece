#include "formats/code/languages/all.h"

extern "C" const TSLanguage* tree_sitter_php();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"php", "phtml", "php5", "phps"};
constexpr std::string_view kInterpreters[] = {"php"};
constexpr SymbolRule kSymbols[] = {
    {.node_type = "namespace_definition",
     .symbol_kind = "namespace",
     .scope = ScopeKind::kNamespace,
     .scopes_rest = true},
    {"class_declaration", "class", "name", ScopeKind::kType},
    {"interface_declaration", "interface", "name", ScopeKind::kType},
    {"trait_declaration", "trait", "name", ScopeKind::kType},
    {"enum_declaration", "enum", "name", ScopeKind::kType},
    {"enum_case", "constant"},
    {"function_definition", "function", "name", ScopeKind::kFunction},
    {"method_declaration", "function", "name", ScopeKind::kFunction},
    {"property_element", "variable"},
    {"const_element", "constant", ":name"},
};
constexpr std::string_view kContainers[] = {
    "program",
    "declaration_list",
    "enum_declaration_list",
    "compound_statement",
    "if_statement",
    "else_clause",
    "else_if_clause",
    "colon_block",
    "expression_statement",
};
constexpr std::string_view kGroups[] = {"property_declaration", "const_declaration"};
constexpr std::string_view kDecorations[] = {"attribute_list"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string", "encapsed_string", "heredoc", "nowdoc"};
constexpr std::string_view kImports[] = {"namespace_use_declaration", "include_expression",
                                         "include_once_expression", "require_expression",
                                         "require_once_expression"};

}  // namespace

constinit const CodeLanguage kPhp = {
    .name = "php",
    .extensions = kExtensions,
    .interpreters = kInterpreters,
    .grammar = &tree_sitter_php,
    .symbols = kSymbols,
    .containers = kContainers,
    .groups = kGroups,
    .decorations = kDecorations,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
};

}  // namespace staged
