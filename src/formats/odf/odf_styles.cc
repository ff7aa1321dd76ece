#include "formats/odf/odf_styles.h"

#include <algorithm>

#include "codec/xml.h"
#include "codec/xml_summary.h"
#include "formats/odf/odf_names.h"

namespace staged::odf {
namespace {

struct PlainName {
  std::string_view attribute;
  std::string_view name;
};
constexpr PlainName kTextNames[] = {
    {"font-weight", "bold"},
    {"font-style", "italic"},
    {"text-underline-style", "underline"},
    {"text-line-through-style", "strike"},
    {"color", "color"},
    {"background-color", "highlight"},
    {"font-size", "size"},
    {"font-name", "font"},
    {"text-position", "vertical_align"},
    {"display", "display"},
};

void AddTextProperty(const XmlAttribute& attribute, Value::Object& format) {
  const std::string_view name = attribute.local_name();
  std::string value = XmlDecodeAttribute(attribute.value);
  // Languages and the identities of editing sessions: nobody sees them.
  if (name == "rsid" || name == "paragraph-rsid" || name.starts_with("language") ||
      name.starts_with("country") || name.ends_with("-complex") || name.ends_with("-asian")) {
    return;
  }
  if (name == "font-weight") {
    if (value == "bold" || value == "normal") {
      format.emplace_back("bold", value == "bold");
    } else {
      format.emplace_back("weight", std::move(value));
    }
    return;
  }
  if (name == "font-style") {
    format.emplace_back("italic", value != "normal");
    return;
  }
  for (const PlainName& plain : kTextNames) {
    if (plain.attribute != name) continue;
    format.emplace_back(plain.name, std::move(value));
    return;
  }
  format.emplace_back(std::string(name), std::move(value));
}

}  // namespace

void StyleTable::Add(const XmlTree& tree) {
  bool is_automatic = false;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const uint16_t name = tree[node].name;
    if (name == kAutomaticStyles) is_automatic = true;
    if (name == kCommonStyles) is_automatic = false;
    if (name == kBody || name == kMasterStyles) {
      node = tree[node].subtree_end - 1;
      continue;
    }
    if (name != kStyle && name != kDefaultStyle) continue;
    Style style;
    const std::string native = tree.AttributeText(node, "name");
    style.name = tree.AttributeText(node, "display-name");
    if (style.name.empty()) style.name = native;
    style.parent = tree.AttributeText(node, "parent-style-name");
    style.is_automatic = is_automatic;
    for (const std::string_view extra :
         {"data-style-name", "list-style-name", "master-page-name", "default-outline-level"}) {
      std::string value = tree.AttributeText(node, extra);
      if (!value.empty()) style.others.emplace_back(std::string(extra), std::move(value));
    }
    for (uint32_t child = tree.FirstChild(node); child != XmlTree::kNone;
         child = tree.NextSibling(child)) {
      if (!tree.IsElement(child)) continue;
      if (tree[child].name == kTableProperties) {
        style.is_table_hidden = tree.AttributeText(child, "display") == "false";
      }
      if (tree[child].name == kTextProperties) {
        for (const XmlAttribute& attribute : tree.Attributes(child)) {
          AddTextProperty(attribute, style.text);
        }
      } else {
        std::string summary = XmlSummary(tree, child);
        if (summary != "true") {
          style.others.emplace_back(std::string(tree.LocalName(child)), std::move(summary));
        }
      }
    }
    styles_[{tree.AttributeText(node, "family"), native}] = std::move(style);
  }
}

const Style* StyleTable::Find(std::string_view family, std::string_view name) const {
  const auto found = styles_.find({std::string(family), std::string(name)});
  return found == styles_.end() ? nullptr : &found->second;
}

std::string StyleTable::CommonName(std::string_view family, std::string_view name) const {
  const Style* style = Find(family, name);
  constexpr int kChainMax = 64;  // a chain that leads back to itself ends here
  for (int i = 0; style != nullptr && style->is_automatic && i < kChainMax; ++i) {
    if (style->parent.empty()) return "";
    name = style->parent;
    style = Find(family, name);
  }
  return style == nullptr ? std::string(name) : style->name;
}

Value::Object StyleTable::TextFormat(std::string_view name) const {
  Value::Object format;
  const std::string common = CommonName("text", name);
  if (!common.empty()) format.emplace_back("style", common);
  const Style* style = Find("text", name);
  if (style != nullptr && style->is_automatic) {
    format.insert(format.end(), style->text.begin(), style->text.end());
  }
  return format;
}

void StyleTable::Describe(std::string_view family, std::string_view name, Value& attrs) const {
  if (name.empty()) return;
  std::string common = CommonName(family, name);
  if (!common.empty()) attrs.Set("style", std::move(common));
  const Style* style = Find(family, name);
  if (style == nullptr || !style->is_automatic) return;
  Value::Object properties = style->others;
  if (!style->text.empty()) properties.emplace_back("text", style->text);
  if (!properties.empty()) attrs.Set("properties", std::move(properties));
}

std::vector<Record> StyleTable::Records() const {
  std::vector<Record> records;
  for (const auto& [key, style] : styles_) {
    if (style.is_automatic || key.second.empty()) continue;
    Record record{.kind = "style", .locator = "style:" + key.first + "/" + key.second};
    record.key = record.locator;
    record.text = style.name;
    record.hidden = "style";
    if (!style.parent.empty()) record.attrs.Set("based_on", CommonName(key.first, style.parent));
    if (!style.text.empty()) record.attrs.Set("text_properties", style.text);
    if (!style.others.empty()) record.attrs.Set("properties", style.others);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace staged::odf
