#include "formats/binary/binary_format.h"

#include "formats/binary/file_type.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "binary";
  descriptor.parser = {"binary", "2"};
  descriptor.profile.kinds = {
      {"file",
       Matching::kKeyed,
       {{"content", ChangeClass::kOpaque, {"digest", "size_bytes"}},
        {"metadata", ChangeClass::kFormat, {"type"}}}},
  };
  return descriptor;
}

class BinaryFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view, std::string_view) const override { return 1; }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits&,
                                            const SegmentSource&) const override {
    const ContentHash digest = ContentHash::Of(bytes);
    Record record;
    record.kind = "file";
    record.locator = "file";
    record.attrs.Set("type", DetectFileType(bytes));
    record.attrs.Set("size_bytes", bytes.size());
    record.attrs.Set("digest", digest.ToString());
    record.span = ByteSpan{0, bytes.size()};
    ParsedContent content;
    content.segments.push_back(
        std::make_shared<RecordListSegment>("", digest, std::vector<Record>{std::move(record)}));
    content.parts.push_back({"", digest, bytes.size(), {}});
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                                          const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a binary file has no parts to edit; write the whole file instead");
  }

 private:
  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewBinaryFormat() { return std::make_unique<BinaryFormat>(); }

}  // namespace staged
