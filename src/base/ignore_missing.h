#pragma once

#include "staged/status.h"

namespace staged {

// OK where what was to go was gone already.
[[nodiscard]] inline Status IgnoreMissing(const Status& status) {
  return status.code() == ErrorCode::kNotFound ? OkStatus() : status;
}

}  // namespace staged
