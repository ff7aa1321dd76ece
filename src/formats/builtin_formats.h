#pragma once

#include <memory>

#include "staged/ext/format.h"
#include "staged/ext/office_converter.h"

namespace staged {

// Every format this project has. Only adapters and tests link this list.
[[nodiscard]] FormatRegistry NewBuiltinRegistry();
// Those that a program with a converter has besides: old office files, read by way of the current
// formats of `registry`, which may parse them elsewhere. Without one (nullptr) they say what to
// install. REQUIRES: `registry` has docx, xlsx and pptx.
void AddConvertedFormats(FormatRegistry& registry,
                         const std::shared_ptr<const OfficeConverter>& converter);

}  // namespace staged
