#include "formats/xlsb/binary_record.h"

#include <bit>

#include "codec/little_endian.h"
#include "codec/text_encoding.h"

namespace staged::xlsb {
namespace {

constexpr uint32_t kNullText = UINT32_MAX;

}  // namespace

bool RecordReader::Next() {
  if (rest_.empty() || is_torn_) return false;
  size_t at = 0;
  // Seven bits a byte, the lowest first, as long as the highest bit is set.
  const auto number = [&](size_t bytes_max) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes_max; ++i) {
      if (at == rest_.size()) {
        is_torn_ = true;
        break;
      }
      const auto byte = static_cast<uint8_t>(rest_[at++]);
      value |= uint32_t{byte & 0x7FU} << (7 * i);
      if ((byte & 0x80) == 0) break;
    }
    return value;
  };
  type_ = number(2);
  const uint32_t size = number(4);
  is_torn_ = is_torn_ || size > rest_.size() - at;
  if (is_torn_) return false;
  fields_ = rest_.substr(at, size);
  rest_.remove_prefix(at + size);
  return true;
}

std::string_view FieldReader::Bytes(uint64_t size) {
  if (size > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

uint8_t FieldReader::Byte() {
  const std::string_view bytes = Bytes(1);
  return bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
}

uint16_t FieldReader::Short() {
  const std::string_view bytes = Bytes(2);
  return bytes.empty() ? 0 : Load16(bytes, 0);
}

uint32_t FieldReader::Long() {
  const std::string_view bytes = Bytes(4);
  return bytes.empty() ? 0 : Load32(bytes, 0);
}

double FieldReader::Real() {
  const std::string_view bytes = Bytes(8);
  return bytes.empty() ? 0 : std::bit_cast<double>(Load64(bytes, 0));
}

double FieldReader::Rk() {
  const uint32_t bits = Long();
  const bool is_integer = (bits & 2) != 0;
  const double number = is_integer ? static_cast<int32_t>(bits) >> 2
                                   : std::bit_cast<double>(uint64_t{bits & ~3U} << 32);
  return (bits & 1) != 0 ? number / 100 : number;
}

std::string FieldReader::Text() {
  const uint32_t units = Long();
  if (units == kNullText) return "";
  return Utf16LittleEndianToUtf8(Bytes(uint64_t{units} * 2));
}

std::string FieldReader::RichText() {
  (void)Byte();  // whether formats and phonetic text follow
  return Text();
}

std::optional<CellRange> FieldReader::Range() {
  const uint32_t first_row = Long();
  const uint32_t last_row = Long();
  const uint32_t first_column = Long();
  const uint32_t last_column = Long();
  const bool is_inside = ok_ && first_row <= last_row && last_row < kSheetRowsMax &&
                         first_column <= last_column && last_column < kSheetColumnsMax;
  if (!is_inside) return std::nullopt;
  return CellRange{{first_row + 1, first_column + 1}, {last_row + 1, last_column + 1}};
}

std::string ErrorName(uint8_t code) {
  switch (code) {
    case 0x00:
      return "#NULL!";
    case 0x07:
      return "#DIV/0!";
    case 0x0F:
      return "#VALUE!";
    case 0x17:
      return "#REF!";
    case 0x1D:
      return "#NAME?";
    case 0x24:
      return "#NUM!";
    case 0x2A:
      return "#N/A";
    case 0x2B:
      return "#GETTING_DATA";
    default:
      return "#ERR" + std::to_string(code);
  }
}

}  // namespace staged::xlsb
