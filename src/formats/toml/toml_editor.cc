#include "formats/toml/toml_editor.h"

#include <algorithm>

#include "formats/toml/toml_parser.h"
#include "formats/toml/toml_scalars.h"

namespace staged {
namespace {

Status Refused(std::string_view what) {
  return Status(ErrorCode::kUnsupportedEdit,
                std::string(what) + "; edit its lines instead, such as line:3");
}

}  // namespace

TomlEditor::TomlEditor(std::string_view bytes, const Limits& limits)
    : limits_(limits),
      editor_(bytes),
      text_(editor_.text()),
      tree_(ParseToml(text_, limits)),
      ledger_(tree_),
      newline_(NewlineBytes(editor_.lines().dominant())) {}

Status TomlEditor::Plan(const Edit& edit) {
  if (TextEditor::Handles(edit)) {
    has_line_edits_ = true;
    return editor_.Plan(edit);
  }
  if (!tree_.is_complete()) {
    return Status(ErrorCode::kParseFailed,
                  "the file is not TOML throughout; mend it by its lines or write the whole file");
  }
  has_pointer_edits_ = true;
  if (edit.op == "set") return PlanSet(edit);
  if (edit.op == "append") {
    STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
    STAGED_ASSIGN_OR_RETURN(const DataValue value, Argument(edit));
    return AddItem(edit, node, value);
  }
  if (edit.op == "insert_before" || edit.op == "insert_after") return PlanInsert(edit);
  if (edit.op == "delete") return PlanDelete(edit);
  if (edit.op == "rename") return PlanRename(edit);
  return Status(ErrorCode::kUnsupportedEdit,
                "TOML cannot be edited with '" + edit.op +
                    "'; use set, append, insert_before, insert_after, delete, rename, or edit "
                    "lines");
}

Result<DataValue> TomlEditor::Argument(const Edit& edit) const {
  STAGED_ASSIGN_OR_RETURN(DataValue value, DataArgument(edit, limits_));
  if (!value.is_raw) return value;
  value.raw_type = BareTomlType(value.value.as_string());
  if (value.raw_type == DataType::kString) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + value.value.as_string() + "' is no number, date or boolean of TOML");
  }
  return value;
}

Result<std::string> TomlEditor::Write(const Edit& edit, const DataValue& value,
                                      std::string_view style) const {
  if (value.is_raw) return value.value.as_string();
  if (value.value.is_string()) return WriteTomlString(value.value.as_string(), style, newline_);
  std::optional<std::string> text = WriteTomlValue(value.value);
  if (text) return *std::move(text);
  return Status(ErrorCode::kInvalidArgument,
                "TOML has no null, which the edit at '" + edit.locator + "' wants; delete the key");
}

uint64_t TomlEditor::EndOf(uint32_t node) const {
  uint64_t end = tree_.nodes[node].end;
  for (uint32_t i = node + 1; i < tree_.nodes[node].subtree_end; ++i) {
    end = std::max(end, tree_.nodes[i].end);
  }
  return end;
}

uint64_t TomlEditor::LineEnd(uint64_t offset) const {
  const size_t line = editor_.lines().LineOf(offset);
  return editor_.lines().Span(line).end -
         NewlineBytes(editor_.lines().NewlineOf(text_, line)).size();
}

std::string TomlEditor::LineIndent(uint64_t offset) const {
  const uint64_t line = editor_.lines().Span(editor_.lines().LineOf(offset)).begin;
  const size_t end = std::min(text_.find_first_not_of(" \t", line), text_.size());
  return std::string(text_.substr(line, end - line));
}

bool TomlEditor::BeginsLine(uint64_t offset) const {
  const uint64_t line = editor_.lines().Span(editor_.lines().LineOf(offset)).begin;
  return text_.substr(line, offset - line).find_first_not_of(" \t") == std::string_view::npos;
}

Status TomlEditor::PlanSet(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const DataTarget target, ResolveData(tree_, edit.locator));
  STAGED_ASSIGN_OR_RETURN(const DataValue value, Argument(edit));
  if (target.node) {
    STAGED_RETURN_IF_ERROR(CheckExpectedData(edit, tree_, *target.node));
    return SetNode(edit, *target.node, value);
  }
  if (edit.expect && !edit.expect->is_null()) {
    return Status(ErrorCode::kNoMatch,
                  "there is nothing at '" + edit.locator + "', but the edit expects a value");
  }
  const DataNode& parent = tree_.nodes[target.parent];
  if (parent.type == DataType::kObject) {
    return AddMember(edit, target.parent, target.token, value);
  }
  if (target.token != "-" && target.token != std::to_string(parent.child_count)) {
    return Status(ErrorCode::kNoMatch,
                  "there is nothing at '" + edit.locator + "'; an array is continued with /- only");
  }
  return AddItem(edit, target.parent, value);
}

Status TomlEditor::SetNode(const Edit& edit, uint32_t node, const DataValue& value) {
  const DataNode& at = tree_.nodes[node];
  if (at.is_container() && at.style != "inline") {
    return Refused("a table of its own cannot be set as a whole; set or delete its keys");
  }
  ledger_.Replace(node, value);
  const std::string_view style =
      at.type == DataType::kString ? std::string_view(at.style) : "basic";
  STAGED_ASSIGN_OR_RETURN(std::string text, Write(edit, value, style));
  return editor_.Replace({at.begin, at.end}, std::move(text));
}

// Behind the last child; in a list on lines on a line of its own.
Status TomlEditor::AddInline(uint32_t container, const std::string& child) {
  const DataNode& node = tree_.nodes[container];
  const std::vector<uint32_t> children = tree_.Children(container);
  const bool is_array = node.type == DataType::kArray;
  if (children.empty()) {
    const std::string space = is_array ? "" : " ";
    return editor_.Replace({node.begin + 1, node.end - 1}, space + child + space);
  }
  const DataNode& last = tree_.nodes[children.back()];
  const uint64_t begin = last.has_key ? last.key_begin : last.begin;
  const bool on_lines = is_array && BeginsLine(begin);
  const std::string separator = on_lines ? "," + newline_ + LineIndent(begin) : ", ";
  const uint64_t end = EndOf(children.back());
  return editor_.Replace({end, end}, separator + child);
}

Status TomlEditor::AddMember(const Edit& edit, uint32_t table, const std::string& key,
                             const DataValue& value) {
  const DataNode& at = tree_.nodes[table];
  STAGED_ASSIGN_OR_RETURN(const std::string text, Write(edit, value, "basic"));
  const std::string line = WriteTomlKey(key) + " = " + text;
  if (at.style == "inline") {
    ledger_.Append(table, key, value);
    return AddInline(table, line);
  }
  if (at.style != "table") {
    return Refused("this table has no place of its own for a new key");
  }
  // Children behind the place of the new key follow it.
  const uint64_t place = at.end;
  uint32_t next = at.subtree_end;
  for (const uint32_t child : tree_.Children(table)) {
    if (tree_.nodes[child].key_begin < place) continue;
    next = child;
    break;
  }
  if (next == at.subtree_end) {
    ledger_.Append(table, key, value);
  } else {
    ledger_.InsertBefore(next, key, value);
  }
  if (place == 0) return editor_.Replace({0, 0}, line + newline_);
  const uint64_t end = LineEnd(place);
  return editor_.Replace({end, end}, newline_ + LineIndent(place) + line);
}

Result<std::string> TomlEditor::WriteElement(const Edit& edit, uint32_t neighbour,
                                             const DataValue& value) const {
  if (value.is_raw || !value.value.is_object()) {
    return Status(
        ErrorCode::kInvalidArgument,
        "a list of tables takes an object, not what the edit at '" + edit.locator + "' brings");
  }
  const uint64_t begin = tree_.nodes[neighbour].begin;
  const std::string indent = LineIndent(begin);
  std::string out(text_.substr(begin, text_.find("]]", begin) + 2 - begin));
  for (const auto& [key, member] : value.value.as_object()) {
    STAGED_ASSIGN_OR_RETURN(const std::string text,
                            Write(edit, {member, false, DataType::kString}, "basic"));
    out += newline_ + indent + WriteTomlKey(key) + " = " + text;
  }
  return out;
}

Status TomlEditor::AddItem(const Edit& edit, uint32_t array, const DataValue& value) {
  const DataNode& at = tree_.nodes[array];
  if (at.type != DataType::kArray) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + edit.locator + "' is no array; set a new key of a table instead");
  }
  ledger_.Append(array, std::nullopt, value);
  if (at.style == "inline") {
    STAGED_ASSIGN_OR_RETURN(const std::string text, Write(edit, value, "basic"));
    return AddInline(array, text);
  }
  const uint32_t last = tree_.Children(array).back();
  STAGED_ASSIGN_OR_RETURN(const std::string element, WriteElement(edit, last, value));
  const uint64_t end = LineEnd(EndOf(last));
  return editor_.Replace({end, end},
                         newline_ + newline_ + LineIndent(tree_.nodes[last].begin) + element);
}

Status TomlEditor::PlanInsert(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
  STAGED_ASSIGN_OR_RETURN(const DataValue value, Argument(edit));
  const DataNode& at = tree_.nodes[node];
  if (at.parent == DataNode::kNoParent || tree_.nodes[at.parent].type != DataType::kArray) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "only an array's items have a place; set a new key of a table instead");
  }
  STAGED_RETURN_IF_ERROR(CheckExpectedData(edit, tree_, node));
  const bool is_last = at.subtree_end == tree_.nodes[at.parent].subtree_end;
  if (edit.op == "insert_after" && is_last) return AddItem(edit, at.parent, value);
  const uint32_t next = edit.op == "insert_after" ? at.subtree_end : node;
  ledger_.InsertBefore(next, std::nullopt, value);
  const uint64_t begin = tree_.nodes[next].begin;
  if (tree_.nodes[at.parent].style == "inline") {
    STAGED_ASSIGN_OR_RETURN(std::string text, Write(edit, value, "basic"));
    text += BeginsLine(begin) ? "," + newline_ + LineIndent(begin) : ", ";
    return editor_.Replace({begin, begin}, std::move(text));
  }
  STAGED_ASSIGN_OR_RETURN(const std::string element, WriteElement(edit, next, value));
  return editor_.Replace({begin, begin}, element + newline_ + newline_ + LineIndent(begin));
}

Status TomlEditor::PlanDelete(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
  const uint32_t parent = tree_.nodes[node].parent;
  if (parent == DataNode::kNoParent) return Refused("the whole document cannot be deleted");
  STAGED_RETURN_IF_ERROR(CheckExpectedData(edit, tree_, node));
  deleted_[parent].insert(node);
  return OkStatus();
}

// The lines of every header and key below a node; comments between the lines of one table go too.
Status TomlEditor::DeleteLines(uint32_t node) {
  const DataNode& top = tree_.nodes[node];
  for (uint32_t i = node; i < top.subtree_end;) {
    const DataNode& at = tree_.nodes[i];
    const bool is_section = at.style == "table";
    const bool is_value = !at.is_container() || at.style == "inline";
    if (is_section || is_value) {
      uint64_t begin = is_section ? at.begin : at.key_begin;
      // Behind a dotted key's first part.
      while (!BeginsLine(begin)) {
        const size_t dot = text_.find_last_not_of(" \t", begin - 1);
        if (is_section || dot == std::string_view::npos || text_[dot] != '.') {
          return Refused("this value shares its line with others");
        }
        begin = editor_.lines().Span(editor_.lines().LineOf(begin)).begin;
      }
      const size_t last = editor_.lines().LineOf(at.end > begin ? at.end - 1 : at.end);
      for (size_t line = editor_.lines().LineOf(begin); line <= last; ++line) {
        deleted_lines_.insert(line);
      }
    }
    i = is_value ? at.subtree_end : i + 1;
  }
  return OkStatus();
}

Status TomlEditor::FinishDeletions(uint32_t container, const std::set<uint32_t>& deleted) {
  for (const uint32_t child : deleted) ledger_.Delete(child);
  const DataNode& node = tree_.nodes[container];
  if (node.style != "inline") {
    for (const uint32_t child : deleted) STAGED_RETURN_IF_ERROR(DeleteLines(child));
    return OkStatus();
  }
  const std::vector<uint32_t> children = tree_.Children(container);
  if (deleted.size() == children.size()) {
    return editor_.Replace({node.begin + 1, node.end - 1}, "");
  }
  const auto begin_of = [&](uint32_t child) {
    const DataNode& at = tree_.nodes[child];
    return at.has_key ? at.key_begin : at.begin;
  };
  for (size_t first = 0; first < children.size(); ++first) {
    if (deleted.count(children[first]) == 0) continue;
    size_t last = first;
    while (last + 1 < children.size() && deleted.count(children[last + 1]) > 0) ++last;
    const bool is_tail = last + 1 == children.size();
    const ByteSpan span = is_tail
                              ? ByteSpan{EndOf(children[first - 1]), EndOf(children[last])}
                              : ByteSpan{begin_of(children[first]), begin_of(children[last + 1])};
    STAGED_RETURN_IF_ERROR(editor_.Replace(span, ""));
    first = last;
  }
  return OkStatus();
}

Status TomlEditor::PlanRename(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
  STAGED_ASSIGN_OR_RETURN(const std::string key, TextArgument(edit, "to"));
  const DataNode& at = tree_.nodes[node];
  if (!at.has_key) {
    return Status(ErrorCode::kInvalidArgument, "'" + edit.locator + "' has no key to rename");
  }
  STAGED_RETURN_IF_ERROR(CheckExpectedData(edit, tree_, node));
  for (const uint32_t sibling : tree_.Children(at.parent)) {
    if (sibling != node && tree_.nodes[sibling].key == key) {
      return Status(ErrorCode::kInvalidArgument,
                    "the table has the key '" + key + "' already; choose another name");
    }
  }
  ledger_.Rename(node, key);
  return editor_.Replace({at.key_begin, at.key_end}, WriteTomlKey(key));
}

Result<std::string> TomlEditor::Finish() {
  for (const auto& [container, deleted] : deleted_) {
    STAGED_RETURN_IF_ERROR(FinishDeletions(container, deleted));
  }
  for (auto line = deleted_lines_.begin(); line != deleted_lines_.end();) {
    LineRange range{*line, *line};
    for (++line; line != deleted_lines_.end() && *line == range.last + 1; ++line) ++range.last;
    editor_.DeleteLines(range);
  }
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (!has_pointer_edits_) return bytes;
  const DecodedText decoded(bytes);
  const DataTree after = ParseToml(decoded.text(), limits_);
  if (after.is_complete() && (has_line_edits_ || ledger_.Matches(after))) return bytes;
  return Refused(
      "the edits cannot be made safely in this TOML (a table in several places, or two edits at "
      "one place, may be in the way)");
}

}  // namespace staged
