#include "formats/pptx/drawing_text.h"

#include <charconv>

#include "codec/xml.h"
#include "codec/xml_summary.h"
#include "formats/pptx/presentation_names.h"

namespace staged::pptx {
namespace {

class ParagraphReader {
 public:
  ParagraphReader(const XmlTree& tree, ParagraphContent& content)
      : tree_(tree), content_(content) {}

  void Read(uint32_t paragraph) {
    for (const uint32_t child : EffectiveChildren(tree_, paragraph)) {
      const size_t begin = content_.text.size();
      switch (tree_[child].name) {
        case kRun:
          ReadRun(child);
          break;
        case kBreak:
          content_.text += '\n';
          AddPiece(TextPieceKind::kWhole, begin, tree_[child].begin, tree_[child].end, child);
          break;
        case kField:
          ReadTexts(child, kText);
          AddFixed(begin, child);
          break;
        case kDrawingMath:
          ReadTexts(child, kMathText);
          AddFixed(begin, child);
          break;
        default:
          continue;
      }
      AddRun(begin, tree_.Child(child, kRunProperties));
    }
  }

 private:
  void ReadRun(uint32_t run) {
    for (uint32_t child = tree_.FirstChild(run); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (tree_[child].name == kText) ReadCharacters(run, child);
    }
  }

  void ReadCharacters(uint32_t run, uint32_t text) {
    const XmlNode& element = tree_[text];
    const size_t pieces = content_.pieces.size();
    for (uint32_t node = tree_.FirstChild(text); node != XmlTree::kNone;
         node = tree_.NextSibling(node)) {
      const size_t begin = content_.text.size();
      size_t source_begin = tree_[node].begin;
      size_t source_end = tree_[node].end;
      if (tree_[node].type == XmlTokenType::kText) {
        XmlDecodeTo(tree_.Raw(node), content_.text);
        AddPiece(TextPieceKind::kCharacters, begin, source_begin, source_end, node, run);
      } else if (tree_[node].type == XmlTokenType::kCData) {
        content_.text += tree_.Raw(node);
        source_begin -= std::string_view("<![CDATA[").size();
        source_end += std::string_view("]]>").size();
        AddPiece(TextPieceKind::kWhole, begin, source_begin, source_end, node, run);
      }
    }
    if (content_.pieces.size() > pieces) return;
    const size_t at = content_.text.size();
    if (element.content_begin == element.end) {  // <a:t/>
      AddPiece(TextPieceKind::kWhole, at, element.begin, element.end, text, run);
    } else {
      AddPiece(TextPieceKind::kCharacters, at, element.content_begin, element.content_begin, text,
               run);
    }
  }

  void ReadTexts(uint32_t element, uint16_t name) {
    for (uint32_t node = element + 1; node < tree_[element].subtree_end; ++node) {
      if (tree_[node].name == name) tree_.TextTo(node, content_.text);
    }
  }

  void AddFixed(size_t begin, uint32_t element) {
    AddPiece(TextPieceKind::kFixed, begin, tree_[element].begin, tree_[element].end, element);
  }

  void AddPiece(TextPieceKind kind, size_t begin, size_t source_begin, size_t source_end,
                uint32_t node, uint32_t run = XmlTree::kNone) {
    content_.pieces.push_back(
        {kind, begin, content_.text.size(), source_begin, source_end, node, run});
  }

  void AddRun(size_t begin, uint32_t properties) {
    if (content_.text.size() > begin) {
      content_.runs.push_back({begin, content_.text.size(), properties});
    }
  }

  const XmlTree& tree_;
  ParagraphContent& content_;
};

struct PlainName {
  std::string_view attribute;
  std::string_view name;
  bool is_switch;
};
constexpr PlainName kRunAttributes[] = {
    {"b", "bold", true},         {"i", "italic", true},  {"u", "underline", false},
    {"strike", "strike", false}, {"cap", "caps", false}, {"baseline", "baseline", false},
};

bool IsIgnoredRunAttribute(std::string_view name) {
  // Languages, proofing marks and editing state: nobody sees them.
  return name == "lang" || name == "altLang" || name == "dirty" || name == "err" ||
         name == "noProof" || name == "smtClean" || name == "smtId" || name == "bmk";
}

Value SizePoints(std::string_view hundredths) {
  int size = 0;
  const auto [end, error] =
      std::from_chars(hundredths.data(), hundredths.data() + hundredths.size(), size);
  if (error != std::errc()) return Value(std::string(hundredths));
  return size % 100 == 0 ? Value(size / 100) : Value(size / 100.0);
}

// The colour of a solid fill whose colour has no modifications, else a summary of the fill.
std::string FillText(const XmlTree& tree, uint32_t fill) {
  const uint32_t color = tree.FirstChild(fill);
  if (color != XmlTree::kNone && tree.IsElement(color) &&
      tree.FirstChild(color) == XmlTree::kNone) {
    std::string value = tree.AttributeText(color, "val");
    if (!value.empty()) return value;
  }
  return XmlSummary(tree, fill);
}

Value::Object RunFormat(const XmlTree& tree, uint32_t properties) {
  Value::Object format;
  if (properties == XmlTree::kNone) return format;
  for (const XmlAttribute& attribute : tree.Attributes(properties)) {
    const std::string_view name = attribute.local_name();
    if (IsIgnoredRunAttribute(name) || attribute.name.starts_with("xmlns")) continue;
    const std::string value = XmlDecodeAttribute(attribute.value);
    if (name == "sz") {
      format.emplace_back("size_points", SizePoints(value));
      continue;
    }
    const PlainName* plain = nullptr;
    for (const PlainName& item : kRunAttributes) {
      if (item.attribute == name) plain = &item;
    }
    if (plain == nullptr) {
      format.emplace_back(std::string(name), value);
    } else if (plain->is_switch) {
      format.emplace_back(plain->name, value == "1" || value == "true" || value == "on");
    } else if (value != "none" && value != "noStrike" && !(name == "baseline" && value == "0")) {
      format.emplace_back(plain->name, value);
    }
  }
  for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    const uint16_t id = tree[child].name;
    const std::string_view name = tree.LocalName(child);
    if (id == kLinkClick || id == kLinkHover || name == "extLst") continue;
    if (name == "solidFill") {
      format.emplace_back("color", FillText(tree, child));
    } else if (name == "latin") {
      format.emplace_back("font", tree.AttributeText(child, "typeface"));
    } else {
      format.emplace_back(std::string(name), XmlSummary(tree, child));
    }
  }
  return format;
}

constexpr int kLegibleSize = 150;  // hundredths of a point: what is smaller nobody reads

// Why nobody sees text of those properties against that ground, or "".
std::string_view HiddenReason(const XmlTree& tree, uint32_t properties, std::string_view ground) {
  if (properties == XmlTree::kNone) return "";
  const std::string_view digits = tree.Attribute(properties, "sz").value_or("");
  int size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (error == std::errc() && size > 0 && size < kLegibleSize) return "text too small to read";
  if (tree.Child(properties, kLine) != XmlTree::kNone) return "";
  if (tree.Child(properties, kNoFill) != XmlTree::kNone) return "text without a colour";
  const bool is_ground = !ground.empty() && FillColor(tree, properties) == ground;
  return is_ground ? "text in the colour of what is behind it" : "";
}

void AddHiddenText(const XmlTree& tree, const ParagraphContent& content, std::string_view ground,
                   Record& record) {
  Value::Array hidden;
  std::string_view reason_of_all;
  bool is_all_hidden = true;
  for (const RunSpan& span : content.runs) {
    const std::string_view reason = HiddenReason(tree, span.properties, ground);
    const std::string text = content.text.substr(span.begin, span.end - span.begin);
    if (reason.empty()) {
      is_all_hidden = is_all_hidden && text.find_first_not_of(" \t\n") == std::string::npos;
      continue;
    }
    if (reason_of_all.empty()) reason_of_all = reason;
    hidden.emplace_back(Value::Object{{"start", static_cast<int64_t>(span.begin)},
                                      {"end", static_cast<int64_t>(span.end)},
                                      {"reason", std::string(reason)}});
  }
  if (hidden.empty()) return;
  record.attrs.Set("hidden_text", std::move(hidden));
  if (is_all_hidden && record.hidden.empty()) record.hidden = std::string(reason_of_all);
}

void AddRunsAndLinks(const XmlTree& tree, const ParagraphContent& content, const LinkTarget& target,
                     Record& record) {
  Value::Array runs;
  Value::Array links;
  Value::Object last_format;
  int64_t last_end = -1;
  for (const RunSpan& span : content.runs) {
    const int64_t begin = static_cast<int64_t>(span.begin);
    const int64_t end = static_cast<int64_t>(span.end);
    if (span.properties != XmlTree::kNone) {
      for (const uint16_t name : {kLinkClick, kLinkHover}) {
        const uint32_t link = tree.Child(span.properties, name);
        if (link == XmlTree::kNone) continue;
        Value::Object value{{"start", begin}, {"end", end}};
        value.emplace_back("target", LinkText(tree, link, target));
        std::string tooltip = tree.AttributeText(link, "tooltip");
        if (!tooltip.empty()) value.emplace_back("tooltip", std::move(tooltip));
        if (name == kLinkHover) value.emplace_back("on", "hover");
        links.emplace_back(std::move(value));
      }
    }
    Value::Object format = RunFormat(tree, span.properties);
    if (last_end == begin && format == last_format && !runs.empty() && !format.empty()) {
      runs.back().Set("end", end);
    } else if (!format.empty()) {
      Value::Object run{{"start", begin}, {"end", end}};
      run.insert(run.end(), format.begin(), format.end());
      runs.emplace_back(std::move(run));
    }
    last_format = std::move(format);
    last_end = end;
  }
  if (!runs.empty()) record.attrs.Set("runs", std::move(runs));
  if (!links.empty()) record.attrs.Set("links", std::move(links));
}

class DrawingTextDialect final : public TextDialect {
 public:
  [[nodiscard]] const XmlVocabulary& vocabulary() const override {
    return PresentationVocabulary();
  }
  [[nodiscard]] TextContent Read(const XmlTree& tree, uint32_t paragraph) const override {
    return ReadParagraph(tree, paragraph);
  }
  [[nodiscard]] std::string Write(std::string_view text, const XmlTree& tree,
                                  const TextPiece& piece) const override {
    const uint16_t name = tree[piece.node].name;
    const uint32_t holder = piece.run == XmlTree::kNone ? piece.node : piece.run;
    const std::string prefix = XmlPrefixOf(tree, holder);
    const uint32_t properties = tree.Child(holder, kRunProperties);
    const std::string format =
        properties == XmlTree::kNone ? "" : std::string(tree.Raw(properties));
    if (name == kBreak) return RunElements(text, prefix, format);
    std::string out;
    for (size_t begin = 0;;) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      out += XmlEscapeText(text.substr(begin, end - begin));
      if (end == text.size()) break;
      out += "</" + prefix + "t></" + prefix + "r><" + prefix + "br>" + format + "</" + prefix +
             "br><" + prefix + "r>" + format + "<" + prefix + "t>";
      begin = end + 1;
    }
    const bool is_whole_text = piece.kind == TextPieceKind::kWhole && name == kText;
    return is_whole_text ? "<" + prefix + "t>" + out + "</" + prefix + "t>" : out;
  }
  [[nodiscard]] std::string WriteFirst(std::string_view text, const XmlTree& tree) const override {
    const uint32_t last = tree.Child(0, kEndProperties);
    const std::string prefix = XmlPrefixOf(tree, 0);
    if (last == XmlTree::kNone) {
      return XmlWithAppended(tree, 0, RunElements(text, prefix, ""));
    }
    std::string out(tree.source());
    out.insert(tree[last].begin, RunElements(text, prefix, RenamedElement(tree, last, "rPr")));
    return out;
  }
};

}  // namespace

ParagraphContent ReadParagraph(const XmlTree& tree, uint32_t paragraph) {
  ParagraphContent content;
  ParagraphReader(tree, content).Read(paragraph);
  return content;
}

std::string FillColor(const XmlTree& tree, uint32_t element) {
  if (element == XmlTree::kNone) return "";
  const uint32_t fill = tree.Child(element, kSolidFill);
  return fill == XmlTree::kNone ? "" : XmlSummary(tree, fill);
}

void FillParagraph(const XmlTree& tree, uint32_t paragraph, const LinkTarget& target,
                   std::string_view ground, Record& record) {
  const ParagraphContent content = ReadParagraph(tree, paragraph);
  record.text = content.text;
  const uint32_t properties = tree.Child(paragraph, kParagraphProperties);
  if (properties != XmlTree::kNone) {
    Value::Object others;
    for (const XmlAttribute& attribute : tree.Attributes(properties)) {
      const std::string_view name = attribute.local_name();
      std::string value = XmlDecodeAttribute(attribute.value);
      int level = 0;
      if (attribute.name.starts_with("xmlns")) continue;
      if (name == "algn") {
        record.attrs.Set("alignment", std::move(value));
      } else if (name == "lvl" &&
                 std::from_chars(value.data(), value.data() + value.size(), level).ec ==
                     std::errc()) {
        if (level > 0) record.attrs.Set("level", level + 1);
      } else {
        others.emplace_back(std::string(name), std::move(value));
      }
    }
    for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
         child = tree.NextSibling(child)) {
      if (!tree.IsElement(child)) continue;
      others.emplace_back(std::string(tree.LocalName(child)), XmlSummary(tree, child));
    }
    if (!others.empty()) record.attrs.Set("properties", std::move(others));
  }
  AddRunsAndLinks(tree, content, target, record);
  AddHiddenText(tree, content, ground, record);
  record.span = ByteSpan{tree[paragraph].begin, tree[paragraph].end};
}

std::string LinkText(const XmlTree& tree, uint32_t link, const LinkTarget& target) {
  std::string text = tree.AttributeText(link, "action");
  const std::string to = target(tree.AttributeText(link, "id"));
  if (!to.empty()) text = text.empty() ? to : text + " " + to;
  return text;
}

const TextDialect& DrawingDialect() {
  static const DrawingTextDialect* const dialect = new DrawingTextDialect();
  return *dialect;
}

std::string RenamedElement(const XmlTree& tree, uint32_t element, std::string_view local_name) {
  std::string xml(tree.Raw(element));
  const std::string old_name(tree.QualifiedName(element));
  const std::string new_name = XmlPrefixOf(tree, element) + std::string(local_name);
  const XmlNode& node = tree[element];
  if (node.content_begin < node.end) {
    xml.replace(node.content_end - node.begin, std::string::npos, "</" + new_name + ">");
  }
  return xml.replace(1, old_name.size(), new_name);
}

std::string RunElements(std::string_view text, std::string_view prefix,
                        std::string_view properties) {
  const std::string name(prefix);
  const std::string format(properties);
  std::string out;
  for (size_t begin = 0;;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) {
      out += "<" + name + "r>" + format + "<" + name + "t>" +
             XmlEscapeText(text.substr(begin, end - begin)) + "</" + name + "t></" + name + "r>";
    }
    if (end == text.size()) return out;
    out += "<" + name + "br>" + format + "</" + name + "br>";
    begin = end + 1;
  }
}

}  // namespace staged::pptx
