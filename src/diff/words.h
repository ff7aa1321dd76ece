#pragma once

#include <string_view>
#include <vector>

#include "staged/diff.h"

namespace staged {

// Splits into words (runs of letters, digits, '_' and non-ASCII characters), runs of white space
// and single other characters; the spans cover all of `text`.
[[nodiscard]] std::vector<ByteSpan> SplitWords(std::string_view text);

// The runs of words that differ, in order. Near-linear; texts of very many words are compared by
// their common beginning and end only.
[[nodiscard]] std::vector<TextReplacement> DiffWords(std::string_view before,
                                                     std::string_view after);

}  // namespace staged
