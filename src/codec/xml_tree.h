#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codec/xml.h"
#include "staged/limits.h"
#include "staged/status.h"

// A compact tree of an XML part with byte offsets: 28 bytes a node, in document order, no string
// copied. Element names are small numbers of the caller's vocabulary, whatever prefix they carry.
namespace staged {

// Which (namespace, local name) pairs have a number. Several URIs may be one group, as the
// transitional and the strict namespaces of Office Open XML are. Immutable, thread-safe.
class XmlVocabulary {
 public:
  static constexpr uint8_t kNoGroup = 0;  // group of URIs that are not listed
  static constexpr uint16_t kNoName = 0;  // of elements that are not listed
  struct Namespace {
    std::string_view uri;
    uint8_t group;  // > 0
  };
  struct Element {
    uint8_t group;
    std::string_view local_name;
    uint16_t id;  // > 0
  };
  // Borrows the strings.
  XmlVocabulary(std::span<const Namespace> namespaces, std::span<const Element> elements);
  [[nodiscard]] uint8_t GroupOf(std::string_view uri) const;
  [[nodiscard]] uint16_t Find(uint8_t group, std::string_view local_name) const;

 private:
  std::unordered_map<std::string_view, uint8_t> groups_;
  std::vector<std::unordered_map<std::string_view, uint16_t>> names_by_group_;
};

struct XmlNode {
  XmlTokenType type = XmlTokenType::kStart;  // kStart (an element), kText or kCData
  uint8_t group = XmlVocabulary::kNoGroup;
  uint16_t name = XmlVocabulary::kNoName;
  uint32_t parent = UINT32_MAX;
  uint32_t subtree_end = 0;  // index behind the last descendant
  uint32_t begin = 0;        // of the element's start tag, or of the text's inside
  uint32_t end = 0;          // behind its end tag
  uint32_t content_begin = 0;
  uint32_t content_end = 0;
};

// Namespace declarations: prefix and URI.
using XmlBindings = std::vector<std::pair<std::string, std::string>>;

// Borrows source and vocabulary. Comments and instructions have no nodes.
class XmlTree {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Reads as much as is well-formed: after an error the elements still open end there, and error()
  // says what was wrong. `outer` are the declarations around a fragment.
  XmlTree(std::string_view source, const XmlVocabulary& vocabulary, const Limits& limits,
          const XmlBindings& outer = {});

  [[nodiscard]] const Status& error() const { return error_; }
  [[nodiscard]] std::string_view source() const { return source_; }
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  // The root element is node 0. REQUIRES: index < size().
  [[nodiscard]] const XmlNode& operator[](uint32_t index) const { return nodes_[index]; }

  // Children: for (uint32_t c = tree.FirstChild(n); c != XmlTree::kNone; c = tree.NextSibling(c))
  [[nodiscard]] uint32_t FirstChild(uint32_t index) const {
    return index + 1 < nodes_[index].subtree_end ? index + 1 : kNone;
  }
  [[nodiscard]] uint32_t NextSibling(uint32_t index) const {
    const XmlNode& node = nodes_[index];
    return node.parent != kNone && node.subtree_end < nodes_[node.parent].subtree_end
               ? node.subtree_end
               : kNone;
  }
  // The first child element of that name, or kNone. REQUIRES: index < size() or kNone.
  [[nodiscard]] uint32_t Child(uint32_t index, uint16_t name) const;

  [[nodiscard]] bool IsElement(uint32_t index) const {
    return nodes_[index].type == XmlTokenType::kStart;
  }
  [[nodiscard]] std::string_view QualifiedName(uint32_t index) const;
  [[nodiscard]] std::string_view LocalName(uint32_t index) const;
  [[nodiscard]] std::string_view Raw(uint32_t index) const;      // with its tags
  [[nodiscard]] std::string_view Content(uint32_t index) const;  // between its tags
  // Attributes of an element, in order.
  [[nodiscard]] std::vector<XmlAttribute> Attributes(uint32_t index) const;
  // Raw value of the first attribute with that local name, whatever its prefix.
  [[nodiscard]] std::optional<std::string_view> Attribute(uint32_t index,
                                                          std::string_view local_name) const;
  // The same decoded; empty when absent.
  [[nodiscard]] std::string AttributeText(uint32_t index, std::string_view local_name) const;
  // All character data below the node, decoded; appends.
  void TextTo(uint32_t index, std::string& out) const;
  [[nodiscard]] std::string Text(uint32_t index) const;
  // The declarations that hold inside the node, inner ones last.
  [[nodiscard]] XmlBindings BindingsAt(uint32_t index) const;

 private:
  std::string_view source_;
  std::vector<XmlNode> nodes_;
  XmlBindings outer_;
  Status error_;
};

}  // namespace staged
