#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>

// Texts of a symbol as people read them.
namespace staged {

[[nodiscard]] inline std::string_view SourceOf(TSNode node, std::string_view text) {
  const uint32_t begin = ts_node_start_byte(node);
  return text.substr(begin, ts_node_end_byte(node) - begin);
}
[[nodiscard]] inline TSNode FieldNode(TSNode node, std::string_view name) {
  return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
}

// With each run of blanks and newlines as one space.
[[nodiscard]] std::string OneLine(std::string_view text);

// A name on one line, without the quotes around it; empty if it is too long for a name. Between its
// parts "::" and a backslash become ".", unless it `is_verbatim`.
[[nodiscard]] std::string NameFromSource(std::string_view text, bool is_verbatim = false);

// A C declarator ("(*f(void))[3]") down to what it declares.
struct DeclaredName {
  std::string_view name;     // empty: none
  bool is_function = false;  // rather than a pointer to one
};
[[nodiscard]] DeclaredName FollowDeclarators(TSNode declarator, std::string_view text);

// A comment's text without the marks that make it one, blank lines left out.
[[nodiscard]] std::string CommentText(std::string_view text);
// The same for a docstring: without prefix and quotes.
[[nodiscard]] std::string DocstringText(std::string_view text);

}  // namespace staged
