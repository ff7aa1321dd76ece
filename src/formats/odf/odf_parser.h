#pragma once

#include "formats/odf/odf_file.h"
#include "staged/ext/format.h"

namespace staged::odf {

// Format::Parse for OpenDocument files of that kind.
[[nodiscard]] Result<ParsedContent> ParseOdf(std::string_view bytes, OdfKind kind,
                                             const Limits& limits, const SegmentSource& reuse);

}  // namespace staged::odf
