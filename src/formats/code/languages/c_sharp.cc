#include "formats/code/languages/all.h"
#include "formats/code/symbol_names.h"

extern "C" const TSLanguage* tree_sitter_c_sharp();

namespace staged {
namespace {

SymbolName Prefixed(std::string_view prefix, TSNode named, std::string_view text) {
  if (ts_node_is_null(named)) return {};
  return {std::string(prefix) + NameFromSource(SourceOf(named, text)), ""};
}
SymbolName DestructorName(TSNode node, std::string_view text) {
  return Prefixed("~", FieldNode(node, "name"), text);
}
SymbolName OperatorName(TSNode node, std::string_view text) {
  return Prefixed("operator ", FieldNode(node, "operator"), text);
}
SymbolName ConversionName(TSNode node, std::string_view text) {
  return Prefixed("operator ", FieldNode(node, "type"), text);
}
SymbolName IndexerName(TSNode, std::string_view) { return {"this", ""}; }

constexpr std::string_view kExtensions[] = {"cs", "csx"};
constexpr SymbolRule kSymbols[] = {
    {"namespace_declaration", "namespace", "name", ScopeKind::kNamespace},
    {.node_type = "file_scoped_namespace_declaration",
     .symbol_kind = "namespace",
     .scope = ScopeKind::kNamespace,
     .scopes_rest = true},
    {"class_declaration", "class", "name", ScopeKind::kType},
    {"struct_declaration", "struct", "name", ScopeKind::kType},
    {"record_declaration", "record", "name", ScopeKind::kType},
    {"interface_declaration", "interface", "name", ScopeKind::kType},
    {"enum_declaration", "enum", "name", ScopeKind::kType},
    {"enum_member_declaration", "constant"},
    {"delegate_declaration", "type"},
    {"method_declaration", "function", "name", ScopeKind::kFunction},
    {"local_function_statement", "function", "name", ScopeKind::kFunction},
    {"constructor_declaration", "function", "name", ScopeKind::kFunction},
    {.node_type = "destructor_declaration",
     .symbol_kind = "function",
     .scope = ScopeKind::kFunction,
     .make_name = &DestructorName},
    {.node_type = "operator_declaration", .symbol_kind = "function", .make_name = &OperatorName},
    {.node_type = "conversion_operator_declaration",
     .symbol_kind = "function",
     .make_name = &ConversionName},
    {.node_type = "indexer_declaration",
     .symbol_kind = "property",
     .body = "accessors",
     .make_name = &IndexerName},
    {.node_type = "property_declaration", .symbol_kind = "property", .body = "accessors"},
    {.node_type = "event_declaration", .symbol_kind = "event", .body = "accessors"},
    {"variable_declarator", "variable"},
};
constexpr std::string_view kContainers[] = {
    "compilation_unit",
    "declaration_list",
    "enum_member_declaration_list",
    "global_statement",
    "block",
    "preproc_if",
    "preproc_elif",
    "preproc_else",
};
constexpr std::string_view kGroups[] = {"field_declaration", "event_field_declaration",
                                        "variable_declaration"};
constexpr std::string_view kDecorations[] = {"attribute_list"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string_literal", "verbatim_string_literal",
                                         "raw_string_literal", "interpolated_string_expression",
                                         "character_literal"};
constexpr std::string_view kImports[] = {"using_directive", "extern_alias_directive"};

}  // namespace

constinit const CodeLanguage kCSharp = {
    .name = "csharp",
    .extensions = kExtensions,
    .grammar = &tree_sitter_c_sharp,
    .symbols = kSymbols,
    .containers = kContainers,
    .groups = kGroups,
    .decorations = kDecorations,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
};

}  // namespace staged
