#pragma once

#include <cstdint>
#include <string_view>

// Integers of image headers. Zero past the end, so that truncated headers give no size.
namespace staged {

[[nodiscard]] inline uint32_t ByteAt(std::string_view bytes, uint64_t at) {
  return at < bytes.size() ? static_cast<uint8_t>(bytes[at]) : 0;
}
[[nodiscard]] inline uint32_t Big16(std::string_view bytes, uint64_t at) {
  return (ByteAt(bytes, at) << 8) | ByteAt(bytes, at + 1);
}
[[nodiscard]] inline uint32_t Big32(std::string_view bytes, uint64_t at) {
  return (Big16(bytes, at) << 16) | Big16(bytes, at + 2);
}
[[nodiscard]] inline uint32_t Little16(std::string_view bytes, uint64_t at) {
  return ByteAt(bytes, at) | (ByteAt(bytes, at + 1) << 8);
}
[[nodiscard]] inline uint32_t Little24(std::string_view bytes, uint64_t at) {
  return Little16(bytes, at) | (ByteAt(bytes, at + 2) << 16);
}
[[nodiscard]] inline uint32_t Little32(std::string_view bytes, uint64_t at) {
  return Little16(bytes, at) | (Little16(bytes, at + 2) << 16);
}
[[nodiscard]] inline bool HasAt(std::string_view bytes, uint64_t at, std::string_view wanted) {
  return bytes.size() >= wanted.size() && at <= bytes.size() - wanted.size() &&
         bytes.substr(at, wanted.size()) == wanted;
}

}  // namespace staged
