#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "staged/ext/format.h"

// What formats of nested values share (YAML, TOML): a tree with byte offsets, its records by JSON
// Pointer (RFC 6901), and what a tree must look like after edits.
namespace staged {

enum class DataType : uint8_t {
  kObject = 1,
  kArray = 2,
  kString = 3,
  kNumber = 4,
  kBoolean = 5,
  kNull = 6,
  kDate = 7,
  kAlias = 8,  // stands for another value, which is not put in its place
};
[[nodiscard]] std::string_view DataTypeName(DataType type);  // "object", "date", ...

// A value. Nodes are in document order: the first child of a container is the node behind it, and a
// node's next sibling is the one at its `subtree_end`.
struct DataNode {
  static constexpr uint32_t kNoParent = UINT32_MAX;

  DataType type = DataType::kNull;
  uint32_t parent = kNoParent;  // kNoParent: the root of a document
  uint64_t begin = 0;           // bytes [begin, end) of the value
  uint64_t end = 0;
  uint64_t key_begin = 0;
  uint64_t key_end = 0;
  uint32_t subtree_end = 0;
  uint32_t child_count = 0;
  bool has_key = false;
  std::string key;       // decoded
  uint32_t ordinal = 1;  // which of the equal keys of its object it is
  std::string text;      // of a scalar: a string's content, anything else as it is written
  std::string style;     // how it is written: "plain", "single", "block" ...
  Value attrs;           // what else there is to say: anchor, tag

  [[nodiscard]] bool is_container() const {
    return type == DataType::kObject || type == DataType::kArray;
  }
};

struct DataIssue {
  std::string code;
  uint64_t offset = 0;
  std::string message;
  bool is_fatal = false;  // what follows could not be read
};

struct DataTree {
  std::vector<DataNode> nodes;
  std::vector<uint32_t> roots;     // of the documents, in order
  std::vector<ByteSpan> comments;  // with their signs
  std::vector<DataIssue> issues;
  uint64_t parsed_end = 0;  // the bytes behind it could not be read

  [[nodiscard]] bool is_complete() const;  // no fatal issue
  [[nodiscard]] std::vector<uint32_t> Children(uint32_t container) const;
  // Closes the tree: subtree ends and child counts from parents, ordinals of keys, issues for
  // duplicates.
  void Finish();
};

// A record a value: members, items, a "value" for a root that is a scalar, a "document" for each
// document behind the first ("doc:2", its values "doc:2/a"); then comments and what could not be
// read. Spans are offset by `span_offset`.
[[nodiscard]] std::vector<Record> DataRecords(std::string_view text, const DataTree& tree,
                                              uint64_t span_offset, bool has_spans);
// Issues as diagnostics, with their lines.
void AddDataDiagnostics(std::string_view text, const DataTree& tree,
                        std::vector<Diagnostic>& diagnostics);
// The kinds of DataRecords with how a merge replays them.
[[nodiscard]] std::vector<KindRule> DataKindRules();

// What a locator means: a node, or a place in a container where one can be made.
struct DataTarget {
  uint32_t parent = DataNode::kNoParent;
  std::optional<uint32_t> node;
  std::string token;  // unescaped last token
};
// Errors: kNoMatch, kAmbiguous (a key that occurs more than once), kInvalidArgument (no locator).
[[nodiscard]] Result<DataTarget> ResolveData(const DataTree& tree, std::string_view locator);
// The same where there must be a node.
[[nodiscard]] Result<uint32_t> ResolveDataNode(const DataTree& tree, std::string_view locator);
// Checks `edit.expect` against a node. Errors: kNoMatch.
[[nodiscard]] Status CheckExpectedData(const Edit& edit, const DataTree& tree, uint32_t node);
// What an edit brings.
struct DataValue {
  Value value;
  bool is_raw =
      false;  // a string that is to be written as it is: a scalar in the file's own syntax
  DataType raw_type = DataType::kString;  // that it then must be read as
};
// The edit's "value", what its "json" says, or the scalar that its "raw" is; the caller sets
// raw_type. Errors: kInvalidArgument.
[[nodiscard]] Result<DataValue> DataArgument(const Edit& edit, const Limits& limits);
// A scalar as JSON, YAML and TOML write it, without quotes; "" for containers.
[[nodiscard]] std::string DataScalarText(const Value& value);

// Keeps account of edits, so that the new bytes can be checked: read again they must give the old
// tree with the edits and nothing else. REQUIRES: the tree outlives this.
class DataLedger {
 public:
  explicit DataLedger(const DataTree& tree) : tree_(tree) {}

  void Replace(uint32_t node, const DataValue& value);
  void Delete(uint32_t node) { replaced_[node] = {}; }
  void Rename(uint32_t node, const std::string& key) { renamed_[node] = key; }
  void InsertBefore(uint32_t node, const std::optional<std::string>& key, const DataValue& value);
  void Append(uint32_t container, const std::optional<std::string>& key, const DataValue& value);
  // Whether `after` is what the edits make of the tree.
  [[nodiscard]] bool Matches(const DataTree& after) const;

 private:
  using Shape = std::vector<std::string>;
  static void AppendShape(const Value& value, const std::optional<std::string>& key, Shape& shape);
  static void AppendShape(const DataValue& value, const std::optional<std::string>& key,
                          Shape& shape);
  static void AppendNode(const DataNode& node, const std::string& key, Shape& shape);
  [[nodiscard]] const std::string& KeyOf(uint32_t node) const;
  [[nodiscard]] Shape Expected() const;

  const DataTree& tree_;
  std::map<uint32_t, Shape> replaced_;
  std::map<uint32_t, Shape> inserted_;  // before a node
  std::map<uint32_t, Shape> appended_;  // to a container
  std::map<uint32_t, std::string> renamed_;
};

}  // namespace staged
