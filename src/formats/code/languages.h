#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// What the one engine (symbols.cc) knows of a programming language: a table of the node types of
// its grammar. Adding a language is a file in languages/, a line in languages.cc and its grammar in
// third_party.
namespace staged {

// What a symbol is to those inside of it.
enum class ScopeKind : uint8_t {
  kNone = 0,       // nothing inside is looked for
  kNamespace = 1,  // qualifies them
  kType = 2,       // qualifies them; its functions are methods, its variables fields
  kFunction = 3,   // qualifies them; its variables are local, thus no symbols
};

struct SymbolName {
  std::string name;   // empty: the node is no symbol
  std::string scope;  // what qualifies the symbols inside, where that is not the name
};

// Names a symbol where a path does not do. `text` is the whole source.
using NameFunction = SymbolName (*)(TSNode node, std::string_view text);

// A type of syntax node that is a symbol. A path leads from a node to one below it: "name" is a
// field of the grammar, ":name" the first child of that type.
struct SymbolRule {
  std::string_view node_type;
  std::string_view symbol_kind;  // "function" and "variable" become "method" and "field" in a type
  // Path to the name. "declarator" is followed through C's declarators to the identifier; "^" is
  // what stands before the body, "." the node itself.
  std::string_view name = "name";
  ScopeKind scope = ScopeKind::kNone;
  std::string_view body = "body";     // path to what no signature includes
  std::string_view name_type = {};    // only with a name of this node type
  std::string_view parent_type = {};  // only directly below a node of this type
  std::string_view value = {};        // field whose node may say what it is: CodeLanguage::values
  bool needs_value = false;           // only with such a value
  bool needs_body = false;            // only with a body: "struct S* p" names a type, no more
  bool is_each = false;               // one symbol for each node of the field `name`
  bool scopes_rest = false;           // without a body, its scope is what follows it
  NameFunction make_name = nullptr;
};

// "const f = () => 1" is a function, since its value is one.
struct ValueRule {
  std::string_view node_type;
  std::string_view symbol_kind;  // empty: that of the rule
  ScopeKind scope = ScopeKind::kNone;
};

// A call that imports: "require" in Ruby, "source" in a shell.
struct ImportCall {
  std::string_view node_type;
  std::string_view field;  // holds the name of what is called
  std::span<const std::string_view> names;
};

enum class DocumentationStyle : uint8_t {
  kPrecedingComments = 1,  // comments on the lines directly above
  kDocstring = 2,          // a string as the body's first statement
};

using NodeTypes = std::span<const std::string_view>;

struct CodeLanguage {
  std::string_view name;  // also the format's name
  std::span<const std::string_view> extensions;
  std::span<const std::string_view> interpreters;  // of a first line "#!", without version
  const TSLanguage* (*grammar)();
  std::span<const SymbolRule> symbols;
  std::span<const ValueRule> values;
  NodeTypes containers;   // looked into, no symbols themselves
  NodeTypes functions;    // looked into; variables there are local
  NodeTypes wrappers;     // belong to the one symbol inside: templates, exports
  NodeTypes groups;       // declare one symbol, whose they are, or several
  NodeTypes decorations;  // siblings or children before a symbol that belong to it: attributes
  NodeTypes comments;
  NodeTypes strings;  // of these a docstring is one
  NodeTypes imports;
  std::span<const ImportCall> import_calls = {};
  DocumentationStyle documentation = DocumentationStyle::kPrecedingComments;
  std::string_view separator = ".";  // between the parts of a qualified name
  // For an extension that two languages share: whether this one is meant. By default it is.
  bool (*is_meant)(std::string_view text, std::string_view extension) = nullptr;
  // The text as the grammar can read it, each byte in its place; empty: as it is.
  std::string (*readable)(std::string_view text) = nullptr;
  // The same where that did not parse as a whole.
  std::string (*simplified)(std::string_view text) = nullptr;
};

[[nodiscard]] std::span<const CodeLanguage* const> CodeLanguages();

}  // namespace staged
