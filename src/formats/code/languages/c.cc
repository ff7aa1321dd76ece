#include "formats/code/c_source.h"
#include "formats/code/languages/c_family.h"

extern "C" const TSLanguage* tree_sitter_c();

namespace staged {
namespace {

constexpr std::string_view kExtensions[] = {"c", "h"};
constexpr std::string_view kComments[] = {"comment"};
constexpr std::string_view kStrings[] = {"string_literal", "char_literal", "concatenated_string"};
constexpr std::string_view kImports[] = {"preproc_include"};

bool IsMeant(std::string_view text, std::string_view extension) {
  return extension != "h" || !IsCppHeader(text);
}

}  // namespace

constinit const CodeLanguage kC = {
    .name = "c",
    .extensions = kExtensions,
    .grammar = &tree_sitter_c,
    .symbols = c_family::kSymbols,
    .containers = c_family::kContainers,
    .comments = kComments,
    .strings = kStrings,
    .imports = kImports,
    .is_meant = &IsMeant,
    .readable = &ReadableCSource,
    .simplified = &CSourceWithoutConditions,
};

}  // namespace staged
