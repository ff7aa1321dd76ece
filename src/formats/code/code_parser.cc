#include "formats/code/code_parser.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace staged {
namespace {

// The parser calls back every so many steps, so that a budget of calls is a budget of work that no
// clock has a part in.
struct WorkBudget {
  uint64_t calls_left;
};

// The parser's time grows with the square of the depth of brackets left open.
bool IsNestedTooDeeply(std::string_view text) {
  constexpr int kDepthMax = 1'000;
  // Few brackets cannot be many levels: counting is faster than following.
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  if (count('(') + count('[') + count('{') <= kDepthMax) return false;
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

TSTree* ParseWithin(TSParser* parser, std::string_view text, WorkBudget budget) {
  TSParseOptions options{};
  options.payload = &budget;
  options.progress_callback = [](TSParseState* state) {
    auto* left = static_cast<WorkBudget*>(state->payload);
    return left->calls_left-- == 0;
  };
  TSInput input{};
  input.payload = &text;
  input.encoding = TSInputEncodingUTF8;
  input.read = [](void* payload, uint32_t offset, TSPoint, uint32_t* size) {
    const auto* all = static_cast<const std::string_view*>(payload);
    const std::string_view rest = all->substr(std::min<size_t>(offset, all->size()));
    *size = static_cast<uint32_t>(rest.size());
    return rest.data();
  };
  return ts_parser_parse_with_options(parser, nullptr, input, options);
}

}  // namespace

CodeParser::~CodeParser() {
  for (TSParser* parser : idle_) ts_parser_delete(parser);
}

TreePointer CodeParser::Parse(std::string_view text) const {
  if (IsNestedTooDeeply(text)) return nullptr;
  TSParser* parser = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      parser = idle_.back();
      idle_.pop_back();
    }
  }
  if (parser == nullptr) {
    parser = ts_parser_new();
    if (!ts_parser_set_language(parser, language_.grammar())) {
      ts_parser_delete(parser);
      return nullptr;
    }
  }
  // Real sources need about one call for a hundred bytes.
  constexpr uint64_t kCallsMin = 1'000;
  constexpr uint64_t kBytesPerCall = 20;
  TreePointer tree(ParseWithin(parser, text, {kCallsMin + text.size() / kBytesPerCall}));
  if (tree == nullptr) {
    // It would go on where it stopped, and holds what it made so far.
    ts_parser_delete(parser);
    return nullptr;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(parser);
  return tree;
}

const std::vector<NodeMeaning>& CodeParser::meanings() const {
  std::call_once(is_compiled_, [this] { Compile(); });
  return meanings_;
}

TSFieldId CodeParser::FieldOf(std::string_view name) const {
  return ts_language_field_id_for_name(language_.grammar(), name.data(),
                                       static_cast<uint32_t>(name.size()));
}

TSSymbol CodeParser::NumberOf(std::string_view node_type) const {
  return ts_language_symbol_for_name(language_.grammar(), node_type.data(),
                                     static_cast<uint32_t>(node_type.size()), true);
}

NodePath CodeParser::PathOf(std::string_view path) const {
  if (path.starts_with(':')) return {0, NumberOf(path.substr(1))};
  return {FieldOf(path), 0};
}

void CodeParser::CompileSymbols() const {
  rules_.reserve(language_.symbols.size());
  for (const SymbolRule& rule : language_.symbols) {
    CompiledRule compiled{.rule = &rule, .name = PathOf(rule.name), .body = PathOf(rule.body)};
    compiled.value = FieldOf(rule.value);
    if (!rule.name_type.empty()) compiled.name_type = NumberOf(rule.name_type);
    if (!rule.parent_type.empty()) compiled.parent_type = NumberOf(rule.parent_type);
    rules_.push_back(compiled);
  }
}

void CodeParser::Compile() const {
  CompileSymbols();
  std::unordered_map<std::string_view, NodeMeaning> by_name;
  for (const CompiledRule& rule : rules_) by_name[rule.rule->node_type].symbol = &rule;
  for (const ValueRule& value : language_.values) by_name[value.node_type].value = &value;
  for (const ImportCall& call : language_.import_calls) {
    by_name[call.node_type].import_call = &call;
  }
  const std::pair<NodeTypes, bool NodeMeaning::*> flags[] = {
      {language_.containers, &NodeMeaning::is_container},
      {language_.functions, &NodeMeaning::is_function},
      {language_.wrappers, &NodeMeaning::is_wrapper},
      {language_.groups, &NodeMeaning::is_group},
      {language_.decorations, &NodeMeaning::is_decoration},
      {language_.comments, &NodeMeaning::is_comment},
      {language_.strings, &NodeMeaning::is_string},
      {language_.imports, &NodeMeaning::is_import},
  };
  for (const auto& [names, flag] : flags) {
    for (const std::string_view name : names) by_name[name].*flag = true;
  }
  const TSLanguage* grammar = language_.grammar();
  meanings_.resize(ts_language_symbol_count(grammar));
  for (size_t i = 0; i < meanings_.size(); ++i) {
    const auto number = static_cast<TSSymbol>(i);
    if (ts_language_symbol_type(grammar, number) != TSSymbolTypeRegular) continue;
    const auto found = by_name.find(ts_language_symbol_name(grammar, number));
    if (found == by_name.end()) continue;
    meanings_[i] = found->second;
    meanings_[i].is_nothing = false;
  }
}

TSNode NodeAt(TSNode node, const NodePath& path) {
  if (path.field != 0) return ts_node_child_by_field_id(node, path.field);
  TSNode found{};
  if (path.child_type == 0) return found;
  // Reaching a child costs its place, and names are among the first.
  constexpr uint32_t kLookedAtMax = 64;
  const uint32_t count = std::min(ts_node_named_child_count(node), kLookedAtMax);
  for (uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_named_child(node, i);
    if (ts_node_symbol(child) == path.child_type) return child;
  }
  return found;
}

}  // namespace staged
