#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/limits.h"
#include "staged/record.h"
#include "staged/status.h"

// JSON (RFC 8259) with byte offsets, for reading and for splicing. Reads on where a reader can
// guess what was meant (comments, trailing commas, odd literals) and says so; where it cannot,
// keeps what came before. Iterative: depth costs no stack.
namespace staged {

enum class JsonType : uint8_t {
  kObject = 1,
  kArray = 2,
  kString = 3,
  kNumber = 4,
  kTrue = 5,
  kFalse = 6,
  kNull = 7,
  kInvalid = 8,  // a bare word or number outside the grammar, or a whole line of JSON lines
};
[[nodiscard]] std::string_view JsonTypeName(JsonType type);  // "object", "boolean", ...

// A value. Nodes are in document order: the first child of a container is the node behind it, and
// a node's next sibling is the one at its `subtree_end`.
struct JsonNode {
  JsonType type = JsonType::kNull;
  uint32_t parent = 0;  // the root is its own parent
  uint32_t begin = 0;   // bytes [begin, end) of the value
  uint32_t end = 0;
  uint32_t key_begin = 0;  // the key with its quotes; key_begin == key_end where there is none
  uint32_t key_end = 0;
  uint32_t subtree_end = 0;
  uint32_t child_count = 0;

  [[nodiscard]] bool has_key() const { return key_end != key_begin; }
  [[nodiscard]] bool is_container() const {
    return type == JsonType::kObject || type == JsonType::kArray;
  }
};

struct JsonIssue {
  std::string_view code;  // "trailing_comma", "syntax_error", ...
  uint64_t offset = 0;
  uint64_t end = 0;  // of a comment; elsewhere 0
  std::string message;
  bool is_fatal = false;  // what follows could not be read
};

enum class JsonSyntax : uint8_t {
  kDocument = 1,  // one value
  kLines = 2,  // a value a line (ndjson.org, jsonlines.org); the root is an array made up for them
};

struct JsonTree {
  std::vector<JsonNode> nodes;  // empty when there is no value at all
  std::vector<JsonIssue> issues;
  uint64_t issues_left_out = 0;
  uint64_t parsed_end = 0;  // the bytes behind it could not be read

  [[nodiscard]] bool is_complete() const;  // no fatal issue
};

// REQUIRES: input.size() < 4 GiB. Depth and node count beyond `limits` are fatal issues.
[[nodiscard]] JsonTree ParseJson(std::string_view input, JsonSyntax syntax, const Limits& limits);

// The inside of a string token with its quotes, escapes resolved; unpaired surrogates become
// U+FFFD.
[[nodiscard]] std::string DecodeJsonString(std::string_view token);
void DecodeJsonStringTo(std::string_view token, std::string& out);  // appends
// Appends `text` as a string token. With `ascii_only` everything else is escaped as \uXXXX.
void AppendJsonString(std::string& out, std::string_view text, bool ascii_only = false);
// One reference token of a JSON Pointer (RFC 6901): ~ becomes ~0 and / becomes ~1.
[[nodiscard]] std::string EscapePointerToken(std::string_view token);
[[nodiscard]] std::string UnescapePointerToken(std::string_view token);

// The reference token of a key that occurs for the `ordinal`-th time: "a", "a~2". RFC 6901 leaves a
// tilde before other digits than 0 and 1 unused, so no other pointer is written like that.
[[nodiscard]] std::string PointerToken(std::string_view key, uint32_t ordinal);

// The value of a node; numbers that no int64 holds become doubles.
[[nodiscard]] Value JsonToValue(std::string_view input, const JsonTree& tree, size_t node);

struct JsonStyle {
  std::string newline = "\n";
  std::string indent_unit;            // "" for all on one line
  std::string item_separator = ", ";  // on one line
  std::string key_separator = ": ";
  bool ascii_only = false;
};
// Writes a value; with an indent unit a container's children stand on lines of their own, indented
// by `indent` and one unit more. Errors: kInvalidArgument (a double that is not finite).
[[nodiscard]] Status AppendJson(std::string& out, const Value& value, const JsonStyle& style,
                                const std::string& indent);

}  // namespace staged
