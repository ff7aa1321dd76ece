#pragma once

#include <string_view>
#include <vector>

#include "record/number_format.h"

namespace staged {

// The sections of a number format's code, in order; never empty.
[[nodiscard]] std::vector<NumberFormat::Section> ParseNumberFormat(std::string_view code);

}  // namespace staged
