#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/content_hash.h"
#include "staged/limits.h"

namespace staged {

// A text or tag beside the pixels: where it comes from ("exif", "png", "xmp"), its name and value.
struct ImageMetadata {
  std::string source;
  std::string name;
  std::string text;
  uint64_t begin = 0;  // bytes [begin, end) of the file
  uint64_t end = 0;
};

// What the headers of an image say. Zero and empty: they do not.
struct ImageInfo {
  uint64_t width = 0;      // pixels, before the orientation is applied
  uint64_t height = 0;     // pixels
  uint32_t bit_depth = 0;  // of one sample; of an index where there is a palette
  std::string color;       // "gray", "rgb", "palette", "ycbcr", "cmyk"
  bool has_alpha = false;
  uint64_t frame_count = 1;    // of an animation; pages of a TIFF
  bool is_interlaced = false;  // or progressive
  std::vector<ImageMetadata> metadata;
  // Bytes [begin, end) that are not known to be metadata, so the picture; apart from each other.
  // Empty: all.
  std::vector<std::pair<uint64_t, uint64_t>> picture;
  std::string problem;      // what is wrong or cut off; empty for nothing
  bool is_complete = true;  // false: the list of metadata was cut by a limit
  uint64_t text_bytes = 0;  // of all metadata, and inflated for it in vain
};

inline constexpr uint64_t kImageTextBytesMax = 16 << 20;  // of all metadata of an image

// "png", "jpeg", "gif", "webp", "bmp" or "tiff" by the first bytes; "" for none of them.
[[nodiscard]] std::string_view ImageTypeOf(std::string_view bytes);
// Reads the headers of an image of that type. Decodes no pixels.
[[nodiscard]] ImageInfo ReadImage(std::string_view type, std::string_view bytes,
                                  const Limits& limits);

// Each type's own reader.
void ReadPng(std::string_view bytes, const Limits& limits, ImageInfo& info);
void ReadJpeg(std::string_view bytes, const Limits& limits, ImageInfo& info);
void ReadGif(std::string_view bytes, const Limits& limits, ImageInfo& info);
void ReadWebp(std::string_view bytes, const Limits& limits, ImageInfo& info);
void ReadBmp(std::string_view bytes, ImageInfo& info);
// The first page's size and the tags of a TIFF structure that begins at `begin` of `bytes`: a TIFF
// file, or the EXIF of another image.
void ReadTiff(std::string_view bytes, const Limits& limits, ImageInfo& info);
void ReadExif(std::string_view bytes, uint64_t begin, uint64_t end, const Limits& limits,
              ImageInfo& info);

// Adds bytes [begin, end), as far as there are, to the picture; in the order of the file.
void AddPicture(ImageInfo& info, std::string_view bytes, uint64_t begin, uint64_t end);
// Adds metadata unless a limit is reached; `text` that is not UTF-8 is read as Latin-1.
void AddImageMetadata(ImageInfo& info, const Limits& limits, ImageMetadata metadata);

}  // namespace staged
