#include "staged/view.h"

#include "record/cell_address.h"
#include "record/grid_segment.h"

namespace staged {

size_t View::record_count() const {
  size_t count = 0;
  for (const auto& segment : segments) count += segment->record_count();
  return count;
}

void View::ForEach(const std::function<bool(const Record&)>& visit) const {
  bool more = true;
  for (const auto& segment : segments) {
    if (!more) return;
    segment->ForEach([&](const Record& record) { return more = visit(record); });
  }
}

std::vector<Record> View::Records() const {
  std::vector<Record> records;
  records.reserve(record_count());
  ForEach([&](const Record& record) {
    records.push_back(record);
    return true;
  });
  return records;
}

namespace {

// A cell's locator as records write it: Q3!$c$5 is 'Q3'!C5. Other locators stay as they are.
std::string UsualSpelling(std::string_view locator) {
  const std::optional<SheetLocator> split = SplitSheetLocator(locator);
  if (!split || split->sheet.empty()) return std::string(locator);
  const std::optional<CellRange> range = ParseCellRange(split->rest);
  return QuoteSheetName(split->sheet) + "!" + (range ? FormatCellRange(*range) : split->rest);
}

// The cell of that locator, without making the records of all others.
std::optional<Record> FindInGrid(const GridSegment& grid, std::string_view locator) {
  const std::optional<SheetLocator> split = SplitSheetLocator(locator);
  if (!split || split->sheet != grid.sheet().name) return std::nullopt;
  const std::optional<CellAddress> cell = ParseCellAddress(split->rest);
  const std::optional<size_t> index = cell ? grid.FindCell(*cell) : std::nullopt;
  if (!index || grid.locator(*index) != locator) return std::nullopt;
  return grid.At(*index);
}

}  // namespace

Result<Record> View::Find(std::string_view locator) const {
  std::optional<Record> found;
  const auto look = [&](std::string_view spelling) {
    for (const auto& segment : segments) {
      if (const auto* grid = dynamic_cast<const GridSegment*>(segment.get())) {
        found = FindInGrid(*grid, spelling);
      } else {
        segment->ForEach([&](const Record& record) {
          if (record.locator == spelling) found = record;
          return !found.has_value();
        });
      }
      if (found) return;
    }
  };
  look(locator);
  if (!found) {
    const std::string spelling = UsualSpelling(locator);
    if (spelling != locator) look(spelling);
  }
  if (found) return *std::move(found);
  return Status(ErrorCode::kNoMatch, "no record has the locator '" + std::string(locator) +
                                         "'; list the locators with `staged parse FILE --jsonl`");
}

}  // namespace staged
