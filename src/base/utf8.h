#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace staged {

// Whether all of `text` is well-formed UTF-8 (Unicode 15, table 3-7).
[[nodiscard]] bool IsValidUtf8(std::string_view text);
// `text` with every malformed sequence replaced by U+FFFD.
[[nodiscard]] std::string ReplaceInvalidUtf8(std::string_view text);
// Appends the encoding of `code_point`; U+FFFD for what is no scalar value.
void AppendUtf8(std::string& out, uint32_t code_point);
// The code point at `position`, which moves behind it; U+FFFD (moving one byte) where malformed.
[[nodiscard]] uint32_t NextCodePoint(std::string_view text, size_t& position);

}  // namespace staged
