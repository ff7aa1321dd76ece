#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/office_package.h"
#include "formats/pptx/shape_reader.h"

namespace staged::pptx {

enum class StoryKind : uint8_t {
  kSlide,
  kNotes,
  kLayout,
  kMaster,
  kNotesMaster,
  kHandoutMaster,
};

// A part with a shape tree.
struct StoryPart {
  StoryKind kind = StoryKind::kSlide;
  std::string prefix;  // its locator: "slide[256]", "slide[256]/notes", "layout[2147483649]"
  std::string part;
  std::string layout_part;
  std::string master_part;
  size_t number = 0;            // slides: from 1
  bool has_unique_id = true;    // false: another slide has the same id
  std::string relationship_id;  // slides: of the presentation part
};

// An opened presentation: which part plays which role. Not thread-safe.
class Deck {
 public:
  // Errors: kParseFailed (no archive, or no presentation in it), kLimitExceeded.
  [[nodiscard]] static Result<std::unique_ptr<Deck>> Open(std::string_view bytes,
                                                          const Limits& limits);

  [[nodiscard]] OfficePackage& package() { return *package_; }
  [[nodiscard]] const std::string& main_part() const { return main_part_; }
  // Slides in their order, each followed by its notes; then masters, each followed by its layouts.
  [[nodiscard]] const std::vector<StoryPart>& stories() const { return stories_; }
  // The story whose locators begin with the locator's first segments; nullptr when none.
  [[nodiscard]] const StoryPart* FindStory(std::string_view locator) const;
  [[nodiscard]] int64_t slide_width() const { return slide_width_; }
  [[nodiscard]] int64_t slide_height() const { return slide_height_; }
  // What the records of a story depend on. `hidden`: why its slide is not shown, or "".
  [[nodiscard]] ShapeContext ContextOf(const StoryPart& story, std::string hidden);
  // Relationships and digests of any part; nothing else is set.
  [[nodiscard]] ShapeContext ContextOfPart(const std::string& part);
  // The name of a layout or master (p:cSld name), or "".
  [[nodiscard]] std::string NameOf(const std::string& part);

 private:
  explicit Deck(const Limits& limits) : limits_(limits) {}
  Status ReadPresentation();
  void AddSlide(const XmlTree& tree, uint32_t slide, std::map<std::string, int>& counts);
  void AddMaster(const XmlTree& tree, uint32_t master);
  void AddOtherMasters();
  struct Layout {
    std::string name;
    std::vector<Placeholder> placeholders;
  };
  const Layout& LayoutOf(const std::string& part);

  const Limits limits_;
  std::unique_ptr<OfficePackage> package_;
  std::string main_part_;
  int64_t slide_width_ = 0;
  int64_t slide_height_ = 0;
  std::vector<StoryPart> stories_;
  std::map<std::string, size_t, std::less<>> story_by_prefix_;
  std::map<std::string, Layout> layouts_;
};

// "hidden slide" when the slide is not shown, else "".
[[nodiscard]] std::string HiddenReason(const XmlTree& slide);

}  // namespace staged::pptx
