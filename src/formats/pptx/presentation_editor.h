#pragma once

#include "staged/ext/format.h"

namespace staged::pptx {

// Format::Apply for presentations.
[[nodiscard]] Result<EditOutcome> EditPresentation(std::string_view bytes,
                                                   const std::vector<Edit>& edits,
                                                   const Limits& limits);

}  // namespace staged::pptx
