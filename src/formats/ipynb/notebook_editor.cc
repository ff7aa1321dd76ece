#include "formats/ipynb/notebook_editor.h"

#include <algorithm>
#include <charconv>

namespace staged {
namespace {

Status Unsupported(const Edit& edit, std::string_view can) {
  return Status(ErrorCode::kUnsupportedEdit, "'" + edit.locator + "' cannot be edited with '" +
                                                 edit.op + "'; it takes " + std::string(can));
}

// The text of a source: "text", or "value" as in other formats.
Result<std::string> SourceArgument(const Edit& edit) {
  const bool has_text = edit.arguments.Find("text") != nullptr;
  return TextArgument(edit,
                      !has_text && edit.arguments.Find("value") != nullptr ? "value" : "text");
}

Status RepeatedKey(const Edit& edit, const std::string& name) {
  return Status(ErrorCode::kAmbiguous, "the key \"" + name + "\" at '" + edit.locator +
                                           "' occurs more than once; mend it by its line first");
}

Status NothingAt(const Edit& edit) {
  return Status(ErrorCode::kNoMatch,
                "there is nothing at '" + edit.locator + "'; parse the notebook for its locators");
}

Status MovedAlready(const Edit& edit) {
  return Status(ErrorCode::kInvalidArgument,
                "'" + edit.locator + "' is moved or deleted by another edit already; keep one");
}

Status NoMetadata(const Edit& edit) {
  return Status(ErrorCode::kNoMatch, "what should hold '" + edit.locator +
                                         "' is absent or no object; set that first, as an object");
}

bool SameValue(const Value& expected, const Value& actual, std::string_view source) {
  if (expected == actual) return true;
  if (expected.is_number() && actual.is_number()) {
    return expected.as_double() == actual.as_double();
  }
  return expected.is_string() && !actual.is_string() && expected.as_string() == source;
}

}  // namespace

NotebookEditor::NotebookEditor(std::string_view bytes, const Limits& limits)
    : limits_(limits),
      editor_(bytes),
      text_(editor_.text()),
      tree_(ParseJson(text_, JsonSyntax::kDocument, limits)),
      notebook_(ReadNotebook(text_, tree_)),
      splicer_(text_, tree_, editor_.lines(), JsonSyntax::kDocument) {}

Status NotebookEditor::Plan(const Edit& edit) {
  if (IsLineLocator(edit.locator)) {
    has_line_edits_ = true;
    return editor_.Plan(edit);
  }
  if (!tree_.is_complete() || tree_.nodes.empty() || tree_.nodes[0].type != JsonType::kObject) {
    return Status(ErrorCode::kParseFailed,
                  "the file is no whole notebook; mend it by its lines or write the whole file");
  }
  has_cell_edits_ = true;
  if (edit.locator.empty() || edit.locator == "file") {
    if (edit.op == "append") return PlanAppend(edit);
    if (edit.op == "clear_outputs") {
      for (const NotebookCell& cell : notebook_.cells) STAGED_RETURN_IF_ERROR(ClearOutputs(cell));
      return OkStatus();
    }
    if (edit.op != "set_metadata") {
      return Unsupported(edit, "append, clear_outputs and set_metadata; name a cell otherwise");
    }
    STAGED_ASSIGN_OR_RETURN(const std::string name, TextArgument(edit, "name"));
    return PlanMetadata(edit, 0, notebook_.fields, EscapePointerToken(name));
  }
  constexpr std::string_view kMetadata = "metadata/";
  if (edit.locator.starts_with(kMetadata)) {
    if (edit.op != "set" && edit.op != "delete") return Unsupported(edit, "set and delete");
    return PlanMetadata(edit, 0, notebook_.fields,
                        std::string_view(edit.locator).substr(kMetadata.size()));
  }
  const size_t slash = std::min(edit.locator.find('/'), edit.locator.size());
  STAGED_ASSIGN_OR_RETURN(const size_t cell, FindCell(edit.locator.substr(0, slash)));
  if (slash == edit.locator.size()) return PlanCell(edit, cell);
  return PlanBelowCell(edit, cell, std::string_view(edit.locator).substr(slash + 1));
}

Result<size_t> NotebookEditor::FindCell(std::string_view locator) const {
  if (!locator.starts_with("cell:")) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + std::string(locator) +
                      "' is no locator in a notebook; write cell:<id>, cell:<id>/line:2, "
                      "cell:<id>/output:1 or metadata/<name>");
  }
  const NotebookCell* found = notebook_.Find(locator);
  if (found != nullptr) return static_cast<size_t>(found - notebook_.cells.data());
  std::string places;
  for (const NotebookCell& cell : notebook_.cells) {
    const bool is_meant = !cell.id.empty() && !cell.has_own_id && "cell:" + cell.id == locator;
    if (is_meant) places += (places.empty() ? "" : ", ") + cell.locator;
  }
  if (!places.empty()) {
    return Status(ErrorCode::kAmbiguous, "'" + std::string(locator) +
                                             "' does not tell one cell; use its place: " + places);
  }
  return Status(ErrorCode::kNoMatch, "there is no cell '" + std::string(locator) +
                                         "'; parse the notebook for its cells");
}

Status NotebookEditor::PlanCell(const Edit& edit, size_t cell) {
  const NotebookCell& at = notebook_.cells[cell];
  if (tree_.nodes[at.node].type != JsonType::kObject && edit.op != "delete") {
    return Unsupported(edit, "delete, since it is no cell");
  }
  if (edit.op == "set_metadata") {
    STAGED_ASSIGN_OR_RETURN(const std::string name, TextArgument(edit, "name"));
    return PlanMetadata(edit, at.node, at.fields, EscapePointerToken(name));
  }
  if (edit.op == "set" || edit.op == "replace" || edit.op == "replace_text") {
    return PlanSource(edit, cell);
  }
  if (edit.expect) {
    STAGED_ASSIGN_OR_RETURN(const SourceEdit* source, SourceOf(cell));
    STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, source->old_text));
  }
  if (edit.op == "insert_before" || edit.op == "insert_after") return PlanInsert(edit, cell);
  if (edit.op == "move") return PlanMove(edit, cell);
  if (edit.op == "delete") {
    if (moved_.count(cell) > 0) return MovedAlready(edit);
    gone_.insert(cell);
    changed_arrays_.insert(ArrayOf(cell));
    return OkStatus();
  }
  if (edit.op == "clear_outputs") return ClearOutputs(at);
  return Unsupported(edit,
                     "set, replace_text, insert_before, insert_after, move, delete, clear_outputs "
                     "and set_metadata");
}

Result<NotebookEditor::SourceEdit*> NotebookEditor::SourceOf(size_t cell) {
  std::unique_ptr<SourceEdit>& edit = sources_[cell];
  if (edit != nullptr) return edit.get();
  const NotebookField* source = notebook_.cells[cell].Source();
  NotebookText text;
  if (source != nullptr)
    text = ReadNotebookText(text_, tree_, source->node, notebook_.JoinsLines());
  if (!text.is_valid || (source != nullptr && source->is_repeated)) {
    sources_.erase(cell);
    return Status(ErrorCode::kUnsupportedEdit,
                  "the source of '" + notebook_.cells[cell].locator +
                      "' is no text, or there are several; mend it by its lines in the file");
  }
  edit = std::make_unique<SourceEdit>(std::move(text.text));
  return edit.get();
}

Status NotebookEditor::PlanSource(const Edit& edit, size_t cell) {
  STAGED_ASSIGN_OR_RETURN(SourceEdit * source, SourceOf(cell));
  const ByteSpan whole{0, source->editor.text().size()};
  STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, source->old_text));
  if (edit.op == "replace_text") return source->editor.ReplaceText(edit, whole);
  STAGED_ASSIGN_OR_RETURN(std::string text, SourceArgument(edit));
  return source->editor.Replace(whole, std::move(text));
}

Status NotebookEditor::PlanBelowCell(const Edit& edit, size_t cell, std::string_view rest) {
  const NotebookCell& at = notebook_.cells[cell];
  if (IsLineLocator(rest)) {
    STAGED_ASSIGN_OR_RETURN(SourceEdit * source, SourceOf(cell));
    Edit line = edit;
    line.locator = rest;
    return source->editor.Plan(line);
  }
  constexpr std::string_view kMetadata = "metadata/";
  if (rest.starts_with(kMetadata)) {
    if (edit.op != "set" && edit.op != "delete") return Unsupported(edit, "set and delete");
    return PlanMetadata(edit, at.node, at.fields, rest.substr(kMetadata.size()));
  }
  constexpr std::string_view kOutput = "output:";
  constexpr std::string_view kAttachment = "attachment:";
  const bool is_output = rest.starts_with(kOutput);
  if (!is_output && !rest.starts_with(kAttachment)) return NothingAt(edit);
  if (edit.op != "delete" || rest.find('/') != std::string_view::npos) {
    return Unsupported(edit, "nothing but the deletion of a whole output or attachment");
  }
  return PlanDeleteBelow(edit, cell, is_output ? "outputs" : "attachments",
                         rest.substr(is_output ? kOutput.size() : kAttachment.size()));
}

Status NotebookEditor::PlanDeleteBelow(const Edit& edit, size_t cell, std::string_view field,
                                       std::string_view name) {
  const NotebookField* container = notebook_.cells[cell].Find(field);
  if (container == nullptr) return NothingAt(edit);
  if (container->is_repeated) return RepeatedKey(edit, container->name);
  if (tree_.nodes[container->node].type == JsonType::kObject) {
    for (const NotebookField& member : ReadFields(text_, tree_, container->node)) {
      if (EscapePointerToken(member.name) != name) continue;
      if (member.is_repeated) return RepeatedKey(edit, member.name);
      splicer_.Delete(member.node);
      return OkStatus();
    }
    return NothingAt(edit);
  }
  size_t ordinal = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), ordinal);
  const std::vector<uint32_t> children = splicer_.Children(container->node);
  if (error != std::errc() || end != name.data() + name.size() || ordinal == 0 ||
      ordinal > children.size()) {
    return NothingAt(edit);
  }
  splicer_.Delete(children[ordinal - 1]);
  return OkStatus();
}

void NotebookEditor::AddSplice(ByteSpan span, std::string text) {
  splices_.emplace(span.begin, Splice{span, std::move(text)});
}

uint32_t NotebookEditor::ArrayOf(size_t cell) const {
  return tree_.nodes[notebook_.cells[cell].node].parent;
}

Status NotebookEditor::PlanInsert(const Edit& edit, size_t cell) {
  STAGED_ASSIGN_OR_RETURN(Item item, NewCell(edit, ArrayOf(cell)));
  Neighbours& neighbours = neighbours_[cell];
  (edit.op == "insert_before" ? neighbours.before : neighbours.after).push_back(std::move(item));
  changed_arrays_.insert(ArrayOf(cell));
  return OkStatus();
}

Status NotebookEditor::PlanAppend(const Edit& edit) {
  if (notebook_.cell_arrays.empty()) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the notebook has no list of cells; write the whole file");
  }
  const uint32_t array = notebook_.cell_arrays.back();
  STAGED_ASSIGN_OR_RETURN(Item item, NewCell(edit, array));
  appended_.push_back(std::move(item));
  changed_arrays_.insert(array);
  return OkStatus();
}

Status NotebookEditor::PlanMove(const Edit& edit, size_t cell) {
  const bool is_before = edit.arguments.Find("before") != nullptr;
  STAGED_ASSIGN_OR_RETURN(const std::string to, TextArgument(edit, is_before ? "before" : "after"));
  STAGED_ASSIGN_OR_RETURN(const size_t place, FindCell(to));
  if (place == cell) {
    return Status(ErrorCode::kInvalidArgument, "a cell cannot be moved beside itself");
  }
  if (!gone_.insert(cell).second) {
    return MovedAlready(edit);
  }
  moved_.insert(cell);
  Neighbours& neighbours = neighbours_[place];
  (is_before ? neighbours.before : neighbours.after).push_back({cell, "", ""});
  changed_arrays_.insert(ArrayOf(cell));
  changed_arrays_.insert(ArrayOf(place));
  return OkStatus();
}

Status NotebookEditor::ClearOutputs(const NotebookCell& cell) {
  for (const char* name : {"outputs", "execution_count", "prompt_number"}) {
    const NotebookField* field = cell.Find(name);
    if (field == nullptr) continue;
    const JsonNode& node = tree_.nodes[field->node];
    const bool is_outputs = node.type == JsonType::kArray;
    if (is_outputs ? node.child_count == 0 : node.type == JsonType::kNull) continue;
    if (is_outputs != (field->name == "outputs") || field->is_repeated) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "\"" + field->name + "\" of '" + cell.locator +
                        "' is not as nbformat has it; mend it by its lines in the file");
    }
    AddSplice({node.begin, node.end}, is_outputs ? "[]" : "null");
  }
  return OkStatus();
}

Result<std::string> NotebookEditor::Argument(const Edit& edit, uint32_t container) const {
  if (const Value* json = edit.arguments.Find("json"); json != nullptr && json->is_string()) {
    const JsonTree tree = ParseJson(json->as_string(), JsonSyntax::kDocument, limits_);
    if (tree.issues.empty() && !tree.nodes.empty()) return json->as_string();
    return Status(ErrorCode::kInvalidArgument,
                  "\"json\" of the edit at '" + edit.locator + "' is not valid JSON");
  }
  const Value* value = edit.arguments.Find("value");
  if (value == nullptr) {
    return Status(ErrorCode::kInvalidArgument, "the edit '" + edit.op + "' at '" + edit.locator +
                                                   "' needs a \"value\" (or its \"json\" text)");
  }
  const JsonSplicer::Layout layout = splicer_.LayoutOf(container);
  return splicer_.Render(*value, layout.on_lines, layout.indent);
}

Status NotebookEditor::PlanMetadata(const Edit& edit, uint32_t owner,
                                    const std::vector<NotebookField>& fields,
                                    std::string_view path) {
  const NotebookField* field = FindField(fields, "metadata");
  std::optional<uint32_t> node;
  uint32_t parent = owner;
  std::string name = "metadata";
  std::string_view rest = path;
  bool is_last = false;
  std::vector<NotebookField> members;
  while (true) {
    if (field == nullptr && !is_last) return NoMetadata(edit);
    if (field != nullptr && field->is_repeated) return RepeatedKey(edit, name);
    node = field == nullptr ? std::nullopt : std::optional(field->node);
    if (is_last) break;
    parent = *node;
    if (tree_.nodes[parent].type != JsonType::kObject) return NoMetadata(edit);
    const size_t slash = std::min(rest.find('/'), rest.size());
    name = UnescapePointerToken(rest.substr(0, slash));
    is_last = slash == rest.size();
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    members = ReadFields(text_, tree_, parent);
    field = FindField(members, name);
  }
  if (edit.expect) {
    const Value actual = node ? JsonToValue(text_, tree_, *node) : Value();
    const std::string_view source = node ? NodeSource(text_, tree_.nodes[*node]) : "";
    if (!SameValue(*edit.expect, actual, source)) {
      return Status(ErrorCode::kNoMatch, "'" + edit.locator +
                                             "' is not what the edit expects; read it again and "
                                             "repeat");
    }
  }
  if (edit.op == "delete") {
    if (!node) return NothingAt(edit);
    splicer_.Delete(*node);
    return OkStatus();
  }
  STAGED_ASSIGN_OR_RETURN(std::string value, Argument(edit, parent));
  if (node) {
    AddSplice({tree_.nodes[*node].begin, tree_.nodes[*node].end}, std::move(value));
    return OkStatus();
  }
  if (!new_members_.insert({parent, name}).second) {
    return Status(ErrorCode::kInvalidArgument, "two edits add '" + edit.locator + "'; join them");
  }
  splicer_.Append(parent, name, value);
  return OkStatus();
}

}  // namespace staged
