#include "formats/html/html_records.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/heading_paths.h"
#include "formats/html/html_attributes.h"
#include "formats/html/html_text.h"
#include "formats/html/html_visibility.h"
#include "staged/content_hash.h"

namespace staged {
namespace {

constexpr uint32_t kNone = HtmlNode::kNone;

bool IsBlock(HtmlNodeKind kind) {
  return kind >= HtmlNodeKind::kContainer && kind <= HtmlNodeKind::kThematicBreak;
}

// No-break spaces would look like spaces in a locator that has none.
std::string PlainSpaces(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  std::string plain;
  plain.reserve(text.size());
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(kNoBreakSpace, begin), text.size());
    plain.append(text.substr(begin, end - begin));
    if (end < text.size()) plain.push_back(' ');
    begin = end + kNoBreakSpace.size();
  }
  return plain;
}

class RecordMaker {
 public:
  RecordMaker(std::string_view text, const HtmlDocument& document, HtmlCharset charset)
      : text_(text), nodes_(document.nodes), charset_(charset) {}

  std::vector<HtmlEntry> Make() {
    ReadTexts();
    LetHoldersRead();
    locators_.resize(nodes_.size());
    entries_.reserve(nodes_.size() + 1);
    for (uint32_t index = 0; index < nodes_.size(); ++index) {
      if (kinds_[index] != HtmlNodeKind::kNone) Add(index);
      if (nodes_[index].name == "html") AddLanguage(index);
    }
    return std::move(entries_);
  }

 private:
  // Reads the texts and decides what each node is shown as: kNone for those without a record.
  void ReadTexts() {
    texts_.reserve(nodes_.size());
    for (const HtmlNode& node : nodes_) {
      const bool is_code = node.kind == HtmlNodeKind::kScript || node.kind == HtmlNodeKind::kStyle;
      texts_.push_back(is_code ? HtmlText() : ReadHtmlText(text_, node, charset_, false));
      const HtmlText& text = texts_.back();
      const size_t shown =
          node.attributes.size() - (node.Find("lang") != nullptr && node.name == "html" ? 1 : 0);
      HtmlNodeKind kind = node.kind;
      if (kind == HtmlNodeKind::kContainer || kind == HtmlNodeKind::kParagraph) {
        const bool is_empty = text.text.empty();
        const bool is_known = shown > 0 || text.has_attributes;
        kind = !is_empty  ? HtmlNodeKind::kParagraph
               : is_known ? (node.kind == HtmlNodeKind::kParagraph ? HtmlNodeKind::kParagraph
                                                                   : HtmlNodeKind::kContainer)
                          : HtmlNodeKind::kNone;
      }
      kinds_.push_back(kind);
      text_nodes_.push_back(static_cast<uint32_t>(text_nodes_.size()));
    }
  }

  // Links a node with what holds it, its parent's links being made.
  void Link(uint32_t index) {
    const uint32_t parent = nodes_[index].parent;
    Links& links = links_.emplace_back();
    if (parent == kNone) return;
    const Links& above = links_[parent];
    links = above;
    if (kinds_[parent] != HtmlNodeKind::kNone) links.shown = parent;
    // Blocks that only have attributes hold no others.
    const bool holds =
        kinds_[parent] != HtmlNodeKind::kNone && kinds_[parent] != HtmlNodeKind::kContainer;
    if (holds) links.record = parent;
    const std::string& name = nodes_[parent].name;
    if (name == "ol" || name == "ul" || name == "menu" || name == "dir") {
      links.list = parent;
      ++links.list_level;
    }
  }

  // A list item, a cell, a quote without a text of its own reads as its first paragraph.
  void LetHoldersRead() {
    std::vector<bool> has_blocks(nodes_.size(), false);
    links_.reserve(nodes_.size());
    for (uint32_t index = 0; index < nodes_.size(); ++index) {
      Link(index);
      if (!IsBlock(kinds_[index])) continue;
      const uint32_t holder = links_[index].shown;
      if (holder == kNone || has_blocks[holder]) continue;
      has_blocks[holder] = true;
      const bool holds = (HtmlTraitsOf(nodes_[holder].name).flags & kHtmlHolder) != 0;
      const bool is_bare = kinds_[index] == HtmlNodeKind::kParagraph &&
                           nodes_[index].attributes.empty() &&
                           nodes_[index].hidden == nodes_[holder].hidden;
      if (!holds || !is_bare || !texts_[holder].text.empty()) continue;
      texts_[holder] = std::move(texts_[index]);
      text_nodes_[holder] = index;
      kinds_[index] = HtmlNodeKind::kNone;
    }
  }

  std::string Unique(const std::string& wanted) {
    std::string locator = wanted;
    for (size_t& count = counts_[wanted]; !used_.insert(locator).second;) {
      locator = wanted + "#" + std::to_string(std::max<size_t>(++count, 2));
    }
    return locator;
  }

  // The next number that no name has taken.
  std::string Next(const std::string& prefix) {
    std::string locator;
    do {
      locator = prefix + ":" + std::to_string(++numbers_[prefix]);
    } while (!used_.insert(locator).second);
    return locator;
  }

  static std::string Token(std::string_view name) {
    constexpr size_t kTokenBytesMax = 100;
    std::string token;
    for (const char c : name) {
      if (c == '~' || c == '/') {
        token += c == '~' ? "~0" : "~1";
      } else if (static_cast<uint8_t>(c) >= 0x20) {
        token.push_back(c);
      }
    }
    if (token.size() > kTokenBytesMax) {
      size_t end = kTokenBytesMax;
      while (end > 0 && (static_cast<uint8_t>(token[end]) & 0xC0) == 0x80) --end;
      token.resize(end);
    }
    return token;
  }

  std::string Value(uint32_t index, std::string_view name) const {
    const HtmlAttribute* attribute = nodes_[index].Find(name);
    return attribute == nullptr ? "" : HtmlAttributeValue(*attribute, charset_);
  }

  std::string MetadataName(uint32_t index) const {
    const HtmlNode& node = nodes_[index];
    if (node.name == "link") return "link:" + Token(Value(index, "rel"));
    if (node.name != "meta") return node.name;
    for (const char* name : {"name", "property", "itemprop", "http-equiv"}) {
      if (node.Find(name) != nullptr) return Token(Value(index, name));
    }
    return node.Find("charset") != nullptr ? "charset" : "";
  }

  std::string LocatorOf(uint32_t index, const std::string& parent) {
    const HtmlNode& node = nodes_[index];
    switch (kinds_[index]) {
      case HtmlNodeKind::kHeading:
        return headings_.Open(node.name[1] - '0', HeadingAnchor(PlainSpaces(texts_[index].text)));
      case HtmlNodeKind::kTable:
        return Next("t");
      case HtmlNodeKind::kTableRow:
        return node.row == 0 ? Next("block") : parent + "/r:" + std::to_string(node.row);
      case HtmlNodeKind::kTableCell:
        return node.row == 0 || node.column == 0 ? Next("block")
                                                 : parent + "/c:" + std::to_string(node.column);
      case HtmlNodeKind::kContainer:
      case HtmlNodeKind::kLink:
      case HtmlNodeKind::kMedia:
      case HtmlNodeKind::kScript:
      case HtmlNodeKind::kStyle:
      case HtmlNodeKind::kComment:
      case HtmlNodeKind::kForm:
        return Next(std::string(HtmlNodeKindName(kinds_[index])));
      case HtmlNodeKind::kDoctype:
        return Unique("doctype");
      case HtmlNodeKind::kImage:
        return Next("img");
      case HtmlNodeKind::kMetadata:
        return Unique("meta:" + MetadataName(index));
      case HtmlNodeKind::kOption:
        return parent.starts_with("field:") ? Next(parent + "/option") : Next("option");
      case HtmlNodeKind::kField: {
        std::string name = Token(Value(index, "name"));
        if (name.empty()) name = Token(Value(index, "id"));
        return name.empty() ? Next("field") : Unique("field:" + name);
      }
      default:
        return Next("block");
    }
  }

  void Add(uint32_t index) {
    const HtmlNode& node = nodes_[index];
    HtmlEntry& entry = entries_.emplace_back();
    entry.node = index;
    entry.text_node = text_nodes_[index];
    Record& record = entry.record;
    record.kind = HtmlNodeKindName(kinds_[index]);
    const uint32_t parent = links_[index].record;
    if (kinds_[index] == HtmlNodeKind::kHeading) headings_.CloseTo(node.name[1] - '0');
    if (kinds_[index] != HtmlNodeKind::kMetadata && kinds_[index] != HtmlNodeKind::kDoctype) {
      record.parent = parent != kNone ? locators_[parent] : headings_.current();
    }
    record.locator = locators_[index] = LocatorOf(index, record.parent);
    if (kinds_[index] == HtmlNodeKind::kHeading) record.key = record.locator.substr(2);
    if (kinds_[index] == HtmlNodeKind::kMetadata) record.key = record.locator.substr(5);
    record.text = std::move(texts_[index].text);
    record.attrs = HtmlAttrs(node, kinds_[index], charset_);
    if (node.kind == HtmlNodeKind::kListItem) AddListAttrs(index, record);
    if (!texts_[index].format.empty()) record.attrs.Set("format", texts_[index].format);
    record.hidden = node.hidden;
    record.span = ByteSpan{node.begin, node.end};
    AddContent(index, entry);
  }

  void AddListAttrs(uint32_t index, Record& record) const {
    const uint32_t list = links_[index].list;
    if (list != kNone) record.attrs.Set("ordered", nodes_[list].name == "ol");
    record.attrs.Set("level", links_[index].list_level);
  }

  // What is no text of the page: the digest of code, the value of a field, the content of a meta.
  void AddContent(uint32_t index, HtmlEntry& entry) {
    const HtmlNode& node = nodes_[index];
    const auto show = [&](std::string_view name) {
      if (node.Find(name) == nullptr) return;
      entry.attribute = name;
      entry.record.text = Value(index, name);
    };
    const bool is_text =
        !(node.kind == HtmlNodeKind::kImage || node.kind == HtmlNodeKind::kScript ||
          node.kind == HtmlNodeKind::kStyle || node.kind == HtmlNodeKind::kMedia ||
          node.kind == HtmlNodeKind::kForm || node.kind == HtmlNodeKind::kTable ||
          node.kind == HtmlNodeKind::kTableRow);
    if (!is_text) entry.text_node = kNone;
    if (node.kind == HtmlNodeKind::kImage) show("alt");
    if (node.name == "input") show("value");
    if (node.name == "meta") show(node.Find("content") != nullptr ? "content" : "charset");
    if (node.name == "link" || node.name == "base") show("href");
    if (!entry.attribute.empty()) entry.text_node = kNone;
    const bool is_opaque = node.kind == HtmlNodeKind::kScript || node.kind == HtmlNodeKind::kStyle;
    if (is_opaque || node.name == "svg") {
      const std::string_view content =
          text_.substr(node.content_begin, node.content_end - node.content_begin);
      entry.record.attrs.Set("digest", ContentHash::Of(content).ToString());
      entry.record.attrs.Set("size_bytes", content.size());
    }
  }

  void AddLanguage(uint32_t index) {
    const HtmlAttribute* language = nodes_[index].Find("lang");
    if (language == nullptr) return;
    HtmlEntry& entry = entries_.emplace_back();
    entry.node = index;
    entry.attribute = "lang";
    entry.record.kind = "metadata";
    entry.record.locator = Unique("meta:lang");
    entry.record.key = entry.record.locator.substr(5);
    entry.record.text = HtmlAttributeValue(*language, charset_);
    entry.record.span = ByteSpan{language->begin, language->end};
  }

  struct Links {
    uint32_t shown = kNone;   // the innermost node around it that has a record
    uint32_t record = kNone;  // the record that it is below
    uint32_t list = kNone;    // the list that it is in
    uint32_t list_level = 0;
  };

  std::string_view text_;
  const std::vector<HtmlNode>& nodes_;
  HtmlCharset charset_;
  std::vector<HtmlText> texts_;
  std::vector<HtmlNodeKind> kinds_;
  std::vector<uint32_t> text_nodes_;
  std::vector<Links> links_;
  std::vector<std::string> locators_;
  std::vector<HtmlEntry> entries_;
  HeadingPaths headings_;
  std::unordered_map<std::string, size_t> numbers_;
  std::unordered_map<std::string, size_t> counts_;
  std::unordered_set<std::string> used_;
};

}  // namespace

std::vector<HtmlEntry> HtmlRecords(std::string_view text, const HtmlDocument& document,
                                   HtmlCharset charset) {
  return RecordMaker(text, document, charset).Make();
}

}  // namespace staged
