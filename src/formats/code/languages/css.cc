#include "formats/code/languages/all.h"
#include "formats/code/symbol_names.h"

extern "C" const TSLanguage* tree_sitter_css();

namespace staged {
namespace {

// Only a custom property ("--space") has a name that others use.
SymbolName PropertyName(TSNode node, std::string_view text) {
  const TSNode name = ts_node_named_child(node, 0);
  if (ts_node_is_null(name)) return {};
  const std::string_view source = SourceOf(name, text);
  return {source.starts_with("--") ? NameFromSource(source) : "", ""};
}

constexpr std::string_view kExtensions[] = {"css"};
constexpr SymbolRule kSymbols[] = {
    {"rule_set", "rule", ":selectors", ScopeKind::kNamespace, ":block"},
    {"media_statement", "rule", "^", ScopeKind::kNamespace, ":block"},
    {"supports_statement", "rule", "^", ScopeKind::kNamespace, ":block"},
    {"scope_statement", "rule", "^", ScopeKind::kNamespace, ":block"},
    {"at_rule", "rule", "^", ScopeKind::kNamespace, ":block"},
    {"keyframes_statement", "rule", "^", ScopeKind::kNone, ":keyframe_block_list"},
    {.node_type = "declaration", .symbol_kind = "variable", .body = "", .make_name = &PropertyName},
};
constexpr std::string_view kContainers[] = {"stylesheet", "block"};
constexpr std::string_view kComments[] = {"comment", "js_comment"};
constexpr std::string_view kStrings[] = {"string_value"};
constexpr std::string_view kImports[] = {"import_statement"};

}  // namespace

constinit const CodeLanguage kCss = {
    .name = "css",
    .extensions = kExtensions,
    .grammar = &tree_sitter_css,
    .symbols = kSymbols,
    .containers = kContainers,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
    .separator = " ",
};

}  // namespace staged
