// The reducer against a slow model that knows only the contract's sentences.

#include "workspace/reducer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/test_seed.h"

namespace staged {
namespace {

Entry EntryOf(int number) {
  return {EntryKind::kFile, ContentHash::Of("content " + std::to_string(number))};
}

Operation Change(int64_t sequence, OperationType type, std::vector<PathChange> changes) {
  Operation operation;
  operation.sequence = sequence;
  operation.type = type;
  operation.changes = std::move(changes);
  return operation;
}

// ---- the model ----------------------------------------------------------------------------------

bool IsBelow(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 &&
         path[folder.size()] == '/';
}

bool HasPrefixDirectory(const Tree& tree) {
  for (const auto& [one, entry] : tree) {
    for (const auto& [other, other_entry] : tree) {
      if (IsBelow(one, other)) return true;
    }
  }
  return false;
}

struct Model {
  Tree accepted, working;
  std::set<int64_t> applied, stale;
};

// One operation after the other: it applies if it stands on nothing stale, meets exactly what it
// saw, and leaves no file below a file.
Model RunModel(const Tree& accepted, const TreeChanges& overlay,
               const std::vector<Operation>& operations) {
  Model model;
  model.accepted = accepted;
  for (const auto& [path, entry] : overlay) {
    model.accepted.erase(path);
    if (entry) model.accepted.emplace(path, *entry);
  }
  model.working = model.accepted;
  for (size_t i = 0; i < operations.size(); ++i) {
    bool applies = true;
    for (size_t earlier = 0; earlier < i; ++earlier) {
      if (!model.stale.contains(operations[earlier].sequence)) continue;
      for (const PathChange& theirs : operations[earlier].changes) {
        for (const PathChange& ours : operations[i].changes) {
          if (theirs.path == ours.path) applies = false;
        }
      }
    }
    Tree next = model.working;
    for (const PathChange& change : operations[i].changes) {
      const auto there = model.working.find(change.path);
      const bool same =
          there == model.working.end() ? !change.base.has_value() : change.base == there->second;
      if (!same) applies = false;
      next.erase(change.path);
      if (change.result) next.emplace(change.path, *change.result);
    }
    if (applies && HasPrefixDirectory(next)) applies = false;
    (applies ? model.applied : model.stale).insert(operations[i].sequence);
    if (applies) model.working = std::move(next);
  }
  return model;
}

// ---- random histories ---------------------------------------------------------------------------

class Histories {
 public:
  explicit Histories(uint64_t seed) : random_(seed) {}

  Tree RandomTree() {
    Tree tree;
    for (const std::string& path : kPaths) {
      if (Chance(2) && PrefixObstacle(tree, path).empty()) tree[path] = EntryOf(Below(3));
    }
    return tree;
  }
  TreeChanges RandomOverlay(const Tree& tree) {
    Tree now = tree;
    TreeChanges overlay;
    for (const std::string& path : kPaths) {
      if (!Chance(8)) continue;
      if (Chance(3)) {
        now.erase(path);
        overlay[path] = std::nullopt;
      } else if (now.erase(path); PrefixObstacle(now, path).empty()) {
        now[path] = EntryOf(Below(4));
        overlay[path] = now[path];
      } else {
        overlay[path] = std::nullopt;
      }
    }
    return overlay;
  }
  // Mostly on what the branch has; sometimes on what it never had.
  std::vector<Operation> RandomOperations(Tree working) {
    std::vector<Operation> operations;
    const int count = Below(7);
    for (int i = 0; i < count; ++i) {
      const std::string path = Path();
      const OptionalEntry base =
          Chance(6) ? OptionalEntry(EntryOf(Below(4))) : FindEntry(working, path);
      const int64_t sequence = 10 + 3 * i;
      if (base && Chance(4)) {
        const std::string to = Path();
        if (to == path) continue;
        operations.push_back(Change(sequence, OperationType::kMove,
                                    {{path, base, {}}, {to, FindEntry(working, to), base}}));
      } else if (base && Chance(4)) {
        operations.push_back(Change(sequence, OperationType::kDelete, {{path, base, {}}}));
      } else {
        operations.push_back(
            Change(sequence, OperationType::kReplace, {{path, base, EntryOf(Below(4))}}));
      }
      for (const PathChange& change : operations.back().changes) {
        SetEntry(working, change.path, change.result);
      }
    }
    return operations;
  }

 private:
  inline static const std::vector<std::string> kPaths = {"a", "a/b", "a/b/c", "b", "b/x", "c", "d"};
  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  bool Chance(int one_in) { return Below(one_in) == 0; }
  std::string Path() { return kPaths[static_cast<size_t>(Below(static_cast<int>(kPaths.size())))]; }
  std::mt19937_64 random_;
};

TEST(Reducer, AgreesWithTheModelOnRandomHistories) {
  const uint64_t first = SeedForTest();
  size_t conflicts = 0;
  size_t converged = 0;
  for (uint64_t seed = first; seed < first + 20'000; ++seed) {
    SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
    Histories histories(seed);
    const Tree accepted = histories.RandomTree();
    const TreeChanges overlay = histories.RandomOverlay(accepted);
    const std::vector<Operation> live = histories.RandomOperations(accepted);
    const Model model = RunModel(accepted, overlay, live);
    const Reduction reduction = Reduce(accepted, overlay, live);

    ASSERT_EQ(reduction.accepted, model.accepted);
    ASSERT_EQ(reduction.working, model.working);
    std::set<int64_t> not_applied(reduction.stale_operations.begin(),
                                  reduction.stale_operations.end());
    not_applied.insert(reduction.converged_operations.begin(),
                       reduction.converged_operations.end());
    ASSERT_EQ(not_applied, model.stale) << "each stale operation is reported once, no other is";
    ASSERT_EQ(reduction.stale_operations.size() + reduction.converged_operations.size(),
              model.stale.size());
    std::map<std::string, std::vector<int64_t>> by_path;
    for (const Operation& operation : live) {
      for (const PathChange& change : operation.changes) {
        by_path[change.path].push_back(operation.sequence);
      }
    }
    ASSERT_EQ(reduction.staged.size(), by_path.size());
    for (const auto& [path, staged] : reduction.staged) {
      SCOPED_TRACE(path);
      ASSERT_EQ(staged.operations, by_path[path]);
      ASSERT_EQ(staged.accepted, FindEntry(model.accepted, path));
      ASSERT_EQ(staged.working, FindEntry(model.working, path));
      // In conflict are just the paths of reported operations; they keep what this branch wants.
      bool kept = false;
      for (const Operation& operation : live) {
        const bool is_stale = std::count(reduction.stale_operations.begin(),
                                         reduction.stale_operations.end(), operation.sequence) > 0;
        for (const PathChange& change : operation.changes) {
          if (change.path == path && is_stale) kept = true;
        }
      }
      ASSERT_EQ(staged.conflict, kept);
      ASSERT_EQ(staged.conflict, !staged.kept.empty());
      if (!staged.conflict) {
        ASSERT_EQ(staged.staged, staged.working) << "nothing is lost silently";
      }
      // A move's halves name each other.
      if (!staged.moved_to.empty()) {
        ASSERT_EQ(reduction.staged.at(staged.moved_to).moved_from, path);
      }
      if (!staged.moved_from.empty()) {
        ASSERT_EQ(reduction.staged.at(staged.moved_from).moved_to, path);
      }
    }
    conflicts += reduction.stale_operations.size();
    converged += reduction.converged_operations.size();
  }
  EXPECT_GT(conflicts, 1000u) << "from STAGED_SEED=" << first;
  EXPECT_GT(converged, 100u) << "from STAGED_SEED=" << first;
}

TEST(Reducer, WhatEndedNothingIsLiveAndWhatWasRevivedIs) {
  const Operation one = Change(1, OperationType::kCreate, {{"a", {}, EntryOf(1)}});
  const Operation two = Change(2, OperationType::kReplace, {{"a", EntryOf(1), EntryOf(2)}});
  Operation undo = Change(3, OperationType::kUndo, {});
  undo.consumes = {2};
  Operation redo = Change(4, OperationType::kUndo, {});
  redo.consumes = {3};
  redo.revives = {2};
  const auto sequences = [](const std::vector<Operation>& operations) {
    std::vector<int64_t> list;
    for (const Operation& operation : LiveAfter(operations)) list.push_back(operation.sequence);
    return list;
  };
  EXPECT_EQ(sequences({one, two}), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(sequences({one, two, undo}), (std::vector<int64_t>{1}));
  EXPECT_EQ(sequences({one, two, undo, redo}), (std::vector<int64_t>{1, 2}));
}

// The accepted entry became what the chain had in its middle: that is no agreement.
TEST(Reducer, AcceptedInTheMiddleOfAChainIsAConflict) {
  const std::vector<Operation> live = {
      Change(1, OperationType::kReplace, {{"a", EntryOf(0), EntryOf(1)}}),
      Change(2, OperationType::kReplace, {{"a", EntryOf(1), EntryOf(2)}})};
  const Reduction reduction = Reduce({{"a", EntryOf(1)}}, {}, live);
  EXPECT_TRUE(reduction.Find("a")->conflict);
  EXPECT_EQ(reduction.working.at("a"), EntryOf(1));
  EXPECT_EQ(reduction.stale_operations, (std::vector<int64_t>{1, 2}));
}

TEST(Reducer, BothSidesEqualIsNoConflict) {
  const std::vector<Operation> live = {
      Change(1, OperationType::kReplace, {{"a", EntryOf(0), EntryOf(1)}}),
      Change(2, OperationType::kReplace, {{"a", EntryOf(1), EntryOf(2)}})};
  const Reduction reduction = Reduce({{"a", EntryOf(2)}}, {}, live);
  EXPECT_FALSE(reduction.Find("a")->conflict);
  EXPECT_EQ(reduction.converged_operations, (std::vector<int64_t>{1, 2}));
}

TEST(Reducer, AMoveOverSeveralStepsIsOneMove) {
  const Entry entry = EntryOf(1);
  const std::vector<Operation> live = {
      Change(1, OperationType::kMove, {{"a", entry, {}}, {"b", {}, entry}}),
      Change(2, OperationType::kMove, {{"b", entry, {}}, {"c", {}, entry}})};
  const Reduction reduction = Reduce({{"a", entry}}, {}, live);
  EXPECT_EQ(reduction.Find("a")->moved_to, "c");
  EXPECT_EQ(reduction.Find("c")->moved_from, "a");
  EXPECT_EQ(reduction.Find("b")->moved_to + reduction.Find("b")->moved_from, "");
  const std::vector<Operation> back = {
      live[0], Change(2, OperationType::kMove, {{"b", entry, {}}, {"a", {}, entry}})};
  EXPECT_EQ(Reduce({{"a", entry}}, {}, back).Find("a")->moved_to, "");
}

TEST(Reducer, OperationsOnSeveralPathsTieThem) {
  const Entry entry = EntryOf(1);
  const std::vector<Operation> live = {
      Change(1, OperationType::kMove, {{"a", entry, {}}, {"b", {}, entry}}),
      Change(2, OperationType::kMove, {{"b", entry, {}}, {"c", {}, entry}}),
      Change(3, OperationType::kCreate, {{"d", {}, entry}})};
  EXPECT_EQ(TiedPaths(live, {"c"}), (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(TiedPaths(live, {"d"}), (std::set<std::string>{"d"}));
}

TEST(Reducer, FindsWhatKeepsAPathFromBeingAFile) {
  const Tree tree = {{"a/b", EntryOf(1)}, {"c", EntryOf(1)}};
  EXPECT_EQ(PrefixObstacle(tree, "a"), "a/b");
  EXPECT_EQ(PrefixObstacle(tree, "c/d/e"), "c");
  EXPECT_EQ(PrefixObstacle(tree, "a/c"), "");
  EXPECT_EQ(PrefixObstacle(tree, "a-"), "");
}

}  // namespace
}  // namespace staged
