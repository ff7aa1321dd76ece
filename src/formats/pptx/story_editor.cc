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

Status TextAbsent(const std::string& locator) {
  return Status(ErrorCode::kUnsupportedEdit,
                "'" + locator +
                    "' holds no paragraph to write into; name a shape, cell or "
                    "paragraph that has text");
}

}  // namespace

Result<std::unique_ptr<StoryEditor>> StoryEditor::Open(Deck& deck, const StoryPart& story,
                                                       const std::string& xml,
                                                       const Limits& limits) {
  std::unique_ptr<StoryEditor> editor(new StoryEditor(story, xml, limits));
  STAGED_RETURN_IF_ERROR(editor->tree_.error());
  editor->shapes_ = ReadShapes(editor->tree_, deck.ContextOf(story, ""));
  for (size_t i = 0; i < editor->shapes_.records.size(); ++i) {
    editor->index_by_locator_.emplace(editor->shapes_.records[i].locator, i);
  }
  return editor;
}

Status StoryEditor::CheckUnique(const std::string& locator) const {
  const std::string shape = ShapeLocator(locator);
  const auto found = index_by_locator_.find(shape);
  const bool is_marked = found != index_by_locator_.end() &&
                         shapes_.records[found->second].attrs.Find("duplicate_id") != nullptr;
  if (story_.has_unique_id && !is_marked && !index_by_locator_.contains(shape + "#2")) {
    return OkStatus();
  }
  return Status(ErrorCode::kAmbiguous,
                "'" + locator +
                    "' leads through an id that several slides or shapes share; save "
                    "the file in its own application to renumber them");
}

Result<EditTarget> StoryEditor::Resolve(const std::string& locator) const {
  EditTarget target;
  std::string path = locator;
  std::tie(path, target.span) = SplitTextSpan(locator);
  STAGED_RETURN_IF_ERROR(CheckUnique(path));
  const std::vector<Record>& records = shapes_.records;
  if (path == story_.prefix) {
    target.kind = "story";
    for (size_t i = 0; i < records.size(); ++i) {
      const bool is_body =
          story_.kind != StoryKind::kNotes || records[i].locator.starts_with(story_.prefix + "/p[");
      if (records[i].kind == "paragraph" && is_body) target.paragraphs.push_back(i);
    }
    return target;
  }
  const auto found = index_by_locator_.find(path);
  if (found == index_by_locator_.end()) {
    return Status(ErrorCode::kNoMatch, "the file has no '" + path +
                                           "'; list the locators with `staged parse FILE --jsonl`");
  }
  target.record = found->second;
  target.kind = records[found->second].kind;
  if (target.kind == "paragraph") {
    target.paragraphs.push_back(found->second);
    return target;
  }
  for (size_t i = found->second + 1; i < records.size(); ++i) {
    if (records[i].kind != "paragraph") continue;
    if (records[i].locator.starts_with(path + "/")) target.paragraphs.push_back(i);
  }
  return target;
}

Result<TextElementEditor*> StoryEditor::EditorOf(size_t record) {
  if (deleted_.contains(record)) {
    return Status(ErrorCode::kNoMatch, "'" + shapes_.records[record].locator +
                                           "' was deleted by an earlier edit of the same call; "
                                           "leave one of the two out");
  }
  std::unique_ptr<TextElementEditor>& editor = editors_[record];
  if (editor == nullptr) {
    const uint32_t node = shapes_.nodes[record];
    editor = std::make_unique<TextElementEditor>(std::string(tree_.Raw(node)),
                                                 tree_.BindingsAt(tree_[node].parent),
                                                 DrawingDialect(), limits_);
  }
  return editor.get();
}

Result<std::vector<TextElementEditor*>> StoryEditor::Editors(const EditTarget& target,
                                                             const std::string& text) {
  std::vector<TextElementEditor*> editors;
  for (const size_t record : target.paragraphs) {
    const bool is_one_of_many = target.paragraphs.size() > 1;
    if (is_one_of_many && deleted_.contains(record)) continue;
    if (is_one_of_many && !text.empty() && !editors_.contains(record) &&
        shapes_.records[record].text.find(text) == std::string::npos) {
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(TextElementEditor * editor, EditorOf(record));
    editors.push_back(editor);
  }
  return editors;
}

Status StoryEditor::EditText(const Edit& edit, const EditTarget& target) {
  if (target.paragraphs.empty()) return TextAbsent(edit.locator);
  if (target.span) {
    if (target.kind != "paragraph") {
      return Status(
          ErrorCode::kInvalidArgument,
          "'" + edit.locator + "' is a span of no paragraph; name one, such as p[1]:4-10");
    }
    STAGED_ASSIGN_OR_RETURN(TextElementEditor * editor, EditorOf(target.record));
    return ReplaceSpanOfParagraph(edit, *editor, *target.span);
  }
  if (edit.expect) {
    STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> editors, Editors(target));
    STAGED_RETURN_IF_ERROR(CheckExpectedParagraphs(edit, editors));
  }
  if (edit.op == "replace_text") return ReplaceText(edit, target);
  if (edit.op == "set") return Set(edit, target);
  if (edit.op == "delete") {
    STAGED_RETURN_IF_ERROR(CheckDeletable(target, edit.locator));
    return DeleteParagraph(target.record);
  }
  return Insert(edit, target);
}

Status StoryEditor::ReplaceText(const Edit& edit, const EditTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const std::string find, DocumentTextArgument(edit, "find"));
  STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> editors, Editors(target, find));
  return ReplaceTextInParagraphs(edit, editors);
}

Status StoryEditor::Set(const Edit& edit, const EditTarget& target) {
  const bool has_value = edit.arguments.Find("text") == nullptr;
  STAGED_ASSIGN_OR_RETURN(const std::string text,
                          DocumentTextArgument(edit, has_value ? "value" : "text"));
  if (target.kind == "paragraph") {
    STAGED_ASSIGN_OR_RETURN(TextElementEditor * editor, EditorOf(target.record));
    return SetParagraphText(*editor, text);
  }
  const bool is_body = target.kind == "story" && story_.kind == StoryKind::kNotes;
  if (target.kind != "shape" && target.kind != "cell" && !is_body) {
    return Status(ErrorCode::kUnsupportedEdit, "the text of a " + target.kind +
                                                   " is not set as a whole; set its shapes, cells "
                                                   "or paragraphs one by one");
  }
  return SetLines(target, text);
}

Status StoryEditor::SetLines(const EditTarget& target, const std::string& text) {
  EditTarget present = target;
  std::erase_if(present.paragraphs, [this](size_t record) { return deleted_.contains(record); });
  STAGED_ASSIGN_OR_RETURN(const std::vector<TextElementEditor*> editors, Editors(present));
  std::vector<std::string> before;
  for (const TextElementEditor* editor : editors) before.push_back(editor->text());
  const std::vector<std::string> lines = SplitLines(text);
  const ParagraphPlan plan = PlanLines(before, lines);
  const size_t old_end = before.size() - plan.kept_back;
  const size_t new_end = lines.size() - plan.kept_back;
  size_t i = plan.kept_front;
  for (; i < old_end && i < new_end; ++i) {
    STAGED_RETURN_IF_ERROR(SetParagraphText(*editors[i], lines[i]));
  }
  for (size_t line = i; line < new_end; ++line) {
    const size_t neighbour = present.paragraphs[i == 0 ? 0 : i - 1];
    STAGED_RETURN_IF_ERROR(InsertParagraph(neighbour, i > 0, lines[line]));
  }
  for (; i < old_end; ++i) STAGED_RETURN_IF_ERROR(DeleteParagraph(present.paragraphs[i]));
  return OkStatus();
}

Status StoryEditor::Insert(const Edit& edit, const EditTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const std::string text, DocumentTextArgument(edit, "text"));
  if (edit.op == "append") {
    if (target.kind == "paragraph") {
      return Status(ErrorCode::kUnsupportedEdit,
                    "a paragraph is appended to a shape, cell or notes, not to '" + edit.locator +
                        "'; use insert_after");
    }
    return InsertParagraph(target.paragraphs.back(), true, text);
  }
  if (target.kind != "paragraph") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a paragraph is inserted before or after a paragraph, not '" + edit.locator +
                      "'; name one of its paragraphs, or use append");
  }
  return InsertParagraph(target.record, edit.op == "insert_after", text);
}

Status StoryEditor::InsertParagraph(size_t neighbour, bool is_after, const std::string& text) {
  if (!XmlCanHold(text)) {
    return Status(ErrorCode::kInvalidArgument,
                  "the text holds a control character or malformed UTF-8, which a document cannot "
                  "store; leave it out");
  }
  const uint32_t node = shapes_.nodes[neighbour];
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
  inserted_[is_after ? tree_[node].end : tree_[node].begin] += xml + "</" + name + ">";
  return OkStatus();
}

Status StoryEditor::CheckDeletable(const EditTarget& target, const std::string& locator) const {
  if (target.kind != "paragraph") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "only paragraphs and slides are deleted, not '" + locator + "' (" + target.kind +
                      "); set its text to \"\", or delete it in its own application");
  }
  return OkStatus();
}

Status StoryEditor::DeleteParagraph(size_t record) {
  STAGED_RETURN_IF_ERROR(EditorOf(record).status());
  const uint32_t node = shapes_.nodes[record];
  size_t remaining = 0;
  for (size_t i = 0; i < shapes_.records.size(); ++i) {
    if (i == record || deleted_.contains(i) || shapes_.records[i].kind != "paragraph") continue;
    remaining += tree_[shapes_.nodes[i]].parent == tree_[node].parent ? 1 : 0;
  }
  if (remaining == 0) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + shapes_.records[record].locator +
                      "' is the last paragraph of its text, which must keep one; set its text to "
                      "\"\" instead");
  }
  editors_.erase(record);
  deleted_.insert(record);
  return OkStatus();
}

Result<uint32_t> StoryEditor::ShapeOf(const Edit& edit, const EditTarget& target) const {
  if (target.record == SIZE_MAX || NonVisualOf(shapes_.nodes[target.record]) == XmlTree::kNone) {
    return Status(ErrorCode::kUnsupportedEdit, "'" + edit.locator + "' is no shape; '" + edit.op +
                                                   "' needs one, such as slide[256]/shape[4]");
  }
  return shapes_.nodes[target.record];
}

uint32_t StoryEditor::NonVisualOf(uint32_t shape) const {
  for (uint32_t child = tree_.FirstChild(shape); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (tree_.IsElement(child)) return tree_.Child(child, kNonVisualProperties);
  }
  return XmlTree::kNone;
}

Status StoryEditor::SetGeometry(const Edit& edit, const EditTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const uint32_t shape, ShapeOf(edit, target));
  const uint32_t transform = TransformOf(tree_, shape);
  std::optional<Geometry> geometry = ReadTransform(tree_, transform);
  const Value* known = shapes_.records[target.record].attrs.Find("geometry");
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

Status StoryEditor::SetAltText(const Edit& edit, const EditTarget& target) {
  STAGED_ASSIGN_OR_RETURN(const std::string text, DocumentTextArgument(edit, "text"));
  STAGED_ASSIGN_OR_RETURN(const uint32_t shape, ShapeOf(edit, target));
  if (!XmlCanHold(text)) {
    return Status(ErrorCode::kInvalidArgument,
                  "the text holds a control character or malformed UTF-8; leave it out");
  }
  STAGED_RETURN_IF_ERROR(
      CheckExpectedText(edit, shapes_.records[target.record].attrs.FindString("alt_text")));
  attributes_[{NonVisualOf(shape), "descr"}] = text;
  return OkStatus();
}

Status StoryEditor::SetHidden(const Edit& edit, const EditTarget& target) {
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
  for (const auto& [record, editor] : editors_) {
    const uint32_t node = shapes_.nodes[record];
    if (editor->xml() == tree_.Raw(node)) continue;
    plan.Replace(tree_[node].begin, tree_[node].end, editor->xml());
  }
  for (const size_t record : deleted_) {
    const XmlNode& node = tree_[shapes_.nodes[record]];
    plan.Replace(node.begin, node.end, "");
  }
  for (const auto& [at, xml] : inserted_) plan.Insert(at, xml);
  for (const auto& [shape, geometry] : geometries_) PlanGeometry(tree_, shape, geometry, plan);
  for (const auto& [of, value] : attributes_) {
    PlanAttribute(tree_, of.first, of.second, value, plan);
  }
  STAGED_ASSIGN_OR_RETURN(std::string xml, plan.Apply(tree_.source()));
  STAGED_RETURN_IF_ERROR(XmlTree(xml, PresentationVocabulary(), limits_).error());
  return xml;
}

}  // namespace staged::pptx
