#pragma once

#include <tree_sitter/api.h>

#include <vector>

#include "staged/record.h"

namespace staged {

// The malformed places of a tree in order, at most a hundred; an empty span is where something is
// missing.
[[nodiscard]] std::vector<ByteSpan> SyntaxErrors(TSNode root);

}  // namespace staged
