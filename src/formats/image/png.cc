#include <algorithm>

#include "codec/zip.h"
#include "formats/image/byte_reader.h"
#include "formats/image/image_info.h"

// Portable Network Graphics (third edition), sections 5 and 11.
namespace staged {
namespace {

constexpr uint64_t kTextBytesMax = 1 << 20;

void ReadHeader(std::string_view header, ImageInfo& info) {
  info.width = Big32(header, 0);
  info.height = Big32(header, 4);
  info.bit_depth = ByteAt(header, 8);
  const uint32_t color = ByteAt(header, 9);
  info.color = color == 3 ? "palette" : (color & 2) != 0 ? "rgb" : "gray";
  info.has_alpha = (color & 4) != 0;
  info.is_interlaced = ByteAt(header, 12) == 1;
}

// A zlib stream (RFC 1950) of text. What is inflated in vain counts among the texts of `info`.
std::string Inflated(std::string_view stream, ImageInfo& info) {
  const std::string unread = "compressed, not read: " + std::to_string(stream.size()) + " bytes, " +
                             ContentHash::Of(stream).ToString();
  constexpr size_t kFrameBytes = 6;  // two bytes of header, four of checksum
  const bool is_plain = stream.size() > kFrameBytes && (ByteAt(stream, 0) & 0x0F) == 8 &&
                        (ByteAt(stream, 1) & 0x20) == 0;
  const uint64_t left = kImageTextBytesMax - std::min(info.text_bytes, kImageTextBytesMax);
  if (!is_plain || left == 0) return unread;
  const uint64_t bytes_max = std::min(left, kTextBytesMax);
  Result<std::string> text =
      ZipInflate(stream.substr(2, stream.size() - kFrameBytes), 0, bytes_max);
  if (text.ok()) return *std::move(text);
  constexpr uint64_t kRatioMax = 1032;  // of DEFLATE
  info.text_bytes += std::min(bytes_max, stream.size() * kRatioMax);
  return unread;
}

// tEXt, zTXt, iTXt: a keyword, NUL, and for the compressed and the international what is between.
void ReadText(std::string_view type, std::string_view data, ImageMetadata metadata,
              const Limits& limits, ImageInfo& info) {
  if (!info.is_complete) return;
  const size_t keyword = std::min(data.find('\0'), data.size());
  metadata.name = data.substr(0, keyword);
  std::string_view rest = data.substr(std::min(keyword + 1, data.size()));
  bool is_compressed = type == "zTXt";
  if (type == "zTXt") rest.remove_prefix(std::min<size_t>(1, rest.size()));
  if (type == "iTXt") {
    is_compressed = ByteAt(rest, 0) == 1;
    rest.remove_prefix(std::min<size_t>(2, rest.size()));
    for (int field = 0; field < 2; ++field) {  // language, translated keyword
      rest.remove_prefix(std::min(rest.find('\0'), rest.size()));
      rest.remove_prefix(std::min<size_t>(1, rest.size()));
    }
  }
  metadata.text = is_compressed ? Inflated(rest, info) : std::string(rest.substr(0, kTextBytesMax));
  AddImageMetadata(info, limits, std::move(metadata));
}

void ReadChunk(std::string_view bytes, std::string_view type, uint64_t begin, uint64_t size,
               const Limits& limits, ImageInfo& info) {
  const std::string_view data = bytes.substr(begin, size);
  const ImageMetadata metadata{"png", std::string(type), "", begin - 8, begin + size + 4};
  const auto add = [&](std::string text) {
    ImageMetadata found = metadata;
    found.text = std::move(text);
    AddImageMetadata(info, limits, std::move(found));
  };
  if (type == "IHDR") {
    ReadHeader(data, info);
  } else if (type == "tRNS") {
    info.has_alpha = true;
  } else if (type == "acTL") {
    info.frame_count = Big32(data, 0);
  } else if (type == "tEXt" || type == "zTXt" || type == "iTXt") {
    ReadText(type, data, metadata, limits, info);
  } else if (type == "eXIf") {
    ReadExif(bytes, begin, begin + size, limits, info);
  } else if (type == "pHYs") {
    add(std::to_string(Big32(data, 0)) + " x " + std::to_string(Big32(data, 4)) +
        (ByteAt(data, 8) == 1 ? " pixels per metre" : " (ratio)"));
  } else if (type == "tIME") {
    const auto two = [](uint32_t number) {
      const std::string digits = std::to_string(number);
      return digits.size() < 2 ? "0" + digits : digits;
    };
    add(std::to_string(Big16(data, 0)) + "-" + two(ByteAt(data, 2)) + "-" + two(ByteAt(data, 3)) +
        "T" + two(ByteAt(data, 4)) + ":" + two(ByteAt(data, 5)) + ":" + two(ByteAt(data, 6)) + "Z");
  } else if (type == "iCCP") {
    add(std::string(data.substr(0, data.find('\0'))) + ", " + ContentHash::Of(data).ToString());
  }
}

}  // namespace

void ReadPng(std::string_view bytes, const Limits& limits, ImageInfo& info) {
  constexpr std::string_view kBesidesThePicture[] = {"tEXt", "zTXt", "iTXt", "eXIf",
                                                     "tIME", "pHYs", "iCCP"};
  constexpr uint64_t kSignatureBytes = 8;
  constexpr uint64_t kFrameBytes = 12;  // length, type, checksum
  uint64_t at = kSignatureBytes;
  AddPicture(info, bytes, 0, at);
  while (at + kFrameBytes <= bytes.size()) {
    const uint64_t size = Big32(bytes, at);
    const std::string_view type = bytes.substr(at + 4, 4);
    if (size > bytes.size() - at - kFrameBytes) {
      info.problem = "the file ends inside a chunk";
      AddPicture(info, bytes, at, bytes.size());
      return;
    }
    ReadChunk(bytes, type, at + 8, size, limits, info);
    const bool is_beside = std::find(std::begin(kBesidesThePicture), std::end(kBesidesThePicture),
                                     type) != std::end(kBesidesThePicture);
    const uint64_t end = at + size + kFrameBytes;
    if (!is_beside) AddPicture(info, bytes, at, end);
    at = end;
    if (type == "IEND") {
      AddPicture(info, bytes, at, bytes.size());
      return;
    }
  }
  AddPicture(info, bytes, at, bytes.size());
  info.problem = "the file ends before its last chunk";
}

}  // namespace staged
