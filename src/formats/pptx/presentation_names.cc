#include "formats/pptx/presentation_names.h"

namespace staged::pptx {
namespace {

constexpr XmlVocabulary::Namespace kNamespaces[] = {
    {"http://schemas.openxmlformats.org/presentationml/2006/main", kPresentationGroup},
    {"http://purl.oclc.org/ooxml/presentationml/main", kPresentationGroup},
    {"http://schemas.openxmlformats.org/drawingml/2006/main", kDrawingGroup},
    {"http://purl.oclc.org/ooxml/drawingml/main", kDrawingGroup},
    {"http://schemas.openxmlformats.org/drawingml/2006/chart", kChartGroup},
    {"http://purl.oclc.org/ooxml/drawingml/chart", kChartGroup},
    {"http://schemas.microsoft.com/office/drawing/2014/chartex", kExtendedChartGroup},
    {"http://schemas.openxmlformats.org/drawingml/2006/diagram", kDiagramGroup},
    {"http://purl.oclc.org/ooxml/drawingml/diagram", kDiagramGroup},
    {"http://schemas.openxmlformats.org/markup-compatibility/2006", kCompatibilityGroup},
    {"http://schemas.openxmlformats.org/officeDocument/2006/math", kMathGroup},
    {"http://purl.oclc.org/ooxml/officeDocument/math", kMathGroup},
    {"http://schemas.microsoft.com/office/powerpoint/2018/8/main", kModernCommentGroup},
    {"http://schemas.microsoft.com/office/powerpoint/2010/main", kPresentationExtensionGroup},
    {"http://schemas.microsoft.com/office/drawing/2010/main", kDrawingExtensionGroup},
    {"http://schemas.microsoft.com/office/drawing/2016/SVG/main", kVectorImageGroup},
    {"http://schemas.microsoft.com/office/drawing/2017/model3d", kModelGroup},
    {"http://schemas.microsoft.com/office/drawing/2010/diagram", kDiagramExtensionGroup},
};

constexpr XmlVocabulary::Element kElements[] = {
    {kPresentationGroup, "sldIdLst", kSlideIdList},
    {kPresentationGroup, "sldId", kSlideId},
    {kPresentationGroup, "sldMasterId", kSlideMasterId},
    {kPresentationGroup, "sldLayoutId", kSlideLayoutId},
    {kPresentationGroup, "sldSz", kSlideSize},
    {kPresentationGroup, "cSld", kCommonSlide},
    {kPresentationGroup, "spTree", kShapeTree},
    {kPresentationGroup, "sp", kShape},
    {kPresentationGroup, "grpSp", kGroupShape},
    {kPresentationGroup, "grpSpPr", kGroupProperties},
    {kPresentationGroup, "graphicFrame", kGraphicFrame},
    {kPresentationGroup, "pic", kPicture},
    {kPresentationGroup, "cxnSp", kConnector},
    {kPresentationGroup, "contentPart", kContentPart},
    {kPresentationGroup, "cNvPr", kNonVisualProperties},
    {kPresentationExtensionGroup, "cNvPr", kNonVisualProperties},
    {kPresentationGroup, "ph", kPlaceholder},
    {kPresentationGroup, "spPr", kShapeProperties},
    {kPresentationGroup, "xfrm", kFrameTransform},
    {kPresentationExtensionGroup, "xfrm", kFrameTransform},
    {kPresentationGroup, "txBody", kTextBody},
    {kPresentationGroup, "timing", kTiming},
    {kPresentationGroup, "transition", kTransition},
    {kPresentationGroup, "bg", kBackground},
    {kPresentationGroup, "oleObj", kEmbeddedObject},
    {kPresentationGroup, "cm", kLegacyComment},
    {kPresentationGroup, "text", kLegacyCommentText},
    {kPresentationGroup, "cmAuthor", kCommentAuthor},
    {kDrawingGroup, "p", kParagraph},
    {kDrawingGroup, "pPr", kParagraphProperties},
    {kDrawingGroup, "r", kRun},
    {kDrawingGroup, "rPr", kRunProperties},
    {kDrawingGroup, "t", kText},
    {kDrawingGroup, "br", kBreak},
    {kDrawingGroup, "fld", kField},
    {kDrawingGroup, "endParaRPr", kEndProperties},
    {kDrawingGroup, "xfrm", kTransform},
    {kDrawingGroup, "off", kOffset},
    {kDrawingGroup, "ext", kExtent},
    {kDrawingGroup, "chOff", kChildOffset},
    {kDrawingGroup, "chExt", kChildExtent},
    {kDrawingGroup, "prstGeom", kPresetGeometry},
    {kDrawingGroup, "graphic", kGraphic},
    {kDrawingGroup, "graphicData", kGraphicData},
    {kDrawingGroup, "tbl", kTable},
    {kDrawingGroup, "tr", kTableRow},
    {kDrawingGroup, "tc", kTableCell},
    {kDrawingGroup, "txBody", kDrawingTextBody},
    {kDrawingGroup, "videoFile", kMediaReference},
    {kDrawingGroup, "audioFile", kMediaReference},
    {kDrawingGroup, "wavAudioFile", kMediaReference},
    {kDrawingGroup, "quickTimeFile", kMediaReference},
    {kDrawingGroup, "snd", kMediaReference},
    {kPresentationGroup, "snd", kMediaReference},
    {kPresentationGroup, "sndTgt", kMediaReference},
    {kPresentationExtensionGroup, "media", kMediaReference},
    {kDrawingExtensionGroup, "imgLayer", kMediaReference},
    {kVectorImageGroup, "svgBlip", kMediaReference},
    {kModelGroup, "model3d", kMediaReference},
    {kChartGroup, "externalData", kMediaReference},
    {kExtendedChartGroup, "externalData", kMediaReference},
    {kDiagramExtensionGroup, "cNvPr", kNonVisualProperties},
    {kPresentationGroup, "control", kControl},
    {kPresentationGroup, "custShow", kCustomShow},
    {kDrawingGroup, "solidFill", kSolidFill},
    {kDrawingGroup, "noFill", kNoFill},
    {kDrawingGroup, "ln", kLine},
    {kDrawingGroup, "tcPr", kCellProperties},
    {kDrawingGroup, "blip", kBlip},
    {kDrawingGroup, "hlinkClick", kLinkClick},
    {kDrawingGroup, "hlinkHover", kLinkHover},
    {kDrawingGroup, "hlinkMouseOver", kLinkHover},
    {kChartGroup, "chart", kChart},
    {kChartGroup, "ser", kChartSeries},
    {kChartGroup, "tx", kChartText},
    {kChartGroup, "cat", kChartCategories},
    {kChartGroup, "xVal", kChartX},
    {kChartGroup, "val", kChartValues},
    {kChartGroup, "yVal", kChartY},
    {kChartGroup, "bubbleSize", kChartBubbles},
    {kChartGroup, "f", kChartFormula},
    {kChartGroup, "pt", kChartPoint},
    {kChartGroup, "v", kChartValue},
    {kChartGroup, "plotArea", kChartPlotArea},
    {kChartGroup, "title", kChartTitle},
    {kExtendedChartGroup, "chart", kExtendedChart},
    {kDiagramGroup, "relIds", kDiagramIds},
    {kDiagramGroup, "pt", kDiagramPoint},
    {kDiagramGroup, "t", kDiagramText},
    {kCompatibilityGroup, "AlternateContent", kAlternateContent},
    {kCompatibilityGroup, "Choice", kChoice},
    {kCompatibilityGroup, "Fallback", kFallback},
    {kMathGroup, "t", kMathText},
    {kModernCommentGroup, "cm", kModernComment},
    {kModernCommentGroup, "reply", kModernReply},
    {kModernCommentGroup, "txBody", kModernText},
    {kModernCommentGroup, "author", kModernAuthor},
    {kPresentationExtensionGroup, "section", kSection},
    {kPresentationExtensionGroup, "sldId", kSectionSlide},
    {kDrawingExtensionGroup, "m", kDrawingMath},
};

void AddEffectiveChildren(const XmlTree& tree, uint32_t element, std::vector<uint32_t>& out) {
  for (uint32_t child = tree.FirstChild(element); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    if (tree[child].name != kAlternateContent) {
      out.push_back(child);
      continue;
    }
    const uint32_t branch = AlternateBranch(tree, child);
    if (branch != XmlTree::kNone) AddEffectiveChildren(tree, branch, out);
  }
}

}  // namespace

const XmlVocabulary& PresentationVocabulary() {
  static const XmlVocabulary* const vocabulary = new XmlVocabulary(kNamespaces, kElements);
  return *vocabulary;
}

uint32_t AlternateBranch(const XmlTree& tree, uint32_t alternate) {
  const uint32_t choice = tree.Child(alternate, kChoice);
  return choice != XmlTree::kNone ? choice : tree.Child(alternate, kFallback);
}

uint32_t Descendant(const XmlTree& tree, uint32_t element, uint16_t name) {
  if (element == XmlTree::kNone) return XmlTree::kNone;
  for (uint32_t node = element + 1; node < tree[element].subtree_end; ++node) {
    if (tree[node].name == name) return node;
  }
  return XmlTree::kNone;
}

std::vector<uint32_t> EffectiveChildren(const XmlTree& tree, uint32_t element) {
  std::vector<uint32_t> children;
  if (element != XmlTree::kNone) AddEffectiveChildren(tree, element, children);
  return children;
}

}  // namespace staged::pptx
