#include "formats/pptx/presentation_editor.h"

#include <algorithm>

#include "format/paragraph_edits.h"
#include "format/text_editor.h"
#include "formats/pptx/slide_list_editor.h"
#include "formats/pptx/story_editor.h"

namespace staged::pptx {
namespace {

bool IsTextOperation(const std::string& op) {
  return op == "replace_text" || op == "set" || op == "insert_before" || op == "insert_after" ||
         op == "append" || op == "delete";
}

class PresentationEditor {
 public:
  PresentationEditor(Deck& deck, const Limits& limits)
      : deck_(deck), limits_(limits), slides_(deck, limits) {}

  Status Apply(const Edit& edit) {
    if (edit.locator.empty()) return ReplaceEverywhere(edit);
    const StoryPart* story = deck_.FindStory(edit.locator);
    if (story == nullptr) {
      return Status(ErrorCode::kNoMatch,
                    "the file has no '" + edit.locator +
                        "'; list the locators with `staged parse FILE --jsonl`");
    }
    if (story->kind == StoryKind::kSlide && edit.locator == story->prefix &&
        (edit.op == "move" || edit.op == "delete")) {
      if (!story->has_unique_id) return NotUnique(edit);
      return edit.op == "move" ? slides_.Move(edit, *story) : slides_.Delete(*story);
    }
    STAGED_RETURN_IF_ERROR(CheckOwn(edit, *story));
    STAGED_ASSIGN_OR_RETURN(StoryEditor * editor, Open(*story));
    STAGED_ASSIGN_OR_RETURN(const ParagraphTarget target, editor->Resolve(edit.locator));
    if (edit.op == "set_geometry") return editor->SetGeometry(edit, target);
    if (edit.op == "set_alt_text") return editor->SetAltText(edit, target);
    if (edit.op == "set_hidden") return editor->SetHidden(edit, target);
    if (IsTextOperation(edit.op)) return editor->EditText(edit, target);
    return Status(ErrorCode::kUnsupportedEdit,
                  "a presentation has no edit '" + edit.op +
                      "' here; use replace_text, set, insert_before, insert_after, append, delete, "
                      "move, set_hidden, set_geometry or set_alt_text");
  }

  Result<EditOutcome> Finish() {
    EditOutcome outcome;
    OfficePackage& package = deck_.package();
    for (const auto& [part, editor] : editors_) {
      STAGED_ASSIGN_OR_RETURN(std::string xml, editor->Assemble());
      STAGED_ASSIGN_OR_RETURN(const std::string* before, package.ContentForEdit(part));
      if (xml != *before) package.Replace(part, std::move(xml));
    }
    STAGED_RETURN_IF_ERROR(slides_.Finish(outcome.derived));
    if (!package.is_changed()) {
      outcome.bytes = std::string(package.archive().bytes());
      return outcome;
    }
    if (package.IsSigned()) {
      outcome.derived.push_back({"", "the file's digital signature is no longer valid"});
    }
    STAGED_ASSIGN_OR_RETURN(outcome.bytes, package.Finish(outcome.rewritten_members));
    return outcome;
  }

 private:
  static Status NotUnique(const Edit& edit) {
    return Status(ErrorCode::kAmbiguous,
                  "several slides have the id of '" + edit.locator +
                      "'; save the file in its own application to renumber them");
  }

  // Parts beside the shapes are read only.
  static Status CheckOwn(const Edit& edit, const StoryPart& story) {
    const std::string rest = edit.locator.substr(story.prefix.size());
    for (const std::string_view name :
         {"/series:", "/text:", "/node:", "/chart", "/comment[", "/animation", "/transition"}) {
      if (rest.find(name) == std::string::npos) continue;
      return Status(ErrorCode::kUnsupportedEdit,
                    "charts, diagrams, comments and animations are read only; edit '" +
                        edit.locator + "' in its own application");
    }
    if (story.kind == StoryKind::kSlide && rest.starts_with("/notes")) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "'" + story.prefix + "' has no notes yet; add a first note in PowerPoint");
    }
    return OkStatus();
  }

  Result<StoryEditor*> Open(const StoryPart& story) {
    if (story.part.empty()) {
      return Status(ErrorCode::kParseFailed, "the part of '" + story.prefix +
                                                 "' is missing; restore the file from its source");
    }
    const auto found = editors_.find(story.part);
    if (found != editors_.end()) {
      if (&found->second->story() == &story) return found->second.get();
      return Status(ErrorCode::kAmbiguous, "'" + story.prefix + "' shares its part with '" +
                                               found->second->story().prefix +
                                               "'; save the file in its own application first");
    }
    STAGED_ASSIGN_OR_RETURN(const std::string* xml, deck_.package().ContentForEdit(story.part));
    STAGED_ASSIGN_OR_RETURN(std::unique_ptr<StoryEditor> editor,
                            StoryEditor::Open(deck_, story, *xml, limits_));
    return editors_.emplace(story.part, std::move(editor)).first->second.get();
  }

  // replace_text at "": all slides and their notes.
  Status ReplaceEverywhere(const Edit& edit) {
    if (edit.op != "replace_text") {
      return Status(ErrorCode::kUnsupportedEdit,
                    "only replace_text works on the whole file; give '" + edit.op +
                        "' a locator, such as slide[256]/shape[4]/p[1]");
    }
    STAGED_ASSIGN_OR_RETURN(const std::string find, DocumentTextArgument(edit, "find"));
    std::vector<TextElementEditor*> paragraphs;
    for (const StoryPart& story : deck_.stories()) {
      const bool is_shown = story.kind == StoryKind::kSlide || story.kind == StoryKind::kNotes;
      if (!is_shown || story.part.empty()) continue;
      STAGED_ASSIGN_OR_RETURN(StoryEditor * editor, Open(story));
      const Result<ParagraphTarget> target = editor->Resolve(story.prefix);
      if (!target.ok()) continue;
      STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> found,
                              editor->Editors(*target, find));
      paragraphs.insert(paragraphs.end(), found.begin(), found.end());
    }
    return ReplaceTextInParagraphs(edit, paragraphs);
  }

  Deck& deck_;
  const Limits limits_;
  SlideListEditor slides_;
  std::map<std::string, std::unique_ptr<StoryEditor>> editors_;  // by part
};

}  // namespace

Result<EditOutcome> EditPresentation(std::string_view bytes, const std::vector<Edit>& edits,
                                     const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<Deck> deck, Deck::Open(bytes, limits));
  PresentationEditor editor(*deck, limits);
  for (size_t i = 0; i < edits.size(); ++i) {
    Status status = editor.Apply(edits[i]);
    if (!status.ok()) return InEdit(std::move(status), i, edits.size());
  }
  return editor.Finish();
}

}  // namespace staged::pptx
