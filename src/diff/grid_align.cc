#include "diff/grid_align.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "diff/align.h"
#include "diff/fingerprint.h"

namespace staged {
namespace {

// Lines that a changed line is compared with in its gap.
constexpr size_t kLookAheadMax = 16;

struct Line {
  uint32_t number = 0;
  uint64_t content = 0;
  std::vector<uint64_t> cells;  // position and content, sorted
};

std::vector<Line> LinesOf(std::vector<GridCell> cells, GridAxis axis) {
  const bool rows = axis == GridAxis::kRows;
  const auto line_of = [&](const GridCell& cell) { return rows ? cell.row : cell.column; };
  const auto cross_of = [&](const GridCell& cell) { return rows ? cell.column : cell.row; };
  std::sort(cells.begin(), cells.end(), [&](const GridCell& a, const GridCell& b) {
    return std::pair(line_of(a), cross_of(a)) < std::pair(line_of(b), cross_of(b));
  });
  std::vector<Line> lines;
  for (const GridCell& cell : cells) {
    if (lines.empty() || lines.back().number != line_of(cell)) {
      lines.emplace_back().number = line_of(cell);
    }
    const uint64_t item = FingerprintCombine(cell.content, cross_of(cell));
    lines.back().cells.push_back(item);
    lines.back().content = FingerprintCombine(lines.back().content, item);
  }
  for (Line& line : lines) std::sort(line.cells.begin(), line.cells.end());
  return lines;
}

// Whether at least half of the cells are the same.
bool Alike(const Line& left, const Line& right) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < left.cells.size() && j < right.cells.size();) {
    if (left.cells[i] == right.cells[j]) {
      ++common, ++i, ++j;
    } else if (left.cells[i] < right.cells[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return 2 * common >= std::max(left.cells.size(), right.cells.size());
}

// Equal lines, and between them lines that are alike, in order.
std::vector<MatchedPair> PairLines(const std::vector<Line>& left, const std::vector<Line>& right) {
  std::vector<uint64_t> left_items, right_items;
  for (const Line& line : left) left_items.push_back(line.content);
  for (const Line& line : right) right_items.push_back(line.content);
  std::vector<MatchedPair> equal = AlignSequences(left_items, right_items);
  equal.push_back({left.size(), right.size()});
  std::vector<MatchedPair> pairs;
  size_t left_at = 0, right_at = 0;
  for (const MatchedPair& anchor : equal) {
    for (; left_at < anchor.left; ++left_at) {
      const size_t end = std::min(anchor.right, right_at + kLookAheadMax);
      for (size_t at = right_at; at < end; ++at) {
        if (!Alike(left[left_at], right[at])) continue;
        pairs.push_back({left_at, at});
        right_at = at + 1;
        break;
      }
    }
    if (anchor.left < left.size()) pairs.push_back(anchor);
    left_at = anchor.left + 1;
    right_at = anchor.right + 1;
  }
  return pairs;
}

// Chooses `count` of the lines in (begin, end): those with unpaired content first, in order.
std::vector<uint32_t> ChooseLines(uint32_t begin, uint32_t end, uint32_t count,
                                  const std::vector<Line>& lines) {
  std::vector<uint32_t> chosen;
  auto line = std::upper_bound(lines.begin(), lines.end(), begin,
                               [](uint32_t number, const Line& l) { return number < l.number; });
  for (; line != lines.end() && line->number < end && chosen.size() < count; ++line) {
    chosen.push_back(line->number);
  }
  std::vector<uint32_t> blank;
  size_t next = chosen.size();
  for (uint32_t number = end - 1; number > begin && chosen.size() + blank.size() < count;
       --number) {
    while (next > 0 && chosen[next - 1] > number) --next;
    if (next > 0 && chosen[next - 1] == number) continue;
    blank.push_back(number);
  }
  chosen.insert(chosen.end(), blank.begin(), blank.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void AddRun(std::vector<GridLineRun>& runs, uint32_t left, uint32_t right, uint32_t count) {
  if (count == 0) return;
  if (!runs.empty() && runs.back().left + runs.back().count == left &&
      runs.back().right + runs.back().count == right) {
    runs.back().count += count;
  } else {
    runs.push_back({left, right, count});
  }
}

// The lines strictly between two pairs: as many of the longer side as it has more are new or gone.
void MapGap(GridShift& shift, const std::vector<Line>& left, const std::vector<Line>& right,
            uint32_t left_begin, uint32_t left_end, uint32_t right_begin, uint32_t right_end) {
  const uint32_t left_size = left_end - left_begin - 1, right_size = right_end - right_begin - 1;
  const bool inserted = right_size > left_size;
  const std::vector<uint32_t> chosen =
      inserted ? ChooseLines(right_begin, right_end, right_size - left_size, right)
               : ChooseLines(left_begin, left_end, left_size - right_size, left);
  uint32_t left_at = left_begin + 1, right_at = right_begin + 1;
  for (uint32_t line : chosen) {
    uint32_t& at = inserted ? right_at : left_at;
    const uint32_t count = line - at;
    AddRun(shift.runs, left_at, right_at, count);
    left_at += count;
    right_at += count;
    ++at;
  }
  AddRun(shift.runs, left_at, right_at, left_end - left_at);
  std::vector<uint32_t>& out = inserted ? shift.inserted : shift.deleted;
  out.insert(out.end(), chosen.begin(), chosen.end());
}

GridShift AlignAxis(const std::vector<GridCell>& left, const std::vector<GridCell>& right,
                    GridAxis axis) {
  const std::vector<Line> left_lines = LinesOf(left, axis), right_lines = LinesOf(right, axis);
  GridShift shift;
  shift.axis = axis;
  uint32_t left_before = 0, right_before = 0;
  for (const MatchedPair& pair : PairLines(left_lines, right_lines)) {
    const uint32_t left_line = left_lines[pair.left].number;
    const uint32_t right_line = right_lines[pair.right].number;
    MapGap(shift, left_lines, right_lines, left_before, left_line, right_before, right_line);
    AddRun(shift.runs, left_line, right_line, 1);
    left_before = left_line;
    right_before = right_line;
  }
  return shift;
}

uint64_t AddressOf(uint32_t row, uint32_t column) { return uint64_t{row} << 32 | column; }

// Cells that a reader would see changed, and lines that came or went.
size_t CostOf(const std::vector<GridCell>& left,
              const std::unordered_map<uint64_t, uint64_t>& right, const GridShift& shift) {
  size_t same = 0;
  size_t cost = shift.inserted.size() + shift.deleted.size();
  for (const GridCell& cell : left) {
    const bool rows = shift.axis == GridAxis::kRows;
    const uint32_t row = rows ? shift.Map(cell.row) : cell.row;
    const uint32_t column = rows ? cell.column : shift.Map(cell.column);
    const auto found = right.find(AddressOf(row, column));
    const bool matched = row != 0 && column != 0 && found != right.end();
    same += matched ? 1 : 0;
    cost += matched && found->second == cell.content ? 0 : 1;
  }
  return cost + right.size() - same;
}

}  // namespace

uint32_t GridShift::Map(uint32_t line) const {
  const auto behind =
      std::upper_bound(runs.begin(), runs.end(), line,
                       [](uint32_t number, const GridLineRun& run) { return number < run.left; });
  if (behind == runs.begin()) return runs.empty() ? line : 0;
  const GridLineRun& run = *(behind - 1);
  if (line - run.left >= run.count && behind != runs.end()) return 0;
  return run.right + (line - run.left);
}

std::optional<GridShift> AlignGrid(const std::vector<GridCell>& left,
                                   const std::vector<GridCell>& right) {
  std::unordered_map<uint64_t, uint64_t> right_cells;
  right_cells.reserve(right.size());
  for (const GridCell& cell : right) {
    right_cells.emplace(AddressOf(cell.row, cell.column), cell.content);
  }
  size_t best_cost = CostOf(left, right_cells, GridShift());
  std::optional<GridShift> best;
  if (best_cost < 2) return best;
  for (const GridAxis axis : {GridAxis::kRows, GridAxis::kColumns}) {
    GridShift shift = AlignAxis(left, right, axis);
    if (shift.inserted.empty() && shift.deleted.empty()) continue;
    const size_t cost = CostOf(left, right_cells, shift);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(shift);
  }
  return best;
}

}  // namespace staged
