#pragma once

#include "staged/ext/format.h"

namespace staged::xlsx {

// How records of workbooks are compared and merged.
[[nodiscard]] Profile WorkbookProfile();

}  // namespace staged::xlsx
