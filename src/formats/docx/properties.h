#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/styles.h"
#include "staged/value.h"

// Formatting as attributes: the usual properties by plain names, every other one by its own name
// and a short text, so that no difference in formatting is without a place in a record.
namespace staged::docx {

// Direct formatting of a paragraph. `properties` is null or an object of what has no own member.
struct ParagraphFormat {
  std::string style_id;
  std::string alignment;
  std::optional<int> outline_level;  // 0-based
  std::optional<std::string> numbering_id;
  std::optional<int> numbering_level;
  Value properties;
  bool has_ground = false;  // shading: another colour behind the text
  // Its w:pPr holds a section break or a tracked change, to be looked up in the tree.
  bool has_details = false;
};

// The value of an on/off element (w:b): true unless its val says otherwise.
[[nodiscard]] bool IsOn(const XmlTree& tree, uint32_t element);
[[nodiscard]] int IntegerOr(std::string_view digits, int fallback);
// One element as a short text: "before=120 after=0", "center", "true". Revision ids are left out.
[[nodiscard]] std::string Summary(const XmlTree& tree, uint32_t element);
// The children of a properties element as members {local name: summary}; tracked changes and the
// children that `skip` names are left out.
[[nodiscard]] Value::Object SummaryOfChildren(const XmlTree& tree, uint32_t element,
                                              const std::vector<uint16_t>& skip = {});
// Character formatting of a w:rPr (bold, italic, ...). Proofing marks and languages are left out.
[[nodiscard]] Value::Object CharacterFormat(const XmlTree& tree, uint32_t run_properties,
                                            const StyleTable& styles);
[[nodiscard]] ParagraphFormat ReadParagraphFormat(const XmlTree& tree, uint32_t properties,
                                                  const StyleTable& styles);

// Answers formats by the bytes of their properties element: a document repeats few of them.
class FormatCache {
 public:
  FormatCache(const XmlTree& tree, const StyleTable& styles) : tree_(tree), styles_(styles) {}
  // Index of the character format of a w:rPr or kNone; equal formats have equal indexes.
  size_t Character(uint32_t run_properties);
  [[nodiscard]] const Value::Object& character(size_t index) const {
    return characters_[index].format;
  }
  // Whether people see text of that format, its character style included.
  [[nodiscard]] const Appearance& appearance(size_t index) const {
    return characters_[index].appearance;
  }
  const ParagraphFormat& Paragraph(uint32_t properties);

 private:
  const XmlTree& tree_;
  const StyleTable& styles_;
  struct CharacterEntry {
    Value::Object format;
    Appearance appearance;
  };
  std::vector<CharacterEntry> characters_{CharacterEntry()};
  std::unordered_map<std::string_view, size_t> character_by_bytes_;
  std::unordered_map<std::string_view, ParagraphFormat> paragraph_by_bytes_;
  const ParagraphFormat plain_;
};

}  // namespace staged::docx
