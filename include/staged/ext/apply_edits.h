#pragma once

#include <string_view>
#include <vector>

#include "staged/ext/format.h"

namespace staged {

// Format::Apply of the detected format, with the promise that the result can be edited again: it is
// detected as the same format (one kind of text may become another). Errors: those of Apply;
// kUnsupportedEdit when it would not be.
[[nodiscard]] Result<EditOutcome> ApplyEdits(const FormatRegistry& registry, std::string_view bytes,
                                             std::string_view path, const std::vector<Edit>& edits,
                                             const Limits& limits);

}  // namespace staged
