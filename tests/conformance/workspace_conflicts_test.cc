// The contract's rule 12 and its paragraphs on conflicts, on real files.

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule12 = WorkspaceFixture;
using Conflicts = WorkspaceFixture;

constexpr char kLines[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kLeft[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kRight[] = "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kBoth[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kClash[] = "uno\ntwo\nthree\nfour\nfive\nsix\nseven\n";

// ---- 12: no loss in a merge ---------------------------------------------------------------------

TEST_F(Rule12, ARebaseHoldsBothSidesAndNeedsItsOwnReview) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  ReviewAll();
  SubmitElsewhere("a.txt", HashOfText(kLines), kRight);
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  ASSERT_EQ(rebased->rebased.size(), 1u);
  EXPECT_EQ(rebased->rebased[0].base, HashOfText(kRight));
  EXPECT_EQ(rebased->rebased[0].hash, HashOfText(kBoth));
  EXPECT_EQ(Working("a.txt"), kBoth);
  EXPECT_EQ(State("a.txt"), "edited");
  EXPECT_FALSE(workspace().Submit(agent_, {}, {}).ok());
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), kBoth);
}

TEST_F(Rule12, CleanPathsAreRebasedEvenIfOthersConflict) {
  Save("a.txt", kLines);
  Save("b.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  Replace("b.txt", kLines, kLeft);
  SubmitElsewhere("a.txt", HashOfText(kLines), kRight);
  SubmitElsewhere("b.txt", HashOfText(kLines), kClash);
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  ASSERT_EQ(rebased->rebased.size(), 1u);
  EXPECT_EQ(rebased->rebased[0].path, "a.txt");
  ASSERT_EQ(rebased->conflicts.size(), 1u);
  EXPECT_EQ(rebased->conflicts[0].path, "b.txt");
  EXPECT_EQ(rebased->conflicts[0].base, HashOfText(kLines));
  EXPECT_EQ(rebased->conflicts[0].left, HashOfText(kLeft));
  EXPECT_EQ(rebased->conflicts[0].right, HashOfText(kClash));
  EXPECT_FALSE(rebased->conflicts[0].details.empty());
  EXPECT_EQ(State("b.txt"), "conflict");
}

TEST_F(Rule12, DeletionAgainstAnEditIsAConflictBothWays) {
  Save("a.txt", kLines);
  Save("b.txt", kLines);
  Init();
  STAGED_ASSERT_OK(workspace().Remove(agent_, "a.txt", HashOfText(kLines)));
  Replace("b.txt", kLines, kLeft);
  Save("a.txt", kRight);
  Delete("b.txt");
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  EXPECT_TRUE(rebased->rebased.empty());
  ASSERT_EQ(rebased->conflicts.size(), 2u);
  EXPECT_EQ(rebased->conflicts[0].details[0].kind, "delete_modify");
  EXPECT_EQ(rebased->conflicts[1].details[0].kind, "delete_modify");
  EXPECT_EQ(State("a.txt"), "conflict");
  EXPECT_EQ(State("b.txt"), "conflict");
}

TEST_F(Rule12, PolicyRejectMergesNothing) {
  Save("a.txt", kLines);
  Init();
  SetPolicy("[[rule]]\npaths = [\"*.txt\"]\nmerge = \"reject\"\n");
  Replace("a.txt", kLines, kLeft);
  SubmitElsewhere("a.txt", HashOfText(kLines), kRight);
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  ASSERT_EQ(rebased->conflicts.size(), 1u);
  EXPECT_EQ(rebased->conflicts[0].details[0].kind, "whole_file");
}

TEST_F(Rule12, AModeAndAnEditMerge) {
  Save("a.sh", kLines);
  Init();
  STAGED_ASSERT_OK(workspace().ChangeMode(agent_, "a.sh", HashOfText(kLines), true));
  SubmitElsewhere("a.sh", HashOfText(kLines), kRight);
  STAGED_ASSERT_OK(workspace().Rebase(agent_, {}));
  const auto content = workspace().Read(agent_, "a.sh", std::nullopt);
  STAGED_ASSERT_OK(content);
  EXPECT_EQ(content->bytes, kRight);
  EXPECT_EQ(content->entry.kind, EntryKind::kExecutable);
}

// ---- conflicts: the ways out --------------------------------------------------------------------

TEST_F(Conflicts, AWriteOnWhatIsAcceptedSupersedesTheKeptChain) {
  Save("a.txt", kLines);
  Init();
  const int64_t first = Replace("a.txt", kLines, kLeft);
  const int64_t second = Replace("a.txt", kLeft, "more\n");
  SubmitElsewhere("a.txt", HashOfText(kLines), kRight);
  STAGED_EXPECT_CODE(ErrorCode::kConflict,
                     workspace().Write(agent_, "a.txt", HashOfText("more\n"), "x"));
  const auto written = workspace().Write(agent_, "a.txt", HashOfText(kRight), kBoth);
  STAGED_ASSERT_OK(written);
  EXPECT_EQ(written->superseded, (std::vector<int64_t>{first, second}));
  EXPECT_EQ(State("a.txt"), "edited");
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), kBoth);
}

TEST_F(Conflicts, AnEditAlsoSupersedes) {
  Save("a.json", "{\"n\": 1}\n");
  Init();
  Write("a.json", HashOfText("{\"n\": 1}\n"), "{\"n\": 2}\n");
  SubmitElsewhere("a.json", HashOfText("{\"n\": 1}\n"), "{\"n\": 3}\n");
  const auto edited =
      workspace().ApplyEdits(agent_, "a.json", HashOfText("{\"n\": 3}\n"),
                             {Edit{"set", "/n", std::nullopt, Value::Object{{"value", 4}}}});
  STAGED_ASSERT_OK(edited);
  EXPECT_EQ(edited->superseded.size(), 1u);
  EXPECT_EQ(State("a.json"), "edited");
}

TEST_F(Conflicts, WhatIsAcceptedInTheMiddleOfAChainIsAConflict) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  Replace("a.txt", kLeft, kLines);  // and back
  Save("a.txt", kLeft);
  EXPECT_EQ(State("a.txt"), "conflict");
  EXPECT_EQ(Working("a.txt"), kLeft) << "the person's save is not taken back unasked";
}

TEST_F(Conflicts, BothSidesEqualAreConsumed) {
  Save("a.txt", kLines);
  Init();
  const int64_t first = Replace("a.txt", kLines, "step\n");
  const int64_t second = Replace("a.txt", "step\n", kLeft);
  SubmitElsewhere("a.txt", HashOfText(kLines), kLeft);
  EXPECT_EQ(State("a.txt"), "initial");
  Create("b.txt", "b\n");  // the next writing call
  const std::vector<Operation> history = History({.types = {OperationType::kDiscard}});
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].consumes, (std::vector<int64_t>{first, second}));
  ExpectSound();
}

TEST_F(Conflicts, ReviewMintsNothingAndResolveTakesEachSide) {
  const std::pair<Take, const char*> kTakes[] = {{Take::kLeft, kLeft},
                                                 {Take::kRight, kClash},
                                                 {Take::kBase, kLines},
                                                 {Take::kBytes, "given\n"}};
  for (const auto& [take, expected] : kTakes) {
    StartAfresh();
    Save("a.txt", kLines);
    Init();
    Replace("a.txt", kLines, kLeft);
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                       workspace().Resolve(agent_, "a.txt", take, "given\n"));
    Save("a.txt", kClash);
    const auto refused = workspace().Review(agent_, {});
    STAGED_EXPECT_CODE(ErrorCode::kConflict, refused);
    EXPECT_EQ(DetailsOf(refused).FindString("left"), HashOfText(kLeft).ToString());
    EXPECT_EQ(DetailsOf(refused).FindString("right"), HashOfText(kClash).ToString());
    const auto resolved = workspace().Resolve(agent_, "a.txt", take, "given\n");
    STAGED_ASSERT_OK(resolved);
    EXPECT_EQ(resolved->base, HashOfText(kClash));
    EXPECT_EQ(resolved->hash, HashOfText(expected));
    EXPECT_EQ(Working("a.txt"), expected);
    EXPECT_EQ(State("a.txt"), take == Take::kRight ? "initial" : "edited");
    SubmitAll();
    EXPECT_EQ(OnDisk("a.txt"), expected);
    ExpectSound();
  }
}

TEST_F(Conflicts, AFileAndADirectoryOfOneNameConflict) {
  Save("d/x.txt", "x\n");
  Init();
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Write(agent_, "d", std::nullopt, "file\n"));
  STAGED_EXPECT_CODE(ErrorCode::kConflict,
                     workspace().Write(agent_, "d/x.txt/y", std::nullopt, "file\n"));
  Create("e/y.txt", "y\n");
  Save("e", "a person's file\n");
  EXPECT_EQ(State("e/y.txt"), "conflict");
  EXPECT_EQ(Working("e"), "a person's file\n");
  EXPECT_EQ(Working("e/y.txt"), std::nullopt);
}

TEST_F(Conflicts, ADirectoryMayBecomeAFileAndTheReverse) {
  Save("d/x.txt", "x\n");
  Save("f", "file\n");
  Init();
  STAGED_ASSERT_OK(workspace().Remove(agent_, "d", std::nullopt));
  Create("d", "now a file\n");
  STAGED_ASSERT_OK(workspace().Remove(agent_, "f", HashOfText("file\n")));
  Create("f/x.txt", "now a directory\n");
  ReviewAll();
  // One half alone cannot be accepted: what makes room goes with it.
  const auto submitted = workspace().Submit(agent_, {"f/x.txt"}, {});
  STAGED_ASSERT_OK(submitted);
  EXPECT_EQ(submitted->submitted.size(), 2u);
  EXPECT_EQ(OnDisk("f/x.txt"), "now a directory\n");
  STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("d"), "now a file\n");
  ExpectSound();
}

TEST_F(Conflicts, DiscardTakesThePathOutOfStagingOnly) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  Create("b.txt", "b\n");
  const auto discarded = workspace().Discard(agent_, {"a.txt"});
  STAGED_ASSERT_OK(discarded);
  EXPECT_EQ(*discarded, (std::vector<std::string>{"a.txt"}));
  EXPECT_EQ(Working("a.txt"), kLines);
  EXPECT_EQ(Working("b.txt"), "b\n");
  const auto kept = workspace().Read(agent_, "a.txt", HashOfText(kLeft));
  STAGED_ASSERT_OK(kept);
  EXPECT_EQ(kept->bytes, kLeft) << "acknowledged bytes stay readable";
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Discard(agent_, {"nothing.txt"}));
}

}  // namespace
}  // namespace staged::testing
