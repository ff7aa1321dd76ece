#include "formats/docx/properties.h"

#include <algorithm>
#include <charconv>

#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

bool IsTrackedChange(uint16_t name) {
  switch (name) {
    case kRunPropertiesChange:
    case kParagraphPropertiesChange:
    case kSectionPropertiesChange:
    case kTablePropertiesChange:
    case kTableRowPropertiesChange:
    case kTableCellPropertiesChange:
    case kInserted:
    case kDeleted:
    case kMovedFrom:
    case kMovedTo:
    case kCellInserted:
    case kCellDeleted:
    case kCellMergeChange:
    case kNumberingChange:
    case kTablePropertyExceptionsChange:
      return true;
    default:
      return false;
  }
}

struct PlainName {
  std::string_view element;
  std::string_view attribute;
  bool is_switch;
};
constexpr PlainName kCharacterNames[] = {
    {"b", "bold", true},
    {"i", "italic", true},
    {"u", "underline", false},
    {"strike", "strike", true},
    {"dstrike", "double_strike", true},
    {"caps", "all_caps", true},
    {"smallCaps", "small_caps", true},
    {"vanish", "hidden", true},
    {"vertAlign", "vertical_align", false},
    {"highlight", "highlight", false},
    {"color", "color", false},
};

std::string FontName(const XmlTree& tree, uint32_t fonts) {
  for (const std::string_view slot : {"ascii", "hAnsi", "eastAsia", "cs", "asciiTheme",
                                      "hAnsiTheme", "eastAsiaTheme", "cstheme"}) {
    std::string name = tree.AttributeText(fonts, slot);
    if (!name.empty()) return name;
  }
  return "";
}

void AddCharacterProperty(const XmlTree& tree, uint32_t child, const StyleTable& styles,
                          Value::Object& format) {
  const std::string_view name = tree.LocalName(child);
  if (tree[child].group == kWordGroup) {
    if (name == "lang" || name == "noProof" || name == "bCs" || name == "iCs" || name == "szCs" ||
        IsTrackedChange(tree[child].name)) {
      return;
    }
    for (const PlainName& plain : kCharacterNames) {
      if (plain.element != name) continue;
      if (plain.is_switch) {
        format.emplace_back(plain.attribute, IsOn(tree, child));
      } else {
        format.emplace_back(plain.attribute, tree.AttributeText(child, "val"));
      }
      return;
    }
    if (name == "sz") {
      const int half_points = IntegerOr(tree.Attribute(child, "val").value_or(""), -1);
      if (half_points >= 0) {
        format.emplace_back("size_points", half_points % 2 == 0 ? Value(half_points / 2)
                                                                : Value(half_points / 2.0));
      }
      return;
    }
    if (name == "rStyle") {
      format.emplace_back("style", styles.NameOf(tree.AttributeText(child, "val")));
      return;
    }
    if (name == "rFonts") {
      format.emplace_back("font", FontName(tree, child));
      return;
    }
  }
  format.emplace_back(std::string(name), Summary(tree, child));
}

}  // namespace

bool IsOn(const XmlTree& tree, uint32_t element) {
  const std::string_view value = tree.Attribute(element, "val").value_or("true");
  return value != "0" && value != "false" && value != "off" && value != "none";
}

int IntegerOr(std::string_view digits, int fallback) {
  int number = fallback;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : fallback;
}

std::string Summary(const XmlTree& tree, uint32_t element) {
  std::string out;
  const std::vector<XmlAttribute> attributes = tree.Attributes(element);
  size_t shown = 0;
  for (const XmlAttribute& attribute : attributes) {
    if (attribute.name.starts_with("xmlns") || attribute.local_name().starts_with("rsid")) continue;
    if (!out.empty()) out += ' ';
    out += std::string(attribute.local_name()) + "=" + XmlDecodeAttribute(attribute.value);
    ++shown;
  }
  if (shown == 1 && out.starts_with("val=")) out.erase(0, 4);
  std::string inner;
  for (uint32_t child = tree.FirstChild(element); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child) || IsTrackedChange(tree[child].name)) continue;
    if (!inner.empty()) inner += "; ";
    inner += std::string(tree.LocalName(child)) + ": " + Summary(tree, child);
  }
  if (!inner.empty()) out += (out.empty() ? "{" : " {") + inner + "}";
  return out.empty() ? "true" : out;
}

Value::Object SummaryOfChildren(const XmlTree& tree, uint32_t element,
                                const std::vector<uint16_t>& skip) {
  Value::Object object;
  if (element == XmlTree::kNone) return object;
  for (uint32_t child = tree.FirstChild(element); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child) || IsTrackedChange(tree[child].name)) continue;
    if (std::find(skip.begin(), skip.end(), tree[child].name) != skip.end()) continue;
    object.emplace_back(std::string(tree.LocalName(child)), Summary(tree, child));
  }
  return object;
}

Value::Object CharacterFormat(const XmlTree& tree, uint32_t run_properties,
                              const StyleTable& styles) {
  Value::Object format;
  if (run_properties == XmlTree::kNone) return format;
  for (uint32_t child = tree.FirstChild(run_properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (tree.IsElement(child)) AddCharacterProperty(tree, child, styles, format);
  }
  // Producers write the properties in any order: one order makes equal formats equal.
  std::sort(format.begin(), format.end(),
            [](const Value::Member& left, const Value::Member& right) {
              return left.first < right.first;
            });
  return format;
}

ParagraphFormat ReadParagraphFormat(const XmlTree& tree, uint32_t properties,
                                    const StyleTable& styles) {
  ParagraphFormat format;
  Value::Object others;
  for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    switch (tree[child].name) {
      case kParagraphStyle:
        format.style_id = tree.AttributeText(child, "val");
        break;
      case kJustification:
        format.alignment = tree.AttributeText(child, "val");
        break;
      case kOutlineLevel:
        format.outline_level = IntegerOr(tree.Attribute(child, "val").value_or(""), 9);
        break;
      case kNumberingProperties: {
        const uint32_t id = tree.Child(child, kNumberingId);
        const uint32_t level = tree.Child(child, kNumberingLevel);
        if (id != XmlTree::kNone) format.numbering_id = tree.AttributeText(id, "val");
        if (level != XmlTree::kNone) {
          format.numbering_level = IntegerOr(tree.Attribute(level, "val").value_or(""), 0);
        }
        format.has_details |= tree.Child(child, kInserted) != XmlTree::kNone ||
                              tree.Child(child, kNumberingChange) != XmlTree::kNone;
        break;
      }
      case kSectionProperties:
      case kParagraphPropertiesChange:
        format.has_details = true;
        break;
      case kRunProperties: {
        for (const Name name : {kInserted, kDeleted, kMovedFrom, kMovedTo, kRunPropertiesChange}) {
          format.has_details |= tree.Child(child, name) != XmlTree::kNone;
        }
        Value::Object mark = CharacterFormat(tree, child, styles);
        if (!mark.empty()) others.emplace_back("mark", std::move(mark));
        break;
      }
      default:
        others.emplace_back(std::string(tree.LocalName(child)), Summary(tree, child));
    }
  }
  format.has_ground = ReadAppearance(tree, XmlTree::kNone, properties).has_ground;
  if (!others.empty()) format.properties = Value(std::move(others));
  return format;
}

size_t FormatCache::Character(uint32_t run_properties) {
  if (run_properties == XmlTree::kNone) return 0;
  const auto [entry, is_new] = character_by_bytes_.try_emplace(tree_.Raw(run_properties), 0);
  if (is_new) {
    Value::Object format = CharacterFormat(tree_, run_properties, styles_);
    // Few distinct formats survive, since bytes that differ only in noise meet here. Only a hostile
    // document has more than this many, and then equal neighbours are not merged.
    constexpr size_t kComparedMax = 2'000;
    const auto found =
        characters_.size() > kComparedMax
            ? characters_.end()
            : std::find_if(characters_.begin(), characters_.end(),
                           [&](const CharacterEntry& item) { return item.format == format; });
    entry->second = static_cast<size_t>(found - characters_.begin());
    if (found == characters_.end()) {
      Appearance appearance = ReadAppearance(tree_, run_properties, XmlTree::kNone);
      const uint32_t style = tree_.Child(run_properties, kRunStyle);
      if (style != XmlTree::kNone) {
        const std::string id = tree_.AttributeText(style, "val");
        if (styles_.Find(id) != nullptr) appearance = Over(appearance, styles_.AppearanceOf(id));
      }
      characters_.push_back({std::move(format), std::move(appearance)});
    }
  }
  return entry->second;
}

const ParagraphFormat& FormatCache::Paragraph(uint32_t properties) {
  if (properties == XmlTree::kNone) return plain_;
  const auto [entry, is_new] = paragraph_by_bytes_.try_emplace(tree_.Raw(properties));
  if (is_new) entry->second = ReadParagraphFormat(tree_, properties, styles_);
  return entry->second;
}

}  // namespace staged::docx
