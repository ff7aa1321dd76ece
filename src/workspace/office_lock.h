#pragma once

#include <string>

#include "staged/ext/env.h"

namespace staged {

// The office lock file beside `path` and who holds it ("~$report.docx" -> "report.docx is open in
// an office suite by Ada"), or "".
[[nodiscard]] std::string FindOfficeLock(Directory& root, const std::string& path);

}  // namespace staged
