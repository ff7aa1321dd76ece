#include "formats/code/languages/all.h"

extern "C" const TSLanguage* tree_sitter_java();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"java"};
constexpr SymbolRule kSymbols[] = {
    {"class_declaration", "class", "name", ScopeKind::kType},
    {"interface_declaration", "interface", "name", ScopeKind::kType},
    {"enum_declaration", "enum", "name", ScopeKind::kType},
    {"record_declaration", "record", "name", ScopeKind::kType},
    {"annotation_type_declaration", "annotation", "name", ScopeKind::kType},
    {"module_declaration", "module"},
    {"method_declaration", "function", "name", ScopeKind::kFunction},
    {"constructor_declaration", "function", "name", ScopeKind::kFunction},
    {"compact_constructor_declaration", "function", "name", ScopeKind::kFunction},
    {"annotation_type_element_declaration", "function"},
    {"variable_declarator", "variable"},
    {"enum_constant", "constant", "name", ScopeKind::kType},
};
constexpr std::string_view kContainers[] = {
    "program",   "class_body", "interface_body",   "annotation_type_body",
    "enum_body", "block",      "constructor_body", "enum_body_declarations",
};
constexpr std::string_view kGroups[] = {"field_declaration", "constant_declaration"};
constexpr std::string_view kComments[] = {"line_comment", "block_comment"};
constexpr std::string_view kStrings[] = {"string_literal", "character_literal"};
constexpr std::string_view kImports[] = {"import_declaration"};

}  // namespace

constinit const CodeLanguage kJava = {
    .name = "java",
    .extensions = kExtensions,
    .grammar = &tree_sitter_java,
    .symbols = kSymbols,
    .containers = kContainers,
    .groups = kGroups,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
};

}  // namespace staged
