#include "formats/xlsb/sheet_reader.h"

#include <utility>

#include "formats/xlsb/binary_record.h"

namespace staged::xlsb {
namespace {

constexpr size_t kNamedFormulasMax = 5;
constexpr uint8_t kRowHidden = 0x10;  // in the last byte of a row's flags
constexpr uint16_t kColumnHidden = 0x01;

bool IsCell(RecordType type) {
  return (type >= RecordType::kCellBlank && type <= RecordType::kFormulaError) ||
         type == RecordType::kCellRichString;
}

bool HasFormula(RecordType type) {
  return type >= RecordType::kFormulaString && type <= RecordType::kFormulaError;
}

ParsedFormula ReadFormula(FieldReader& fields) {
  ParsedFormula formula;
  formula.tokens = fields.Bytes(fields.Long());
  formula.extra = fields.Bytes(fields.Long());
  return formula;
}

// A formula that several cells have in common, or an array has.
struct RangeFormula {
  CellRange range;
  ParsedFormula formula;
  bool is_array = false;
};

class SheetReader {
 public:
  SheetReader(const Workbook& workbook, GridSheet sheet, const ContentHash& digest,
              const SheetLimits& limits)
      : workbook_(workbook), limits_(limits), builder_(std::move(sheet), digest) {
    // The first format is that of cells whose number leads nowhere.
    formats_.push_back(builder_.AddFormat("General"));
    for (const std::string& code : workbook.formats) formats_.push_back(builder_.AddFormat(code));
  }

  SheetContent Read(std::string_view bytes) {
    CollectRangeFormulas(bytes);
    RecordReader records(bytes);
    while (records.Next()) ReadRecord(records);
    content_.is_torn = records.is_torn();
    for (const auto& [first, common] : range_formulas_) {
      if (common.is_array) AddArray(common);
    }
    content_.cells = builder_.Finish();
    content_.unshown_digest = unshown_.Finish();
    return std::move(content_);
  }

 private:
  // They stand behind the first cell that has them.
  void CollectRangeFormulas(std::string_view bytes) {
    RecordReader records(bytes);
    while (records.Next()) {
      const bool is_array = records.type() == RecordType::kArrayFormula;
      if (!is_array && records.type() != RecordType::kSharedFormula) continue;
      FieldReader fields(records.fields());
      const std::optional<CellRange> range = fields.Range();
      if (!range) continue;
      if (is_array) (void)fields.Byte();
      range_formulas_[range->first] = {*range, ReadFormula(fields), is_array};
    }
  }

  void ReadRecord(const RecordReader& records) {
    if (IsCell(records.type())) return ReadCell(records);
    FieldReader fields(records.fields());
    switch (records.type()) {
      case RecordType::kRowHeader:
        return ReadRow(fields);
      case RecordType::kColumnInfo:
        return ReadColumns(fields);
      case RecordType::kSheetDimension:
        if (const auto range = fields.Range()) content_.dimension = FormatCellRange(*range);
        return;
      case RecordType::kMergedCells:
        if (const auto range = fields.Range()) content_.merges.push_back(FormatCellRange(*range));
        return;
      case RecordType::kHyperlink:
        return ReadHyperlink(fields);
      case RecordType::kSharedFormula:
      case RecordType::kArrayFormula:
        return;
      default:
        if (records.fields().empty()) return;  // begins or ends something
        ++content_.unshown[records.type_number()];
        unshown_.Update(std::to_string(records.type_number()) + ":");
        unshown_.Update(records.fields());
    }
  }

  void ReadRow(FieldReader& fields) {
    const uint32_t row = fields.Long();
    (void)fields.Bytes(7);  // format, height, spacing
    const uint8_t flags = fields.Byte();
    row_ = fields.ok() && row < kSheetRowsMax ? row + 1 : 0;
    if (row_ != 0 && (flags & kRowHidden) != 0) builder_.HideRows({row_, row_});
  }

  void ReadColumns(FieldReader& fields) {
    const uint32_t first = fields.Long();
    const uint32_t last = fields.Long();
    (void)fields.Bytes(8);  // width, format
    const uint16_t flags = fields.Short();
    const bool is_hidden =
        fields.ok() && (flags & kColumnHidden) != 0 && first <= last && last < kSheetColumnsMax;
    if (is_hidden) builder_.HideColumns({first + 1, last + 1});
  }

  void ReadHyperlink(FieldReader& fields) {
    const std::optional<CellRange> range = fields.Range();
    Hyperlink link;
    link.relationship_id = fields.Text();
    link.location = fields.Text();
    link.tooltip = fields.Text();
    link.display = fields.Text();
    if (!range || !fields.ok()) return;
    link.range = FormatCellRange(*range);
    content_.hyperlinks.push_back(std::move(link));
  }

  void ReadCell(const RecordReader& records) {
    FieldReader fields(records.fields());
    const uint32_t column = fields.Long();
    const uint32_t format_number = fields.Long() & 0xFFFFFF;
    if (!fields.ok() || row_ == 0 || column >= kSheetColumnsMax) return;
    // A blank one only has a look.
    if (records.type() == RecordType::kCellBlank) return;
    const CellAddress cell{row_, column + 1};
    if (!content_.cut_at.empty()) return;
    if (builder_.cell_count() >= limits_.cells_max ||
        builder_.text_bytes() > limits_.text_bytes_max) {
      content_.cut_at = FormatCellAddress(cell);
      return;
    }
    const uint16_t format =
        format_number + 1 < formats_.size() ? formats_[format_number + 1] : formats_[0];
    AddValue(records.type(), fields, cell, format);
    if (HasFormula(records.type())) {
      (void)fields.Short();  // when to compute it
      AddFormula(ReadFormula(fields), cell);
    }
  }

  void AddValue(RecordType type, FieldReader& fields, CellAddress cell, uint16_t format) {
    switch (type) {
      case RecordType::kCellRk:
        return builder_.AddNumber(cell, fields.Rk(), format);
      case RecordType::kCellReal:
      case RecordType::kFormulaNumber:
        return builder_.AddNumber(cell, fields.Real(), format);
      case RecordType::kCellBoolean:
      case RecordType::kFormulaBoolean:
        return builder_.AddBoolean(cell, fields.Byte() != 0, format);
      case RecordType::kCellError:
      case RecordType::kFormulaError:
        return builder_.AddError(cell, builder_.AddString(ErrorName(fields.Byte())), format);
      case RecordType::kCellSharedString:
        return builder_.AddString(cell, SharedString(fields.Long()), format);
      case RecordType::kCellRichString:
        return builder_.AddString(cell, builder_.AddString(fields.RichText()), format);
      default:
        return builder_.AddString(cell, builder_.AddString(fields.Text()), format);
    }
  }

  // Each string of the workbook at most once.
  uint32_t SharedString(uint32_t number) {
    const auto [place, is_new] = shared_strings_.try_emplace(number, 0);
    if (is_new) {
      place->second = builder_.AddString(
          number < workbook_.strings.size() ? std::string_view(workbook_.strings[number]) : "");
    }
    return place->second;
  }

  void AddFormula(const ParsedFormula& formula, CellAddress cell) {
    const std::optional<CellAddress> first = RangeOfFormula(formula);
    if (!first) return SetFormula(formula, cell);
    const auto common = range_formulas_.find(*first);
    if (common == range_formulas_.end() || !common->second.range.Contains(cell)) {
      return CannotRead(cell);
    }
    // An array's formula is given to all of its cells at the end.
    if (!common->second.is_array) SetFormula(common->second.formula, cell);
  }

  void SetFormula(const ParsedFormula& formula, CellAddress cell) {
    const std::optional<std::string> text = FormulaText(formula, workbook_.formula_names, cell);
    if (!text) return CannotRead(cell);
    builder_.SetFormula(builder_.AddString(*text));
  }

  void AddArray(const RangeFormula& array) {
    const std::optional<std::string> text =
        FormulaText(array.formula, workbook_.formula_names, array.range.first);
    if (!text) return CannotRead(array.range.first);
    builder_.AddArray(array.range, builder_.AddString(*text));
  }

  void CannotRead(CellAddress cell) {
    ++content_.unread_formula_count;
    if (content_.unread_formulas.size() < kNamedFormulasMax) {
      content_.unread_formulas.push_back(FormatCellAddress(cell));
    }
  }

  const Workbook& workbook_;
  const SheetLimits limits_;
  GridSegment::Builder builder_;
  std::vector<uint16_t> formats_;
  std::map<uint32_t, uint32_t> shared_strings_;
  std::map<CellAddress, RangeFormula> range_formulas_;  // by their first cell
  uint32_t row_ = 0;
  ContentHasher unshown_;
  SheetContent content_;
};

}  // namespace

SheetContent ReadSheet(std::string_view bytes, const Workbook& workbook, GridSheet sheet,
                       const ContentHash& digest, const SheetLimits& limits) {
  return SheetReader(workbook, std::move(sheet), digest, limits).Read(bytes);
}

}  // namespace staged::xlsb
