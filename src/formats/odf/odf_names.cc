#include "formats/odf/odf_names.h"

namespace staged::odf {
namespace {

#define ODF_NAMESPACE "urn:oasis:names:tc:opendocument:xmlns:"

constexpr XmlVocabulary::Namespace kNamespaces[] = {
    {ODF_NAMESPACE "office:1.0", kOfficeGroup},
    {ODF_NAMESPACE "text:1.0", kTextGroup},
    {ODF_NAMESPACE "table:1.0", kTableGroup},
    {ODF_NAMESPACE "drawing:1.0", kDrawGroup},
    {ODF_NAMESPACE "style:1.0", kStyleGroup},
    {ODF_NAMESPACE "presentation:1.0", kPresentationGroup},
    {ODF_NAMESPACE "meta:1.0", kMetaGroup},
    {"http://purl.org/dc/elements/1.1/", kDublinCoreGroup},
    {ODF_NAMESPACE "svg-compatible:1.0", kSvgGroup},
    {ODF_NAMESPACE "chart:1.0", kChartGroup},
    {ODF_NAMESPACE "dr3d:1.0", kDrawGroup},
    {"urn:org:documentfoundation:names:experimental:office:xmlns:field:1.0", kOtherTextGroup},
    {"urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0", kOtherTextGroup},
};

#undef ODF_NAMESPACE

constexpr XmlVocabulary::Element kElements[] = {
    {kOfficeGroup, "body", kBody},
    {kOfficeGroup, "meta", kMeta},
    {kOfficeGroup, "master-styles", kMasterStyles},
    {kOfficeGroup, "automatic-styles", kAutomaticStyles},
    {kOfficeGroup, "styles", kCommonStyles},
    {kOfficeGroup, "text", kTextDocument},
    {kOfficeGroup, "spreadsheet", kSpreadsheet},
    {kOfficeGroup, "presentation", kPresentation},
    {kOfficeGroup, "drawing", kDrawing},
    {kOfficeGroup, "annotation", kAnnotation},
    {kOfficeGroup, "annotation-end", kAnnotationEnd},
    {kOfficeGroup, "change-info", kChangeInfo},
    {kOfficeGroup, "forms", kForms},
    {kTextGroup, "p", kParagraph},
    {kTextGroup, "h", kHeading},
    {kTextGroup, "span", kSpan},
    {kTextGroup, "a", kLink},
    {kTextGroup, "s", kSpaces},
    {kTextGroup, "tab", kTab},
    {kTextGroup, "line-break", kLineBreak},
    {kTextGroup, "soft-page-break", kSoftPageBreak},
    {kTextGroup, "note", kNote},
    {kTextGroup, "note-citation", kNoteCitation},
    {kTextGroup, "note-body", kNoteBody},
    {kTextGroup, "list", kList},
    {kTextGroup, "list-item", kListItem},
    {kTextGroup, "list-header", kListHeader},
    {kTextGroup, "numbered-paragraph", kNumberedParagraph},
    {kTextGroup, "section", kSection},
    {kTextGroup, "tracked-changes", kTrackedChanges},
    {kTextGroup, "changed-region", kChangedRegion},
    {kTextGroup, "insertion", kInsertion},
    {kTextGroup, "deletion", kDeletion},
    {kTextGroup, "change-start", kChangeStart},
    {kTextGroup, "change-end", kChangeEnd},
    {kTextGroup, "change", kChange},
    {kTextGroup, "bookmark", kBookmark},
    {kTextGroup, "bookmark-start", kBookmarkStart},
    {kTextGroup, "bookmark-end", kBookmarkEnd},
    {kTextGroup, "reference-mark", kReferenceMark},
    {kTextGroup, "reference-mark-start", kReferenceMarkStart},
    {kTextGroup, "reference-mark-end", kReferenceMarkEnd},
    {kTextGroup, "ruby", kRuby},
    {kTextGroup, "ruby-base", kRubyBase},
    {kTextGroup, "ruby-text", kRubyText},
    {kTextGroup, "meta", kMetaText},
    {kTableGroup, "table", kTable},
    {kTableGroup, "table-row", kTableRow},
    {kTableGroup, "table-cell", kTableCell},
    {kTableGroup, "covered-table-cell", kCoveredCell},
    {kTableGroup, "table-column", kTableColumn},
    {kTableGroup, "named-range", kNamedRange},
    {kTableGroup, "named-expression", kNamedExpression},
    {kTableGroup, "database-range", kDatabaseRange},
    {kDrawGroup, "page", kPage},
    {kDrawGroup, "frame", kFrame},
    {kDrawGroup, "text-box", kTextBox},
    {kDrawGroup, "image", kImage},
    {kDrawGroup, "object", kObject},
    {kDrawGroup, "object-ole", kObject},
    {kDrawGroup, "g", kGroup},
    {kPresentationGroup, "notes", kNotes},
    {kStyleGroup, "master-page", kMasterPage},
    {kStyleGroup, "style", kStyle},
    {kStyleGroup, "default-style", kDefaultStyle},
    {kStyleGroup, "text-properties", kTextProperties},
    {kStyleGroup, "table-properties", kTableProperties},
    {kSvgGroup, "title", kDrawTitle},
    {kSvgGroup, "desc", kDrawDescription},
    {kDublinCoreGroup, "creator", kCreator},
    {kDublinCoreGroup, "date", kDate},
};

}  // namespace

const XmlVocabulary& OdfVocabulary() {
  static const XmlVocabulary* const vocabulary = new XmlVocabulary(kNamespaces, kElements);
  return *vocabulary;
}

uint32_t Descendant(const XmlTree& tree, uint32_t element, uint16_t name) {
  if (element == XmlTree::kNone) return XmlTree::kNone;
  for (uint32_t node = element + 1; node < tree[element].subtree_end; ++node) {
    if (tree[node].name == name) return node;
  }
  return XmlTree::kNone;
}

bool IsDrawing(const XmlTree& tree, uint32_t element) {
  if (!tree.IsElement(element) || tree[element].group != kDrawGroup) return false;
  // Controls belong to forms, the rest of these to their frame or page.
  const std::string_view name = tree.LocalName(element);
  return name != "control" && name != "glue-point" && name != "page-thumbnail" &&
         name != "layer-set" && name != "a";
}

}  // namespace staged::odf
