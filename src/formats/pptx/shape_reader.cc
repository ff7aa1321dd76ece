#include "formats/pptx/shape_reader.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "codec/xml.h"
#include "codec/xml_summary.h"
#include "formats/pptx/drawing_text.h"
#include "formats/pptx/presentation_names.h"
#include "formats/pptx/related_media.h"

namespace staged::pptx {
namespace {

std::string Ordinal(std::string_view name, size_t number) {
  return "/" + std::string(name) + "[" + std::to_string(number) + "]";
}

std::string At(std::string_view name, size_t number) {
  return "/" + std::string(name) + ":" + std::to_string(number);
}

class ShapeReader {
 public:
  ShapeReader(const XmlTree& tree, const ShapeContext& context) : tree_(tree), context_(context) {
    target_ = [this](std::string_view id) { return Target(id); };
  }

  ShapeStory Read() {
    const uint32_t shapes = ShapeTreeOf(tree_);
    if (shapes != XmlTree::kNone) {
      ReadTree(shapes, {context_.prefix, context_.hidden, CoordinateMap(), ""});
    }
    ReadControls();
    for (Record& record : AlternativeRecords(tree_, context_.prefix)) {
      record.hidden = context_.hidden.empty() ? record.hidden : context_.hidden;
      if (!Add(std::move(record), 0)) break;
    }
    return std::move(story_);
  }

 private:
  struct Place {
    std::string parent;
    std::string hidden;
    CoordinateMap map;
    std::string ground;  // FillColor behind the text
  };

  // What the record shows apart from `format`, the digest of everything else.
  struct Modelled {
    std::vector<ByteSpan> spans;
    void Add(const XmlNode& node) { spans.push_back({node.begin, node.end}); }
  };

  std::string Target(std::string_view id) const {
    if (id.empty()) return "";
    const OpcRelationship* relationship = context_.relationship(id);
    return relationship == nullptr ? "" : relationship->target;
  }

  bool Add(Record record, uint32_t node) {
    if (story_.records.size() >= context_.limits.records_max) {
      story_.is_truncated = true;
      return false;
    }
    story_.records.push_back(std::move(record));
    story_.nodes.push_back(node);
    return true;
  }

  void ReadTree(uint32_t parent, const Place& place) {
    for (const uint32_t shape : EffectiveChildren(tree_, parent)) {
      switch (tree_[shape].name) {
        case kShape:
        case kPicture:
        case kConnector:
        case kGroupShape:
        case kGraphicFrame:
        case kContentPart:
          ReadShape(shape, place);
          break;
        default:
          break;
      }
      if (story_.is_truncated) return;
    }
  }

  // Controls that stand beside the shapes (19.3.2.1). Alternate contents name each one twice: with
  // its part, and with its picture besides.
  void ReadControls() {
    std::vector<Record> controls;
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      if (tree_[node].name != kControl) continue;
      Record record{.kind = "object", .parent = context_.prefix, .hidden = context_.hidden};
      record.attrs.Set("name", tree_.AttributeText(node, "name"));
      record.span = ByteSpan{tree_[node].begin, tree_[node].end};
      for (const XmlAttribute& attribute : tree_.Attributes(node)) {
        if (attribute.local_name() == "id" && attribute.name != "id") {
          AddRelated(attribute.value, record);
        }
      }
      AddMedia(tree_, node, context_, {}, record);
      const std::string_view part = record.attrs.FindString("part");
      if (!part.empty() && !controls.empty() && controls.back().attrs.FindString("part") == part) {
        controls.back().attrs = std::move(record.attrs);
      } else {
        controls.push_back(std::move(record));
      }
    }
    for (size_t i = 0; i < controls.size(); ++i) {
      controls[i].key = "control[" + std::to_string(i + 1) + "]";
      controls[i].locator = context_.prefix + "/" + controls[i].key;
      if (!Add(std::move(controls[i]), 0)) return;
    }
  }

  std::string NewLocator(uint32_t shape, Record& record) {
    const uint32_t properties = NonVisual(shape);
    std::string id = properties == XmlTree::kNone ? "" : tree_.AttributeText(properties, "id");
    if (id.empty() || id.size() > 20 || id.find_first_not_of("0123456789") != std::string::npos) {
      id = "?";
    }
    record.key = "shape[" + id + "]";
    std::string locator = context_.prefix + "/" + record.key;
    const int count = ++counts_[locator];
    if (count > 1) {
      record.key += "#" + std::to_string(count);
      locator += "#" + std::to_string(count);
    }
    return locator;
  }

  [[nodiscard]] uint32_t NonVisual(uint32_t shape) const {
    for (uint32_t child = tree_.FirstChild(shape); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (tree_.IsElement(child)) return tree_.Child(child, kNonVisualProperties);
    }
    return XmlTree::kNone;
  }

  void ReadShape(uint32_t shape, const Place& place) {
    Record record{.kind = KindOf(shape), .parent = place.parent, .hidden = place.hidden};
    record.locator = NewLocator(shape, record);
    record.span = ByteSpan{tree_[shape].begin, tree_[shape].end};
    Modelled modelled;
    AddNonVisual(shape, record, modelled);
    const std::optional<Placeholder> placeholder = ReadPlaceholder(tree_, shape);
    AddPlaceholder(placeholder, record);
    AddGeometry(shape, placeholder, place, record, modelled);
    AddContent(shape, record);
    ModelContent(shape, modelled);
    std::sort(modelled.spans.begin(), modelled.spans.end(),
              [](const ByteSpan& left, const ByteSpan& right) { return left.begin < right.begin; });
    record.attrs.Set("format", XmlDigest(tree_, shape, modelled.spans));
    AddMediaOf(shape, modelled, record);
    const std::string locator = record.locator;
    const std::string hidden = record.hidden;
    const bool is_title =
        placeholder && (placeholder->type == "title" || placeholder->type == "ctrTitle");
    const bool is_body =
        placeholder && placeholder->type == "body" && context_.body_stands_alone && !has_body_;
    const size_t first = story_.records.size() + 1;
    if (!Add(std::move(record), shape)) return;
    const Place inside{locator, hidden,
                       tree_[shape].name == kGroupShape
                           ? place.map.Inside(tree_, TransformOf(tree_, shape))
                           : place.map,
                       FillColor(tree_, tree_.Child(shape, kShapeProperties))};
    if (tree_[shape].name == kGroupShape) ReadTree(shape, inside);
    ReadTable(shape, inside);
    if (is_body) has_body_ = true;
    ReadParagraphs(tree_.Child(shape, kTextBody), is_body ? context_.prefix : locator, inside);
    if (is_title && story_.title.empty()) TakeTitle(first);
  }

  // Children of a group name their own.
  void AddMediaOf(uint32_t shape, const Modelled& modelled, Record& record) {
    static const std::vector<ByteSpan> kNothing;
    const bool is_group = tree_[shape].name == kGroupShape;
    AddMedia(tree_, shape, context_, is_group ? modelled.spans : kNothing, record);
  }

  void TakeTitle(size_t first) {
    for (size_t i = first; i < story_.records.size(); ++i) {
      if (story_.records[i].kind != "paragraph" || story_.records[i].text.empty()) continue;
      if (!story_.title.empty()) story_.title += ' ';
      story_.title += story_.records[i].text;
    }
    std::replace(story_.title.begin(), story_.title.end(), '\n', ' ');
  }

  [[nodiscard]] std::string KindOf(uint32_t shape) const {
    switch (tree_[shape].name) {
      case kPicture:
        return "image";
      case kConnector:
        return "connector";
      case kGroupShape:
        return "group";
      case kContentPart:
        return "ink";
      case kGraphicFrame:
        break;
      default:
        return "shape";
    }
    const uint32_t data = Descendant(tree_, shape, kGraphicData);
    if (data == XmlTree::kNone) return "frame";
    for (uint32_t node = data + 1; node < tree_[data].subtree_end; ++node) {
      switch (tree_[node].name) {
        case kTable:
          return "table";
        case kChart:
        case kExtendedChart:
          return "chart";
        case kDiagramIds:
          return "diagram";
        case kEmbeddedObject:
          return "object";
        default:
          break;
      }
    }
    return "frame";
  }

  void AddNonVisual(uint32_t shape, Record& record, Modelled& modelled) {
    const uint32_t properties = NonVisual(shape);
    if (properties == XmlTree::kNone) return;
    if (record.key.find('#') != std::string::npos || record.key == "shape[?]") {
      record.attrs.Set("duplicate_id", true);
    }
    for (const auto& [attribute, name] :
         {std::pair("name", "name"), std::pair("descr", "alt_text"), std::pair("title", "title")}) {
      std::string value = tree_.AttributeText(properties, attribute);
      if (!value.empty()) record.attrs.Set(name, std::move(value));
    }
    const uint32_t link = tree_.Child(properties, kLinkClick);
    if (link != XmlTree::kNone) {
      record.attrs.Set("link", LinkText(tree_, link, target_));
      std::string tooltip = tree_.AttributeText(link, "tooltip");
      if (!tooltip.empty()) record.attrs.Set("tooltip", std::move(tooltip));
    }
    const uint32_t hover = tree_.Child(properties, kLinkHover);
    if (hover != XmlTree::kNone) record.attrs.Set("hover_link", LinkText(tree_, hover, target_));
    const std::string_view hidden = tree_.Attribute(properties, "hidden").value_or("0");
    if ((hidden == "1" || hidden == "true") && record.hidden.empty()) {
      record.hidden = "hidden shape";
    }
    modelled.Add(tree_[properties]);
  }

  void AddPlaceholder(const std::optional<Placeholder>& placeholder, Record& record) {
    if (!placeholder) return;
    Value::Object value{{"type", placeholder->type.empty() ? "obj" : placeholder->type}};
    if (!placeholder->index.empty()) value.emplace_back("index", placeholder->index);
    record.attrs.Set("placeholder", std::move(value));
    if (record.hidden.empty()) record.hidden = context_.hidden_placeholders;
  }

  void AddGeometry(uint32_t shape, const std::optional<Placeholder>& placeholder,
                   const Place& place, Record& record, Modelled& modelled) {
    const uint32_t transform = TransformOf(tree_, shape);
    std::optional<Geometry> geometry = ReadTransform(tree_, transform);
    if (geometry) {
      const uint32_t offset = tree_.Child(transform, kOffset);
      const uint32_t extent = tree_.Child(transform, kExtent);
      // The start tag holds rotation and flips; child coordinates of a group stay in the digest.
      modelled.spans.push_back({tree_[transform].begin, tree_[transform].content_begin});
      modelled.Add(tree_[offset]);
      modelled.Add(tree_[extent]);
    }
    const char* source = "own";
    if (!geometry && placeholder) {
      const Placeholder* in_layout =
          context_.layout == nullptr ? nullptr : FindInLayout(*context_.layout, *placeholder);
      const Placeholder* in_master =
          context_.master == nullptr
              ? nullptr
              : FindInMaster(*context_.master, in_layout != nullptr ? *in_layout : *placeholder);
      if (in_layout != nullptr && in_layout->geometry) {
        geometry = in_layout->geometry;
        source = "layout";
      } else if (in_master != nullptr && in_master->geometry) {
        geometry = in_master->geometry;
        source = "master";
      }
    }
    if (!geometry) return;
    record.attrs.Set("geometry", geometry->ToValue());
    record.attrs.Set("geometry_from", source);
    if (record.hidden.empty() &&
        place.map.IsOutside(*geometry, context_.slide_width, context_.slide_height)) {
      record.hidden = "off the slide";
    }
  }

  void AddRelated(std::string_view id, Record& record) {
    if (id.empty()) return;
    const OpcRelationship* relationship = context_.relationship(XmlDecodeAttribute(id));
    if (relationship == nullptr) return;
    if (relationship->is_external) {
      record.attrs.Set("target", relationship->target);
      return;
    }
    record.attrs.Set("part", relationship->target);
    const std::string digest = context_.digest(relationship->target);
    if (!digest.empty()) record.attrs.Set("digest", digest);
  }

  void AddContent(uint32_t shape, Record& record) {
    const uint32_t properties = tree_.Child(shape, kShapeProperties);
    if (properties != XmlTree::kNone) {
      const uint32_t preset = tree_.Child(properties, kPresetGeometry);
      if (preset != XmlTree::kNone) record.attrs.Set("preset", tree_.AttributeText(preset, "prst"));
    }
    if (record.kind == "image") {
      const uint32_t blip = Descendant(tree_, shape, kBlip);
      if (blip != XmlTree::kNone) {
        const auto id = tree_.Attribute(blip, "embed").value_or("");
        AddRelated(id.empty() ? tree_.Attribute(blip, "link").value_or("") : id, record);
      }
      record.text = record.attrs.FindString("alt_text");
    } else if (record.kind == "ink") {
      AddRelated(tree_.Attribute(shape, "id").value_or(""), record);
    } else if (record.kind == "object") {
      const uint32_t object = Descendant(tree_, shape, kEmbeddedObject);
      record.attrs.Set("program", tree_.AttributeText(object, "progId"));
      AddRelated(tree_.Attribute(object, "id").value_or(""), record);
    } else if (record.kind == "chart") {
      uint32_t chart = Descendant(tree_, shape, kChart);
      if (chart == XmlTree::kNone) chart = Descendant(tree_, shape, kExtendedChart);
      const OpcRelationship* to = context_.relationship(tree_.AttributeText(chart, "id"));
      if (to != nullptr) record.attrs.Set("part", to->target);
    } else if (record.kind == "diagram") {
      const uint32_t ids = Descendant(tree_, shape, kDiagramIds);
      const OpcRelationship* to = context_.relationship(tree_.AttributeText(ids, "dm"));
      if (to != nullptr) record.attrs.Set("part", to->target);
    }
  }

  // What records of their own show: children of groups, rows of tables, paragraphs.
  void ModelContent(uint32_t shape, Modelled& modelled) {
    uint16_t name = kParagraph;
    uint32_t holder = tree_.Child(shape, kTextBody);
    if (tree_[shape].name == kGroupShape) {
      holder = shape;
      name = kUnknownName;
    } else if (tree_[shape].name == kGraphicFrame) {
      holder = Descendant(tree_, shape, kTable);
      name = kTableRow;
    }
    if (holder == XmlTree::kNone) return;
    for (uint32_t child = tree_.FirstChild(holder); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      const uint16_t of = tree_[child].name;
      const bool is_shape = of == kShape || of == kPicture || of == kConnector ||
                            of == kGroupShape || of == kGraphicFrame || of == kContentPart ||
                            of == kAlternateContent;
      if (name == kUnknownName ? is_shape : of == name) modelled.Add(tree_[child]);
    }
  }

  void ReadTable(uint32_t frame, const Place& place) {
    if (tree_[frame].name != kGraphicFrame) return;
    const uint32_t table = Descendant(tree_, frame, kTable);
    if (table == XmlTree::kNone) return;
    size_t row_number = 0;
    for (const uint32_t row : EffectiveChildren(tree_, table)) {
      if (tree_[row].name != kTableRow) continue;
      Record record{.kind = "row", .locator = place.parent + "/t" + At("r", ++row_number)};
      record.parent = place.parent;
      record.hidden = place.hidden;
      record.attrs.Set("height", tree_.AttributeText(row, "h"));
      const Place in_row{record.locator, place.hidden, place.map, ""};
      if (!Add(std::move(record), row)) return;
      size_t column = 0;
      for (const uint32_t cell : EffectiveChildren(tree_, row)) {
        if (tree_[cell].name == kTableCell) ReadCell(cell, ++column, in_row);
        if (story_.is_truncated) return;
      }
    }
  }

  void ReadCell(uint32_t cell, size_t column, const Place& row) {
    Record record{.kind = "cell", .locator = row.parent + At("c", column)};
    record.parent = row.parent;
    record.hidden = row.hidden;
    for (const auto& [attribute, name] :
         {std::pair("gridSpan", "column_span"), std::pair("rowSpan", "row_span")}) {
      std::string span = tree_.AttributeText(cell, attribute);
      if (!span.empty() && span != "1") record.attrs.Set(name, std::move(span));
    }
    const bool is_merged = tree_.Attribute(cell, "hMerge").value_or("0") != "0" ||
                           tree_.Attribute(cell, "vMerge").value_or("0") != "0";
    if (is_merged) {
      record.attrs.Set("merged", true);
      if (record.hidden.empty()) record.hidden = "covered by a merged cell";
    }
    const uint32_t body = tree_.Child(cell, kDrawingTextBody);
    Modelled modelled;
    modelled.spans.push_back({tree_[cell].begin, tree_[cell].content_begin});
    for (uint32_t child = body == XmlTree::kNone ? body : tree_.FirstChild(body);
         child != XmlTree::kNone; child = tree_.NextSibling(child)) {
      if (tree_[child].name == kParagraph) modelled.Add(tree_[child]);
    }
    record.attrs.Set("format", XmlDigest(tree_, cell, modelled.spans));
    const Place inside{record.locator, record.hidden, row.map,
                       FillColor(tree_, tree_.Child(cell, kCellProperties))};
    if (Add(std::move(record), cell)) ReadParagraphs(body, inside.parent, inside);
  }

  void ReadParagraphs(uint32_t body, const std::string& prefix, const Place& place) {
    size_t number = 0;
    for (const uint32_t child : EffectiveChildren(tree_, body)) {
      if (tree_[child].name != kParagraph) continue;
      Record record{.kind = "paragraph", .locator = prefix + Ordinal("p", ++number)};
      record.parent = place.parent;
      record.hidden = place.hidden;
      FillParagraph(tree_, child, target_, place.ground, record);
      if (!Add(std::move(record), child)) return;
    }
  }

  const XmlTree& tree_;
  const ShapeContext& context_;
  LinkTarget target_;
  ShapeStory story_;
  std::unordered_map<std::string, int> counts_;
  bool has_body_ = false;
};

}  // namespace

ShapeStory ReadShapes(const XmlTree& tree, const ShapeContext& context) {
  return ShapeReader(tree, context).Read();
}

uint32_t ShapeTreeOf(const XmlTree& tree) {
  if (tree.size() == 0) return XmlTree::kNone;
  const uint32_t common = tree.Child(0, kCommonSlide);
  return common == XmlTree::kNone ? common : tree.Child(common, kShapeTree);
}

}  // namespace staged::pptx
