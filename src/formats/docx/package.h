#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/xml_tree.h"
#include "codec/zip.h"
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

  [[nodiscard]] const ZipReader& archive() const { return archive_; }
  // The main document first, then headers, footers, notes, comments, building blocks.
  [[nodiscard]] const std::vector<StoryPart>& stories() const { return stories_; }
  [[nodiscard]] const StoryPart* FindStory(std::string_view part) const;
  // The part with that role ("styles", "settings", "core-properties"), or "".
  [[nodiscard]] std::string PartOfRole(std::string_view role) const;
  [[nodiscard]] const Relationships& RelationshipsOf(const std::string& part);

  // Content of a part as UTF-8, read once. Errors: kNotFound, kParseFailed, kLimitExceeded.
  [[nodiscard]] Result<const std::string*> Content(const std::string& part);
  // Whether the part's own bytes are UTF-8, so that it can be spliced. REQUIRES:
  // Content(part).ok().
  [[nodiscard]] bool IsUtf8(const std::string& part) const { return !converted_.contains(part); }

  // Reads and hashes every member; keeps the content of those that play a role.
  [[nodiscard]] std::vector<Part> DigestAll(std::vector<Diagnostic>& diagnostics);
  // Digest of a part, zero when it is missing or DigestAll was not called.
  [[nodiscard]] ContentHash DigestOf(const std::string& part) const;

  [[nodiscard]] const StyleTable& styles();
  [[nodiscard]] const NumberingTable& numbering();
  // Everything that the records of the story depend on.
  [[nodiscard]] StoryContext ContextOf(const StoryPart& story);
  [[nodiscard]] std::string StoryLocator(const std::string& part) const;

 private:
  explicit Package(const Limits& limits) : limits_(limits) {}
  Status FindMainPart();
  void FindStories();
  void AddStory(StoryPart story);
  void AddNumberedStories(std::string_view role, std::string_view prefix, std::string_view kind);
  RelatedPart Related(const std::string& part);

  const Limits limits_;
  ZipReader archive_;
  std::optional<OpcPackage> opc_;  // borrows archive_
  uint64_t expanded_bytes_ = 0;
  std::string main_part_;
  Relationships package_relationships_;
  std::vector<StoryPart> stories_;
  std::map<std::string, size_t, std::less<>> story_by_part_;
  std::map<std::string, Relationships> relationships_;
  std::map<std::string, std::string> contents_;
  std::map<std::string, bool> converted_;
  std::map<std::string, ContentHash> digests_;
  std::unique_ptr<StyleTable> styles_;
  std::unique_ptr<NumberingTable> numbering_;
};

}  // namespace staged::docx
