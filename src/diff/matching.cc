#include "diff/matching.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "diff/align.h"
#include "diff/fingerprint.h"
#include "diff/similarity.h"
#include "record/cell_address.h"

namespace staged {
namespace {

// A pair of a gap counts as one record changed from this similarity on.
constexpr double kSimilarityMin = 0.5;
// ... and when the two are alone in their gap, from this one.
constexpr double kSimilarityAloneMin = 0.2;
// Texts of so few words say nothing by their similarity: alone in a gap they are one record.
constexpr size_t kFewFeatures = 4;
// Comparisons of one gap, and of the whole diff.
constexpr size_t kGapComparisonsMax = 4096;
constexpr size_t kComparisonsMax = 1'000'000;
// A shorter text without children is no evidence of a move: "}", "", "1".
constexpr size_t kMovedTextBytesMin = 4;

using NodeList = std::vector<uint32_t>;

class Matcher {
 public:
  Matcher(DiffForest& from, DiffForest& to) : from_(from), to_(to) {}

  std::vector<GridShift> Run() {
    MatchRoots();
    while (!work_.empty()) {
      const auto [left, right] = work_.back();
      work_.pop_back();
      MatchSiblings(from_.nodes[left].children, to_.nodes[right].children);
    }
    MatchMovesAcrossParents();
    while (!work_.empty()) {
      const auto [left, right] = work_.back();
      work_.pop_back();
      MatchSiblings(from_.nodes[left].children, to_.nodes[right].children);
    }
    return std::move(shifts_);
  }

 private:
  void Pair(uint32_t left, uint32_t right, bool moved) {
    from_.nodes[left].match = right;
    to_.nodes[right].match = left;
    from_.nodes[left].moved = to_.nodes[right].moved = moved;
    work_.emplace_back(left, right);
  }

  bool IsFree(uint32_t left, uint32_t right) const {
    return from_.nodes[left].match == kNoNode && to_.nodes[right].match == kNoNode;
  }

  // Roots whose parent lies elsewhere are siblings when that parent's locator is the same.
  void MatchRoots() {
    std::vector<std::pair<NodeList, NodeList>> groups;
    std::unordered_map<std::string_view, size_t> group_of;
    const auto list = [&](const DiffNode& node) -> std::pair<NodeList, NodeList>& {
      const auto [found, added] = group_of.emplace(node.record.parent, groups.size());
      if (added) groups.emplace_back();
      return groups[found->second];
    };
    for (uint32_t root : from_.roots) list(from_.nodes[root]).first.push_back(root);
    for (uint32_t root : to_.roots) list(to_.nodes[root]).second.push_back(root);
    for (const auto& [left, right] : groups) MatchSiblings(left, right);
  }

  void MatchSiblings(const NodeList& left, const NodeList& right) {
    NodeList left_ordered, right_ordered;
    MatchGrid(left, right);
    MatchKeyed(left, right);
    const auto take_ordered = [](const DiffForest& forest, const NodeList& nodes, NodeList& out) {
      for (uint32_t node : nodes) {
        if (!forest.nodes[node].keyed && forest.nodes[node].match == kNoNode) out.push_back(node);
      }
    };
    take_ordered(from_, left, left_ordered);
    take_ordered(to_, right, right_ordered);
    if (left_ordered.empty() || right_ordered.empty()) return;
    MatchEqualInOrder(left_ordered, right_ordered);
    MatchUnique(left_ordered, right_ordered, [](const DiffNode& node) {
      const bool telling = node.record.text.size() >= kMovedTextBytesMin || !node.children.empty();
      return telling ? node.subtree : 0;
    });
    MatchUnique(left_ordered, right_ordered, [](const DiffNode& node) {
      return node.record.key.empty()
                 ? 0
                 : FingerprintText(FingerprintText(3, node.record.kind), node.record.key);
    });
    const std::vector<MatchedPair> in_place = MarkMoves(left_ordered, right_ordered);
    MatchGaps(left_ordered, right_ordered, in_place);
  }

  static std::vector<GridCell> GridCells(const DiffForest& forest, const NodeList& nodes) {
    std::vector<GridCell> cells;
    for (uint32_t node : nodes) {
      const DiffNode& of = forest.nodes[node];
      if (of.grid_content == 0 || of.match != kNoNode) continue;
      const auto address = ParseCellAddress(of.record.key);
      if (address) cells.push_back({address->row, address->column, node, of.grid_content});
    }
    return cells;
  }

  // Cells that a shift of rows or columns carried to another address. A grid that did not shift is
  // left to its keys, and so is what the shift leaves over.
  void MatchGrid(const NodeList& left, const NodeList& right) {
    const std::vector<GridCell> left_cells = GridCells(from_, left);
    if (left_cells.empty()) return;
    const std::vector<GridCell> right_cells = GridCells(to_, right);
    std::optional<GridShift> shift = AlignGrid(left_cells, right_cells);
    if (!shift) return;
    const Record& sample = from_.nodes[left_cells.front().node].record;
    const auto locator = SplitSheetLocator(sample.locator);
    if (!locator) return;
    shift->sheet = locator->sheet;
    shift->prefix = sample.locator.substr(0, sample.locator.size() - locator->rest.size());
    shift->parent = sample.parent;
    std::unordered_map<uint64_t, uint32_t> right_of;
    for (const GridCell& cell : right_cells) {
      right_of.emplace(uint64_t{cell.row} << 32 | cell.column, cell.node);
    }
    for (const GridCell& cell : left_cells) {
      const bool rows = shift->axis == GridAxis::kRows;
      const uint32_t row = rows ? shift->Map(cell.row) : cell.row;
      const uint32_t column = rows ? cell.column : shift->Map(cell.column);
      const auto found = right_of.find(uint64_t{row} << 32 | column);
      shifted_.insert(cell.node);
      if (found != right_of.end() && IsFree(cell.node, found->second) &&
          SameKind(cell.node, found->second)) {
        Pair(cell.node, found->second, false);
      }
    }
    shifts_.push_back(*std::move(shift));
  }

  static uint64_t KeyOf(const Record& record, uint32_t occurrence) {
    const uint64_t kind = FingerprintText(occurrence, record.kind);
    return FingerprintText(kind, record.key.empty() ? record.locator : record.key);
  }

  // The n-th record of a key is the n-th of that key on the other side.
  void MatchKeyed(const NodeList& left, const NodeList& right) {
    std::unordered_map<uint64_t, uint32_t> seen, left_of;
    for (uint32_t node : left) {
      const DiffNode& of = from_.nodes[node];
      if (!of.keyed || of.match != kNoNode || shifted_.count(node) > 0) continue;
      left_of.emplace(KeyOf(of.record, seen[KeyOf(of.record, 0)]++), node);
    }
    if (left_of.empty()) return;
    seen.clear();
    for (uint32_t node : right) {
      const DiffNode& of = to_.nodes[node];
      if (!of.keyed || of.match != kNoNode) continue;
      const auto found = left_of.find(KeyOf(of.record, seen[KeyOf(of.record, 0)]++));
      if (found == left_of.end() || !IsFree(found->second, node)) continue;
      const Record& other = from_.nodes[found->second].record;
      if (other.kind == of.record.kind && other.key == of.record.key) {
        Pair(found->second, node, false);
      }
    }
  }

  void MatchEqualInOrder(const NodeList& left, const NodeList& right) {
    std::vector<uint64_t> left_items, right_items;
    for (uint32_t node : left) left_items.push_back(from_.nodes[node].subtree);
    for (uint32_t node : right) right_items.push_back(to_.nodes[node].subtree);
    for (const MatchedPair& pair : AlignSequences(left_items, right_items)) {
      if (SameKind(left[pair.left], right[pair.right])) {
        Pair(left[pair.left], right[pair.right], false);
      }
    }
  }

  bool SameKind(uint32_t left, uint32_t right) const {
    return from_.nodes[left].record.kind == to_.nodes[right].record.kind;
  }

  // Pairs free nodes whose fingerprint (0: none) occurs once among the free ones of each side.
  template <typename FingerprintOf>
  void MatchUnique(const NodeList& left, const NodeList& right, FingerprintOf fingerprint_of) {
    struct Occurrence {
      uint32_t left_count = 0, right_count = 0, node = 0;
    };
    std::unordered_map<uint64_t, Occurrence> occurrences;
    for (uint32_t node : left) {
      const uint64_t item =
          from_.nodes[node].match == kNoNode ? fingerprint_of(from_.nodes[node]) : 0;
      if (item == 0) continue;
      Occurrence& occurrence = occurrences[item];
      ++occurrence.left_count;
      occurrence.node = node;
    }
    if (occurrences.empty()) return;
    std::vector<std::pair<uint64_t, uint32_t>> candidates;
    for (uint32_t node : right) {
      const uint64_t item = to_.nodes[node].match == kNoNode ? fingerprint_of(to_.nodes[node]) : 0;
      const auto found = item == 0 ? occurrences.end() : occurrences.find(item);
      if (found == occurrences.end()) continue;
      ++found->second.right_count;
      candidates.emplace_back(item, node);
    }
    for (const auto& [item, node] : candidates) {
      const Occurrence& occurrence = occurrences[item];
      if (occurrence.left_count == 1 && occurrence.right_count == 1 &&
          SameKind(occurrence.node, node)) {
        Pair(occurrence.node, node, false);
      }
    }
  }

  // The longest run of pairs that kept their order stayed in place; the others moved. Positions
  // are those in the two lists.
  std::vector<MatchedPair> MarkMoves(const NodeList& left, const NodeList& right) {
    std::unordered_map<uint32_t, size_t> position;
    position.reserve(right.size());
    for (size_t i = 0; i < right.size(); ++i) position.emplace(right[i], i);
    std::vector<MatchedPair> pairs;
    for (size_t i = 0; i < left.size(); ++i) {
      const uint32_t match = from_.nodes[left[i]].match;
      if (match != kNoNode) pairs.push_back({i, position.at(match)});
    }
    std::vector<MatchedPair> in_place;
    size_t next = 0;
    for (size_t kept : LongestIncreasingRun(pairs)) {
      for (; next < kept; ++next) SetMoved(left[pairs[next].left], right[pairs[next].right]);
      next = kept + 1;
      in_place.push_back(pairs[kept]);
    }
    for (; next < pairs.size(); ++next) SetMoved(left[pairs[next].left], right[pairs[next].right]);
    return in_place;
  }

  void SetMoved(uint32_t left, uint32_t right) {
    from_.nodes[left].moved = to_.nodes[right].moved = true;
  }

  void MatchGaps(const NodeList& left, const NodeList& right,
                 const std::vector<MatchedPair>& in_place) {
    size_t left_begin = 0, right_begin = 0;
    for (size_t i = 0; i <= in_place.size(); ++i) {
      const size_t left_end = i < in_place.size() ? in_place[i].left : left.size();
      const size_t right_end = i < in_place.size() ? in_place[i].right : right.size();
      NodeList left_gap, right_gap;
      for (size_t at = left_begin; at < left_end; ++at) {
        if (from_.nodes[left[at]].match == kNoNode) left_gap.push_back(left[at]);
      }
      for (size_t at = right_begin; at < right_end; ++at) {
        if (to_.nodes[right[at]].match == kNoNode) right_gap.push_back(right[at]);
      }
      if (!left_gap.empty() && !right_gap.empty()) MatchGap(left_gap, right_gap);
      left_begin = left_end + 1;
      right_begin = right_end + 1;
    }
  }

  double SimilarityOf(uint32_t left, uint32_t right, const SimilarityFeatures& left_features,
                      const SimilarityFeatures& right_features, bool alone) const {
    if (!SameKind(left, right)) return 0;
    const double similarity = Similarity(left_features, right_features);
    if (!alone) return similarity >= kSimilarityMin ? similarity : 0;
    const bool few =
        std::max(left_features.items.size(), right_features.items.size()) < kFewFeatures;
    return few || similarity >= kSimilarityAloneMin ? std::max(similarity, kSimilarityMin) : 0;
  }

  void MatchGap(const NodeList& left, const NodeList& right) {
    std::vector<SimilarityFeatures> left_features, right_features;
    for (uint32_t node : left) left_features.push_back(FeaturesOf(from_, node));
    for (uint32_t node : right) right_features.push_back(FeaturesOf(to_, node));
    const size_t comparisons = left.size() * right.size();
    if (comparisons > kGapComparisonsMax || comparisons > comparisons_left_) {
      for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (SimilarityOf(left[i], right[i], left_features[i], right_features[i], false) > 0) {
          Pair(left[i], right[i], false);
        }
      }
      return;
    }
    comparisons_left_ -= comparisons;
    const bool alone = left.size() == 1 && right.size() == 1;
    // best[i][j]: the greatest sum of similarities of pairs in order among the first i and j.
    const size_t width = right.size() + 1;
    std::vector<double> best((left.size() + 1) * width, 0), pair_value(best.size(), 0);
    for (size_t i = 1; i <= left.size(); ++i) {
      for (size_t j = 1; j <= right.size(); ++j) {
        const double value = SimilarityOf(left[i - 1], right[j - 1], left_features[i - 1],
                                          right_features[j - 1], alone);
        pair_value[i * width + j] = value;
        best[i * width + j] = std::max({best[(i - 1) * width + j], best[i * width + j - 1],
                                        value > 0 ? best[(i - 1) * width + j - 1] + value : 0.0});
      }
    }
    for (size_t i = left.size(), j = right.size(); i > 0 && j > 0;) {
      const double here = best[i * width + j];
      if (here == best[(i - 1) * width + j]) {
        --i;
      } else if (here == best[i * width + j - 1]) {
        --j;
      } else {
        Pair(left[--i], right[--j], false);
      }
    }
  }

  // Only the top of what moved is a move; what is below goes with it.
  void MatchMovesAcrossParents() {
    const auto free_ordered = [](const DiffForest& forest) {
      NodeList nodes;
      for (uint32_t i = 0; i < forest.nodes.size(); ++i) {
        if (forest.nodes[i].match == kNoNode && !forest.nodes[i].keyed) nodes.push_back(i);
      }
      return nodes;
    };
    const NodeList left = free_ordered(from_), right = free_ordered(to_);
    if (left.empty() || right.empty()) return;
    MatchUnique(left, right, [](const DiffNode& node) {
      const bool telling = node.record.text.size() >= kMovedTextBytesMin || !node.children.empty();
      return telling ? node.subtree : 0;
    });
    for (uint32_t node : left) {
      const uint32_t match = from_.nodes[node].match;
      if (match == kNoNode) continue;
      const uint32_t left_parent = from_.nodes[node].parent;
      const uint32_t right_parent = to_.nodes[match].parent;
      const bool with_parent = left_parent != kNoNode && right_parent != kNoNode &&
                               from_.nodes[left_parent].match == right_parent;
      if (!with_parent) SetMoved(node, match);
    }
  }

  DiffForest& from_;
  DiffForest& to_;
  std::vector<std::pair<uint32_t, uint32_t>> work_;
  size_t comparisons_left_ = kComparisonsMax;
  std::vector<GridShift> shifts_;
  std::unordered_set<uint32_t> shifted_;  // cells of from whose address a shift has spoken for
};

}  // namespace

std::vector<GridShift> MatchForests(DiffForest& from, DiffForest& to) {
  return Matcher(from, to).Run();
}

}  // namespace staged
