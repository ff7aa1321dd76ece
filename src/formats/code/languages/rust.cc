#include "formats/code/languages/all.h"
#include "formats/code/symbol_names.h"

extern "C" const TSLanguage* tree_sitter_rust();

namespace staged {
namespace {

// "impl Display for Shape", whose members are those of "<Shape as Display>", as Rust says it; those
// of "impl Shape" are the type's own.
SymbolName ImplName(TSNode node, std::string_view text) {
  const TSNode type = FieldNode(node, "type");
  const TSNode trait = FieldNode(node, "trait");
  if (ts_node_is_null(type)) return {};
  const TSNode generic = FieldNode(type, "type");
  const bool is_generic = std::string_view(ts_node_type(type)) == "generic_type";
  const std::string whole = NameFromSource(SourceOf(type, text));
  std::string scope = NameFromSource(SourceOf(is_generic ? generic : type, text));
  if (whole.empty()) return {};
  if (ts_node_is_null(trait)) return {"impl " + whole, scope};
  const std::string of = NameFromSource(SourceOf(trait, text));
  return {"impl " + of + " for " + whole, "<" + scope + " as " + of + ">"};
}

constexpr std::string_view kExtensions[] = {"rs"};
constexpr SymbolRule kSymbols[] = {
    {"function_item", "function", "name", ScopeKind::kFunction},
    {"function_signature_item", "function"},
    {"struct_item", "struct", "name", ScopeKind::kType},
    {"union_item", "union", "name", ScopeKind::kType},
    {"enum_item", "enum", "name", ScopeKind::kType},
    {"enum_variant", "constant", "name", ScopeKind::kType},
    {"trait_item", "trait", "name", ScopeKind::kType},
    {.node_type = "impl_item",
     .symbol_kind = "impl",
     .scope = ScopeKind::kType,
     .make_name = &ImplName},
    {"mod_item", "module", "name", ScopeKind::kNamespace},
    {"field_declaration", "variable"},
    {"const_item", "constant"},
    {"static_item", "variable"},
    {"type_item", "type"},
    {"associated_type", "type"},
    {"macro_definition", "macro"},
};
constexpr std::string_view kContainers[] = {
    "source_file",       "declaration_list",
    "enum_variant_list", "field_declaration_list",
    "foreign_mod_item",  "block",
};
constexpr std::string_view kDecorations[] = {"attribute_item"};
constexpr std::string_view kComments[] = {"line_comment", "block_comment"};
constexpr std::string_view kStrings[] = {"string_literal", "raw_string_literal", "char_literal"};
constexpr std::string_view kImports[] = {"use_declaration", "extern_crate_declaration"};

}  // namespace

constinit const CodeLanguage kRust = {
    .name = "rust",
    .extensions = kExtensions,
    .grammar = &tree_sitter_rust,
    .symbols = kSymbols,
    .containers = kContainers,
    .decorations = kDecorations,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
};

}  // namespace staged
