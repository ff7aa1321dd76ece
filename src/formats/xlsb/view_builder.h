#pragma once

#include <string_view>

#include "staged/ext/format.h"

namespace staged::xlsb {

inline constexpr std::string_view kParserVersion = "1";

// As Format::Parse.
[[nodiscard]] Result<ParsedContent> BuildView(std::string_view bytes, const Limits& limits);

}  // namespace staged::xlsb
