#include "formats/xlsx/sheet_scanner.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "codec/xml.h"

namespace staged::xlsx {
namespace {

std::optional<uint32_t> ReadUnsigned(std::optional<std::string_view> text) {
  uint32_t number = 0;
  if (!text) return std::nullopt;
  const auto result = std::from_chars(text->data(), text->data() + text->size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

class SheetScanner {
 public:
  SheetScanner(std::string_view xml, const std::vector<CellAddress>& targets, const Limits& limits)
      : xml_(xml), tokenizer_(xml, limits) {
    for (const CellAddress& target : targets) {
      sheet_.places[target];
      waiting_.insert(target);
    }
  }

  Result<ScannedSheet> Scan() {
    while (tokenizer_.Read()) {
      const XmlToken& token = tokenizer_.token();
      if (token.type == XmlTokenType::kStart) {
        Start(token);
      } else if (token.type == XmlTokenType::kEnd) {
        End(token);
      } else if (in_formula_ && place_ != nullptr &&
                 (token.type == XmlTokenType::kText || token.type == XmlTokenType::kCData)) {
        place_->has_formula_text = true;
      }
    }
    STAGED_RETURN_IF_ERROR(tokenizer_.status());
    sheet_.has_implicit_addresses = is_implicit_;
    return std::move(sheet_);
  }

 private:
  static constexpr size_t kDataDepth = 2;
  static constexpr size_t kRowDepth = 3;
  static constexpr size_t kCellDepth = 4;

  void Start(const XmlToken& token) {
    const size_t depth = tokenizer_.depth();
    if (depth == 1) {
      sheet_.prefix = token.name.substr(0, token.name.size() - token.local_name().size());
      return;
    }
    if (depth == kDataDepth) {
      in_data_ = token.local_name() == "sheetData";
      sheet_.has_data |= in_data_;
      if (in_data_ && token.is_empty) sheet_.empty_data_tag = ByteSpan{token.begin, token.end};
      if (token.local_name() == "dimension") ReadDimension();
      return;
    }
    if (!in_data_) return StartOutsideData(token);
    if (depth == kRowDepth && token.local_name() == "row") {
      StartRow(token);
    } else if (depth == kCellDepth && token.local_name() == "c") {
      StartCell(token);
    } else if (in_cell_ && token.local_name() == "f") {
      StartFormula(token);
    }
  }

  void ReadDimension() {
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      if (attribute.name != "ref") continue;
      const size_t end = attribute.end - 1;
      sheet_.dimension = ByteSpan{end - attribute.value.size(), end};
    }
  }

  void StartOutsideData(const XmlToken& token) {
    if (token.local_name() == "mergeCell") {
      const auto range = ParseCellRange(tokenizer_.Attribute("ref").value_or(""));
      if (range) sheet_.merges.push_back(*range);
    } else if (token.local_name() == "col") {
      const auto first = ReadUnsigned(tokenizer_.Attribute("min"));
      const auto last = ReadUnsigned(tokenizer_.Attribute("max"));
      const auto style = ReadUnsigned(tokenizer_.Attribute("style"));
      if (first && last && style) sheet_.column_styles.push_back({{*first, *last}, *style});
    }
  }

  void StartRow(const XmlToken& token) {
    const std::optional<uint32_t> number = ReadUnsigned(tokenizer_.Attribute("r"));
    row_ = number && *number > 0 ? *number : row_ + 1;
    column_ = 0;
    is_implicit_ |= !number;
    // A row that is missing is put in before the first one below it.
    while (!waiting_.empty() && waiting_.begin()->row < row_) {
      sheet_.places[*waiting_.begin()].insert_at = token.begin;
      waiting_.erase(waiting_.begin());
    }
    for (auto at = sheet_.places.lower_bound({row_, 0});
         at != sheet_.places.end() && at->first.row == row_; ++at) {
      at->second.row = ByteSpan{token.begin, token.end};
      at->second.row_is_empty_tag = token.is_empty;
      at->second.insert_at = 0;
      waiting_.erase(at->first);
    }
    const auto first = sheet_.places.lower_bound({row_, 0});
    row_has_target_ = first != sheet_.places.end() && first->first.row == row_;
  }

  void StartCell(const XmlToken& token) {
    in_cell_ = true;
    place_ = nullptr;
    std::optional<CellAddress> address;
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      if (attribute.name == "r") address = ParseCellAddress(attribute.value);
    }
    is_implicit_ |= !address;
    cell_ = address.value_or(CellAddress{row_, column_ + 1});
    column_ = cell_.column;
    cell_begin_ = token.begin;
    if (!row_has_target_) return;
    for (auto at = sheet_.places.lower_bound({row_, 0});
         at != sheet_.places.end() && at->first.row == row_ && at->first.column < cell_.column;
         ++at) {
      if (at->second.insert_at == 0) at->second.insert_at = token.begin;
    }
    const auto found = sheet_.places.find(cell_);
    if (found == sheet_.places.end()) return;
    place_ = &found->second;
    place_->attributes = token.raw;
    place_->inner = {};
    place_->formula_type = place_->formula_range = {};
    place_->shared_index.reset();
    place_->has_formula = place_->has_formula_text = false;
    inner_begin_ = token.end;
  }

  void StartFormula(const XmlToken& token) {
    sheet_.has_formulas = true;
    in_formula_ = true;
    formula_begin_ = token.begin;
    const std::string_view type = tokenizer_.Attribute("t").value_or("");
    formula_index_.reset();
    if (type == "shared") formula_index_ = ReadUnsigned(tokenizer_.Attribute("si"));
    const std::string_view range = tokenizer_.Attribute("ref").value_or("");
    if (type == "array" || type == "dataTable") {
      const auto cells = ParseCellRange(range);
      if (cells && cells->first != cells->last) sheet_.arrays.push_back(*cells);
    }
    if (place_ == nullptr) return;
    place_->has_formula = true;
    place_->formula_type = type;
    place_->formula_range = range;
    place_->shared_index = formula_index_;
  }

  void End(const XmlToken& token) {
    const size_t depth = tokenizer_.depth();
    if (in_formula_ && token.local_name() == "f") {
      in_formula_ = false;
      if (formula_index_) {
        const size_t end = std::max(token.end, token.begin);
        sheet_.shared[*formula_index_].push_back({cell_, ByteSpan{formula_begin_, end}});
      }
    } else if (depth == kRowDepth && in_cell_) {
      in_cell_ = false;
      if (place_ != nullptr) {
        place_->cell = ByteSpan{cell_begin_, token.end};
        if (token.begin != token.end) {
          place_->inner = xml_.substr(inner_begin_, token.begin - inner_begin_);
        }
        place_ = nullptr;
      }
    } else if (depth == kDataDepth && in_data_) {
      EndRow(token);
    } else if (depth == 1 && in_data_) {
      in_data_ = false;
      for (const CellAddress& address : waiting_) sheet_.places[address].insert_at = token.begin;
    }
  }

  void EndRow(const XmlToken& token) {
    if (!row_has_target_) return;
    for (auto at = sheet_.places.lower_bound({row_, 0});
         at != sheet_.places.end() && at->first.row == row_; ++at) {
      if (at->second.insert_at == 0) at->second.insert_at = token.begin;
    }
  }

  std::string_view xml_;
  XmlTokenizer tokenizer_;
  ScannedSheet sheet_;
  std::set<CellAddress> waiting_;  // targets whose row has not been met
  bool is_implicit_ = false;
  bool in_data_ = false;
  bool in_cell_ = false;
  bool in_formula_ = false;
  bool row_has_target_ = false;
  uint32_t row_ = 0;
  uint32_t column_ = 0;
  CellAddress cell_;
  size_t cell_begin_ = 0;
  size_t inner_begin_ = 0;
  size_t formula_begin_ = 0;
  std::optional<uint32_t> formula_index_;
  CellPlace* place_ = nullptr;
};

}  // namespace

Result<ScannedSheet> ScanSheet(std::string_view xml, const std::vector<CellAddress>& targets,
                               const Limits& limits) {
  return SheetScanner(xml, targets, limits).Scan();
}

}  // namespace staged::xlsx
