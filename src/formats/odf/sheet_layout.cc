#include "formats/odf/sheet_layout.h"

#include "formats/odf/block_reader.h"
#include "formats/odf/odf_names.h"

namespace staged::odf {
namespace {

std::string_view Visibility(const XmlTree& tree, uint32_t element) {
  return tree.Attribute(element, "visibility").value_or("visible");
}

// Calls `visit` for each element of that name below groups of rows or columns.
template <typename Visit>
void VisitGrouped(const XmlTree& tree, uint32_t element, uint16_t name, const Visit& visit) {
  for (uint32_t child = tree.FirstChild(element); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    if (tree[child].name == name) {
      visit(child);
    } else if (tree[child].group == kTableGroup && tree[child].name == kUnknownName) {
      VisitGrouped(tree, child, name, visit);
    }
  }
}

}  // namespace

std::vector<SheetRow> SheetRows(const XmlTree& tree, uint32_t table) {
  std::vector<SheetRow> rows;
  uint64_t next = 1;
  VisitGrouped(tree, table, kTableRow, [&](uint32_t node) {
    SheetRow row{node, next, RepeatCount(tree, node, "number-rows-repeated"), ""};
    const std::string_view visibility = Visibility(tree, node);
    if (visibility == "collapse") row.hidden = "hidden row";
    if (visibility == "filter") row.hidden = "filtered row";
    next += row.repeated;
    rows.push_back(std::move(row));
  });
  return rows;
}

std::vector<SheetCell> RowCells(const XmlTree& tree, uint32_t row) {
  std::vector<SheetCell> cells;
  uint64_t next = 1;
  for (uint32_t node = tree.FirstChild(row); node != XmlTree::kNone;
       node = tree.NextSibling(node)) {
    const uint16_t name = tree[node].name;
    if (name != kTableCell && name != kCoveredCell) continue;
    const uint32_t repeated = RepeatCount(tree, node, "number-columns-repeated");
    cells.push_back({node, next, repeated, name == kCoveredCell});
    next += repeated;
  }
  return cells;
}

std::vector<HiddenColumns> ColumnsNotShown(const XmlTree& tree, uint32_t table) {
  std::vector<HiddenColumns> hidden;
  uint64_t next = 1;
  VisitGrouped(tree, table, kTableColumn, [&](uint32_t node) {
    const uint32_t repeated = RepeatCount(tree, node, "number-columns-repeated");
    if (Visibility(tree, node) != "visible") hidden.push_back({next, next + repeated - 1});
    next += repeated;
  });
  return hidden;
}

bool HoldsContent(const XmlTree& tree, uint32_t cell) {
  if (tree.FirstChild(cell) != XmlTree::kNone) return true;
  for (const std::string_view name :
       {"value-type", "formula", "number-columns-spanned", "number-rows-spanned"}) {
    if (tree.Attribute(cell, name)) return true;
  }
  return false;
}

}  // namespace staged::odf
