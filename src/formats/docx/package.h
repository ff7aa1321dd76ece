#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/office_package.h"
#include "codec/xml_tree.h"
#include "formats/docx/numbering.h"
#include "formats/docx/relationships.h"
#include "formats/docx/story_reader.h"
#include "formats/docx/styles.h"
#include "staged/limits.h"
#include "staged/status.h"
#include "staged/view.h"

namespace staged::docx {

// A part whose text is read as a story.
struct StoryPart {
  std::string part;
  std::string prefix;  // of its locators: "", "hdr:1/", "glossary/"
  std::string kind;    // of the record that stands for the whole story: "header"; else ""
};

// An opened Word file: which part plays which role, and the contents read so far. Borrows the
// bytes. Not thread-safe.
class Package {
 public:
  // Errors: kParseFailed (no archive, or no document in it), kLimitExceeded.
  [[nodiscard]] static Result<std::unique_ptr<Package>> Open(std::string_view bytes,
                                                             const Limits& limits);

  [[nodiscard]] const ZipReader& archive() const { return office_->archive(); }
  // The main document first, then headers, footers, notes, comments, building blocks.
  [[nodiscard]] const std::vector<StoryPart>& stories() const { return stories_; }
  [[nodiscard]] const StoryPart* FindStory(std::string_view part) const;
  // The part with that role ("styles", "settings", "core-properties"), or "".
  [[nodiscard]] std::string PartOfRole(std::string_view role) const;
  [[nodiscard]] const Relationships& RelationshipsOf(const std::string& part);

  // The parts by name: contents, digests, changes.
  [[nodiscard]] OfficePackage& office() { return *office_; }

  [[nodiscard]] const StyleTable& styles();
  [[nodiscard]] const NumberingTable& numbering();
  // Everything that the records of the story depend on.
  [[nodiscard]] StoryContext ContextOf(const StoryPart& story);
  [[nodiscard]] std::string StoryLocator(const std::string& part) const;
  // The part with what is drawn on a chart (its text comes with the chart's), or "".
  [[nodiscard]] std::string TextPartOf(const std::string& part);

 private:
  explicit Package(const Limits& limits) : limits_(limits) {}
  Status FindMainPart();
  void FindStories();
  void AddStory(StoryPart story);
  void AddNumberedStories(std::string_view role, std::string_view prefix, std::string_view kind);
  const RelatedPart& Related(const std::string& part);
  Value::Array MediaOf(const std::string& part);

  const Limits limits_;
  std::unique_ptr<OfficePackage> office_;
  std::string main_part_;
  Relationships package_relationships_;
  std::vector<StoryPart> stories_;
  std::map<std::string, size_t, std::less<>> story_by_part_;
  std::map<std::string, Relationships> relationships_;
  std::map<std::string, RelatedPart> related_;
  std::unique_ptr<StyleTable> styles_;
  std::unique_ptr<NumberingTable> numbering_;
};

}  // namespace staged::docx
