#include "formats/code/languages/all.h"
#include "formats/code/symbol_names.h"

extern "C" const TSLanguage* tree_sitter_ruby();

namespace staged {
namespace {

// "self.area" for "def self.area".
SymbolName SingletonMethodName(TSNode node, std::string_view text) {
  const TSNode object = FieldNode(node, "object");
  const TSNode name = FieldNode(node, "name");
  if (ts_node_is_null(object) || ts_node_is_null(name)) return {};
  return {NameFromSource(SourceOf(object, text)) + "." + NameFromSource(SourceOf(name, text)), ""};
}

constexpr std::string_view kExtensions[] = {"rb", "rake", "gemspec", "ru"};
constexpr std::string_view kInterpreters[] = {"ruby", "jruby", "rake"};
constexpr SymbolRule kSymbols[] = {
    {"module", "module", "name", ScopeKind::kType},
    {"class", "class", "name", ScopeKind::kType},
    {"singleton_class", "class", "value", ScopeKind::kType},
    {"method", "function", "name", ScopeKind::kFunction},
    {.node_type = "singleton_method",
     .symbol_kind = "function",
     .scope = ScopeKind::kFunction,
     .make_name = &SingletonMethodName},
    {.node_type = "assignment",
     .symbol_kind = "constant",
     .name = "left",
     .name_type = "constant",
     .value = "right"},
};
// What a constant's value may define methods in: "Point = Struct.new(:x) do".
constexpr ValueRule kValues[] = {{"call", "", ScopeKind::kType}};
constexpr std::string_view kContainers[] = {
    "program",
    "body_statement",
    "begin",
    "if",
    "unless",
    "then",
    "else",
    "elsif",
    "call",
    "argument_list",
    "block",
    "do_block",
    "rescue",
    "assignment",
    "ensure",
    "if_modifier",
    "unless_modifier",
    "block_body",
};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string", "heredoc_body", "chained_string"};
constexpr std::string_view kRequires[] = {"require", "require_relative", "load", "autoload"};
constexpr ImportCall kImportCalls[] = {{"call", "method", kRequires}};

}  // namespace

constinit const CodeLanguage kRuby = {
    .name = "ruby",
    .extensions = kExtensions,
    .interpreters = kInterpreters,
    .grammar = &tree_sitter_ruby,
    .symbols = kSymbols,
    .values = kValues,
    .containers = kContainers,
    .comments = kComments,
    .strings = kStrings,
    .import_calls = kImportCalls,
};

}  // namespace staged
