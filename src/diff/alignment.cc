#include "diff/alignment.h"

#include <algorithm>

#include "diff/kept_runs.h"

namespace staged {

Alignment::Alignment(const Diff& diff) {
  for (const KeptRun& run : diff.kept) runs_.push_back(&run);
  std::sort(runs_.begin(), runs_.end(),
            [](const KeptRun* a, const KeptRun* b) { return a->before_index < b->before_index; });
  for (const Change& change : diff.changes) {
    if (change.before_index != kNoRecord) changes_.emplace(change.before_index, &change);
  }
}

Alignment::Counterpart Alignment::Find(size_t before_index) const {
  Counterpart counterpart;
  if (const auto found = changes_.find(before_index); found != changes_.end()) {
    counterpart.change = found->second;
    counterpart.index = found->second->after_index;
    return counterpart;
  }
  const auto behind =
      std::upper_bound(runs_.begin(), runs_.end(), before_index,
                       [](size_t index, const KeptRun* run) { return index < run->before_index; });
  if (behind == runs_.begin()) return counterpart;
  const KeptRun& run = **(behind - 1);
  if (before_index - run.before_index >= run.count) return counterpart;
  counterpart.run = &run;
  counterpart.index = run.after_index + (before_index - run.before_index);
  return counterpart;
}

std::optional<Record> Alignment::Locate(size_t before_index, const Record& before) const {
  const Counterpart counterpart = Find(before_index);
  if (counterpart.change != nullptr) return counterpart.change->after;
  if (counterpart.run == nullptr) return std::nullopt;
  Record after = before;
  ApplyRun(*counterpart.run, after);
  return after;
}

}  // namespace staged
