#include "formats/docx/numbering.h"

#include <algorithm>

#include "base/utf8.h"
#include "codec/xml_summary.h"
#include "formats/docx/properties.h"

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

NumberingLevel ReadLevel(const XmlTree& tree, uint32_t node) {
  NumberingLevel level;
  level.start = IntegerOr(ChildValue(tree, node, "start"), 1);
  uint32_t format = ChildByName(tree, node, "numFmt");
  if (format == XmlTree::kNone) {
    // Formats newer than the standard stand in an alternate content with a plain fallback.
    const uint32_t alternate = ChildByName(tree, node, "AlternateContent");
    if (alternate != XmlTree::kNone) {
      const uint32_t fallback = ChildByName(tree, alternate, "Fallback");
      if (fallback != XmlTree::kNone) format = ChildByName(tree, fallback, "numFmt");
    }
  }
  if (format != XmlTree::kNone) level.format = tree.AttributeText(format, "val");
  constexpr size_t kLabelBytesMax = 256;
  level.text = ChildValue(tree, node, "lvlText").substr(0, kLabelBytesMax);
  const std::string restart = ChildValue(tree, node, "lvlRestart");
  if (!restart.empty()) level.restart = IntegerOr(restart, 0);
  const uint32_t legal = ChildByName(tree, node, "isLgl");
  level.is_legal = legal != XmlTree::kNone && IsOn(tree, legal);
  return level;
}

std::string Roman(int number) {
  constexpr int kRomanMax = 100'000;  // beyond it the letters would only fill memory
  if (number <= 0 || number > kRomanMax) return std::to_string(number);
  constexpr std::pair<int, std::string_view> kDigits[] = {
      {1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"},
      {40, "xl"},  {10, "x"},   {9, "ix"},  {5, "v"},    {4, "iv"},  {1, "i"}};
  std::string out;
  for (const auto& [value, digits] : kDigits) {
    for (; number >= value; number -= value) out += digits;
  }
  return out;
}

// 1 is a, 26 z, 27 aa, 53 aaa: the letter is repeated.
std::string Letters(int number) {
  constexpr int kLettersMax = 26 * 100;
  if (number <= 0 || number > kLettersMax) return std::to_string(number);
  return std::string(static_cast<size_t>((number - 1) / 26 + 1),
                     static_cast<char>('a' + (number - 1) % 26));
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string Ordinal(int number) {
  const int last = number % 10;
  const bool is_teen = number % 100 >= 11 && number % 100 <= 13;
  const char* suffix = is_teen     ? "th"
                       : last == 1 ? "st"
                       : last == 2 ? "nd"
                       : last == 3 ? "rd"
                                   : "th";
  return std::to_string(number) + suffix;
}

// Bullets are characters of symbol fonts in the private use area: shown as a plain bullet.
std::string BulletText(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    const uint32_t code = NextCodePoint(text, position);
    if (code >= 0xE000 && code <= 0xF8FF) return "\xE2\x80\xA2";
  }
  return std::string(text);
}

}  // namespace

std::string FormatNumber(int number, std::string_view format) {
  if (format == "lowerLetter") return Letters(number);
  if (format == "upperLetter") return Upper(Letters(number));
  if (format == "lowerRoman") return Roman(number);
  if (format == "upperRoman") return Upper(Roman(number));
  if (format == "decimalZero")
    return (number >= 0 && number < 10 ? "0" : "") + std::to_string(number);
  if (format == "ordinal") return Ordinal(number);
  if (format == "none") return "";
  return std::to_string(number);
}

NumberingTable::NumberingTable(const XmlTree& tree, const StyleTable& styles) {
  if (tree.size() == 0) return;
  for (uint32_t node = tree.FirstChild(0); node != XmlTree::kNone; node = tree.NextSibling(node)) {
    if (!tree.IsElement(node)) continue;
    if (tree.LocalName(node) == "abstractNum") ReadAbstract(tree, node);
    if (tree.LocalName(node) == "num") ReadInstance(tree, node);
  }
  for (auto& [id, abstract] : abstracts_) {
    if (abstract.style_link.empty()) continue;
    const Style* style = styles.Find(abstract.style_link);
    if (style == nullptr || !style->numbering_id) continue;
    const Instance* linked = Find(*style->numbering_id);
    if (linked == nullptr || linked->abstract_id == id) continue;
    if (const Abstract* target = FindAbstract(linked->abstract_id)) {
      abstract.levels = target->levels;
      abstract.level_by_style = target->level_by_style;
    }
  }
}

void NumberingTable::ReadAbstract(const XmlTree& tree, uint32_t node) {
  Abstract abstract;
  abstract.digest = XmlDigest(tree, node);
  abstract.style_link = ChildValue(tree, node, "numStyleLink");
  for (uint32_t child = tree.FirstChild(node); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child) || tree.LocalName(child) != "lvl") continue;
    const int index = IntegerOr(tree.Attribute(child, "ilvl").value_or(""), -1);
    if (index < 0 || index >= kNumberingLevels) continue;
    abstract.levels[static_cast<size_t>(index)] = ReadLevel(tree, child);
    const std::string style = ChildValue(tree, child, "pStyle");
    if (!style.empty()) abstract.level_by_style.emplace(style, index);
  }
  abstracts_.emplace(tree.AttributeText(node, "abstractNumId"), std::move(abstract));
}

void NumberingTable::ReadInstance(const XmlTree& tree, uint32_t node) {
  Instance instance;
  instance.digest = XmlDigest(tree, node);
  instance.abstract_id = ChildValue(tree, node, "abstractNumId");
  for (uint32_t child = tree.FirstChild(node); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child) || tree.LocalName(child) != "lvlOverride") continue;
    const int index = IntegerOr(tree.Attribute(child, "ilvl").value_or(""), -1);
    if (index < 0 || index >= kNumberingLevels) continue;
    const std::string start = ChildValue(tree, child, "startOverride");
    if (!start.empty()) {
      instance.start_override[static_cast<size_t>(index)] = IntegerOr(start, 1);
    }
    const uint32_t level = ChildByName(tree, child, "lvl");
    if (level != XmlTree::kNone) {
      instance.level_override[static_cast<size_t>(index)] = ReadLevel(tree, level);
    }
  }
  std::string id = tree.AttributeText(node, "numId");
  if (instances_.emplace(id, std::move(instance)).second) instance_order_.push_back(std::move(id));
}

const NumberingTable::Instance* NumberingTable::Find(std::string_view numbering_id) const {
  const auto found = instances_.find(std::string(numbering_id));
  return found == instances_.end() ? nullptr : &found->second;
}

const NumberingTable::Abstract* NumberingTable::FindAbstract(const std::string& id) const {
  const auto found = abstracts_.find(id);
  return found == abstracts_.end() ? nullptr : &found->second;
}

const NumberingLevel* NumberingTable::Level(const Instance& instance, int level) const {
  if (level < 0 || level >= kNumberingLevels) return nullptr;
  const auto index = static_cast<size_t>(level);
  if (instance.level_override[index]) return &*instance.level_override[index];
  const Abstract* abstract = FindAbstract(instance.abstract_id);
  if (abstract == nullptr || !abstract->levels[index]) return nullptr;
  return &*abstract->levels[index];
}

std::optional<int> NumberingTable::LevelOfStyle(const Instance& instance,
                                                std::string_view style_id) const {
  const Abstract* abstract = FindAbstract(instance.abstract_id);
  if (abstract == nullptr) return std::nullopt;
  const auto found = abstract->level_by_style.find(std::string(style_id));
  if (found == abstract->level_by_style.end()) return std::nullopt;
  return found->second;
}

std::vector<Record> NumberingTable::Records() const {
  std::vector<Record> records;
  for (const std::string& id : instance_order_) {
    const Instance& instance = instances_.at(id);
    Record record{.kind = "numbering", .locator = "num:" + id};
    record.key = record.locator;
    record.hidden = "list definition";
    record.attrs.Set("definition", instance.abstract_id);
    Value::Array levels;
    for (int i = 0; i < kNumberingLevels; ++i) {
      const NumberingLevel* level = Level(instance, i);
      if (level == nullptr) break;
      const int start = instance.start_override[static_cast<size_t>(i)].value_or(level->start);
      levels.emplace_back(level->format + " '" + level->text + "' from " + std::to_string(start));
    }
    record.attrs.Set("levels", std::move(levels));
    const Abstract* abstract = FindAbstract(instance.abstract_id);
    record.attrs.Set("format", (abstract == nullptr ? "" : abstract->digest) + instance.digest);
    records.push_back(std::move(record));
  }
  return records;
}

std::string ListLabeller::Next(const std::string& numbering_id, int level) {
  const NumberingTable::Instance* instance = numbering_.Find(numbering_id);
  if (instance == nullptr || level < 0 || level >= kNumberingLevels) return "";
  const NumberingLevel* definition = numbering_.Level(*instance, level);
  if (definition == nullptr) return "";
  Counters& counters = counters_[instance->abstract_id];
  const auto index = static_cast<size_t>(level);
  const auto start_of = [&](size_t i) {
    const NumberingLevel* item = numbering_.Level(*instance, static_cast<int>(i));
    return instance->start_override[i].value_or(item != nullptr ? item->start : 1);
  };
  auto& used = override_used_[numbering_id];
  // A start override counts the first time that its list is used at that level.
  if (instance->start_override[index] && !used[index]) counters.started[index] = false;
  used[index] = true;
  constexpr int kNumberMax = 1'000'000'000;
  counters.value[index] =
      counters.started[index] ? std::min(counters.value[index], kNumberMax) + 1 : start_of(index);
  counters.started[index] = true;
  for (size_t i = index + 1; i < kNumberingLevels; ++i) {
    const NumberingLevel* deeper = numbering_.Level(*instance, static_cast<int>(i));
    const bool keeps = deeper != nullptr && deeper->restart &&
                       (*deeper->restart == 0 || level + 1 > *deeper->restart);
    if (!keeps) counters.started[i] = false;
  }
  if (definition->format == "bullet") return BulletText(definition->text);
  std::string label;
  for (size_t i = 0; i < definition->text.size(); ++i) {
    const char c = definition->text[i];
    const char next = i + 1 < definition->text.size() ? definition->text[i + 1] : '\0';
    if (c != '%' || next < '1' || next > '9') {
      label += c;
      continue;
    }
    ++i;
    const auto which = static_cast<size_t>(next - '1');
    const NumberingLevel* shown = numbering_.Level(*instance, static_cast<int>(which));
    const int number = counters.started[which] ? counters.value[which] : start_of(which);
    const std::string_view format = shown == nullptr || (definition->is_legal && which != index)
                                        ? std::string_view("decimal")
                                        : std::string_view(shown->format);
    label += FormatNumber(number, definition->is_legal ? "decimal" : format);
  }
  return label;
}

}  // namespace staged::docx
