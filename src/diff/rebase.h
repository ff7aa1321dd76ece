#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "staged/diff.h"

namespace staged {

enum class RebaseOutcome : uint8_t {
  kExact = 1,      // the same record at the same locator
  kMoved = 2,      // the same record at another locator
  kChanged = 3,    // the record says something else now (and may stand elsewhere)
  kAmbiguous = 4,  // several records may be meant; nothing is chosen
  kDeleted = 5,
};

[[nodiscard]] std::string_view RebaseOutcomeName(RebaseOutcome outcome);

struct RebasedLocator {
  RebaseOutcome outcome = RebaseOutcome::kDeleted;
  std::string locator;                  // in `to`; empty when ambiguous or deleted
  std::vector<std::string> candidates;  // in `to`, when ambiguous
};

// Where the record at `locator` of `from` is in `to`, by the diff's alignment. It never guesses: a
// record whose twins (equal kind and text under the same parent) stand next to it in one run of
// equal records, of which some came or went, is ambiguous. Errors: kNoMatch when `from` has no such
// locator; kInvalidArgument when the diff is not that of the two views.
[[nodiscard]] Result<RebasedLocator> RebaseLocator(const View& from, const View& to,
                                                   const Diff& diff, std::string_view locator);

}  // namespace staged
