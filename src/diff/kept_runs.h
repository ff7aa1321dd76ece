#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "staged/diff.h"

namespace staged {

// Collects kept records in order of after_index into runs of equal shifts.
class KeptRunBuilder {
 public:
  // A record that both sides have with the same content.
  void Add(const Record& before, size_t before_index, const Record& after, size_t after_index);
  // `count` consecutive records that are the same in everything, place included.
  void AddUnshifted(size_t before_index, size_t after_index, size_t count);
  [[nodiscard]] std::vector<KeptRun> Take() { return std::move(runs_); }

 private:
  std::vector<KeptRun> runs_;
};

// `text` with its number shifted; `text` itself when it has no such number (a damaged script).
[[nodiscard]] std::string ShiftNumber(const std::string& text, const NumberShift& shift);
// Moves `record`, the one at `offset` of the run on from's side, to its place on to's side.
void ApplyRun(const KeptRun& run, Record& record);

}  // namespace staged
