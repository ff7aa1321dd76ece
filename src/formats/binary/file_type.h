#pragma once

#include <string_view>

namespace staged {

// The type that the first bytes show: "png", "zip", "elf" ...; "" when nothing is known.
[[nodiscard]] std::string_view DetectFileType(std::string_view bytes);

}  // namespace staged
