#pragma once

#include "formats/code/languages/all.h"

// What JavaScript and TypeScript have in common.
namespace staged::ecmascript {

// "default" for a default export without a name of its own.
SymbolName ExportName(TSNode node, std::string_view text);
// "Shape.area" for "Shape.prototype.area = ...", "exports.area", "area" for "this.area".
SymbolName AssignedName(TSNode node, std::string_view text);

inline constexpr SymbolRule kSymbols[] = {
    {"function_declaration", "function", "name", ScopeKind::kFunction},
    {"generator_function_declaration", "function", "name", ScopeKind::kFunction},
    {"class_declaration", "class", "name", ScopeKind::kType},
    {"method_definition", "function", "name", ScopeKind::kFunction},
    {.node_type = "variable_declarator",
     .symbol_kind = "variable",
     .name_type = "identifier",
     .value = "value"},
    {.node_type = "pair",
     .symbol_kind = "variable",
     .name = "key",
     .value = "value",
     .needs_value = true},
    {.node_type = "assignment_expression",
     .symbol_kind = "variable",
     .value = "right",
     .needs_value = true,
     .make_name = &AssignedName},
    {.node_type = "export_statement",
     .symbol_kind = "variable",
     .value = "value",
     .make_name = &ExportName},
};
inline constexpr ValueRule kValues[] = {
    {"arrow_function", "function", ScopeKind::kFunction},
    {"function_expression", "function", ScopeKind::kFunction},
    {"generator_function", "function", ScopeKind::kFunction},
    {"class", "class", ScopeKind::kType},
    {"object", "", ScopeKind::kType},
    {"object_type", "", ScopeKind::kType},
};
inline constexpr std::string_view kContainers[] = {
    "program",
    "statement_block",
    "class_body",
    "object",
    "class",
    "call_expression",
    "arguments",
    "parenthesized_expression",
    "unary_expression",
    "new_expression",
    "return_statement",
    "if_statement",
    "else_clause",
    "try_statement",
    "catch_clause",
    "finally_clause",
    "labeled_statement",
    "export_statement",
};
inline constexpr std::string_view kFunctions[] = {"arrow_function", "function_expression",
                                                  "generator_function", "class_static_block"};
inline constexpr std::string_view kGroups[] = {"lexical_declaration", "variable_declaration",
                                               "expression_statement", "export_statement"};
inline constexpr std::string_view kDecorations[] = {"decorator"};
inline constexpr std::string_view kComments[] = {"comment", "html_comment"};
inline constexpr std::string_view kStrings[] = {"string", "template_string"};
inline constexpr std::string_view kImports[] = {"import_statement"};

}  // namespace staged::ecmascript
