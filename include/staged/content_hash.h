#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "staged/status.h"

namespace staged {

// SHA-256 (FIPS 180-4) of exact native bytes: the identity of a file's content. 32 bytes inside,
// hexadecimal only at the edges. A symlink's content is its target's bytes.
class ContentHash {
 public:
  static constexpr size_t kSizeBytes = 32;

  ContentHash() = default;  // all zero: no content's hash, used as "not set"

  [[nodiscard]] static ContentHash Of(std::string_view bytes);
  // REQUIRES: raw.size() == kSizeBytes.
  [[nodiscard]] static ContentHash FromRaw(std::string_view raw);
  // Reads "sha256:<64 hex>". Errors: kInvalidArgument.
  [[nodiscard]] static Result<ContentHash> Parse(std::string_view text);
  // Reads 64 lower-case hex digits without prefix. Errors: kInvalidArgument.
  [[nodiscard]] static Result<ContentHash> ParseHex(std::string_view hex);

  [[nodiscard]] std::string ToString() const;  // "sha256:<64 hex>"
  [[nodiscard]] std::string ToHex() const;     // 64 hex digits
  [[nodiscard]] std::string_view raw() const {
    return {reinterpret_cast<const char*>(bytes_.data()), kSizeBytes};
  }
  [[nodiscard]] bool is_zero() const { return *this == ContentHash(); }

  friend auto operator<=>(const ContentHash&, const ContentHash&) = default;

 private:
  std::array<uint8_t, kSizeBytes> bytes_{};
};

// Incremental SHA-256. Not thread-safe; reusable after Finish.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;

  void Update(std::string_view bytes);
  [[nodiscard]] ContentHash Finish();  // and starts afresh

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace staged

template <>
struct std::hash<staged::ContentHash> {
  size_t operator()(const staged::ContentHash& hash) const noexcept {
    size_t prefix = 0;
    std::memcpy(&prefix, hash.raw().data(), sizeof(prefix));
    return prefix;
  }
};
