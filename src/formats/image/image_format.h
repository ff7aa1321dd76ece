#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

[[nodiscard]] std::unique_ptr<Format> NewImageFormat();

}  // namespace staged
