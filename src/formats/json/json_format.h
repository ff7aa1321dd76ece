#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

[[nodiscard]] std::unique_ptr<Format> NewJsonFormat();
// JSON lines: a value a line.
[[nodiscard]] std::unique_ptr<Format> NewJsonLinesFormat();

}  // namespace staged
