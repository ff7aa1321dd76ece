#include "formats/xlsx/sheet_editor.h"

#include <cmath>

#include "base/utf8.h"
#include "codec/xml.h"
#include "formats/xlsx/formula.h"
#include "formats/xlsx/sheet_parser.h"
#include "formats/xlsx/sheet_scanner.h"
#include "formats/xlsx/splices.h"

namespace staged::xlsx {
namespace {

constexpr size_t kTextCharactersMax = 32'767;  // of one cell, as applications allow
constexpr size_t kFormulaBytesMax = 8'192;

// A cell as it was read.
struct OldCell {
  bool exists = false;
  CellType type = CellType::kBlank;
  Value value;
  std::string text;
  std::string formula;
  bool is_rich = false;
};

class SheetEditor {
 public:
  SheetEditor(std::string_view xml, const SheetEditContext& context)
      : xml_(xml), context_(context), splices_(xml), quoted_(QuoteSheetName(context.sheet->name)) {}

  Result<SheetResult> Edit(const std::vector<LocatedEdit>& edits) {
    std::vector<CellAddress> targets;
    for (const LocatedEdit& edit : edits) targets.push_back(edit.cell);
    STAGED_ASSIGN_OR_RETURN(scan_, ScanSheet(xml_, targets, context_.limits));
    if (!scan_.has_data) {
      return Status(ErrorCode::kUnsupportedEdit,
                    quoted_ + " has no cell table; save the file once with its own application");
    }
    result_.has_formulas = scan_.has_formulas;
    for (const LocatedEdit& edit : edits) STAGED_RETURN_IF_ERROR(Plan(edit));
    STAGED_RETURN_IF_ERROR(RehomeSharedFormulas());
    STAGED_RETURN_IF_ERROR(SpliceCells());
    ExtendDimension();
    if (!splices_.empty()) result_.xml = splices_.Make();
    return std::move(result_);
  }

  // The cell's content through the one sheet parser, so that reading and editing agree.
  OldCell ReadOld(CellAddress cell, const CellPlace& place) const {
    OldCell old;
    if (!place.cell) return old;
    std::string mini = "<worksheet><sheetData><row r=\"" + std::to_string(cell.row) + "\">";
    mini += xml_.substr(place.cell->begin, place.cell->end - place.cell->begin);
    mini += "</row></sheetData></worksheet>";
    GridSheet sheet;
    sheet.name = context_.sheet->name;
    sheet.epoch = context_.epoch;
    const SheetContext reading{context_.strings, context_.styles, context_.limits};
    const ParsedSheet parsed = ParseSheet(mini, std::move(sheet), ContentHash(), reading);
    if (parsed.cells->cell_count() == 0) return old;
    old.exists = true;
    old.type = parsed.cells->type(0);
    old.value = parsed.cells->value(0);
    old.text = parsed.cells->text(0);
    old.formula = std::string(parsed.cells->formula(0));
    old.is_rich = IsRich(place);
    return old;
  }

  const ScannedSheet& scan() const { return scan_; }
  Status Scan(const std::vector<CellAddress>& targets) {
    STAGED_ASSIGN_OR_RETURN(scan_, ScanSheet(xml_, targets, context_.limits));
    return OkStatus();
  }

 private:
  std::string LocatorOf(CellAddress cell) const { return quoted_ + "!" + FormatCellAddress(cell); }

  std::optional<std::string> AttributeOf(const CellPlace& place, std::string_view name) const {
    if (!place.cell) return std::nullopt;
    return TagAttribute(xml_.substr(place.cell->begin, place.cell->end - place.cell->begin), name);
  }

  // An attribute of the element that the XML begins with.
  std::optional<std::string> TagAttribute(std::string_view xml, std::string_view name) const {
    XmlTokenizer tokenizer(xml, context_.limits);
    if (!tokenizer.Read()) return std::nullopt;
    const std::optional<std::string_view> value = tokenizer.Attribute(name);
    if (!value) return std::nullopt;
    return std::string(*value);
  }

  bool IsRich(const CellPlace& place) const {
    const std::string type = AttributeOf(place, "t").value_or("");
    if (type == "s") {
      const size_t begin = place.inner.find('>');
      size_t index = 0;
      const std::string digits(place.inner.substr(begin + 1));
      index = std::strtoul(digits.c_str(), nullptr, 10);
      return index < context_.strings->size() && !context_.strings->is_plain(index);
    }
    return type == "inlineStr" && (place.inner.find("rPr") != std::string_view::npos ||
                                   place.inner.find("rPh") != std::string_view::npos);
  }

  Status Plan(const LocatedEdit& located) {
    const staged::Edit& edit = *located.edit;
    const CellPlace& place = scan_.places.at(located.cell);
    const auto planned = result_.contents.find(located.cell);
    const OldCell old = planned == result_.contents.end() ? ReadOld(located.cell, place)
                                                          : FromPlan(planned->second);
    if (edit.expect) STAGED_RETURN_IF_ERROR(CheckExpectation(located, old));
    STAGED_ASSIGN_OR_RETURN(CellContent content, ContentOf(located, old));
    STAGED_RETURN_IF_ERROR(CheckPlace(located.cell, content));
    result_.contents[located.cell] = std::move(content);
    return OkStatus();
  }

  static OldCell FromPlan(const CellContent& content) {
    OldCell old;
    old.exists = true;
    old.value = content.value;
    old.formula = content.formula;
    if (content.value.is_string()) old.text = content.value.as_string();
    if (content.value.is_number()) old.text = FormatGeneral(content.value.as_double());
    if (content.value.is_bool()) old.text = content.value.as_bool() ? "TRUE" : "FALSE";
    return old;
  }

  Status CheckExpectation(const LocatedEdit& located, const OldCell& old) const {
    const Value& expected = *located.edit->expect;
    bool holds = expected == old.value;
    if (expected.is_number() && old.value.is_number()) {
      holds = expected.as_double() == old.value.as_double();
    }
    if (expected.is_string()) {
      const std::string& text = expected.as_string();
      holds |= text == old.text;
      holds |= !old.formula.empty() && (text == old.formula || text == "=" + old.formula);
    }
    if (holds) return OkStatus();
    Value details;
    details.Set("locator", Value(LocatorOf(located.cell)));
    details.Set("expected", expected);
    details.Set("actual", old.value);
    return Status(ErrorCode::kNoMatch,
                  LocatorOf(located.cell) + " holds '" + old.text +
                      "', not what is expected; read the cell again and repeat the edit",
                  std::move(details));
  }

  Result<CellContent> ContentOf(const LocatedEdit& located, const OldCell& old) const {
    const staged::Edit& edit = *located.edit;
    if (edit.op == "clear" || edit.op == "delete") return CellContent();
    if (edit.op == "replace_text") return ReplacedText(located, old);
    if (edit.op != "set") {
      return Status(ErrorCode::kUnsupportedEdit,
                    "cells cannot be edited with '" + edit.op +
                        "'; use set, clear or replace_text, or write the whole file");
    }
    CellContent content;
    const Value* formula = edit.arguments.Find("formula");
    const Value* value = edit.arguments.Find("value");
    if (formula != nullptr && !formula->is_null()) {
      if (!formula->is_string() || (value != nullptr && !value->is_null())) {
        return Status(ErrorCode::kInvalidArgument,
                      "give either a value or a formula as text, not both");
      }
      content.formula = formula->as_string();
      if (content.formula.starts_with("=")) content.formula.erase(0, 1);
      return CheckedFormula(std::move(content));
    }
    if (value == nullptr) {
      return Status(ErrorCode::kInvalidArgument, "set needs the argument \"value\" or \"formula\"");
    }
    content.value = *value;
    return CheckedValue(std::move(content));
  }

  static Result<CellContent> CheckedFormula(CellContent content) {
    if (content.formula.empty() || content.formula.size() > kFormulaBytesMax ||
        !XmlCanHold(content.formula)) {
      return Status(ErrorCode::kInvalidArgument,
                    "a formula has 1 to 8192 bytes and no control characters; shorten it");
    }
    return content;
  }

  static Result<CellContent> CheckedValue(CellContent content) {
    const Value& value = content.value;
    if (value.is_array() || value.is_object()) {
      return Status(ErrorCode::kInvalidArgument,
                    "a cell holds null, a boolean, a number or a text; give one edit a cell");
    }
    if (value.is_number() && !std::isfinite(value.as_double())) {
      return Status(ErrorCode::kInvalidArgument, "a cell's number must be finite");
    }
    if (value.is_string()) {
      const std::string& text = value.as_string();
      if (!IsValidUtf8(text)) {
        return Status(ErrorCode::kInvalidArgument, "a cell's text must be UTF-8");
      }
      size_t characters = 0;
      for (size_t at = 0; at < text.size(); ++characters) {
        characters += NextCodePoint(text, at) > 0xFFFF ? 1 : 0;
      }
      if (characters > kTextCharactersMax) {
        return Status(ErrorCode::kInvalidArgument,
                      "a cell's text has at most 32767 characters; split it over cells");
      }
    }
    return content;
  }

  Result<CellContent> ReplacedText(const LocatedEdit& located, const OldCell& old) const {
    const std::string_view find = located.edit->arguments.FindString("find");
    const std::string_view replacement = located.edit->arguments.FindString("replace");
    const std::string locator = LocatorOf(located.cell);
    if (find.empty()) {
      return Status(ErrorCode::kInvalidArgument, "replace_text needs the argument \"find\"");
    }
    if (!old.formula.empty() || !old.value.is_string()) {
      return Status(ErrorCode::kUnsupportedEdit,
                    locator + " holds no plain text; use set with a value or a formula");
    }
    if (old.is_rich) {
      return Status(ErrorCode::kUnsupportedEdit,
                    locator +
                        " holds formatted text, whose formats would be lost; use set to "
                        "replace the whole text");
    }
    CellContent content;
    std::string text = old.value.as_string();
    size_t count = 0;
    for (size_t at = text.find(find); at != std::string::npos;
         at = text.find(find, at + replacement.size())) {
      text.replace(at, find.size(), replacement);
      ++count;
    }
    if (count == 0) {
      return Status(ErrorCode::kNoMatch,
                    locator + " does not contain '" + std::string(find) + "'; read the cell again");
    }
    content.value = Value(std::move(text));
    return CheckedValue(std::move(content));
  }

  // What an application would not let a person do either.
  Status CheckPlace(CellAddress cell, const CellContent& content) const {
    for (const CellRange& range : scan_.arrays) {
      if (!range.Contains(cell)) continue;
      return Status(ErrorCode::kUnsupportedEdit,
                    LocatorOf(cell) + " belongs to the array formula or data table over " +
                        FormatCellRange(range) + "; change that with its own application");
    }
    const bool clears = content.value.is_null() && content.formula.empty();
    for (const CellRange& range : scan_.merges) {
      if (clears || !range.Contains(cell) || range.first == cell) continue;
      return Status(ErrorCode::kUnsupportedEdit,
                    LocatorOf(cell) + " is hidden inside the merged cells " +
                        FormatCellRange(range) + "; set " + LocatorOf(range.first) + " instead");
    }
    for (const CellRange& range : context_.table_headers) {
      if (!range.Contains(cell)) continue;
      return Status(ErrorCode::kUnsupportedEdit,
                    LocatorOf(cell) +
                        " is the header of a table's column, which formulas may name; rename the "
                        "column with its own application");
    }
    return OkStatus();
  }

  // Where an edited cell held the text of a shared formula, the next cell that shares it takes
  // over.
  Status RehomeSharedFormulas() {
    for (const auto& [cell, content] : result_.contents) {
      const CellPlace& place = scan_.places.at(cell);
      if (place.formula_type != "shared" || !place.has_formula_text || !place.shared_index)
        continue;
      std::vector<SharedChild> children;
      for (const SharedChild& child : scan_.shared[*place.shared_index]) {
        if (!result_.contents.contains(child.cell)) children.push_back(child);
      }
      if (children.empty()) continue;
      const SharedChild& heir = children.front();
      CellRange range{heir.cell, heir.cell};
      for (const SharedChild& child : children) {
        range.first.row = std::min(range.first.row, child.cell.row);
        range.first.column = std::min(range.first.column, child.cell.column);
        range.last.row = std::max(range.last.row, child.cell.row);
        range.last.column = std::max(range.last.column, child.cell.column);
      }
      const std::string formula =
          ShiftFormula(ReadOld(cell, place).formula, static_cast<int64_t>(heir.cell.row) - cell.row,
                       static_cast<int64_t>(heir.cell.column) - cell.column);
      const std::string tag = std::string(scan_.prefix) + "f";
      splices_.Replace(heir.formula.begin, heir.formula.end,
                       "<" + tag + " t=\"shared\" ref=\"" + FormatCellRange(range) + "\" si=\"" +
                           std::to_string(*place.shared_index) + "\">" + EncodeXstring(formula) +
                           "</" + tag + ">");
      result_.derived.push_back(
          {LocatorOf(heir.cell),
           "it now holds the formula that it shared with " + LocatorOf(cell)});
    }
    return OkStatus();
  }

  Status SpliceCells() {
    std::map<uint32_t, std::string> new_rows;
    std::map<uint32_t, size_t> new_row_places;
    std::map<uint32_t, std::string> empty_rows;
    for (const auto& [cell, content] : result_.contents) {
      const CellPlace& place = scan_.places.at(cell);
      Account(cell, content, place);
      const bool clears = content.value.is_null() && content.formula.empty();
      if (clears && !place.cell) continue;
      if (!place.cell && scan_.has_implicit_addresses) {
        return Status(ErrorCode::kUnsupportedEdit,
                      quoted_ +
                          " has cells without addresses, which an inserted cell would move; "
                          "save the file once with its own application");
      }
      std::string element = MakeCell(cell, content, place);
      if (place.cell) {
        splices_.Replace(place.cell->begin, place.cell->end, std::move(element));
        continue;
      }
      inserted_.push_back(cell);
      if (!place.row) {
        new_rows[cell.row] += element;
        new_row_places[cell.row] = place.insert_at;
      } else if (place.row_is_empty_tag) {
        empty_rows[cell.row] += element;
      } else {
        splices_.Insert(place.insert_at, std::move(element));
      }
    }
    SpliceRows(new_rows, new_row_places, empty_rows);
    return OkStatus();
  }

  void SpliceRows(const std::map<uint32_t, std::string>& new_rows,
                  const std::map<uint32_t, size_t>& new_row_places,
                  const std::map<uint32_t, std::string>& empty_rows) {
    const std::string tag = std::string(scan_.prefix) + "row";
    for (const auto& [row, cells] : empty_rows) {
      const ByteSpan span = *scan_.places.lower_bound({row, 0})->second.row;
      splices_.Replace(span.end - 2, span.end, ">" + cells + "</" + tag + ">");
    }
    std::string all;
    for (const auto& [row, cells] : new_rows) {
      std::string element =
          "<" + tag + " r=\"" + std::to_string(row) + "\">" + cells + "</" + tag + ">";
      if (scan_.empty_data_tag) {
        all += element;
      } else {
        splices_.Insert(new_row_places.at(row), std::move(element));
      }
    }
    if (scan_.empty_data_tag && !all.empty()) {
      const ByteSpan span = *scan_.empty_data_tag;
      splices_.Replace(span.end - 2, span.end,
                       ">" + all + "</" + std::string(scan_.prefix) + "sheetData>");
    }
  }

  // Keeps count of what the workbook's other parts must know.
  void Account(CellAddress cell, const CellContent& content, const CellPlace& place) {
    result_.sets_formula |= !content.formula.empty();
    if (place.has_formula && content.formula.empty()) result_.formulas_gone.push_back(cell);
    if (AttributeOf(place, "t") == "s") --result_.reference_delta;
    if (content.value.is_string() && context_.appender != nullptr) ++result_.reference_delta;
    if (!content.formula.empty() && place.cell) {
      result_.derived.push_back({LocatorOf(cell), "its cached value is dropped"});
    }
  }

  // The style that a new cell takes from its row or column.
  std::string InheritedStyle(CellAddress cell, const CellPlace& place) const {
    if (place.row) {
      const std::string_view tag = xml_.substr(place.row->begin, place.row->end - place.row->begin);
      std::string row(tag);
      if (!place.row_is_empty_tag) row.insert(row.size() - 1, "/");
      const std::string custom = TagAttribute(row, "customFormat").value_or("");
      if (custom == "1" || custom == "true") return TagAttribute(row, "s").value_or("");
    }
    for (const auto& [columns, style] : scan_.column_styles) {
      if (cell.column >= columns.first && cell.column <= columns.second && style != 0) {
        return std::to_string(style);
      }
    }
    return "";
  }

  std::string MakeCell(CellAddress cell, const CellContent& content, const CellPlace& place) {
    const std::string prefix(scan_.prefix);
    const std::string style =
        place.cell ? AttributeOf(place, "s").value_or("") : InheritedStyle(cell, place);
    std::string tag = "<" + prefix + "c r=\"" + FormatCellAddress(cell) + "\"";
    if (!style.empty()) tag += " s=\"" + style + "\"";
    const std::string end = "</" + prefix + "c>";
    const auto value = [&](std::string_view text) {
      return "<" + prefix + "v>" + std::string(text) + "</" + prefix + "v>";
    };
    if (!content.formula.empty()) {
      return tag + "><" + prefix + "f>" + EncodeXstring(content.formula) + "</" + prefix + "f>" +
             end;
    }
    if (content.value.is_bool()) {
      return tag + " t=\"b\">" + value(content.value.as_bool() ? "1" : "0") + end;
    }
    if (content.value.is_integer()) {
      return tag + ">" + value(std::to_string(content.value.as_integer())) + end;
    }
    if (content.value.is_number()) {
      return tag + ">" + value(FormatShortest(content.value.as_double())) + end;
    }
    if (!content.value.is_string()) return tag + "/>";
    const std::string& text = content.value.as_string();
    if (context_.appender != nullptr) {
      return tag + " t=\"s\">" + value(std::to_string(context_.appender->IndexOf(text))) + end;
    }
    return tag + " t=\"inlineStr\"><" + prefix + "is><" + prefix + "t xml:space=\"preserve\">" +
           EncodeXstring(text) + "</" + prefix + "t></" + prefix + "is>" + end;
  }

  void ExtendDimension() {
    if (!scan_.dimension) return;
    const std::string_view text =
        xml_.substr(scan_.dimension->begin, scan_.dimension->end - scan_.dimension->begin);
    std::optional<CellRange> range = ParseCellRange(text);
    if (!range) return;
    const CellRange before = *range;
    for (const CellAddress& cell : inserted_) {
      range->first.row = std::min(range->first.row, cell.row);
      range->first.column = std::min(range->first.column, cell.column);
      range->last.row = std::max(range->last.row, cell.row);
      range->last.column = std::max(range->last.column, cell.column);
    }
    if (*range == before) return;
    splices_.Replace(scan_.dimension->begin, scan_.dimension->end, FormatCellRange(*range));
  }

  std::string_view xml_;
  const SheetEditContext& context_;
  ScannedSheet scan_;
  Splices splices_;
  std::string quoted_;
  SheetResult result_;
  std::vector<CellAddress> inserted_;
};

bool IsSame(const CellContent& wanted, const OldCell& read) {
  if (!wanted.formula.empty()) return read.formula == wanted.formula && read.value.is_null();
  if (!read.formula.empty()) return false;
  if (wanted.value.is_number()) {
    return read.value.is_number() && read.value.as_double() == wanted.value.as_double();
  }
  return read.value == wanted.value;
}

}  // namespace

Result<SheetResult> EditSheetXml(std::string_view xml, const std::vector<LocatedEdit>& edits,
                                 const SheetEditContext& context) {
  return SheetEditor(xml, context).Edit(edits);
}

Status CheckSheetXml(std::string_view xml, const std::map<CellAddress, CellContent>& contents,
                     const SheetEditContext& context) {
  std::vector<CellAddress> targets;
  for (const auto& [cell, content] : contents) targets.push_back(cell);
  SheetEditor reader(xml, context);
  STAGED_RETURN_IF_ERROR(reader.Scan(targets));
  for (const auto& [cell, content] : contents) {
    if (IsSame(content, reader.ReadOld(cell, reader.scan().places.at(cell)))) continue;
    return Status(ErrorCode::kDataLoss,
                  "after the edit " + QuoteSheetName(context.sheet->name) + "!" +
                      FormatCellAddress(cell) +
                      " does not read back as written; nothing was changed, report this file");
  }
  return OkStatus();
}

}  // namespace staged::xlsx
