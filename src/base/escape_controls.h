#pragma once

#include <string>
#include <string_view>

namespace staged {

// `text` on one line and harmless to a terminal: line ends, escapes and other control characters
// (C0, DEL, C1) but the tab are written as "\\n", "\\x1b", "\\u0085". All else stays as it is.
[[nodiscard]] std::string EscapeControls(std::string_view text);

}  // namespace staged
