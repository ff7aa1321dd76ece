#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// Binary workbooks ([MS-XLSB]); read only. See docs/formats/xlsb.md.
[[nodiscard]] std::unique_ptr<Format> NewXlsbFormat();

}  // namespace staged
