#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/visibility.h"
#include "staged/record.h"

namespace staged::docx {

struct Style {
  std::string id;
  std::string name;
  std::string type;  // "paragraph", "character", "table", "numbering"
  std::string based_on;
  bool is_default = false;
  std::optional<std::string> numbering_id;
  std::optional<int> numbering_level;
  std::optional<int> outline_level;  // 0-based; 9 is body text
  Appearance appearance;             // own, over that of the styles it is based on
};

// The styles of a document (ECMA-376 part 1, 17.7). Immutable, thread-safe.
class StyleTable {
 public:
  StyleTable() = default;  // none
  explicit StyleTable(const XmlTree& tree);

  [[nodiscard]] const std::vector<Style>& all() const { return all_; }
  [[nodiscard]] const Style* Find(std::string_view id) const;  // nullptr if absent
  [[nodiscard]] const Style* FindByName(std::string_view name, std::string_view type) const;
  // The name people see, or the id itself when there is no such style.
  [[nodiscard]] std::string NameOf(std::string_view id) const;
  // The paragraph style used where none is named, or nullptr.
  [[nodiscard]] const Style* DefaultParagraphStyle() const;
  // Of a paragraph style (an empty id is the default style) or, if it is named, a character style.
  [[nodiscard]] const Appearance& AppearanceOf(std::string_view id) const;
  // Own or inherited value of the paragraph style `id`; an empty id is the default style.
  [[nodiscard]] std::optional<int> OutlineLevel(std::string_view id) const;
  // The style of the chain that names a numbering, or nullptr.
  [[nodiscard]] const Style* NumberingStyle(std::string_view id) const;

 private:
  void InheritAppearances();
  template <typename Predicate>
  const Style* FirstOfChain(std::string_view id, const Predicate& predicate) const;

  std::vector<Style> all_;
  std::unordered_map<std::string, size_t> index_by_id_;
  std::optional<size_t> default_paragraph_style_;
  Appearance plain_;
};

// One record a style, with its formatting.
[[nodiscard]] std::vector<Record> StyleRecords(const XmlTree& tree, const StyleTable& styles);

}  // namespace staged::docx
