#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "codec/xml_tree.h"

// Small parts and pieces of sheets as trees, whose elements are told by local name: transitional,
// strict and extended namespaces say the same with them.
namespace staged::xlsx {

// A tree of a whole part or of one element of one.
class PartTree {
 public:
  PartTree(std::string_view xml, const Limits& limits);

  [[nodiscard]] const XmlTree& tree() const { return tree_; }
  [[nodiscard]] const Status& error() const { return tree_.error(); }
  [[nodiscard]] bool is_empty() const { return tree_.size() == 0; }
  // "" for text and for XmlTree::kNone.
  [[nodiscard]] std::string_view Name(uint32_t node) const;
  // The first child element of that name, or XmlTree::kNone. `node` may be kNone.
  [[nodiscard]] uint32_t Child(uint32_t node, std::string_view name) const;
  // The first element of that name below the node, or XmlTree::kNone. `node` may be kNone.
  [[nodiscard]] uint32_t Find(uint32_t node, std::string_view name) const;
  void ForEachChild(uint32_t node, const std::function<void(uint32_t child)>& visit) const;
  // All elements of that name below the node, in order; not those inside another one.
  void ForEach(uint32_t node, std::string_view name,
               const std::function<void(uint32_t found)>& visit) const;

  [[nodiscard]] bool Has(uint32_t node, std::string_view attribute) const;
  // Decoded; "" when absent or when `node` is kNone.
  [[nodiscard]] std::string Attribute(uint32_t node, std::string_view attribute) const;
  // Of an ST_OnOff attribute.
  [[nodiscard]] bool Flag(uint32_t node, std::string_view attribute, bool otherwise = false) const;
  [[nodiscard]] std::optional<double> Number(uint32_t node, std::string_view attribute) const;
  // All character data below the node; "" for kNone.
  [[nodiscard]] std::string Text(uint32_t node) const;

 private:
  XmlTree tree_;
};

// What stands between the parts of a list in records: "bold, fill #FFFF00".
void AppendItem(std::string& list, std::string_view item);

}  // namespace staged::xlsx
