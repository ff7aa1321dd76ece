#include "formats/json/json_editor.h"

#include <algorithm>
#include <charconv>

#include "formats/json/json_records.h"

namespace staged {
namespace {

Status NoMatch(std::string_view pointer, std::string_view why) {
  return Status(ErrorCode::kNoMatch, "there is nothing at '" + std::string(pointer) + "': " +
                                         std::string(why) + "; parse the file for its pointers");
}

std::optional<size_t> ReadIndex(std::string_view token) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return index;
}

bool SameValue(const Value& expected, const Value& actual, std::string_view source) {
  if (expected.is_number() && actual.is_number()) {
    return expected.is_integer() && actual.is_integer()
               ? expected.as_integer() == actual.as_integer()
               : expected.as_double() == actual.as_double();
  }
  // A number may be guarded by its text, so that big ones are compared exactly.
  if (expected.is_string() && !actual.is_string()) return expected.as_string() == source;
  return expected == actual;
}

}  // namespace

JsonEditor::JsonEditor(std::string_view bytes, JsonSyntax syntax, const Limits& limits)
    : limits_(limits),
      syntax_(syntax),
      editor_(bytes),
      text_(editor_.text()),
      tree_(ParseJson(text_, syntax, limits)),
      repeated_(RepeatedKeys(text_, tree_)),
      splicer_(text_, tree_, editor_.lines(), syntax) {}

Status JsonEditor::Plan(const Edit& edit) {
  const bool is_pointer = edit.locator.empty() || edit.locator.front() == '/';
  if (TextEditor::Handles(edit) && !(edit.op == "append" && edit.locator.empty())) {
    return editor_.Plan(edit);
  }
  if (!is_pointer) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + edit.locator +
                      "' is no locator in JSON; write a JSON Pointer such as "
                      "/items/0/name, or line:3");
  }
  if (!tree_.is_complete() || tree_.nodes.empty()) {
    const auto fatal = std::find_if(tree_.issues.begin(), tree_.issues.end(),
                                    [](const JsonIssue& issue) { return issue.is_fatal; });
    std::string where;
    if (fatal != tree_.issues.end() && editor_.lines().count() > 0) {
      where =
          " at " + LineLocator(editor_.lines().LineOf(fatal->offset)) + " (" + fatal->message + ")";
    }
    return Status(ErrorCode::kParseFailed, "the file is not JSON" + where +
                                               "; mend it by its lines or write the whole file");
  }
  has_pointer_edits_ = true;
  if (edit.op == "set") return PlanSet(edit);
  if (edit.op == "append") return PlanAppend(edit);
  if (edit.op == "insert_before" || edit.op == "insert_after") return PlanInsert(edit);
  if (edit.op == "delete") return PlanDelete(edit);
  if (edit.op == "rename") return PlanRename(edit);
  return Status(ErrorCode::kUnsupportedEdit,
                "JSON cannot be edited with '" + edit.op +
                    "'; use set, append, insert_before, insert_after, delete, rename, or edit "
                    "lines");
}

Result<std::optional<uint32_t>> JsonEditor::Child(uint32_t container, std::string_view token,
                                                  std::string_view pointer) const {
  const std::vector<uint32_t> children = splicer_.Children(container);
  std::optional<uint32_t> found;
  if (tree_.nodes[container].type == JsonType::kArray) {
    const std::optional<size_t> index = ReadIndex(token);
    if (index && *index < children.size()) return std::optional<uint32_t>(children[*index]);
    const std::string array_key =
        token.find('=') == std::string_view::npos ? "" : InferArrayKey(text_, tree_, container);
    if (array_key.empty() || !token.starts_with(array_key + "=")) return found;
    const std::string wanted = UnescapePointerToken(token.substr(array_key.size() + 1));
    for (const uint32_t item : children) {
      STAGED_ASSIGN_OR_RETURN(const std::optional<uint32_t> member,
                              Child(item, array_key, pointer));
      if (member && JsonScalarText(text_, tree_.nodes[*member]) == wanted)
        return std::optional(item);
    }
    return found;
  }
  bool is_duplicated = false;
  for (const uint32_t child : children) {
    const JsonNode& node = tree_.nodes[child];
    const std::string key =
        DecodeJsonString(text_.substr(node.key_begin, node.key_end - node.key_begin));
    if (PointerToken(key, OrdinalOf(repeated_, child)) == token) found = child;
    if (OrdinalOf(repeated_, child) > 1 && EscapePointerToken(key) == token) is_duplicated = true;
  }
  if (found && is_duplicated) {
    return Status(ErrorCode::kAmbiguous, "the key at '" + std::string(pointer) +
                                             "' occurs more than once; delete or rename the later "
                                             "one at '" +
                                             std::string(pointer) + "~2' first");
  }
  return found;
}

Result<JsonEditor::Target> JsonEditor::Resolve(std::string_view pointer) const {
  Target target;
  target.node = 0;
  for (size_t at = 0; at < pointer.size();) {
    const size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string_view token = pointer.substr(at + 1, end - at - 1);
    if (!target.node) return NoMatch(pointer, "its parent does not exist");
    target.parent = *target.node;
    if (!tree_.nodes[target.parent].is_container()) {
      return NoMatch(pointer, "its parent is no object or array");
    }
    STAGED_ASSIGN_OR_RETURN(target.node, Child(target.parent, token, pointer));
    target.token = UnescapePointerToken(token);
    at = end;
  }
  return target;
}

Result<uint32_t> JsonEditor::ResolveNode(std::string_view pointer) const {
  STAGED_ASSIGN_OR_RETURN(const Target target, Resolve(pointer));
  if (!target.node) return NoMatch(pointer, "its parent has no such key or index");
  return *target.node;
}

Status JsonEditor::CheckExpected(const Edit& edit, uint32_t node) const {
  if (!edit.expect) return OkStatus();
  const JsonNode& at = tree_.nodes[node];
  const std::string_view source = text_.substr(at.begin, at.end - at.begin);
  if (SameValue(*edit.expect, JsonToValue(text_, tree_, node), source)) return OkStatus();
  Value details;
  details.Set("expected", *edit.expect);
  constexpr size_t kShownBytesMax = 200;
  details.Set("actual", source.substr(0, kShownBytesMax));
  return Status(ErrorCode::kNoMatch,
                "'" + edit.locator + "' is not what the edit expects; read it again and repeat",
                std::move(details));
}

Status JsonEditor::PlanSet(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const Target target, Resolve(edit.locator));
  if (target.node) {
    STAGED_RETURN_IF_ERROR(CheckExpected(edit, *target.node));
    if (syntax_ == JsonSyntax::kLines && *target.node == 0) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "the whole of JSON lines cannot be set; set its lines, such as /0");
    }
    const JsonNode& node = tree_.nodes[*target.node];
    STAGED_ASSIGN_OR_RETURN(std::string value, Render(edit, splicer_.IsWrittenOnLines(*target.node),
                                                      splicer_.LineIndent(node.begin)));
    return editor_.Replace({node.begin, node.end}, std::move(value));
  }
  if (edit.expect && !edit.expect->is_null()) {
    return NoMatch(edit.locator, "the edit expects a value");
  }
  if (tree_.nodes[target.parent].type == JsonType::kObject) {
    return AddChild(target.parent, target.token, edit);
  }
  const std::optional<size_t> index = ReadIndex(target.token);
  if (target.token != "-" && index != tree_.nodes[target.parent].child_count) {
    return NoMatch(edit.locator, "an array is continued with /- only");
  }
  return AddChild(target.parent, std::nullopt, edit);
}

Status JsonEditor::PlanAppend(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveNode(edit.locator));
  if (tree_.nodes[node].type != JsonType::kArray) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + edit.locator + "' is no array; set a new key of an object instead");
  }
  return AddChild(node, std::nullopt, edit);
}

Status JsonEditor::AddChild(uint32_t container, const std::optional<std::string>& key,
                            const Edit& edit) {
  if (syntax_ == JsonSyntax::kLines && container == 0) {
    STAGED_ASSIGN_OR_RETURN(const std::string value, Render(edit, false, ""));
    Edit line;
    line.op = "append";
    line.arguments.Set("text", value);
    return editor_.Plan(line);
  }
  const JsonSplicer::Layout layout = splicer_.LayoutOf(container);
  STAGED_ASSIGN_OR_RETURN(const std::string value, Render(edit, layout.on_lines, layout.indent));
  splicer_.Append(container, key, value);
  return OkStatus();
}

Status JsonEditor::PlanInsert(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveNode(edit.locator));
  const uint32_t container = tree_.nodes[node].parent;
  if (node == 0 || tree_.nodes[container].type != JsonType::kArray) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "only an array's items have a place; set a new key of an object instead");
  }
  STAGED_RETURN_IF_ERROR(CheckExpected(edit, node));
  const bool after = edit.op == "insert_after";
  const bool is_last = tree_.nodes[node].subtree_end == tree_.nodes[container].subtree_end;
  if (after && is_last) return AddChild(container, std::nullopt, edit);
  const uint32_t next = after ? tree_.nodes[node].subtree_end : node;
  if (syntax_ == JsonSyntax::kLines && container == 0) {
    STAGED_ASSIGN_OR_RETURN(const std::string value, Render(edit, false, ""));
    return editor_.InsertBefore(editor_.lines().LineOf(tree_.nodes[next].begin), value);
  }
  const JsonSplicer::Layout layout = splicer_.LayoutOf(container);
  STAGED_ASSIGN_OR_RETURN(std::string value, Render(edit, layout.on_lines, layout.indent));
  value += splicer_.Separator(layout);
  const uint64_t at = tree_.nodes[next].begin;
  return editor_.Replace({at, at}, std::move(value));
}

Status JsonEditor::PlanDelete(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveNode(edit.locator));
  if (node == 0) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the whole document cannot be deleted; set it, or "
                  "delete the file");
  }
  STAGED_RETURN_IF_ERROR(CheckExpected(edit, node));
  const uint32_t container = tree_.nodes[node].parent;
  if (syntax_ == JsonSyntax::kLines && container == 0) {
    const size_t line = editor_.lines().LineOf(tree_.nodes[node].begin);
    editor_.DeleteLines({line, line});
    return OkStatus();
  }
  splicer_.Delete(node);
  return OkStatus();
}

Status JsonEditor::PlanRename(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveNode(edit.locator));
  STAGED_ASSIGN_OR_RETURN(const std::string key, TextArgument(edit, "to"));
  const JsonNode& at = tree_.nodes[node];
  if (!at.has_key()) {
    return Status(ErrorCode::kInvalidArgument, "'" + edit.locator + "' has no key to rename");
  }
  STAGED_RETURN_IF_ERROR(CheckExpected(edit, node));
  for (const uint32_t sibling : splicer_.Children(at.parent)) {
    const JsonNode& other = tree_.nodes[sibling];
    if (sibling != node &&
        DecodeJsonString(text_.substr(other.key_begin, other.key_end - other.key_begin)) == key) {
      return Status(ErrorCode::kInvalidArgument,
                    "the object has the key '" + key + "' already; choose another name");
    }
  }
  std::string token;
  AppendJsonString(token, key, splicer_.style().ascii_only);
  return editor_.Replace({at.key_begin, at.key_end}, std::move(token));
}

Result<std::string> JsonEditor::Finish() {
  STAGED_RETURN_IF_ERROR(splicer_.Finish(
      [this](ByteSpan span, std::string text) { return editor_.Replace(span, std::move(text)); }));
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (!has_pointer_edits_) return bytes;
  const DecodedText decoded(bytes);
  const JsonTree after = ParseJson(decoded.text(), syntax_, limits_);
  if (!after.is_complete() || after.issues.size() > tree_.issues.size()) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the edits would leave no valid JSON; make them one after the other, or write "
                  "the whole file");
  }
  return bytes;
}

Result<std::string> JsonEditor::Render(const Edit& edit, bool on_lines,
                                       const std::string& indent) const {
  if (const Value* json = edit.arguments.Find("json"); json != nullptr && json->is_string()) {
    const JsonTree tree = ParseJson(json->as_string(), JsonSyntax::kDocument, limits_);
    if (!tree.issues.empty() || tree.nodes.empty()) {
      return Status(ErrorCode::kInvalidArgument,
                    "\"json\" of the edit at '" + edit.locator + "' is not valid JSON");
    }
    return json->as_string();
  }
  const Value* value = edit.arguments.Find("value");
  if (value == nullptr) {
    return Status(ErrorCode::kInvalidArgument, "the edit '" + edit.op + "' at '" + edit.locator +
                                                   "' needs a \"value\" (or its \"json\" text)");
  }
  return splicer_.Render(*value, on_lines, indent);
}

}  // namespace staged
