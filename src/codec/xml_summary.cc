#include "codec/xml_summary.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "codec/xml.h"

namespace staged {
namespace {

constexpr size_t kSummaryBytesMax = 400;
constexpr size_t kDigestDigits = 16;

void SummaryTo(const XmlTree& tree, uint32_t element, std::string& out) {
  if (out.size() > kSummaryBytesMax) return;
  const size_t start = out.size();
  size_t shown = 0;
  for (const XmlAttribute& attribute : tree.Attributes(element)) {
    if (attribute.name.starts_with("xmlns")) continue;
    if (shown++ > 0) out += ' ';
    out += std::string(attribute.local_name()) + "=" + XmlDecodeAttribute(attribute.value);
  }
  if (shown == 1 && std::string_view(out).substr(start).starts_with("val=")) out.erase(start, 4);
  bool has_children = false;
  for (uint32_t child = tree.FirstChild(element); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    if (out.size() > kSummaryBytesMax) return;
    out += has_children ? "; " : shown > 0 ? " {" : "{";
    has_children = true;
    out += std::string(tree.LocalName(child)) + ": ";
    SummaryTo(tree, child, out);
  }
  if (has_children) out += '}';
  if (shown == 0 && !has_children) out += "true";
}

}  // namespace

std::string XmlSummary(const XmlTree& tree, uint32_t element) {
  std::string out;
  SummaryTo(tree, element, out);
  if (out.size() <= kSummaryBytesMax) return out;
  size_t cut = kSummaryBytesMax;
  while (cut > 0 && (static_cast<uint8_t>(out[cut]) & 0xC0) == 0x80) --cut;
  out.resize(cut);
  return out + "... " + XmlDigest(tree, element);
}

std::string XmlDigest(const XmlTree& tree, uint32_t element,
                      const std::vector<ByteSpan>& modelled) {
  const XmlNode& node = tree[element];
  ContentHasher hasher;
  size_t position = node.begin;
  for (const ByteSpan& span : modelled) {
    if (span.begin < position || span.end > node.end) continue;
    hasher.Update(tree.source().substr(position, span.begin - position));
    position = span.end;
  }
  hasher.Update(tree.source().substr(position, node.end - position));
  return hasher.Finish().ToHex().substr(0, kDigestDigits);
}

std::vector<Record> PropertyRecords(const XmlTree& tree, std::string_view prefix,
                                    uint32_t element) {
  std::vector<Record> records;
  std::map<std::string, int> counts;
  if (tree.size() == 0) return records;
  for (uint32_t node = tree.FirstChild(element); node != XmlTree::kNone;
       node = tree.NextSibling(node)) {
    if (!tree.IsElement(node)) continue;
    std::string name = tree.AttributeText(node, "name");
    if (name.empty()) name = std::string(tree.LocalName(node));
    Record record{.kind = "property", .locator = std::string(prefix) + name};
    const int count = ++counts[record.locator];
    if (count > 1) record.locator += "#" + std::to_string(count);
    record.key = record.locator;
    record.text = tree.Text(node);
    record.hidden = "document property";
    record.span = ByteSpan{tree[node].begin, tree[node].end};
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<Record> OtherPartRecords(const XmlTree& tree, std::string_view part) {
  constexpr size_t kTextBytesMax = size_t{1} << 20;
  constexpr std::string_view kLooks[] = {"chartStyle",  "colorStyle",    "layoutDef", "colorsDef",
                                         "styleDef",    "themeOverride", "theme",     "fonts",
                                         "drawing",     "webSettings",   "styles",    "numbering",
                                         "tblStyleLst", "viewPr"};
  if (tree.size() == 0) return {};
  const std::string_view root = tree.LocalName(0);
  if (std::find(std::begin(kLooks), std::end(kLooks), root) != std::end(kLooks)) return {};
  Record record{.kind = "other_part", .hidden = "kept by the program"};
  record.locator = "data:" + std::string(part);
  record.key = record.locator;
  const auto add = [&record](const std::string& line) {
    if (line.find_first_not_of(" \t\r\n") == std::string::npos) return;
    if (!record.text.empty()) record.text += '\n';
    record.text += line;
  };
  uint32_t node = 0;
  for (; node < tree.size() && record.text.size() <= kTextBytesMax; ++node) {
    if (!tree.IsElement(node)) {
      add(tree.Text(node));
      continue;
    }
    for (const XmlAttribute& attribute : tree.Attributes(node)) {
      if (!attribute.name.starts_with("xmlns")) add(XmlDecodeAttribute(attribute.value));
    }
  }
  record.attrs.Set("content", std::string(root));
  if (node < tree.size()) record.attrs.Set("is_cut", true);
  record.attrs.Set("digest", XmlDigest(tree, 0));
  return {std::move(record)};
}

}  // namespace staged
