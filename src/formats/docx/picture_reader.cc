#include "formats/docx/picture_reader.h"

#include "codec/xml_summary.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

// "img:" of "image"; other kinds lend their own names.
std::string LocatorName(const std::string& kind) {
  if (kind == "image") return "img";
  if (kind == "object") return "obj";
  return kind;
}

}  // namespace

Record PictureReader::NewRecord(const std::string& kind, const Drawing& drawing) {
  Record record{.kind = kind,
                .locator = prefix_ + LocatorName(kind) + ":" + std::to_string(++counts_[kind]),
                .parent = drawing.parent,
                .hidden = drawing.hidden};
  const std::pair<const char*, const std::string&> attributes[] = {
      {"name", drawing.name},
      {"alternative_text", drawing.description},
      {"title", drawing.title},
      {"link", drawing.link},
      {"size_emu", drawing.extent}};
  for (const auto& [name, value] : attributes) {
    if (!value.empty()) record.attrs.Set(name, value);
  }
  if (drawing.marker.node != XmlTree::kNone) {
    record.attrs.Set("at", Value(static_cast<int64_t>(drawing.marker.at)));
  }
  record.text = drawing.description;
  return record;
}

const OpcRelationship* PictureReader::Related(
    uint32_t node, std::initializer_list<std::string_view> id_attributes) const {
  for (const std::string_view attribute : id_attributes) {
    const std::string id = tree_.AttributeText(node, attribute);
    const OpcRelationship* found = id.empty() ? nullptr : context_.relationships->Find(id);
    if (found != nullptr) return found;
  }
  return nullptr;
}

void PictureReader::SetTarget(const OpcRelationship* relationship, Record& record) {
  if (relationship == nullptr) return;
  if (relationship->is_external) {
    record.attrs.Set("target", relationship->target);
    return;
  }
  record.attrs.Set("part", relationship->target);
  RelatedPart related = context_.related(relationship->target);
  if (!related.digest.empty()) record.attrs.Set("digest", related.digest);
  // A part that is shown again is not told again.
  if (!told_parts_.insert(relationship->target).second) return;
  if (!related.media.empty()) record.attrs.Set("media", std::move(related.media));
  if (!related.text.empty()) record.text = related.text;
  if (related.is_cut) record.attrs.Set("text_cut", true);
}

void PictureReader::AddRelated(const std::string& kind, uint32_t node,
                               std::initializer_list<std::string_view> id_attributes,
                               Drawing& drawing) {
  Record record = NewRecord(kind, drawing);
  // Of several images in one drawing, the first one tells what holds for all.
  for (std::string* told :
       {&drawing.name, &drawing.description, &drawing.title, &drawing.link, &drawing.extent}) {
    told->clear();
  }
  SetTarget(Related(node, id_attributes), record);
  // An image may be embedded and linked to its source at once.
  const OpcRelationship* link = kind == "image" ? Related(node, {"link"}) : nullptr;
  if (link != nullptr && link->is_external) record.attrs.Set("target", link->target);
  if (kind == "object") {
    for (const auto& [attribute, name] : {std::pair("ProgID", "program"), std::pair("name", "name"),
                                          std::pair("Type", "embedding")}) {
      std::string value = tree_.AttributeText(node, attribute);
      if (!value.empty()) record.attrs.Set(name, std::move(value));
    }
  }
  drawing.records.emplace_back(std::move(record), node);
}

// An image may come twice: as pixels and, for those who can show it, as vectors.
void PictureReader::AddVectorImage(uint32_t node, Drawing& drawing) const {
  const OpcRelationship* relationship = Related(node, {"embed", "link"});
  if (relationship == nullptr || drawing.records.empty()) return;
  Record& image = drawing.records.back().first;
  image.attrs.Set("vector_part", relationship->target);
  if (relationship->is_external) return;
  const RelatedPart related = context_.related(relationship->target);
  if (!related.digest.empty()) image.attrs.Set("vector_digest", related.digest);
}

void PictureReader::AddDescription(uint32_t node, std::string_view attribute, Drawing& drawing) {
  const std::string text = tree_.AttributeText(node, attribute);
  if (text.empty() || text == drawing.description) return;
  if (!drawing.description.empty()) drawing.description += '\n';
  drawing.description += text;
}

void PictureReader::Visit(uint32_t node, Drawing& drawing) {
  switch (tree_[node].name) {
    case kDrawingProperties:
      drawing.name = tree_.AttributeText(node, "name");
      drawing.title = tree_.AttributeText(node, "title");
      AddDescription(node, "descr", drawing);
      break;
    case kShapeProperties:
      if (drawing.name.empty()) drawing.name = tree_.AttributeText(node, "name");
      AddDescription(node, "descr", drawing);
      break;
    case kVmlShape:
      AddDescription(node, "alt", drawing);
      if (drawing.link.empty()) drawing.link = tree_.AttributeText(node, "href");
      break;
    case kDrawingLink: {
      const OpcRelationship* relationship = Related(node, {"id"});
      if (relationship != nullptr) drawing.link = relationship->target;
      break;
    }
    case kExtent:
      drawing.extent = tree_.AttributeText(node, "cx") + "x" + tree_.AttributeText(node, "cy");
      break;
    case kDrawingText:
      tree_.TextTo(node, drawing.text);
      break;
    case kDrawingParagraph:
      if (!drawing.text.empty()) drawing.text += '\n';
      break;
    case kVmlTextPath:
      drawing.text += tree_.AttributeText(node, "string");
      break;
    case kBlip:
      AddRelated("image", node, {"embed", "link"}, drawing);
      break;
    case kVectorImage:
      AddVectorImage(node, drawing);
      break;
    case kVmlImage:
      if (drawing.description.empty()) AddDescription(node, "title", drawing);
      AddRelated("image", node, {"id", "pict"}, drawing);
      break;
    case kChartReference:
      AddRelated("chart", node, {"id"}, drawing);
      break;
    case kDiagramReference:
      AddRelated("diagram", node, {"dm"}, drawing);
      break;
    case kOleObject:
    case kActiveXControl:
      AddRelated("object", node, {"id"}, drawing);
      break;
    case kContentPart:
      AddRelated("ink", node, {"id"}, drawing);
      break;
    default:
      break;
  }
}

void PictureReader::Read(const InlineMarker& picture, const std::string& parent,
                         const std::string& hidden, const Emit& emit) {
  Drawing drawing{.marker = picture, .parent = parent, .hidden = hidden};
  if (picture.is_deleted && hidden.empty()) drawing.hidden = "tracked deletion";
  Visit(picture.node, drawing);
  VisitChosen(tree_, picture.node, [&](uint32_t node) {
    if (tree_[node].name == kTextBoxContent) {
      drawing.boxes.push_back({tree_[node].begin, tree_[node].end});
      return false;
    }
    Visit(node, drawing);
    return true;
  });
  if (drawing.records.empty() || !drawing.text.empty() || !drawing.description.empty()) {
    Record shape = NewRecord("shape", drawing);
    if (!drawing.text.empty()) shape.text = drawing.text;
    drawing.records.emplace_back(std::move(shape), picture.node);
  }
  // Position, lines, fills: what no other attribute shows.
  drawing.records.front().first.attrs.Set("format", XmlDigest(tree_, picture.node, drawing.boxes));
  for (auto& [record, node] : drawing.records) emit(std::move(record), node);
}

void PictureReader::ReadPart(uint32_t node, const std::string& kind, const std::string& parent,
                             const std::string& hidden, const Emit& emit) {
  Drawing drawing{.marker = {}, .parent = parent, .hidden = hidden};
  Record record = NewRecord(kind, drawing);
  const OpcRelationship* relationship = Related(node, {"id"});
  // The picture of a background stands in its fill.
  for (uint32_t inner = node + 1; relationship == nullptr && inner < tree_[node].subtree_end;
       ++inner) {
    if (tree_[inner].group == kVmlGroup) relationship = Related(inner, {"id"});
  }
  SetTarget(relationship, record);
  record.attrs.Set("format", XmlSummary(tree_, node));
  emit(std::move(record), node);
}

}  // namespace staged::docx
