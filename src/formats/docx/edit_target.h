#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/docx/package.h"
#include "formats/docx/paragraph_editor.h"
#include "formats/docx/story_reader.h"
#include "staged/ext/format.h"

namespace staged::docx {

// A story opened for editing: its tree and records before the edits, and what changes.
struct EditableStory {
  std::string part;
  std::string prefix;
  const std::string* xml = nullptr;
  std::unique_ptr<XmlTree> tree;
  Story story;
  std::unordered_map<std::string, size_t> index_by_locator;
  std::map<size_t, std::unique_ptr<ParagraphEditor>> editors;  // by record
  std::map<size_t, std::string> deleted;   // by record: what stays in the paragraph's place
  std::map<size_t, std::string> inserted;  // by byte offset
};

// What a locator names.
struct EditTarget {
  EditableStory* story = nullptr;
  std::string kind;
  size_t record = SIZE_MAX;        // SIZE_MAX for a whole story
  std::vector<size_t> paragraphs;  // record indexes of the paragraphs in it
  std::optional<ByteSpan> span;    // of the paragraph's text: "p:12:4-10"
};

// The stories that edits touch, opened when first named. Not thread-safe.
class EditableStories {
 public:
  EditableStories(Package& package, const Limits& limits) : package_(package), limits_(limits) {}

  // Errors: kNoMatch, kAmbiguous (twin paragraph identifiers), kUnsupportedEdit (a part that is not
  // UTF-8), kParseFailed.
  [[nodiscard]] Result<EditTarget> Resolve(const std::string& locator);
  // Errors: kNoMatch when an earlier edit deleted the paragraph.
  [[nodiscard]] Result<ParagraphEditor*> EditorOf(EditableStory& story, size_t record);
  // The paragraph's text with earlier edits applied.
  [[nodiscard]] const std::string& TextOf(const EditableStory& story, size_t record) const;
  // A tracked deletion of the paragraph that holds `text`, or nullptr.
  [[nodiscard]] const std::string* DeletedTextWith(const EditableStory& story, size_t record,
                                                   const std::string& text) const;
  [[nodiscard]] Status InsertParagraph(const EditTarget& target, bool is_after,
                                       const std::string& text, const std::string* style);
  // Errors: kUnsupportedEdit with what would be orphaned.
  [[nodiscard]] Status DeleteParagraph(const EditTarget& target, const std::string& locator);
  void AddEffect(std::string locator, std::string description);
  [[nodiscard]] Result<EditOutcome> Finish();

 private:
  Result<EditableStory*> Open(const StoryPart& part);
  Result<EditableStory*> StoryOf(std::string_view locator);
  Result<EditTarget> ResolveParagraphId(const std::string& locator, std::string_view id);
  Result<EditTarget> ResolvePath(const std::string& path);
  Result<std::string> StyleProperties(const EditableStory& story, uint32_t neighbour,
                                      const std::string& style);
  Status CheckContainer(const EditableStory& story, uint32_t paragraph,
                        const std::string& locator) const;
  Result<std::string> RemainingMarkers(const EditableStory& story, uint32_t paragraph,
                                       const std::string& locator);
  Result<std::string> Assemble(EditableStory& story) const;

  Package& package_;
  const Limits limits_;
  std::map<std::string, std::unique_ptr<EditableStory>> stories_;  // by part
  std::vector<DerivedEffect> effects_;
};

}  // namespace staged::docx
