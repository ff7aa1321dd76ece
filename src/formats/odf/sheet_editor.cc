#include "formats/odf/sheet_editor.h"

#include <algorithm>
#include <charconv>

#include "codec/text_elements.h"
#include "codec/xml.h"
#include "format/paragraph_edits.h"
#include "formats/odf/odf_names.h"
#include "formats/odf/paragraph_text.h"
#include "formats/odf/sheet_reader.h"

namespace staged::odf {
namespace {

std::string NumberText(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return error == std::errc() ? std::string(buffer, end) : "0";
}

// "2024-05-01" and "2024-05-01T12:00:00" (ISO 8601), as office:date-value has it.
bool IsDate(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  for (const size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return text.size() == 10 || text[10] == 'T';
}

bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsXmlSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether a formula names cells outside of brackets: OpenFormula writes [.A1].
bool HasBareReference(std::string_view formula) {
  bool in_text = false;
  bool in_brackets = false;
  for (size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if (c == '[') in_brackets = true;
    if (c == ']') in_brackets = false;
    const bool starts_word =
        IsLetter(c) &&
        (i == 0 || !(IsLetter(formula[i - 1]) || IsDigit(formula[i - 1]) || formula[i - 1] == '_'));
    if (in_brackets || !starts_word) continue;
    size_t end = i;
    while (end < formula.size() && IsLetter(formula[end])) ++end;
    const size_t digits = end;
    while (end < formula.size() && IsDigit(formula[end])) ++end;
    const bool is_name = end < formula.size() &&
                         (formula[end] == '(' || formula[end] == '_' || IsLetter(formula[end]));
    if (end > digits && digits - i <= 3 && !is_name) return true;
    i = end - 1;
  }
  return false;
}

std::string PrefixFor(const XmlTree& tree, uint32_t element, uint8_t group,
                      std::string_view usual) {
  std::string prefix(usual);
  for (const auto& [name, uri] : tree.BindingsAt(element)) {
    if (OdfVocabulary().GroupOf(uri) == group && !name.empty()) prefix = name + ":";
  }
  return prefix;
}

bool IsValueAttribute(const XmlAttribute& attribute) {
  const std::string_view name = attribute.local_name();
  return name == "value-type" || name == "value" || name == "date-value" || name == "time-value" ||
         name == "boolean-value" || name == "string-value" || name == "currency" ||
         name == "formula" || name == "number-columns-repeated";
}

}  // namespace

SheetEditor::SheetEditor(const XmlTree& tree, uint32_t table, const Limits& limits)
    : tree_(tree),
      table_(table),
      limits_(limits),
      rows_(SheetRows(tree, table)),
      table_prefix_(XmlPrefixOf(tree, table)),
      office_prefix_(PrefixFor(tree, table, kOfficeGroup, "office:")),
      text_prefix_(PrefixFor(tree, table, kTextGroup, "text:")) {}

const SheetRow* SheetEditor::RowOf(uint64_t row) const {
  const auto found = std::partition_point(rows_.begin(), rows_.end(), [row](const SheetRow& item) {
    return item.first + item.repeated <= row;
  });
  return found == rows_.end() ? nullptr : &*found;
}

uint32_t SheetEditor::CellOf(CellAddress address, bool& is_covered) const {
  is_covered = false;
  const SheetRow* row = RowOf(address.row);
  if (row == nullptr) return XmlTree::kNone;
  for (const SheetCell& cell : RowCells(tree_, row->node)) {
    if (address.column < cell.first || address.column >= cell.first + cell.repeated) continue;
    is_covered = cell.is_covered;
    return cell.node;
  }
  return XmlTree::kNone;
}

Status SheetEditor::Edit(const staged::Edit& edit, CellAddress address) {
  bool is_covered = false;
  const uint32_t cell = CellOf(address, is_covered);
  if (is_covered) {
    return Status(
        ErrorCode::kUnsupportedEdit,
        "'" + edit.locator + "' is covered by a merged cell; edit the cell at its top left");
  }
  if (const auto row = edited_.find(address.row);
      row != edited_.end() && row->second.contains(address.column)) {
    return Status(ErrorCode::kInvalidArgument,
                  "two edits name '" + edit.locator + "'; join them into one");
  }
  STAGED_RETURN_IF_ERROR(CheckExpected(edit, address, cell));
  STAGED_ASSIGN_OR_RETURN(NewCell made, MakeCell(edit, cell));
  edited_[address.row][address.column] = std::move(made);
  return OkStatus();
}

Status SheetEditor::CheckExpected(const staged::Edit& edit, CellAddress, uint32_t cell) const {
  if (!edit.expect) return OkStatus();
  const std::string text = cell == XmlTree::kNone ? "" : CellText(tree_, cell);
  const Value value = cell == XmlTree::kNone ? Value() : CellValue(tree_, cell, text);
  const bool is_equal_number = edit.expect->is_number() && value.is_number() &&
                               edit.expect->as_double() == value.as_double();
  if (*edit.expect == value || is_equal_number || *edit.expect == Value(text)) return OkStatus();
  Value details;
  details.Set("actual", value.is_null() ? Value(text) : value);
  return Status(ErrorCode::kNoMatch,
                "'" + edit.locator + "' is not what the edit expects; read it again and repeat",
                std::move(details));
}

Result<SheetEditor::NewCell> SheetEditor::MakeCell(const staged::Edit& edit, uint32_t cell) const {
  if (edit.op == "clear" || edit.op == "delete") return NewCell();
  if (edit.op == "replace_text") return ReplaceText(edit, cell);
  if (edit.op != "set") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a cell has no edit '" + edit.op + "'; use set, clear or replace_text");
  }
  if (edit.arguments.Find("formula") != nullptr) return MakeFormula(edit);
  const Value* value = edit.arguments.Find("value");
  if (value == nullptr) value = edit.arguments.Find("text");
  if (value == nullptr) {
    return Status(ErrorCode::kInvalidArgument,
                  "the edit 'set' at '" + edit.locator + "' needs \"value\" or \"formula\"");
  }
  return MakeValue(*value, cell);
}

Result<SheetEditor::NewCell> SheetEditor::MakeValue(const Value& value, uint32_t cell) const {
  if (value.is_null()) return NewCell();
  const std::string office = " " + office_prefix_;
  const std::string old_type =
      cell == XmlTree::kNone ? "" : tree_.AttributeText(cell, "value-type");
  if (value.is_bool()) {
    return NewCell{office + "value-type=\"boolean\"" + office + "boolean-value=\"" +
                       (value.as_bool() ? "true" : "false") + "\"",
                   Paragraphs(value.as_bool() ? "TRUE" : "FALSE")};
  }
  if (value.is_number()) {
    const std::string number =
        value.is_integer() ? std::to_string(value.as_integer()) : NumberText(value.as_double());
    const bool keeps_type = old_type == "percentage" || old_type == "currency";
    NewCell made{office + "value-type=\"" + (keeps_type ? old_type : "float") + "\"", ""};
    if (old_type == "currency") {
      const std::string currency = tree_.AttributeText(cell, "currency");
      if (!currency.empty()) {
        made.attributes += office + "currency=\"" + XmlEscapeAttribute(currency) + "\"";
      }
    }
    made.attributes += office + "value=\"" + number + "\"";
    made.paragraphs =
        Paragraphs(old_type == "percentage" ? NumberText(value.as_double() * 100) + "%" : number);
    return made;
  }
  if (!value.is_string() || !XmlCanHold(value.as_string())) {
    return Status(ErrorCode::kInvalidArgument,
                  "a cell's value must be a number, a text without control characters, true, false "
                  "or null");
  }
  std::string text = value.as_string();
  std::erase(text, '\r');
  if (old_type == "date" && IsDate(text)) {
    return NewCell{
        office + "value-type=\"date\"" + office + "date-value=\"" + XmlEscapeAttribute(text) + "\"",
        Paragraphs(text)};
  }
  return NewCell{office + "value-type=\"string\"", Paragraphs(text)};
}

Result<SheetEditor::NewCell> SheetEditor::MakeFormula(const staged::Edit& edit) const {
  STAGED_ASSIGN_OR_RETURN(std::string formula, DocumentTextArgument(edit, "formula"));
  if (!XmlCanHold(formula) || formula.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "\"formula\" must be a text such as =SUM([.A1:.A9])");
  }
  if (HasBareReference(formula)) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "OpenDocument writes references in brackets; write " + formula +
                      " with [.A1], [.A1:.B2] or [$Sheet1.A1], and ';' between arguments");
  }
  if (!formula.starts_with("of:")) {
    formula = (formula.starts_with("=") ? "of:" : "of:=") + formula;
  }
  return NewCell{" " + table_prefix_ + "formula=\"" + XmlEscapeAttribute(formula) + "\"", ""};
}

Result<SheetEditor::NewCell> SheetEditor::ReplaceText(const staged::Edit& edit,
                                                      uint32_t cell) const {
  const std::string type = cell == XmlTree::kNone ? "" : tree_.AttributeText(cell, "value-type");
  const bool has_formula = cell != XmlTree::kNone && tree_.Attribute(cell, "formula").has_value();
  if (cell == XmlTree::kNone || has_formula || (!type.empty() && type != "string")) {
    return Status(ErrorCode::kUnsupportedEdit, "'" + edit.locator + "' holds no text but a " +
                                                   (has_formula    ? "formula"
                                                    : type.empty() ? "blank"
                                                                   : type) +
                                                   "; set its value instead");
  }
  std::vector<std::unique_ptr<TextElementEditor>> editors;
  std::vector<TextElementEditor*> borrowed;
  for (uint32_t child = tree_.FirstChild(cell); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (tree_[child].name != kParagraph && tree_[child].name != kHeading) continue;
    editors.push_back(std::make_unique<TextElementEditor>(
        std::string(tree_.Raw(child)), tree_.BindingsAt(cell), OdfDialect(), limits_));
    borrowed.push_back(editors.back().get());
  }
  STAGED_RETURN_IF_ERROR(ReplaceTextInParagraphs(edit, borrowed));
  NewCell made{" " + office_prefix_ + "value-type=\"string\"", ""};
  for (const auto& editor : editors) made.paragraphs += editor->xml();
  return made;
}

std::string SheetEditor::Paragraphs(const std::string& text) const {
  std::string xml;
  for (const std::string& line : SplitLines(text)) {
    xml += "<" + text_prefix_ + "p>" + ParagraphMarkup(line, text_prefix_) + "</" + text_prefix_ +
           "p>";
  }
  return xml;
}

// The old cell with new content: style, spans, comment and drawings stay.
std::string SheetEditor::CellSource(uint32_t old_cell, const NewCell& cell) const {
  const std::string name = table_prefix_ + "table-cell";
  std::string xml = "<" + name;
  std::string front;
  std::string back;
  if (old_cell != XmlTree::kNone) {
    for (const XmlAttribute& attribute : tree_.Attributes(old_cell)) {
      if (IsValueAttribute(attribute)) continue;
      xml += " " +
             std::string(tree_.source().substr(attribute.begin, attribute.end - attribute.begin));
    }
    for (uint32_t child = tree_.FirstChild(old_cell); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      const uint16_t of = tree_[child].name;
      if (!tree_.IsElement(child) || of == kParagraph || of == kHeading) continue;
      (of == kAnnotation ? front : back) += tree_.Raw(child);
    }
  }
  xml += cell.attributes;
  const std::string inner = front + cell.paragraphs + back;
  return inner.empty() ? xml + "/>" : xml + ">" + inner + "</" + name + ">";
}

std::string SheetEditor::Repeated(uint32_t element, std::string_view attribute,
                                  uint64_t count) const {
  const XmlNode& node = tree_[element];
  std::string xml(tree_.Raw(element));
  const std::string text = count == 1 ? ""
                                      : " " + table_prefix_ + std::string(attribute) + "=\"" +
                                            std::to_string(count) + "\"";
  for (const XmlAttribute& item : tree_.Attributes(element)) {
    if (item.local_name() != attribute) continue;
    size_t begin = item.begin;
    while (IsXmlSpace(tree_.source()[begin - 1])) --begin;
    return xml.replace(begin - node.begin, item.end - begin, text);
  }
  return xml.insert(1 + tree_.QualifiedName(element).size(), text);
}

std::string SheetEditor::SplitCell(const SheetCell& cell, const NewCells& cells) const {
  std::string xml;
  uint64_t next = cell.first;
  const uint64_t end = cell.first + cell.repeated;
  for (auto item = cells.lower_bound(cell.first); item != cells.end() && item->first < end;
       ++item) {
    if (item->first > next) {
      xml += Repeated(cell.node, "number-columns-repeated", item->first - next);
    }
    xml += CellSource(cell.node, item->second);
    next = item->first + 1;
  }
  if (end > next) xml += Repeated(cell.node, "number-columns-repeated", end - next);
  return xml;
}

std::string SheetEditor::Gap(uint64_t columns) const {
  if (columns == 0) return "";
  std::string xml = "<" + table_prefix_ + "table-cell";
  if (columns > 1) {
    xml += " " + table_prefix_ + "number-columns-repeated=\"" + std::to_string(columns) + "\"";
  }
  return xml + "/>";
}

// One row of the element's with new cells, without its repetition.
Result<std::string> SheetEditor::RowSource(const SheetRow& row, const NewCells& cells) const {
  const XmlNode& node = tree_[row.node];
  SplicePlan plan;
  for (const XmlAttribute& attribute : tree_.Attributes(row.node)) {
    if (attribute.local_name() != "number-rows-repeated") continue;
    plan.Replace(attribute.begin - node.begin, attribute.end - node.begin, "");
  }
  uint64_t next = 1;
  for (const SheetCell& cell : RowCells(tree_, row.node)) {
    next = cell.first + cell.repeated;
    const auto item = cells.lower_bound(cell.first);
    if (item == cells.end() || item->first >= next) continue;
    plan.Replace(tree_[cell.node].begin - node.begin, tree_[cell.node].end - node.begin,
                 SplitCell(cell, cells));
  }
  std::string tail;
  for (auto item = cells.lower_bound(next); item != cells.end(); ++item) {
    tail += Gap(item->first - next) + CellSource(XmlTree::kNone, item->second);
    next = item->first + 1;
  }
  if (!tail.empty() && node.content_begin == node.end) {  // <table:table-row/>
    const std::string name(tree_.QualifiedName(row.node));
    plan.Replace(node.end - node.begin - 2, node.end - node.begin, ">" + tail + "</" + name + ">");
  } else if (!tail.empty()) {
    plan.Insert(node.content_end - node.begin, tail);
  }
  return plan.Apply(tree_.Raw(row.node));
}

std::string SheetEditor::NewRow(const NewCells& cells) const {
  const std::string name = table_prefix_ + "table-row";
  std::string xml = "<" + name + ">";
  uint64_t next = 1;
  for (const auto& [column, cell] : cells) {
    xml += Gap(column - next) + CellSource(XmlTree::kNone, cell);
    next = column + 1;
  }
  return xml + "</" + name + ">";
}

size_t SheetEditor::PlaceOfNewRows() const {
  if (!rows_.empty()) {
    uint32_t last = rows_.back().node;  // behind the groups that it stands in
    while (tree_[last].parent != table_) last = tree_[last].parent;
    return tree_[last].end;
  }
  size_t place = tree_[table_].content_begin;
  for (uint32_t child = tree_.FirstChild(table_); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    const std::string_view name = tree_.IsElement(child) ? tree_.LocalName(child) : "";
    if (name.starts_with("table-column") || name == "table-source" || name == "scenario" ||
        name == "forms" || name == "shapes" || name == "title" || name == "desc") {
      place = tree_[child].end;
    }
  }
  return place;
}

Status SheetEditor::AddTo(SplicePlan& plan) const {
  std::string added;
  uint64_t next = rows_.empty() ? 1 : rows_.back().first + rows_.back().repeated;
  for (auto item = edited_.begin(); item != edited_.end();) {
    const SheetRow* row = RowOf(item->first);
    if (row == nullptr) {
      if (tree_[table_].content_begin == tree_[table_].end) {
        return Status(
            ErrorCode::kUnsupportedEdit,
            "the sheet has no content at all; enter one cell in its own application first");
      }
      const uint64_t gap = item->first - next;
      if (gap > 0) {
        const std::string name = table_prefix_ + "table-row";
        added += "<" + name;
        if (gap > 1) {
          added += " " + table_prefix_ + "number-rows-repeated=\"" + std::to_string(gap) + "\"";
        }
        added += ">" + Gap(1) + "</" + name + ">";
      }
      added += NewRow(item->second);
      next = item->first + 1;
      ++item;
      continue;
    }
    std::string xml;
    uint64_t at = row->first;
    const uint64_t end = row->first + row->repeated;
    for (; item != edited_.end() && item->first < end; ++item) {
      if (item->first > at) xml += Repeated(row->node, "number-rows-repeated", item->first - at);
      STAGED_ASSIGN_OR_RETURN(std::string changed, RowSource(*row, item->second));
      xml += changed;
      at = item->first + 1;
    }
    if (end > at) xml += Repeated(row->node, "number-rows-repeated", end - at);
    plan.Replace(tree_[row->node].begin, tree_[row->node].end, std::move(xml));
  }
  if (!added.empty()) plan.Insert(PlaceOfNewRows(), added);
  return OkStatus();
}

}  // namespace staged::odf
