#pragma once

#include <string_view>

#include "formats/xlsx/record_list.h"
#include "staged/limits.h"
#include "staged/status.h"

namespace staged::xlsx {

// The macros of a workbook, a vbaProject.bin ([MS-OVBA]): the project, the source of each module,
// and the digests of the streams that hold them compiled. Errors: those of ReadVbaProject; then no
// record is added.
[[nodiscard]] Status AddMacroRecords(std::string_view bytes, const Limits& limits,
                                     RecordList& records);

}  // namespace staged::xlsx
