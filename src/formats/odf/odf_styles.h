#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/xml_tree.h"
#include "staged/record.h"

namespace staged::odf {

// A style:style. Automatic styles are the formatting that people gave directly; their names change
// with every saving, so that what they say is shown instead.
struct Style {
  std::string name;  // as people see it
  std::string parent;
  bool is_automatic = false;
  bool is_table_hidden = false;
  Value::Object text;    // character properties by plain names
  Value::Object others;  // properties of paragraphs, cells, graphics ... as short texts
};

class StyleTable {
 public:
  // Adds the styles of a content or styles part, or of a flat file.
  void Add(const XmlTree& tree);
  // nullptr when absent. Families: "paragraph", "text", "table", "table-cell", "graphic" ...
  [[nodiscard]] const Style* Find(std::string_view family, std::string_view name) const;
  // The name of the first style up the chain that is not automatic; "" when there is none.
  [[nodiscard]] std::string CommonName(std::string_view family, std::string_view name) const;
  // Character format of a text style: that of automatic styles, and "style" for a common one.
  [[nodiscard]] Value::Object TextFormat(std::string_view name) const;
  // "style" and "properties" of a record that has a style of that family.
  void Describe(std::string_view family, std::string_view name, Value& attrs) const;
  // The common styles as records "style:paragraph/Heading 1".
  [[nodiscard]] std::vector<Record> Records() const;

 private:
  std::map<std::pair<std::string, std::string>, Style> styles_;
};

}  // namespace staged::odf
