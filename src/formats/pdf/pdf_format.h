#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// PDF (ISO 32000-1), read only: what a page shows and what the document carries beside it.
[[nodiscard]] std::unique_ptr<Format> NewPdfFormat();

}  // namespace staged
