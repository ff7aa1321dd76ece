#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/odf/odf_styles.h"
#include "formats/odf/paragraph_text.h"
#include "staged/limits.h"
#include "staged/record.h"

namespace staged::odf {

// Who changed what, by text:id of a changed region.
struct TrackedChange {
  std::string type;  // "insertion", "deletion", "format-change"
  std::string author;
  std::string date;
};

struct BlockContext {
  const StyleTable* styles = nullptr;
  std::map<std::string, TrackedChange, std::less<>> changes;
  // Digest of a part as text, "" when it is missing.
  std::function<std::string(const std::string& part)> digest;
  Limits limits;
};

// Records and the element that each was made of.
struct Blocks {
  std::vector<Record> records;
  std::vector<uint32_t> nodes;
  bool is_truncated = false;
};

// How locators of a document are written: "p:12" in texts and sheets, "p[12]" on slides.
enum class Naming : uint8_t { kText, kSlide };

// Reads paragraphs, lists, tables, frames and what is anchored in them.
class BlockReader {
 public:
  // Comments and notes get locators behind `story`: "", "hdr:1/", "slide[a]/".
  BlockReader(const XmlTree& tree, const BlockContext& context, Naming naming, std::string story,
              Blocks& blocks)
      : tree_(tree),
        context_(context),
        naming_(naming),
        story_(std::move(story)),
        blocks_(blocks) {}

  // Everything below `element`. Locators begin with `prefix` ("", "hdr:1/", "slide[a]/shape[1]/").
  void ReadAll(uint32_t element, const std::string& prefix, const std::string& parent,
               const std::string& hidden);
  // The drawings of a page: "slide[a]/shape[1]".
  void ReadShapes(uint32_t page, const std::string& prefix, const std::string& parent,
                  const std::string& hidden);
  // Adds a record; false when the limit is reached.
  bool Add(Record record, uint32_t node);
  // A comment with its paragraphs, at "cm:1" or as the locator given.
  void ReadAnnotation(uint32_t annotation, const std::string& locator, const std::string& parent);
  // Deleted texts: "rev:<id>".
  void ReadTrackedChanges(uint32_t tracked);

 private:
  struct Place {
    std::string prefix;
    std::string parent;
    std::string hidden;
    int list_level = 0;
    std::string list_style;
    size_t* paragraphs;
    size_t* tables;
  };

  void ReadBlocks(uint32_t element, Place& place);
  void ReadParagraph(uint32_t paragraph, Place& place);
  void AddFormats(const ParagraphContent& content, Record& record) const;
  void AddMarks(const ParagraphContent& content, Record& record) const;
  void AddChanges(const ParagraphContent& content, Record& record) const;
  void ReadAnchored(const ParagraphContent& content, const std::string& locator,
                    const std::string& hidden);
  void ReadTable(uint32_t table, const std::string& path, const std::string& parent,
                 const std::string& hidden);
  void ReadRows(uint32_t element, const std::string& path, const std::string& table,
                const std::string& hidden, size_t& row_number);
  void ReadRow(uint32_t row, const std::string& path, const std::string& hidden, uint32_t repeated);
  void ReadDrawing(uint32_t drawing, const std::string& locator, const std::string& parent,
                   const std::string& hidden);
  void ReadDrawings(uint32_t element, const std::string& prefix, const std::string& name,
                    const std::string& parent, const std::string& hidden, size_t& number);
  [[nodiscard]] std::string NoteLocator(uint32_t note) const;
  [[nodiscard]] std::string NextComment();
  [[nodiscard]] std::string DrawingKind(uint32_t drawing) const;
  void DescribeDrawing(uint32_t drawing, Record& record) const;
  [[nodiscard]] std::string Unique(const std::string& locator);

  const XmlTree& tree_;
  const BlockContext& context_;
  const Naming naming_;
  const std::string story_;
  Blocks& blocks_;
  std::map<std::string, size_t> counts_;
};

// The part of that reference in a package ("./Object 1" as "Object 1"); "" when it leaves it.
[[nodiscard]] std::string PartOfReference(std::string_view reference);
// How often a row, column or cell is repeated, 1 when it says nothing sensible.
[[nodiscard]] uint32_t RepeatCount(const XmlTree& tree, uint32_t element,
                                   std::string_view attribute);

}  // namespace staged::odf
