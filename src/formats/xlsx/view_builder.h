#pragma once

#include "staged/ext/format.h"

namespace staged::xlsx {

// Version of everything that a parse depends on besides the bytes.
inline constexpr std::string_view kParserVersion = "2";

// The whole parse: parts, segments, diagnostics. Errors: kParseFailed, kLimitExceeded.
[[nodiscard]] Result<ParsedContent> BuildView(std::string_view bytes, const Limits& limits,
                                              const SegmentSource& reuse);

// Refuses what is no readable archive in words that fit office files.
[[nodiscard]] Status CheckContainer(std::string_view bytes);

}  // namespace staged::xlsx
