#pragma once

#include <string>
#include <vector>

#include "formats/pdf/document_session.h"
#include "formats/pdf/page_text.h"
#include "staged/view.h"

namespace staged::pdf {

struct PageContent {
  std::vector<Record> records;  // the page first
  ContentHash digest;           // of what the records were made from
  std::vector<Record> widgets;  // of form fields, one for each place where a field is shown
  std::vector<Diagnostic> diagnostics;
  bool is_scan = false;  // an image fills it, and it has no text
};

// The page `index` (from 0). What was read before the instance stopped is in the answer.
[[nodiscard]] PageContent ReadPage(OpenDocument& open, uint32_t index);

// [x0, y0, x1, y1] in tenths of a point.
[[nodiscard]] Value BoxValue(const Box& box);

}  // namespace staged::pdf
