#pragma once

#include <string_view>

#include "staged/ext/format.h"

namespace staged::docx {

// Format::Parse of Word documents.
[[nodiscard]] Result<ParsedContent> ParseDocument(std::string_view bytes, const Limits& limits,
                                                  const SegmentSource& reuse);

}  // namespace staged::docx
