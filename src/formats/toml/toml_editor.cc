#include "formats/toml/toml_editor.h"

#include <algorithm>

#include "format/toml_parser.h"
#include "format/toml_scalars.h"

namespace staged {

TomlEditor::TomlEditor(std::string_view bytes, const Limits& limits)
    : DataEditor(bytes, limits, ParseToml,
                 {"TOML", "an array", "a table",
                  "a table in several places, or two edits at one place,"}) {}

Result<DataType> TomlEditor::RawType(const std::string& raw) const {
  const DataType type = BareTomlType(raw);
  if (type != DataType::kString) return type;
  return Status(ErrorCode::kInvalidArgument, "'" + raw + "' is no number, date or boolean of TOML");
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

std::string TomlEditor::LineIndent(uint64_t offset) const {
  const uint64_t line = LineBegin(offset);
  const size_t end = std::min(text_.find_first_not_of(" \t", line), text_.size());
  return std::string(text_.substr(line, end - line));
}

bool TomlEditor::BeginsLine(uint64_t offset) const {
  const uint64_t line = LineBegin(offset);
  return text_.substr(line, offset - line).find_first_not_of(" \t") == std::string_view::npos;
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

Status TomlEditor::AddChild(const Edit& edit, uint32_t container,
                            const std::optional<std::string>& key, const DataValue& value) {
  return key ? AddMember(edit, container, *key, value) : AddItem(edit, container, value);
}

Status TomlEditor::AddItem(const Edit& edit, uint32_t array, const DataValue& value) {
  const DataNode& at = tree_.nodes[array];
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

Status TomlEditor::InsertItem(const Edit& edit, uint32_t next, const DataValue& value) {
  const uint64_t begin = tree_.nodes[next].begin;
  if (tree_.nodes[tree_.nodes[next].parent].style == "inline") {
    STAGED_ASSIGN_OR_RETURN(std::string text, Write(edit, value, "basic"));
    text += BeginsLine(begin) ? "," + newline_ + LineIndent(begin) : ", ";
    return editor_.Replace({begin, begin}, std::move(text));
  }
  STAGED_ASSIGN_OR_RETURN(const std::string element, WriteElement(edit, next, value));
  return editor_.Replace({begin, begin}, element + newline_ + newline_ + LineIndent(begin));
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
        begin = LineBegin(begin);
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

Status TomlEditor::DeleteChildren(uint32_t container, const std::set<uint32_t>& deleted) {
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
  return DeleteFromSequence(children, deleted);
}

Status TomlEditor::RenameKey(uint32_t node, const std::string& key) {
  const DataNode& at = tree_.nodes[node];
  return editor_.Replace({at.key_begin, at.key_end}, WriteTomlKey(key));
}

}  // namespace staged
