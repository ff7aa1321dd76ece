#pragma once

#include <string>
#include <string_view>

// C and C++ as their grammars can read them, without a preprocessor.
namespace staged {

// Whether a header is C++ rather than C: it has a word that only C++ has, outside of comments,
// strings and what "#ifdef __cplusplus" hides from C. Looks at the first 256 KiB.
[[nodiscard]] bool IsCppHeader(std::string_view text);

// The text with spaces for what the grammars stumble over, every other byte in its place: a brace
// that a branch for C++ opens or closes alone ("extern "C" {" between #ifdef and #endif), and
// comments inside of a macro's definition. Empty if there is nothing of that kind.
[[nodiscard]] std::string ReadableCSource(std::string_view text);

// The same without the lines of conditions (#if, #else, #endif): what stands between them is read
// as if all of it held. For a text that does not parse as a whole, where a condition around
// everything would take everything along.
[[nodiscard]] std::string CSourceWithoutConditions(std::string_view text);

}  // namespace staged
