#pragma once

#include <string_view>
#include <vector>

#include "staged/ext/format.h"

namespace staged::docx {

// Format::Apply of Word documents. Locators mean the document before the edits; several edits of
// one paragraph are applied one after the other.
[[nodiscard]] Result<EditOutcome> EditDocument(std::string_view bytes,
                                               const std::vector<Edit>& edits,
                                               const Limits& limits);

}  // namespace staged::docx
