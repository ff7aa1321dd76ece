#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "staged/operation.h"
#include "workspace/tree.h"

namespace staged {

// The live operations of one branch on one path, seen as one change.
struct StagedPath {
  std::string path;
  OptionalEntry base;               // what the chain's first operation saw
  OptionalEntry staged;             // what its last operation leaves
  OptionalEntry accepted;           // accepted now, with the disk overlay on top
  OptionalEntry working;            // in the working state
  std::vector<int64_t> operations;  // in journal order
  // Operations of the chain are kept aside, never applied by themselves: `base` is what the first
  // of these saw, and `working` what it met instead (what is accepted now, unless operations of
  // this branch before it apply).
  bool conflict = false;
  std::vector<int64_t> kept;  // those operations, in journal order
  // The other half of a move, or "": from where the chain's content was accepted to where it is.
  std::string moved_to, moved_from;

  [[nodiscard]] bool changes_anything() const { return staged != accepted; }
};

struct Reduction {
  Tree accepted;                             // with the overlay
  Tree working;                              // the working state
  std::map<std::string, StagedPath> staged;  // every path with live operations
  std::vector<int64_t> stale_operations;     // in journal order; converged ones are not listed
  std::vector<int64_t> converged_operations;

  [[nodiscard]] const StagedPath* Find(const std::string& path) const {
    const auto found = staged.find(path);
    return found == staged.end() ? nullptr : &found->second;
  }
};

// The pure heart of the workspace: no I/O, no clock, no parser. An operation applies if every path
// that it changes is exactly what it saw (and its result makes no file a directory of another) and
// stands on no stale one; otherwise it is stale, reported, and the others apply in journal order. A
// chain that would leave what is there anyway is no conflict: its stale operations have converged.
// REQUIRES: `live` are content operations of one branch, in journal order.
[[nodiscard]] Reduction Reduce(Tree accepted, const TreeChanges& overlay,
                               const std::vector<Operation>& live);

// The live operations that must go together with those on `paths`: operations on several paths tie
// these paths together. Gives the closed set of paths.
[[nodiscard]] std::set<std::string> TiedPaths(const std::vector<Operation>& live,
                                              const std::set<std::string>& paths);

// The live operations after all of `operations` (one branch's, in journal order) took effect.
[[nodiscard]] std::vector<Operation> LiveAfter(const std::vector<Operation>& operations);

}  // namespace staged
