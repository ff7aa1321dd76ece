#include "formats/text/text_format.h"

#include "format/text_file_format.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "text";
  descriptor.parser = {"text", "1"};
  descriptor.extensions = {"txt", "text", "log", "cfg", "conf", "ini"};
  descriptor.edit_ops = TextEditOps();
  descriptor.profile.line_based_merge = true;
  descriptor.profile.kinds = {
      TextFileKindRule(),
      {"line",
       Matching::kOrdered,
       {{"text", ChangeClass::kContent, {"text", "raw"}},
        {"newline", ChangeClass::kSerialization, {"newline"}}}},
  };
  return descriptor;
}

class TextFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  // Any other text format is surer than this one.
  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view) const override {
    constexpr int kTextScore = 20;
    return LooksLikeText(bytes) ? kTextScore : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) segment = NewLineSegment(decoded, digest);
    if (segment->record_count() > limits.records_max) {
      return Status(ErrorCode::kLimitExceeded, "the text has more lines than the limit of " +
                                                   std::to_string(limits.records_max));
    }
    return WholeFileContent(bytes, decoded, std::move(segment), {"file", "line"});
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    TextEditor editor(bytes);
    return PlanAndFinish(editor, edits);
  }

 private:
  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewTextFormat() { return std::make_unique<TextFormat>(); }

}  // namespace staged
