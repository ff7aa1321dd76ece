#pragma once

#include <set>
#include <string>
#include <vector>

#include "formats/pptx/deck.h"
#include "staged/ext/format.h"

namespace staged::pptx {

// Which slides there are and in what order: p:sldIdLst of the presentation part, and the parts that
// go with a slide. All edits are planned against the old list.
class SlideListEditor {
 public:
  SlideListEditor(Deck& deck, const Limits& limits);

  // Errors: kNoMatch (deleted before), kUnsupportedEdit (other parts refer to the slide).
  [[nodiscard]] Status Delete(const StoryPart& slide);
  // move {before: locator} or {after: locator} or {to: number from 1}.
  [[nodiscard]] Status Move(const Edit& edit, const StoryPart& slide);
  [[nodiscard]] bool is_changed() const;
  // Puts the changes into the package. Appends what they imply.
  [[nodiscard]] Status Finish(std::vector<DerivedEffect>& derived);

 private:
  [[nodiscard]] Result<size_t> PositionOf(const StoryPart& slide) const;
  [[nodiscard]] Result<std::string> NewPresentation(const std::string& xml) const;
  [[nodiscard]] std::set<std::string> ReachableParts(const std::set<std::string>& cut) const;
  [[nodiscard]] Status RemoveParts(std::vector<DerivedEffect>& derived);

  Deck& deck_;
  const Limits limits_;
  std::vector<const StoryPart*> before_;
  std::vector<const StoryPart*> order_;
  std::set<std::string> deleted_;  // relationship ids
};

}  // namespace staged::pptx
