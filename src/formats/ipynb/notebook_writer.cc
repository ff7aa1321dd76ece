#include <algorithm>

#include "formats/ipynb/notebook_editor.h"

// The second half of NotebookEditor: how cells and sources are written.
namespace staged {
namespace {

// Each line with its newline, as nbformat lists them.
std::vector<std::string> SplitLines(std::string_view text, bool keeps_newlines = true) {
  std::vector<std::string> lines;
  while (!keeps_newlines) {
    const size_t newline = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, newline));
    if (newline == text.size()) return lines;
    text.remove_prefix(newline + 1);
  }
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

bool IsIdCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

Result<std::string> NotebookEditor::NewCellId(const Edit& edit, const std::string& type,
                                              const std::string& source) {
  const auto is_taken = [this](const std::string& id) {
    return new_ids_.count(id) > 0 ||
           std::any_of(notebook_.cells.begin(), notebook_.cells.end(),
                       [&](const NotebookCell& cell) { return cell.id == id; });
  };
  if (edit.arguments.Find("id") != nullptr) {
    STAGED_ASSIGN_OR_RETURN(const std::string id, TextArgument(edit, "id"));
    constexpr size_t kIdBytesMax = 64;
    if (id.empty() || id.size() > kIdBytesMax ||
        !std::all_of(id.begin(), id.end(), IsIdCharacter)) {
      return Status(ErrorCode::kInvalidArgument,
                    "a cell's id has 1 to 64 letters, digits, - and _; leave it out to get one");
    }
    if (is_taken(id)) {
      return Status(ErrorCode::kInvalidArgument,
                    "the id '" + id + "' is taken; leave it out to get a free one");
    }
    new_ids_.insert(id);
    return id;
  }
  constexpr size_t kIdDigits = 8;  // as nbformat makes them
  for (size_t attempt = 0;; ++attempt) {
    const std::string seed = type + "\n" + std::to_string(attempt) + "\n" + source;
    std::string id = ContentHash::Of(seed).ToHex().substr(0, kIdDigits);
    if (is_taken(id)) continue;
    new_ids_.insert(id);
    return id;
  }
}

// Whether the notebook's other cells, those of the type before all, have strings for lists.
bool NotebookEditor::WritesStrings(const std::string& type) const {
  bool writes_strings = false;
  bool has_other = false;
  for (const NotebookCell& cell : notebook_.cells) {
    const NotebookField* source = cell.Source();
    const NotebookField* cell_type = cell.Find("cell_type");
    if (source == nullptr || cell_type == nullptr) continue;
    const bool is_string = tree_.nodes[source->node].type == JsonType::kString;
    if (ReadScalar(text_, tree_.nodes[cell_type->node]) == type) return is_string;
    if (!has_other) writes_strings = is_string;
    has_other = true;
  }
  return writes_strings;
}

Result<Value> NotebookEditor::NewCellValue(const Edit& edit, const std::string& source) {
  const bool is_version_3 = notebook_.major == 3;
  const std::string type(edit.arguments.FindString("type", "code"));
  if (type != "code" && type != "markdown" && type != "raw") {
    return Status(ErrorCode::kInvalidArgument,
                  "the type of a cell is code, markdown or raw, not '" + type + "'");
  }
  const bool is_code = type == "code";
  Value cell = Value::Object();
  cell.Set("cell_type", type);
  if (is_code && is_version_3) cell.Set("collapsed", false);
  if (is_code && !is_version_3) cell.Set("execution_count", nullptr);
  if (notebook_.HasCellIds()) {
    STAGED_ASSIGN_OR_RETURN(std::string id, NewCellId(edit, type, source));
    cell.Set("id", std::move(id));
  } else if (edit.arguments.Find("id") != nullptr) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "cells have ids from nbformat 4.5 on; leave out \"id\"");
  }
  Value lines = Value::Array();
  for (std::string& line : SplitLines(source)) lines.as_array().push_back(std::move(line));
  if (WritesStrings(type)) lines = source;
  const Value* metadata = edit.arguments.Find("metadata");
  if (metadata != nullptr && !metadata->is_object()) {
    return Status(ErrorCode::kInvalidArgument, "\"metadata\" of a new cell must be an object");
  }
  if (is_code && is_version_3) {
    cell.Set("input", lines);
    cell.Set("language", "python");
  }
  cell.Set("metadata", metadata == nullptr ? Value(Value::Object()) : *metadata);
  if (is_code) cell.Set("outputs", Value::Array());
  if (!is_code || !is_version_3) cell.Set("source", std::move(lines));
  return cell;
}

Result<NotebookEditor::Item> NotebookEditor::NewCell(const Edit& edit, uint32_t array) {
  Item item;
  STAGED_ASSIGN_OR_RETURN(item.source, TextArgument(edit, "text"));
  STAGED_ASSIGN_OR_RETURN(const Value value, NewCellValue(edit, item.source));
  const JsonSplicer::Layout layout = splicer_.LayoutOf(array);
  const bool has_neighbour = tree_.nodes[array].child_count > 0;
  const bool on_lines = has_neighbour ? splicer_.IsWrittenOnLines(array + 1) : layout.on_lines;
  STAGED_ASSIGN_OR_RETURN(item.json, splicer_.Render(value, on_lines, layout.indent));
  return item;
}

// A list of strings anew: lines that are as before keep their bytes.
std::string NotebookEditor::RenderLines(uint32_t array, const std::string& text) const {
  const JsonNode& node = tree_.nodes[array];
  const std::vector<uint32_t> old_items = splicer_.Children(array);
  const bool is_joined = ReadNotebookText(text_, tree_, array, notebook_.JoinsLines()).is_joined;
  if (text.empty()) return "[]";
  const std::vector<std::string> lines = SplitLines(text, !is_joined);
  std::vector<std::string> old_lines;
  for (const uint32_t item : old_items) old_lines.push_back(ReadScalar(text_, tree_.nodes[item]));
  const size_t common = std::min(lines.size(), old_lines.size());
  size_t prefix = 0;
  while (prefix < common && lines[prefix] == old_lines[prefix]) ++prefix;
  size_t suffix = 0;
  while (suffix < common - prefix &&
         lines[lines.size() - 1 - suffix] == old_lines[old_lines.size() - 1 - suffix]) {
    ++suffix;
  }
  const JsonSplicer::Layout layout = splicer_.LayoutOf(array);
  std::string open = "[", close = "]", separator = splicer_.Separator(layout);
  if (!old_items.empty()) {
    const JsonNode& first = tree_.nodes[old_items.front()];
    const JsonNode& last = tree_.nodes[old_items.back()];
    open = text_.substr(node.begin, first.begin - node.begin);
    close = text_.substr(last.end, node.end - last.end);
    if (old_items.size() > 1) {
      separator = text_.substr(first.end, tree_.nodes[old_items[1]].begin - first.end);
    }
  } else if (layout.on_lines) {
    open += splicer_.style().newline + layout.indent;
    close.insert(0, splicer_.style().newline + splicer_.LineIndent(node.begin));
  }
  std::string out = open;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += separator;
    const bool is_kept = i < prefix || i + suffix >= lines.size();
    if (is_kept) {
      const size_t old = i < prefix ? i : old_items.size() - (lines.size() - i);
      out += NodeSource(text_, tree_.nodes[old_items[old]]);
    } else {
      AppendJsonString(out, lines[i], splicer_.style().ascii_only);
    }
  }
  return out + close;
}

std::string NotebookEditor::RenderSource(uint32_t node, const std::string& text) const {
  if (tree_.nodes[node].type == JsonType::kArray) return RenderLines(node, text);
  std::string out;
  AppendJsonString(out, text, splicer_.style().ascii_only);
  return out;
}

Status NotebookEditor::FinishSources() {
  for (const auto& [cell, edit] : sources_) {
    STAGED_ASSIGN_OR_RETURN(std::string text, edit->editor.Finish());
    if (text == edit->old_text) continue;
    const NotebookCell& at = notebook_.cells[cell];
    const NotebookField* field = at.Source();
    if (field == nullptr) {
      std::string value;
      AppendJsonString(value, text, splicer_.style().ascii_only);
      splicer_.Append(at.node, "source", value);
    } else {
      const JsonNode& node = tree_.nodes[field->node];
      AddSplice({node.begin, node.end}, RenderSource(field->node, text));
    }
    new_sources_[cell] = std::move(text);
  }
  return OkStatus();
}

std::vector<NotebookEditor::Item> NotebookEditor::ItemsOf(uint32_t array) const {
  std::vector<Item> items;
  for (size_t cell = 0; cell < notebook_.cells.size(); ++cell) {
    if (ArrayOf(cell) != array) continue;
    const auto neighbours = neighbours_.find(cell);
    const bool has_neighbours = neighbours != neighbours_.end();
    if (has_neighbours) {
      items.insert(items.end(), neighbours->second.before.begin(), neighbours->second.before.end());
    }
    if (gone_.count(cell) == 0) items.push_back({cell, "", ""});
    if (has_neighbours) {
      items.insert(items.end(), neighbours->second.after.begin(), neighbours->second.after.end());
    }
  }
  if (array == notebook_.cell_arrays.back()) {
    items.insert(items.end(), appended_.begin(), appended_.end());
  }
  return items;
}

// Takes out the splices inside a cell, so that they can be made where the cell goes.
std::vector<NotebookEditor::Splice> NotebookEditor::TakeSplices(size_t cell) {
  const JsonNode& node = tree_.nodes[notebook_.cells[cell].node];
  std::vector<Splice> inside;
  auto splice = splices_.lower_bound(node.begin);
  while (splice != splices_.end() && splice->second.first.end <= node.end) {
    inside.push_back(std::move(splice->second));
    splice = splices_.erase(splice);
  }
  return inside;
}

Result<std::string> NotebookEditor::CellBytes(size_t cell) {
  const JsonNode& node = tree_.nodes[notebook_.cells[cell].node];
  SplicePlan plan;
  for (auto& [span, text] : TakeSplices(cell)) {
    plan.Replace(span.begin - node.begin, span.end - node.begin, std::move(text));
  }
  return plan.Apply(NodeSource(text_, node));
}

Status NotebookEditor::FinishArray(uint32_t array, const std::vector<Item>& items) {
  const JsonNode& node = tree_.nodes[array];
  const JsonSplicer::Layout layout = splicer_.LayoutOf(array);
  const std::vector<uint32_t> children = splicer_.Children(array);
  std::string inside;
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    const bool is_neighbour = i > 0 && item.cell && items[i - 1].cell &&
                              *item.cell == *items[i - 1].cell + 1 &&
                              ArrayOf(*item.cell) == array && ArrayOf(*items[i - 1].cell) == array;
    if (is_neighbour) {
      const uint64_t end = tree_.nodes[notebook_.cells[*items[i - 1].cell].node].end;
      inside += text_.substr(end, tree_.nodes[notebook_.cells[*item.cell].node].begin - end);
    } else if (i > 0) {
      inside += splicer_.Separator(layout);
    }
    if (item.cell) {
      STAGED_ASSIGN_OR_RETURN(const std::string bytes, CellBytes(*item.cell));
      inside += bytes;
    } else {
      inside += item.json;
    }
  }
  ByteSpan region{node.begin + 1u, node.end - 1u};
  if (!children.empty() && !items.empty()) {
    region = {tree_.nodes[children.front()].begin, tree_.nodes[children.back()].end};
  } else if (layout.on_lines && !items.empty()) {
    inside = splicer_.style().newline + layout.indent + inside + splicer_.style().newline +
             splicer_.LineIndent(node.begin);
  }
  return editor_.Replace(region, std::move(inside));
}

Result<std::string> NotebookEditor::Finish() {
  STAGED_RETURN_IF_ERROR(FinishSources());
  STAGED_RETURN_IF_ERROR(splicer_.Finish([this](ByteSpan span, std::string text) {
    AddSplice(span, std::move(text));
    return OkStatus();
  }));
  // What happens inside a cell that goes is of no effect.
  for (const size_t cell : gone_) {
    if (moved_.count(cell) == 0) (void)TakeSplices(cell);
  }
  for (const uint32_t array : changed_arrays_) {
    STAGED_RETURN_IF_ERROR(FinishArray(array, ItemsOf(array)));
  }
  for (auto& [begin, splice] : splices_) {
    STAGED_RETURN_IF_ERROR(editor_.Replace(splice.first, std::move(splice.second)));
  }
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (has_cell_edits_) STAGED_RETURN_IF_ERROR(CheckResult(bytes));
  return bytes;
}

// Reads the result: it must have the cells and sources that were asked for.
Status NotebookEditor::CheckResult(const std::string& bytes) const {
  const Status broken(ErrorCode::kUnsupportedEdit,
                      "the edits would not leave the notebook that they ask for; make them one "
                      "after the other, or write the whole file");
  const DecodedText decoded(bytes);
  const JsonTree tree = ParseJson(decoded.text(), JsonSyntax::kDocument, limits_);
  if (!tree.is_complete() || tree.issues.size() > tree_.issues.size()) return broken;
  if (has_line_edits_) return OkStatus();
  const Notebook notebook = ReadNotebook(decoded.text(), tree);
  if (notebook.diagnostics.size() > notebook_.diagnostics.size()) return broken;
  size_t index = 0;
  for (const uint32_t array : notebook_.cell_arrays) {
    for (const Item& item : ItemsOf(array)) {
      if (index >= notebook.cells.size()) return broken;
      const NotebookCell& cell = notebook.cells[index++];
      const NotebookField* field = cell.Source();
      const std::string found =
          field == nullptr
              ? ""
              : ReadNotebookText(decoded.text(), tree, field->node, notebook.JoinsLines()).text;
      std::string expected = item.source;
      if (item.cell) {
        const auto changed = new_sources_.find(*item.cell);
        const NotebookField* old = notebook_.cells[*item.cell].Source();
        if (changed != new_sources_.end()) {
          expected = changed->second;
        } else if (old != nullptr) {
          expected = ReadNotebookText(text_, tree_, old->node, notebook_.JoinsLines()).text;
        }
      }
      if (found != expected) return broken;
    }
  }
  return index == notebook.cells.size() ? OkStatus() : broken;
}

}  // namespace staged
