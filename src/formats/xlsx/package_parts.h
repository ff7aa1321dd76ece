#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/xlsx/part_segments.h"
#include "formats/xlsx/workbook.h"

namespace staged::xlsx {

// Walks the relationships of a workbook and makes segments of the parts that they lead to. Borrows
// everything.
class PackageParts {
 public:
  PackageParts(PartSegments& segments, const Workbook& workbook,
               std::function<ContentHash(std::string_view part)> digest_of,
               std::function<void(std::string_view part, std::vector<std::string> kinds)> cover)
      : segments_(segments),
        workbook_(workbook),
        digest_of_(std::move(digest_of)),
        cover_(std::move(cover)) {}

  // Tables, comments, drawings with their charts, pivot tables ... of one sheet.
  void AddOfSheet(const SheetEntry& sheet, const std::vector<OpcRelationship>& relationships);
  // The theme, external links, pivot caches, connections, slicers' caches and properties.
  void AddOfWorkbook();
  // Parts of these names that nothing has shown yet, also those that no relationship leads to.
  void AddOthers(const std::vector<std::string>& names);

 private:
  // Pictures whose digest a record has are shown by it.
  void CoverPictures(const std::shared_ptr<const Segment>& segment);
  void AddDrawing(const PartSegments::Job& job);
  void AddPivotTable(PartSegments::Job job);
  void AddThreads(PartSegments::Job job);
  void AddProperties();

  PartSegments& segments_;
  const Workbook& workbook_;
  const std::function<ContentHash(std::string_view part)> digest_of_;
  const std::function<void(std::string_view part, std::vector<std::string> kinds)> cover_;
};

}  // namespace staged::xlsx
