#include "formats/json/json_format.h"

#include <algorithm>

#include "codec/json.h"
#include "format/text_file_format.h"
#include "formats/json/json_editor.h"
#include "formats/json/json_records.h"

namespace staged {
namespace {

FormatDescriptor Describe(JsonSyntax syntax) {
  FormatDescriptor descriptor;
  const bool is_lines = syntax == JsonSyntax::kLines;
  descriptor.name = is_lines ? "jsonl" : "json";
  descriptor.parser = {descriptor.name, "1"};
  descriptor.extensions = is_lines
                              ? std::vector<std::string>{"jsonl", "ndjson"}
                              : std::vector<std::string>{"json", "jsonc", "geojson", "webmanifest"};
  descriptor.edit_ops = {"set",    "append", "insert_before", "insert_after",
                         "delete", "rename", "replace",       "replace_text"};
  descriptor.profile.line_based_merge = true;
  KindRule file = TextFileKindRule();
  file.facets.push_back({"value", ChangeClass::kContent, {"root"}});
  const FacetRule value{"value", ChangeClass::kContent, {"text", "type"}};
  const FacetRule text{"text", ChangeClass::kContent, {"text"}};
  const std::vector<MergeArgument> arguments = {{"json", "", "type", "object", "{}"},
                                                {"json", "", "type", "array", "[]"},
                                                {"value", "text", "type", "string"},
                                                {"json", "text"}};
  descriptor.profile.kinds = {
      file,
      {"value", Matching::kKeyed, {value}, "set", "", "", "", arguments},
      {"member", Matching::kKeyed, {value}, "set", "set", "delete", "", arguments},
      {"item", Matching::kOrdered, {value}, "set", "", "delete", "append", arguments},
      {"comment", Matching::kOrdered, {text}},
      {"unparsed", Matching::kOrdered, {text}},
  };
  return descriptor;
}

size_t FirstNonSpace(std::string_view text, size_t from) {
  return std::min(text.find_first_not_of(" \t\r\n", from), text.size());
}

// Whether the first two lines are each an object or array that ends where its line does.
bool LooksLikeJsonLines(std::string_view bytes) {
  const size_t first = FirstNonSpace(bytes, 0);
  const size_t newline = std::min(bytes.find('\n', first), bytes.size());
  const size_t second = FirstNonSpace(bytes, newline);
  if (second == bytes.size() || bytes[first] != '{' || bytes[second] != '{') return false;
  constexpr size_t kLineBytesMax = 1 << 20;
  if (newline - first > kLineBytesMax) return false;
  const JsonTree tree =
      ParseJson(bytes.substr(first, newline - first), JsonSyntax::kDocument, Limits());
  return tree.issues.empty() && tree.nodes[0].type == JsonType::kObject;
}

// Whether the text begins like an object or array of JSON. A text in brackets that is prose or an
// ini section is none.
bool LooksLikeJson(std::string_view bytes) {
  const size_t first = FirstNonSpace(bytes, 0);
  if (first == bytes.size() || (bytes[first] != '{' && bytes[first] != '[')) return false;
  constexpr size_t kHeadBytesMax = 64 << 10;
  const JsonTree tree =
      ParseJson(bytes.substr(first, kHeadBytesMax), JsonSyntax::kDocument, Limits());
  const bool is_whole = bytes.size() - first <= kHeadBytesMax;
  if (is_whole) return tree.issues.empty();
  return tree.nodes.size() > 2 && tree.issues.size() == 1 &&
         tree.issues[0].offset + 1 >= kHeadBytesMax;
}

class JsonFormat final : public Format {
 public:
  explicit JsonFormat(JsonSyntax syntax) : syntax_(syntax), descriptor_(Describe(syntax)) {}

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    const bool is_named = std::find(descriptor_.extensions.begin(), descriptor_.extensions.end(),
                                    extension) != descriptor_.extensions.end();
    if (is_named && LooksLikeText(bytes)) return 70;
    if (is_named) {
      const size_t first = FirstNonSpace(bytes, 0);
      return first < bytes.size() &&
                     std::string_view("[{\"").find(bytes[first]) != std::string_view::npos
                 ? 50
                 : 0;
    }
    // Without the name only a text that nothing else claims is worth a closer look.
    if (!extension.empty() && extension != "txt") return 0;
    const bool looks =
        syntax_ == JsonSyntax::kLines ? LooksLikeJsonLines(bytes) : LooksLikeJson(bytes);
    return looks && LooksLikeText(bytes) ? 40 : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    const std::string_view text = decoded.text();
    const JsonTree tree = ParseJson(text, syntax_, limits);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) {
      Record file = TextFileRecord(decoded, LineIndex(text));
      file.attrs.Set("root", tree.nodes.empty() ? "none" : JsonTypeName(tree.nodes[0].type));
      segment = MakeJsonSegment(text, tree, digest, std::move(file), decoded.mark_size_bytes(),
                                decoded.keeps_offsets());
    }
    ParsedContent content =
        WholeFileContent(bytes, decoded, std::move(segment),
                         {"file", "value", "member", "item", "comment", "unparsed"});
    Diagnose(text, tree, content.diagnostics);
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    JsonEditor editor(bytes, syntax_, limits);
    return PlanAndFinish(editor, edits);
  }

 private:
  static void Diagnose(std::string_view text, const JsonTree& tree,
                       std::vector<Diagnostic>& diagnostics) {
    const LineIndex lines(text);
    const auto line_at = [&](uint64_t offset) {
      return lines.count() == 0 ? std::string() : LineLocator(lines.LineOf(offset));
    };
    for (const JsonIssue& issue : tree.issues) {
      const bool is_comment = issue.code == "comment";
      diagnostics.push_back({issue.is_fatal ? "error"
                             : is_comment   ? "note"
                                            : "warning",
                             std::string(issue.code), line_at(issue.offset), issue.message});
    }
    if (tree.issues_left_out > 0) {
      diagnostics.push_back({"note", "limit_exceeded", "",
                             std::to_string(tree.issues_left_out) + " more issues were left out"});
    }
    for (const auto& [node, ordinal] : RepeatedKeys(text, tree)) {
      const JsonNode& at = tree.nodes[node];
      const std::string key =
          DecodeJsonString(text.substr(at.key_begin, at.key_end - at.key_begin));
      diagnostics.push_back({"warning", "duplicate_key", line_at(at.key_begin),
                             "the key \"" + key + "\" occurs again; it is kept as '" +
                                 PointerToken(key, ordinal) + "'"});
    }
  }

  JsonSyntax syntax_;
  FormatDescriptor descriptor_;
};

}  // namespace

std::unique_ptr<Format> NewJsonFormat() {
  return std::make_unique<JsonFormat>(JsonSyntax::kDocument);
}
std::unique_ptr<Format> NewJsonLinesFormat() {
  return std::make_unique<JsonFormat>(JsonSyntax::kLines);
}

}  // namespace staged
