#include "formats/yaml/yaml_editor.h"

#include <algorithm>

#include "formats/yaml/yaml_parser.h"

namespace staged {
namespace {

// How many aliases stand for nothing.
size_t CountDangling(const DataTree& tree) {
  std::set<std::string> anchors;
  size_t dangling = 0;
  for (const DataNode& node : tree.nodes) {
    const std::string_view anchor = node.attrs.FindString("anchor");
    if (!anchor.empty()) anchors.insert(std::string(anchor));
    if (node.type == DataType::kAlias && anchors.count(node.text.substr(1)) == 0) ++dangling;
  }
  return dangling;
}

}  // namespace

YamlEditor::YamlEditor(std::string_view bytes, const Limits& limits)
    : DataEditor(bytes, limits, ParseYaml,
                 {"YAML", "a list", "an object", "an alias, a comment, or two edits at one place"}),
      unit_(DetectUnit()) {}

std::string YamlEditor::DetectUnit() const {
  for (const DataNode& node : tree_.nodes) {
    const bool is_nested = node.has_key && node.parent != DataNode::kNoParent &&
                           tree_.nodes[node.parent].has_key &&
                           tree_.nodes[node.parent].style == "block";
    if (!is_nested) continue;
    const uint64_t outer = tree_.nodes[node.parent].key_begin;
    const size_t inner_indent = node.key_begin - LineBegin(node.key_begin);
    const size_t outer_indent = outer - LineBegin(outer);
    if (inner_indent > outer_indent) return std::string(inner_indent - outer_indent, ' ');
  }
  return "  ";
}

Result<DataType> YamlEditor::RawType(const std::string& raw) const {
  return raw.starts_with('*') ? DataType::kAlias : PlainYamlType(raw);
}

bool YamlEditor::IsInFlow(uint32_t node) const {
  for (uint32_t at = tree_.nodes[node].parent; at != DataNode::kNoParent;
       at = tree_.nodes[at].parent) {
    if (IsFlow(at)) return true;
  }
  return false;
}

// Behind the anchor and the tag that a node begins with.
uint64_t YamlEditor::BehindProperties(uint64_t begin, uint64_t end) const {
  while (begin < end && (text_[begin] == '&' || text_[begin] == '!')) {
    begin = std::min<uint64_t>(text_.find_first_of(" \t\r\n,[]{}", begin + 1), end);
    const uint64_t next = std::min<uint64_t>(text_.find_first_not_of(" \t", begin), end);
    if (next == end || text_[next] == '\r' || text_[next] == '\n') return begin;
    begin = next;
  }
  return begin;
}

// 0 where the key is not followed by its colon.
uint64_t YamlEditor::BehindColon(uint32_t node) const {
  const uint64_t colon = text_.find_first_not_of(" \t", tree_.nodes[node].key_end);
  return colon < text_.size() && text_[colon] == ':' ? colon + 1 : 0;
}

std::optional<uint64_t> YamlEditor::BeginOf(uint32_t child) const {
  const DataNode& node = tree_.nodes[child];
  if (node.has_key) return node.key_begin;
  if (node.begin == 0) return std::nullopt;
  const size_t dash = text_.find_last_not_of(" \t\r\n", node.begin - 1);
  if (dash == std::string_view::npos || text_[dash] != '-') return std::nullopt;
  return dash;
}

// As many spaces as there are characters before the place in its line.
std::string YamlEditor::IndentAt(uint64_t offset) const {
  size_t column = 0;
  for (uint64_t i = LineBegin(offset); i < offset; ++i) {
    if ((static_cast<uint8_t>(text_[i]) & 0xC0) != 0x80) ++column;
  }
  return std::string(column, ' ');
}

bool YamlEditor::BeginsLine(uint64_t offset) const {
  const uint64_t begin = LineBegin(offset);
  return text_.substr(begin, offset - begin).find_first_not_of(' ') == std::string_view::npos;
}

bool YamlEditor::HasComment(ByteSpan span) const {
  return std::any_of(tree_.comments.begin(), tree_.comments.end(), [&](const ByteSpan& comment) {
    return comment.begin < span.end && comment.end > span.begin;
  });
}

YamlPlace YamlEditor::PlaceAt(uint64_t offset, bool in_flow) const {
  return {in_flow, IndentAt(offset), unit_, newline_};
}

Status YamlEditor::SetNode(const Edit&, uint32_t node, const DataValue& value) {
  return SetNode(node, value);
}

Status YamlEditor::SetNode(uint32_t node, const DataValue& value) {
  const DataNode& at = tree_.nodes[node];
  ledger_.Replace(node, value);
  const bool is_container = !value.is_raw && (value.value.is_object() || value.value.is_array());
  if (at.style == "block") {
    return SetBlock(node, value.is_raw || is_container
                              ? WriteYamlFlow(value)
                              : WriteYamlScalar(value.value, "plain", PlaceAt(at.begin, true)));
  }
  const std::optional<uint64_t> begin = IsInFlow(node) ? std::nullopt : BeginOf(node);
  const YamlPlace place = PlaceAt(begin.value_or(at.begin), !begin.has_value());
  const std::string style = at.style.empty() || at.style == "flow" ? "plain" : at.style;
  std::string text = value.is_raw || is_container ? WriteYamlFlow(value)
                                                  : WriteYamlScalar(value.value, style, place);
  const uint64_t content = BehindProperties(at.begin, at.end);
  if (content == at.end) text.insert(0, " ");
  return editor_.Replace({content, at.end}, std::move(text));
}

// The lines of a block give way to a value on one line.
Status YamlEditor::SetBlock(uint32_t node, const std::string& flow) {
  const DataNode& at = tree_.nodes[node];
  const uint64_t behind = BehindProperties(at.begin, at.end);
  const bool has_properties = behind != at.begin;
  uint64_t begin = behind;
  std::string text = flow;
  if (at.has_key) {
    const uint64_t colon = BehindColon(node);
    if (colon == 0) return Refused("the key of this value is written in an unusual way");
    begin = has_properties ? behind : colon;
    text.insert(0, " ");
  } else if (has_properties) {
    text.insert(0, " ");
  }
  if (HasComment({begin, at.end})) return Refused("there are comments inside this value");
  return editor_.Replace({begin, at.end}, std::move(text));
}

Status YamlEditor::AddToFlow(uint32_t container, const std::string& child) {
  const DataNode& node = tree_.nodes[container];
  if (node.child_count == 0) {
    const uint64_t begin = BehindProperties(node.begin, node.end) + 1;
    return editor_.Replace({begin, begin}, child);
  }
  const uint64_t end = tree_.nodes[tree_.Children(container).back()].end;
  return editor_.Replace({end, end}, ", " + child);
}

Status YamlEditor::AddChild(const Edit&, uint32_t container, const std::optional<std::string>& key,
                            const DataValue& value) {
  ledger_.Append(container, key, value);
  if (IsFlow(container)) {
    const std::string flow = WriteYamlFlow(value);
    return AddToFlow(container, key ? WriteYamlKey(*key, "plain") + ": " + flow : flow);
  }
  const std::vector<uint32_t> children = tree_.Children(container);
  const std::optional<uint64_t> begin = children.empty() ? std::nullopt : BeginOf(children.back());
  if (!begin) return Refused("there is no place for a new value that is sure");
  const YamlPlace place = PlaceAt(*begin, false);
  std::string line = newline_ + place.indent;
  line += key ? WriteYamlKey(*key, "plain") + ":" + WriteYamlMember(value, place)
              : "-" + WriteYamlItem(value, place);
  const uint64_t end = LineEnd(tree_.nodes[children.back()].end);
  return editor_.Replace({end, end}, std::move(line));
}

Status YamlEditor::InsertItem(const Edit&, uint32_t next, const DataValue& value) {
  if (IsFlow(tree_.nodes[next].parent)) {
    const uint64_t begin = tree_.nodes[next].begin;
    return editor_.Replace({begin, begin}, WriteYamlFlow(value) + ", ");
  }
  const std::optional<uint64_t> begin = BeginOf(next);
  if (!begin) return Refused("there is no place for a new item that is sure");
  const YamlPlace place = PlaceAt(*begin, false);
  return editor_.Replace({*begin, *begin},
                         "-" + WriteYamlItem(value, place) + newline_ + place.indent);
}

Status YamlEditor::DeleteChildren(uint32_t container, const std::set<uint32_t>& deleted) {
  const DataNode& node = tree_.nodes[container];
  const std::vector<uint32_t> children = tree_.Children(container);
  if (deleted.size() == children.size()) {
    const bool is_object = node.type == DataType::kObject;
    const DataValue empty{is_object ? Value(Value::Object()) : Value(Value::Array()), false,
                          DataType::kString};
    return SetNode(container, empty);
  }
  for (const uint32_t child : deleted) ledger_.Delete(child);
  if (!IsFlow(container)) {
    for (const uint32_t child : deleted) {
      STAGED_RETURN_IF_ERROR(DeleteFromBlock(container, child));
    }
    return OkStatus();
  }
  return DeleteFromSequence(children, deleted);
}

// Takes the lines of a child that has lines of its own; of the first one of "- a: 1" only the
// bytes up to the next.
Status YamlEditor::DeleteFromBlock(uint32_t container, uint32_t child) {
  const std::optional<uint64_t> begin = BeginOf(child);
  if (!begin) return Refused("this value is written in an unusual way");
  const uint32_t next = tree_.nodes[child].subtree_end;
  if (BeginsLine(*begin)) {
    const uint64_t end = tree_.nodes[child].end;
    const size_t last = editor_.lines().LineOf(end > *begin ? end - 1 : end);
    for (size_t line = editor_.lines().LineOf(*begin); line <= last; ++line) {
      deleted_lines_.insert(line);
    }
    return OkStatus();
  }
  if (next >= tree_.nodes[container].subtree_end || deleted_[container].count(next) > 0) {
    return Refused("the rest of this line belongs to another value");
  }
  const std::optional<uint64_t> end = BeginOf(next);
  if (!end || HasComment({*begin, *end})) return Refused("there are comments behind this value");
  return editor_.Replace({*begin, *end}, "");
}

Status YamlEditor::RenameKey(uint32_t node, const std::string& key) {
  const DataNode& at = tree_.nodes[node];
  const uint64_t begin = BehindProperties(at.key_begin, at.key_end);
  const char quote = begin < at.key_end ? text_[begin] : ' ';
  const std::string_view style = quote == '\'' ? "single" : quote == '"' ? "double" : "plain";
  return editor_.Replace({begin, at.key_end}, WriteYamlKey(key, style));
}

bool YamlEditor::KeepsTheRest(const DataTree& after) const {
  return (!deleted_.empty() || after.comments.size() == tree_.comments.size()) &&
         CountDangling(after) <= CountDangling(tree_);
}

}  // namespace staged
