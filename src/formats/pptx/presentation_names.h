#pragma once

#include "codec/xml_tree.h"

// Names of PresentationML and DrawingML (ECMA-376 part 1, sections 19 to 21) and of the languages
// embedded in them, transitional and strict alike.
namespace staged::pptx {

enum Group : uint8_t {
  kPresentationGroup = 1,
  kDrawingGroup = 2,
  kChartGroup = 3,
  kExtendedChartGroup = 4,
  kDiagramGroup = 5,
  kCompatibilityGroup = 6,
  kMathGroup = 7,
  kModernCommentGroup = 8,
  kPresentationExtensionGroup = 9,
  kDrawingExtensionGroup = 10,
  kVectorImageGroup = 11,
  kModelGroup = 12,
  kDiagramExtensionGroup = 13,
};

enum Name : uint16_t {
  kUnknownName = 0,
  kSlideIdList,
  kSlideId,
  kSlideMasterId,
  kSlideLayoutId,
  kSlideSize,
  kCommonSlide,
  kShapeTree,
  kShape,
  kGroupShape,
  kGroupProperties,
  kGraphicFrame,
  kPicture,
  kConnector,
  kContentPart,
  kNonVisualProperties,  // p:cNvPr
  kPlaceholder,
  kShapeProperties,
  kFrameTransform,  // p:xfrm
  kTextBody,
  kTiming,
  kTransition,
  kBackground,
  kEmbeddedObject,
  kLegacyComment,
  kLegacyCommentText,
  kCommentAuthor,
  kParagraph,
  kParagraphProperties,
  kRun,
  kRunProperties,
  kText,
  kBreak,
  kField,
  kEndProperties,
  kTransform,
  kOffset,
  kExtent,
  kChildOffset,
  kChildExtent,
  kPresetGeometry,
  kGraphic,
  kGraphicData,
  kTable,
  kTableRow,
  kTableCell,
  kDrawingTextBody,
  kBlip,
  kLinkClick,
  kLinkHover,
  kChart,
  kChartSeries,
  kChartText,
  kChartCategories,
  kChartX,
  kChartValues,
  kChartY,
  kChartBubbles,
  kChartFormula,
  kChartPoint,
  kChartValue,
  kChartPlotArea,
  kChartTitle,
  kExtendedChart,
  kDiagramIds,
  kDiagramPoint,
  kDiagramText,
  kAlternateContent,
  kChoice,
  kFallback,
  kMathText,
  kModernComment,
  kModernReply,
  kModernText,
  kModernAuthor,
  kSection,
  kSectionSlide,
  kDrawingMath,
  kMediaReference,  // video, sound, vector images, models, controls: what refers to another part
  kControl,
  kSolidFill,
  kNoFill,
  kLine,
  kCellProperties,
  kCustomShow,
};

[[nodiscard]] const XmlVocabulary& PresentationVocabulary();

// The branch of an mc:AlternateContent that is read: the first choice, else the fallback; kNone
// when both are missing. Only one, since both say the same.
[[nodiscard]] uint32_t AlternateBranch(const XmlTree& tree, uint32_t alternate);
// A descendant of that name, the first in document order, or kNone.
[[nodiscard]] uint32_t Descendant(const XmlTree& tree, uint32_t element, uint16_t name);
// The child elements of `element`, those of the branch in the place of an alternate content.
[[nodiscard]] std::vector<uint32_t> EffectiveChildren(const XmlTree& tree, uint32_t element);

}  // namespace staged::pptx
