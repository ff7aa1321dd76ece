#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace staged {

struct ImageSize {
  uint32_t width = 0;   // pixels
  uint32_t height = 0;  // pixels
};

// The type that the first bytes show: "png", "zip", "elf" ...; "" when nothing is known.
[[nodiscard]] std::string_view DetectFileType(std::string_view bytes);

// Dimensions of a png, jpeg, gif, webp or bmp image, read from its headers.
[[nodiscard]] std::optional<ImageSize> ReadImageSize(std::string_view bytes);

}  // namespace staged
