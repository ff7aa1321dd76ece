#include "formats/odf/paragraph_text.h"

#include <algorithm>
#include <charconv>

#include "codec/xml.h"
#include "formats/odf/odf_names.h"

namespace staged::odf {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class ParagraphReader {
 public:
  ParagraphReader(const XmlTree& tree, ParagraphContent& content)
      : tree_(tree), content_(content) {}

  void ReadChildren(uint32_t element, const std::string& style) {
    for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      ReadNode(child, style);
    }
  }

 private:
  void ReadNode(uint32_t node, const std::string& style) {
    const size_t begin = content_.text.size();
    if (tree_[node].type == XmlTokenType::kText) {
      ReadCharacters(node);
      return AddSpan(begin, style);
    }
    if (tree_[node].type == XmlTokenType::kCData) {
      ReadCData(node);
      return AddSpan(begin, style);
    }
    switch (tree_[node].name) {
      case kSpan:
        return ReadChildren(node, tree_.AttributeText(node, "style-name"));
      case kMetaText:
        return ReadChildren(node, style);
      case kLink:
        ReadChildren(node, style);
        content_.links.push_back({begin, content_.text.size(), node});
        return;
      case kRuby:
        ReadChildren(tree_.Child(node, kRubyBase), style);
        content_.rubies.push_back({begin, content_.text.size(), node});
        return;
      case kSpaces:
        content_.text.append(SpaceCount(node), ' ');
        AddElement(begin, node);
        return AddSpan(begin, style);
      case kTab:
        content_.text += '\t';
        AddElement(begin, node);
        return AddSpan(begin, style);
      case kLineBreak:
        content_.text += '\n';
        AddElement(begin, node);
        return AddSpan(begin, style);
      default:
        return ReadOther(node, style);
    }
  }

  void ReadOther(uint32_t node, const std::string& style) {
    const size_t at = content_.text.size();
    switch (tree_[node].name) {
      case kNote:
        content_.notes.push_back({at, at, node});
        return;
      case kAnnotation:
        content_.annotations.push_back({at, at, node});
        return;
      case kChange:
      case kChangeStart:
      case kChangeEnd:
        content_.changes.push_back({at, at, node});
        return;
      case kBookmark:
      case kBookmarkStart:
      case kBookmarkEnd:
      case kReferenceMark:
      case kReferenceMarkStart:
      case kReferenceMarkEnd:
        content_.bookmarks.push_back({at, at, node});
        return;
      case kSoftPageBreak:
      case kAnnotationEnd:
        return;
      default:
        break;
    }
    if (IsDrawing(tree_, node)) {
      content_.drawings.push_back(node);
      return;
    }
    if (tree_[node].group == kDrawGroup || tree_[node].group == kOfficeGroup) {
      return ReadChildren(node, style);  // draw:a around a frame
    }
    // A field: what it shows is computed.
    tree_.TextTo(node, content_.text);
    if (content_.text.size() == at) return;
    content_.pieces.push_back({TextPieceKind::kFixed, at, content_.text.size(), tree_[node].begin,
                               tree_[node].end, node});
    content_.fields.push_back({at, content_.text.size(), node});
    ignores_space_ = false;
    AddSpan(at, style);
  }

  [[nodiscard]] size_t SpaceCount(uint32_t node) const {
    size_t count = 1;
    const std::string_view digits = tree_.Attribute(node, "c").value_or("1");
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    constexpr size_t kSpacesMax = 4096;  // more is an attack on memory
    return std::min(count, kSpacesMax);
  }

  void AddElement(size_t begin, uint32_t node) {
    ignores_space_ = false;
    content_.pieces.push_back({TextPieceKind::kWhole, begin, content_.text.size(),
                               tree_[node].begin, tree_[node].end, node});
  }

  void AddSpan(size_t begin, const std::string& style) {
    const size_t end = content_.text.size();
    if (end == begin || style.empty()) return;
    std::vector<StyledSpan>& spans = content_.spans;
    if (!spans.empty() && spans.back().end == begin && spans.back().style == style) {
      spans.back().end = end;
    } else {
      spans.push_back({begin, end, style});
    }
  }

  // Pieces end where white space is dropped, so that inside of one raw and read text run together.
  void ReadCharacters(uint32_t node) {
    const std::string_view raw = tree_.Raw(node);
    const size_t base = tree_[node].begin;
    size_t piece_begin = 0;
    for (size_t i = 0; i < raw.size();) {
      const size_t size = UnitSize(raw, i);
      const bool is_space = IsSpaceUnit(raw.substr(i, size));
      if (is_space && ignores_space_) {
        AddCharacters(node, raw.substr(piece_begin, i - piece_begin), base + piece_begin);
        piece_begin = i + size;
      }
      ignores_space_ = is_space;
      i += size;
    }
    AddCharacters(node, raw.substr(piece_begin), base + piece_begin);
  }

  // A byte, or a reference such as &#32;.
  static size_t UnitSize(std::string_view raw, size_t at) {
    const size_t semicolon = raw[at] == '&' ? raw.find(';', at) : std::string_view::npos;
    return semicolon == std::string_view::npos ? 1 : semicolon - at + 1;
  }

  static bool IsSpaceUnit(std::string_view unit) {
    if (unit.size() == 1) return IsSpace(unit[0]);
    const std::string character = XmlDecode(unit);
    return character.size() == 1 && IsSpace(character[0]);
  }

  void AddCharacters(uint32_t node, std::string_view raw, size_t source_begin) {
    if (raw.empty()) return;
    const size_t begin = content_.text.size();
    XmlDecodeTo(raw, content_.text);
    // White space of any kind reads as a space.
    for (size_t at = begin; at < content_.text.size(); ++at) {
      if (IsSpace(content_.text[at])) content_.text[at] = ' ';
    }
    content_.pieces.push_back({TextPieceKind::kCharacters, begin, content_.text.size(),
                               source_begin, source_begin + raw.size(), node});
  }

  void ReadCData(uint32_t node) {
    const size_t begin = content_.text.size();
    for (const char c : tree_.Raw(node)) {
      if (!IsSpace(c)) {
        content_.text += c;
      } else if (!ignores_space_) {
        content_.text += ' ';
      }
      ignores_space_ = IsSpace(c);
    }
    if (content_.text.size() == begin) return;
    content_.pieces.push_back({TextPieceKind::kWhole, begin, content_.text.size(),
                               tree_[node].begin - std::string_view("<![CDATA[").size(),
                               tree_[node].end + std::string_view("]]>").size(), node});
  }

  const XmlTree& tree_;
  ParagraphContent& content_;
  bool ignores_space_ = true;  // at the start, and behind white space
};

class OdfTextDialect final : public TextDialect {
 public:
  [[nodiscard]] const XmlVocabulary& vocabulary() const override { return OdfVocabulary(); }

  [[nodiscard]] TextContent Read(const XmlTree& tree, uint32_t paragraph) const override {
    return ReadParagraph(tree, paragraph);
  }

  [[nodiscard]] std::string Write(std::string_view text, const XmlTree& tree,
                                  const TextPiece&) const override {
    return ParagraphMarkup(text, XmlPrefixOf(tree, 0));
  }

  // A space must not come to stand beside another one that is written as such, nor at an end.
  [[nodiscard]] TextReplacement Widen(const TextContent& content,
                                      TextReplacement replacement) const override {
    const std::string& text = content.text;
    size_t before = replacement.begin;
    size_t after = replacement.end;
    while (before > 0 && text[before - 1] == ' ' && IsPlain(content, before - 1)) --before;
    while (after < text.size() && text[after] == ' ' && IsPlain(content, after)) ++after;
    const size_t left = replacement.begin - before;
    const size_t right = after - replacement.end;
    const std::string& added = replacement.text;
    bool widens_left = left > 0 && !added.empty() && added.front() == ' ';
    bool widens_right = right > 0 && !added.empty() && added.back() == ' ';
    if (added.empty()) {
      widens_left = left > 0 && (right > 0 || replacement.end == text.size());
      widens_right = right > 0 && (left > 0 || replacement.begin == 0);
    }
    if (widens_left) {
      replacement.text.insert(0, left, ' ');
      replacement.begin = before;
    }
    if (widens_right) {
      replacement.text.append(right, ' ');
      replacement.end = after;
    }
    return replacement;
  }

  [[nodiscard]] std::string WriteFirst(std::string_view text, const XmlTree& tree) const override {
    return XmlWithAppended(tree, 0, ParagraphMarkup(text, XmlPrefixOf(tree, 0)));
  }

 private:
  static bool IsPlain(const TextContent& content, size_t offset) {
    const auto piece =
        std::partition_point(content.pieces.begin(), content.pieces.end(),
                             [offset](const TextPiece& item) { return item.end <= offset; });
    return piece != content.pieces.end() && piece->kind != TextPieceKind::kFixed;
  }
};

}  // namespace

ParagraphContent ReadParagraph(const XmlTree& tree, uint32_t paragraph) {
  ParagraphContent content;
  ParagraphReader(tree, content).ReadChildren(paragraph, "");
  return content;
}

const TextDialect& OdfDialect() {
  static const OdfTextDialect* const dialect = new OdfTextDialect();
  return *dialect;
}

std::string ParagraphMarkup(std::string_view text, std::string_view prefix) {
  const std::string name(prefix);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\t' || text[i] == '\n') {
      out += "<" + name + (text[i] == '\t' ? "tab/>" : "line-break/>");
      ++i;
      continue;
    }
    if (text[i] != ' ') {
      const size_t end = std::min(text.find_first_of("\t\n ", i), text.size());
      out += XmlEscapeText(text.substr(i, end - i));
      i = end;
      continue;
    }
    size_t end = i;
    while (end < text.size() && text[end] == ' ') ++end;
    // A space stands as such between characters only: elsewhere it might be stripped.
    const bool is_between = i > 0 && end < text.size() && text[i - 1] != '\t' &&
                            text[i - 1] != '\n' && text[end] != '\t' && text[end] != '\n';
    size_t count = end - i;
    if (is_between) {
      out += ' ';
      --count;
    }
    if (count == 1) out += "<" + name + "s/>";
    if (count > 1) out += "<" + name + "s " + name + "c=\"" + std::to_string(count) + "\"/>";
    i = end;
  }
  return out;
}

}  // namespace staged::odf
