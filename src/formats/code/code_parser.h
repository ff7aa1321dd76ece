#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "formats/code/languages.h"

namespace staged {

// A rule's path (see SymbolRule) by the grammar's numbers.
struct NodePath {
  TSFieldId field = 0;
  TSSymbol child_type = 0;
  [[nodiscard]] bool is_empty() const { return field == 0 && child_type == 0; }
};

struct CompiledRule {
  const SymbolRule* rule;
  NodePath name, body;
  TSFieldId value = 0;
  TSSymbol name_type = 0, parent_type = 0;
};

// What a node type means for one language.
struct NodeMeaning {
  const CompiledRule* symbol = nullptr;
  const ValueRule* value = nullptr;
  const ImportCall* import_call = nullptr;
  bool is_nothing = true;
  bool is_container = false;
  bool is_function = false;
  bool is_wrapper = false;
  bool is_group = false;
  bool is_decoration = false;
  bool is_comment = false;
  bool is_string = false;
  bool is_import = false;
};

struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using TreePointer = std::unique_ptr<TSTree, TreeDeleter>;

// A language's grammar and its table by the grammar's numbers, so that no name is compared for each
// node, and parsers that were used before. Made when first needed: a program's start stays cheap.
// Thread-safe.
class CodeParser {
 public:
  explicit CodeParser(const CodeLanguage& language) : language_(language) {}
  ~CodeParser();
  CodeParser(const CodeParser&) = delete;
  CodeParser& operator=(const CodeParser&) = delete;

  [[nodiscard]] const CodeLanguage& language() const { return language_; }
  // Of every node type by its number.
  [[nodiscard]] const std::vector<NodeMeaning>& meanings() const;
  // nullptr for input that costs the parser out of proportion.
  [[nodiscard]] TreePointer Parse(std::string_view text) const;

 private:
  void Compile() const;
  void CompileSymbols() const;
  [[nodiscard]] NodePath PathOf(std::string_view path) const;
  [[nodiscard]] TSSymbol NumberOf(std::string_view node_type) const;
  [[nodiscard]] TSFieldId FieldOf(std::string_view name) const;

  const CodeLanguage& language_;
  mutable std::once_flag is_compiled_;
  mutable std::vector<CompiledRule> rules_;
  mutable std::vector<NodeMeaning> meanings_;
  mutable std::mutex mutex_;
  mutable std::vector<TSParser*> idle_;
};

// The node at the end of a path; a null node where there is none.
[[nodiscard]] TSNode NodeAt(TSNode node, const NodePath& path);

}  // namespace staged
