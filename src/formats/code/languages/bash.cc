#include "formats/code/languages/all.h"

extern "C" const TSLanguage* tree_sitter_bash();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"sh", "bash"};
constexpr std::string_view kInterpreters[] = {"sh", "bash", "dash", "ash", "ksh"};
constexpr SymbolRule kSymbols[] = {
    {"function_definition", "function", "name", ScopeKind::kFunction},
    {.node_type = "variable_assignment", .symbol_kind = "variable", .name_type = "variable_name"},
};
constexpr std::string_view kContainers[] = {
    "program", "compound_statement",   "if_statement",   "elif_clause", "else_clause",
    "list",    "redirected_statement", "case_statement", "case_item"};
constexpr std::string_view kFunctions[] = {"subshell", "for_statement", "c_style_for_statement",
                                           "while_statement", "do_group"};
constexpr std::string_view kGroups[] = {"declaration_command", "variable_assignments"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string", "raw_string", "heredoc_body"};
constexpr std::string_view kSources[] = {"source", "."};
constexpr ImportCall kImportCalls[] = {{"command", "name", kSources}};

}  // namespace

constinit const CodeLanguage kBash = {
    .name = "bash",
    .extensions = kExtensions,
    .interpreters = kInterpreters,
    .grammar = &tree_sitter_bash,
    .symbols = kSymbols,
    .containers = kContainers,
    .functions = kFunctions,
    .groups = kGroups,
    .comments = kComments,
    .strings = kStrings,
    .import_calls = kImportCalls,
};

}  // namespace staged
