#pragma once

#include "formats/odf/odf_file.h"
#include "staged/ext/format.h"

namespace staged::odf {

// Format::Apply for OpenDocument files of that kind.
[[nodiscard]] Result<EditOutcome> EditOdf(std::string_view bytes, OdfKind kind,
                                          const std::vector<Edit>& edits, const Limits& limits);

}  // namespace staged::odf
