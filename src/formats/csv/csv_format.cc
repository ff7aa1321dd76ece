#include "formats/csv/csv_format.h"

#include <algorithm>

#include "codec/delimited.h"
#include "format/text_file_format.h"
#include "formats/csv/csv_editor.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "csv";
  descriptor.parser = {"csv", "1"};
  descriptor.extensions = {"csv", "tsv", "tab", "psv"};
  descriptor.edit_ops = {"set",    "append",       "insert_before", "insert_after",
                         "delete", "replace_text", "replace"};
  descriptor.profile.line_based_merge = true;
  KindRule file = TextFileKindRule();
  file.facets.push_back({"dialect", ChangeClass::kSerialization, {"delimiter", "quote"}});
  descriptor.profile.kinds = {
      file,
      {"row",
       Matching::kOrdered,
       {{"position", ChangeClass::kStructure, {"header"}}},
       "",
       "",
       "delete"},
      {"cell",
       Matching::kKeyed,
       {{"value", ChangeClass::kContent, {"text"}}},
       "set",
       "set",
       "",
       "",
       {{"value", "text"}}},
  };
  return descriptor;
}

// Rows that are wider or narrower than the header, and quoting that no writer makes.
std::vector<Diagnostic> TableDiagnostics(const DelimitedParse& parse) {
  std::vector<Diagnostic> diagnostics;
  for (const DelimitedIssue& issue : parse.issues) {
    diagnostics.push_back({"warning", std::string(issue.code), "r:" + std::to_string(issue.row + 1),
                           issue.code == "stray_quote"
                               ? "text stands behind a closing quote; it is kept"
                               : "a quote is never closed; the rest of the file is one cell"});
  }
  const DelimitedTable& table = parse.table;
  constexpr size_t kNamedMax = 20;
  size_t ragged = 0;
  for (size_t row = 1; row < table.row_count(); ++row) {
    if (table.width(row) == 0 || table.width(row) == table.width(0)) continue;
    if (++ragged > kNamedMax) continue;
    diagnostics.push_back({"note", "ragged_row", "r:" + std::to_string(row + 1),
                           "the row has " + std::to_string(table.width(row)) +
                               " cells, the header " + std::to_string(table.width(0))});
  }
  if (ragged > kNamedMax) {
    diagnostics.push_back(
        {"note", "ragged_row", "", std::to_string(ragged - kNamedMax) + " more rows are ragged"});
  }
  return diagnostics;
}

class CsvFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  // Any text is some table, so that only the name tells.
  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    return NamedTextScore(descriptor_, bytes, extension);
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    const std::string_view text = decoded.text();
    DelimitedSegment::Options options;
    options.dialect = DetectDialect(text);
    DelimitedParse parse = ParseDelimited(text, options.dialect);
    if (parse.table.cells.size() + parse.table.row_count() > limits.records_max) {
      return Status(ErrorCode::kLimitExceeded, "the table has more cells than the limit of " +
                                                   std::to_string(limits.records_max));
    }
    std::vector<Diagnostic> diagnostics = TableDiagnostics(parse);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) {
      options.key_column = InferKeyColumn(text, parse.table, options.dialect);
      options.span_offset = decoded.mark_size_bytes();
      options.has_spans = decoded.keeps_offsets();
      options.is_valid_utf8 = decoded.encoding() != TextEncoding::kUnknown8Bit;
      Record file = TextFileRecord(decoded, LineIndex(text));
      file.attrs.Set("delimiter", std::string(1, options.dialect.delimiter));
      file.attrs.Set("quote", std::string(1, options.dialect.quote));
      file.attrs.Set("rows", parse.table.row_count());
      segment =
          std::make_shared<DelimitedSegment>("", digest, std::vector<Record>{file},
                                             std::string(text), std::move(parse.table), options);
    }
    ParsedContent content =
        WholeFileContent(bytes, decoded, std::move(segment), {"file", "row", "cell"});
    std::move(diagnostics.begin(), diagnostics.end(), std::back_inserter(content.diagnostics));
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    CsvEditor editor(bytes);
    return PlanAndFinish(editor, edits);
  }

 private:
  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewCsvFormat() { return std::make_unique<CsvFormat>(); }

}  // namespace staged
