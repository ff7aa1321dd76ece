#include "diff/segment_pairing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "record/grid_segment.h"

namespace staged {
namespace {

// Small grids are quick anyway; many changed cells may be rows or columns that moved.
constexpr size_t kGridCellsMin = 4096;
constexpr size_t kChangedCellsMax = 256;
constexpr size_t kTailCellsMax = 4096;
constexpr size_t kReorderedRecordsMax = 4096;  // of one segment

std::vector<size_t> SegmentStarts(const View& view) {
  std::vector<size_t> starts;
  size_t start = 0;
  for (const auto& segment : view.segments) {
    starts.push_back(start);
    start += segment->record_count();
  }
  return starts;
}

const GridSegment* AsLargeGrid(const Segment& segment) {
  if (segment.record_count() < kGridCellsMin) return nullptr;
  return dynamic_cast<const GridSegment*>(&segment);
}

// Whether a row with changed cells directly follows another one. Rows that were put in at one place
// and taken out at another change every row between the two.
bool HasNeighbours(const GridSegment& grid, const std::vector<size_t>& cells) {
  for (size_t i = 1; i < cells.size(); ++i) {
    const uint32_t before = grid.row(cells[i - 1]);
    const uint32_t row = grid.row(cells[i]);
    if (row == before) continue;
    if (grid.row(grid.LowerBound(before + 1)) == row) return true;
  }
  return false;
}

// What two large grids do not share: cells changed where they are, and the last rows, which may be
// others on either side.
struct GridDifference {
  size_t common = 0;         // first cells, at the same addresses
  std::vector<size_t> kept;  // of these, ascending: the changed ones
};

// The changed cells with all others of their rows.
std::vector<size_t> WholeRows(const GridSegment& grid, const std::vector<size_t>& cells) {
  std::vector<size_t> whole;
  for (const size_t cell : cells) {
    if (!whole.empty() && whole.back() >= cell) continue;
    const size_t end = grid.LowerBound(grid.row(cell) + 1);
    for (size_t at = grid.LowerBound(grid.row(cell)); at < end; ++at) whole.push_back(at);
  }
  return whole;
}

std::optional<GridDifference> CompareGrids(const GridSegment& from, const GridSegment& to) {
  GridDifference difference;
  difference.common = from.CountCommonAddresses(to);
  const size_t from_tail = from.cell_count() - difference.common;
  const size_t to_tail = to.cell_count() - difference.common;
  if (from_tail > kTailCellsMax || to_tail > kTailCellsMax) return std::nullopt;
  std::optional<std::vector<size_t>> cells =
      from.FindDifferingCells(to, difference.common, kChangedCellsMax);
  if (!cells || HasNeighbours(from, *cells)) return std::nullopt;
  // By its unchanged cells a row is known again when rows are aligned.
  difference.kept = from_tail + to_tail > 0 ? WholeRows(from, *cells) : *std::move(cells);
  return difference;
}

SkippedRecords SkipAllBut(std::vector<size_t> kept, size_t common, size_t count) {
  for (size_t i = common; i < count; ++i) kept.push_back(i);
  return {.all = kept.empty(), .kept = std::move(kept)};
}

class Pairer {
 public:
  Pairer(const View& from, const View& to)
      : from_(from), to_(to), from_starts_(SegmentStarts(from)), to_starts_(SegmentStarts(to)) {
    pairing_.from_skipped.resize(from.segments.size());
    pairing_.to_skipped.resize(to.segments.size());
  }

  SegmentPairing Pair() {
    PairEqual();
    PairGrids();
    std::sort(pairing_.runs.begin(), pairing_.runs.end(),
              [](const RecordRun& a, const RecordRun& b) { return a.to_index < b.to_index; });
    return std::move(pairing_);
  }

 private:
  void PairEqual() {
    std::map<std::pair<std::string, ContentHash>, std::vector<size_t>> of_from;
    for (size_t i = from_.segments.size(); i > 0; --i) {
      const Segment& segment = *from_.segments[i - 1];
      of_from[{segment.part(), segment.digest()}].push_back(i - 1);
    }
    std::vector<std::pair<size_t, size_t>> pairs;  // from, to
    for (size_t i = 0; i < to_.segments.size(); ++i) {
      const Segment& segment = *to_.segments[i];
      const auto found = of_from.find({segment.part(), segment.digest()});
      if (found == of_from.end() || found->second.empty()) continue;
      const size_t other = found->second.back();
      if (from_.segments[other]->record_count() != segment.record_count()) continue;
      found->second.pop_back();
      pairs.emplace_back(other, i);
    }
    const bool in_order = std::is_sorted(pairs.begin(), pairs.end());
    for (const auto& [other, i] : pairs) {
      const size_t count = to_.segments[i]->record_count();
      // In another order, records are taken in, so that those that moved are found among the rest.
      if (!in_order && count <= kReorderedRecordsMax) continue;
      pairing_.from_skipped[other].all = pairing_.to_skipped[i].all = true;
      pairing_.runs.push_back({from_starts_[other], to_starts_[i], count});
    }
  }

  void PairGrids() {
    std::map<std::string, size_t> grids;  // of `from`, by part
    for (size_t i = 0; i < from_.segments.size(); ++i) {
      const bool wanted = !pairing_.from_skipped[i].all && AsLargeGrid(*from_.segments[i]);
      if (wanted) grids.emplace(from_.segments[i]->part(), i);
    }
    for (size_t i = 0; i < to_.segments.size(); ++i) {
      const GridSegment* grid =
          pairing_.to_skipped[i].all ? nullptr : AsLargeGrid(*to_.segments[i]);
      const auto found = grid == nullptr ? grids.end() : grids.find(grid->part());
      if (found == grids.end()) continue;
      const size_t other = found->second;
      const GridSegment& before = *AsLargeGrid(*from_.segments[other]);
      const std::optional<GridDifference> difference = CompareGrids(before, *grid);
      if (!difference) continue;
      grids.erase(found);
      AddRunsBetween(difference->kept, from_starts_[other], to_starts_[i], difference->common);
      pairing_.from_skipped[other] =
          SkipAllBut(difference->kept, difference->common, before.cell_count());
      pairing_.to_skipped[i] = SkipAllBut(difference->kept, difference->common, grid->cell_count());
    }
  }

  void AddRunsBetween(const std::vector<size_t>& cells, size_t from_start, size_t to_start,
                      size_t count) {
    size_t begin = 0;
    for (size_t i = 0; i <= cells.size(); ++i) {
      const size_t end = i < cells.size() ? cells[i] : count;
      if (end > begin) {
        pairing_.runs.push_back({from_start + begin, to_start + begin, end - begin});
      }
      begin = end + 1;
    }
  }

  const View& from_;
  const View& to_;
  const std::vector<size_t> from_starts_, to_starts_;
  SegmentPairing pairing_;
};

}  // namespace

SegmentPairing PairSegments(const View& from, const View& to) { return Pairer(from, to).Pair(); }

}  // namespace staged
