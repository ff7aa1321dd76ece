#pragma once

#include <string_view>
#include <vector>

#include "codec/lines.h"
#include "staged/ext/format.h"

namespace staged {

// The places in `text` that a replace_text means: where its "find" occurs, as it is or else with
// newlines of that kind. "all" or "occurrence" (from 1) choose among several. Never none. Errors:
// kNoMatch, kAmbiguous, kInvalidArgument.
[[nodiscard]] Result<std::vector<ByteSpan>> TextMatches(const Edit& edit, std::string_view text,
                                                        Newline newline);

}  // namespace staged
