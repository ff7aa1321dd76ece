#include "formats/code/symbol_names.h"

#include <algorithm>

namespace staged {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  while (!text.empty() && kBlanks.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

std::string_view WithoutCommentMarks(std::string_view line) {
  line = Trimmed(line);
  if (line.ends_with("*/")) {
    line.remove_suffix(2);
    while (line.ends_with('*')) line.remove_suffix(1);
  }
  const size_t dashes = line.starts_with("--") ? line.find_first_not_of('-') : 0;
  line.remove_prefix(std::min(dashes, line.size()));
  const size_t marks = std::min(line.find_first_not_of("/*#!"), line.size());
  line.remove_prefix(marks);
  if (marks > 0 && line.starts_with("< ")) line.remove_prefix(1);
  return Trimmed(line);
}

template <typename Strip>
std::string JoinLines(std::string_view text, const Strip& strip) {
  std::string out;
  while (!text.empty()) {
    const size_t newline = std::min(text.find('\n'), text.size());
    const std::string_view line = strip(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.empty()) continue;
    out += out.empty() ? "" : "\n";
    out += line;
  }
  return out;
}

}  // namespace

std::string OneLine(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  bool is_space_due = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      is_space_due = !line.empty();
      continue;
    }
    if (is_space_due) line.push_back(' ');
    is_space_due = false;
    line.push_back(c);
  }
  return line;
}

std::string NameFromSource(std::string_view text, bool is_verbatim) {
  constexpr size_t kNameBytesMax = 200;
  if (text.size() > 4 * kNameBytesMax) return "";
  const std::string line = OneLine(text);
  if (line.size() > kNameBytesMax) return "";
  std::string_view rest = line;
  constexpr std::string_view kQuotes = "\"'`";
  if (rest.size() > 2 && rest.front() == rest.back() && kQuotes.find(rest[0]) != kQuotes.npos) {
    rest = rest.substr(1, rest.size() - 2);
  }
  if (is_verbatim) return std::string(rest);
  std::string name;
  name.reserve(rest.size());
  while (!rest.empty()) {
    const size_t mark_size = rest.starts_with("::") ? 2 : rest[0] == '\\' ? 1 : 0;
    if (mark_size == 0) name.push_back(rest[0]);
    if (mark_size != 0 && !name.empty()) name.push_back('.');
    rest.remove_prefix(std::max<size_t>(mark_size, 1));
  }
  return name;
}

namespace {

// "operator bool" of "operator bool() const", qualified or not; empty for any other name.
std::string_view ConversionName(TSNode node, std::string_view text) {
  TSNode last = node;
  while (std::string_view(ts_node_type(last)) == "qualified_identifier") {
    const TSNode name = FieldNode(last, "name");
    if (ts_node_is_null(name)) return "";
    last = name;
  }
  if (std::string_view(ts_node_type(last)) != "operator_cast") return "";
  const TSNode parameters = FieldNode(last, "declarator");
  if (ts_node_is_null(parameters)) return "";
  const uint32_t begin = ts_node_start_byte(node);
  return text.substr(begin, ts_node_start_byte(parameters) - begin);
}

}  // namespace

DeclaredName FollowDeclarators(TSNode declarator, std::string_view text) {
  DeclaredName declared;
  TSNode at = declarator;
  constexpr int kDeclaratorsMax = 64;
  for (int i = 0; i < kDeclaratorsMax && !ts_node_is_null(at); ++i) {
    if (const std::string_view name = ConversionName(at, text); !name.empty()) return {name, true};
    const std::string_view type = ts_node_type(at);
    TSNode inner = FieldNode(at, "declarator");
    if (ts_node_is_null(inner) && type.ends_with("_declarator")) {
      // Parentheses, references and attributes have their declarator as a mere child, the last one.
      const uint32_t count = ts_node_named_child_count(at);
      if (count > 0) inner = ts_node_named_child(at, count - 1);
    }
    if (ts_node_is_null(inner)) {
      const bool is_name = type.ends_with("identifier") || type.ends_with("_name") ||
                           type.ends_with("_type") || type == "template_function" ||
                           type == "template_method";
      if (is_name) declared.name = SourceOf(at, text);
      return declared;
    }
    if (type != "init_declarator") declared.is_function = type == "function_declarator";
    at = inner;
  }
  return declared;
}

std::string CommentText(std::string_view text) { return JoinLines(text, WithoutCommentMarks); }

std::string DocstringText(std::string_view text) {
  const size_t quote = text.find_first_of("\"'");
  if (quote == std::string_view::npos) return "";
  const char mark = text[quote];
  text.remove_prefix(std::min(text.find_first_not_of(mark, quote), text.size()));
  while (text.ends_with(mark)) text.remove_suffix(1);
  return JoinLines(text, Trimmed);
}

}  // namespace staged
