#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "record/cell_address.h"

namespace staged {

// Rewrites every cell reference of a formula in A1 notation, corners of ranges one by one; '$'
// signs stay. `remap` gets the sheet's name, unquoted ("" for the formula's own), and the address;
// an answer without row stands for "#", which makes formulas comparable whatever they refer to.
// Texts, function names, structured and external references are left as they are.
[[nodiscard]] std::string RemapReferences(
    std::string_view formula,
    const std::function<CellAddress(std::string_view sheet, CellAddress cell)>& remap);

}  // namespace staged
