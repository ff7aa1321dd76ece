#include "formats/image/image_info.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "formats/image/byte_reader.h"

namespace staged {

using std::string_view_literals::operator""sv;

std::string_view ImageTypeOf(std::string_view bytes) {
  if (HasAt(bytes, 0, "\x89PNG\r\n\x1A\n")) return "png";
  if (HasAt(bytes, 0, "\xFF\xD8\xFF")) return "jpeg";
  if (HasAt(bytes, 0, "GIF87a") || HasAt(bytes, 0, "GIF89a")) return "gif";
  if (HasAt(bytes, 0, "RIFF") && HasAt(bytes, 8, "WEBP")) return "webp";
  if (HasAt(bytes, 0, "II*\0"sv) || HasAt(bytes, 0, "MM\0*"sv)) return "tiff";
  // Two letters say little: the size of the second header must be one that exists.
  const uint32_t header = Little32(bytes, 14);
  const bool is_header = header == 12 || header == 16 || header == 40 || header == 52 ||
                         header == 56 || header == 64 || header == 108 || header == 124;
  if (HasAt(bytes, 0, "BM") && is_header && Little32(bytes, 6) == 0) return "bmp";
  return "";
}

void AddPicture(ImageInfo& info, std::string_view bytes, uint64_t begin, uint64_t end) {
  end = std::min<uint64_t>(end, bytes.size());
  if (begin >= end) return;
  if (!info.picture.empty() && info.picture.back().second == begin) {
    info.picture.back().second = end;
  } else {
    info.picture.emplace_back(begin, end);
  }
}

void AddImageMetadata(ImageInfo& info, const Limits& limits, ImageMetadata metadata) {
  constexpr uint64_t kMetadataMax = 10'000;
  info.text_bytes += metadata.text.size();
  if (info.metadata.size() >= std::min(limits.records_max, kMetadataMax) ||
      info.text_bytes > kImageTextBytesMax) {
    info.is_complete = false;
    return;
  }
  for (std::string* text : {&metadata.name, &metadata.text}) {
    if (IsValidUtf8(*text)) continue;
    std::string converted;
    for (const char c : *text) AppendUtf8(converted, static_cast<uint8_t>(c));
    *text = std::move(converted);
  }
  info.metadata.push_back(std::move(metadata));
}

ImageInfo ReadImage(std::string_view type, std::string_view bytes, const Limits& limits) {
  ImageInfo info;
  if (type == "png") ReadPng(bytes, limits, info);
  if (type == "jpeg") ReadJpeg(bytes, limits, info);
  if (type == "gif") ReadGif(bytes, limits, info);
  if (type == "webp") ReadWebp(bytes, limits, info);
  if (type == "bmp") ReadBmp(bytes, info);
  if (type == "tiff") ReadTiff(bytes, limits, info);
  return info;
}

}  // namespace staged
