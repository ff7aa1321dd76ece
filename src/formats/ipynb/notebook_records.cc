#include "formats/ipynb/notebook_records.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/utf8.h"

namespace staged {
namespace {

constexpr size_t kShownJsonBytesMax = 4096;

// nbformat 3 has names instead of MIME types.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kMimeTypesOfVersion3 = {{
    {"text", "text/plain"},
    {"html", "text/html"},
    {"latex", "text/latex"},
    {"svg", "image/svg+xml"},
    {"javascript", "application/javascript"},
    {"json", "application/json"},
    {"png", "image/png"},
    {"jpeg", "image/jpeg"},
    {"pdf", "application/pdf"},
}};

std::string_view MimeTypeOfVersion3(std::string_view name) {
  for (const auto& [short_name, mime_type] : kMimeTypesOfVersion3) {
    if (short_name == name) return mime_type;
  }
  return "";
}

bool IsTextual(std::string_view mime_type) {
  return mime_type.starts_with("text/") || mime_type.ends_with("+xml") ||
         mime_type.ends_with("json") || mime_type == "application/javascript" ||
         mime_type == "application/xml" || mime_type == "application/latex";
}

// Which of several data a reader sees as text: lower is better.
int TextRank(std::string_view mime_type) {
  if (mime_type == "text/plain") return 0;
  if (mime_type == "text/markdown") return 1;
  if (mime_type == "text/latex") return 2;
  return mime_type == "text/html" ? 3 : 4;
}

bool IsKnownCellField(std::string_view name) {
  constexpr std::array<std::string_view, 11> kNames = {
      "id",       "cell_type",       "source",   "metadata",      "attachments",
      "outputs",  "execution_count", "language", "prompt_number", "level",
      "collapsed"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

class RecordBuilder {
 public:
  RecordBuilder(std::string_view text, const JsonTree& tree, int64_t span_shift, bool has_spans,
                bool joins_lines)
      : text_(text),
        tree_(tree),
        span_shift_(span_shift),
        has_spans_(has_spans),
        joins_lines_(joins_lines) {}

  std::vector<Record> OfCell(const NotebookCell& cell, const CellDigest& digest) {
    long_texts_ = &digest.texts;
    AddCell(cell);
    for (const NotebookField& field : cell.fields) {
      if (field.name == "metadata") {
        AddMetadata(field.node, cell.locator, cell.locator + "/metadata", 1);
      } else if (field.name == "attachments") {
        AddAttachments(field.node, cell.locator);
      } else if (field.name == "outputs") {
        AddOutputs(field.node, cell.locator);
      } else if (!IsKnownCellField(field.name) && &field != cell.Source()) {
        AddField(field.node, cell.locator,
                 cell.locator + "/field:" + EscapePointerToken(field.name), field.name);
      }
    }
    return std::move(records_);
  }

  std::vector<Record> OfNotebook(const Notebook& notebook) {
    for (const NotebookField& field : notebook.fields) {
      if (field.name == "metadata") {
        AddMetadata(field.node, "", "metadata", 1);
      } else if (field.name == "worksheets") {
        AddWorksheets(field.node);
      } else if (field.name != "cells") {
        AddField(field.node, "", "field:" + EscapePointerToken(field.name), field.name);
      }
    }
    return std::move(records_);
  }

 private:
  [[nodiscard]] const JsonNode& Node(uint32_t node) const { return tree_.nodes[node]; }
  [[nodiscard]] std::string_view Source(uint32_t node) const {
    return NodeSource(text_, Node(node));
  }

  Record& Add(std::string kind, std::string locator, std::string parent, uint32_t node) {
    Record& record = records_.emplace_back();
    record.kind = std::move(kind);
    record.locator = std::move(locator);
    record.parent = std::move(parent);
    const JsonNode& at = Node(node);
    if (has_spans_) {
      const uint64_t begin = at.has_key() ? at.key_begin : at.begin;
      record.span = ByteSpan{static_cast<uint64_t>(static_cast<int64_t>(begin) + span_shift_),
                             static_cast<uint64_t>(static_cast<int64_t>(at.end) + span_shift_)};
    }
    return record;
  }

  // A value as an attribute: whole where it is small, by its digest where not.
  [[nodiscard]] Value ValueOf(uint32_t node) const {
    if (Source(node).size() <= kShownJsonBytesMax) return JsonToValue(text_, tree_, node);
    return ContentHash::Of(Source(node)).ToString();
  }

  void SetWhenPresent(Record& record, const std::vector<NotebookField>& fields,
                      std::string_view field_name, std::string_view attribute) const {
    const NotebookField* field = FindField(fields, field_name);
    if (field != nullptr) record.attrs.Set(attribute, ValueOf(field->node));
  }

  void AddCell(const NotebookCell& cell) {
    Record& record = Add("cell", cell.locator, "", cell.node);
    if (cell.has_own_id) record.key = cell.id;
    if (Node(cell.node).type != JsonType::kObject) {
      record.text = ReplaceInvalidUtf8(Source(cell.node));
      record.attrs.Set("type", "invalid");
      return;
    }
    const NotebookField* type = cell.Find("cell_type");
    record.attrs.Set("type", type == nullptr ? Value("unknown") : ValueOf(type->node));
    if (!cell.has_own_id) SetWhenPresent(record, cell.fields, "id", "id");
    for (const char* name : {"language", "level", "collapsed", "execution_count"}) {
      SetWhenPresent(record, cell.fields, name, name);
    }
    SetWhenPresent(record, cell.fields, "prompt_number", "execution_count");
    const NotebookField* source = cell.Source();
    if (source == nullptr) return;
    NotebookText text = ReadNotebookText(text_, tree_, source->node, joins_lines_);
    if (!text.is_valid) text.text = ReplaceInvalidUtf8(Source(source->node));
    record.text = std::move(text.text);
    record.attrs.Set("source_form", text.is_list ? "list" : "string");
  }

  void AddMetadata(uint32_t object, const std::string& parent, const std::string& prefix,
                   size_t depth) {
    if (Node(object).type != JsonType::kObject) {
      AddValue(object, parent, prefix, "", depth);
      return;
    }
    for (const NotebookField& field : ReadFields(text_, tree_, object)) {
      const std::string token = EscapePointerToken(field.name);
      AddValue(field.node, parent, prefix + "/" + token, token, depth);
    }
  }

  void AddValue(uint32_t node, const std::string& parent, const std::string& locator,
                const std::string& key, size_t depth) {
    Record& record = Add("metadata", locator, parent, node);
    record.key = key;
    const JsonNode& at = Node(node);
    const bool is_object = at.type == JsonType::kObject;
    const bool has_records = is_object && depth < kMetadataDepthMax;
    if (has_records || (at.is_container() && at.child_count == 0)) {
      record.attrs.Set("type", JsonTypeName(at.type));
    } else if (at.is_container()) {
      record.attrs.Set("type", "json");
      record.text = ReplaceInvalidUtf8(Source(node));
    } else {
      record.attrs.Set("type", JsonTypeName(at.type));
      record.text = ReadScalar(text_, at);
    }
    if (has_records) AddMetadata(node, locator, locator, depth + 1);
  }

  void AddField(uint32_t node, const std::string& parent, std::string locator,
                const std::string& name) {
    Record& record = Add("field", std::move(locator), parent, node);
    record.key = EscapePointerToken(name);
    record.attrs.Set("type", JsonTypeName(Node(node).type));
    record.text = ReadScalar(text_, Node(node));
  }

  // What worksheets of nbformat 3 have beside their cells.
  void AddWorksheets(uint32_t array) {
    size_t ordinal = 0;
    for (uint32_t sheet = array + 1; sheet < Node(array).subtree_end;
         sheet = Node(sheet).subtree_end) {
      ++ordinal;
      if (Node(sheet).type != JsonType::kObject) continue;
      for (const NotebookField& field : ReadFields(text_, tree_, sheet)) {
        if (field.name == "cells" || Node(field.node).child_count == 0) continue;
        const std::string name = "worksheets/" + std::to_string(ordinal) + "/" + field.name;
        AddField(field.node, "", "field:" + EscapePointerToken(name), name);
      }
    }
  }

  void AddAttachments(uint32_t object, const std::string& cell) {
    for (const NotebookField& field : ReadFields(text_, tree_, object)) {
      const std::string name = EscapePointerToken(field.name);
      Record& record = Add("attachment", cell + "/attachment:" + name, cell, field.node);
      record.key = name;
      record.text = field.name;
      Value::Array mime_types, digests;
      if (Node(field.node).type == JsonType::kObject) {
        for (const NotebookField& data : ReadFields(text_, tree_, field.node)) {
          mime_types.emplace_back(data.name);
          const std::optional<LongText> known = LongTextOf(data.node);
          const ContentHash digest = known ? known->digest : ContentHash::Of(TextOf(data.node));
          digests.emplace_back(digest.ToString());
        }
      }
      record.attrs.Set("mime_types", std::move(mime_types));
      record.attrs.Set("digests", std::move(digests));
    }
  }

  // Strings and lists of strings as their text, anything else as JSON.
  [[nodiscard]] std::string TextOf(uint32_t node) const {
    NotebookText read = ReadNotebookText(text_, tree_, node, joins_lines_);
    return read.is_valid ? std::move(read.text) : ReplaceInvalidUtf8(Source(node));
  }

  void AddOutputs(uint32_t array, const std::string& cell) {
    size_t ordinal = 0;
    for (uint32_t node = array + 1; node < Node(array).subtree_end; node = Node(node).subtree_end) {
      AddOutput(node, cell, cell + "/output:" + std::to_string(++ordinal));
    }
  }

  // What is known of a string that was long enough to be hashed with its cell.
  [[nodiscard]] std::optional<LongText> LongTextOf(uint32_t node) const {
    if (long_texts_ == nullptr) return std::nullopt;
    const auto found = long_texts_->find(node);
    return found == long_texts_->end() ? std::nullopt : std::optional(found->second);
  }

  static void SetData(Record& record, const LongText& data) {
    record.attrs.Set("size_bytes", data.size_bytes);
    record.attrs.Set("digest", data.digest.ToString());
  }

  struct Data {
    std::string mime_type;
    uint32_t node;
  };

  void AddOutput(uint32_t node, const std::string& cell, const std::string& locator) {
    const size_t index = records_.size();
    Record& record = Add("output", locator, cell, node);
    if (Node(node).type != JsonType::kObject) {
      record.text = ReplaceInvalidUtf8(Source(node));
      record.attrs.Set("type", "invalid");
      return;
    }
    const std::vector<NotebookField> fields = ReadFields(text_, tree_, node);
    const NotebookField* type_field = FindField(fields, "output_type");
    const std::string type = type_field == nullptr ? "unknown" : TextOf(type_field->node);
    record.attrs.Set("type", type);
    std::vector<Data> data;
    Value others;
    has_data_ = FindField(fields, "data") != nullptr;
    for (const NotebookField& field : fields) {
      AddOutputField(field, type, record, data, others);
    }
    if (!others.is_null()) record.attrs.Set("fields", std::move(others));
    AddData(index, locator, data);
  }

  void AddOutputField(const NotebookField& field, const std::string& type, Record& record,
                      std::vector<Data>& data, Value& others) {
    const std::string& name = field.name;
    const bool is_error = type == "error" || type == "pyerr";
    const std::string_view mime_type = MimeTypeOfVersion3(name);
    if (name == "output_type") return;
    if (name == "execution_count" || name == "prompt_number") {
      record.attrs.Set("execution_count", ValueOf(field.node));
    } else if (type == "stream" && name == "text") {
      record.text = TextOf(field.node);
    } else if (type == "stream" && (name == "name" || name == "stream")) {
      record.attrs.Set("name", TextOf(field.node));
    } else if (is_error && (name == "ename" || name == "evalue")) {
      record.attrs.Set(name, TextOf(field.node));
    } else if (is_error && name == "traceback") {
      record.text = TracebackOf(field.node);
    } else if (name == "data" && Node(field.node).type == JsonType::kObject) {
      for (const NotebookField& of_type : ReadFields(text_, tree_, field.node)) {
        data.push_back({of_type.name, of_type.node});
      }
    } else if (!mime_type.empty() && !has_data_) {
      data.push_back({std::string(mime_type), field.node});
    } else if (name != "metadata" || Node(field.node).child_count > 0) {
      others.Set(name, ValueOf(field.node));
    }
  }

  [[nodiscard]] std::string TracebackOf(uint32_t array) const {
    if (Node(array).type != JsonType::kArray) return TextOf(array);
    std::string lines;
    for (uint32_t item = array + 1; item < Node(array).subtree_end; item = Node(item).subtree_end) {
      if (!lines.empty()) lines.push_back('\n');
      lines += TextOf(item);
    }
    return lines;
  }

  // The text that a reader sees belongs to the output, the other data are records below it.
  void AddData(size_t output, const std::string& locator, const std::vector<Data>& data) {
    if (data.empty()) return;
    const Data* shown = nullptr;
    Value::Array mime_types;
    for (const Data& candidate : data) {
      mime_types.emplace_back(candidate.mime_type);
      const bool is_shown =
          candidate.mime_type.starts_with("text/") &&
          (shown == nullptr || TextRank(candidate.mime_type) < TextRank(shown->mime_type));
      if (is_shown) shown = &candidate;
    }
    records_[output].attrs.Set("mime_types", std::move(mime_types));
    if (shown != nullptr) records_[output].text = TextOf(shown->node);
    for (const Data& of_type : data) {
      if (&of_type == shown) continue;
      const std::string token = EscapePointerToken(of_type.mime_type);
      Record& record = Add("output_data", locator + "/data:" + token, locator, of_type.node);
      record.key = token;
      const std::optional<LongText> known = LongTextOf(of_type.node);
      if (known && !IsTextual(of_type.mime_type)) {
        SetData(record, *known);
        continue;
      }
      std::string text = TextOf(of_type.node);
      SetData(record, known ? *known : LongText{text.size(), ContentHash::Of(text)});
      const bool is_json = Node(of_type.node).type == JsonType::kObject;
      const bool is_shown =
          IsTextual(of_type.mime_type) && (!is_json || text.size() <= kShownJsonBytesMax);
      if (is_shown) record.text = std::move(text);
    }
  }

  std::string_view text_;
  const JsonTree& tree_;
  int64_t span_shift_;
  bool has_spans_;
  bool joins_lines_;
  const std::unordered_map<uint32_t, LongText>* long_texts_ = nullptr;
  bool has_data_ = false;  // the output at hand is of nbformat 4
  std::vector<Record> records_;
};

}  // namespace

std::vector<Record> CellRecords(std::string_view text, const JsonTree& tree,
                                const NotebookCell& cell, const CellDigest& digest, bool has_spans,
                                bool joins_lines) {
  const auto begin = static_cast<int64_t>(tree.nodes[cell.node].begin);
  return RecordBuilder(text, tree, -begin, has_spans, joins_lines).OfCell(cell, digest);
}

std::vector<Record> NotebookRecords(std::string_view text, const JsonTree& tree,
                                    const Notebook& notebook, uint64_t span_offset,
                                    bool has_spans) {
  return RecordBuilder(text, tree, static_cast<int64_t>(span_offset), has_spans,
                       notebook.JoinsLines())
      .OfNotebook(notebook);
}

}  // namespace staged
