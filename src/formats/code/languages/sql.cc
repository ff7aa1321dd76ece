#include "formats/code/languages/all.h"

extern "C" const TSLanguage* tree_sitter_sql();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"sql"};
constexpr SymbolRule kSymbols[] = {
    {"create_table", "table", ":object_reference", ScopeKind::kType, ":column_definitions"},
    {"column_definition", "variable"},
    {"create_view", "view", ":object_reference", ScopeKind::kNone, ":create_query"},
    {"create_materialized_view", "view", ":object_reference", ScopeKind::kNone, ":create_query"},
    {"create_function", "function", ":object_reference", ScopeKind::kNone, ":function_body"},
    {"create_trigger", "trigger", ":object_reference"},
    {"create_type", "type", ":object_reference"},
    {"create_sequence", "sequence", ":object_reference"},
    {"create_index", "index", "column"},
    {"create_schema", "schema", ":identifier"},
};
constexpr std::string_view kContainers[] = {"program", "transaction", "block",
                                            "column_definitions"};
constexpr std::string_view kWrappers[] = {"statement"};
constexpr std::string_view kComments[] = {"comment", "marginalia"};
constexpr std::string_view kStrings[] = {"literal"};

}  // namespace

constinit const CodeLanguage kSql = {
    .name = "sql",
    .extensions = kExtensions,
    .grammar = &tree_sitter_sql,
    .symbols = kSymbols,
    .containers = kContainers,
    .wrappers = kWrappers,
    .comments = kComments,
    .strings = kStrings,
};

}  // namespace staged
