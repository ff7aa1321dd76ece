#pragma once

#include <memory>
#include <vector>

#include "staged/ext/format.h"

namespace staged {

// A format for each language of languages.cc.
[[nodiscard]] std::vector<std::unique_ptr<Format>> NewCodeFormats();

}  // namespace staged
