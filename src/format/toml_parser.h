#pragma once

#include <string_view>

#include "format/data_tree.h"
#include "staged/limits.h"

namespace staged {

// TOML 1.0 as a tree with byte offsets. Tables are where they belong, whatever their order in the
// file; the children of a table are in the order of their first mention. `style` of a node:
//   basic, literal, multiline_basic, multiline_literal, plain   scalars
//   inline                                                     { } and [ ]
//   table, tables      made by [header]; the list that [[header]] makes, and its elements "table"
//   dotted, implicit   made by the key a.b = 1; by a longer [a.b]
// A table of style table has the span of its header and of the values under it. Reading stops at
// the first line that is no TOML.
[[nodiscard]] DataTree ParseToml(std::string_view text, const Limits& limits);

// What a bare scalar is, or kString where it is none.
[[nodiscard]] DataType BareTomlType(std::string_view text);

}  // namespace staged
