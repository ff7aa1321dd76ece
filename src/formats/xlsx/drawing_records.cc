#include <algorithm>
#include <map>

#include "codec/xml_summary.h"
#include "formats/xlsx/related_records.h"
#include "record/cell_address.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

class DrawingReader {
 public:
  DrawingReader(const PartTree& tree, const PartContext& context, RecordList& records)
      : tree_(tree), context_(context), records_(records) {}

  void Read() {
    tree_.ForEachChild(0, [&](uint32_t anchor) { ReadAnchor(anchor, false); });
  }

 private:
  // A corner in cells; "" where the object does not stick to cells.
  std::string CellOf(uint32_t corner) const {
    uint32_t column = 0;
    uint32_t row = 0;
    if (!ReadUnsigned(tree_.Child(corner, "col"), column) ||
        !ReadUnsigned(tree_.Child(corner, "row"), row)) {
      return "";
    }
    return FormatCellAddress({row + 1, column + 1});
  }

  bool ReadUnsigned(uint32_t node, uint32_t& number) const {
    const std::string text = tree_.Text(node);
    const bool is_number = !text.empty() && text.size() < 9 &&
                           text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) return false;
    number = 0;
    for (const char c : text) number = number * 10 + static_cast<uint32_t>(c - '0');
    return true;
  }

  void ReadAnchor(uint32_t anchor, bool is_fallback) {
    if (tree_.Name(anchor) == "AlternateContent") {
      return ReadAlternatives(
          anchor, [&](uint32_t child, bool other) { ReadAnchor(child, is_fallback || other); });
    }
    std::string range = CellOf(tree_.Child(anchor, "from"));
    const std::string last = CellOf(tree_.Child(anchor, "to"));
    if (!last.empty() && last != range) range += ":" + last;
    // What stands where: objects that cells do not hold by their numbers.
    std::string place;
    for (const std::string_view name : {"from", "to", "pos", "ext"}) {
      const uint32_t corner = tree_.Child(anchor, name);
      if (corner != kNone) place += XmlDigest(tree_.tree(), corner).substr(0, 8);
    }
    range_ = range;
    place_ = place;
    tree_.ForEachChild(anchor, [&](uint32_t child) { ReadObject(child, is_fallback); });
  }

  void ReadAlternatives(uint32_t node, const std::function<void(uint32_t, bool)>& visit) const {
    bool is_first = true;
    tree_.ForEachChild(node, [&](uint32_t choice) {
      const bool other = !is_first || tree_.Name(choice) == "Fallback";
      is_first = false;
      tree_.ForEachChild(choice, [&](uint32_t child) { visit(child, other); });
    });
  }

  void ReadObject(uint32_t object, bool is_fallback) {
    const std::string_view name = tree_.Name(object);
    if (name == "AlternateContent") {
      return ReadAlternatives(
          object, [&](uint32_t child, bool other) { ReadObject(child, is_fallback || other); });
    }
    std::string kind = name == "pic"            ? "image"
                       : name == "sp"           ? "shape"
                       : name == "cxnSp"        ? "connector"
                       : name == "grpSp"        ? "group"
                       : name == "contentPart"  ? "ink"
                       : name == "graphicFrame" ? FrameKind(object)
                                                : "";
    if (kind.empty()) return;
    AddObject(object, kind, is_fallback);
    if (name != "grpSp") return;
    tree_.ForEachChild(object, [&](uint32_t child) { ReadObject(child, is_fallback); });
  }

  std::string FrameKind(uint32_t frame) const {
    const uint32_t data = tree_.Find(frame, "graphicData");
    const std::string uri = tree_.Attribute(data, "uri");
    if (uri.find("chart") != std::string::npos) return "chart";
    if (uri.find("diagram") != std::string::npos) return "diagram";
    if (uri.find("slicer") != std::string::npos) return "slicer_frame";
    return "frame";
  }

  void AddObject(uint32_t object, const std::string& kind, bool is_fallback) {
    const uint32_t names = tree_.Find(object, "cNvPr");
    const std::string number = std::to_string(++numbers_[kind]);
    const std::string what = kind + ":" + number;
    Record& record = records_.Add(kind, context_.base + what, context_.sheet);
    // The object's own number stays when others come before it.
    const std::string id = tree_.Attribute(names, "id");
    if (!id.empty()) {
      const size_t use = ++ids_[kind + id];
      record.key = kind + ":id" + id + (use > 1 ? "#" + std::to_string(use) : "");
    }
    const bool is_group = kind == "group";
    if (!is_group) record.text = DrawingText(tree_, object);
    const std::string alternative = tree_.Attribute(names, "descr");
    if (record.text.empty()) record.text = alternative;
    if (record.text.empty()) record.text = tree_.Attribute(names, "name");
    SetUnlessEmpty(record.attrs, "name", tree_.Attribute(names, "name"));
    SetUnlessEmpty(record.attrs, "alt_text", alternative);
    SetUnlessEmpty(record.attrs, "title", tree_.Attribute(names, "title"));
    SetUnlessEmpty(record.attrs, "range", range_);
    SetUnlessEmpty(record.attrs, "place", place_);
    SetUnlessEmpty(record.attrs, "macro", tree_.Attribute(object, "macro"));
    SetUnlessEmpty(record.attrs, "formula", tree_.Attribute(object, "textlink"));
    const std::string link = tree_.Attribute(tree_.Find(object, "hlinkClick"), "id");
    if (!is_group) SetUnlessEmpty(record.attrs, "link", context_.Target(link));
    if (!is_group) AddParts(object, record);
    if (is_fallback) {
      record.hidden = "for programs that cannot show what stands before it";
    } else if (tree_.Flag(names, "hidden")) {
      record.hidden = "hidden object";
    }
    if (!is_group) record.attrs.Set("format", Value(XmlDigest(tree_.tree(), object)));
  }

  // What the object shows of other parts: a picture, a chart, a diagram.
  void AddParts(uint32_t object, Record& record) const {
    const uint32_t picture = tree_.Find(object, "blip");
    std::string part = context_.Target(tree_.Attribute(picture, "embed"));
    if (part.empty()) part = context_.Target(tree_.Attribute(picture, "link"));
    if (picture != kNone) {
      SetUnlessEmpty(record.attrs, "part", part);
      if (!part.empty()) SetUnlessEmpty(record.attrs, "content", context_.digest_of(part));
      return;
    }
    const uint32_t data = tree_.Find(object, "graphicData");
    std::string id = tree_.Attribute(tree_.Find(data, "chart"), "id");
    if (id.empty()) id = tree_.Attribute(tree_.Find(data, "relIds"), "dm");
    if (id.empty()) return;
    record.attrs.Set("relationship", Value(id));
    SetUnlessEmpty(record.attrs, "part", context_.Target(id));
  }

  const PartTree& tree_;
  const PartContext& context_;
  RecordList& records_;
  std::map<std::string, size_t> numbers_;
  std::map<std::string, size_t> ids_;
  std::string range_;
  std::string place_;
};

}  // namespace

std::string ParagraphText(const PartTree& tree, uint32_t paragraph) {
  std::string text;
  for (uint32_t at = paragraph + 1; at < tree.tree()[paragraph].subtree_end;) {
    const std::string_view name = tree.Name(at);
    if (name == "t") text += tree.Text(at);
    if (name == "br") text += '\n';
    at = name == "t" ? tree.tree()[at].subtree_end : at + 1;
  }
  return text;
}

std::string DrawingText(const PartTree& tree, uint32_t node) {
  std::string text;
  bool has_paragraph = false;
  tree.ForEach(node, "p", [&](uint32_t paragraph) {
    if (has_paragraph) text += '\n';
    has_paragraph = true;
    text += ParagraphText(tree, paragraph);
  });
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void ReadDrawing(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (!tree.is_empty()) DrawingReader(tree, context, records).Read();
}

void ReadDiagram(const PartTree& tree, const PartContext& context, RecordList& records) {
  size_t number = 0;
  tree.ForEach(0, "pt", [&](uint32_t point) {
    const std::string text = DrawingText(tree, point);
    if (text.empty()) return;
    Record& record = records.Add("diagram_text", context.base + "text:" + std::to_string(++number),
                                 context.sheet);
    record.text = text;
  });
  if (tree.is_empty()) return;
  Record& record = records.Add("diagram_data", context.base + "data", context.sheet);
  record.text = std::to_string(number) + " texts";
  record.attrs.Set("digest", Value(XmlDigest(tree.tree(), 0)));
}

void ReadDiagramDrawing(const PartTree& tree, const PartContext& context, RecordList& records) {
  size_t number = 0;
  tree.ForEach(0, "sp", [&](uint32_t shape) {
    const std::string text = DrawingText(tree, shape);
    if (text.empty()) return;
    Record& record = records.Add("diagram_text", context.base + "text:" + std::to_string(++number),
                                 context.sheet);
    record.text = text;
    record.hidden = "copy of a diagram's text";
  });
  if (tree.is_empty()) return;
  Record& record = records.Add("diagram_data", context.base + "data", context.sheet);
  record.text = std::to_string(number) + " texts";
  record.hidden = "copy of a diagram's text";
  record.attrs.Set("digest", Value(XmlDigest(tree.tree(), 0)));
}

}  // namespace staged::xlsx
