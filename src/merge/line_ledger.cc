#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "diff/align.h"
#include "diff/fingerprint.h"
#include "merge/line_merge.h"
#include "merge/lines.h"

namespace staged {
namespace {

struct LineCount {
  int64_t inserted = 0, deleted = 0;
};

using LineCounts = std::map<std::string_view, LineCount>;

std::vector<uint64_t> Fingerprints(const std::vector<std::string_view>& lines) {
  std::vector<uint64_t> fingerprints;
  fingerprints.reserve(lines.size());
  for (std::string_view line : lines) fingerprints.push_back(FingerprintText(0, line));
  return fingerprints;
}

LineCounts CountChanges(const std::vector<std::string_view>& before, std::string_view after_text) {
  const std::vector<std::string_view> after = LinesWithoutEnds(after_text);
  std::vector<bool> before_kept(before.size()), after_kept(after.size());
  for (const MatchedPair& pair : AlignSequences(Fingerprints(before), Fingerprints(after))) {
    before_kept[pair.left] = after_kept[pair.right] = before[pair.left] == after[pair.right];
  }
  LineCounts counts;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!before_kept[i]) ++counts[before[i]].deleted;
  }
  for (size_t i = 0; i < after.size(); ++i) {
    if (!after_kept[i]) ++counts[after[i]].inserted;
  }
  return counts;
}

}  // namespace

bool LinesAreAccountedFor(std::string_view base, std::string_view left, std::string_view right,
                          std::string_view merged) {
  const std::vector<std::string_view> base_lines = LinesWithoutEnds(base);
  const LineCounts of_left = CountChanges(base_lines, left);
  const LineCounts of_right = CountChanges(base_lines, right);
  std::map<std::string_view, int64_t> growth;
  for (std::string_view line : LinesWithoutEnds(merged)) ++growth[line];
  for (std::string_view line : base_lines) --growth[line];
  for (const LineCounts* counts : {&of_left, &of_right}) {
    for (const auto& [line, count] : *counts) growth.try_emplace(line, 0);
  }
  const auto find = [](const LineCounts& counts, std::string_view line) {
    const auto found = counts.find(line);
    return found == counts.end() ? LineCount() : found->second;
  };
  for (const auto& [line, grown] : growth) {
    const LineCount a = find(of_left, line), b = find(of_right, line);
    // What both did alike may be there once or twice.
    const int64_t least = std::max(a.inserted, b.inserted) - (a.deleted + b.deleted);
    const int64_t most = (a.inserted + b.inserted) - std::max(a.deleted, b.deleted);
    if (grown < least || grown > most) return false;
  }
  return true;
}

}  // namespace staged
