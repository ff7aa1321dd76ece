#include "formats/toml/toml_format.h"

#include <algorithm>

#include "format/data_tree.h"
#include "format/text_file_format.h"
#include "format/toml_parser.h"
#include "formats/toml/toml_editor.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "toml";
  descriptor.parser = {"toml", "1"};
  descriptor.extensions = {"toml"};
  descriptor.edit_ops = {"set",    "append", "insert_before", "insert_after",
                         "delete", "rename", "replace",       "replace_text"};
  descriptor.profile.line_based_merge = true;
  KindRule file = TextFileKindRule();
  descriptor.profile.kinds = DataKindRules();
  descriptor.profile.kinds.insert(descriptor.profile.kinds.begin(), std::move(file));
  return descriptor;
}

class TomlFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    return NamedTextScore(descriptor_, bytes, extension);
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    const std::string_view text = decoded.text();
    const DataTree tree = ParseToml(text, limits);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) {
      std::vector<Record> records =
          DataRecords(text, tree, decoded.mark_size_bytes(), decoded.keeps_offsets());
      Record file = TextFileRecord(decoded, LineIndex(text));
      records.insert(records.begin(), std::move(file));
      segment = std::make_shared<RecordListSegment>("", digest, std::move(records));
    }
    ParsedContent content = WholeFileContent(bytes, decoded, std::move(segment),
                                             {"file", "member", "item", "comment", "unparsed"});
    AddDataDiagnostics(text, tree, content.diagnostics);
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    TomlEditor editor(bytes, limits);
    return PlanAndFinish(editor, edits);
  }

 private:
  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewTomlFormat() { return std::make_unique<TomlFormat>(); }

}  // namespace staged
