#include "formats/docx/styles.h"

#include "formats/docx/properties.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

uint32_t ChildByName(const XmlTree& tree, uint32_t element, std::string_view name) {
  for (uint32_t child = tree.FirstChild(element); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (tree.IsElement(child) && tree.LocalName(child) == name) return child;
  }
  return XmlTree::kNone;
}

std::string ChildValue(const XmlTree& tree, uint32_t element, std::string_view name) {
  const uint32_t child = ChildByName(tree, element, name);
  return child == XmlTree::kNone ? std::string() : tree.AttributeText(child, "val");
}

}  // namespace

StyleTable::StyleTable(const XmlTree& tree) {
  if (tree.size() == 0) return;
  for (uint32_t node = tree.FirstChild(0); node != XmlTree::kNone; node = tree.NextSibling(node)) {
    if (tree[node].name != kStyle) continue;
    Style style;
    style.id = tree.AttributeText(node, "styleId");
    style.type = tree.AttributeText(node, "type");
    style.name = ChildValue(tree, node, "name");
    style.based_on = ChildValue(tree, node, "basedOn");
    const std::string_view is_default = tree.Attribute(node, "default").value_or("0");
    style.is_default = is_default == "1" || is_default == "true" || is_default == "on";
    const uint32_t properties = tree.Child(node, kParagraphProperties);
    if (properties != XmlTree::kNone) {
      const uint32_t numbering = tree.Child(properties, kNumberingProperties);
      const uint32_t id = tree.Child(numbering, kNumberingId);
      const uint32_t level = tree.Child(numbering, kNumberingLevel);
      if (id != XmlTree::kNone) style.numbering_id = tree.AttributeText(id, "val");
      if (level != XmlTree::kNone) {
        style.numbering_level = IntegerOr(tree.Attribute(level, "val").value_or(""), 0);
      }
      const uint32_t outline = tree.Child(properties, kOutlineLevel);
      if (outline != XmlTree::kNone) {
        style.outline_level = IntegerOr(tree.Attribute(outline, "val").value_or(""), 9);
      }
    }
    style.appearance = ReadAppearance(tree, tree.Child(node, kRunProperties), properties);
    if (style.is_default && style.type == "paragraph" && !default_paragraph_style_) {
      default_paragraph_style_ = all_.size();
    }
    index_by_id_.emplace(style.id, all_.size());
    all_.push_back(std::move(style));
  }
  InheritAppearances();
}

void StyleTable::InheritAppearances() {
  std::vector<Appearance> inherited;
  for (const Style& style : all_) {
    Appearance appearance;
    FirstOfChain(style.id, [&](const Style& item) {
      appearance = Over(appearance, item.appearance);
      return false;
    });
    inherited.push_back(std::move(appearance));
  }
  for (size_t i = 0; i < all_.size(); ++i) all_[i].appearance = std::move(inherited[i]);
}

const Style* StyleTable::Find(std::string_view id) const {
  const auto found = index_by_id_.find(std::string(id));
  return found == index_by_id_.end() ? nullptr : &all_[found->second];
}

const Style* StyleTable::FindByName(std::string_view name, std::string_view type) const {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  for (const Style& style : all_) {
    if (style.type != type || style.name.size() != name.size()) continue;
    bool is_equal = true;
    for (size_t i = 0; i < name.size(); ++i) {
      is_equal = is_equal && lower(style.name[i]) == lower(name[i]);
    }
    if (is_equal) return &style;
  }
  return nullptr;
}

std::string StyleTable::NameOf(std::string_view id) const {
  const Style* style = Find(id);
  if (style == nullptr || style->name.empty()) return std::string(id);
  // Word stores these built-in names in lower case and shows them with a capital.
  std::string name = style->name;
  if (name.starts_with("heading ") || name == "caption" || name == "header" || name == "footer") {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

const Style* StyleTable::DefaultParagraphStyle() const {
  return default_paragraph_style_ ? &all_[*default_paragraph_style_] : nullptr;
}

const Appearance& StyleTable::AppearanceOf(std::string_view id) const {
  const Style* style = id.empty() ? DefaultParagraphStyle() : Find(id);
  return style == nullptr ? plain_ : style->appearance;
}

template <typename Predicate>
const Style* StyleTable::FirstOfChain(std::string_view id, const Predicate& predicate) const {
  constexpr int kChainMax = 64;  // a chain that bites its tail ends here
  const Style* style = id.empty() ? DefaultParagraphStyle() : Find(id);
  for (int i = 0; style != nullptr && i < kChainMax; ++i) {
    if (predicate(*style)) return style;
    style = Find(style->based_on);
  }
  return nullptr;
}

std::optional<int> StyleTable::OutlineLevel(std::string_view id) const {
  const Style* style =
      FirstOfChain(id, [](const Style& item) { return item.outline_level.has_value(); });
  return style == nullptr ? std::nullopt : style->outline_level;
}

const Style* StyleTable::NumberingStyle(std::string_view id) const {
  return FirstOfChain(id, [](const Style& item) { return item.numbering_id.has_value(); });
}

std::vector<Record> StyleRecords(const XmlTree& tree, const StyleTable& styles) {
  std::vector<Record> records;
  std::unordered_map<std::string, int> count_by_locator;
  if (tree.size() == 0) return records;
  Value::Object defaults;
  for (uint32_t node = tree.FirstChild(0); node != XmlTree::kNone; node = tree.NextSibling(node)) {
    if (!tree.IsElement(node)) continue;
    if (tree[node].name != kStyle) {
      defaults.emplace_back(std::string(tree.LocalName(node)), Summary(tree, node));
      continue;
    }
    const Style& style = styles.all()[records.size()];
    Record record{.kind = "style", .locator = "style:" + style.id};
    const int twin = ++count_by_locator[record.locator];
    if (twin > 1) record.locator += "#" + std::to_string(twin);
    record.key = record.locator;
    record.text = style.name;
    record.hidden = "style definition";
    record.span = ByteSpan{tree[node].begin, tree[node].end};
    record.attrs.Set("type", style.type);
    if (style.is_default) record.attrs.Set("default", true);
    if (!style.based_on.empty()) record.attrs.Set("based_on", styles.NameOf(style.based_on));
    Value::Object properties = SummaryOfChildren(tree, node);
    std::erase_if(properties, [](const Value::Member& member) {
      return member.first == "name" || member.first == "basedOn" || member.first == "rsid";
    });
    record.attrs.Set("properties", std::move(properties));
    records.push_back(std::move(record));
  }
  if (!defaults.empty()) {
    Record record{.kind = "style", .locator = "style:(defaults)"};
    record.key = record.locator;
    record.hidden = "style definition";
    record.attrs.Set("properties", std::move(defaults));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace staged::docx
