#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/inline_reader.h"
#include "formats/docx/story_reader.h"
#include "staged/record.h"

namespace staged::docx {

// Makes the records of the drawings, pictures and embedded objects of one story: images, charts,
// diagrams, objects, shapes (ECMA-376 part 1, sections 20.4 and 17.3.3.19; part 4, section 19).
class PictureReader {
 public:
  // Takes each record with the element that it was made from.
  using Emit = std::function<void(Record record, uint32_t node)>;

  PictureReader(const XmlTree& tree, const StoryContext& context, const std::string& prefix)
      : tree_(tree), context_(context), prefix_(prefix) {}

  // Of a w:drawing, w:pict or w:object. `hidden`: why nobody sees it, or "".
  void Read(const InlineMarker& picture, const std::string& parent, const std::string& hidden,
            const Emit& emit);
  // Of an element that refers to another part: w:altChunk, w:subDoc, w:background.
  void ReadPart(uint32_t node, const std::string& kind, const std::string& parent,
                const std::string& hidden, const Emit& emit);

 private:
  // What is known of a drawing while its elements are visited.
  struct Drawing {
    InlineMarker marker;
    std::string parent;
    std::string hidden;
    std::string name;
    std::string description;  // alternative text that no record shows so far
    std::string title;
    std::string link;
    std::string extent;
    std::string text;  // of its own, outside of text boxes
    std::vector<ByteSpan> boxes;
    std::vector<std::pair<Record, uint32_t>> records;
  };

  void Visit(uint32_t node, Drawing& drawing);
  void AddDescription(uint32_t node, std::string_view attribute, Drawing& drawing);
  [[nodiscard]] Record NewRecord(const std::string& kind, const Drawing& drawing);
  void AddRelated(const std::string& kind, uint32_t node,
                  std::initializer_list<std::string_view> id_attributes, Drawing& drawing);
  // The relationship that the first of the attributes names; nullptr when none does.
  [[nodiscard]] const OpcRelationship* Related(
      uint32_t node, std::initializer_list<std::string_view> id_attributes) const;
  void SetTarget(const OpcRelationship* relationship, Record& record);
  void AddVectorImage(uint32_t node, Drawing& drawing) const;

  const XmlTree& tree_;
  const StoryContext& context_;
  const std::string& prefix_;
  std::unordered_map<std::string, uint64_t> counts_;  // by kind
  std::unordered_set<std::string> told_parts_;
};

}  // namespace staged::docx
