#include "formats/odf/sheet_reader.h"

#include <algorithm>
#include <charconv>

#include "codec/xml_summary.h"
#include "formats/odf/odf_names.h"
#include "formats/odf/sheet_layout.h"
#include "record/cell_address.h"

namespace staged::odf {
namespace {

constexpr uint64_t kExpandedMax = 256;  // records that one repeated element may give

class SheetReader {
 public:
  SheetReader(const XmlTree& tree, uint32_t table, size_t index, const std::string& locator,
              const BlockContext& context, Blocks& blocks)
      : tree_(tree),
        table_(table),
        context_(context),
        blocks_(blocks),
        reader_(tree, context, Naming::kText, "", blocks),
        name_(SheetName(tree, table, index)),
        locator_(locator),
        index_(index) {}

  void Read() {
    const Style* style = context_.styles->Find("table", tree_.AttributeText(table_, "style-name"));
    if (style != nullptr && style->is_table_hidden) hidden_ = "hidden sheet";
    Record sheet{.kind = "sheet", .locator = locator_, .key = locator_, .text = name_};
    sheet.hidden = hidden_;
    sheet.attrs.Set("index", index_);
    const std::string is_protected = tree_.AttributeText(table_, "protected");
    if (!is_protected.empty()) sheet.attrs.Set("protected", is_protected);
    if (!reader_.Add(std::move(sheet), table_)) return;
    hidden_columns_ = ColumnsNotShown(tree_, table_);
    for (const SheetRow& row : SheetRows(tree_, table_)) {
      if (row.first > kSheetRowsMax || blocks_.is_truncated) break;
      ReadRow(row);
    }
    ReadNames(tree_, table_, blocks_, reader_, locator_);
    for (uint32_t child = tree_.FirstChild(table_); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (!tree_.IsElement(child) || tree_.LocalName(child) != "shapes") continue;
      reader_.ReadShapes(child, locator_ + "!drawing", locator_, hidden_);
    }
  }

 private:
  void ReadRow(const SheetRow& row) {
    std::vector<SheetCell> cells;
    uint64_t columns = 0;
    for (SheetCell& cell : RowCells(tree_, row.node)) {
      if (cell.first > kSheetColumnsMax) break;
      if (!HoldsContent(tree_, cell.node)) continue;
      const uint64_t fitting = kSheetColumnsMax - cell.first + 1;
      cell.repeated = static_cast<uint32_t>(std::min<uint64_t>(cell.repeated, fitting));
      columns += cell.repeated;
      cells.push_back(cell);
    }
    const uint64_t rows = std::min<uint64_t>(row.repeated, kSheetRowsMax - row.first + 1);
    const bool is_expanded = columns * rows <= kExpandedMax;
    for (uint64_t r = 0; r < (is_expanded ? rows : 1); ++r) {
      for (const SheetCell& cell : cells) {
        AddCells(row, cell, static_cast<uint32_t>(row.first + r), is_expanded ? 1 : rows);
      }
    }
    for (const SheetCell& cell : cells) ReadInside(row, cell);
  }

  void AddCells(const SheetRow& row, const SheetCell& cell, uint32_t row_number, uint64_t rows) {
    const bool is_expanded = cell.repeated <= kExpandedMax;
    for (uint32_t c = 0; c < (is_expanded ? cell.repeated : 1) && !blocks_.is_truncated; ++c) {
      AddCell(row, cell, {row_number, static_cast<uint32_t>(cell.first + c)},
              is_expanded ? 1 : cell.repeated, rows);
    }
  }

  [[nodiscard]] std::string HiddenReason(const SheetRow& row, const SheetCell& cell,
                                         uint64_t column) const {
    if (!hidden_.empty()) return hidden_;
    if (!row.hidden.empty()) return row.hidden;
    if (cell.is_covered) return "covered by a merged cell";
    for (const HiddenColumns& columns : hidden_columns_) {
      if (column >= columns.first && column <= columns.last) return "hidden column";
    }
    return "";
  }

  void AddCell(const SheetRow& row, const SheetCell& cell, CellAddress address, uint64_t columns,
               uint64_t rows) {
    Record record{.kind = "cell", .parent = locator_, .key = FormatCellAddress(address)};
    record.locator = locator_ + "!" + record.key;
    record.hidden = HiddenReason(row, cell, address.column);
    record.text = CellText(tree_, cell.node);
    record.span = ByteSpan{tree_[cell.node].begin, tree_[cell.node].end};
    const std::string type = tree_.AttributeText(cell.node, "value-type");
    Value value = CellValue(tree_, cell.node, record.text);
    if (!type.empty()) record.attrs.Set("type", type);
    if (!value.is_null()) record.attrs.Set("value", std::move(value));
    std::string formula = tree_.AttributeText(cell.node, "formula");
    if (!formula.empty()) {
      const size_t equals = formula.find('=');  // "of:=SUM([.A1])"
      record.attrs.Set("formula", equals == std::string::npos ? formula : formula.substr(equals));
    }
    const std::string currency = tree_.AttributeText(cell.node, "currency");
    if (!currency.empty()) record.attrs.Set("currency", currency);
    for (const auto& [attribute, member] : {std::pair("number-columns-spanned", "column_span"),
                                            std::pair("number-rows-spanned", "row_span")}) {
      const uint32_t span = RepeatCount(tree_, cell.node, attribute);
      if (span > 1) record.attrs.Set(member, span);
    }
    if (columns > 1 || rows > 1) {
      record.attrs.Set("repeated", Value::Object{{"columns", columns}, {"rows", rows}});
    }
    context_.styles->Describe("table-cell", tree_.AttributeText(cell.node, "style-name"),
                              record.attrs);
    reader_.Add(std::move(record), cell.node);
  }

  // Comments and drawings, once for a repeated cell.
  void ReadInside(const SheetRow& row, const SheetCell& cell) {
    const std::string address =
        FormatCellAddress({static_cast<uint32_t>(row.first), static_cast<uint32_t>(cell.first)});
    for (uint32_t child = tree_.FirstChild(cell.node); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (tree_[child].name != kAnnotation) continue;
      reader_.ReadAnnotation(child, locator_ + "!comment:" + address, locator_);
      break;
    }
    if (tree_[cell.node].subtree_end - cell.node > 2) {
      reader_.ReadShapes(cell.node, locator_ + "!" + address, locator_, hidden_);
    }
  }

  const XmlTree& tree_;
  const uint32_t table_;
  const BlockContext& context_;
  Blocks& blocks_;
  BlockReader reader_;
  const std::string name_;
  const std::string locator_;
  const size_t index_;
  std::string hidden_;
  std::vector<HiddenColumns> hidden_columns_;
};

}  // namespace

std::string SheetName(const XmlTree& tree, uint32_t table, size_t index) {
  std::string name = tree.AttributeText(table, "name");
  return name.empty() ? "Sheet" + std::to_string(index) : name;
}

std::string CellText(const XmlTree& tree, uint32_t cell) {
  std::string text;
  bool is_first = true;
  for (uint32_t child = tree.FirstChild(cell); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (tree[child].name != kParagraph && tree[child].name != kHeading) continue;
    if (!is_first) text += '\n';
    is_first = false;
    text += odf::ReadParagraph(tree, child).text;
  }
  return text;
}

Value CellValue(const XmlTree& tree, uint32_t cell, const std::string& text) {
  const std::string_view type = tree.Attribute(cell, "value-type").value_or("");
  if (type == "float" || type == "percentage" || type == "currency") {
    const std::string digits = tree.AttributeText(cell, "value");
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end != nullptr ? Value(number) : Value(digits);
  }
  if (type == "boolean") return Value(tree.AttributeText(cell, "boolean-value") == "true");
  if (type == "date") return Value(tree.AttributeText(cell, "date-value"));
  if (type == "time") return Value(tree.AttributeText(cell, "time-value"));
  if (type == "string") {
    const auto value = tree.Attribute(cell, "string-value");
    return value ? Value(tree.AttributeText(cell, "string-value")) : Value(text);
  }
  return Value();
}

void ReadSheet(const XmlTree& tree, uint32_t table, size_t index, const std::string& locator,
               const BlockContext& context, Blocks& blocks) {
  SheetReader(tree, table, index, locator, context, blocks).Read();
}

void ReadNames(const XmlTree& tree, uint32_t element, Blocks& blocks, BlockReader& reader,
               const std::string& parent) {
  const std::string prefix = parent.empty() ? "" : parent + "!";
  for (uint32_t holder = tree.FirstChild(element); holder != XmlTree::kNone;
       holder = tree.NextSibling(holder)) {
    const std::string_view kind = tree.IsElement(holder) ? tree.LocalName(holder) : "";
    if (kind != "named-expressions" && kind != "database-ranges" && kind != "content-validations") {
      continue;
    }
    for (uint32_t node = tree.FirstChild(holder); node != XmlTree::kNone && !blocks.is_truncated;
         node = tree.NextSibling(node)) {
      if (!tree.IsElement(node)) continue;
      const std::string name = tree.AttributeText(node, "name");
      const bool is_table = tree[node].name == kDatabaseRange;
      const bool is_name = tree[node].name == kNamedRange || tree[node].name == kNamedExpression;
      Record record{.kind = is_table ? "table" : is_name ? "defined_name" : "validation"};
      record.locator = prefix + record.kind + ":" + name;
      record.key = record.locator;
      record.parent = parent;
      record.text = name;
      for (const auto& [attribute, member] :
           {std::pair("cell-range-address", "refers_to"), std::pair("expression", "refers_to"),
            std::pair("target-range-address", "refers_to"), std::pair("condition", "condition")}) {
        const std::string value = tree.AttributeText(node, attribute);
        if (!value.empty()) record.attrs.Set(member, value);
      }
      record.attrs.Set("digest", XmlDigest(tree, node));
      record.span = ByteSpan{tree[node].begin, tree[node].end};
      reader.Add(std::move(record), node);
    }
  }
}

}  // namespace staged::odf
