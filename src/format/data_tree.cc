#include "format/data_tree.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "base/utf8.h"
#include "codec/json.h"
#include "codec/lines.h"

namespace staged {
namespace {

std::optional<size_t> ReadIndex(std::string_view token) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size() || token.empty()) {
    return std::nullopt;
  }
  return index;
}

// The member `name` of an object when it is a string or number, else nullptr.
const DataNode* IdentityMember(const DataTree& tree, uint32_t object, std::string_view name) {
  constexpr size_t kLookedAtMax = 16;  // identities come early in an object
  size_t looked_at = 0;
  for (uint32_t child = object + 1;
       child < tree.nodes[object].subtree_end && looked_at < kLookedAtMax; ++looked_at) {
    const DataNode& node = tree.nodes[child];
    if (node.key == name) {
      const bool is_identity = node.type == DataType::kString || node.type == DataType::kNumber;
      return is_identity ? &node : nullptr;
    }
    child = node.subtree_end;
  }
  return nullptr;
}

// The member by which an array's objects can be told apart, or "".
std::string InferArrayKey(const DataTree& tree, uint32_t array) {
  for (const std::string_view name : {"id", "key", "name", "uuid", "uid"}) {
    std::unordered_set<std::string_view> seen;
    bool is_unique = tree.nodes[array].child_count > 0;
    for (uint32_t item = array + 1; is_unique && item < tree.nodes[array].subtree_end;
         item = tree.nodes[item].subtree_end) {
      const DataNode* member =
          tree.nodes[item].type == DataType::kObject ? IdentityMember(tree, item, name) : nullptr;
      is_unique = member != nullptr && seen.insert(member->text).second;
    }
    if (is_unique) return std::string(name);
  }
  return "";
}

class RecordBuilder {
 public:
  RecordBuilder(std::string_view text, const DataTree& tree, uint64_t span_offset, bool has_spans)
      : text_(text), tree_(tree), span_offset_(span_offset), has_spans_(has_spans) {}

  std::vector<Record> Build() {
    locators_.resize(tree_.nodes.size());
    array_keys_.resize(tree_.nodes.size());
    next_item_.resize(tree_.nodes.size());
    size_t document = 0;
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].parent == DataNode::kNoParent) {
        AddRoot(i, ++document);
      } else {
        AddChild(i);
      }
      if (tree_.nodes[i].type == DataType::kArray) array_keys_[i] = InferArrayKey(tree_, i);
    }
    for (size_t i = 0; i < tree_.comments.size(); ++i) {
      AddBytes("comment", "comment:" + std::to_string(i + 1), tree_.comments[i]);
    }
    if (!tree_.is_complete() && tree_.parsed_end < text_.size()) {
      AddBytes("unparsed", "unparsed", {tree_.parsed_end, text_.size()});
    }
    return std::move(records_);
  }

 private:
  Record& Add(std::string kind, std::string locator, uint64_t begin, uint64_t end) {
    Record& record = records_.emplace_back();
    record.kind = std::move(kind);
    record.locator = std::move(locator);
    if (has_spans_) record.span = ByteSpan{begin + span_offset_, end + span_offset_};
    return record;
  }

  void AddBytes(std::string kind, std::string locator, ByteSpan span) {
    Record& record = Add(std::move(kind), std::move(locator), span.begin, span.end);
    record.text = ReplaceInvalidUtf8(text_.substr(span.begin, span.end - span.begin));
  }

  static void Describe(const DataNode& node, Record& record) {
    record.text = node.text;
    record.attrs = node.attrs;
    record.attrs.Set("type", DataTypeName(node.type));
    if (!node.style.empty()) record.attrs.Set("style", node.style);
  }

  void AddRoot(uint32_t index, size_t document) {
    const DataNode& node = tree_.nodes[index];
    if (document > 1) locators_[index] = "doc:" + std::to_string(document);
    if (document == 1 && node.is_container()) return;
    Describe(node,
             Add(document == 1 ? "value" : "document", locators_[index], node.begin, node.end));
  }

  void AddChild(uint32_t index) {
    const DataNode& node = tree_.nodes[index];
    const std::string& parent = locators_[node.parent];
    std::string key = node.has_key ? PointerToken(node.key, node.ordinal) : "";
    const std::string token = node.has_key ? key : std::to_string(next_item_[node.parent]++);
    locators_[index] = parent + "/" + token;
    if (!node.has_key && !array_keys_[node.parent].empty()) {
      const std::string& name = array_keys_[node.parent];
      key = name + "=" + IdentityMember(tree_, index, name)->text;
    }
    Record& record = Add(node.has_key ? "member" : "item", locators_[index],
                         node.has_key ? node.key_begin : node.begin, node.end);
    record.parent = parent;
    record.key = std::move(key);
    Describe(node, record);
  }

  std::string_view text_;
  const DataTree& tree_;
  uint64_t span_offset_;
  bool has_spans_;
  std::vector<std::string> locators_, array_keys_;
  std::vector<uint32_t> next_item_;
  std::vector<Record> records_;
};

DataType TypeOf(const Value& value) {
  if (value.is_object()) return DataType::kObject;
  if (value.is_array()) return DataType::kArray;
  if (value.is_string()) return DataType::kString;
  if (value.is_number()) return DataType::kNumber;
  return value.is_bool() ? DataType::kBoolean : DataType::kNull;
}

Status NoMatch(std::string_view locator, std::string_view why) {
  return Status(ErrorCode::kNoMatch, "there is nothing at '" + std::string(locator) + "': " +
                                         std::string(why) + "; parse the file for its locators");
}

Result<std::optional<uint32_t>> FindChild(const DataTree& tree, uint32_t container,
                                          std::string_view token, std::string_view locator) {
  const std::vector<uint32_t> children = tree.Children(container);
  std::optional<uint32_t> found;
  if (tree.nodes[container].type == DataType::kArray) {
    const std::optional<size_t> index = ReadIndex(token);
    if (index && *index < children.size()) return std::optional(children[*index]);
    const std::string name =
        token.find('=') == std::string_view::npos ? "" : InferArrayKey(tree, container);
    if (name.empty() || !token.starts_with(name + "=")) return found;
    const std::string wanted = UnescapePointerToken(token.substr(name.size() + 1));
    for (const uint32_t item : children) {
      if (IdentityMember(tree, item, name)->text == wanted) return std::optional(item);
    }
    return found;
  }
  bool is_duplicated = false;
  for (const uint32_t child : children) {
    const DataNode& node = tree.nodes[child];
    if (PointerToken(node.key, node.ordinal) == token) found = child;
    if (node.ordinal > 1 && EscapePointerToken(node.key) == token) is_duplicated = true;
  }
  if (found && is_duplicated) {
    return Status(ErrorCode::kAmbiguous, "the key at '" + std::string(locator) +
                                             "' occurs more than once; delete or rename the later "
                                             "one at '" +
                                             std::string(locator) + "~2' first");
  }
  return found;
}

}  // namespace

std::string_view DataTypeName(DataType type) {
  switch (type) {
    case DataType::kObject:
      return "object";
    case DataType::kArray:
      return "array";
    case DataType::kString:
      return "string";
    case DataType::kNumber:
      return "number";
    case DataType::kBoolean:
      return "boolean";
    case DataType::kNull:
      return "null";
    case DataType::kDate:
      return "date";
    case DataType::kAlias:
      return "alias";
  }
  return "unknown";
}

bool DataTree::is_complete() const {
  return std::none_of(issues.begin(), issues.end(),
                      [](const DataIssue& issue) { return issue.is_fatal; });
}

std::vector<uint32_t> DataTree::Children(uint32_t container) const {
  std::vector<uint32_t> children;
  children.reserve(nodes[container].child_count);
  for (uint32_t child = container + 1; child < nodes[container].subtree_end;
       child = nodes[child].subtree_end) {
    children.push_back(child);
  }
  return children;
}

void DataTree::Finish() {
  for (uint32_t i = 0; i < nodes.size(); ++i) nodes[i].subtree_end = i + 1;
  for (size_t i = nodes.size(); i > 0; --i) {
    const DataNode& node = nodes[i - 1];
    if (node.parent == DataNode::kNoParent) continue;
    DataNode& parent = nodes[node.parent];
    parent.subtree_end = std::max(parent.subtree_end, node.subtree_end);
    ++parent.child_count;
  }
  std::unordered_map<std::string, uint32_t> seen;
  for (DataNode& node : nodes) {
    if (!node.has_key) continue;
    node.ordinal = ++seen[std::to_string(node.parent) + "/" + node.key];
    if (node.ordinal < 2) continue;
    issues.push_back({"duplicate_key", node.key_begin,
                      "the key \"" + node.key + "\" occurs again; it is kept as '" +
                          PointerToken(node.key, node.ordinal) + "'",
                      false});
  }
}

std::vector<Record> DataRecords(std::string_view text, const DataTree& tree, uint64_t span_offset,
                                bool has_spans) {
  return RecordBuilder(text, tree, span_offset, has_spans).Build();
}

void AddDataDiagnostics(std::string_view text, const DataTree& tree,
                        std::vector<Diagnostic>& diagnostics) {
  if (tree.issues.empty()) return;
  const LineIndex lines(text);
  for (const DataIssue& issue : tree.issues) {
    diagnostics.push_back(
        {issue.is_fatal ? "error" : "warning", issue.code,
         lines.count() == 0 ? std::string() : LineLocator(lines.LineOf(issue.offset)),
         issue.message});
  }
}

std::vector<KindRule> DataKindRules() {
  const FacetRule value{"value", ChangeClass::kContent, {"text", "type", "tag"}};
  const FacetRule style{"style", ChangeClass::kSerialization, {"style"}};
  const FacetRule anchor{"anchor", ChangeClass::kStructure, {"anchor"}};
  const FacetRule text{"text", ChangeClass::kContent, {"text"}};
  const std::vector<FacetRule> facets = {value, style, anchor};
  const std::vector<MergeArgument> arguments = {{"json", "", "type", "object", "{}"},
                                                {"json", "", "type", "array", "[]"},
                                                {"value", "text", "type", "string"},
                                                {"raw", "text"}};
  return {
      {"value", Matching::kKeyed, facets, "set", "", "", "", arguments},
      {"document", Matching::kOrdered, facets},
      {"member", Matching::kKeyed, facets, "set", "set", "delete", "", arguments},
      {"item", Matching::kOrdered, facets, "set", "", "delete", "append", arguments},
      {"comment", Matching::kOrdered, {text}},
      {"unparsed", Matching::kOrdered, {text}},
  };
}

Result<DataTarget> ResolveData(const DataTree& tree, std::string_view locator) {
  std::string_view pointer = locator;
  size_t document = 1;
  constexpr std::string_view kDocument = "doc:";
  if (pointer.starts_with(kDocument)) {
    const size_t slash = std::min(pointer.find('/'), pointer.size());
    document = ReadIndex(pointer.substr(kDocument.size(), slash - kDocument.size())).value_or(0);
    pointer.remove_prefix(slash);
  }
  if (!pointer.empty() && pointer.front() != '/') {
    return Status(
        ErrorCode::kInvalidArgument,
        "'" + std::string(locator) +
            "' is no locator here; write a JSON Pointer such as /items/0/name, or line:3");
  }
  if (document == 0 || document > tree.roots.size()) {
    return NoMatch(locator, "the file has no such document");
  }
  DataTarget target;
  target.node = tree.roots[document - 1];
  for (size_t at = 0; at < pointer.size();) {
    const size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string_view token = pointer.substr(at + 1, end - at - 1);
    if (!target.node) return NoMatch(locator, "its parent does not exist");
    target.parent = *target.node;
    if (!tree.nodes[target.parent].is_container()) {
      return NoMatch(locator, "its parent is no object or array");
    }
    STAGED_ASSIGN_OR_RETURN(target.node, FindChild(tree, target.parent, token, locator));
    target.token = UnescapePointerToken(token);
    at = end;
  }
  return target;
}

Result<uint32_t> ResolveDataNode(const DataTree& tree, std::string_view locator) {
  STAGED_ASSIGN_OR_RETURN(const DataTarget target, ResolveData(tree, locator));
  if (!target.node) return NoMatch(locator, "its parent has no such key or index");
  return *target.node;
}

Status CheckExpectedData(const Edit& edit, const DataTree& tree, uint32_t node) {
  if (!edit.expect) return OkStatus();
  const DataNode& at = tree.nodes[node];
  const Value& expected = *edit.expect;
  const bool is_same = expected.is_string() ? expected.as_string() == at.text && !at.is_container()
                       : expected.is_null()
                           ? at.type == DataType::kNull
                           : DataScalarText(expected) == at.text && at.type != DataType::kString;
  if (is_same) return OkStatus();
  Value details;
  details.Set("expected", expected);
  details.Set("actual", at.text);
  return Status(ErrorCode::kNoMatch,
                "'" + edit.locator + "' is not what the edit expects; read it again and repeat",
                std::move(details));
}

Result<DataValue> DataArgument(const Edit& edit, const Limits& limits) {
  if (const Value* raw = edit.arguments.Find("raw"); raw != nullptr && raw->is_string()) {
    return DataValue{*raw, true, DataType::kString};
  }
  if (const Value* json = edit.arguments.Find("json"); json != nullptr && json->is_string()) {
    const JsonTree tree = ParseJson(json->as_string(), JsonSyntax::kDocument, limits);
    if (!tree.issues.empty() || tree.nodes.empty()) {
      return Status(ErrorCode::kInvalidArgument,
                    "\"json\" of the edit at '" + edit.locator + "' is not valid JSON");
    }
    // The digits of a number as they are.
    if (tree.nodes[0].type == JsonType::kNumber) {
      return DataValue{*json, true, DataType::kNumber};
    }
    return DataValue{JsonToValue(json->as_string(), tree, 0), false, DataType::kString};
  }
  const Value* value = edit.arguments.Find("value");
  if (value != nullptr) return DataValue{*value, false, DataType::kString};
  return Status(ErrorCode::kInvalidArgument, "the edit '" + edit.op + "' at '" + edit.locator +
                                                 "' needs a \"value\" (or its \"json\" text)");
}

std::string DataScalarText(const Value& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_integer()) return std::to_string(value.as_integer());
  if (value.is_null()) return "null";
  if (!value.is_double()) return "";
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value.as_double());
  std::string text(buffer, result.ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";  // not an integer
  return text;
}

void DataLedger::AppendNode(const DataNode& node, const std::string& key, Shape& shape) {
  std::string line(DataTypeName(node.type));
  line += '\x1f' + (node.has_key ? "k" + key : std::string("i")) + '\x1f';
  for (const char* name : {"anchor", "tag"}) {
    line += std::string(node.attrs.FindString(name)) + '\x1f';
  }
  // A null has several ways to be written.
  if (node.type != DataType::kNull) line += node.text;
  shape.push_back(std::move(line));
}

void DataLedger::AppendShape(const Value& value, const std::optional<std::string>& key,
                             Shape& shape) {
  DataNode node;
  node.has_key = key.has_value();
  node.type = TypeOf(value);
  node.text = DataScalarText(value);
  AppendNode(node, key.value_or(""), shape);
  if (value.is_object()) {
    for (const auto& [name, member] : value.as_object()) AppendShape(member, name, shape);
  }
  if (value.is_array()) {
    for (const Value& item : value.as_array()) AppendShape(item, std::nullopt, shape);
  }
  if (node.is_container()) shape.emplace_back(")");
}

void DataLedger::AppendShape(const DataValue& value, const std::optional<std::string>& key,
                             Shape& shape) {
  if (!value.is_raw) return AppendShape(value.value, key, shape);
  DataNode node;
  node.has_key = key.has_value();
  node.type = value.raw_type;
  node.text = value.value.as_string();
  AppendNode(node, key.value_or(""), shape);
}

const std::string& DataLedger::KeyOf(uint32_t node) const {
  const auto found = renamed_.find(node);
  return found == renamed_.end() ? tree_.nodes[node].key : found->second;
}

void DataLedger::Replace(uint32_t node, const DataValue& value) {
  Shape shape;
  const bool has_key = tree_.nodes[node].has_key;
  AppendShape(value, has_key ? std::optional(KeyOf(node)) : std::nullopt, shape);
  // Anchor and tag stay where they are.
  DataNode first = tree_.nodes[node];
  first.type = value.is_raw ? value.raw_type : TypeOf(value.value);
  first.text = DataScalarText(value.value);
  Shape line;
  AppendNode(first, KeyOf(node), line);
  shape.front() = std::move(line.front());
  replaced_[node] = std::move(shape);
}

void DataLedger::InsertBefore(uint32_t node, const std::optional<std::string>& key,
                              const DataValue& value) {
  AppendShape(value, key, inserted_[node]);
}

void DataLedger::Append(uint32_t container, const std::optional<std::string>& key,
                        const DataValue& value) {
  AppendShape(value, key, appended_[container]);
}

DataLedger::Shape DataLedger::Expected() const {
  Shape shape;
  std::vector<uint32_t> open;
  const auto add = [&](const std::map<uint32_t, Shape>& shapes, uint32_t node) {
    const auto found = shapes.find(node);
    if (found == shapes.end()) return false;
    shape.insert(shape.end(), found->second.begin(), found->second.end());
    return true;
  };
  const auto close = [&](uint32_t until) {
    while (!open.empty() && tree_.nodes[open.back()].subtree_end <= until) {
      add(appended_, open.back());
      shape.emplace_back(")");
      open.pop_back();
    }
  };
  for (uint32_t i = 0; i < tree_.nodes.size();) {
    close(i);
    add(inserted_, i);
    if (add(replaced_, i)) {
      i = tree_.nodes[i].subtree_end;
      continue;
    }
    AppendNode(tree_.nodes[i], KeyOf(i), shape);
    if (tree_.nodes[i].is_container()) open.push_back(i);
    ++i;
  }
  close(static_cast<uint32_t>(tree_.nodes.size()));
  return shape;
}

bool DataLedger::Matches(const DataTree& after) const {
  return Expected() == DataLedger(after).Expected();
}

}  // namespace staged
