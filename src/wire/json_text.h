#pragma once

#include <string>
#include <string_view>

#include "staged/status.h"
#include "staged/value.h"

namespace staged {

// JSON (RFC 8259) of a value on one line, members in their order. Malformed UTF-8 is replaced by
// U+FFFD, numbers that JSON cannot say are null; doubles are the shortest text that reads back.
[[nodiscard]] std::string ToJson(const Value& value);

// Errors: kInvalidArgument with the place.
[[nodiscard]] Result<Value> ParseJson(std::string_view text);

}  // namespace staged
