#pragma once

#include "codec/xml_tree.h"

// Names of OpenDocument (ISO/IEC 26300, OpenDocument 1.3 part 3).
namespace staged::odf {

enum Group : uint8_t {
  kOfficeGroup = 1,
  kTextGroup = 2,
  kTableGroup = 3,
  kDrawGroup = 4,
  kStyleGroup = 5,
  kPresentationGroup = 6,
  kMetaGroup = 7,
  kDublinCoreGroup = 8,
  kSvgGroup = 9,
  kChartGroup = 10,
  kOtherTextGroup = 11,
};

enum Name : uint16_t {
  kUnknownName = 0,
  kBody,
  kMeta,
  kMasterStyles,
  kAutomaticStyles,
  kCommonStyles,
  kTextDocument,
  kSpreadsheet,
  kPresentation,
  kDrawing,
  kAnnotation,
  kAnnotationEnd,
  kChangeInfo,
  kForms,
  kParagraph,
  kHeading,
  kSpan,
  kLink,
  kSpaces,
  kTab,
  kLineBreak,
  kSoftPageBreak,
  kNote,
  kNoteCitation,
  kNoteBody,
  kList,
  kListItem,
  kListHeader,
  kNumberedParagraph,
  kSection,
  kTrackedChanges,
  kChangedRegion,
  kInsertion,
  kDeletion,
  kChangeStart,
  kChangeEnd,
  kChange,
  kBookmark,
  kBookmarkStart,
  kBookmarkEnd,
  kReferenceMark,
  kReferenceMarkStart,
  kReferenceMarkEnd,
  kRuby,
  kRubyBase,
  kRubyText,
  kMetaText,
  kTable,
  kTableRow,
  kTableCell,
  kCoveredCell,
  kTableColumn,
  kNamedRange,
  kNamedExpression,
  kDatabaseRange,
  kPage,
  kFrame,
  kTextBox,
  kImage,
  kObject,
  kGroup,
  kNotes,
  kMasterPage,
  kStyle,
  kDefaultStyle,
  kTextProperties,
  kTableProperties,
  kDrawTitle,
  kDrawDescription,
  kCreator,
  kDate,
};

[[nodiscard]] const XmlVocabulary& OdfVocabulary();

// A descendant of that name, the first in document order, or kNone.
[[nodiscard]] uint32_t Descendant(const XmlTree& tree, uint32_t element, uint16_t name);
// Whether the element is a frame or shape, whose text is no part of the paragraph around it.
[[nodiscard]] bool IsDrawing(const XmlTree& tree, uint32_t element);

}  // namespace staged::odf
