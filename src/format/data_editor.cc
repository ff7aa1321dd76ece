#include "format/data_editor.h"

#include <algorithm>
#include <utility>

namespace staged {

DataEditor::DataEditor(std::string_view bytes, const Limits& limits, Parse parse, Words words)
    : limits_(limits),
      editor_(bytes),
      text_(editor_.text()),
      tree_(parse(text_, limits)),
      ledger_(tree_),
      newline_(NewlineBytes(editor_.lines().dominant())),
      parse_(parse),
      words_(std::move(words)) {}

Status DataEditor::Refused(std::string_view what) {
  return Status(ErrorCode::kUnsupportedEdit,
                std::string(what) + "; edit its lines instead, such as line:3");
}

Status DataEditor::Plan(const Edit& edit) {
  const bool appends_item =
      edit.op == "append" && edit.locator.empty() && edit.arguments.Find("text") == nullptr;
  if (TextEditor::Handles(edit) && !appends_item) {
    has_line_edits_ = true;
    return editor_.Plan(edit);
  }
  if (!tree_.is_complete()) {
    return Status(ErrorCode::kParseFailed,
                  "the file is not " + words_.syntax +
                      " throughout; mend it by its lines or write the whole file");
  }
  has_pointer_edits_ = true;
  if (edit.op == "set") return PlanSet(edit);
  if (edit.op == "append") return PlanAppend(edit);
  if (edit.op == "insert_before" || edit.op == "insert_after") return PlanInsert(edit);
  if (edit.op == "delete") return PlanDelete(edit);
  if (edit.op == "rename") return PlanRename(edit);
  return Status(ErrorCode::kUnsupportedEdit,
                words_.syntax + " cannot be edited with '" + edit.op +
                    "'; use set, append, insert_before, insert_after, delete, rename, or edit "
                    "lines");
}

Result<DataValue> DataEditor::Argument(const Edit& edit) const {
  STAGED_ASSIGN_OR_RETURN(DataValue value, DataArgument(edit, limits_));
  if (!value.is_raw) return value;
  STAGED_ASSIGN_OR_RETURN(value.raw_type, RawType(value.value.as_string()));
  return value;
}

Status DataEditor::PlanSet(const Edit& edit) {
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
    return AddChild(edit, target.parent, target.token, value);
  }
  if (target.token != "-" && target.token != std::to_string(parent.child_count)) {
    return Status(ErrorCode::kNoMatch,
                  "there is nothing at '" + edit.locator + "'; an array is continued with /- only");
  }
  return AddChild(edit, target.parent, std::nullopt, value);
}

Status DataEditor::PlanAppend(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
  STAGED_ASSIGN_OR_RETURN(const DataValue value, Argument(edit));
  if (tree_.nodes[node].type == DataType::kArray) {
    return AddChild(edit, node, std::nullopt, value);
  }
  return Status(ErrorCode::kInvalidArgument, "'" + edit.locator + "' is no " + words_.array +
                                                 "; set a new key of " + words_.object +
                                                 " instead");
}

Status DataEditor::PlanInsert(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
  STAGED_ASSIGN_OR_RETURN(const DataValue value, Argument(edit));
  const DataNode& at = tree_.nodes[node];
  if (at.parent == DataNode::kNoParent || tree_.nodes[at.parent].type != DataType::kArray) {
    return Status(ErrorCode::kUnsupportedEdit, "only an item of " + words_.array +
                                                   " has a place; set a new key of " +
                                                   words_.object + " instead");
  }
  STAGED_RETURN_IF_ERROR(CheckExpectedData(edit, tree_, node));
  const bool is_last = at.subtree_end == tree_.nodes[at.parent].subtree_end;
  if (edit.op == "insert_after" && is_last) return AddChild(edit, at.parent, std::nullopt, value);
  const uint32_t next = edit.op == "insert_after" ? at.subtree_end : node;
  ledger_.InsertBefore(next, std::nullopt, value);
  return InsertItem(edit, next, value);
}

Status DataEditor::PlanDelete(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ResolveDataNode(tree_, edit.locator));
  const uint32_t parent = tree_.nodes[node].parent;
  if (parent == DataNode::kNoParent) return Refused("a whole document cannot be deleted");
  STAGED_RETURN_IF_ERROR(CheckExpectedData(edit, tree_, node));
  deleted_[parent].insert(node);
  return OkStatus();
}

Status DataEditor::PlanRename(const Edit& edit) {
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
                    "there is a key '" + key + "' beside it already; choose another name");
    }
  }
  ledger_.Rename(node, key);
  return RenameKey(node, key);
}

Status DataEditor::DeleteFromSequence(const std::vector<uint32_t>& children,
                                      const std::set<uint32_t>& deleted) {
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

uint64_t DataEditor::EndOf(uint32_t node) const {
  uint64_t end = tree_.nodes[node].end;
  for (uint32_t i = node + 1; i < tree_.nodes[node].subtree_end; ++i) {
    end = std::max(end, tree_.nodes[i].end);
  }
  return end;
}

uint64_t DataEditor::LineBegin(uint64_t offset) const {
  if (editor_.lines().count() == 0) return 0;
  return editor_.lines().Span(editor_.lines().LineOf(offset)).begin;
}

uint64_t DataEditor::LineEnd(uint64_t offset) const {
  if (editor_.lines().count() == 0) return 0;
  const size_t line = editor_.lines().LineOf(offset);
  return editor_.lines().Span(line).end -
         NewlineBytes(editor_.lines().NewlineOf(text_, line)).size();
}

Result<std::string> DataEditor::Finish() {
  for (const auto& [container, deleted] : deleted_) {
    STAGED_RETURN_IF_ERROR(DeleteChildren(container, deleted));
  }
  for (auto line = deleted_lines_.begin(); line != deleted_lines_.end();) {
    LineRange range{*line, *line};
    for (++line; line != deleted_lines_.end() && *line == range.last + 1; ++line) ++range.last;
    editor_.DeleteLines(range);
  }
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (!has_pointer_edits_) return bytes;
  const DecodedText decoded(bytes);
  const DataTree after = parse_(decoded.text(), limits_);
  const bool is_right =
      after.is_complete() && (has_line_edits_ || ledger_.Matches(after)) && KeepsTheRest(after);
  if (is_right) return bytes;
  return Refused("the edits cannot be made safely in this " + words_.syntax + " (" +
                 words_.obstacles + " may be in the way)");
}

}  // namespace staged
