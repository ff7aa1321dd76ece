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

}  // namespace

std::string_view DetectFileType(std::string_view bytes) {
  for (const Magic& magic : kMagics) {
    if (HasAt(bytes, magic.offset, magic.bytes)) return magic.type;
  }
  return "";
}

}  // namespace staged
