#pragma once

#include <string>
#include <vector>

#include "formats/docx/inline_reader.h"
#include "formats/docx/properties.h"
#include "formats/docx/story_reader.h"

namespace staged::docx {

// Fills a paragraph's attributes from its inline content; offsets are bytes of the UTF-8 text.
class ParagraphRecord {
 public:
  ParagraphRecord(const XmlTree& tree, const StoryContext& context, FormatCache& formats)
      : tree_(tree), context_(context), formats_(formats) {}

  // `label` and `list_level` come from the numbering (label empty: none).
  void Fill(uint32_t paragraph, const ParagraphFormat& format, const InlineContent& content,
            const std::string& label, Record& record);
  // Tracked changes of the paragraph with neighbours of one author and time merged.
  [[nodiscard]] const std::vector<Revision>& revisions() const { return revisions_; }
  [[nodiscard]] Value RevisionValue(const Revision& revision, const std::string& text) const;

 private:
  void AddStyle(const ParagraphFormat& format, const std::string& label, Value::Object& attrs);
  void AddRuns(const ParagraphFormat& paragraph, const InlineContent& content, Record& record,
               Value::Object& attrs);
  void AddRanges(const InlineContent& content, Value::Object& attrs);
  void AddMarkers(const InlineContent& content, Value::Object& attrs);
  void AddRevisions(uint32_t paragraph, const ParagraphFormat& format, const InlineContent& content,
                    Value::Object& attrs);

  const XmlTree& tree_;
  const StoryContext& context_;
  FormatCache& formats_;
  std::vector<Revision> revisions_;
};

// Element, namespace and attributes of a w:smartTag or w:customXml.
[[nodiscard]] Value::Object MarkupTagAttributes(const XmlTree& tree, uint32_t tag);
// Alias, tag and kind of a content control (w:sdt).
[[nodiscard]] Value::Object ContentControlAttributes(const XmlTree& tree, uint32_t control);

}  // namespace staged::docx
