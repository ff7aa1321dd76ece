#pragma once

#include "staged/ext/format.h"

namespace staged::xlsx {

// Sets and clears cells by splicing; everything else keeps its bytes. Errors: those of
// Format::Apply.
//   set           arguments: "value" (null, boolean, number, string) or "formula" ("=" optional)
//   clear         the cell keeps its style
//   replace_text  arguments: "find", "replace"; within a cell's plain text, every occurrence
[[nodiscard]] Result<EditOutcome> ApplyEdits(std::string_view bytes, const std::vector<Edit>& edits,
                                             const Limits& limits);

}  // namespace staged::xlsx
