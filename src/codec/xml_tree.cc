#include "codec/xml_tree.h"

#include <algorithm>
#include <tuple>

namespace staged {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view LocalPart(std::string_view name) {
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// Calls `visit` for each attribute of a well-formed start tag until it returns false.
template <typename Visit>
void VisitAttributes(std::string_view source, size_t position, size_t end, const Visit& visit) {
  while (position < end && !IsSpace(source[position]) && source[position] != '>' &&
         source[position] != '/') {
    ++position;
  }
  while (true) {
    while (position < end && IsSpace(source[position])) ++position;
    const size_t name_begin = position;
    while (position < end && source[position] != '=' && !IsSpace(source[position]) &&
           source[position] != '>' && source[position] != '/') {
      ++position;
    }
    if (position == name_begin) return;
    XmlAttribute attribute;
    attribute.begin = name_begin;
    attribute.name = source.substr(name_begin, position - name_begin);
    while (position < end && source[position] != '"' && source[position] != '\'') ++position;
    if (position >= end) return;
    const size_t close = source.find(source[position], position + 1);
    if (close == std::string_view::npos) return;
    attribute.value = source.substr(position + 1, close - position - 1);
    attribute.end = position = close + 1;
    if (!visit(attribute)) return;
  }
}

// Prefix declarations in scope while the tree is built, and the numbers of the names met so far.
class NameResolver {
 public:
  NameResolver(const XmlVocabulary& vocabulary, const XmlBindings& outer)
      : vocabulary_(vocabulary) {
    for (const auto& [prefix, uri] : outer) groups_[prefix] = vocabulary_.GroupOf(uri);
  }

  void Enter(const XmlTokenizer& tokenizer) {
    for (const XmlAttribute& attribute : tokenizer.attributes()) {
      if (!attribute.name.starts_with("xmlns")) continue;
      if (attribute.name.size() > 5 && attribute.name[5] != ':') continue;
      const std::string_view prefix =
          attribute.name.size() > 6 ? attribute.name.substr(6) : std::string_view();
      uint8_t& group = groups_[prefix];
      const uint8_t declared = vocabulary_.GroupOf(attribute.value);
      if (group == declared) continue;
      replaced_.push_back({prefix, group, tokenizer.depth()});
      group = declared;
      Forget();
    }
  }

  void Leave(size_t depth_now) {
    while (!replaced_.empty() && replaced_.back().depth > depth_now) {
      groups_[replaced_.back().prefix] = replaced_.back().group;
      replaced_.pop_back();
      Forget();
    }
  }

  std::pair<uint8_t, uint16_t> Resolve(std::string_view qualified) {
    const auto [entry, is_new] = cache_.try_emplace(qualified);
    if (is_new) {
      const size_t colon = qualified.find(':');
      const auto group = groups_.find(colon == std::string_view::npos ? std::string_view()
                                                                      : qualified.substr(0, colon));
      if (group != groups_.end()) {
        entry->second = {group->second, vocabulary_.Find(group->second, LocalPart(qualified))};
      }
    }
    return entry->second;
  }

 private:
  struct Replaced {  // a declaration's meaning outside the element at `depth`
    std::string_view prefix;
    uint8_t group;
    size_t depth;
  };

  // A new map, since clearing one that has grown costs its buckets each time.
  void Forget() { cache_ = {}; }

  const XmlVocabulary& vocabulary_;
  std::unordered_map<std::string_view, uint8_t> groups_;  // by prefix
  std::vector<Replaced> replaced_;
  std::unordered_map<std::string_view, std::pair<uint8_t, uint16_t>> cache_;
};

}  // namespace

XmlVocabulary::XmlVocabulary(std::span<const Namespace> namespaces,
                             std::span<const Element> elements) {
  for (const Namespace& item : namespaces) groups_.emplace(item.uri, item.group);
  for (const Element& element : elements) {
    if (names_by_group_.size() <= element.group) names_by_group_.resize(element.group + 1);
    names_by_group_[element.group].emplace(element.local_name, element.id);
  }
}

uint8_t XmlVocabulary::GroupOf(std::string_view uri) const {
  const auto found = groups_.find(uri);
  return found == groups_.end() ? kNoGroup : found->second;
}

uint16_t XmlVocabulary::Find(uint8_t group, std::string_view local_name) const {
  if (group == kNoGroup || group >= names_by_group_.size()) return kNoName;
  const auto found = names_by_group_[group].find(local_name);
  return found == names_by_group_[group].end() ? kNoName : found->second;
}

XmlTree::XmlTree(std::string_view source, const XmlVocabulary& vocabulary, const Limits& limits,
                 const XmlBindings& outer)
    : source_(source), outer_(outer) {
  if (source.size() >= UINT32_MAX) {
    error_ = Status(ErrorCode::kLimitExceeded, "an XML part of 4 GiB or more is not read");
    return;
  }
  constexpr size_t kBytesPerNode = 24;  // typical of office files; only a first guess
  nodes_.reserve(source.size() / kBytesPerNode + 16);
  XmlTokenizer tokenizer(source, limits);
  NameResolver resolver(vocabulary, outer_);
  uint32_t open = kNone;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type == XmlTokenType::kEnd) {
      XmlNode& node = nodes_[open];
      node.subtree_end = static_cast<uint32_t>(nodes_.size());
      node.content_end = static_cast<uint32_t>(token.begin);
      node.end = static_cast<uint32_t>(token.end);
      open = node.parent;
      resolver.Leave(tokenizer.depth());
      continue;
    }
    const bool is_element = token.type == XmlTokenType::kStart;
    const bool is_text = token.type == XmlTokenType::kText || token.type == XmlTokenType::kCData;
    if (!is_element && !is_text) continue;
    if (nodes_.size() >= limits.records_max) {
      error_ = Status(ErrorCode::kLimitExceeded,
                      "an XML part has more nodes than the limit records_max allows");
      break;
    }
    XmlNode node{.type = token.type, .parent = open};
    node.begin = static_cast<uint32_t>(token.begin);
    node.end = node.content_begin = static_cast<uint32_t>(token.end);
    node.subtree_end = static_cast<uint32_t>(nodes_.size() + 1);
    if (is_element) {
      resolver.Enter(tokenizer);
      std::tie(node.group, node.name) = resolver.Resolve(token.name);
      open = static_cast<uint32_t>(nodes_.size());
    } else {
      node.begin = node.content_begin = static_cast<uint32_t>(token.raw.data() - source_.data());
      node.content_end = node.end = static_cast<uint32_t>(node.begin + token.raw.size());
    }
    nodes_.push_back(node);
  }
  if (error_.ok()) error_ = tokenizer.status();
  // Elements left open by an error end where it was met.
  const size_t stopped_at = std::min<size_t>(tokenizer.token().begin, source.size());
  for (; open != kNone; open = nodes_[open].parent) {
    nodes_[open].subtree_end = static_cast<uint32_t>(nodes_.size());
    const uint32_t end = std::max(nodes_[open].content_begin, static_cast<uint32_t>(stopped_at));
    nodes_[open].content_end = nodes_[open].end = end;
  }
}

uint32_t XmlTree::Child(uint32_t index, uint16_t name) const {
  if (index == kNone) return kNone;
  for (uint32_t child = FirstChild(index); child != kNone; child = NextSibling(child)) {
    if (nodes_[child].name == name && IsElement(child)) return child;
  }
  return kNone;
}

std::string_view XmlTree::QualifiedName(uint32_t index) const {
  const size_t begin = nodes_[index].begin + 1;
  size_t end = begin;
  while (end < source_.size() && !IsSpace(source_[end]) && source_[end] != '>' &&
         source_[end] != '/') {
    ++end;
  }
  return source_.substr(begin, end - begin);
}

std::string_view XmlTree::LocalName(uint32_t index) const {
  return LocalPart(QualifiedName(index));
}

std::string_view XmlTree::Raw(uint32_t index) const {
  return source_.substr(nodes_[index].begin, nodes_[index].end - nodes_[index].begin);
}

std::string_view XmlTree::Content(uint32_t index) const {
  const XmlNode& node = nodes_[index];
  return source_.substr(node.content_begin, node.content_end - node.content_begin);
}

std::vector<XmlAttribute> XmlTree::Attributes(uint32_t index) const {
  std::vector<XmlAttribute> attributes;
  const XmlNode& node = nodes_[index];
  VisitAttributes(source_, node.begin + 1, node.content_begin, [&](const XmlAttribute& attribute) {
    attributes.push_back(attribute);
    return true;
  });
  return attributes;
}

std::optional<std::string_view> XmlTree::Attribute(uint32_t index,
                                                   std::string_view local_name) const {
  std::optional<std::string_view> value;
  const XmlNode& node = nodes_[index];
  VisitAttributes(source_, node.begin + 1, node.content_begin, [&](const XmlAttribute& attribute) {
    if (attribute.name.starts_with("xmlns") || LocalPart(attribute.name) != local_name) return true;
    value = attribute.value;
    return false;
  });
  return value;
}

std::string XmlTree::AttributeText(uint32_t index, std::string_view local_name) const {
  const std::optional<std::string_view> raw = Attribute(index, local_name);
  return raw ? XmlDecodeAttribute(*raw) : std::string();
}

void XmlTree::TextTo(uint32_t index, std::string& out) const {
  for (uint32_t i = index; i < nodes_[index].subtree_end; ++i) {
    if (nodes_[i].type == XmlTokenType::kText) {
      XmlDecodeTo(Raw(i), out);
    } else if (nodes_[i].type == XmlTokenType::kCData) {
      out.append(Raw(i));
    }
  }
}

std::string XmlTree::Text(uint32_t index) const {
  std::string out;
  TextTo(index, out);
  return out;
}

XmlBindings XmlTree::BindingsAt(uint32_t index) const {
  std::vector<uint32_t> path;
  for (uint32_t node = index; node != kNone; node = nodes_[node].parent) path.push_back(node);
  XmlBindings bindings = outer_;
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    for (const XmlAttribute& attribute : Attributes(*node)) {
      if (attribute.name == "xmlns") {
        bindings.emplace_back("", attribute.value);
      } else if (attribute.name.starts_with("xmlns:")) {
        bindings.emplace_back(attribute.name.substr(6), attribute.value);
      }
    }
  }
  return bindings;
}

}  // namespace staged
