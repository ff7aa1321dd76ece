#pragma once

#include <string_view>

#include "staged/ext/format.h"

namespace staged::pdf {

// The view of a PDF file. Errors: kParseFailed (no PDF, or damaged beyond PDFium's repair),
// kLimitExceeded (larger than an instance's memory can hold).
[[nodiscard]] Result<ParsedContent> ParsePdf(std::string_view bytes, const Limits& limits,
                                             const SegmentSource& reuse);

}  // namespace staged::pdf
