#include "formats/odf/odf_story_editor.h"

#include "codec/xml.h"
#include "formats/odf/odf_names.h"

namespace staged::odf {

OdfStoryEditor::OdfStoryEditor(const OdfFile& file, const OdfStory& story, Blocks blocks,
                               const Limits& limits)
    : ParagraphStory(TreeOf(file, story), story.locator, std::move(blocks.records),
                     std::move(blocks.nodes), OdfDialect(), limits) {}

ParagraphStory::NewParagraph OdfStoryEditor::MakeParagraph(uint32_t node,
                                                           const std::string& text) const {
  const std::string prefix = XmlPrefixOf(tree(), node);
  const std::string name(tree().QualifiedName(node));
  std::string xml = "<" + name;
  for (const XmlAttribute& attribute : tree().Attributes(node)) {
    if (attribute.local_name() == "id") continue;  // identities are not inherited
    xml +=
        " " + std::string(tree().source().substr(attribute.begin, attribute.end - attribute.begin));
  }
  std::string inner = ParagraphMarkup(text, prefix);
  const ParagraphContent content = ReadParagraph(tree(), node);
  const bool is_one_span = content.spans.size() == 1 && content.spans[0].begin == 0 &&
                           content.spans[0].end == content.text.size();
  if (is_one_span && !text.empty()) {
    inner = "<" + prefix + "span " + prefix + "style-name=\"" +
            XmlEscapeAttribute(content.spans[0].style) + "\">" + inner + "</" + prefix + "span>";
  }
  xml += ">" + inner + "</" + name + ">";
  const uint32_t parent = tree()[node].parent;
  if (parent == XmlTree::kNone || tree()[parent].name != kListItem) return {node, std::move(xml)};
  // A list goes on with an item of its own.
  const std::string item(tree().QualifiedName(parent));
  return {parent, "<" + item + ">" + xml + "</" + item + ">"};
}

uint32_t OdfStoryEditor::OnlyChildOf(uint32_t parent) const {
  uint32_t only = XmlTree::kNone;
  for (uint32_t child = tree().FirstChild(parent); child != XmlTree::kNone;
       child = tree().NextSibling(child)) {
    if (!tree().IsElement(child)) continue;
    if (only != XmlTree::kNone) return XmlTree::kNone;
    only = child;
  }
  return only;
}

Result<uint32_t> OdfStoryEditor::ElementToDelete(uint32_t paragraph,
                                                 const std::string& locator) const {
  for (uint32_t node = paragraph + 1; node < tree()[paragraph].subtree_end; ++node) {
    const uint16_t name = tree()[node].name;
    const bool is_held = name == kNote || name == kAnnotation || name == kAnnotationEnd ||
                         name == kChange || name == kChangeStart || name == kChangeEnd ||
                         name == kBookmarkStart || name == kBookmarkEnd ||
                         name == kReferenceMarkStart || name == kReferenceMarkEnd ||
                         IsDrawing(tree(), node);
    if (!is_held) continue;
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + locator + "' holds a " + std::string(tree().LocalName(node)) +
                      " that would go with it; set its text to \"\" instead");
  }
  uint32_t gone = paragraph;
  for (uint32_t parent = tree()[gone].parent; parent != XmlTree::kNone;
       parent = tree()[gone].parent) {
    const bool is_list = tree()[parent].name == kListItem || tree()[parent].name == kList;
    if (!is_list || OnlyChildOf(parent) != gone) break;
    gone = parent;
  }
  return gone;
}

bool OdfStoryEditor::IsBlock(uint32_t element) const {
  switch (tree()[element].name) {
    case kParagraph:
    case kHeading:
    case kList:
    case kListItem:
    case kTable:
    case kSection:
      return true;
    default:
      return false;
  }
}

bool OdfStoryEditor::TakesLines(const std::string& kind) const {
  return kind == "cell" || kind == "shape" || kind == "comment" || kind == "note";
}

// The whole is the text that a reader sees: comments and notes are named by themselves.
bool OdfStoryEditor::IsInWhole(const Record& paragraph) const {
  return paragraph.hidden.empty() || paragraph.hidden == "hidden slide";
}

}  // namespace staged::odf
