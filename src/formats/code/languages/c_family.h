#pragma once

#include "formats/code/languages/all.h"

// What C and C++ have in common.
namespace staged::c_family {

inline constexpr SymbolRule kSymbols[] = {
    {"function_definition", "function", "declarator"},
    {.node_type = "declaration", .symbol_kind = "variable", .name = "declarator", .is_each = true},
    {.node_type = "field_declaration",
     .symbol_kind = "variable",
     .name = "declarator",
     .is_each = true},
    {.node_type = "type_definition", .symbol_kind = "type", .name = "declarator", .is_each = true},
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
    {.node_type = "preproc_def", .symbol_kind = "macro", .body = ""},
    {.node_type = "preproc_function_def", .symbol_kind = "macro", .body = "value"},
};
inline constexpr std::string_view kContainers[] = {
    "translation_unit", "declaration_list",      "field_declaration_list",
    "enumerator_list",  "linkage_specification", "struct_specifier",
    "union_specifier",  "enum_specifier",        "preproc_if",
    "preproc_ifdef",    "preproc_else",          "preproc_elif",
    "preproc_elifdef",  "declaration",           "field_declaration",
    "type_definition",
};

}  // namespace staged::c_family
