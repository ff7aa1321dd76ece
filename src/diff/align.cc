#include "diff/align.h"

#include <algorithm>
#include <unordered_map>

namespace staged {
namespace {

// Each level of anchors is linear in the gap; after this many the gap is handed to Myers.
constexpr int kAnchorDepthMax = 12;
// Steps of Myers over the whole alignment, per item of input and at least.
constexpr uint64_t kStepsPerItem = 64;
constexpr uint64_t kStepsMin = 1 << 20;
// Edit distances that one gap may reach: its trace takes the square of this.
constexpr size_t kEditDistanceMax = 1000;

constexpr size_t kNone = SIZE_MAX;

// Gaps of so few possible pairs get the shortest script at once.
constexpr size_t kSmallGapPairsMax = 4096;

struct Range {
  size_t left_begin, left_end, right_begin, right_end;
};

class Aligner {
 public:
  Aligner(std::span<const uint64_t> left, std::span<const uint64_t> right)
      : left_(left), right_(right) {
    steps_left_ = std::max<uint64_t>(kStepsMin, kStepsPerItem * (left.size() + right.size()));
  }

  std::vector<MatchedPair> Run() {
    Align({0, left_.size(), 0, right_.size()}, 0);
    std::sort(pairs_.begin(), pairs_.end(),
              [](const MatchedPair& a, const MatchedPair& b) { return a.left < b.left; });
    return std::move(pairs_);
  }

 private:
  void Align(Range range, int depth) {
    TrimEnds(range);
    if (range.left_begin == range.left_end || range.right_begin == range.right_end) return;
    const bool small =
        (range.left_end - range.left_begin) * (range.right_end - range.right_begin) <=
        kSmallGapPairsMax;
    const std::vector<MatchedPair> anchors =
        depth < kAnchorDepthMax && !small ? Anchors(range) : std::vector<MatchedPair>();
    if (anchors.empty()) {
      if (!ShortestScript(range)) Greedy(range);
      return;
    }
    Range gap = range;
    for (const MatchedPair& anchor : anchors) {
      gap.left_end = anchor.left;
      gap.right_end = anchor.right;
      Align(gap, depth + 1);
      pairs_.push_back(anchor);
      gap.left_begin = anchor.left + 1;
      gap.right_begin = anchor.right + 1;
    }
    gap.left_end = range.left_end;
    gap.right_end = range.right_end;
    Align(gap, depth + 1);
  }

  void TrimEnds(Range& range) {
    while (range.left_begin < range.left_end && range.right_begin < range.right_end &&
           left_[range.left_begin] == right_[range.right_begin]) {
      pairs_.push_back({range.left_begin++, range.right_begin++});
    }
    while (range.left_begin < range.left_end && range.right_begin < range.right_end &&
           left_[range.left_end - 1] == right_[range.right_end - 1]) {
      pairs_.push_back({--range.left_end, --range.right_end});
    }
  }

  std::vector<MatchedPair> Anchors(const Range& range) const {
    struct Occurrence {
      uint32_t left_count = 0, right_count = 0;
      size_t right_position = 0;
    };
    std::unordered_map<uint64_t, Occurrence> occurrences;
    for (size_t i = range.left_begin; i < range.left_end; ++i) ++occurrences[left_[i]].left_count;
    for (size_t i = range.right_begin; i < range.right_end; ++i) {
      const auto found = occurrences.find(right_[i]);
      if (found == occurrences.end()) continue;
      ++found->second.right_count;
      found->second.right_position = i;
    }
    std::vector<MatchedPair> candidates;
    for (size_t i = range.left_begin; i < range.left_end; ++i) {
      const Occurrence& occurrence = occurrences[left_[i]];
      if (occurrence.left_count == 1 && occurrence.right_count == 1) {
        candidates.push_back({i, occurrence.right_position});
      }
    }
    std::vector<MatchedPair> anchors;
    for (size_t position : LongestIncreasingRun(candidates)) {
      anchors.push_back(candidates[position]);
    }
    return anchors;
  }

  // E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the basic greedy form with
  // the trace kept. False when over budget; then nothing was matched.
  bool ShortestScript(const Range& range) {
    const auto left_size = static_cast<int64_t>(range.left_end - range.left_begin);
    const auto right_size = static_cast<int64_t>(range.right_end - range.right_begin);
    const int64_t distance_max =
        std::min<int64_t>(left_size + right_size, static_cast<int64_t>(kEditDistanceMax));
    std::vector<int64_t> furthest(2 * distance_max + 3, 0);
    std::vector<std::vector<int64_t>> trace;
    const int64_t origin = distance_max + 1;
    for (int64_t distance = 0; distance <= distance_max; ++distance) {
      trace.emplace_back(furthest.begin() + (origin - distance - 1),
                         furthest.begin() + (origin + distance + 2));
      for (int64_t k = -distance; k <= distance; k += 2) {
        const bool down = k == -distance ||
                          (k != distance && furthest[origin + k - 1] < furthest[origin + k + 1]);
        int64_t x = down ? furthest[origin + k + 1] : furthest[origin + k - 1] + 1;
        int64_t y = x - k;
        const int64_t start = x;
        while (x < left_size && y < right_size &&
               left_[range.left_begin + x] == right_[range.right_begin + y]) {
          ++x, ++y;
        }
        furthest[origin + k] = x;
        const auto steps = static_cast<uint64_t>(x - start + 1);
        if (steps > steps_left_) return false;
        steps_left_ -= steps;
        if (x >= left_size && y >= right_size) {
          Backtrack(range, trace, left_size, right_size);
          return true;
        }
      }
    }
    return false;
  }

  void Backtrack(const Range& range, const std::vector<std::vector<int64_t>>& trace, int64_t x,
                 int64_t y) {
    for (auto distance = static_cast<int64_t>(trace.size()) - 1; distance >= 0; --distance) {
      // trace[distance] holds diagonals -distance-1 ... distance+1, as they were before that round.
      const std::vector<int64_t>& furthest = trace[distance];
      const int64_t origin = distance + 1;
      const int64_t k = x - y;
      const bool down =
          k == -distance || (k != distance && furthest[origin + k - 1] < furthest[origin + k + 1]);
      const int64_t previous_k = down ? k + 1 : k - 1;
      const int64_t previous_x = distance == 0 ? 0 : furthest[origin + previous_k];
      const int64_t previous_y = distance == 0 ? 0 : previous_x - previous_k;
      const int64_t snake_x = distance == 0 ? 0 : (down ? previous_x : previous_x + 1);
      while (x > snake_x) {
        --x, --y;
        pairs_.push_back({range.left_begin + static_cast<size_t>(x),
                          range.right_begin + static_cast<size_t>(y)});
      }
      x = previous_x;
      y = previous_y;
    }
  }

  void Greedy(const Range& range) {
    std::unordered_map<uint64_t, std::vector<size_t>> positions;
    for (size_t i = range.right_end; i > range.right_begin; --i) {
      positions[right_[i - 1]].push_back(i - 1);
    }
    size_t next = range.right_begin;
    // An item far ahead would close the door on everything before it.
    const size_t reach =
        (range.right_end - range.right_begin) / (range.left_end - range.left_begin) + 16;
    for (size_t i = range.left_begin; i < range.left_end; ++i) {
      const auto found = positions.find(left_[i]);
      if (found == positions.end()) continue;
      std::vector<size_t>& stack = found->second;
      while (!stack.empty() && stack.back() < next) stack.pop_back();
      if (stack.empty() || stack.back() - next > reach) continue;
      pairs_.push_back({i, stack.back()});
      next = stack.back() + 1;
      stack.pop_back();
    }
  }

  std::span<const uint64_t> left_;
  std::span<const uint64_t> right_;
  uint64_t steps_left_ = 0;
  std::vector<MatchedPair> pairs_;
};

}  // namespace

std::vector<MatchedPair> AlignSequences(std::span<const uint64_t> left,
                                        std::span<const uint64_t> right) {
  return Aligner(left, right).Run();
}

std::vector<size_t> LongestIncreasingRun(const std::vector<MatchedPair>& pairs) {
  std::vector<size_t> tails;  // tails[n]: end of the best run of n + 1 pairs
  std::vector<size_t> previous(pairs.size(), kNone);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto place =
        std::lower_bound(tails.begin(), tails.end(), pairs[i].right,
                         [&](size_t tail, size_t right) { return pairs[tail].right < right; });
    if (place != tails.begin()) previous[i] = *(place - 1);
    if (place == tails.end()) {
      tails.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<size_t> run(tails.size());
  size_t at = tails.empty() ? kNone : tails.back();
  for (size_t i = run.size(); i > 0; --i) {
    run[i - 1] = at;
    at = previous[at];
  }
  return run;
}

}  // namespace staged
