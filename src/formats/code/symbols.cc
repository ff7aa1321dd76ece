#include "formats/code/symbols.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "formats/code/symbol_names.h"
#include "formats/code/syntax_errors.h"

namespace staged {
namespace {

// Where the walk is.
struct Place {
  std::string_view scope;  // qualifies the names found here
  size_t parent = SIZE_MAX;
  ScopeKind kind = ScopeKind::kNamespace;
  TSSymbol node_type = 0;  // of the node whose children are visited
  uint32_t depth = 0;
  bool is_list = false;  // of several symbols with commas between them
  // What these have in common: "private int" of "private int width, height".
  std::string_view list_head = {};
};

// What stands around a symbol's node and belongs to it.
struct Lead {
  uint32_t begin, end;
  uint32_t signature_begin, signature_end;
  uint32_t leading_begin;  // of the comments directly above
  uint32_t documentation_begin, documentation_end;
};

// The last row that a node has a part in: that of a comment that takes its newline along is the one
// before.
uint32_t LastRow(TSNode node) {
  const TSPoint end = ts_node_end_point(node);
  return end.column == 0 && end.row > ts_node_start_point(node).row ? end.row - 1 : end.row;
}

// Comments and decorations in front of the node that comes next.
class Forerunners {
 public:
  // Those of a container are its first child's.
  Forerunners(const Lead* container, uint32_t row) {
    if (container == nullptr || container->documentation_end == 0) return;
    comments_begin_ = container->documentation_begin;
    comments_end_ = container->documentation_end;
    last_row_ = row;
  }
  void AddComment(TSNode node) {
    const uint32_t row = ts_node_start_point(node).row;
    if (row == previous_row_) return;  // says something of what stands before it
    if (!comments_begin_ || row > last_row_ + 1) comments_begin_ = ts_node_start_byte(node);
    comments_end_ = ts_node_end_byte(node);
    last_row_ = LastRow(node);
  }
  void AddDecoration(TSNode node) {
    DropCommentsApart(node);
    if (!decorations_begin_) decorations_begin_ = ts_node_start_byte(node);
    last_row_ = LastRow(node);
  }
  [[nodiscard]] Lead LeadOf(TSNode node) {
    DropCommentsApart(node);
    const uint32_t begin = ts_node_start_byte(node);
    const uint32_t end = ts_node_end_byte(node);
    const uint32_t lead_begin = decorations_begin_.value_or(begin);
    Lead lead{lead_begin, end, begin, end, lead_begin, 0, 0};
    if (comments_begin_) {
      lead.leading_begin = std::min(*comments_begin_, lead_begin);
      lead.documentation_begin = *comments_begin_;
      lead.documentation_end = comments_end_;
    }
    return lead;
  }
  void EndWith(TSNode node) {
    comments_begin_.reset();
    decorations_begin_.reset();
    previous_row_ = LastRow(node);
  }

 private:
  void DropCommentsApart(TSNode node) {
    if (comments_begin_ && ts_node_start_point(node).row > last_row_ + 1) comments_begin_.reset();
  }

  std::optional<uint32_t> comments_begin_, decorations_begin_;
  uint32_t comments_end_ = 0;
  uint32_t last_row_ = 0;
  uint32_t previous_row_ = UINT32_MAX;
};

// What a symbol's record has of its source. Symbols may share what they quote.
constexpr size_t kSignatureBytesMax = 500;
constexpr size_t kDocumentationBytesMax = 16 << 10;
// A name that would be longer with its scope goes without it.
constexpr size_t kQualifiedBytesMax = 2'000;

// At most `size` bytes, whole characters.
std::string_view Prefix(std::string_view text, size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsVariable(std::string_view kind) {
  return kind == "variable" || kind == "constant" || kind == "field";
}

// "a#2": what a second symbol "a" would be called.
bool LooksOrdinal(std::string_view name) {
  const size_t mark = name.rfind('#');
  return mark != std::string_view::npos && mark + 1 < name.size() &&
         name.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
}

class Outliner {
 public:
  Outliner(std::string_view text, const CodeParser& parser, const Limits& limits,
           CodeOutline& outline)
      : text_(text),
        language_(parser.language()),
        meanings_(parser.meanings()),
        depth_max_(std::min<uint32_t>(limits.depth_max, 512)),
        outline_(outline) {}

  void Run(TSNode root) {
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    Walk(cursor, {.node_type = ts_node_symbol(root)}, nullptr);
    ts_tree_cursor_delete(&cursor);
  }

 private:
  // What a symbol's node is, before it is known where it stands.
  struct Found {
    std::string_view kind;
    ScopeKind scope;
    TSNode body;
    SymbolName name;
    bool is_value = false;  // `body` is a value without a body of its own
  };

  [[nodiscard]] const NodeMeaning& MeaningOf(TSSymbol number) const {
    static constexpr NodeMeaning kError{.is_nothing = false,
                                        .is_container = true};  // the one type no grammar counts
    return number < meanings_.size() ? meanings_[number] : kError;
  }

  // Visits the children of the cursor's node. `outer` is what a wrapper gives to its symbol,
  // `first` what stands before a container.
  void Walk(TSTreeCursor& cursor, Place place, const Lead* outer, const Lead* first = nullptr) {
    const TSNode whole = ts_tree_cursor_current_node(&cursor);
    if (place.depth > depth_max_ || !ts_tree_cursor_goto_first_child(&cursor)) return;
    Forerunners forerunners(first, ts_node_start_point(whole).row);
    std::string rest_scope;
    do {
      const TSNode node = ts_tree_cursor_current_node(&cursor);
      const TSSymbol type = ts_node_symbol(node);
      const NodeMeaning& meaning = MeaningOf(type);
      if (meaning.is_nothing) {
        forerunners.EndWith(node);
        continue;
      }
      if (meaning.is_comment) {
        forerunners.AddComment(node);
        continue;
      }
      if (meaning.is_decoration) {
        forerunners.AddDecoration(node);
        continue;
      }
      Lead lead = forerunners.LeadOf(node);
      if (outer != nullptr) {
        if (lead.documentation_end == 0) {
          lead.documentation_begin = outer->documentation_begin;
          lead.documentation_end = outer->documentation_end;
        }
        lead.begin = outer->begin;
        lead.leading_begin = outer->leading_begin;
        lead.end = outer->end;
        lead.signature_begin = std::min(lead.signature_begin, outer->signature_begin);
        lead.signature_end = std::max(lead.signature_end, outer->signature_end);
      }
      VisitNode(cursor, node, meaning, place, lead, rest_scope);
      forerunners.EndWith(node);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
    ts_tree_cursor_goto_parent(&cursor);
  }

  void VisitNode(TSTreeCursor& cursor, TSNode node, const NodeMeaning& meaning, Place& place,
                 const Lead& lead, std::string& rest_scope) {
    if (meaning.is_import ||
        (meaning.import_call != nullptr && Imports(node, *meaning.import_call))) {
      outline_.imports.push_back({ts_node_start_byte(node), ts_node_end_byte(node)});
      return;
    }
    if (meaning.symbol != nullptr) {
      const SymbolRule& rule = *meaning.symbol->rule;
      const bool is_symbol =
          rule.is_each ? VisitEach(cursor, node, *meaning.symbol, place, lead)
                       : VisitSymbol(cursor, node, *meaning.symbol, place, lead, rest_scope);
      if (is_symbol) return;
    }
    Place inside = place;
    inside.node_type = ts_node_symbol(node);
    inside.is_list = false;
    ++inside.depth;
    if (meaning.is_wrapper) {
      Lead wrapped = lead;
      wrapped.signature_begin = UINT32_MAX;  // the symbol's own
      Walk(cursor, inside, &wrapped);
    } else if (meaning.is_group) {
      uint32_t first = UINT32_MAX;
      const size_t count = CountSymbols(cursor, inside.is_list, first);
      inside.is_list = inside.is_list && count > 1;
      if (count > 1 && inside.list_head.empty()) {
        const uint32_t begin = AfterDecorations(node);
        inside.list_head = text_.substr(begin, first - begin);
      }
      Lead grouped = lead;
      if (lead.signature_begin == ts_node_start_byte(node)) {
        grouped.signature_begin = AfterDecorations(node);
      }
      Walk(cursor, inside, count == 1 ? &grouped : nullptr);
    } else if (meaning.is_function) {
      inside.kind = ScopeKind::kFunction;
      Walk(cursor, inside, nullptr);
    } else if (meaning.is_container) {
      Walk(cursor, inside, nullptr, &lead);
    }
  }

  // Of the children of the cursor's node, those of groups among them included.
  [[nodiscard]] size_t CountSymbols(TSTreeCursor& cursor, bool& has_comma, uint32_t& first) const {
    size_t count = 0;
    if (!ts_tree_cursor_goto_first_child(&cursor)) return 0;
    do {
      const TSNode node = ts_tree_cursor_current_node(&cursor);
      const NodeMeaning& meaning = MeaningOf(ts_node_symbol(node));
      if (meaning.symbol != nullptr) {
        ++count;
        first = std::min(first, ts_node_start_byte(node));
      } else if (meaning.is_group) {
        bool is_list = false;
        count += CountSymbols(cursor, is_list, first);
      }
      has_comma = has_comma || (!ts_node_is_named(node) && SourceOf(node, text_) == ",");
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
    ts_tree_cursor_goto_parent(&cursor);
    return count;
  }

  [[nodiscard]] bool Imports(TSNode node, const ImportCall& call) const {
    const TSNode callee = FieldNode(node, call.field);
    if (ts_node_is_null(callee)) return false;
    return std::find(call.names.begin(), call.names.end(), SourceOf(callee, text_)) !=
           call.names.end();
  }

  // False if the node is no symbol where it stands.
  bool VisitSymbol(TSTreeCursor& cursor, TSNode node, const CompiledRule& compiled, Place& place,
                   const Lead& lead, std::string& rest_scope) {
    const SymbolRule& rule = *compiled.rule;
    if (compiled.parent_type != 0 && compiled.parent_type != place.node_type) return false;
    Found found{rule.symbol_kind, rule.scope, NodeAt(node, compiled.body), {}};
    bool has_value = false;
    if (compiled.value != 0) {
      const TSNode value = ts_node_child_by_field_id(node, compiled.value);
      if (!ts_node_is_null(value)) has_value = ReadValue(value, found);
    }
    if (rule.needs_value && !has_value) return false;
    if (rule.needs_body && ts_node_is_null(found.body)) return false;
    found.name = NameOf(node, compiled, found.body);
    if (found.name.name.empty()) return false;
    if (place.kind == ScopeKind::kFunction && IsVariable(found.kind)) return true;
    if (rule.scopes_rest) {  // ends what another one scoped
      place.scope = {};
      place.parent = SIZE_MAX;
    }
    const size_t index = AddSymbol(node, found, place, lead);
    if (rule.scopes_rest && ts_node_is_null(found.body)) {
      rest_scope = found.name.name;
      place.scope = rest_scope;
      place.parent = index;
    } else if (found.scope != ScopeKind::kNone) {
      WalkScope(cursor, node, found, index, place);
    }
    return true;
  }

  void WalkScope(TSTreeCursor& cursor, TSNode node, const Found& found, size_t index,
                 const Place& place) {
    const std::string scope = found.name.scope.empty() ? outline_.symbols[index].name
                                                       : Qualified(place, found.name.scope);
    Walk(cursor, {scope, index, found.scope, ts_node_symbol(node), place.depth + 1}, nullptr);
  }

  bool ReadValue(TSNode value, Found& found) const {
    const ValueRule* rule = MeaningOf(ts_node_symbol(value)).value;
    if (rule == nullptr) return false;
    if (!rule->symbol_kind.empty()) found.kind = rule->symbol_kind;
    found.scope = rule->scope;
    found.body = FieldNode(value, "body");
    found.is_value = ts_node_is_null(found.body);
    if (found.is_value) found.body = value;
    return true;
  }

  // C's declarations: what each declarator names, and what the type that they share defines.
  bool VisitEach(TSTreeCursor& cursor, TSNode node, const CompiledRule& compiled, Place& place,
                 const Lead& lead) {
    if (place.kind == ScopeKind::kFunction) return true;
    const std::vector<TSNode> declared = NodesOfField(cursor, compiled.name.field);
    if (declared.empty()) return false;
    const TSNode type = FieldNode(node, "type");
    const CompiledRule* definition = DefinitionIn(type);
    const std::string type_name =
        definition == nullptr ? "" : std::string(NameOf(type, *definition, {}).name);
    size_t scope_index = SIZE_MAX;
    bool is_type_named = false;
    Lead own = lead;
    for (const TSNode& each : declared) {
      Found found{compiled.rule->symbol_kind, ScopeKind::kNone, NodeAt(node, compiled.body), {}};
      if (compiled.rule->name == "declarator") {
        const DeclaredName name = FollowDeclarators(each, text_);
        found.name.name = NameFromSource(name.name);
        if (name.is_function && found.kind == "variable") found.kind = "function";
      } else {
        found.name.name = NameFromSource(SourceOf(each, text_));
      }
      if (found.name.name.empty()) continue;
      // "typedef struct S {...} S" is one symbol, which the struct is.
      if (found.kind == "type" && found.name.name == type_name) {
        is_type_named = true;
        continue;
      }
      if (definition != nullptr && type_name.empty() && scope_index == SIZE_MAX) {
        if (found.kind == "type") found.kind = definition->rule->symbol_kind;
        found.body = NodeAt(type, definition->body);
        scope_index = outline_.symbols.size();
      }
      AddListed(each, found, place, own, declared.size() > 1);
      own.documentation_begin = own.documentation_end = 0;  // the first has it for all of them
    }
    WalkShared(cursor, node, place, lead, scope_index, is_type_named);
    return true;
  }

  void AddListed(TSNode each, const Found& found, const Place& place, const Lead& lead,
                 bool is_listed) {
    if (!is_listed) {
      AddSymbol(each, found, place, lead);
      return;
    }
    Place listed = place;
    listed.is_list = true;
    Lead own = lead;
    own.begin = ts_node_start_byte(each);
    own.end = ts_node_end_byte(each);
    own.leading_begin = own.begin;
    AddSymbol(each, found, listed, own);
  }

  // Into the type of a declaration: a definition without a name is the first declarator's own.
  void WalkShared(TSTreeCursor& cursor, TSNode node, const Place& place, const Lead& lead,
                  size_t scope_index, bool is_type_named) {
    if (!MeaningOf(ts_node_symbol(node)).is_container) return;
    Place inside = place;
    inside.node_type = ts_node_symbol(node);
    inside.is_list = false;
    ++inside.depth;
    std::string scope;
    if (scope_index != SIZE_MAX && scope_index < outline_.symbols.size()) {
      scope = outline_.symbols[scope_index].name;
      inside.scope = scope;
      inside.parent = scope_index;
      inside.kind = ScopeKind::kType;
    }
    Walk(cursor, inside, is_type_named ? &lead : nullptr);
  }

  [[nodiscard]] std::vector<TSNode> NodesOfField(TSTreeCursor& cursor, TSFieldId field) const {
    std::vector<TSNode> nodes;
    if (!ts_tree_cursor_goto_first_child(&cursor)) return nodes;
    do {
      if (ts_tree_cursor_current_field_id(&cursor) != field) continue;
      const TSNode node = ts_tree_cursor_current_node(&cursor);
      if (ts_node_is_named(node)) nodes.push_back(node);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
    ts_tree_cursor_goto_parent(&cursor);
    return nodes;
  }

  // The rule of a type node that defines what it names, if it does.
  [[nodiscard]] const CompiledRule* DefinitionIn(TSNode type) const {
    if (ts_node_is_null(type)) return nullptr;
    const CompiledRule* rule = MeaningOf(ts_node_symbol(type)).symbol;
    const bool defines =
        rule != nullptr && rule->rule->needs_body && !ts_node_is_null(NodeAt(type, rule->body));
    return defines ? rule : nullptr;
  }

  [[nodiscard]] SymbolName NameOf(TSNode node, const CompiledRule& compiled, TSNode body) const {
    const SymbolRule& rule = *compiled.rule;
    if (rule.make_name != nullptr) return rule.make_name(node, text_);
    if (rule.name == "^") {
      if (ts_node_is_null(body)) return {};
      const uint32_t begin = ts_node_start_byte(node);
      return {Name(text_.substr(begin, ts_node_start_byte(body) - begin)), ""};
    }
    const TSNode at = rule.name == "." ? node : NodeAt(node, compiled.name);
    if (ts_node_is_null(at)) return {};
    if (rule.name == "declarator") return {NameFromSource(FollowDeclarators(at, text_).name), ""};
    if (compiled.name_type != 0 && ts_node_symbol(at) != compiled.name_type) return {};
    return {Name(SourceOf(at, text_)), ""};
  }
  [[nodiscard]] std::string Name(std::string_view source) const {
    return NameFromSource(source, language_.separator != ".");
  }

  [[nodiscard]] std::string Qualified(const Place& place, std::string_view name) const {
    std::string qualified;
    const size_t size = place.scope.size() + language_.separator.size() + name.size();
    if (size > kQualifiedBytesMax) return std::string(name);
    qualified.reserve(size);
    if (!place.scope.empty()) qualified.append(place.scope).append(language_.separator);
    return qualified.append(name);
  }

  size_t AddSymbol(TSNode node, const Found& found, const Place& place, const Lead& lead) {
    Symbol symbol;
    symbol.name = Qualified(place, found.name.name);
    symbol.ordinal = NextOrdinal(symbol.name);
    symbol.parent = place.parent;
    symbol.kind = KindOf(found.kind, place.kind);
    symbol.is_listed = place.is_list;
    symbol.span = {lead.begin, std::max(lead.end, ts_node_end_byte(node))};
    // Directives and comments take their newline along, which no symbol owns.
    while (symbol.span.end > symbol.span.begin && IsBlank(text_[symbol.span.end - 1])) {
      --symbol.span.end;
    }
    symbol.leading_begin = lead.leading_begin;
    symbol.signature = SignatureOf(node, found, lead);
    if (place.is_list && !place.list_head.empty()) {
      symbol.signature =
          OneLine(Prefix(place.list_head, kSignatureBytesMax)) + " " + symbol.signature;
      symbol.signature.resize(Prefix(symbol.signature, kSignatureBytesMax).size());
    }
    symbol.documentation = DocumentationOf(found.body, lead);
    // A definition's semicolon is part of it where the grammar leaves it outside.
    const bool has_semicolon = symbol.span.end < text_.size() && text_[symbol.span.end] == ';';
    if (has_semicolon && !symbol.is_listed) ++symbol.span.end;
    outline_.symbols.push_back(std::move(symbol));
    return outline_.symbols.size() - 1;
  }

  [[nodiscard]] static std::string_view KindOf(std::string_view kind, ScopeKind place) {
    if (place != ScopeKind::kType) return kind;
    if (kind == "function") return "method";
    return kind == "variable" ? "field" : kind;
  }

  [[nodiscard]] uint32_t NextOrdinal(const std::string& name) {
    uint32_t& ordinal = ++ordinals_[name];
    if (LooksOrdinal(name)) literal_ordinals_.insert(name);
    // Names that look like another's ordinal are taken where they are.
    const auto is_taken = [&] {
      if (ordinal > 1) return literal_ordinals_.contains(name + "#" + std::to_string(ordinal));
      if (!LooksOrdinal(name)) return false;
      const size_t mark = name.rfind('#');
      uint32_t literal = 0;
      std::from_chars(name.data() + mark + 1, name.data() + name.size(), literal);
      const auto other = ordinals_.find(name.substr(0, mark));
      return other != ordinals_.end() && other->second >= literal;
    };
    while (is_taken()) ++ordinal;
    return ordinal;
  }

  // Up to the body; without one a function's whole source, and of anything else the first line.
  [[nodiscard]] std::string SignatureOf(TSNode node, const Found& found, const Lead& lead) const {
    const bool is_own = lead.signature_begin == ts_node_start_byte(node);
    const uint32_t begin = is_own ? AfterDecorations(node) : lead.signature_begin;
    const std::string_view whole =
        Prefix(text_.substr(begin, std::max(lead.signature_end, ts_node_end_byte(node)) - begin),
               kSignatureBytesMax);
    std::string_view head = whole;
    if (found.is_value) {
      const size_t body = ts_node_start_byte(found.body) - begin;
      const size_t brace = std::min(whole.find('{', body), whole.size());
      head = whole.substr(0, std::min(brace, whole.find('\n', body)));
    } else if (!ts_node_is_null(found.body) && ts_node_start_byte(found.body) > begin) {
      head = BeforeComment(node, begin, ts_node_start_byte(found.body));
    } else if (found.kind != "function" && found.kind != "method") {
      head = whole.substr(0, whole.find('\n'));
    }
    std::string signature = OneLine(Prefix(head, kSignatureBytesMax));
    while (signature.ends_with(';') || signature.ends_with(' ')) signature.pop_back();
    return signature;
  }

  // The text from `begin` to `end` up to the first comment below the node, as they stand before a
  // body that has no brace.
  [[nodiscard]] std::string_view BeforeComment(TSNode node, uint32_t begin, uint32_t end) const {
    const std::string_view head = text_.substr(begin, end - begin);
    if (head.find('\n') == std::string_view::npos) return head;
    constexpr uint32_t kLookedAtMax = 16;
    const uint32_t count = std::min(ts_node_child_count(node), kLookedAtMax);
    for (uint32_t i = 0; i < count; ++i) {
      const TSNode child = ts_node_child(node, i);
      const uint32_t at = ts_node_start_byte(child);
      if (at >= end) break;
      if (at > begin && MeaningOf(ts_node_symbol(child)).is_comment)
        return head.substr(0, at - begin);
    }
    return head;
  }

  // Where a node goes on behind the attributes that are its first children.
  [[nodiscard]] uint32_t AfterDecorations(TSNode node) const {
    const uint32_t begin = ts_node_start_byte(node);
    if (language_.decorations.empty()) return begin;
    constexpr uint32_t kLookedAtMax = 32;
    const uint32_t count = std::min(ts_node_child_count(node), kLookedAtMax);
    for (uint32_t i = 0; i < count; ++i) {
      const TSNode child = ts_node_child(node, i);
      if (!MeaningOf(ts_node_symbol(child)).is_decoration) return ts_node_start_byte(child);
    }
    return begin;
  }

  [[nodiscard]] std::string DocumentationOf(TSNode body, const Lead& lead) const {
    if (language_.documentation == DocumentationStyle::kPrecedingComments) {
      if (lead.documentation_end == 0) return "";
      const std::string_view comments =
          text_.substr(lead.documentation_begin, lead.documentation_end - lead.documentation_begin);
      return CommentText(Prefix(comments, kDocumentationBytesMax));
    }
    if (ts_node_is_null(body) || ts_node_named_child_count(body) == 0) return "";
    TSNode first = ts_node_named_child(body, 0);
    if (std::string_view(ts_node_type(first)) == "expression_statement" &&
        ts_node_named_child_count(first) > 0) {
      first = ts_node_named_child(first, 0);
    }
    return MeaningOf(ts_node_symbol(first)).is_string
               ? DocstringText(Prefix(SourceOf(first, text_), kDocumentationBytesMax))
               : "";
  }

  std::string_view text_;
  const CodeLanguage& language_;
  const std::vector<NodeMeaning>& meanings_;
  uint32_t depth_max_;
  CodeOutline& outline_;
  std::unordered_map<std::string, uint32_t> ordinals_;
  std::unordered_set<std::string> literal_ordinals_;
};

}  // namespace

std::string Symbol::Locator() const {
  std::string locator = "sym:" + name;
  if (ordinal > 1) locator += "#" + std::to_string(ordinal);
  return locator;
}

namespace {

TreePointer ParseReadable(std::string_view text, const CodeParser& parser) {
  const CodeLanguage& language = parser.language();
  const std::string readable = language.readable == nullptr ? "" : language.readable(text);
  TreePointer tree = parser.Parse(readable.empty() ? text : readable);
  if (tree == nullptr || language.simplified == nullptr) return tree;
  if (!ts_node_is_error(ts_tree_root_node(tree.get()))) return tree;
  TreePointer simpler = parser.Parse(language.simplified(text));
  const bool is_better = simpler != nullptr && !ts_node_is_error(ts_tree_root_node(simpler.get()));
  return is_better ? std::move(simpler) : std::move(tree);
}

}  // namespace

CodeOutline OutlineCode(std::string_view text, const CodeParser& parser, const Limits& limits) {
  CodeOutline outline;
  const TreePointer tree = ParseReadable(text, parser);
  if (tree == nullptr) {
    outline.is_complete = false;
    return outline;
  }
  const TSNode root = ts_tree_root_node(tree.get());
  outline.errors = SyntaxErrors(root);
  Outliner(text, parser, limits, outline).Run(root);
  return outline;
}

}  // namespace staged
