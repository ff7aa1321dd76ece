#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace staged {

struct MatchedPair {
  size_t left = 0;
  size_t right = 0;
  friend bool operator==(const MatchedPair&, const MatchedPair&) = default;
};

// Pairs of equal items that keep the order of both sequences, by increasing position. Common ends
// first. Small gaps by the shortest edit script (Myers); greater ones by the items unique on both
// sides and their longest increasing run (patience), again within each gap, and by Myers where
// there are none. A gap over the work budget is matched greedily, each item with its next equal
// one: fewer pairs than possible, in linear time.
[[nodiscard]] std::vector<MatchedPair> AlignSequences(std::span<const uint64_t> left,
                                                      std::span<const uint64_t> right);

// Positions in `pairs` (sorted by left) of a longest run whose right sides increase too.
[[nodiscard]] std::vector<size_t> LongestIncreasingRun(const std::vector<MatchedPair>& pairs);

}  // namespace staged
