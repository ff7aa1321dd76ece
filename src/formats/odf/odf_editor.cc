#include "formats/odf/odf_editor.h"

#include <map>

#include "codec/xml.h"
#include "format/paragraph_edits.h"
#include "format/text_editor.h"
#include "formats/odf/odf_names.h"
#include "formats/odf/odf_story_editor.h"
#include "formats/odf/sheet_editor.h"

namespace staged::odf {
namespace {

class OdfEditor {
 public:
  OdfEditor(OdfFile& file, OdfKind kind, std::string_view bytes, const Limits& limits)
      : file_(file), bytes_(bytes), limits_(limits), stories_(StoriesOf(file, kind)) {}

  Status Apply(const Edit& edit) {
    if (edit.locator.empty()) return ReplaceEverywhere(edit);
    STAGED_ASSIGN_OR_RETURN(const size_t index, StoryOf(edit.locator));
    const OdfStory& story = stories_[index];
    if (story.kind == "sheet") {
      const std::optional<SheetLocator> split = SplitSheetLocator(edit.locator);
      const std::optional<CellAddress> cell = split ? ParseCellAddress(split->rest) : std::nullopt;
      if (cell) return EditCell(edit, index, *cell);
    }
    STAGED_ASSIGN_OR_RETURN(OdfStoryEditor * editor, EditorOf(index));
    STAGED_ASSIGN_OR_RETURN(const ParagraphTarget target, editor->Resolve(edit.locator));
    for (const std::string_view op :
         {"replace_text", "set", "insert_before", "insert_after", "append", "delete"}) {
      if (edit.op == op) return editor->EditText(edit, target);
    }
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + edit.locator + "' has no edit '" + edit.op +
                      "'; use replace_text, set, insert_before, insert_after, append or delete");
  }

  Result<EditOutcome> Finish() {
    EditOutcome outcome;
    std::map<std::string, SplicePlan> plans;  // by part
    for (const auto& [index, editor] : editors_) editor->AddTo(plans[stories_[index].part]);
    for (const auto& [index, editor] : sheets_) {
      STAGED_RETURN_IF_ERROR(editor->AddTo(plans[stories_[index].part]));
    }
    OfficePackage* package = file_.package();
    for (const auto& [part, plan] : plans) {
      if (plan.empty()) continue;
      const bool is_styles = package != nullptr && part == file_.styles_part();
      const XmlTree& tree = is_styles ? file_.styles_tree() : file_.content();
      STAGED_ASSIGN_OR_RETURN(std::string xml, plan.Apply(tree.source()));
      STAGED_RETURN_IF_ERROR(XmlTree(xml, OdfVocabulary(), limits_).error());
      if (package == nullptr) {
        outcome.bytes = std::move(xml);
      } else if (xml != tree.source()) {
        package->Replace(part, std::move(xml));
      }
    }
    AddEffects(outcome.derived);
    if (package == nullptr) {
      if (outcome.bytes.empty()) outcome.bytes = std::string(bytes_);
      return outcome;
    }
    if (!package->is_changed()) {
      outcome.bytes = std::string(bytes_);
      return outcome;
    }
    STAGED_ASSIGN_OR_RETURN(outcome.bytes, package->Finish(outcome.rewritten_members));
    return outcome;
  }

 private:
  // The story that a locator leads into.
  Result<size_t> StoryOf(const std::string& locator) const {
    const std::optional<SheetLocator> split = SplitSheetLocator(locator);
    const std::string first = locator.substr(0, locator.find('/'));
    size_t body = SIZE_MAX;
    for (size_t i = 0; i < stories_.size(); ++i) {
      const OdfStory& story = stories_[i];
      if (story.kind == "body") body = i;
      if (story.kind == "sheet") {
        const std::string sheet = split && !split->sheet.empty() ? split->sheet : "";
        if (story.name == sheet || story.locator == locator) return i;
      } else if (!story.locator.empty() && story.locator == first) {
        return i;
      }
    }
    if (body != SIZE_MAX) return body;
    return Status(ErrorCode::kNoMatch, "the file has no '" + locator +
                                           "'; list the locators with `staged parse FILE --jsonl`");
  }

  Status CheckEditable(const OdfStory& story) {
    STAGED_RETURN_IF_ERROR(TreeOf(file_, story).error());
    OfficePackage* package = file_.package();
    if (package != nullptr) return package->ContentForEdit(story.part).status();
    if (file_.content().source().size() == bytes_.size() && !bytes_.starts_with("\xFE\xFF") &&
        !bytes_.starts_with("\xFF\xFE")) {
      return OkStatus();
    }
    return Status(ErrorCode::kUnsupportedEdit,
                  "the file is not in UTF-8; save it once with its own application");
  }

  Result<OdfStoryEditor*> EditorOf(size_t index) {
    std::unique_ptr<OdfStoryEditor>& editor = editors_[index];
    if (editor == nullptr) {
      const OdfStory& story = stories_[index];
      STAGED_RETURN_IF_ERROR(CheckEditable(story));
      editor = std::make_unique<OdfStoryEditor>(file_, story,
                                                ReadStory(file_, story, file_.Context()), limits_);
    }
    return editor.get();
  }

  Status EditCell(const Edit& edit, size_t index, CellAddress cell) {
    std::unique_ptr<SheetEditor>& editor = sheets_[index];
    if (editor == nullptr) {
      STAGED_RETURN_IF_ERROR(CheckEditable(stories_[index]));
      editor = std::make_unique<SheetEditor>(TreeOf(file_, stories_[index]), stories_[index].node,
                                             limits_);
    }
    return editor->Edit(edit, cell);
  }

  // replace_text at "": the body, or all slides.
  Status ReplaceEverywhere(const Edit& edit) {
    if (edit.op != "replace_text") {
      return Status(ErrorCode::kUnsupportedEdit,
                    "only replace_text works on the whole file; give '" + edit.op + "' a locator");
    }
    STAGED_ASSIGN_OR_RETURN(const std::string find, DocumentTextArgument(edit, "find"));
    std::vector<TextElementEditor*> paragraphs;
    for (size_t i = 0; i < stories_.size(); ++i) {
      if (stories_[i].kind == "sheet") {
        return Status(ErrorCode::kUnsupportedEdit,
                      "replace_text works on one cell at a time; give it one, such as Sheet1!B7");
      }
      if (stories_[i].kind != "body" && stories_[i].kind != "slide") continue;
      STAGED_ASSIGN_OR_RETURN(OdfStoryEditor * editor, EditorOf(i));
      STAGED_ASSIGN_OR_RETURN(const ParagraphTarget target, editor->Resolve(stories_[i].locator));
      STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> found,
                              editor->Editors(target, find));
      paragraphs.insert(paragraphs.end(), found.begin(), found.end());
    }
    return ReplaceTextInParagraphs(edit, paragraphs);
  }

  void AddEffects(std::vector<DerivedEffect>& derived) {
    const bool has_formulas = !sheets_.empty() && file_.content().source().find("table:formula=") !=
                                                      std::string_view::npos;
    if (has_formulas) {
      derived.push_back({"",
                         "formulas keep their stored results until the document is recalculated "
                         "(Data, Calculate, Recalculate Hard)"});
    }
    if (file_.package() != nullptr && file_.package()->IsSigned()) {
      derived.push_back({"", "the file's digital signature is no longer valid"});
    }
  }

  OdfFile& file_;
  const std::string_view bytes_;
  const Limits limits_;
  const std::vector<OdfStory> stories_;
  std::map<size_t, std::unique_ptr<OdfStoryEditor>> editors_;  // by story
  std::map<size_t, std::unique_ptr<SheetEditor>> sheets_;
};

}  // namespace

Result<EditOutcome> EditOdf(std::string_view bytes, OdfKind kind, const std::vector<Edit>& edits,
                            const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<OdfFile> file, OdfFile::Open(bytes, kind, limits));
  std::vector<Diagnostic> diagnostics;
  STAGED_RETURN_IF_ERROR(file->ReadTrees(diagnostics));
  OdfEditor editor(*file, kind, bytes, limits);
  for (size_t i = 0; i < edits.size(); ++i) {
    Status status = editor.Apply(edits[i]);
    if (!status.ok()) return InEdit(std::move(status), i, edits.size());
  }
  return editor.Finish();
}

}  // namespace staged::odf
