#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/opc.h"
#include "formats/xlsx/part_tree.h"
#include "formats/xlsx/record_list.h"

// Parts that hang on a sheet, by relationships, as records.
namespace staged::xlsx {

// What the reader of a part needs besides its XML.
struct PartContext {
  std::string part;
  std::string sheet;  // locator of the record that the part's records stand under
  std::string base;   // what their locators begin with: "Sheet1!", "Sheet1!chart:1/"
  const std::vector<OpcRelationship>* relationships = nullptr;  // of the part; not null
  // Digest of another part as text; "" when there is none.
  std::function<std::string(std::string_view part)> digest_of;
  std::map<std::string, std::string> persons;   // names by id, of threaded comments
  std::vector<std::string> pivot_fields;        // of the cache of a pivot table
  std::vector<std::string> differential_looks;  // by "dxfId"

  // The target of a relationship of the part: a part, or an address; "" when there is none.
  [[nodiscard]] std::string Target(std::string_view relationship_id) const;
};

// 18.5.
void ReadTable(const PartTree& tree, const PartContext& context, RecordList& records);
// 18.7.
void ReadComments(const PartTree& tree, const PartContext& context, RecordList& records);
// [MS-XLSX] 2.1.23.
void ReadThreadedComments(const PartTree& tree, const PartContext& context, RecordList& records);
// Objects of a sheet (20.5) or of a chart (21.3): images, shapes with their text, charts, groups.
// A chart's or diagram's record has the id of its relationship in "relationship".
void ReadDrawing(const PartTree& tree, const PartContext& context, RecordList& records);
// Old drawings in VML, which hold comments' boxes, buttons and pictures of headers: those that are
// no comment's.
void ReadVmlDrawing(const PartTree& tree, const PartContext& context, RecordList& records);
// Charts (21.2) and those of 2014 ([MS-ODRAWXML] 2.24.3): types, texts, series with their
// references and cached values.
void ReadChart(const PartTree& tree, const PartContext& context, RecordList& records);
// The data of a diagram (21.4): its texts.
void ReadDiagram(const PartTree& tree, const PartContext& context, RecordList& records);
// The copy of diagrams' texts that was drawn last ([MS-ODRAWXML] 2.6).
void ReadDiagramDrawing(const PartTree& tree, const PartContext& context, RecordList& records);
// 18.10.1.73.
void ReadPivotTable(const PartTree& tree, const PartContext& context, RecordList& records);
// [MS-XLSX] 2.6.71: slicers and timelines.
void ReadSlicers(const PartTree& tree, const PartContext& context, RecordList& records);
// Form controls ([MS-XLSX] 2.6.31) and tables filled by queries (18.12).
void ReadControl(const PartTree& tree, const PartContext& context, RecordList& records);
void ReadQueryTable(const PartTree& tree, const PartContext& context, RecordList& records);

// The text of one DrawingML paragraph, and of all those below a node the node (21.1.2), a line
// each.
[[nodiscard]] std::string ParagraphText(const PartTree& tree, uint32_t paragraph);
[[nodiscard]] std::string DrawingText(const PartTree& tree, uint32_t node);

}  // namespace staged::xlsx
