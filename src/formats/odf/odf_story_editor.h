#pragma once

#include <memory>
#include <string>

#include "format/paragraph_story.h"
#include "formats/odf/odf_stories.h"

namespace staged::odf {

// Text edits in a body, header, slide, or in what stands beside the cells of a sheet.
class OdfStoryEditor final : public ParagraphStory {
 public:
  OdfStoryEditor(const OdfFile& file, const OdfStory& story, Blocks blocks, const Limits& limits);

 protected:
  [[nodiscard]] NewParagraph MakeParagraph(uint32_t node, const std::string& text) const override;
  [[nodiscard]] Result<uint32_t> ElementToDelete(uint32_t paragraph,
                                                 const std::string& locator) const override;
  [[nodiscard]] bool IsBlock(uint32_t element) const override;
  [[nodiscard]] Status CheckLocator(const std::string&) const override { return OkStatus(); }
  [[nodiscard]] bool TakesLines(const std::string& kind) const override;
  [[nodiscard]] bool IsInWhole(const Record& paragraph) const override;

 private:
  [[nodiscard]] uint32_t OnlyChildOf(uint32_t parent) const;
};

}  // namespace staged::odf
