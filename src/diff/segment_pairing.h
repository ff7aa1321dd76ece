#pragma once

#include <cstddef>
#include <vector>

#include "staged/view.h"

namespace staged {

// The records of one segment that a forest leaves out.
struct SkippedRecords {
  bool all = false;
  std::vector<size_t> kept;  // unless all: when not empty, only these are taken in; ascending
};

// Consecutive records that both sides have, equal in everything.
struct RecordRun {
  size_t from_index = 0;
  size_t to_index = 0;
  size_t count = 0;
};

struct SegmentPairing {
  std::vector<SkippedRecords> from_skipped, to_skipped;  // beside the views' segments
  std::vector<RecordRun> runs;                           // what is skipped, by to_index
};

// Finds what is the same on both sides before any record is made: segments of equal part and
// digest, and in large grids all cells but a few that changed where they are and the last rows.
[[nodiscard]] SegmentPairing PairSegments(const View& from, const View& to);

}  // namespace staged
