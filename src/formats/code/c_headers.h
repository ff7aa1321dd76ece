#pragma once

#include <string_view>

namespace staged {

// Whether a header is C++ rather than C: it has a word that only C++ has, outside of comments,
// strings and what "#ifdef __cplusplus" hides from C. Looks at the first 256 KiB.
[[nodiscard]] bool IsCppHeader(std::string_view text);

}  // namespace staged
