#include "formats/csv/csv_editor.h"

#include <algorithm>
#include <charconv>

namespace staged {
namespace {

Result<std::string> ContentOf(const Value& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_null()) return std::string();
  if (value.is_bool()) return std::string(value.as_bool() ? "true" : "false");
  if (value.is_integer()) return std::to_string(value.as_integer());
  if (value.is_double()) {
    char buffer[40];
    const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value.as_double());
    return std::string(buffer, result.ptr);
  }
  return Status(ErrorCode::kInvalidArgument, "a cell takes a string, a number, a boolean or null");
}

Status CheckExpectedContent(const Edit& edit, std::string_view actual) {
  if (!edit.expect) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const std::string expected, ContentOf(*edit.expect));
  Edit as_text = edit;
  as_text.expect = expected;
  return CheckExpectedText(as_text, actual);
}

}  // namespace

CsvEditor::CsvEditor(std::string_view bytes)
    : editor_(bytes),
      text_(editor_.text()),
      dialect_(DetectDialect(text_)),
      table_(ParseDelimited(text_, dialect_).table),
      names_(text_, table_, dialect_) {
  constexpr size_t kSampleMax = 200;
  const size_t sample = std::min(table_.cells.size(), kSampleMax);
  quotes_all_ = sample > 0 && std::all_of(table_.cells.begin(), table_.cells.begin() + sample,
                                          [&](DelimitedTable::Cell cell) {
                                            return cell.end > cell.begin &&
                                                   text_[cell.begin] == dialect_.quote;
                                          });
}

Status CsvEditor::Plan(const Edit& edit) {
  const bool is_row = edit.arguments.Find("values") != nullptr;
  if (TextEditor::Handles(edit) && !is_row) {
    has_text_edits_ = true;
    return editor_.Plan(edit);
  }
  has_table_edits_ = true;
  if (edit.op == "append" && edit.locator.empty()) return PlanAppend(edit);
  STAGED_ASSIGN_OR_RETURN(const Place place, Resolve(edit.locator));
  if (place.column) return PlanCell(edit, place.row, *place.column);
  return PlanRow(edit, place.row);
}

Result<size_t> CsvEditor::ResolveRow(std::string_view locator) const {
  if (locator.starts_with("r:")) {
    size_t row = 0;
    const char* const end = locator.data() + locator.size();
    const auto [parsed, error] = std::from_chars(locator.data() + 2, end, row);
    if (error == std::errc() && parsed == end && row > 0) {
      if (row <= table_.row_count()) return row - 1;
      return Status(ErrorCode::kNoMatch,
                    "there is no row " + std::to_string(row) + ": the table has " +
                        std::to_string(table_.row_count()) + " with the header");
    }
  }
  const size_t equals = locator.find('=');
  if (equals == std::string_view::npos) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + std::string(locator) +
                      "' is no locator in a table; write r:17/c:price, r:17, id=42/c:price or "
                      "line:3 (the header is row 1)");
  }
  STAGED_ASSIGN_OR_RETURN(const size_t column, ResolveColumn(locator.substr(0, equals)));
  const std::string_view wanted = locator.substr(equals + 1);
  std::optional<size_t> found;
  for (size_t row = 1; row < table_.row_count(); ++row) {
    if (column >= table_.width(row) || CellText(row, column) != wanted) continue;
    if (found) {
      return Status(ErrorCode::kAmbiguous,
                    "several rows have " + std::string(locator) +
                        "; name the row by its number, such as r:" + std::to_string(row + 1));
    }
    found = row;
  }
  if (found) return *found;
  return Status(ErrorCode::kNoMatch, "no row has " + std::string(locator));
}

Result<size_t> CsvEditor::ResolveColumn(std::string_view name) const {
  for (size_t column = 0; column < names_.count(); ++column) {
    if (names_.Name(column) == name) return column;
  }
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  constexpr size_t kColumnsMax = 1 << 20;
  if (error == std::errc() && end == name.data() + name.size() && number > 0 &&
      number <= kColumnsMax) {
    return number - 1;
  }
  std::string known;
  constexpr size_t kShownMax = 12;
  for (size_t column = 0; column < std::min(names_.count(), kShownMax); ++column) {
    known += (column > 0 ? ", " : "") + names_.Name(column);
  }
  return Status(ErrorCode::kNoMatch,
                "there is no column '" + std::string(name) + "'; the columns are " + known);
}

Result<CsvEditor::Place> CsvEditor::Resolve(std::string_view locator) const {
  // A name may contain the separator itself, so that a split that works is looked for.
  std::optional<Status> first_error;
  constexpr std::string_view kSeparator = "/c:";
  for (size_t at = locator.find(kSeparator); at != std::string_view::npos;
       at = locator.find(kSeparator, at + 1)) {
    Result<size_t> row = ResolveRow(locator.substr(0, at));
    Result<size_t> column = ResolveColumn(locator.substr(at + kSeparator.size()));
    if (row.ok() && column.ok()) return Place{*row, *column};
    if (!first_error) first_error = row.ok() ? column.status() : row.status();
  }
  Result<size_t> row = ResolveRow(locator);
  if (row.ok()) return Place{*row, std::nullopt};
  return first_error ? *first_error : row.status();
}

std::string CsvEditor::CellText(size_t row, size_t column) const {
  const DelimitedTable::Cell cell = table_.at(row, column);
  std::string content;
  AppendCellText(content, text_.substr(cell.begin, cell.end - cell.begin), dialect_.quote);
  return content;
}

std::string CsvEditor::RowText(size_t row) const {
  return std::string(
      text_.substr(table_.row_begins[row], table_.row_begins[row + 1] - table_.row_begins[row]));
}

Status CsvEditor::PlanCell(const Edit& edit, size_t row, size_t column) {
  const bool exists = column < table_.width(row);
  const std::string old = exists ? CellText(row, column) : "";
  STAGED_RETURN_IF_ERROR(CheckExpectedContent(edit, old));
  std::string content;
  if (edit.op == "delete") {
    content = "";
  } else if (edit.op == "set") {
    const Value* value = edit.arguments.Find("value");
    if (value == nullptr) value = edit.arguments.Find("text");
    if (value == nullptr) {
      return Status(ErrorCode::kInvalidArgument,
                    "the edit 'set' at '" + edit.locator + "' needs a \"value\"");
    }
    STAGED_ASSIGN_OR_RETURN(content, ContentOf(*value));
    // A number as it was written: a cell that shall say 1.0 does not say 1.
    const Value* digits = edit.arguments.Find("json");
    if (value->is_number() && digits != nullptr && digits->is_string()) {
      content = digits->as_string();
    }
  } else if (edit.op == "replace_text" && exists) {
    const DelimitedTable::Cell cell = table_.at(row, column);
    const bool is_plain = text_.substr(cell.begin, cell.end - cell.begin) == old;
    const Result<std::string> replace = TextArgument(edit, "replace");
    std::string rendered;
    if (replace.ok()) AppendDelimitedCell(rendered, *replace, dialect_, false);
    if (is_plain && replace.ok() && rendered == *replace) {
      return editor_.ReplaceText(edit, {cell.begin, cell.end});
    }
    TextEditor inner(old);
    STAGED_RETURN_IF_ERROR(inner.ReplaceText(edit, {0, old.size()}));
    STAGED_ASSIGN_OR_RETURN(content, inner.Finish());
  } else {
    return Status(ErrorCode::kUnsupportedEdit, "a cell cannot be edited with '" + edit.op +
                                                   "'; use set, replace_text or delete");
  }
  set_cells_[{row, column}] = content;
  if (!exists) {
    added_cells_[row][column] = std::move(content);
    return OkStatus();
  }
  const DelimitedTable::Cell cell = table_.at(row, column);
  const bool was_quoted = cell.end > cell.begin && text_[cell.begin] == dialect_.quote;
  // A row of one empty cell would be a blank line.
  const bool would_vanish = content.empty() && table_.width(row) == 1;
  std::string rendered;
  AppendDelimitedCell(rendered, content, dialect_, was_quoted || would_vanish);
  return editor_.Replace({cell.begin, cell.end}, std::move(rendered));
}

Status CsvEditor::PlanRow(const Edit& edit, size_t row) {
  STAGED_RETURN_IF_ERROR(CheckExpectedContent(edit, RowText(row)));
  const ByteSpan span{table_.row_begins[row], table_.row_begins[row + 1]};
  const std::string newline(NewlineBytes(editor_.lines().dominant()));
  if (edit.op == "delete") {
    --row_count_change_;
    editor_.DeleteWhole(span);
    return OkStatus();
  }
  if (edit.op != "set" && edit.op != "insert_before" && edit.op != "insert_after") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a row cannot be edited with '" + edit.op +
                      "'; use set, insert_before, insert_after or delete");
  }
  STAGED_ASSIGN_OR_RETURN(const std::vector<std::string> values, RowValues(edit));
  const std::string rendered = RenderRow(values);
  if (edit.op == "set") {
    std::string_view old = text_.substr(span.begin, span.end - span.begin);
    size_t newline_size = 0;
    const bool is_last = row + 1 == table_.row_count();
    // A final cell in quotes may end in a newline of its own.
    const size_t cells_end =
        table_.width(row) == 0 ? span.begin : table_.at(row, table_.width(row) - 1).end;
    newline_size = old.size() - (cells_end - span.begin);
    if (is_last && newline_size == 0) return editor_.Replace(span, rendered);
    return editor_.Replace({span.begin, span.end - newline_size}, rendered);
  }
  ++row_count_change_;
  if (edit.op == "insert_before")
    return editor_.Replace({span.begin, span.begin}, rendered + newline);
  if (row + 1 < table_.row_count())
    return editor_.Replace({span.end, span.end}, rendered + newline);
  --row_count_change_;
  return PlanAppend(edit);
}

Status CsvEditor::PlanAppend(const Edit& edit) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<std::string> values, RowValues(edit));
  const std::string newline(NewlineBytes(editor_.lines().dominant()));
  const bool ends_open = !text_.empty() && !editor_.lines().has_final_newline();
  const std::string rendered = RenderRow(values);
  ++row_count_change_;
  return editor_.Replace({text_.size(), text_.size()},
                         ends_open ? newline + rendered : rendered + newline);
}

Result<std::vector<std::string>> CsvEditor::RowValues(const Edit& edit) const {
  const Value* values = edit.arguments.Find("values");
  std::vector<std::string> contents;
  if (values != nullptr && values->is_array()) {
    for (const Value& value : values->as_array()) {
      STAGED_ASSIGN_OR_RETURN(std::string content, ContentOf(value));
      contents.push_back(std::move(content));
    }
  } else if (values != nullptr && values->is_object()) {
    contents.resize(names_.count());
    for (const auto& [name, value] : values->as_object()) {
      STAGED_ASSIGN_OR_RETURN(const size_t column, ResolveColumn(name));
      if (column >= contents.size()) contents.resize(column + 1);
      STAGED_ASSIGN_OR_RETURN(contents[column], ContentOf(value));
    }
  }
  if (contents.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "a row needs \"values\": a list in the order of the columns, or an object by "
                  "column name");
  }
  return contents;
}

std::string CsvEditor::RenderRow(const std::vector<std::string>& values) const {
  std::string row;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) row.push_back(dialect_.delimiter);
    const bool would_vanish = values.size() == 1 && values[0].empty();
    AppendDelimitedCell(row, values[i], dialect_, quotes_all_ || would_vanish);
  }
  return row;
}

Status CsvEditor::ExtendRows() {
  for (const auto& [row, cells] : added_cells_) {
    const size_t width = table_.width(row);
    const uint64_t at = width == 0 ? table_.row_begins[row] : table_.at(row, width - 1).end;
    std::string added;
    for (size_t column = width; column <= cells.rbegin()->first; ++column) {
      if (column > 0) added.push_back(dialect_.delimiter);
      const auto found = cells.find(column);
      if (found != cells.end()) AppendDelimitedCell(added, found->second, dialect_, quotes_all_);
    }
    STAGED_RETURN_IF_ERROR(editor_.Replace({at, at}, std::move(added)));
  }
  return OkStatus();
}

Result<std::string> CsvEditor::Finish() {
  STAGED_RETURN_IF_ERROR(ExtendRows());
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (has_table_edits_ && !has_text_edits_) STAGED_RETURN_IF_ERROR(CheckResult(bytes));
  return bytes;
}

Status CsvEditor::CheckResult(std::string_view bytes) const {
  const auto refuse = [](const std::string& why) {
    return Status(ErrorCode::kUnsupportedEdit, "the edits would change how the table reads (" +
                                                   why +
                                                   "); edit its lines or write the whole file");
  };
  const DecodedText decoded(bytes);
  const DelimitedDialect dialect = DetectDialect(decoded.text());
  const bool is_one_column = table_.cells.size() == table_.row_count();
  if (!is_one_column && dialect != dialect_) return refuse("another delimiter");
  const DelimitedTable after = ParseDelimited(decoded.text(), dialect_).table;
  const int64_t expected = static_cast<int64_t>(table_.row_count()) + row_count_change_;
  if (static_cast<int64_t>(after.row_count()) != expected) return refuse("another number of rows");
  if (row_count_change_ != 0) return OkStatus();
  for (const auto& [place, content] : set_cells_) {
    const auto [row, column] = place;
    std::string found;
    if (column < after.width(row)) {
      const DelimitedTable::Cell cell = after.at(row, column);
      AppendCellText(found, decoded.text().substr(cell.begin, cell.end - cell.begin),
                     dialect_.quote);
    }
    if (found != content) return refuse("a cell");
  }
  return OkStatus();
}

}  // namespace staged
