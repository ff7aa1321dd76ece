#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/xlsx/shared_strings.h"
#include "formats/xlsx/sheet_layout.h"
#include "formats/xlsx/styles.h"
#include "record/grid_segment.h"
#include "staged/limits.h"
#include "staged/view.h"

namespace staged::xlsx {

struct Hyperlink {
  std::string range;
  std::string relationship_id;
  std::string location;
  std::string display;
  std::string tooltip;
};

// Another child of the sheet's root: conditional formats, protection, views ...
struct SheetPiece {
  std::string name;  // "conditionalFormatting"
  std::string xml;   // with its tags
};

// What a sheet's XML holds (ECMA-376 part 1, 18.3).
struct ParsedSheet {
  std::shared_ptr<const GridSegment> cells;
  std::string dimension;  // used range as counted: "A1:D9"; empty without cells
  std::vector<std::string> merges;
  std::vector<Hyperlink> hyperlinks;
  std::vector<LineRun> rows;
  std::vector<LineRun> columns;
  std::vector<FormattedCells> formats;
  std::vector<SheetPiece> pieces;
  std::vector<Diagnostic> diagnostics;
};

struct SheetContext {
  const SharedStrings* shared_strings = nullptr;  // REQUIRES: not null
  const Styles* styles = nullptr;                 // REQUIRES: not null
  Limits limits;
  uint64_t text_bytes_max = UINT64_MAX;  // of GridSegment::text_bytes()
  // GridSheet::part_digest, where it is still being computed; asked for when all is read.
  std::function<ContentHash()> part_digest;
};

// Reads all non-empty cells in one pass; cost follows them and the XML's size, never the dimension.
// Malformed XML ends reading with a diagnostic; what was read before it is kept.
[[nodiscard]] ParsedSheet ParseSheet(std::string_view xml, GridSheet sheet,
                                     const ContentHash& digest, const SheetContext& context);

}  // namespace staged::xlsx
