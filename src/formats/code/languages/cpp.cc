#include "formats/code/c_source.h"
#include "formats/code/languages/c_family.h"
#include "formats/code/languages/concatenate.h"

extern "C" const TSLanguage* tree_sitter_cpp();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"cc",  "cpp", "cxx", "c++", "h",   "hh",
                                            "hpp", "hxx", "h++", "ipp", "inl", "tpp"};
constexpr SymbolRule kOwnSymbols[] = {
    {.node_type = "class_specifier",
     .symbol_kind = "class",
     .scope = ScopeKind::kType,
     .needs_body = true},
    {"concept_definition", "concept"},
    {"namespace_definition", "namespace", "name", ScopeKind::kNamespace},
    {"namespace_alias_definition", "namespace"},
    {"alias_declaration", "type"}};
constexpr auto kSymbols = Concatenate(c_family::kSymbols, kOwnSymbols);
constexpr std::string_view kOwnContainers[] = {"class_specifier", "namespace_definition",
                                               "export_declaration"};
constexpr auto kContainers = Concatenate(c_family::kContainers, kOwnContainers);
constexpr std::string_view kWrappers[] = {"template_declaration"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string_literal", "raw_string_literal", "char_literal",
                                         "concatenated_string"};
constexpr std::string_view kImports[] = {"preproc_include", "using_declaration",
                                         "import_declaration"};

bool IsMeant(std::string_view text, std::string_view extension) {
  return extension != "h" || IsCppHeader(text);
}

}  // namespace

constinit const CodeLanguage kCpp = {
    .name = "cpp",
    .extensions = kExtensions,
    .grammar = &tree_sitter_cpp,
    .symbols = kSymbols,
    .containers = kContainers,
    .wrappers = kWrappers,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
    .is_meant = &IsMeant,
    .readable = &ReadableCSource,
    .simplified = &CSourceWithoutConditions,
};

}  // namespace staged
