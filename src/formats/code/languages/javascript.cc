#include "formats/code/languages/concatenate.h"
#include "formats/code/languages/ecmascript.h"
#include "formats/code/symbol_names.h"

extern "C" const TSLanguage* tree_sitter_javascript();

namespace staged {
namespace ecmascript {

SymbolName ExportName(TSNode node, std::string_view) {
  return {ts_node_is_null(FieldNode(node, "value")) ? "" : "default", ""};
}

SymbolName AssignedName(TSNode node, std::string_view text) {
  const TSNode left = FieldNode(node, "left");
  if (ts_node_is_null(left)) return {};
  std::string name = NameFromSource(SourceOf(left, text));
  constexpr std::string_view kNameBytes =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.";
  if (name.find_first_not_of(kNameBytes) != std::string::npos) return {};
  constexpr std::string_view kPrototype = ".prototype";
  const size_t prototype = name.rfind(kPrototype);
  if (prototype != std::string::npos) name.erase(prototype, kPrototype.size());
  if (name.starts_with("this.")) name.erase(0, 5);
  return {name, ""};
}

}  // namespace ecmascript
namespace {

constexpr std::string_view kExtensions[] = {"js", "mjs", "cjs", "jsx"};
constexpr std::string_view kInterpreters[] = {"node", "nodejs", "bun"};
constexpr SymbolRule kOwnSymbols[] = {
    {.node_type = "field_definition",
     .symbol_kind = "variable",
     .name = "property",
     .value = "value"},
};
constexpr auto kSymbols = Concatenate(ecmascript::kSymbols, kOwnSymbols);

}  // namespace

constinit const CodeLanguage kJavaScript = {
    .name = "javascript",
    .extensions = kExtensions,
    .interpreters = kInterpreters,
    .grammar = &tree_sitter_javascript,
    .symbols = kSymbols,
    .values = ecmascript::kValues,
    .containers = ecmascript::kContainers,
    .functions = ecmascript::kFunctions,
    .groups = ecmascript::kGroups,
    .decorations = ecmascript::kDecorations,
    .comments = ecmascript::kComments,
    .strings = ecmascript::kStrings,
    .imports = ecmascript::kImports,
};

}  // namespace staged
