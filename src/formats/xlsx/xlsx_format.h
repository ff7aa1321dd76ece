#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// Spreadsheets of Office Open XML (ECMA-376, transitional and strict): xlsx, xlsm, xltx, xltm.
// Reads everything that the records name; edits set and clear cells.
[[nodiscard]] std::unique_ptr<Format> NewXlsxFormat();

}  // namespace staged
