#include "formats/pptx/related_media.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "codec/xml.h"
#include "formats/pptx/presentation_names.h"

namespace staged::pptx {
namespace {

// `spans` are in order and do not overlap.
bool IsInside(const XmlNode& node, const std::vector<ByteSpan>& spans) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), uint64_t{node.begin},
                       [](uint64_t begin, const ByteSpan& span) { return begin < span.begin; });
  return after != spans.begin() && node.end <= std::prev(after)->end;
}

Value MediaValue(const XmlTree& tree, uint32_t node, const OpcRelationship& relationship,
                 const ShapeContext& context) {
  Value::Object value{{"element", std::string(tree.LocalName(node))}};
  if (relationship.is_external) {
    value.emplace_back("target", relationship.target);
    return Value(std::move(value));
  }
  value.emplace_back("part", relationship.target);
  std::string digest = context.digest(relationship.target);
  if (!digest.empty()) value.emplace_back("digest", std::move(digest));
  return Value(std::move(value));
}

constexpr size_t kReadableBytesMax = 1 << 20;

// Where the walk goes on behind `node`: not below texts, and below alternate contents only in the
// branch that is read.
uint32_t Next(const XmlTree& tree, uint32_t node) {
  const uint16_t name = tree[node].name;
  const bool is_branch = name == kChoice || name == kFallback;
  const bool is_left_out = is_branch && node > 0 &&
                           tree[tree[node].parent].name == kAlternateContent &&
                           AlternateBranch(tree, tree[node].parent) != node;
  const bool is_text = name == kText || name == kMathText;
  return is_left_out || is_text ? tree[node].subtree_end : node + 1;
}

// The text below an element, a line for each paragraph; cut beyond the limit.
std::string ReadableText(const XmlTree& tree, uint32_t element) {
  std::string text;
  uint32_t node = element + 1;
  while (node < tree[element].subtree_end && text.size() <= kReadableBytesMax) {
    if (tree[node].name == kParagraph && !text.empty()) text += '\n';
    if (tree[node].name == kText || tree[node].name == kMathText) tree.TextTo(node, text);
    node = Next(tree, node);
  }
  return text;
}

std::string WithoutSpace(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return text;
}

}  // namespace

Value::Array MediaBelow(const XmlTree& tree, uint32_t element, const ShapeContext& context,
                        const std::vector<ByteSpan>& skip) {
  Value::Array media;
  for (uint32_t node = element; node < tree[element].subtree_end; ++node) {
    if (!tree.IsElement(node)) continue;
    switch (tree[node].name) {
      case kBlip:
      case kEmbeddedObject:
      case kMediaReference:
        break;
      default:
        continue;
    }
    if (IsInside(tree[node], skip)) continue;
    for (const XmlAttribute& attribute : tree.Attributes(node)) {
      const std::string_view name = attribute.local_name();
      const bool is_reference = name == "embed" || name == "link" || name == "id";
      if (!is_reference || attribute.name == name) continue;  // without a prefix it is no reference
      const OpcRelationship* relationship =
          context.relationship(XmlDecodeAttribute(attribute.value));
      if (relationship == nullptr) continue;
      Value value = MediaValue(tree, node, *relationship, context);
      if (media.empty() || media.back() != value) media.push_back(std::move(value));
    }
  }
  return media;
}

void AddMedia(const XmlTree& tree, uint32_t element, const ShapeContext& context,
              const std::vector<ByteSpan>& skip, Record& record) {
  Value::Array media = MediaBelow(tree, element, context, skip);
  // What the record itself shows is no news.
  std::erase_if(media, [&record](const Value& value) {
    for (const std::string_view name : {"part", "target"}) {
      const std::string_view shown = record.attrs.FindString(name);
      if (!shown.empty() && value.FindString(name) == shown) return true;
    }
    return false;
  });
  if (!media.empty()) record.attrs.Set("media", std::move(media));
}

std::vector<Record> AlternativeRecords(const XmlTree& tree, const std::string& prefix) {
  std::vector<Record> records;
  for (uint32_t node = 0; node < tree.size(); node = Next(tree, node)) {
    if (tree[node].name != kAlternateContent) continue;
    const uint32_t chosen = AlternateBranch(tree, node);
    std::optional<std::string> shown;
    for (uint32_t branch = tree.FirstChild(node); branch != XmlTree::kNone;
         branch = tree.NextSibling(branch)) {
      const bool is_branch = tree[branch].name == kChoice || tree[branch].name == kFallback;
      if (!is_branch || branch == chosen) continue;
      std::string text = ReadableText(tree, branch);
      const std::string characters = WithoutSpace(text);
      if (characters.empty()) continue;
      if (!shown) shown = WithoutSpace(ReadableText(tree, chosen));
      // What is too long to be compared to its end counts as different.
      if (characters == *shown && characters.size() <= kReadableBytesMax) continue;
      Record record{.kind = "alternative", .parent = prefix};
      record.locator = prefix + "/alt[" + std::to_string(records.size() + 1) + "]";
      record.text = std::move(text);
      record.hidden = "shown only by programs that cannot read the rest";
      record.span = ByteSpan{tree[branch].begin, tree[branch].end};
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace staged::pptx
