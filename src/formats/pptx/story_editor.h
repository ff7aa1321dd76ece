#pragma once

#include <map>
#include <memory>
#include <string>

#include "format/paragraph_story.h"
#include "formats/pptx/deck.h"
#include "formats/pptx/presentation_names.h"
#include "staged/ext/format.h"

namespace staged::pptx {

// One part with shapes while it is edited: all edits are planned against its old bytes.
class StoryEditor final : public ParagraphStory {
 public:
  // `xml` must outlive the editor. Errors: kParseFailed.
  [[nodiscard]] static Result<std::unique_ptr<StoryEditor>> Open(Deck& deck, const StoryPart& story,
                                                                 const std::string& xml,
                                                                 const Limits& limits);

  [[nodiscard]] const StoryPart& story() const { return story_; }
  // set_geometry {x?, y?, width?, height?, rotation?} in EMU and 60,000ths of a degree.
  [[nodiscard]] Status SetGeometry(const Edit& edit, const ParagraphTarget& target);
  // set_alt_text {text}.
  [[nodiscard]] Status SetAltText(const Edit& edit, const ParagraphTarget& target);
  // set_hidden {value} of a shape, or of the slide.
  [[nodiscard]] Status SetHidden(const Edit& edit, const ParagraphTarget& target);
  // The part's new text. Errors: kInvalidArgument when edits overlap.
  [[nodiscard]] Result<std::string> Assemble() const;

 protected:
  [[nodiscard]] NewParagraph MakeParagraph(uint32_t node, const std::string& text) const override;
  [[nodiscard]] Result<uint32_t> ElementToDelete(uint32_t paragraph,
                                                 const std::string& locator) const override;
  [[nodiscard]] bool IsBlock(uint32_t element) const override {
    return tree_[element].name == kParagraph;
  }
  // Duplicate ids are kAmbiguous.
  [[nodiscard]] Status CheckLocator(const std::string& locator) const override;
  [[nodiscard]] bool TakesLines(const std::string& kind) const override;
  [[nodiscard]] bool IsInWhole(const Record& paragraph) const override;

 private:
  StoryEditor(const StoryPart& story, std::unique_ptr<XmlTree> tree, ShapeStory shapes,
              const Limits& limits);

  [[nodiscard]] Result<uint32_t> ShapeOf(const Edit& edit, const ParagraphTarget& target) const;
  [[nodiscard]] uint32_t NonVisualOf(uint32_t shape) const;

  const StoryPart& story_;
  const Limits limits_;
  std::unique_ptr<XmlTree> tree_owner_;
  const XmlTree& tree_;
  std::map<uint32_t, Geometry> geometries_;                             // by shape
  std::map<std::pair<uint32_t, std::string>, std::string> attributes_;  // by element and name
};

}  // namespace staged::pptx
