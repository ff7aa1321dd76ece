#include <algorithm>
#include <iterator>
#include <set>

#include "formats/image/byte_reader.h"
#include "formats/image/image_info.h"

// TIFF 6.0 and Exif 2.32 (CIPA DC-008), which uses its structure.
namespace staged {
namespace {

struct TagName {
  uint32_t tag;
  std::string_view name;
};
constexpr TagName kTags[] = {{0x010D, "DocumentName"},
                             {0x010E, "ImageDescription"},
                             {0x010F, "Make"},
                             {0x0110, "Model"},
                             {0x0112, "Orientation"},
                             {0x011A, "XResolution"},
                             {0x011B, "YResolution"},
                             {0x0128, "ResolutionUnit"},
                             {0x0131, "Software"},
                             {0x0132, "DateTime"},
                             {0x013B, "Artist"},
                             {0x013C, "HostComputer"},
                             {0x02BC, "XMP"},
                             {0x8298, "Copyright"},
                             {0x829A, "ExposureTime"},
                             {0x829D, "FNumber"},
                             {0x8827, "ISOSpeedRatings"},
                             {0x9000, "ExifVersion"},
                             {0x9003, "DateTimeOriginal"},
                             {0x9004, "DateTimeDigitized"},
                             {0x920A, "FocalLength"},
                             {0x927C, "MakerNote"},
                             {0x9286, "UserComment"},
                             {0x9C9B, "XPTitle"},
                             {0x9C9C, "XPComment"},
                             {0x9C9D, "XPAuthor"},
                             {0xA001, "ColorSpace"},
                             {0xA002, "PixelXDimension"},
                             {0xA003, "PixelYDimension"},
                             {0xA430, "CameraOwnerName"},
                             {0xA431, "BodySerialNumber"},
                             {0xA434, "LensModel"}};
constexpr TagName kGpsTags[] = {
    {0, "GPSVersionID"},    {1, "GPSLatitudeRef"}, {2, "GPSLatitude"},
    {3, "GPSLongitudeRef"}, {4, "GPSLongitude"},   {5, "GPSAltitudeRef"},
    {6, "GPSAltitude"},     {7, "GPSTimeStamp"},   {29, "GPSDateStamp"}};

// What describes the pixels of a TIFF file and is no metadata.
constexpr uint32_t kLayoutTags[] = {0x00FE, 0x00FF, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x010A,
                                    0x0111, 0x0115, 0x0116, 0x0117, 0x011C, 0x013D, 0x0140, 0x0142,
                                    0x0143, 0x0144, 0x0145, 0x0152, 0x0153, 0x015B};

class TiffReader {
 public:
  TiffReader(std::string_view bytes, uint64_t begin, uint64_t end, const Limits& limits,
             ImageInfo& info)
      : bytes_(bytes.substr(0, end)), begin_(begin), limits_(limits), info_(info) {
    is_little_ = HasAt(bytes_, begin_, "II");
    is_tiff_ = is_little_ || HasAt(bytes_, begin_, "MM");
  }

  // The structure of a file: pages, of which the first one has the size.
  void ReadFile() {
    is_file_ = true;
    std::set<uint64_t> seen;
    constexpr uint64_t kPagesMax = 10'000;
    uint64_t page = U32(begin_ + 4);
    info_.frame_count = 0;
    while (page != 0 && seen.size() < kPagesMax && seen.insert(page).second) {
      if (!IsInside(begin_ + page, 2)) {
        info_.problem = "the file ends before its pages do";
        break;
      }
      ++info_.frame_count;
      if (info_.frame_count == 1) ReadDirectory(page, kTags, std::size(kTags), 0);
      page = U32(begin_ + page + 2 + uint64_t{12} * U16(begin_ + page));
    }
    if (info_.color.empty()) info_.color = "gray";
    if (info_.bit_depth == 0) info_.bit_depth = 1;
  }

  void ReadMetadata() {
    if (!info_.is_complete) return;
    if (!is_tiff_) {
      info_.problem = "its EXIF is damaged";
      return;
    }
    ReadDirectory(U32(begin_ + 4), kTags, std::size(kTags), 0);
  }

 private:
  struct Field {
    uint32_t tag;
    uint32_t type;
    uint64_t count;
    uint64_t at;  // of the value
    uint64_t size_bytes;
    uint64_t entry;
  };

  [[nodiscard]] uint32_t U16(uint64_t at) const {
    return is_little_ ? Little16(bytes_, at) : Big16(bytes_, at);
  }
  [[nodiscard]] uint32_t U32(uint64_t at) const {
    return is_little_ ? Little32(bytes_, at) : Big32(bytes_, at);
  }
  [[nodiscard]] bool IsInside(uint64_t at, uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  static uint64_t TypeBytes(uint32_t type) {
    constexpr uint8_t kBytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
    return type < std::size(kBytes) ? kBytes[type] : 0;
  }

  [[nodiscard]] uint64_t Number(const Field& field, uint64_t index) const {
    const uint64_t at = field.at + index * TypeBytes(field.type);
    if (field.type == 3 || field.type == 8) return U16(at);
    if (field.type == 4 || field.type == 9) return U32(at);
    return ByteAt(bytes_, at);
  }

  [[nodiscard]] std::string Text(const Field& field) const {
    const std::string_view raw = bytes_.substr(field.at, field.size_bytes);
    constexpr uint64_t kListedMax = 16;
    if (field.type == 2) {
      // Several texts may stand in one, each with its NUL.
      std::string text(raw);
      while (text.ends_with('\0')) text.pop_back();
      std::replace(text.begin(), text.end(), '\0', '\n');
      return text;
    }
    if (field.tag == 0x02BC && !is_gps_) return std::string(raw);
    if (field.tag == 0x9000 && raw.size() == 4) return std::string(raw);
    const bool is_listed = field.type != 7 && field.count <= kListedMax;
    if (!is_listed) {
      return std::to_string(raw.size()) + " bytes, " + ContentHash::Of(raw).ToString();
    }
    std::string text;
    for (uint64_t i = 0; i < field.count; ++i) {
      if (i > 0) text += " ";
      if (field.type == 5 || field.type == 10) {
        const uint32_t above = U32(field.at + i * 8);
        const uint32_t below = U32(field.at + i * 8 + 4);
        text += field.type == 5 ? std::to_string(above) + "/" + std::to_string(below)
                                : std::to_string(static_cast<int32_t>(above)) + "/" +
                                      std::to_string(static_cast<int32_t>(below));
      } else if (field.type == 9) {
        text += std::to_string(static_cast<int32_t>(Number(field, i)));
      } else if (field.type == 8) {
        text += std::to_string(static_cast<int16_t>(Number(field, i)));
      } else if (TypeBytes(field.type) > 4 || field.type == 11) {
        return ContentHash::Of(raw).ToString();
      } else {
        text += std::to_string(Number(field, i));
      }
    }
    return text;
  }

  void ReadLayout(const Field& field) {
    switch (field.tag) {
      case 0x0100:
        info_.width = Number(field, 0);
        return;
      case 0x0101:
        info_.height = Number(field, 0);
        return;
      case 0x0102:
        info_.bit_depth = static_cast<uint32_t>(Number(field, 0));
        return;
      case 0x0106: {
        const uint64_t color = Number(field, 0);
        info_.color = color == 2   ? "rgb"
                      : color == 3 ? "palette"
                      : color == 5 ? "cmyk"
                      : color == 6 ? "ycbcr"
                      : color == 8 ? "lab"
                                   : "gray";
        return;
      }
      case 0x0152:
        info_.has_alpha = Number(field, 0) != 0;
        return;
      default:
        return;
    }
  }

  void ReadDirectory(uint64_t offset, const TagName* names, size_t name_count, int depth) {
    const uint64_t directory = begin_ + offset;
    if (!IsInside(directory, 2)) return;
    const uint64_t count = U16(directory);
    for (uint64_t i = 0; i < count && IsInside(directory + 2 + i * 12, 12); ++i) {
      const uint64_t entry = directory + 2 + i * 12;
      Field field{U16(entry), U16(entry + 2), U32(entry + 4), entry + 8, 0, entry};
      field.size_bytes = TypeBytes(field.type) * field.count;
      if (field.size_bytes > 4) field.at = begin_ + U32(entry + 8);
      if (field.size_bytes == 0 || !IsInside(field.at, field.size_bytes)) continue;
      // Entries may share their values and directories, as often as they like.
      constexpr uint64_t kEntriesMax = 20'000;
      read_bytes_ += field.size_bytes;
      if (++entries_ > kEntriesMax || read_bytes_ > 2 * (bytes_.size() - begin_) + 1024) {
        info_.is_complete = false;
        return;
      }
      Take(field, names, name_count, depth);
    }
  }

  void Take(const Field& field, const TagName* names, size_t name_count, int depth) {
    if (depth == 0 && (field.tag == 0x8769 || field.tag == 0x8825)) {
      is_gps_ = field.tag == 0x8825;
      ReadDirectory(U32(field.at), is_gps_ ? kGpsTags : kTags,
                    is_gps_ ? std::size(kGpsTags) : std::size(kTags), 1);
      is_gps_ = false;
      return;
    }
    const bool is_layout = !is_gps_ && std::find(std::begin(kLayoutTags), std::end(kLayoutTags),
                                                 field.tag) != std::end(kLayoutTags);
    if (is_layout) {
      if (is_file_ && depth == 0) ReadLayout(field);
      return;
    }
    const auto* const named = std::find_if(
        names, names + name_count, [&](const TagName& name) { return name.tag == field.tag; });
    const std::string name = named != names + name_count
                                 ? std::string(named->name)
                                 : (is_gps_ ? "GPS-" : "tag-") + std::to_string(field.tag);
    AddImageMetadata(info_, limits_, {"exif", name, Text(field), field.entry, field.entry + 12});
  }

  std::string_view bytes_;
  uint64_t begin_;
  const Limits& limits_;
  ImageInfo& info_;
  uint64_t entries_ = 0;
  uint64_t read_bytes_ = 0;
  bool is_little_ = false;
  bool is_tiff_ = false;
  bool is_file_ = false;
  bool is_gps_ = false;
};

}  // namespace

void ReadTiff(std::string_view bytes, const Limits& limits, ImageInfo& info) {
  TiffReader(bytes, 0, bytes.size(), limits, info).ReadFile();
}

void ReadExif(std::string_view bytes, uint64_t begin, uint64_t end, const Limits& limits,
              ImageInfo& info) {
  TiffReader(bytes, begin, end, limits, info).ReadMetadata();
}

}  // namespace staged
