#include "formats/xlsx/sheet_parser.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "codec/xml.h"
#include "formats/xlsx/cell_values.h"
#include "formats/xlsx/formula.h"
#include "formats/xlsx/looks.h"

namespace staged::xlsx {
namespace {

// Text put together from tokens; borrows the input while one plain token is all there is.
class TextBuffer {
 public:
  void Clear() {
    has_text_ = false;
    is_joined_ = false;
    view_ = {};
    joined_.clear();
  }
  void Append(const XmlToken& token) {
    has_text_ = true;
    const bool plain = token.type == XmlTokenType::kCData ||
                       std::none_of(token.raw.begin(), token.raw.end(),
                                    [](char c) { return c == '&' || c == '\r'; });
    if (plain && !is_joined_ && view_.empty()) {
      view_ = token.raw;
      return;
    }
    if (!is_joined_) joined_.assign(view_);
    is_joined_ = true;
    if (token.type == XmlTokenType::kCData) {
      joined_.append(token.raw);
    } else {
      XmlDecodeTo(token.raw, joined_);
    }
  }
  [[nodiscard]] std::string_view text() const { return is_joined_ ? joined_ : view_; }
  [[nodiscard]] bool has_text() const { return has_text_; }

 private:
  std::string_view view_;
  std::string joined_;
  bool has_text_ = false;
  bool is_joined_ = false;
};

class SheetParser {
 public:
  SheetParser(std::string_view xml, GridSheet sheet, const ContentHash& digest,
              const SheetContext& context)
      : xml_(xml),
        tokenizer_(xml, context.limits),
        context_(context),
        locator_(QuoteSheetName(sheet.name)),
        epoch_(sheet.epoch),
        layout_(*context.styles),
        builder_(std::move(sheet), digest) {
    // A cell with a value takes at least so much XML; memory that is not written costs nothing.
    constexpr size_t kCellXmlBytes = 32;
    builder_.Reserve(xml.size() / kCellXmlBytes + 1);
  }

  ParsedSheet Parse() {
    while (!is_full_ && tokenizer_.Read()) {
      const XmlToken& token = tokenizer_.token();
      switch (token.type) {
        case XmlTokenType::kStart:
          StartElement(token);
          break;
        case XmlTokenType::kEnd:
          EndElement(token);
          break;
        case XmlTokenType::kText:
        case XmlTokenType::kCData:
          if (sink_ != nullptr) sink_->Append(token);
          break;
        default:
          break;
      }
    }
    if (const Status status = tokenizer_.status(); !status.ok()) {
      Diagnose("error", "malformed", locator_, status.message());
    }
    FinishLayout();
    if (context_.part_digest) builder_.SetPartDigest(context_.part_digest());
    parsed_.cells = builder_.Finish();
    if (!builder_.are_arrays_filled()) {
      Diagnose("warning", "bad_array", locator_,
               "array formulas overlap; the last ones are shown on their first cells only");
    }
    MeasureDimension();
    NoteLongTexts();
    return std::move(parsed_);
  }

 private:
  static constexpr size_t kChildDepth = 2;
  static constexpr size_t kRowDepth = 3;
  static constexpr size_t kCellDepth = 4;

  void Diagnose(std::string severity, std::string code, std::string locator, std::string message) {
    if (parsed_.diagnostics.size() >= context_.limits.diagnostics_max) return;
    parsed_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(message)});
  }

  void StartElement(const XmlToken& token) {
    const size_t depth = tokenizer_.depth();
    if (in_cell_) return StartInCell(token.local_name());
    if (in_data_) {
      if (depth == kCellDepth && token.local_name() == "c") return StartCell();
      if (depth == kRowDepth && token.local_name() == "row") StartRow();
      return;
    }
    if (depth == kChildDepth) return StartChild(token);
    if (child_ == "mergeCells" && token.local_name() == "mergeCell") {
      parsed_.merges.push_back(XmlDecodeAttribute(tokenizer_.Attribute("ref").value_or("")));
    } else if (child_ == "hyperlinks" && token.local_name() == "hyperlink") {
      ReadHyperlink();
    } else if (child_ == "cols" && token.local_name() == "col") {
      layout_.AddColumns(tokenizer_.attributes());
    }
  }

  void EndElement(const XmlToken& token) {
    const size_t depth = tokenizer_.depth();
    if (in_cell_) {
      if (depth == kRowDepth) return EndCell();
      EndInCell(token.local_name());
    } else if (depth == 1) {
      EndChild(token);
    }
  }

  void StartChild(const XmlToken& token) {
    child_ = token.local_name();
    child_begin_ = token.begin;
    in_data_ = child_ == "sheetData";
  }

  void EndChild(const XmlToken& token) {
    in_data_ = false;
    const std::string_view name = std::exchange(child_, {});
    static constexpr std::array<std::string_view, 6> kReadHere = {
        "", "sheetData", "mergeCells", "dimension", "hyperlinks", "cols"};
    if (std::find(kReadHere.begin(), kReadHere.end(), name) != kReadHere.end()) return;
    const size_t end = token.begin == token.end ? token.begin : token.end;
    parsed_.pieces.push_back(
        {std::string(name), std::string(xml_.substr(child_begin_, end - child_begin_))});
  }

  void ReadHyperlink() {
    Hyperlink link;
    const auto read = [&](std::string_view name) {
      return XmlDecodeAttribute(tokenizer_.Attribute(name).value_or(""));
    };
    link.range = read("ref");
    link.location = read("location");
    link.display = read("display");
    link.tooltip = read("tooltip");
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      if (attribute.name.ends_with(":id")) {
        link.relationship_id = XmlDecodeAttribute(attribute.value);
      }
    }
    parsed_.hyperlinks.push_back(std::move(link));
  }

  void StartRow() {
    const std::optional<std::string_view> number = tokenizer_.Attribute("r");
    const std::optional<unsigned> row = number ? ParseUnsigned(*number) : std::nullopt;
    row_ = row && *row > 0 ? *row : row_ + 1;
    column_ = 0;
    layout_.StartRow(row_, tokenizer_.attributes());
  }

  void StartCell() {
    in_cell_ = true;
    in_phonetic_depth_ = 0;
    in_inline_ = is_rich_inline_ = false;
    inline_end_ = 0;
    has_formula_ = false;
    type_ = {};
    style_ = 0;
    metadata_.clear();
    array_range_.reset();
    value_.Clear();
    formula_.Clear();
    inline_.Clear();
    sink_ = nullptr;
    std::optional<CellAddress> address;
    bool has_address = false;
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      if (attribute.name == "r") {
        address = ParseCellAddress(attribute.value);
        has_address = true;
      } else if (attribute.name == "s") {
        style_ = ParseUnsigned(attribute.value).value_or(0);
      } else if (attribute.name == "t") {
        type_ = attribute.value;
      } else if (attribute.name == "cm" || attribute.name == "vm") {
        AppendItem(metadata_, std::string(attribute.name) + "=" + std::string(attribute.value));
      }
    }
    if (has_address && !address) {
      Diagnose("warning", "bad_address", locator_,
               "a cell's address is no address; its position counts");
    }
    cell_ = address.value_or(CellAddress{row_, column_ + 1});
    column_ = cell_.column;
    layout_.AddCell(column_, style_);
  }

  void StartInCell(std::string_view name) {
    if (in_phonetic_depth_ != 0) return;
    if (name == "v") {
      sink_ = &value_;
    } else if (name == "f") {
      sink_ = &formula_;
      ReadFormulaAttributes();
    } else if (name == "is") {
      in_inline_ = true;
      inline_begin_ = tokenizer_.token().begin;
    } else if (name == "r" && in_inline_) {
      is_rich_inline_ = true;
    } else if (name == "t" && in_inline_) {
      sink_ = &inline_;
    } else if (name == "rPh") {
      in_phonetic_depth_ = tokenizer_.depth();
      is_rich_inline_ = true;
    }
  }

  void EndInCell(std::string_view name) {
    if (in_phonetic_depth_ != 0) {
      if (tokenizer_.depth() < in_phonetic_depth_) in_phonetic_depth_ = 0;
      return;
    }
    if (name == "v" || name == "f" || name == "t") sink_ = nullptr;
    if (name == "is") inline_end_ = tokenizer_.token().end;
  }

  void ReadFormulaAttributes() {
    has_formula_ = true;
    formula_type_ = {};
    shared_index_.reset();
    table_reference_.clear();
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      if (attribute.name == "t") formula_type_ = attribute.value;
      if (attribute.name == "ref") array_range_ = ParseCellRange(attribute.value);
      if (attribute.name == "si") shared_index_ = ParseUnsigned(attribute.value);
      if (attribute.name == "r1" || attribute.name == "r2") {
        if (!table_reference_.empty()) table_reference_.push_back(',');
        table_reference_ += attribute.value;
      }
    }
  }

  void EndCell() {
    in_cell_ = false;
    sink_ = nullptr;
    const bool has_value = value_.has_text() || in_inline_;
    if (!has_value && !has_formula_) return;
    if (cell_.row == 0 || cell_.row > kSheetRowsMax || cell_.column > kSheetColumnsMax) {
      return Diagnose("warning", "bad_address", locator_, "a cell lies outside the sheet: skipped");
    }
    if (builder_.cell_count() >= context_.limits.records_max) {
      is_full_ = true;
      return Diagnose("error", "limit_exceeded", locator_,
                      "more cells than the limit records_max; the rest is left out");
    }
    if (builder_.text_bytes() > context_.text_bytes_max) {
      is_full_ = true;
      return Diagnose("error", "limit_exceeded", locator_,
                      "the cells share strings so often that their texts come to more than " +
                          std::to_string(context_.text_bytes_max) + " bytes; the cells from " +
                          FormatCellAddress(cell_) + " on are left out");
    }
    AddValue(FormatId(style_));
    if (has_formula_) AddFormula();
    AddDetail(CellDetail::kMetadata, metadata_);
  }

  uint16_t FormatId(unsigned style) {
    if (style < style_formats_.size() && style_formats_[style] != kUnknown) {
      return static_cast<uint16_t>(style_formats_[style]);
    }
    const uint16_t id =
        builder_.AddFormat(context_.styles->FormatOf(style), context_.styles->LookOf(style));
    if (style < context_.styles->formats.size()) {
      style_formats_.resize(std::max<size_t>(style_formats_.size(), style + 1), kUnknown);
      style_formats_[style] = id;
    }
    return id;
  }

  void AddValue(uint16_t format) {
    const std::string_view value = value_.text();
    if (type_ == "inlineStr" || (in_inline_ && value.empty())) {
      const TextBuffer& text = in_inline_ ? inline_ : value_;
      builder_.AddString(cell_, Intern(text.text()), format);
      if (is_rich_inline_ && inline_end_ > inline_begin_) AddInlineDetails();
      return;
    }
    if (type_ == "s") return AddSharedString(value, format);
    if (type_ == "str") return builder_.AddString(cell_, Intern(value), format);
    if (Trim(value).empty()) return builder_.AddBlank(cell_, format);
    if (type_ == "b") {
      const std::string_view flag = Trim(value);
      return builder_.AddBoolean(cell_, flag == "1" || flag == "true" || flag == "TRUE", format);
    }
    if (type_ == "e") return builder_.AddError(cell_, builder_.AddString(value), format);
    if (type_ == "d") return AddIsoDate(value, format);
    const std::optional<double> number = ParseNumber(value);
    if (number) return builder_.AddNumber(cell_, *number, format);
    Diagnose("warning", "bad_number", locator_ + "!" + FormatCellAddress(cell_),
             "a number cell holds no number; it is shown as text");
    builder_.AddString(cell_, Intern(value), format);
  }

  uint32_t Intern(std::string_view text) {
    if (text.find("_x") == std::string_view::npos) return builder_.AddString(text);
    return builder_.AddString(DecodeXstring(std::string(text)));
  }

  void AddInlineDetails() {
    const PartTree item(xml_.substr(inline_begin_, inline_end_ - inline_begin_), context_.limits);
    if (item.is_empty()) return;
    AddDetail(CellDetail::kRuns, RunLooks(item, 0));
    AddDetail(CellDetail::kPhonetic, PhoneticText(item, 0));
  }

  void AddDetail(CellDetail detail, const std::string& text) {
    if (text.empty()) return;
    // Many cells share a few.
    const auto [found, is_new] = detail_ids_.try_emplace(text, 0);
    if (is_new) found->second = builder_.AddString(text);
    builder_.AddDetail(cell_, detail, found->second);
  }

  void AddSharedString(std::string_view value, uint16_t format) {
    if (Trim(value).empty()) return builder_.AddBlank(cell_, format);
    const std::optional<unsigned> index = ParseUnsigned(Trim(value));
    const SharedStrings& strings = *context_.shared_strings;
    if (!index || *index >= strings.size()) {
      Diagnose("error", "bad_shared_string", locator_ + "!" + FormatCellAddress(cell_),
               "the cell names a shared string that does not exist");
      return builder_.AddString(cell_, builder_.AddString(""), format);
    }
    if (shared_ids_.size() < strings.size()) shared_ids_.resize(strings.size(), kUnknown);
    uint32_t& id = shared_ids_[*index];
    if (id == kUnknown) id = builder_.AddString(strings.at(*index));
    builder_.AddString(cell_, id, format);
    const SharedStrings::Rich* rich = strings.RichAt(*index);
    if (rich == nullptr) return;
    AddDetail(CellDetail::kRuns, rich->runs);
    AddDetail(CellDetail::kPhonetic, rich->phonetic);
  }

  void AddIsoDate(std::string_view value, uint16_t format) {
    const std::optional<double> serial = ParseIsoDate(Trim(value), epoch_);
    if (!serial) return builder_.AddString(cell_, builder_.AddString(value), format);
    if (builder_.IsDateFormat(format)) return builder_.AddNumber(cell_, *serial, format);
    // Its type says date, its style does not: shown as ISO 8601.
    const bool has_date = value.find('-') != std::string_view::npos;
    const bool has_time = value.find(':') != std::string_view::npos;
    const std::string_view code = !has_time  ? "yyyy-mm-dd"
                                  : has_date ? "yyyy-mm-dd hh:mm:ss"
                                             : "hh:mm:ss";
    builder_.AddNumber(cell_, *serial, builder_.AddFormat(code, context_.styles->LookOf(style_)));
  }

  struct SharedFormula {
    CellAddress cell;
    std::string text;
  };

  void AddFormula() {
    const std::string_view text = formula_.text();
    if (formula_type_ == "dataTable" || (formula_type_ == "array" && !text.empty())) {
      const uint32_t id = formula_type_ == "array"
                              ? Intern(text)
                              : builder_.AddString("TABLE(" + table_reference_ + ")");
      builder_.SetFormula(id);
      builder_.AddArray(array_range_.value_or(CellRange{cell_, cell_}), id);
      return;
    }
    if (formula_type_ != "shared" || !shared_index_) {
      if (!text.empty()) builder_.SetFormula(Intern(text));
      return;
    }
    if (!text.empty()) {
      shared_.insert_or_assign(*shared_index_, SharedFormula{cell_, std::string(text)});
      builder_.SetFormula(Intern(text));
      return;
    }
    const auto master = shared_.find(*shared_index_);
    if (master == shared_.end()) {
      Diagnose("warning", "bad_shared_formula", locator_ + "!" + FormatCellAddress(cell_),
               "the cell shares a formula that no cell before it has");
      return;
    }
    const auto shift = [](uint32_t to, uint32_t from) {
      return static_cast<int64_t>(to) - static_cast<int64_t>(from);
    };
    builder_.SetFormula(
        Intern(ShiftFormula(master->second.text, shift(cell_.row, master->second.cell.row),
                            shift(cell_.column, master->second.cell.column))));
  }

  void FinishLayout() {
    layout_.Finish();
    for (const GridLines& rows : layout_.HiddenRows()) builder_.HideRows(rows);
    for (const GridLines& columns : layout_.HiddenColumns()) builder_.HideColumns(columns);
    parsed_.rows = layout_.rows();
    parsed_.columns = layout_.columns();
    parsed_.formats = layout_.Formats();
    if (layout_.rows_left_out() > 0) {
      Diagnose("note", "limit_exceeded", locator_,
               std::to_string(layout_.rows_left_out()) +
                   " more rows have a height, outline or format of their own, without a record");
    }
  }

  void NoteLongTexts() {
    const GridSegment& cells = *parsed_.cells;
    for (size_t i = 0; i < cells.cell_count(); ++i) {
      if (cells.string(i).size() <= kIndexedCellBytesMax) continue;
      return Diagnose("note", "limit_exceeded",
                      locator_ + "!" + FormatCellAddress(cells.address(i)),
                      "search finds words in the first " + std::to_string(kIndexedCellBytesMax) +
                          " bytes of this cell's text only; search with --regex for the rest");
    }
  }

  void MeasureDimension() {
    const GridSegment& cells = *parsed_.cells;
    if (cells.cell_count() == 0) return;
    CellRange range{cells.address(0), cells.address(0)};
    for (size_t i = 0; i < cells.cell_count(); ++i) {
      range.first.column = std::min(range.first.column, cells.column(i));
      range.last.column = std::max(range.last.column, cells.column(i));
    }
    range.last.row = cells.row(cells.cell_count() - 1);
    parsed_.dimension = FormatCellRange(range);
  }

  static constexpr uint32_t kUnknown = UINT32_MAX;

  std::string_view xml_;
  XmlTokenizer tokenizer_;
  const SheetContext& context_;
  std::string locator_;
  DateEpoch epoch_;
  SheetLayout layout_;
  GridSegment::Builder builder_;
  ParsedSheet parsed_;
  std::string_view child_;
  size_t child_begin_ = 0;
  bool in_data_ = false;
  bool is_full_ = false;
  uint32_t row_ = 0;
  uint32_t column_ = 0;

  bool in_cell_ = false;
  bool in_inline_ = false;
  bool has_formula_ = false;
  size_t in_phonetic_depth_ = 0;
  CellAddress cell_;
  std::string_view type_;
  unsigned style_ = 0;
  std::string_view formula_type_;
  std::optional<unsigned> shared_index_;
  std::string table_reference_;
  std::optional<CellRange> array_range_;
  std::string metadata_;
  bool is_rich_inline_ = false;
  size_t inline_begin_ = 0;
  size_t inline_end_ = 0;
  TextBuffer value_;
  TextBuffer formula_;
  TextBuffer inline_;
  TextBuffer* sink_ = nullptr;

  std::vector<uint32_t> style_formats_;
  std::vector<uint32_t> shared_ids_;
  std::unordered_map<std::string, uint32_t> detail_ids_;
  std::unordered_map<unsigned, SharedFormula> shared_;
};

}  // namespace

ParsedSheet ParseSheet(std::string_view xml, GridSheet sheet, const ContentHash& digest,
                       const SheetContext& context) {
  return SheetParser(xml, std::move(sheet), digest, context).Parse();
}

}  // namespace staged::xlsx
