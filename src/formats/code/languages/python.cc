#include "formats/code/languages/all.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"py", "pyi", "pyw"};
constexpr std::string_view kInterpreters[] = {"python", "pypy"};
constexpr SymbolRule kSymbols[] = {
    {"function_definition", "function", "name", ScopeKind::kFunction},
    {"class_definition", "class", "name", ScopeKind::kType},
    {.node_type = "assignment",
     .symbol_kind = "variable",
     .name = "left",
     .name_type = "identifier"},
    {"type_alias_statement", "type", "left"},
};
constexpr std::string_view kContainers[] = {
    "module",         "block",           "if_statement",  "else_clause",
    "elif_clause",    "try_statement",   "except_clause", "finally_clause",
    "with_statement", "match_statement", "case_clause",
};
constexpr std::string_view kWrappers[] = {"decorated_definition"};
constexpr std::string_view kGroups[] = {"expression_statement"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string", "concatenated_string"};
constexpr std::string_view kImports[] = {"import_statement", "import_from_statement",
                                         "future_import_statement"};

}  // namespace

constinit const CodeLanguage kPython = {
    .name = "python",
    .extensions = kExtensions,
    .interpreters = kInterpreters,
    .grammar = &tree_sitter_python,
    .symbols = kSymbols,
    .containers = kContainers,
    .wrappers = kWrappers,
    .groups = kGroups,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
    .documentation = DocumentationStyle::kDocstring,
};

}  // namespace staged
