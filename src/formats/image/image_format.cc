#include "formats/image/image_format.h"

#include <unordered_map>

#include "formats/image/image_info.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "image";
  descriptor.parser = {"image", "2"};
  descriptor.extensions = {"png", "apng", "jpg", "jpeg", "jpe", "jfif",
                           "gif", "webp", "bmp", "dib",  "tif", "tiff"};
  descriptor.profile.kinds = {
      {"image",
       Matching::kKeyed,
       {{"picture", ChangeClass::kOpaque, {"picture_digest"}},
        {"size", ChangeClass::kContent, {"width", "height", "frames"}},
        {"encoding",
         ChangeClass::kFormat,
         {"type", "bit_depth", "color", "alpha", "interlaced", "size_bytes"}}}},
      {"metadata", Matching::kKeyed, {{"text", ChangeClass::kContent, {"text"}}}},
  };
  return descriptor;
}

class ImageFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view) const override {
    return ImageTypeOf(bytes).empty() ? 0 : 90;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource&) const override {
    if (bytes.size() > limits.input_bytes_max) {
      return Status(ErrorCode::kLimitExceeded, "the image has more bytes than the limit");
    }
    const std::string_view type = ImageTypeOf(bytes);
    if (type.empty()) {
      return Status(ErrorCode::kParseFailed, "the file is no image of a type that is read");
    }
    const ImageInfo info = ReadImage(type, bytes, limits);
    ParsedContent content;
    const ContentHash digest = ContentHash::Of(bytes);
    std::vector<Record> records{ImageRecord(type, bytes, info)};
    AddMetadata(info, records);
    content.segments.push_back(std::make_shared<RecordListSegment>("", digest, std::move(records)));
    content.parts.push_back({"", digest, bytes.size(), {"image", "metadata"}});
    if (!info.problem.empty()) {
      content.diagnostics.push_back({"warning", "damaged_image", "image", info.problem});
    }
    if (!info.is_complete) {
      content.diagnostics.push_back({"warning", "limit_exceeded", "image",
                                     "there is more metadata than the limit; the rest is not "
                                     "shown"});
    }
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                                          const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit,
                  "an image has no parts to edit; write the whole file instead");
  }

 private:
  static Record ImageRecord(std::string_view type, std::string_view bytes, const ImageInfo& info) {
    Record record;
    record.kind = record.locator = record.key = "image";
    record.attrs.Set("type", type);
    if (info.width > 0 && info.height > 0) {
      record.text = std::to_string(info.width) + " x " + std::to_string(info.height);
      record.attrs.Set("width", info.width);
      record.attrs.Set("height", info.height);
    }
    if (info.bit_depth > 0) record.attrs.Set("bit_depth", info.bit_depth);
    if (!info.color.empty()) record.attrs.Set("color", info.color);
    if (info.has_alpha) record.attrs.Set("alpha", true);
    if (info.is_interlaced) record.attrs.Set("interlaced", true);
    if (info.frame_count != 1) record.attrs.Set("frames", info.frame_count);
    record.attrs.Set("size_bytes", bytes.size());
    ContentHasher picture;
    for (const auto& [begin, end] : info.picture) picture.Update(bytes.substr(begin, end - begin));
    if (info.picture.empty()) picture.Update(bytes);
    record.attrs.Set("picture_digest", picture.Finish().ToString());
    record.span = ByteSpan{0, bytes.size()};
    return record;
  }

  static void AddMetadata(const ImageInfo& info, std::vector<Record>& records) {
    std::unordered_map<std::string, size_t> counts;
    for (const ImageMetadata& metadata : info.metadata) {
      Record& record = records.emplace_back();
      record.kind = "metadata";
      record.parent = "image";
      record.key = metadata.source + "/";
      for (const char c : metadata.name) record.key.push_back(c == '/' || c == '#' ? '_' : c);
      const size_t count = ++counts[record.key];
      if (count > 1) record.key += "#" + std::to_string(count);
      record.locator = "meta:" + record.key;
      record.text = metadata.text;
      record.hidden = "metadata";
      record.span = ByteSpan{metadata.begin, metadata.end};
    }
  }

  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewImageFormat() { return std::make_unique<ImageFormat>(); }

}  // namespace staged
