#include "formats/xlsx/part_tree.h"

#include <charconv>

namespace staged::xlsx {
namespace {

const XmlVocabulary& NoVocabulary() {
  static const XmlVocabulary vocabulary({}, {});
  return vocabulary;
}

}  // namespace

PartTree::PartTree(std::string_view xml, const Limits& limits)
    : tree_(xml, NoVocabulary(), limits) {}

std::string_view PartTree::Name(uint32_t node) const {
  return node == XmlTree::kNone || !tree_.IsElement(node) ? std::string_view()
                                                          : tree_.LocalName(node);
}

uint32_t PartTree::Child(uint32_t node, std::string_view name) const {
  if (node == XmlTree::kNone || node >= tree_.size()) return XmlTree::kNone;
  uint32_t child = tree_.FirstChild(node);
  while (child != XmlTree::kNone && Name(child) != name) child = tree_.NextSibling(child);
  return child;
}

uint32_t PartTree::Find(uint32_t node, std::string_view name) const {
  if (node == XmlTree::kNone || node >= tree_.size()) return XmlTree::kNone;
  for (uint32_t at = node + 1; at < tree_[node].subtree_end; ++at) {
    if (Name(at) == name) return at;
  }
  return XmlTree::kNone;
}

void PartTree::ForEachChild(uint32_t node, const std::function<void(uint32_t)>& visit) const {
  if (node == XmlTree::kNone || node >= tree_.size()) return;
  for (uint32_t child = tree_.FirstChild(node); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (tree_.IsElement(child)) visit(child);
  }
}

void PartTree::ForEach(uint32_t node, std::string_view name,
                       const std::function<void(uint32_t)>& visit) const {
  if (node == XmlTree::kNone || node >= tree_.size()) return;
  for (uint32_t at = node + 1; at < tree_[node].subtree_end;) {
    const bool is_found = Name(at) == name;
    if (is_found) visit(at);
    at = is_found ? tree_[at].subtree_end : at + 1;
  }
}

bool PartTree::Has(uint32_t node, std::string_view attribute) const {
  return node != XmlTree::kNone && tree_.Attribute(node, attribute).has_value();
}

std::string PartTree::Attribute(uint32_t node, std::string_view attribute) const {
  return node == XmlTree::kNone ? std::string() : tree_.AttributeText(node, attribute);
}

bool PartTree::Flag(uint32_t node, std::string_view attribute, bool otherwise) const {
  if (!Has(node, attribute)) return otherwise;
  const std::string text = Attribute(node, attribute);
  return text == "1" || text == "true" || text == "on";
}

std::optional<double> PartTree::Number(uint32_t node, std::string_view attribute) const {
  const std::string text = Attribute(node, attribute);
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string PartTree::Text(uint32_t node) const {
  return node == XmlTree::kNone ? std::string() : tree_.Text(node);
}

void AppendItem(std::string& list, std::string_view item) {
  if (item.empty()) return;
  if (!list.empty()) list += ", ";
  list += item;
}

}  // namespace staged::xlsx
