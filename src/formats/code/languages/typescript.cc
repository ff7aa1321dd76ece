#include "formats/code/languages/concatenate.h"
#include "formats/code/languages/ecmascript.h"

extern "C" {
const TSLanguage* tree_sitter_typescript();
const TSLanguage* tree_sitter_tsx();
}

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"ts", "mts", "cts"};
constexpr std::string_view kTsxExtensions[] = {"tsx"};
constexpr std::string_view kInterpreters[] = {"ts-node", "tsx", "deno"};
constexpr SymbolRule kOwnSymbols[] = {
    {"abstract_class_declaration", "class", "name", ScopeKind::kType},
    {"interface_declaration", "interface", "name", ScopeKind::kType},
    {"enum_declaration", "enum", "name", ScopeKind::kType},
    {"internal_module", "namespace", "name", ScopeKind::kNamespace},
    {"module", "module", "name", ScopeKind::kNamespace},
    {.node_type = "type_alias_declaration", .symbol_kind = "type", .value = "value"},
    {"function_signature", "function"},
    {"method_signature", "function"},
    {"abstract_method_signature", "function"},
    {"property_signature", "variable"},
    {.node_type = "public_field_definition", .symbol_kind = "variable", .value = "value"},
    {"enum_assignment", "constant"},
    {.node_type = "property_identifier",
     .symbol_kind = "constant",
     .name = ".",
     .parent_type = "enum_body"},
    {.node_type = "string", .symbol_kind = "constant", .name = ".", .parent_type = "enum_body"},
};
constexpr auto kSymbols = Concatenate(ecmascript::kSymbols, kOwnSymbols);
constexpr std::string_view kOwnContainers[] = {"interface_body", "object_type", "enum_body"};
constexpr auto kContainers = Concatenate(ecmascript::kContainers, kOwnContainers);
constexpr std::string_view kOwnGroups[] = {"ambient_declaration"};
constexpr auto kGroups = Concatenate(ecmascript::kGroups, kOwnGroups);
constexpr std::string_view kOwnImports[] = {"import_alias"};
constexpr auto kImports = Concatenate(ecmascript::kImports, kOwnImports);

constexpr CodeLanguage Describe(std::string_view name, std::span<const std::string_view> extensions,
                                const TSLanguage* (*grammar)()) {
  return {
      .name = name,
      .extensions = extensions,
      .grammar = grammar,
      .symbols = kSymbols,
      .values = ecmascript::kValues,
      .containers = kContainers,
      .functions = ecmascript::kFunctions,
      .groups = kGroups,
      .decorations = ecmascript::kDecorations,
      .comments = ecmascript::kComments,
      .strings = ecmascript::kStrings,
      .imports = kImports,
  };
}

constexpr CodeLanguage WithInterpreters(CodeLanguage language) {
  language.interpreters = kInterpreters;
  return language;
}

}  // namespace

constinit const CodeLanguage kTypeScript =
    WithInterpreters(Describe("typescript", kExtensions, &tree_sitter_typescript));
// A language of its own, since "<T>value" is a cast in the one and an element in the other.
constinit const CodeLanguage kTsx = Describe("tsx", kTsxExtensions, &tree_sitter_tsx);

}  // namespace staged
