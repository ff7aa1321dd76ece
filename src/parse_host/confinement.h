#pragma once

#include <cstdint>

#include "staged/status.h"

namespace staged {

// Takes from the calling process, for good, all it does not need to turn bytes that it has into
// bytes that it gives back: files, network, processes, signals to others, memory above a limit.
// Only the descriptor `kept` stays open. A forbidden call kills the process with SIGSYS. Errors:
// kIoError (this system cannot confine a process).
[[nodiscard]] Status ConfineThisProcess(int kept, uint64_t memory_bytes_max);

}  // namespace staged
