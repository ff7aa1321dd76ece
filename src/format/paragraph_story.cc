#include "format/paragraph_story.h"

#include <algorithm>
#include <tuple>

#include "codec/xml.h"
#include "format/paragraph_edits.h"

namespace staged {

ParagraphStory::ParagraphStory(const XmlTree& tree, std::string whole, std::vector<Record> records,
                               std::vector<uint32_t> nodes, const TextDialect& dialect,
                               const Limits& limits)
    : tree_(tree),
      whole_(std::move(whole)),
      records_(std::move(records)),
      nodes_(std::move(nodes)),
      dialect_(dialect),
      limits_(limits) {
  for (size_t i = 0; i < records_.size(); ++i) index_by_locator_.emplace(records_[i].locator, i);
}

size_t ParagraphStory::IndexOf(const std::string& locator) const {
  const auto found = index_by_locator_.find(locator);
  return found == index_by_locator_.end() ? SIZE_MAX : found->second;
}

Result<ParagraphTarget> ParagraphStory::Resolve(const std::string& locator) const {
  ParagraphTarget target;
  std::string path = locator;
  std::tie(path, target.span) = SplitTextSpan(locator);
  STAGED_RETURN_IF_ERROR(CheckLocator(path));
  if (path == whole_) {
    target.kind = "story";
    for (size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].kind == "paragraph" && IsInWhole(records_[i])) target.paragraphs.push_back(i);
    }
    return target;
  }
  target.record = IndexOf(path);
  if (target.record == SIZE_MAX) {
    return Status(ErrorCode::kNoMatch, "the file has no '" + path +
                                           "'; list the locators with `staged parse FILE --jsonl`");
  }
  target.kind = records_[target.record].kind;
  if (target.kind == "paragraph") {
    target.paragraphs.push_back(target.record);
    return target;
  }
  const std::string inside = path + "/";
  for (size_t i = target.record + 1; i < records_.size(); ++i) {
    if (records_[i].kind != "paragraph") continue;
    if (records_[i].locator.starts_with(inside)) target.paragraphs.push_back(i);
  }
  return target;
}

Result<TextElementEditor*> ParagraphStory::EditorOf(size_t record) {
  if (deleted_.contains(record)) {
    return Status(ErrorCode::kNoMatch, "'" + records_[record].locator +
                                           "' was deleted by an earlier edit of the same call; "
                                           "leave one of the two out");
  }
  std::unique_ptr<TextElementEditor>& editor = editors_[record];
  if (editor == nullptr) {
    const uint32_t node = nodes_[record];
    editor = std::make_unique<TextElementEditor>(
        std::string(tree_.Raw(node)), tree_.BindingsAt(tree_[node].parent), dialect_, limits_);
  }
  return editor.get();
}

Result<std::vector<TextElementEditor*>> ParagraphStory::Editors(const ParagraphTarget& target,
                                                                const std::string& text) {
  std::vector<TextElementEditor*> editors;
  for (const size_t record : target.paragraphs) {
    const bool is_one_of_many = target.paragraphs.size() > 1;
    if (is_one_of_many && deleted_.contains(record)) continue;
    if (is_one_of_many && !text.empty() && !editors_.contains(record) &&
        records_[record].text.find(text) == std::string::npos) {
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(TextElementEditor * editor, EditorOf(record));
    editors.push_back(editor);
  }
  return editors;
}

Status ParagraphStory::EditText(const Edit& edit, const ParagraphTarget& target) {
  if (target.paragraphs.empty()) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + edit.locator +
                      "' holds no paragraph to write into; name a shape, cell or "
                      "paragraph that has text");
  }
  if (target.span) {
    if (target.kind != "paragraph") {
      return Status(
          ErrorCode::kInvalidArgument,
          "'" + edit.locator + "' is a span of no paragraph; name one, such as p[1]:4-10");
    }
    STAGED_ASSIGN_OR_RETURN(TextElementEditor * editor, EditorOf(target.record));
    return ReplaceSpanOfParagraph(edit, *editor, *target.span);
  }
  if (edit.expect) {
    STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> editors, Editors(target));
    STAGED_RETURN_IF_ERROR(CheckExpectedParagraphs(edit, editors));
  }
  if (edit.op == "replace_text") {
    STAGED_ASSIGN_OR_RETURN(const std::string find, DocumentTextArgument(edit, "find"));
    STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> editors, Editors(target, find));
    return ReplaceTextInParagraphs(edit, editors);
  }
  if (edit.op == "set") return Set(edit, target);
  if (edit.op == "delete") {
    if (target.kind == "paragraph") return DeleteParagraph(target.record);
    return Status(ErrorCode::kUnsupportedEdit,
                  "only paragraphs are deleted, not '" + edit.locator + "' (" + target.kind +
                      "); set its text to \"\", or delete it in its own application");
  }
  return Insert(edit, target);
}

Status ParagraphStory::Set(const Edit& edit, const ParagraphTarget& target) {
  const bool has_value = edit.arguments.Find("text") == nullptr;
  STAGED_ASSIGN_OR_RETURN(const std::string text,
                          DocumentTextArgument(edit, has_value ? "value" : "text"));
  if (target.kind == "paragraph") {
    STAGED_ASSIGN_OR_RETURN(TextElementEditor * editor, EditorOf(target.record));
    return SetParagraphText(*editor, text);
  }
  if (!TakesLines(target.kind)) {
    return Status(ErrorCode::kUnsupportedEdit, "the text of a " + target.kind +
                                                   " is not set as a whole; set its shapes, cells "
                                                   "or paragraphs one by one");
  }
  return SetLines(target, text);
}

Status ParagraphStory::SetLines(const ParagraphTarget& target, const std::string& text) {
  ParagraphTarget present = target;
  std::erase_if(present.paragraphs, [this](size_t record) { return deleted_.contains(record); });
  STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> editors, Editors(present));
  std::vector<std::string> before;
  for (const TextElementEditor* editor : editors) before.push_back(editor->text());
  const std::vector<std::string> lines = SplitLines(text);
  const ParagraphPlan plan = PlanLines(before, lines);
  const size_t old_end = before.size() - plan.kept_back;
  const size_t new_end = lines.size() - plan.kept_back;
  size_t i = plan.kept_front;
  for (; i < old_end && i < new_end; ++i) {
    STAGED_RETURN_IF_ERROR(SetParagraphText(*editors[i], lines[i]));
  }
  for (size_t line = i; line < new_end; ++line) {
    const size_t neighbour = present.paragraphs[i == 0 ? 0 : i - 1];
    STAGED_RETURN_IF_ERROR(InsertParagraph(neighbour, i > 0, lines[line]));
  }
  for (; i < old_end; ++i) STAGED_RETURN_IF_ERROR(DeleteParagraph(present.paragraphs[i]));
  return OkStatus();
}

Status ParagraphStory::Insert(const Edit& edit, const ParagraphTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const std::string text, DocumentTextArgument(edit, "text"));
  if (edit.op == "append") {
    if (target.kind == "paragraph") {
      return Status(ErrorCode::kUnsupportedEdit,
                    "a paragraph is appended to a shape, cell or notes, not to '" + edit.locator +
                        "'; use insert_after");
    }
    return InsertParagraph(target.paragraphs.back(), true, text);
  }
  if (target.kind != "paragraph") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a paragraph is inserted before or after a paragraph, not '" + edit.locator +
                      "'; name one of its paragraphs, or use append");
  }
  return InsertParagraph(target.record, edit.op == "insert_after", text);
}

Status ParagraphStory::InsertParagraph(size_t neighbour, bool is_after, const std::string& text) {
  if (!XmlCanHold(text)) {
    return Status(ErrorCode::kInvalidArgument,
                  "the text holds a control character or malformed UTF-8, which a document cannot "
                  "store; leave it out");
  }
  const NewParagraph made = MakeParagraph(nodes_[neighbour], text);
  inserted_[is_after ? tree_[made.anchor].end : tree_[made.anchor].begin] += made.xml;
  return OkStatus();
}

Status ParagraphStory::DeleteParagraph(size_t record) {
  STAGED_RETURN_IF_ERROR(EditorOf(record).status());
  const std::string& locator = records_[record].locator;
  STAGED_ASSIGN_OR_RETURN(const uint32_t node, ElementToDelete(nodes_[record], locator));
  const uint32_t parent = tree_[node].parent;
  const auto [remaining, is_new] = remaining_.emplace(parent, 0);
  for (uint32_t child = tree_.FirstChild(parent); is_new && child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    remaining->second += IsBlock(child) ? 1 : 0;
  }
  if (remaining->second <= 1) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + locator +
                      "' is the last paragraph of its text, which must keep one; set "
                      "its text to \"\" instead");
  }
  --remaining->second;
  editors_.erase(record);
  deleted_[record] = node;
  return OkStatus();
}

void ParagraphStory::AddTo(SplicePlan& plan) const {
  for (const auto& [record, editor] : editors_) {
    const uint32_t node = nodes_[record];
    if (editor->xml() == tree_.Raw(node)) continue;
    plan.Replace(tree_[node].begin, tree_[node].end, editor->xml());
  }
  for (const auto& [record, node] : deleted_) {
    plan.Replace(tree_[node].begin, tree_[node].end, "");
  }
  for (const auto& [at, xml] : inserted_) plan.Insert(at, xml);
}

}  // namespace staged
