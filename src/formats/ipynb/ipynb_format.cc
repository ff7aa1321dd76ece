#include "formats/ipynb/ipynb_format.h"

#include <algorithm>

#include "base/utf8.h"
#include "codec/json.h"
#include "format/text_file_format.h"
#include "formats/ipynb/cell_digest.h"
#include "formats/ipynb/notebook.h"
#include "formats/ipynb/notebook_editor.h"
#include "formats/ipynb/notebook_records.h"
#include "record/segments.h"

namespace staged {
namespace {

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kDerived = ChangeClass::kDerived;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kSerialization = ChangeClass::kSerialization;
constexpr ChangeClass kStructure = ChangeClass::kStructure;

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "ipynb";
  descriptor.parser = {"ipynb", "2"};
  descriptor.extensions = {"ipynb"};
  descriptor.edit_ops = {"set",    "replace", "replace_text", "insert_before", "insert_after",
                         "append", "delete",  "move",         "clear_outputs", "set_metadata"};
  descriptor.profile.line_based_merge = true;
  const FacetRule text{"text", kContent, {"text"}};
  const FacetRule count{"execution_count", kDerived, {"execution_count"}};
  const FacetRule data{"data", kContent, {"text", "mime_types", "digests", "digest", "size_bytes"}};
  const FacetRule value{"value", kContent, {"text", "type"}};
  const std::vector<MergeArgument> arguments = {{"json", "", "type", "object", "{}"},
                                                {"json", "", "type", "array", "[]"},
                                                {"value", "text", "type", "string"},
                                                {"json", "text"}};
  KindRule cell{"cell",
                Matching::kOrdered,
                {{"source", kContent, {"text"}},
                 {"type", kStructure, {"type", "language", "level"}},
                 count,
                 {"collapsed", kFormat, {"collapsed"}},
                 {"identity", kSerialization, {"id"}},
                 {"form", kSerialization, {"source_form"}}}};
  cell.merge_set_op = "set";
  cell.merge_delete_op = "delete";
  cell.merge_arguments = {{"text", "text"}};
  KindRule output{"output",
                  Matching::kOrdered,
                  {{"output", kContent, {"text", "type", "name", "ename", "evalue", "mime_types"}},
                   count,
                   {"fields", kFormat, {"fields"}}}};
  output.merge_delete_op = "delete";
  descriptor.profile.kinds = {
      TextFileKindRule(),
      cell,
      output,
      {"output_data", Matching::kKeyed, {data}},
      {"attachment", Matching::kKeyed, {data}, "", "", "delete"},
      {"metadata", Matching::kKeyed, {value}, "set", "set", "delete", "", arguments},
      {"field", Matching::kKeyed, {value}},
      {"unparsed", Matching::kOrdered, {text}},
  };
  return descriptor;
}

bool BeginsWithObject(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

// Without the name: an object whose first or last bytes tell of cells and of the notebook's format.
bool LooksLikeNotebook(std::string_view bytes) {
  constexpr size_t kLookedAtBytes = 4096;
  const std::string_view head = bytes.substr(0, kLookedAtBytes);
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), kLookedAtBytes));
  const auto has = [&](std::string_view name) {
    return head.find(name) != std::string_view::npos || tail.find(name) != std::string_view::npos;
  };
  return BeginsWithObject(bytes) && has("\"nbformat\"") &&
         (has("\"cells\"") || has("\"worksheets\""));
}

class IpynbFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    if (extension == "ipynb") {
      if (LooksLikeText(bytes)) return 80;
      return BeginsWithObject(bytes) ? 50 : 0;
    }
    if (!extension.empty() && extension != "txt") return 0;
    return LooksLikeNotebook(bytes) && LooksLikeText(bytes) ? 60 : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    const DecodedText decoded(bytes);
    const std::string_view text = decoded.text();
    const JsonTree tree = ParseJson(text, JsonSyntax::kDocument, limits);
    const Notebook notebook = ReadNotebook(text, tree);
    if (notebook.cells.size() >= limits.parts_max) {
      return Status(ErrorCode::kLimitExceeded, "the notebook has more cells than the limit of " +
                                                   std::to_string(limits.parts_max));
    }
    ParsedContent content;
    AddNotebook(decoded, tree, notebook, reuse, content);
    for (const NotebookCell& cell : notebook.cells) {
      AddCell(decoded, tree, cell, notebook.JoinsLines(), reuse, content);
    }
    content.diagnostics = EncodingDiagnostics(decoded);
    Diagnose(text, tree, content.diagnostics);
    content.diagnostics.insert(content.diagnostics.end(), notebook.diagnostics.begin(),
                               notebook.diagnostics.end());
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    NotebookEditor editor(bytes, limits);
    return PlanAndFinish(editor, edits);
  }

 private:
  // The part "": all bytes outside the cells.
  static void AddNotebook(const DecodedText& decoded, const JsonTree& tree,
                          const Notebook& notebook, const SegmentSource& reuse,
                          ParsedContent& content) {
    const std::string_view text = decoded.text();
    ContentHasher hasher;
    uint64_t size_bytes = 0;
    uint64_t position = 0;
    const auto take = [&](uint64_t end) {
      hasher.Update(text.substr(position, end - position));
      size_bytes += end - position;
    };
    for (const NotebookCell& cell : notebook.cells) {
      take(tree.nodes[cell.node].begin);
      position = tree.nodes[cell.node].end;
    }
    take(text.size());
    const ContentHash outside = hasher.Finish();
    // Offsets behind the cells depend on the cells' sizes.
    hasher.Update(outside.raw());
    hasher.Update(std::to_string(text.size()) + (decoded.keeps_offsets() ? "" : " converted"));
    hasher.Update(decoded.has_byte_order_mark() ? " marked" : "");
    const ContentHash digest = hasher.Finish();
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) {
      std::vector<Record> records =
          NotebookRecords(text, tree, notebook, decoded.mark_size_bytes(), decoded.keeps_offsets());
      records.insert(records.begin(), TextFileRecord(decoded, LineIndex(text)));
      if (!tree.is_complete() && tree.parsed_end < text.size()) {
        records.push_back(Unparsed(decoded, tree.parsed_end));
      }
      segment = std::make_shared<RecordListSegment>("", digest, std::move(records));
    }
    content.segments.push_back(std::move(segment));
    content.parts.push_back({"", outside, size_bytes, {"file", "metadata", "field", "unparsed"}});
  }

  static void AddCell(const DecodedText& decoded, const JsonTree& tree, const NotebookCell& cell,
                      bool joins_lines, const SegmentSource& reuse, ParsedContent& content) {
    const std::string_view source = NodeSource(decoded.text(), tree.nodes[cell.node]);
    const bool is_valid_utf8 = decoded.encoding() != TextEncoding::kUnknown8Bit;
    const CellDigest cell_digest = DigestCell(decoded.text(), tree, cell.node, is_valid_utf8);
    ContentHash digest = cell_digest.digest;
    // What else the records depend on: whether they have spans, and how lines are listed.
    const bool is_usual = decoded.keeps_offsets() && !joins_lines;
    if (!is_usual) {
      digest = ContentHash::Of(digest.ToHex() + (decoded.keeps_offsets() ? "" : " converted") +
                               (joins_lines ? " joined" : ""));
    }
    std::shared_ptr<const Segment> segment = reuse ? reuse(cell.locator, digest) : nullptr;
    if (segment == nullptr) {
      segment =
          std::make_shared<RecordListSegment>(cell.locator, digest,
                                              CellRecords(decoded.text(), tree, cell, cell_digest,
                                                          decoded.keeps_offsets(), joins_lines));
    }
    content.segments.push_back(std::move(segment));
    content.parts.push_back({cell.locator,
                             digest,
                             source.size(),
                             {"cell", "metadata", "attachment", "output", "output_data", "field"}});
  }

  static Record Unparsed(const DecodedText& decoded, uint64_t begin) {
    const uint64_t offset = decoded.mark_size_bytes();
    const uint64_t end = decoded.text().size();
    Record record;
    record.kind = "unparsed";
    record.locator = "bytes:" + std::to_string(begin + offset) + "-" + std::to_string(end + offset);
    record.text = ReplaceInvalidUtf8(decoded.text().substr(begin));
    if (decoded.keeps_offsets()) record.span = ByteSpan{begin + offset, end + offset};
    return record;
  }

  static void Diagnose(std::string_view text, const JsonTree& tree,
                       std::vector<Diagnostic>& diagnostics) {
    if (tree.issues.empty()) return;
    const LineIndex lines(text);
    for (const JsonIssue& issue : tree.issues) {
      diagnostics.push_back(
          {issue.is_fatal ? "error" : "warning", std::string(issue.code),
           lines.count() == 0 ? std::string() : LineLocator(lines.LineOf(issue.offset)),
           issue.message});
    }
    if (tree.issues_left_out > 0) {
      diagnostics.push_back({"note", "limit_exceeded", "",
                             std::to_string(tree.issues_left_out) + " more issues were left out"});
    }
  }

  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewIpynbFormat() { return std::make_unique<IpynbFormat>(); }

}  // namespace staged
