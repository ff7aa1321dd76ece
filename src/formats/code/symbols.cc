#include "formats/code/symbols.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace staged {
namespace {

constexpr size_t kErrorsMax = 100;

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using ParserPointer = std::unique_ptr<TSParser, ParserDeleter>;
using TreePointer = std::unique_ptr<TSTree, TreeDeleter>;

// The parser calls back every so many steps, so that a budget of calls is a budget of work that no
// clock has a part in.
struct WorkBudget {
  uint64_t calls_left;
};

// The parser's time grows with the square of the depth of brackets left open.
bool IsNestedTooDeeply(std::string_view text) {
  constexpr int kDepthMax = 1'000;
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') {
      if (++depth > kDepthMax) return true;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

TreePointer ParseTree(std::string_view text, const TSLanguage* grammar) {
  if (IsNestedTooDeeply(text)) return nullptr;
  ParserPointer parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), grammar)) return nullptr;
  // Real sources need about one call for a hundred bytes.
  constexpr uint64_t kCallsMin = 1'000;
  constexpr uint64_t kBytesPerCall = 20;
  WorkBudget budget{kCallsMin + text.size() / kBytesPerCall};
  TSParseOptions options{};
  options.payload = &budget;
  options.progress_callback = [](TSParseState* state) {
    auto* left = static_cast<WorkBudget*>(state->payload);
    return left->calls_left-- == 0;
  };
  TSInput input{};
  std::string_view source = text;
  input.payload = &source;
  input.encoding = TSInputEncodingUTF8;
  input.read = [](void* payload, uint32_t offset, TSPoint, uint32_t* size) {
    const auto* all = static_cast<const std::string_view*>(payload);
    const std::string_view rest = all->substr(std::min<size_t>(offset, all->size()));
    *size = static_cast<uint32_t>(rest.size());
    return rest.data();
  };
  return TreePointer(ts_parser_parse_with_options(parser.get(), nullptr, input, options));
}

// What a node type means for one language, by the grammar's symbol number: compared once a grammar,
// not once a node.
struct NodeMeaning {
  const SymbolRule* symbol = nullptr;
  bool is_container = false;
  bool is_wrapper = false;
  bool is_import = false;
  bool is_comment = false;
};

std::vector<NodeMeaning> Meanings(const CodeLanguage& language, const TSLanguage* grammar) {
  std::vector<NodeMeaning> meanings(ts_language_symbol_count(grammar));
  const auto has = [](const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (size_t i = 0; i < meanings.size(); ++i) {
    const auto number = static_cast<TSSymbol>(i);
    if (ts_language_symbol_type(grammar, number) == TSSymbolTypeAuxiliary) continue;
    const std::string_view name = ts_language_symbol_name(grammar, number);
    for (const SymbolRule& rule : language.symbols) {
      if (rule.node_type == name) meanings[i].symbol = &rule;
    }
    meanings[i].is_container = has(language.containers, name);
    meanings[i].is_wrapper = has(language.wrappers, name);
    meanings[i].is_import = has(language.imports, name);
    meanings[i].is_comment = name == "comment";
  }
  return meanings;
}

std::string OneLine(std::string_view text) {
  std::string line;
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

// A comment's or docstring's text without the marks that make it one.
std::string WithoutMarks(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    const size_t begin = std::min(line.find_first_not_of(" \t/*#!<\"'rbuRBU"), line.size());
    const size_t marks = std::min(line.find_first_not_of(" \t/*#!<"), line.size());
    // Letters before a quote are a string's prefix; elsewhere they are text.
    const bool is_string =
        line.substr(marks, begin - marks).find_first_of("\"'") != std::string_view::npos;
    line.remove_prefix(is_string && line.substr(marks).find_first_of("\"'") <= 2
                           ? marks + std::min(line.substr(marks).find_first_not_of("rbuRBU\"'"),
                                              line.size() - marks)
                           : marks);
    while (!line.empty() && std::strchr(" \t\r*/\"'", line.back()) != nullptr) {
      line.remove_suffix(1);
    }
    if (line.empty()) continue;
    out += out.empty() ? "" : "\n";
    out += line;
  }
  return out;
}

class Outliner {
 public:
  Outliner(std::string_view text, const CodeLanguage& language, const Limits& limits,
           CodeOutline& outline)
      : text_(text),
        language_(language),
        meanings_(Meanings(language, language.grammar())),
        depth_max_(limits.depth_max),
        outline_(outline) {}

  void Run(TSNode root) {
    FindErrors(root);
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    Walk(cursor, "", SIZE_MAX, std::nullopt, 0);
    ts_tree_cursor_delete(&cursor);
  }

 private:
  [[nodiscard]] NodeMeaning MeaningOf(TSNode node) const {
    const TSSymbol number = ts_node_symbol(node);
    if (number < meanings_.size()) return meanings_[number];
    NodeMeaning error;  // the one type that no grammar counts
    error.is_container = true;
    return error;
  }
  [[nodiscard]] std::string_view Source(TSNode node) const {
    const uint32_t begin = ts_node_start_byte(node);
    return text_.substr(begin, ts_node_end_byte(node) - begin);
  }
  static TSNode Field(TSNode node, std::string_view name) {
    return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
  }

  // Visits the children of the cursor's node.
  void Walk(TSTreeCursor& cursor, const std::string& scope, size_t parent,
            std::optional<uint32_t> wrapper_begin, uint32_t depth) {
    if (depth > depth_max_ || !ts_tree_cursor_goto_first_child(&cursor)) return;
    std::optional<uint32_t> comment_begin;
    uint32_t comment_end_row = 0;
    do {
      const TSNode node = ts_tree_cursor_current_node(&cursor);
      const NodeMeaning meaning = MeaningOf(node);
      const uint32_t row = ts_node_start_point(node).row;
      if (meaning.is_comment) {
        if (!comment_begin || row > comment_end_row + 1) comment_begin = ts_node_start_byte(node);
        comment_end_row = ts_node_end_point(node).row;
        continue;
      }
      if (comment_begin && row > comment_end_row + 1) comment_begin.reset();
      leading_ = wrapper_begin ? leading_ : comment_begin;
      if (meaning.is_import) {
        outline_.imports.push_back({ts_node_start_byte(node), ts_node_end_byte(node)});
      } else if (meaning.is_wrapper) {
        Walk(cursor, scope, parent, wrapper_begin.value_or(ts_node_start_byte(node)), depth + 1);
      } else if (meaning.symbol != nullptr) {
        VisitSymbol(cursor, node, meaning, scope, parent, wrapper_begin, depth);
      } else if (meaning.is_container) {
        Walk(cursor, scope, parent, std::nullopt, depth + 1);
      }
      comment_begin.reset();
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
    ts_tree_cursor_goto_parent(&cursor);
  }

  void VisitSymbol(TSTreeCursor& cursor, TSNode node, const NodeMeaning& meaning,
                   const std::string& scope, size_t parent, std::optional<uint32_t> wrapper_begin,
                   uint32_t depth) {
    const SymbolRule& rule = *meaning.symbol;
    const std::string name = NameOf(node, rule);
    const TSNode body = Field(node, "body");
    const bool is_class_like =
        rule.is_scope && rule.name_field == "name" && rule.node_type.ends_with("_specifier");
    // "struct S* p" names a type without defining it.
    if (name.empty() || (is_class_like && ts_node_is_null(body))) {
      if (meaning.is_container || rule.is_scope) {
        Walk(cursor, scope, parent, std::nullopt, depth + 1);
      }
      return;
    }
    const size_t index = AddSymbol(node, body, rule, scope.empty() ? name : scope + "." + name,
                                   parent, wrapper_begin);
    if (rule.is_scope) {
      Descend(cursor, outline_.symbols[index].name, index, depth + 1);
    } else if (meaning.is_container) {
      Walk(cursor, scope, index, std::nullopt, depth + 1);
    }
  }

  // Into the body of a scope, which need not be one of the containers elsewhere.
  void Descend(TSTreeCursor& cursor, const std::string& scope, size_t parent, uint32_t depth) {
    // The name is copied: symbols move while their list grows.
    const std::string name = scope;
    Walk(cursor, name, parent, std::nullopt, depth);
  }

  size_t AddSymbol(TSNode node, TSNode body, const SymbolRule& rule, std::string name,
                   size_t parent, std::optional<uint32_t> wrapper_begin) {
    Symbol symbol;
    symbol.ordinal = ++ordinals_[name];
    symbol.name = std::move(name);
    symbol.parent = parent;
    symbol.kind = KindOf(rule, parent);
    const uint32_t begin = ts_node_start_byte(node);
    uint32_t end = ts_node_end_byte(node);
    symbol.span = {wrapper_begin.value_or(begin), end};
    symbol.leading_begin = leading_.value_or(static_cast<uint32_t>(symbol.span.begin));
    uint32_t signature_end = ts_node_is_null(body) ? end : ts_node_start_byte(body);
    constexpr uint32_t kSignatureBytesMax = 500;
    signature_end = std::min(signature_end, begin + kSignatureBytesMax);
    symbol.signature = OneLine(text_.substr(begin, signature_end - begin));
    symbol.documentation = DocumentationOf(body, symbol);
    // A definition's semicolon is part of it where the grammar leaves it outside.
    if (symbol.span.end < text_.size() && text_[symbol.span.end] == ';') ++symbol.span.end;
    outline_.symbols.push_back(std::move(symbol));
    return outline_.symbols.size() - 1;
  }

  [[nodiscard]] std::string_view KindOf(const SymbolRule& rule, size_t parent) const {
    if (rule.symbol_kind != "function" || parent == SIZE_MAX) return rule.symbol_kind;
    const std::string_view outer = outline_.symbols[parent].kind;
    const bool is_class = outer == "class" || outer == "struct" || outer == "union";
    return is_class ? "method" : rule.symbol_kind;
  }

  // Follows the name field through declarators ("int (*f())[3]") to an identifier.
  [[nodiscard]] std::string NameOf(TSNode node, const SymbolRule& rule) const {
    TSNode at = Field(node, rule.name_field);
    bool has_needed = rule.needs_declarator.empty();
    constexpr int kDeclaratorsMax = 64;
    for (int i = 0; i < kDeclaratorsMax && !ts_node_is_null(at); ++i) {
      if (ts_node_type(at) == rule.needs_declarator) has_needed = true;
      TSNode inner = Field(at, "declarator");
      const std::string_view type = ts_node_type(at);
      if (ts_node_is_null(inner) && type.ends_with("_declarator") &&
          ts_node_named_child_count(at) > 0) {
        inner = ts_node_named_child(at, ts_node_named_child_count(at) - 1);
      }
      if (ts_node_is_null(inner)) break;
      at = inner;
    }
    if (ts_node_is_null(at) || !has_needed) return "";
    const std::string_view type = ts_node_type(at);
    const bool is_name = type.ends_with("identifier") || type.ends_with("_name") ||
                         type.ends_with("_type") || type == "operator_cast" || type == "type";
    if (!is_name) return "";
    std::string name = OneLine(Source(at));
    constexpr size_t kNameBytesMax = 200;
    if (name.size() > kNameBytesMax) return "";
    for (size_t colons = name.find("::"); colons != std::string::npos; colons = name.find("::")) {
      name.replace(colons, 2, ".");
    }
    return name;
  }

  [[nodiscard]] std::string DocumentationOf(TSNode body, const Symbol& symbol) const {
    if (language_.documentation == DocumentationStyle::kPrecedingComments) {
      return WithoutMarks(
          text_.substr(symbol.leading_begin, symbol.span.begin - symbol.leading_begin));
    }
    if (ts_node_is_null(body) || ts_node_named_child_count(body) == 0) return "";
    TSNode first = ts_node_named_child(body, 0);
    if (std::string_view(ts_node_type(first)) == "expression_statement" &&
        ts_node_named_child_count(first) > 0) {
      first = ts_node_named_child(first, 0);
    }
    if (std::string_view(ts_node_type(first)) != "string") return "";
    return WithoutMarks(Source(first));
  }

  // Descends only where the tree has errors.
  void FindErrors(TSNode root) {
    std::vector<TSNode> open{root};
    size_t steps = 0;
    constexpr size_t kStepsMax = 200'000;
    while (!open.empty() && outline_.errors.size() < kErrorsMax && ++steps < kStepsMax) {
      const TSNode node = open.back();
      open.pop_back();
      if (!ts_node_has_error(node)) continue;
      if (ts_node_is_error(node) || ts_node_is_missing(node)) {
        outline_.errors.push_back({ts_node_start_byte(node), ts_node_end_byte(node)});
        continue;
      }
      TSTreeCursor cursor = ts_tree_cursor_new(node);
      if (ts_tree_cursor_goto_first_child(&cursor)) {
        do {
          const TSNode child = ts_tree_cursor_current_node(&cursor);
          if (ts_node_has_error(child) || ts_node_is_missing(child)) open.push_back(child);
        } while (ts_tree_cursor_goto_next_sibling(&cursor));
      }
      ts_tree_cursor_delete(&cursor);
    }
    std::sort(outline_.errors.begin(), outline_.errors.end(),
              [](const ByteSpan& left, const ByteSpan& right) { return left.begin < right.begin; });
  }

  std::string_view text_;
  const CodeLanguage& language_;
  std::vector<NodeMeaning> meanings_;
  uint32_t depth_max_;
  CodeOutline& outline_;
  std::optional<uint32_t> leading_;
  std::unordered_map<std::string, uint32_t> ordinals_;
};

}  // namespace

std::string Symbol::Locator() const {
  std::string locator = "sym:" + name;
  if (ordinal > 1) locator += "#" + std::to_string(ordinal);
  return locator;
}

CodeOutline OutlineCode(std::string_view text, const CodeLanguage& language, const Limits& limits) {
  CodeOutline outline;
  const TreePointer tree = ParseTree(text, language.grammar());
  if (tree == nullptr) {
    outline.is_complete = false;
    return outline;
  }
  Outliner(text, language, limits, outline).Run(ts_tree_root_node(tree.get()));
  return outline;
}

}  // namespace staged
