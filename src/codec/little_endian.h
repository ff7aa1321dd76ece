#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Little-endian integers inside byte strings. REQUIRES of every load and store: it lies inside.
namespace staged {

[[nodiscard]] inline uint16_t Load16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[at]) | static_cast<uint8_t>(bytes[at + 1])
                                                                     << 8);
}
[[nodiscard]] inline uint32_t Load32(std::string_view bytes, size_t at) {
  return Load16(bytes, at) | static_cast<uint32_t>(Load16(bytes, at + 2)) << 16;
}
[[nodiscard]] inline uint64_t Load64(std::string_view bytes, size_t at) {
  return Load32(bytes, at) | static_cast<uint64_t>(Load32(bytes, at + 4)) << 32;
}

inline void Store16(std::string& bytes, size_t at, uint16_t number) {
  bytes[at] = static_cast<char>(number);
  bytes[at + 1] = static_cast<char>(number >> 8);
}
inline void Store32(std::string& bytes, size_t at, uint32_t number) {
  Store16(bytes, at, static_cast<uint16_t>(number));
  Store16(bytes, at + 2, static_cast<uint16_t>(number >> 16));
}
inline void Store64(std::string& bytes, size_t at, uint64_t number) {
  Store32(bytes, at, static_cast<uint32_t>(number));
  Store32(bytes, at + 4, static_cast<uint32_t>(number >> 32));
}

}  // namespace staged
