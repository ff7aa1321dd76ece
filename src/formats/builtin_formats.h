#pragma once

#include "staged/ext/format.h"

namespace staged {

// Every format this project has. Only adapters and tests link this list.
[[nodiscard]] FormatRegistry NewBuiltinRegistry();

}  // namespace staged
