#include "formats/docx/document_editor.h"

#include <algorithm>
#include <map>
#include <set>

#include "formats/docx/edit_target.h"
#include "formats/docx/paragraph_editor.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

// The string argument of that name, or kInvalidArgument.
Result<std::string> TextArgument(const Edit& edit, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Value* value = edit.arguments.Find(name);
    if (value != nullptr && value->is_string()) {
      std::string text;
      for (const char c : value->as_string()) {
        if (c != '\r') text += c;  // line ends are '\n' inside a document
      }
      return text;
    }
  }
  return Status(ErrorCode::kInvalidArgument, "the edit '" + edit.op + "' needs the argument \"" +
                                                 std::string(*names.begin()) + "\" (a text)");
}

struct Match {
  ParagraphEditor* editor;
  size_t begin;
};

class DocumentEditor {
 public:
  DocumentEditor(Package& package, const Limits& limits) : stories_(package, limits) {}

  Status Apply(const Edit& edit) {
    STAGED_ASSIGN_OR_RETURN(const EditTarget target, stories_.Resolve(edit.locator));
    if (edit.op == "insert_before" || edit.op == "insert_after") return Insert(edit, target);
    STAGED_RETURN_IF_ERROR(CheckExpected(edit, target));
    if (edit.op == "replace_text") {
      return target.span ? ReplaceSpan(edit, target) : ReplaceText(edit, target);
    }
    if (edit.op == "set") return target.span ? ReplaceSpan(edit, target) : Set(edit, target);
    if (edit.op == "delete") return Delete(edit, target);
    return Status(ErrorCode::kUnsupportedEdit,
                  "a Word document has no edit '" + edit.op +
                      "'; use replace_text, set, insert_before, insert_after or delete");
  }

  Result<EditOutcome> Finish() { return stories_.Finish(); }

 private:
  Result<std::vector<ParagraphEditor*>> Editors(const EditTarget& target) {
    std::vector<ParagraphEditor*> editors;
    for (const size_t paragraph : target.paragraphs) {
      STAGED_ASSIGN_OR_RETURN(ParagraphEditor * editor,
                              stories_.EditorOf(*target.story, paragraph));
      editors.push_back(editor);
    }
    return editors;
  }

  Status CheckExpected(const Edit& edit, const EditTarget& target) {
    if (!edit.expect) return OkStatus();
    STAGED_ASSIGN_OR_RETURN(const std::vector<ParagraphEditor*> editors, Editors(target));
    std::string actual;
    for (const ParagraphEditor* editor : editors) {
      if (editor != editors.front()) actual += '\n';
      actual += editor->text();
    }
    if (target.span) {
      const size_t begin = std::min<size_t>(target.span->begin, actual.size());
      actual = actual.substr(begin, target.span->end - target.span->begin);
    }
    if (edit.expect->is_string() && edit.expect->as_string() == actual) return OkStatus();
    Value details;
    details.Set("actual", actual);
    return Status(ErrorCode::kNoMatch,
                  "'" + edit.locator + "' does not hold the expected text but '" + actual +
                      "'; read it again and repeat the edit",
                  std::move(details));
  }

  Status ReplaceText(const Edit& edit, const EditTarget& target) {
    STAGED_ASSIGN_OR_RETURN(const std::string find, TextArgument(edit, {"find"}));
    STAGED_ASSIGN_OR_RETURN(const std::string replace, TextArgument(edit, {"replace"}));
    if (find.empty()) {
      return Status(ErrorCode::kInvalidArgument, "the argument \"find\" must not be empty");
    }
    STAGED_ASSIGN_OR_RETURN(const std::vector<ParagraphEditor*> editors,
                            FindableEditors(edit, target, find));
    std::vector<Match> matches;
    for (ParagraphEditor* editor : editors) {
      const std::string& text = editor->text();
      for (size_t at = text.find(find); at != std::string::npos;
           at = text.find(find, at + find.size())) {
        matches.push_back({editor, at});
      }
    }
    STAGED_ASSIGN_OR_RETURN(const std::vector<Match> chosen,
                            Choose(edit, target, matches, editors));
    for (size_t i = 0; i < chosen.size();) {
      ParagraphEditor* editor = chosen[i].editor;
      std::vector<TextReplacement> replacements;
      for (; i < chosen.size() && chosen[i].editor == editor; ++i) {
        replacements.push_back({chosen[i].begin, chosen[i].begin + find.size(), replace});
      }
      STAGED_RETURN_IF_ERROR(Replace(edit, *editor, replacements));
    }
    return OkStatus();
  }

  // Editors of the paragraphs that hold the text; those of a big container that do not are skipped
  // before any of their XML is read.
  Result<std::vector<ParagraphEditor*>> FindableEditors(const Edit& edit, const EditTarget& target,
                                                        const std::string& find) {
    EditTarget narrowed = target;
    if (target.paragraphs.size() > 1) {
      std::erase_if(narrowed.paragraphs, [&](size_t paragraph) {
        return stories_.TextOf(*target.story, paragraph).find(find) == std::string::npos;
      });
    }
    STAGED_ASSIGN_OR_RETURN(std::vector<ParagraphEditor*> editors, Editors(narrowed));
    for (const ParagraphEditor* editor : editors) {
      if (editor->text().find(find) != std::string::npos) return editors;
    }
    for (const size_t paragraph : target.paragraphs) {
      const std::string* deleted = stories_.DeletedTextWith(*target.story, paragraph, find);
      if (deleted == nullptr) continue;
      return Status(ErrorCode::kUnsupportedEdit,
                    "'" + find + "' stands only in a tracked deletion of '" + edit.locator +
                        "'; accept or reject that change in Word first");
    }
    return editors;
  }

  Result<std::vector<Match>> Choose(const Edit& edit, const EditTarget& target,
                                    const std::vector<Match>& matches,
                                    const std::vector<ParagraphEditor*>& editors) {
    if (matches.empty()) {
      Value details;
      if (target.paragraphs.size() == 1 && !editors.empty()) {
        details.Set("actual", editors.front()->text());
      }
      const std::string shown =
          details.is_null() ? "none of its paragraphs" : "'" + editors.front()->text() + "'";
      return Status(ErrorCode::kNoMatch,
                    "the text to find is not in '" + edit.locator + "': its text is " + shown,
                    std::move(details));
    }
    const Value* all = edit.arguments.Find("all");
    if (all != nullptr && *all == Value(true)) return matches;
    const Value* occurrence = edit.arguments.Find("occurrence");
    if (occurrence != nullptr) {
      const int64_t which = occurrence->is_integer() ? occurrence->as_integer() : 0;
      if (which < 1 || static_cast<size_t>(which) > matches.size()) {
        return Status(ErrorCode::kNoMatch, "'" + edit.locator + "' has " +
                                               std::to_string(matches.size()) +
                                               " occurrences; count them from 1");
      }
      return std::vector<Match>{matches[static_cast<size_t>(which - 1)]};
    }
    if (matches.size() == 1) return matches;
    Value details;
    details.Set("occurrences", static_cast<int64_t>(matches.size()));
    return Status(ErrorCode::kAmbiguous,
                  "the text stands " + std::to_string(matches.size()) + " times in '" +
                      edit.locator +
                      "'; add \"occurrence\": n or \"all\": true, or find more of it",
                  std::move(details));
  }

  Status ReplaceSpan(const Edit& edit, const EditTarget& target) {
    STAGED_ASSIGN_OR_RETURN(const std::string replace,
                            TextArgument(edit, {"replace", "text", "value"}));
    STAGED_ASSIGN_OR_RETURN(const std::vector<ParagraphEditor*> editors, Editors(target));
    ParagraphEditor& editor = *editors.front();
    const Value* find = edit.arguments.Find("find");
    if (find != nullptr && target.span->end <= editor.text().size() &&
        *find != Value(editor.text().substr(target.span->begin,
                                            target.span->end - target.span->begin))) {
      return Status(ErrorCode::kNoMatch,
                    "the span '" + edit.locator + "' does not hold the text to find");
    }
    return Replace(edit, editor, {{target.span->begin, target.span->end, replace}});
  }

  Status Set(const Edit& edit, const EditTarget& target) {
    STAGED_ASSIGN_OR_RETURN(const std::string text, TextArgument(edit, {"text", "value"}));
    if (target.paragraphs.size() != 1) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "'" + edit.locator + "' holds " + std::to_string(target.paragraphs.size()) +
                        " paragraphs; set them one by one (" + edit.locator + "/p:1 ...)");
    }
    STAGED_ASSIGN_OR_RETURN(const std::vector<ParagraphEditor*> editors, Editors(target));
    const TextReplacement difference = TextDifference(editors.front()->text(), text);
    if (difference.begin == difference.end && difference.text.empty()) return OkStatus();
    return Replace(edit, *editors.front(), {difference});
  }

  Status Replace(const Edit& edit, ParagraphEditor& editor,
                 const std::vector<TextReplacement>& replacements) {
    const auto touches = [&](size_t begin, size_t end) {
      return std::any_of(
          replacements.begin(), replacements.end(),
          [&](const TextReplacement& item) { return item.begin < end && item.end > begin; });
    };
    for (const FieldRange& field : editor.content().fields) {
      if (touches(field.begin, field.end)) {
        stories_.AddEffect(edit.locator,
                           "a field's result was changed; it is computed anew when "
                           "fields are updated");
      }
    }
    for (const InlineRange& control : editor.content().controls) {
      const uint32_t properties = editor.tree().Child(control.node, kContentControlProperties);
      if (touches(control.begin, control.end) && properties != XmlTree::kNone &&
          editor.tree().Child(properties, kDataBinding) != XmlTree::kNone) {
        stories_.AddEffect(edit.locator,
                           "a content control bound to a data store was changed; "
                           "Word shows the store's value when it opens the file");
      }
    }
    return editor.Replace(replacements);
  }

  Status Insert(const Edit& edit, const EditTarget& target) {
    STAGED_ASSIGN_OR_RETURN(const std::string text, TextArgument(edit, {"text"}));
    if (target.span || (target.kind != "paragraph" && target.kind != "table")) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "a paragraph is inserted before or after a paragraph or table, not '" +
                        edit.locator + "'; name one, such as p:1");
    }
    if (edit.expect) STAGED_RETURN_IF_ERROR(CheckExpected(edit, target));
    if (!XmlCanHold(text)) {
      return Status(ErrorCode::kInvalidArgument,
                    "the text holds a control character or malformed UTF-8, which a document "
                    "cannot store; leave it out");
    }
    const Value* style = edit.arguments.Find("style");
    if (style != nullptr && !style->is_string()) {
      return Status(ErrorCode::kInvalidArgument, "the argument \"style\" must be a style's name");
    }
    return stories_.InsertParagraph(target, edit.op == "insert_after", text,
                                    style == nullptr ? nullptr : &style->as_string());
  }

  Status Delete(const Edit& edit, const EditTarget& target) {
    if (target.span) return ReplaceSpanWithNothing(edit, target);
    if (target.kind != "paragraph") {
      return Status(ErrorCode::kUnsupportedEdit, "only paragraphs are deleted, not '" +
                                                     edit.locator +
                                                     "'; replace its text, or delete it in Word");
    }
    return stories_.DeleteParagraph(target, edit.locator);
  }

  Status ReplaceSpanWithNothing(const Edit& edit, const EditTarget& target) {
    STAGED_ASSIGN_OR_RETURN(const std::vector<ParagraphEditor*> editors, Editors(target));
    return Replace(edit, *editors.front(), {{target.span->begin, target.span->end, ""}});
  }

  EditableStories stories_;
};

}  // namespace

Result<EditOutcome> EditDocument(std::string_view bytes, const std::vector<Edit>& edits,
                                 const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<Package> package, Package::Open(bytes, limits));
  DocumentEditor editor(*package, limits);
  for (size_t i = 0; i < edits.size(); ++i) {
    Status status = editor.Apply(edits[i]);
    if (!status.ok()) return std::move(status).WithDetail("edit", static_cast<int64_t>(i));
  }
  return editor.Finish();
}

}  // namespace staged::docx
