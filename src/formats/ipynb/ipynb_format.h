#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// Jupyter notebooks of nbformat 3 and 4.
[[nodiscard]] std::unique_ptr<Format> NewIpynbFormat();

}  // namespace staged
