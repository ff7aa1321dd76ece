#include "formats/markdown/markdown_format.h"

#include <algorithm>

#include "format/text_file_format.h"
#include "formats/markdown/blocks.h"
#include "formats/markdown/table_cost.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "markdown";
  descriptor.parser = {"markdown", "3"};
  descriptor.extensions = {"md", "markdown", "mdown", "mkd"};
  descriptor.edit_ops = TextEditOps();
  descriptor.edit_ops.push_back("set");
  descriptor.profile.line_based_merge = true;
  const FacetRule text{"text", ChangeClass::kContent, {"text"}};
  descriptor.profile.kinds = {
      TextFileKindRule(),
      {"heading", Matching::kOrdered, {text, {"level", ChangeClass::kStructure, {"level"}}}},
      {"list_item",
       Matching::kOrdered,
       {text,
        {"checked", ChangeClass::kContent, {"checked"}},
        {"marker", ChangeClass::kFormat, {"ordered"}}}},
      {"code_block",
       Matching::kOrdered,
       {text, {"language", ChangeClass::kFormat, {"language", "info"}}}},
      {"table_row", Matching::kOrdered, {{"header", ChangeClass::kStructure, {"header"}}}},
      {"footnote", Matching::kOrdered, {{"label", ChangeClass::kContent, {"label"}}}},
  };
  for (const char* kind : {"paragraph", "html_block", "thematic_break", "definition", "quote",
                           "front_matter", "table", "table_cell"}) {
    descriptor.profile.kinds.push_back({kind, Matching::kOrdered, {text}});
  }
  return descriptor;
}

// Plans edits by block; lines as in every text format.
class MarkdownEditor {
 public:
  explicit MarkdownEditor(std::string_view bytes) : editor_(bytes) {}

  [[nodiscard]] Status Plan(const Edit& edit) {
    if (TextEditor::Handles(edit)) return editor_.Plan(edit);
    if (!has_records_) records_ = MarkdownRecords(editor_.text());
    has_records_ = true;
    const auto found = std::find_if(records_.begin(), records_.end(), [&](const Record& record) {
      return record.locator == edit.locator;
    });
    if (found == records_.end()) {
      return Status(ErrorCode::kNoMatch, "there is no '" + edit.locator +
                                             "'; parse the file for its blocks, or name lines "
                                             "such as line:3");
    }
    return found->kind == "table_cell" ? PlanCell(edit, *found) : PlanBlock(edit, *found);
  }

  [[nodiscard]] Result<std::string> Finish() const { return editor_.Finish(); }

 private:
  [[nodiscard]] Status PlanCell(const Edit& edit, const Record& cell) {
    STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, cell.text));
    if (edit.op == "replace_text") return editor_.ReplaceText(edit, *cell.span);
    if (edit.op != "replace" && edit.op != "set") {
      return Status(ErrorCode::kUnsupportedEdit, "a table's cell cannot be edited with '" +
                                                     edit.op + "'; use replace or replace_text");
    }
    STAGED_ASSIGN_OR_RETURN(const std::string text,
                            TextArgument(edit, edit.op == "set" ? "value" : "text"));
    std::string escaped;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n' || text[i] == '\r') {
        return Status(ErrorCode::kInvalidArgument, "a table's cell is one line; write <br>");
      }
      if (text[i] == '|' && (i == 0 || text[i - 1] != '\\')) escaped.push_back('\\');
      escaped.push_back(text[i]);
    }
    return editor_.Replace(*cell.span, std::move(escaped));
  }

  [[nodiscard]] Status PlanBlock(const Edit& edit, const Record& block) {
    const std::string_view source =
        editor_.text().substr(block.span->begin, block.span->end - block.span->begin);
    if (!CheckExpectedText(edit, block.text).ok()) {
      STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, source));
    }
    if (edit.op == "replace_text") return editor_.ReplaceText(edit, *block.span);
    const size_t first = editor_.lines().LineOf(block.span->begin);
    const size_t last = editor_.lines().LineOf(
        block.span->end > block.span->begin ? block.span->end - 1 : block.span->begin);
    if (edit.op == "delete") return DeleteBlock(block, first, last);
    if (edit.op != "replace" && edit.op != "insert_before" && edit.op != "insert_after") {
      return Status(ErrorCode::kUnsupportedEdit,
                    "a block cannot be edited with '" + edit.op +
                        "'; use replace, replace_text, insert_before, insert_after or delete");
    }
    STAGED_ASSIGN_OR_RETURN(std::string text, TextArgument(edit, "text"));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    // Blocks stand apart by a blank line; items of a list and rows of a table do not.
    const bool is_tight = block.kind == "list_item" || block.kind == "table_row";
    if (edit.op == "insert_before") {
      return editor_.InsertBefore(first, is_tight ? text : text + "\n\n");
    }
    if (edit.op == "insert_after") {
      return editor_.InsertAfter(last, is_tight ? text : "\n" + text);
    }
    return editor_.Replace(*block.span, WithNewlines(text, editor_.lines().dominant()));
  }

  [[nodiscard]] Status DeleteBlock(const Record& block, size_t first, size_t last) {
    const LineIndex& lines = editor_.lines();
    const auto is_blank = [&](size_t line) {
      return lines.Text(editor_.text(), line).find_first_not_of(" \t") == std::string_view::npos;
    };
    const bool is_nested = block.kind == "list_item" || block.kind == "table_row";
    if (!is_nested && (first == 0 || is_blank(first - 1))) {
      while (last + 1 < lines.count() && is_blank(last + 1)) ++last;
    }
    editor_.DeleteLines({first, last});
    return OkStatus();
  }

  TextEditor editor_;
  std::vector<Record> records_;
  bool has_records_ = false;
};

class MarkdownFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    return NamedTextScore(descriptor_, bytes, extension);
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckMarkdownSize(bytes, limits));
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) {
      std::vector<Record> records = MarkdownRecords(decoded.text());
      for (Record& record : records) {
        if (!decoded.keeps_offsets()) record.span.reset();
        if (!record.span) continue;
        record.span->begin += decoded.mark_size_bytes();
        record.span->end += decoded.mark_size_bytes();
      }
      records.insert(records.begin(), TextFileRecord(decoded, LineIndex(decoded.text())));
      segment = std::make_shared<RecordListSegment>("", digest, std::move(records));
    }
    std::vector<std::string> kinds;
    for (const KindRule& rule : descriptor_.profile.kinds) kinds.push_back(rule.kind);
    ParsedContent content = WholeFileContent(bytes, decoded, std::move(segment), std::move(kinds));
    if (CostsTooMuchForTables(decoded.text())) {
      content.diagnostics.push_back({"warning", "limit_exceeded", "",
                                     "tables are shown as paragraphs: they have too many columns "
                                     "for their parser, or rows that "
                                     "lack too many cells; narrow them"});
    }
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckMarkdownSize(bytes, limits));
    MarkdownEditor editor(bytes);
    return PlanAndFinish(editor, edits);
  }

 private:
  [[nodiscard]] static Status CheckMarkdownSize(std::string_view bytes, const Limits& limits) {
    constexpr size_t kMarkdownBytesMax = 64 << 20;
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    if (bytes.size() <= kMarkdownBytesMax) return OkStatus();
    return Status(ErrorCode::kLimitExceeded, "Markdown of more than 64 MiB is not read by blocks");
  }

  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewMarkdownFormat() { return std::make_unique<MarkdownFormat>(); }

}  // namespace staged
