#pragma once

#include <string_view>
#include <vector>

#include "staged/limits.h"
#include "staged/record.h"
#include "staged/status.h"

namespace staged {

// The kinds of the records that tell the macros of an office file.
inline constexpr std::string_view kVbaRecordKinds[] = {"macro_project", "macro_module",
                                                       "macro_stream"};

// The macros in a vbaProject.bin ([MS-OVBA]): the project "macros", the source of each module, and
// the digests of the streams that hold them compiled. Errors: those of ReadVbaProject.
[[nodiscard]] Result<std::vector<Record>> VbaRecords(std::string_view bytes, const Limits& limits);

}  // namespace staged
