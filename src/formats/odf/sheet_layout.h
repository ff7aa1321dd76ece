#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/xml_tree.h"

// Where rows and cells of a table:table lie. One element may stand for many: cost follows elements.
namespace staged::odf {

struct SheetRow {
  uint32_t node = XmlTree::kNone;
  uint64_t first = 0;  // from 1
  uint32_t repeated = 1;
  std::string hidden;  // "hidden row", "filtered row" or ""
};

struct SheetCell {
  uint32_t node = XmlTree::kNone;
  uint64_t first = 0;  // column, from 1
  uint32_t repeated = 1;
  bool is_covered = false;
};

struct HiddenColumns {
  uint64_t first = 0;
  uint64_t last = 0;
};

// Rows in order, those of groups and headers included.
[[nodiscard]] std::vector<SheetRow> SheetRows(const XmlTree& tree, uint32_t table);
[[nodiscard]] std::vector<SheetCell> RowCells(const XmlTree& tree, uint32_t row);
[[nodiscard]] std::vector<HiddenColumns> ColumnsNotShown(const XmlTree& tree, uint32_t table);
// Whether a cell holds anything besides its style.
[[nodiscard]] bool HoldsContent(const XmlTree& tree, uint32_t cell);

}  // namespace staged::odf
