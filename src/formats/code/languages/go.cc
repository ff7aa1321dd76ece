#include "formats/code/languages/all.h"
#include "formats/code/symbol_names.h"

extern "C" const TSLanguage* tree_sitter_go();

namespace staged {
namespace {

// "Server.Handle" for "func (s *Server[T]) Handle()".
SymbolName MethodName(TSNode node, std::string_view text) {
  const TSNode name = FieldNode(node, "name");
  TSNode at = FieldNode(node, "receiver");
  if (ts_node_is_null(name)) return {};
  const auto type_of = [](TSNode of) {
    const TSNode type = FieldNode(of, "type");
    return ts_node_is_null(type) ? ts_node_named_child(of, 0) : type;
  };
  constexpr int kStepsMax = 8;
  for (int i = 0; i < kStepsMax && !ts_node_is_null(at); ++i) {
    if (std::string_view(ts_node_type(at)) == "type_identifier") {
      return {std::string(SourceOf(at, text)) + "." + std::string(SourceOf(name, text)), ""};
    }
    at = type_of(at);
  }
  return {std::string(SourceOf(name, text)), ""};
}

constexpr std::string_view kExtensions[] = {"go"};
constexpr SymbolRule kSymbols[] = {
    {"function_declaration", "function"},
    {.node_type = "method_declaration", .symbol_kind = "method", .make_name = &MethodName},
    {.node_type = "type_spec", .symbol_kind = "type", .value = "type"},
    {"type_alias", "type"},
    {"method_elem", "function"},
    {.node_type = "field_declaration", .symbol_kind = "variable", .is_each = true},
    {.node_type = "const_spec", .symbol_kind = "constant", .is_each = true},
    {.node_type = "var_spec", .symbol_kind = "variable", .is_each = true},
};
constexpr ValueRule kValues[] = {
    {"struct_type", "struct", ScopeKind::kType},
    {"interface_type", "interface", ScopeKind::kType},
};
constexpr std::string_view kContainers[] = {"source_file", "struct_type", "interface_type",
                                            "field_declaration_list", "var_spec_list"};
constexpr std::string_view kGroups[] = {"type_declaration", "const_declaration", "var_declaration"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"interpreted_string_literal", "raw_string_literal"};
constexpr std::string_view kImports[] = {"import_declaration"};

}  // namespace

constinit const CodeLanguage kGo = {
    .name = "go",
    .extensions = kExtensions,
    .grammar = &tree_sitter_go,
    .symbols = kSymbols,
    .values = kValues,
    .containers = kContainers,
    .groups = kGroups,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
};

}  // namespace staged
