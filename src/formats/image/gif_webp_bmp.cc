#include <algorithm>

#include "formats/image/byte_reader.h"
#include "formats/image/image_info.h"

namespace staged {
namespace {

uint64_t ColorTableBytes(uint32_t flags) {
  return (flags & 0x80) != 0 ? uint64_t{3} << ((flags & 7) + 1) : 0;
}

// A run of sub-blocks, each with its length, up to an empty one. Answers where it ends.
uint64_t ReadSubBlocks(std::string_view bytes, uint64_t at, std::string* text) {
  while (at < bytes.size()) {
    const uint64_t size = ByteAt(bytes, at);
    if (size == 0) return at + 1;
    if (text != nullptr) text->append(bytes.substr(at + 1, std::min<uint64_t>(size, bytes.size())));
    at += size + 1;
  }
  return bytes.size() + 1;
}

}  // namespace

// GIF89a Specification.
void ReadGif(std::string_view bytes, const Limits& limits, ImageInfo& info) {
  info.width = Little16(bytes, 6);
  info.height = Little16(bytes, 8);
  const uint32_t flags = ByteAt(bytes, 10);
  info.color = "palette";
  info.bit_depth = (flags & 7) + 1;
  info.frame_count = 0;
  uint64_t at = 13 + ColorTableBytes(flags);
  AddPicture(info, bytes, 0, at);
  while (at < bytes.size()) {
    const uint32_t kind = ByteAt(bytes, at);
    const uint64_t begin = at;
    bool is_comment = false;
    if (kind == 0x3B) {
      AddPicture(info, bytes, at, bytes.size());
      return;
    }
    if (kind == 0x2C) {
      ++info.frame_count;
      const uint32_t image_flags = ByteAt(bytes, at + 9);
      info.is_interlaced = info.is_interlaced || (image_flags & 0x40) != 0;
      at = ReadSubBlocks(bytes, at + 11 + ColorTableBytes(image_flags), nullptr);
    } else if (kind == 0x21) {
      const uint32_t label = ByteAt(bytes, at + 1);
      is_comment = label == 0xFE;
      if (label == 0xF9) info.has_alpha = info.has_alpha || (ByteAt(bytes, at + 3) & 1) != 0;
      std::string text;
      at = ReadSubBlocks(bytes, at + 2, is_comment ? &text : nullptr);
      if (is_comment) {
        AddImageMetadata(
            info, limits,
            {"gif", "comment", std::move(text), begin, std::min<uint64_t>(at, bytes.size())});
      }
    } else {
      at = bytes.size();
    }
    if (!is_comment) AddPicture(info, bytes, begin, at);
  }
  info.problem = "the file ends before its trailer";
}

// RFC 9649.
void ReadWebp(std::string_view bytes, const Limits& limits, ImageInfo& info) {
  info.bit_depth = 8;
  info.color = "rgb";
  uint64_t frames = 0;
  bool has_canvas = false;
  uint64_t at = 12;
  while (at + 8 <= bytes.size()) {
    const std::string_view type = bytes.substr(at, 4);
    const uint64_t size = Little32(bytes, at + 4);
    const uint64_t begin = at + 8;
    const uint64_t end = begin + size;
    if (end > bytes.size()) {
      info.problem = "the file ends inside a chunk";
      AddPicture(info, bytes, at, bytes.size());
      return;
    }
    const std::string_view data = bytes.substr(begin, size);
    bool is_beside = false;
    if (type == "VP8X") {
      has_canvas = true;
      info.width = Little24(data, 4) + 1;
      info.height = Little24(data, 7) + 1;
      info.has_alpha = (ByteAt(data, 0) & 0x10) != 0;
    } else if (type == "VP8L" && ByteAt(data, 0) == 0x2F && !has_canvas) {
      const uint32_t bits = Little32(data, 1);
      info.width = (bits & 0x3FFF) + 1;
      info.height = ((bits >> 14) & 0x3FFF) + 1;
      info.has_alpha = ((bits >> 28) & 1) != 0;
    } else if (type == "VP8 " && !has_canvas) {
      info.width = Little16(data, 6) & 0x3FFF;
      info.height = Little16(data, 8) & 0x3FFF;
    } else if (type == "ANMF") {
      ++frames;
    } else if (type == "EXIF") {
      is_beside = true;
      const uint64_t skipped = data.starts_with("Exif") ? 6 : 0;
      ReadExif(bytes, std::min(begin + skipped, end), end, limits, info);
    } else if (type == "XMP ") {
      is_beside = true;
      AddImageMetadata(info, limits, {"xmp", "packet", std::string(data), at, end});
    } else if (type == "ICCP") {
      is_beside = true;
      AddImageMetadata(info, limits, {"webp", "ICCP", ContentHash::Of(data).ToString(), at, end});
    }
    const uint64_t next = end + (size & 1);
    // The flags of VP8X say which metadata there is.
    if (!is_beside && type != "VP8X") AddPicture(info, bytes, at, next);
    at = next;
  }
  AddPicture(info, bytes, at, bytes.size());
  if (frames > 0) info.frame_count = frames;
  if (info.width == 0) info.problem = "there is no picture in it";
}

// The headers of Windows bitmaps; those of OS/2 have sizes of 16 bits.
void ReadBmp(std::string_view bytes, ImageInfo& info) {
  constexpr uint32_t kCoreHeaderBytes = 12;
  uint32_t bits = 0;
  if (Little32(bytes, 14) == kCoreHeaderBytes) {
    info.width = Little16(bytes, 18);
    info.height = Little16(bytes, 20);
    bits = Little16(bytes, 24);
  } else {
    info.width = Little32(bytes, 18);
    // The height is negative where rows run from the top.
    const uint32_t height = Little32(bytes, 22);
    info.height = (height & 0x80000000u) != 0 ? uint32_t{0} - height : height;
    bits = Little16(bytes, 28);
  }
  info.color = bits <= 8 ? "palette" : "rgb";
  info.bit_depth = bits <= 8 ? bits : bits == 16 ? 5 : 8;
}

}  // namespace staged
