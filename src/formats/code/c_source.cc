#include "formats/code/c_source.h"

#include <algorithm>
#include <iterator>

namespace staged {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Words that no C header has where C reads it, and those that say so by what follows them: any
// word ('w') or that character.
struct CppWord {
  std::string_view word;
  std::string_view followed_by;
};
constexpr CppWord kCppWords[] = {
    {"class", "w"},     {"consteval", ""},   {"constinit", ""},        {"const_cast", ""},
    {"decltype", ""},   {"namespace", "w{"}, {"noexcept", ""},         {"private", ":"},
    {"protected", ":"}, {"public", ":"},     {"reinterpret_cast", ""}, {"static_cast", ""},
    {"template", "<"},  {"typename", ""},    {"using", "w"},           {"virtual", "w~"},
};

bool SaysCpp(std::string_view word, std::string_view rest) {
  const auto* known = std::find_if(std::begin(kCppWords), std::end(kCppWords),
                                   [&](const CppWord& one) { return one.word == word; });
  if (known == std::end(kCppWords)) return false;
  if (known->followed_by.empty()) return true;
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  if (rest.empty()) return false;
  return known->followed_by.find(rest[0]) != std::string_view::npos ||
         (known->followed_by[0] == 'w' && IsWordByte(rest[0]));
}

// Where the comment, string or character at `at` ends, or `at` where none begins.
size_t SkipQuoted(std::string_view text, size_t at) {
  const char first = text[at];
  if (first == '/' && at + 1 < text.size()) {
    if (text[at + 1] == '/') return std::min(text.find('\n', at), text.size());
    if (text[at + 1] == '*') {
      const size_t end = text.find("*/", at + 2);
      return end == std::string_view::npos ? text.size() : end + 2;
    }
  }
  if (first != '"' && first != '\'') return at;
  for (size_t end = at + 1; end < text.size(); ++end) {
    if (text[end] == '\\') {
      ++end;
    } else if (text[end] == first || text[end] == '\n') {
      return end + 1;
    }
  }
  return text.size();
}

// The line at `at` is "#if" something about __cplusplus: where the part for C++ ends. What hides
// from C++ instead is skipped with its other branch, of which nothing says to whom it speaks.
size_t SkipCppOnly(std::string_view text, size_t at) {
  int depth = 0;
  const std::string_view head = text.substr(at, text.find('\n', at) - at);
  const bool is_for_c = head.find("ifndef") != head.npos || head.find('!') != head.npos;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with('#')) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t#"), line.size()));
      if (line.starts_with("if")) ++depth;
      if (line.starts_with("endif")) --depth;
      if (depth == 0 || (depth == 1 && !is_for_c && line.starts_with("el"))) return end;
    }
    at = end + 1;
  }
  return text.size();
}

// "#include <vector>": a header of C++'s library has no extension.
bool IncludesCppLibrary(std::string_view line) {
  const size_t open = line.find('<');
  if (line.find("include") == std::string_view::npos || open == std::string_view::npos)
    return false;
  const std::string_view name = line.substr(open + 1, line.find('>') - open - 1);
  return !name.empty() && name.find_first_of("./") == std::string_view::npos;
}

}  // namespace

bool IsCppHeader(std::string_view text) {
  text = text.substr(0, 256 << 10);
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (const size_t after = SkipQuoted(text, at); after != at) {
      at = after;
    } else if (c == '#') {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      if (IncludesCppLibrary(line)) return true;
      const bool is_for_cpp = line.find("__cplusplus") != std::string_view::npos;
      at = is_for_cpp && line.find("if") < line.find("__") ? SkipCppOnly(text, at) : end;
    } else if (IsWordByte(c)) {
      size_t end = at;
      while (end < text.size() && IsWordByte(text[end])) ++end;
      if (SaysCpp(text.substr(at, end - at), text.substr(end))) return true;
      at = end;
    } else if (text.substr(at).starts_with("::")) {
      return true;
    } else {
      ++at;
    }
  }
  return false;
}

namespace {

// Puts spaces for what is no newline.
void Blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < end && i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  }
}

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

// What stands behind "#" and blanks, or nothing.
std::string_view DirectiveOf(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with('#')) return "";
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

// Blanks the branch that begins behind the line at `at`, if its braces are not balanced.
void BlankUnbalanced(std::string& text, size_t at) {
  const size_t begin = std::min(at + LineAt(text, at).size(), text.size());
  int depth = 0, depth_min = 0;
  constexpr size_t kBranchBytesMax = 400;  // it opens or closes a block, and says so
  const std::string_view looked_at = std::string_view(text).substr(0, begin + kBranchBytesMax);
  for (size_t i = begin; i < looked_at.size();) {
    if (text[i] == '\n' && !DirectiveOf(LineAt(text, i + 1)).empty()) {
      if (depth != 0 || depth_min != 0) Blank(text, begin, i);
      return;
    }
    if (const size_t after = SkipQuoted(looked_at, i); after != i) {
      i = after;
      continue;
    }
    if (text[i] == '{') ++depth;
    if (text[i] == '}') depth_min = std::min(depth_min, --depth);
    ++i;
  }
}

void BlankComments(std::string& text, size_t begin, size_t end) {
  const std::string_view line = std::string_view(text).substr(0, end);
  for (size_t open = line.find("/*", begin); open != line.npos; open = line.find("/*", open)) {
    const size_t close = line.find("*/", open);
    if (close == line.npos) return;
    Blank(text, open, close + 2);
  }
}

// The end of a macro's first argument with its comma, if that argument is a declaration
// ("ASSIGN(const int x, f())"), which is no expression; 0 otherwise. `line` begins at the macro's
// name.
size_t DeclaringArgument(std::string_view line, size_t open) {
  int depth = 0;
  bool has_two_words = false;
  for (size_t i = open + 1; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '(' || c == '[' || c == '{' || c == '"' || c == ';') return 0;
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == ',' && depth == 0) return has_two_words ? i + 1 : 0;
    const char before = line[i - 1];
    const bool ends_type = i > open + 1 && (before == ' ' && line[i - 2] != ',');
    if (ends_type && IsWordByte(c) && depth == 0) has_two_words = true;
  }
  return 0;
}

// Where the argument list of a call of a macro in capitals begins that is all of the line's start.
size_t MacroCall(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && ((line[end] >= 'A' && line[end] <= 'Z') || line[end] == '_')) ++end;
  constexpr size_t kNameBytesMin = 3;
  return end >= kNameBytesMin && end < line.size() && line[end] == '(' ? end : 0;
}

}  // namespace

std::string ReadableCSource(std::string_view text) {
  std::string readable;
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = LineAt(text, at);
    const std::string_view directive = DirectiveOf(line);
    const bool is_branch =
        directive.starts_with("if") && directive.find("__cplusplus") != std::string_view::npos;
    const bool has_comment =
        directive.starts_with("define") && directive.find("/*") != std::string_view::npos;
    const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    const size_t open = MacroCall(line.substr(indent));
    const size_t argument_end = open == 0 ? 0 : DeclaringArgument(line.substr(indent), open);
    if (is_branch || has_comment || argument_end != 0) {
      if (readable.empty()) readable = text;
      if (argument_end != 0) Blank(readable, at + indent + open + 1, at + indent + argument_end);
      if (is_branch) BlankUnbalanced(readable, at);
      if (has_comment) BlankComments(readable, at, at + line.size());
    }
    at += line.size() + 1;
  }
  return readable;
}

std::string CSourceWithoutConditions(std::string_view text) {
  std::string readable = ReadableCSource(text);
  if (readable.empty()) readable = text;
  constexpr std::string_view kConditions[] = {"if", "el", "endif"};
  for (size_t at = 0; at < readable.size();) {
    size_t end = at + LineAt(readable, at).size();
    const std::string_view directive = DirectiveOf(LineAt(readable, at));
    const bool is_condition =
        std::any_of(std::begin(kConditions), std::end(kConditions),
                    [&](std::string_view condition) { return directive.starts_with(condition); });
    if (is_condition) {
      while (end < readable.size() && readable[end - 1] == '\\') {
        end += 1 + LineAt(readable, end + 1).size();
      }
      Blank(readable, at, end);
    }
    at = end + 1;
  }
  return readable;
}

}  // namespace staged
