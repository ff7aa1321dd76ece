#pragma once

#include <memory>

#include "staged/ext/format.h"
#include "staged/ext/office_converter.h"

namespace staged {

// Adds the old office formats doc, xls, ppt and rtf, read only: their views are those of docx, xlsx
// and pptx of `registry` after a conversion, labelled with the converter's name. Without one
// (nullptr) they have no view, and say what to install. `registry` must not be moved to another
// place afterwards other than as a whole. REQUIRES: it has those three.
void RegisterLegacyFormats(FormatRegistry& registry,
                           const std::shared_ptr<const OfficeConverter>& converter);

}  // namespace staged
