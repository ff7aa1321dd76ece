#pragma once

#include <set>
#include <string>
#include <string_view>

#include "staged/limits.h"
#include "staged/status.h"

namespace staged {

// The part without those elements of that local name whose attribute has one of the values. Errors:
// kParseFailed, kLimitExceeded.
[[nodiscard]] Result<std::string> XmlWithoutElements(std::string_view xml, std::string_view element,
                                                     std::string_view attribute,
                                                     const std::set<std::string>& values,
                                                     const Limits& limits);

}  // namespace staged
