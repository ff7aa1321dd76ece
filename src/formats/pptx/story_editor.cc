#include "formats/pptx/story_editor.h"

#include <algorithm>

#include "codec/xml.h"
#include "format/paragraph_edits.h"
#include "format/text_editor.h"
#include "formats/pptx/drawing_text.h"
#include "formats/pptx/presentation_names.h"

namespace staged::pptx {
namespace {

// The locator of the shape that a locator leads through: "slide[1]/shape[4]" of
// "slide[1]/shape[4]/t/r:1/c:2"; "" when it leads through none.
std::string ShapeLocator(const std::string& locator) {
  const size_t shape = locator.find("/shape[");
  if (shape == std::string::npos) return "";
  return locator.substr(0, locator.find('/', shape + 1));
}

}  // namespace

StoryEditor::StoryEditor(const StoryPart& story, std::unique_ptr<XmlTree> tree, ShapeStory shapes,
                         const Limits& limits)
    : ParagraphStory(*tree, story.prefix, std::move(shapes.records), std::move(shapes.nodes),
                     DrawingDialect(), limits),
      story_(story),
      limits_(limits),
      tree_owner_(std::move(tree)),
      tree_(*tree_owner_) {}

Result<std::unique_ptr<StoryEditor>> StoryEditor::Open(Deck& deck, const StoryPart& story,
                                                       const std::string& xml,
                                                       const Limits& limits) {
  auto tree = std::make_unique<XmlTree>(xml, PresentationVocabulary(), limits);
  STAGED_RETURN_IF_ERROR(tree->error());
  ShapeStory shapes = ReadShapes(*tree, deck.ContextOf(story, ""));
  return std::unique_ptr<StoryEditor>(
      new StoryEditor(story, std::move(tree), std::move(shapes), limits));
}

Status StoryEditor::CheckLocator(const std::string& locator) const {
  const std::string shape = ShapeLocator(locator);
  const size_t found = IndexOf(shape);
  const bool is_marked =
      found != SIZE_MAX && records()[found].attrs.Find("duplicate_id") != nullptr;
  if (story_.has_unique_id && !is_marked && IndexOf(shape + "#2") == SIZE_MAX) return OkStatus();
  return Status(ErrorCode::kAmbiguous,
                "'" + locator +
                    "' leads through an id that several slides or shapes share; save "
                    "the file in its own application to renumber them");
}

bool StoryEditor::TakesLines(const std::string& kind) const {
  return kind == "shape" || kind == "cell" || (kind == "story" && story_.kind == StoryKind::kNotes);
}

bool StoryEditor::IsInWhole(const Record& paragraph) const {
  return story_.kind != StoryKind::kNotes || paragraph.locator.starts_with(story_.prefix + "/p[");
}

ParagraphStory::NewParagraph StoryEditor::MakeParagraph(uint32_t node,
                                                        const std::string& text) const {
  const std::string prefix = XmlPrefixOf(tree_, node);
  const std::string name(tree_.QualifiedName(node));
  const uint32_t properties = tree_.Child(node, kParagraphProperties);
  const uint32_t last = tree_.Child(node, kEndProperties);
  std::string format;
  for (uint32_t child = tree_.FirstChild(node); child != XmlTree::kNone && format.empty();
       child = tree_.NextSibling(child)) {
    const uint32_t run =
        tree_[child].name == kRun ? tree_.Child(child, kRunProperties) : XmlTree::kNone;
    if (run == XmlTree::kNone) continue;
    if (tree_.Child(run, kLinkClick) == XmlTree::kNone) format = tree_.Raw(run);
  }
  if (format.empty() && last != XmlTree::kNone) format = RenamedElement(tree_, last, "rPr");
  std::string xml = "<" + name + ">";
  if (properties != XmlTree::kNone) xml += tree_.Raw(properties);
  xml += RunElements(text, prefix, format);
  if (last != XmlTree::kNone) xml += tree_.Raw(last);
  return {node, xml + "</" + name + ">"};
}

Result<uint32_t> StoryEditor::ElementToDelete(uint32_t paragraph, const std::string&) const {
  return paragraph;
}

Result<uint32_t> StoryEditor::ShapeOf(const Edit& edit, const ParagraphTarget& target) const {
  if (target.record == SIZE_MAX || NonVisualOf(NodeOf(target.record)) == XmlTree::kNone) {
    return Status(ErrorCode::kUnsupportedEdit, "'" + edit.locator + "' is no shape; '" + edit.op +
                                                   "' needs one, such as slide[256]/shape[4]");
  }
  return NodeOf(target.record);
}

uint32_t StoryEditor::NonVisualOf(uint32_t shape) const {
  for (uint32_t child = tree_.FirstChild(shape); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (tree_.IsElement(child)) return tree_.Child(child, kNonVisualProperties);
  }
  return XmlTree::kNone;
}

Status StoryEditor::SetGeometry(const Edit& edit, const ParagraphTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t shape, ShapeOf(edit, target));
  const uint32_t transform = TransformOf(tree_, shape);
  std::optional<Geometry> geometry = ReadTransform(tree_, transform);
  const Value* known = records()[target.record].attrs.Find("geometry");
  if (!geometry && known != nullptr) {
    geometry = Geometry{.x = known->Find("x")->as_integer(),
                        .y = known->Find("y")->as_integer(),
                        .width = known->Find("width")->as_integer(),
                        .height = known->Find("height")->as_integer()};
  }
  if (const auto earlier = geometries_.find(shape); earlier != geometries_.end()) {
    geometry = earlier->second;
  }
  const Value* value = edit.arguments.Find("geometry");
  const Value& arguments = value != nullptr ? *value : edit.arguments;
  int given = 0;
  const bool is_complete = geometry.has_value();
  Geometry changed = geometry.value_or(Geometry());
  for (const auto& [name, field] :
       {std::pair("x", &changed.x), std::pair("y", &changed.y), std::pair("width", &changed.width),
        std::pair("height", &changed.height), std::pair("rotation", &changed.rotation)}) {
    const Value* number = arguments.Find(name);
    if (number == nullptr) continue;
    constexpr int64_t kLargest = int64_t{1} << 40;
    const bool is_length = field == &changed.width || field == &changed.height;
    if (!number->is_integer() || number->as_integer() > kLargest ||
        number->as_integer() < (is_length ? 0 : -kLargest)) {
      return Status(ErrorCode::kInvalidArgument,
                    "\"" + std::string(name) +
                        "\" must be a whole number of EMU (914400 to the "
                        "inch)" +
                        (is_length ? ", not below 0" : ""));
    }
    *field = number->as_integer();
    given += name == std::string_view("rotation") ? 0 : 1;
  }
  if (!is_complete && given < 4) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + edit.locator + "' has no geometry yet; give x, y, width and height");
  }
  if (transform == XmlTree::kNone && tree_.Child(shape, kShapeProperties) == XmlTree::kNone) {
    return Status(
        ErrorCode::kUnsupportedEdit,
        "'" + edit.locator + "' has no place for a geometry; set it in its own application");
  }
  geometries_[shape] = changed;
  return OkStatus();
}

Status StoryEditor::SetAltText(const Edit& edit, const ParagraphTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const std::string text, DocumentTextArgument(edit, "text"));
  STAGED_ASSIGN_OR_RETURN(const uint32_t shape, ShapeOf(edit, target));
  if (!XmlCanHold(text)) {
    return Status(ErrorCode::kInvalidArgument,
                  "the text holds a control character or malformed UTF-8; leave it out");
  }
  STAGED_RETURN_IF_ERROR(
      CheckExpectedText(edit, records()[target.record].attrs.FindString("alt_text")));
  attributes_[{NonVisualOf(shape), "descr"}] = text;
  return OkStatus();
}

Status StoryEditor::SetHidden(const Edit& edit, const ParagraphTarget& target) {
  const Value* value = edit.arguments.Find("value");
  if (value == nullptr || !value->is_bool()) {
    return Status(ErrorCode::kInvalidArgument, "set_hidden needs \"value\": true or false");
  }
  if (target.kind == "story" && story_.kind == StoryKind::kSlide) {
    attributes_[{0, "show"}] = value->as_bool() ? "0" : "1";
    return OkStatus();
  }
  STAGED_ASSIGN_OR_RETURN(const uint32_t shape, ShapeOf(edit, target));
  attributes_[{NonVisualOf(shape), "hidden"}] = value->as_bool() ? "1" : "0";
  return OkStatus();
}

namespace {

// The start tag's attribute of that name becomes `value`, or is added behind the others.
void PlanAttribute(const XmlTree& tree, uint32_t element, std::string_view name,
                   const std::string& value, SplicePlan& plan) {
  const std::string text = std::string(name) + "=\"" + XmlEscapeAttribute(value) + "\"";
  size_t at = tree[element].begin + 1 + tree.QualifiedName(element).size();
  for (const XmlAttribute& attribute : tree.Attributes(element)) {
    if (attribute.name == name) {
      plan.Replace(attribute.begin, attribute.end, text);
      return;
    }
    at = attribute.end;
  }
  plan.Insert(at, " " + text);
}

std::string Attribute(std::string_view name, int64_t value) {
  return " " + std::string(name) + "=\"" + std::to_string(value) + "\"";
}

// The prefix of DrawingML where the element stands: of a declaration that holds there.
std::string DrawingPrefix(const XmlTree& tree, uint32_t element) {
  std::string prefix = "a:";
  for (const auto& [name, uri] : tree.BindingsAt(element)) {
    if (PresentationVocabulary().GroupOf(uri) == kDrawingGroup) {
      prefix = name.empty() ? "" : name + ":";
    }
  }
  return prefix;
}

void PlanGeometry(const XmlTree& tree, uint32_t shape, const Geometry& geometry, SplicePlan& plan) {
  const uint32_t transform = TransformOf(tree, shape);
  if (ReadTransform(tree, transform)) {
    const uint32_t offset = tree.Child(transform, kOffset);
    const uint32_t extent = tree.Child(transform, kExtent);
    PlanAttribute(tree, offset, "x", std::to_string(geometry.x), plan);
    PlanAttribute(tree, offset, "y", std::to_string(geometry.y), plan);
    PlanAttribute(tree, extent, "cx", std::to_string(geometry.width), plan);
    PlanAttribute(tree, extent, "cy", std::to_string(geometry.height), plan);
    const Geometry before = *ReadTransform(tree, transform);
    if (before.rotation != geometry.rotation) {
      PlanAttribute(tree, transform, "rot", std::to_string(geometry.rotation), plan);
    }
    return;
  }
  const uint32_t properties = tree.Child(shape, kShapeProperties);
  const uint32_t old = transform;
  const std::string prefix = DrawingPrefix(tree, properties);
  std::string xml = "<" + prefix + "xfrm";
  if (geometry.rotation != 0) xml += Attribute("rot", geometry.rotation);
  xml += "><" + prefix + "off" + Attribute("x", geometry.x) + Attribute("y", geometry.y) + "/><" +
         prefix + "ext" + Attribute("cx", geometry.width) + Attribute("cy", geometry.height) +
         "/></" + prefix + "xfrm>";
  const XmlNode& node = tree[properties];
  if (old != XmlTree::kNone) {
    plan.Replace(tree[old].begin, tree[old].end, xml);
  } else if (node.content_begin == node.end) {  // <p:spPr/>
    plan.Replace(node.begin, node.end, XmlWithAppended(tree, properties, xml));
  } else {
    plan.Insert(node.content_begin, xml);
  }
}

}  // namespace

Result<std::string> StoryEditor::Assemble() const {
  SplicePlan plan;
  AddTo(plan);
  for (const auto& [shape, geometry] : geometries_) PlanGeometry(tree_, shape, geometry, plan);
  for (const auto& [of, value] : attributes_) {
    PlanAttribute(tree_, of.first, of.second, value, plan);
  }
  STAGED_ASSIGN_OR_RETURN(std::string xml, plan.Apply(tree_.source()));
  STAGED_RETURN_IF_ERROR(XmlTree(xml, PresentationVocabulary(), limits_).error());
  return xml;
}

}  // namespace staged::pptx
