#pragma once

#include "staged/ext/format.h"

namespace staged::pptx {

// Format::Parse for presentations.
[[nodiscard]] Result<ParsedContent> ParsePresentation(std::string_view bytes, const Limits& limits,
                                                      const SegmentSource& reuse);

}  // namespace staged::pptx
