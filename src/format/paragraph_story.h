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
#include "staged/ext/format.h"

namespace staged {

// What a locator names within one story.
struct ParagraphTarget {
  std::string kind;                // of the record; "story" for the whole
  size_t record = SIZE_MAX;        // SIZE_MAX for the whole story
  std::vector<size_t> paragraphs;  // records of the paragraphs in it, in order
  std::optional<ByteSpan> span;    // of the paragraph's text
};

// Text edits in one part of an office file whose records are known: all are planned against its old
// bytes. A format says what a new paragraph looks like and which may go. Borrows the tree.
class ParagraphStory {
 public:
  // `whole`: the locator of the story itself; `nodes`: the element of each record.
  ParagraphStory(const XmlTree& tree, std::string whole, std::vector<Record> records,
                 std::vector<uint32_t> nodes, const TextDialect& dialect, const Limits& limits);
  virtual ~ParagraphStory() = default;
  ParagraphStory(const ParagraphStory&) = delete;
  ParagraphStory& operator=(const ParagraphStory&) = delete;

  // Errors: kNoMatch, and those of CheckLocator.
  [[nodiscard]] Result<ParagraphTarget> Resolve(const std::string& locator) const;
  // replace_text, set, insert_before, insert_after, append, delete.
  [[nodiscard]] Status EditText(const Edit& edit, const ParagraphTarget& target);
  // Editors of those paragraphs whose text may hold `text`; of all when it is empty.
  [[nodiscard]] Result<std::vector<TextElementEditor*>> Editors(const ParagraphTarget& target,
                                                                const std::string& text = "");
  // The changes of the part.
  void AddTo(SplicePlan& plan) const;

 protected:
  struct NewParagraph {
    uint32_t anchor = XmlTree::kNone;  // the element that it stands before or behind
    std::string xml;
  };
  // A paragraph of that text as the neighbour would be continued.
  [[nodiscard]] virtual NewParagraph MakeParagraph(uint32_t neighbour,
                                                   const std::string& text) const = 0;
  // The element that goes when the paragraph is deleted. Errors: kUnsupportedEdit.
  [[nodiscard]] virtual Result<uint32_t> ElementToDelete(uint32_t paragraph,
                                                         const std::string& locator) const = 0;
  // Whether an element beside a deleted one is text that stays.
  [[nodiscard]] virtual bool IsBlock(uint32_t element) const = 0;
  // Whether edits may go through the locator at all.
  [[nodiscard]] virtual Status CheckLocator(const std::string& locator) const = 0;
  // Whether `set` may give the lines of a text to all paragraphs of such a record.
  [[nodiscard]] virtual bool TakesLines(const std::string& kind) const = 0;
  // Whether the paragraph belongs to the story when it is named as a whole.
  [[nodiscard]] virtual bool IsInWhole(const Record& paragraph) const = 0;

  [[nodiscard]] const XmlTree& tree() const { return tree_; }
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  [[nodiscard]] uint32_t NodeOf(size_t record) const { return nodes_[record]; }
  // SIZE_MAX when there is no such record.
  [[nodiscard]] size_t IndexOf(const std::string& locator) const;

 private:
  [[nodiscard]] Result<TextElementEditor*> EditorOf(size_t record);
  [[nodiscard]] Status Set(const Edit& edit, const ParagraphTarget& target);
  [[nodiscard]] Status SetLines(const ParagraphTarget& target, const std::string& text);
  [[nodiscard]] Status Insert(const Edit& edit, const ParagraphTarget& target);
  [[nodiscard]] Status InsertParagraph(size_t neighbour, bool is_after, const std::string& text);
  [[nodiscard]] Status DeleteParagraph(size_t record);

  const XmlTree& tree_;
  const std::string whole_;
  const std::vector<Record> records_;
  const std::vector<uint32_t> nodes_;
  const TextDialect& dialect_;
  const Limits limits_;
  std::unordered_map<std::string, size_t> index_by_locator_;
  std::map<size_t, std::unique_ptr<TextElementEditor>> editors_;  // by record
  std::map<size_t, uint32_t> deleted_;                            // by record: what goes
  std::map<uint32_t, size_t> remaining_;    // paragraphs that stay, by parent of the first deleted
  std::map<size_t, std::string> inserted_;  // by byte offset
};

}  // namespace staged
