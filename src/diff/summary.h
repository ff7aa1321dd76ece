#pragma once

#include <string>

#include "staged/diff.h"

namespace staged {

// The id of the change at that position: "c1", "c2" ...
[[nodiscard]] inline std::string ChangeId(size_t position) {
  return "c" + std::to_string(position + 1);
}

// Counts by operation, and by class where a class is not what a person did.
[[nodiscard]] DiffSummary Summarise(const std::vector<Change>& changes);
// Gives the changes behind the numbered ones their ids, and fills in the summary.
void NumberChanges(Diff& diff);

}  // namespace staged
