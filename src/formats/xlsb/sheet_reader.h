#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/xlsb/workbook.h"
#include "record/grid_segment.h"

namespace staged::xlsb {

struct Hyperlink {
  std::string range;
  std::string relationship_id;
  std::string location;
  std::string tooltip;
  std::string display;
};

// What is read of a sheet's part ([MS-XLSB] 2.1.7.62).
struct SheetContent {
  std::shared_ptr<const GridSegment> cells;
  std::string dimension;
  std::vector<std::string> merges;  // "A1:B2"
  std::vector<Hyperlink> hyperlinks;
  // Records that are not shown: how many of each type, and a digest of them all.
  std::map<uint32_t, size_t> unshown;
  ContentHash unshown_digest;
  std::vector<std::string> unread_formulas;  // addresses of the first cells with such
  size_t unread_formula_count = 0;
  bool is_torn = false;
  std::string cut_at;  // where cells begin that are left out for a limit; ""
};

struct SheetLimits {
  uint64_t cells_max = 0;
  uint64_t text_bytes_max = 0;  // of all cells; strings are shared, so that few bytes can say much
};

// `digest` becomes that of the cells' segment.
[[nodiscard]] SheetContent ReadSheet(std::string_view bytes, const Workbook& workbook,
                                     GridSheet sheet, const ContentHash& digest,
                                     const SheetLimits& limits);

}  // namespace staged::xlsb
