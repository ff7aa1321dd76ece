#pragma once

#include <cstdint>

#include "staged/ext/format.h"

namespace staged {

// The other side of ParseHost: the whole life of a worker process. Confines the process, then
// answers requests on the socket `descriptor` until the host closes it. Takes the limits from
// `memory_bytes_max` (0: none). Returns the process's exit code.
[[nodiscard]] int RunParseWorker(int descriptor, const FormatRegistry& formats,
                                 uint64_t memory_bytes_max);

}  // namespace staged
