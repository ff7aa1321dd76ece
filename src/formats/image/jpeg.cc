#include <algorithm>

#include "formats/image/byte_reader.h"
#include "formats/image/image_info.h"

// JPEG (ITU-T T.81, annex B) with its application segments: JFIF, EXIF, XMP, ICC, Adobe.
namespace staged {
namespace {

using std::string_view_literals::operator""sv;

struct JpegState {
  uint32_t components = 0;
  bool is_adobe_rgb = false;  // the components are not YCbCr
};

void ReadFrame(std::string_view data, uint32_t marker, JpegState& state, ImageInfo& info) {
  info.bit_depth = ByteAt(data, 0);
  info.height = Big16(data, 1);
  info.width = Big16(data, 3);
  state.components = ByteAt(data, 5);
  info.is_interlaced = marker == 0xC2 || marker == 0xC6 || marker == 0xCA || marker == 0xCE;
}

// Answers whether it is metadata.
bool ReadApplication(std::string_view bytes, uint32_t marker, uint64_t begin, uint64_t end,
                     const Limits& limits, JpegState& state, ImageInfo& info) {
  const std::string_view data = bytes.substr(begin, end - begin);
  constexpr std::string_view kExif = "Exif\0\0"sv;
  constexpr std::string_view kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;
  ImageMetadata metadata{"jpeg", "", "", begin - 4, end};
  if (marker == 0xFE) {
    metadata.name = "comment";
    metadata.text = data;
  } else if (marker == 0xE1 && data.starts_with(kExif)) {
    ReadExif(bytes, begin + kExif.size(), end, limits, info);
    return true;
  } else if (marker == 0xE1 && data.starts_with(kXmp)) {
    metadata.source = "xmp";
    metadata.name = "packet";
    metadata.text = data.substr(kXmp.size());
  } else if (marker == 0xE0 && data.starts_with("JFIF\0"sv)) {
    metadata.name = "density";
    const uint32_t unit = ByteAt(data, 7);
    metadata.text = std::to_string(Big16(data, 8)) + " x " + std::to_string(Big16(data, 10)) +
                    (unit == 1   ? " pixels per inch"
                     : unit == 2 ? " pixels per centimetre"
                                 : " (ratio)");
  } else if (marker == 0xEE && data.starts_with("Adobe")) {
    state.is_adobe_rgb = ByteAt(data, 11) == 0;
    return false;
  } else if (marker != 0xE0) {
    // ICC profiles, previews, what cameras and editors leave.
    metadata.name = "app" + std::to_string(marker - 0xE0);
    metadata.text = std::string(data.substr(0, std::min<size_t>(data.find('\0'), 40))) + ", " +
                    std::to_string(data.size()) + " bytes, " + ContentHash::Of(data).ToString();
  } else {
    return false;
  }
  AddImageMetadata(info, limits, std::move(metadata));
  return true;
}

void NameColor(const JpegState& state, ImageInfo& info) {
  info.color = state.components == 1   ? "gray"
               : state.components == 4 ? "cmyk"
               : state.is_adobe_rgb    ? "rgb"
               : state.components == 3 ? "ycbcr"
                                       : "";
}

}  // namespace

void ReadJpeg(std::string_view bytes, const Limits& limits, ImageInfo& info) {
  JpegState state;
  uint64_t at = 2;
  AddPicture(info, bytes, 0, at);
  while (at + 4 <= bytes.size()) {
    const uint32_t marker = ByteAt(bytes, at + 1);
    if (ByteAt(bytes, at) != 0xFF || marker == 0xFF || marker == 0) {
      AddPicture(info, bytes, at, at + 1);  // fill bytes
      ++at;
      continue;
    }
    if (marker == 0xD9 || marker == 0xDA) {
      // The scans: the picture, whatever follows it.
      AddPicture(info, bytes, at, bytes.size());
      NameColor(state, info);
      if (marker == 0xD9) info.problem = "there is no scan in it";
      return;
    }
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {
      AddPicture(info, bytes, at, at + 2);
      at += 2;
      continue;
    }
    const uint64_t end = at + 2 + Big16(bytes, at + 2);
    if (end > bytes.size() || end < at + 4) break;
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) ReadFrame(bytes.substr(at + 4, end - at - 4), marker, state, info);
    const bool is_beside = (marker >= 0xE0 && marker <= 0xEF) || marker == 0xFE;
    if (!is_beside || !ReadApplication(bytes, marker, at + 4, end, limits, state, info)) {
      AddPicture(info, bytes, at, end);
    }
    at = end;
  }
  AddPicture(info, bytes, at, bytes.size());
  NameColor(state, info);
  info.problem = "the file ends before its picture";
}

}  // namespace staged
