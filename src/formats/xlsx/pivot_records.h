#pragma once

#include <string>
#include <vector>

#include "formats/xlsx/part_tree.h"
#include "formats/xlsx/record_list.h"
#include "formats/xlsx/related_records.h"

namespace staged::xlsx {

// The names of a pivot cache's fields (ECMA-376 part 1, 18.10.1.3), as pivot tables count them.
[[nodiscard]] std::vector<std::string> PivotCacheFields(const PartTree& tree);

// A pivot cache (18.10.1.67): its source, and its fields with the values that it keeps of them.
// Nobody sees those in a sheet. `context.base` is the cache's locator.
void ReadPivotCache(const PartTree& tree, const PartContext& context, RecordList& records);

}  // namespace staged::xlsx
