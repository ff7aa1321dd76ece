#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "staged/merge.h"

namespace staged {

struct LineMergeResult {
  bool clean = false;
  std::string bytes;  // merged; where there are conflicts, as `on_conflict` decided, else empty
  std::vector<MergeConflict> conflicts;
};

// Three-way merge by lines, as `git merge-file` does it. Bytes of lines are kept as they are: line
// ends, byte order mark, missing final newline. Locators of conflicts count base's lines. Every
// inserted and deleted line of both sides is found again in a clean result, or it is not clean.
// Errors: kLimitExceeded when the texts cannot be merged by lines at all.
[[nodiscard]] Result<LineMergeResult> MergeLines(std::string_view base, std::string_view left,
                                                 std::string_view right,
                                                 const MergeOptions& options);

// Whether `merged` holds, line by line, at least what both sides inserted and not more than they
// did, and lacks what they deleted; counted by an alignment of its own.
[[nodiscard]] bool LinesAreAccountedFor(std::string_view base, std::string_view left,
                                        std::string_view right, std::string_view merged);

}  // namespace staged
