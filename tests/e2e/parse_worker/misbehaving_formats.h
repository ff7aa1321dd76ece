#pragma once

#include "staged/ext/format.h"

namespace staged {

// Formats that do what a parser of hostile bytes might do, by name: "lines" (parses; asks for a
// segment "part" first), "threads" (parses in two of them), "crashes", "aborts", "hangs", "greedy"
// (allocates without end), "opens" (a file), "connects" (a socket), "starts" (a process),
// "executes" (maps executable memory).
[[nodiscard]] FormatRegistry NewMisbehavingRegistry();

}  // namespace staged
