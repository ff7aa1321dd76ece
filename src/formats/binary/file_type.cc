#include "formats/binary/file_type.h"

#include <cstddef>

namespace staged {
namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  size_t offset;
  std::string_view bytes;
  std::string_view type;
};

constexpr Magic kMagics[] = {
    {0, "\x89PNG\r\n\x1A\n"sv, "png"},
    {0, "\xFF\xD8\xFF"sv, "jpeg"},
    {0, "GIF87a"sv, "gif"},
    {0, "GIF89a"sv, "gif"},
    {8, "WEBP"sv, "webp"},
    {8, "WAVE"sv, "wav"},
    {0, "BM"sv, "bmp"},
    {0, "II*\0"sv, "tiff"},
    {0, "MM\0*"sv, "tiff"},
    {0, "\0\0\1\0"sv, "ico"},
    {0, "%PDF-"sv, "pdf"},
    {0, "PK\3\4"sv, "zip"},
    {0, "PK\5\6"sv, "zip"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "ole"},
    {0,
     "\x7F"
     "ELF"sv,
     "elf"},
    {0, "SQLite format 3\0"sv, "sqlite"},
    {0, "\x1F\x8B"sv, "gzip"},
    {0, "BZh"sv, "bzip2"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "xz"},
    {0, "\x28\xB5\x2F\xFD"sv, "zstd"},
    {0, "7z\xBC\xAF\x27\x1C"sv, "7z"},
    {0, "Rar!\x1A\7"sv, "rar"},
    {257, "ustar"sv, "tar"},
    {0, "\xCA\xFE\xBA\xBE"sv, "java-class"},
    {0, "\0asm"sv, "wasm"},
    {0, "MZ"sv, "pe"},
    {0, "OggS"sv, "ogg"},
    {0, "ID3"sv, "mp3"},
    {0, "fLaC"sv, "flac"},
    {4, "ftyp"sv, "mp4"},
    {0, "wOF2"sv, "woff2"},
    {0, "wOFF"sv, "woff"},
    {0, "OTTO"sv, "opentype"},
    {0, "\0\1\0\0\0"sv, "truetype"},
    {0, "PAR1"sv, "parquet"},
    {0, "{\\rtf"sv, "rtf"},
};

bool HasAt(std::string_view bytes, size_t offset, std::string_view wanted) {
  return bytes.size() >= offset + wanted.size() && bytes.substr(offset, wanted.size()) == wanted;
}

// Answers zero past the end, so that truncated headers give no size.
uint32_t Byte(std::string_view bytes, size_t offset) {
  return offset < bytes.size() ? static_cast<uint8_t>(bytes[offset]) : 0;
}
uint32_t Big16(std::string_view bytes, size_t offset) {
  return (Byte(bytes, offset) << 8) | Byte(bytes, offset + 1);
}
uint32_t Big32(std::string_view bytes, size_t offset) {
  return (Big16(bytes, offset) << 16) | Big16(bytes, offset + 2);
}
uint32_t Little16(std::string_view bytes, size_t offset) {
  return Byte(bytes, offset) | (Byte(bytes, offset + 1) << 8);
}
uint32_t Little24(std::string_view bytes, size_t offset) {
  return Little16(bytes, offset) | (Byte(bytes, offset + 2) << 16);
}
uint32_t Little32(std::string_view bytes, size_t offset) {
  return Little16(bytes, offset) | (Little16(bytes, offset + 2) << 16);
}

// ITU-T T.81, annex B: walks the marker segments up to the first start of frame.
ImageSize JpegSize(std::string_view bytes) {
  size_t position = 2;
  while (position + 9 < bytes.size()) {
    if (Byte(bytes, position) != 0xFF) {
      ++position;
      continue;
    }
    const uint32_t marker = Byte(bytes, position + 1);
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) return {Big16(bytes, position + 7), Big16(bytes, position + 5)};
    const bool is_bare =
        marker == 0xFF || marker == 0 || marker == 1 || (marker >= 0xD0 && marker <= 0xD8);
    if (marker == 0xD9 || marker == 0xDA) break;
    position += is_bare ? (marker == 0xFF ? 1 : 2) : 2 + Big16(bytes, position + 2);
  }
  return {};
}

// RFC 9649: the three kinds of first chunk.
ImageSize WebpSize(std::string_view bytes) {
  if (HasAt(bytes, 12, "VP8X")) return {Little24(bytes, 24) + 1, Little24(bytes, 27) + 1};
  if (HasAt(bytes, 12, "VP8L") && Byte(bytes, 20) == 0x2F) {
    const uint32_t bits = Little32(bytes, 21);
    return {(bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1};
  }
  if (HasAt(bytes, 12, "VP8 ")) {
    return {Little16(bytes, 26) & 0x3FFF, Little16(bytes, 28) & 0x3FFF};
  }
  return {};
}

}  // namespace

std::string_view DetectFileType(std::string_view bytes) {
  for (const Magic& magic : kMagics) {
    if (HasAt(bytes, magic.offset, magic.bytes)) return magic.type;
  }
  return "";
}

std::optional<ImageSize> ReadImageSize(std::string_view bytes) {
  const std::string_view type = DetectFileType(bytes);
  ImageSize size;
  if (type == "png" && HasAt(bytes, 12, "IHDR")) size = {Big32(bytes, 16), Big32(bytes, 20)};
  if (type == "gif") size = {Little16(bytes, 6), Little16(bytes, 8)};
  if (type == "jpeg") size = JpegSize(bytes);
  if (type == "webp") size = WebpSize(bytes);
  if (type == "bmp") {
    // The height is negative where rows run from the top.
    const auto height = static_cast<int32_t>(Little32(bytes, 22));
    size = {Little32(bytes, 18),
            height < 0 ? 0 - static_cast<uint32_t>(height) : static_cast<uint32_t>(height)};
  }
  if (size.width == 0 || size.height == 0) return std::nullopt;
  return size;
}

}  // namespace staged
