#pragma once

#include <vector>

#include "diff/forest.h"
#include "diff/grid_align.h"

namespace staged {

// Says which node of one side is which of the other: sets match on both, and moved on pairs that
// left their place. From the roots down: keyed children by key; ordered children by equal content
// in order, then unique equal content and unique keys out of order (moves), then by similarity in
// the gaps that remain. At last, what went here and came there with unique content is a move
// across parents. Near-linear: similarity has a budget of comparisons, after which the records of a
// gap are only compared with those at the same position in it. Cells of a grid are matched by
// address after rows or columns were aligned; gives the shifts so found, a grid each.
std::vector<GridShift> MatchForests(DiffForest& from, DiffForest& to);

}  // namespace staged
