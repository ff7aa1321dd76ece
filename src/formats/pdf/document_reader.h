#pragma once

#include <vector>

#include "formats/pdf/document_session.h"
#include "staged/view.h"

namespace staged::pdf {

struct DocumentContent {
  std::vector<Record> records;  // the document first
  std::vector<Diagnostic> diagnostics;
};

// What belongs to no page: properties, outline, attachments, scripts, signatures.
[[nodiscard]] DocumentContent ReadDocument(OpenDocument& open, const Limits& limits);

}  // namespace staged::pdf
