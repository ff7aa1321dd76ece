#include "formats/xlsx/editor.h"

namespace staged::xlsx {

Result<EditOutcome> ApplyEdits(std::string_view, const std::vector<Edit>&, const Limits&) {
  return Status(ErrorCode::kUnsupportedEdit,
                "this version reads workbooks only; write the whole file instead");
}

}  // namespace staged::xlsx
