#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codec/splice.h"
#include "codec/text_elements.h"
#include "formats/pptx/deck.h"
#include "formats/pptx/presentation_names.h"
#include "staged/ext/format.h"

namespace staged::pptx {

// What a locator names within one story.
struct EditTarget {
  std::string kind;
  size_t record = SIZE_MAX;        // SIZE_MAX for the whole story
  std::vector<size_t> paragraphs;  // records of the paragraphs in it, in order
  std::optional<ByteSpan> span;    // of the paragraph's text
};

// One part with shapes while it is edited: all edits are planned against its old bytes.
class StoryEditor {
 public:
  // `xml` must outlive the editor. Errors: kParseFailed.
  [[nodiscard]] static Result<std::unique_ptr<StoryEditor>> Open(Deck& deck, const StoryPart& story,
                                                                 const std::string& xml,
                                                                 const Limits& limits);

  [[nodiscard]] const StoryPart& story() const { return story_; }
  // Errors: kNoMatch, kAmbiguous (a duplicate shape id), kUnsupportedEdit.
  [[nodiscard]] Result<EditTarget> Resolve(const std::string& locator) const;

  // Text edits: replace_text, set, insert_before, insert_after, append, delete.
  [[nodiscard]] Status EditText(const Edit& edit, const EditTarget& target);
  // Editors of those paragraphs whose text may hold `text`; of all when it is empty.
  [[nodiscard]] Result<std::vector<TextElementEditor*>> Editors(const EditTarget& target,
                                                                const std::string& text = "");
  // set_geometry {x?, y?, width?, height?, rotation?} in EMU and 60,000ths of a degree.
  [[nodiscard]] Status SetGeometry(const Edit& edit, const EditTarget& target);
  // set_alt_text {text}.
  [[nodiscard]] Status SetAltText(const Edit& edit, const EditTarget& target);
  // set_hidden {value} of a shape, or of the slide.
  [[nodiscard]] Status SetHidden(const Edit& edit, const EditTarget& target);
  // The part's new text. Errors: kInvalidArgument when edits overlap.
  [[nodiscard]] Result<std::string> Assemble() const;

 private:
  StoryEditor(const StoryPart& story, const std::string& xml, const Limits& limits)
      : story_(story), limits_(limits), tree_(xml, PresentationVocabulary(), limits) {}

  [[nodiscard]] Status CheckUnique(const std::string& locator) const;
  [[nodiscard]] Result<TextElementEditor*> EditorOf(size_t record);
  [[nodiscard]] Status ReplaceText(const Edit& edit, const EditTarget& target);
  [[nodiscard]] Status Set(const Edit& edit, const EditTarget& target);
  [[nodiscard]] Status SetLines(const EditTarget& target, const std::string& text);
  [[nodiscard]] Status Insert(const Edit& edit, const EditTarget& target);
  [[nodiscard]] Status InsertParagraph(size_t neighbour, bool is_after, const std::string& text);
  [[nodiscard]] Status DeleteParagraph(size_t record);
  [[nodiscard]] Status CheckDeletable(const EditTarget& target, const std::string& locator) const;
  [[nodiscard]] Result<uint32_t> ShapeOf(const Edit& edit, const EditTarget& target) const;
  [[nodiscard]] uint32_t NonVisualOf(uint32_t shape) const;

  const StoryPart& story_;
  const Limits limits_;
  XmlTree tree_;
  ShapeStory shapes_;
  std::unordered_map<std::string, size_t> index_by_locator_;
  std::map<size_t, std::unique_ptr<TextElementEditor>> editors_;        // by record
  std::set<size_t> deleted_;                                            // records of paragraphs
  std::map<size_t, std::string> inserted_;                              // by byte offset
  std::map<uint32_t, Geometry> geometries_;                             // by shape
  std::map<std::pair<uint32_t, std::string>, std::string> attributes_;  // by element and name
};

}  // namespace staged::pptx
