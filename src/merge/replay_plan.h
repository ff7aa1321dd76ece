#pragma once

#include <string>
#include <vector>

#include "diff/forest.h"
#include "staged/diff.h"
#include "staged/merge.h"

namespace staged {

// What an edit must have done to one record of the target.
struct ReplayExpectation {
  std::string locator;              // in the target
  ChangeOp op = ChangeOp::kModify;  // kInsert, kDelete or kModify
  std::vector<std::string> facets;  // of a modification: those that the source changed
  Record target;                    // as the target has it; unset for kInsert
  Record source;                    // as the source has it; unset for kDelete
  bool requested = true;            // false: goes with a record that contains it
};

// One side's changes as edits of the other side's bytes.
struct ReplayPlan {
  // Rounds of edits: each addresses the bytes that the round before it gave.
  std::vector<std::vector<Edit>> rounds;
  std::vector<ReplayExpectation> expectations;
  std::vector<MergeConflict> conflicts;  // `left` is the target's value, `right` the source's
  // Edits that give the conflicting records of the target base's content, where that is possible.
  std::vector<Edit> base_edits;
  // The first change that is no conflict and that no edit expresses; empty: none.
  std::string inexpressible;
};

// `target` and `source` are the diffs of base with the two sides. `target_view` answers whether a
// locator is taken. Changes of class derived and serialization are not replayed: the target's own
// writer makes those again, or its bytes keep them.
[[nodiscard]] ReplayPlan PlanReplay(const Diff& target, const Diff& source, const View& target_view,
                                    const KindRules& rules);

// Whether `merged`, made from the target by the plan's edits, shows every expected change, and
// nothing else but what is derived. `writer_derives`: the writer said that it changed more than
// what records show.
[[nodiscard]] bool ReplayIsAccountedFor(const ReplayPlan& plan, const View& target,
                                        const View& merged, const Profile& profile,
                                        bool writer_derives);

}  // namespace staged
