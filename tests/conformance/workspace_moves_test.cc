// The contract's paragraphs on moves, on real files.

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Moves = WorkspaceFixture;

constexpr char kLines[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kLeft[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kRight[] = "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kBoth[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kClash[] = "uno\ntwo\nthree\nfour\nfive\nsix\nseven\n";

// ---- moves --------------------------------------------------------------------------------------

TEST_F(Moves, AMoveAndAnEditOfWhatWasMovedCompose) {
  Save("a.txt", kLines);
  Init();
  STAGED_ASSERT_OK(workspace().Move(agent_, "a.txt", "b.txt", HashOfText(kLines)));
  SubmitElsewhere("a.txt", HashOfText(kLines), kRight);
  EXPECT_EQ(State("a.txt"), "conflict");
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  EXPECT_TRUE(rebased->conflicts.empty());
  EXPECT_EQ(Working("a.txt"), std::nullopt);
  EXPECT_EQ(Working("b.txt"), kRight);
  SubmitAll();
  EXPECT_EQ(OnDisk("b.txt"), kRight);
}

TEST_F(Moves, AMoveWithAnEditMergesWithAnEditOfTheOtherSide) {
  Save("a.txt", kLines);
  Init();
  STAGED_ASSERT_OK(workspace().Move(agent_, "a.txt", "b.txt", HashOfText(kLines)));
  Replace("b.txt", kLines, kLeft);
  SubmitElsewhere("a.txt", HashOfText(kLines), kRight);
  STAGED_ASSERT_OK(workspace().Rebase(agent_, {}));
  EXPECT_EQ(Working("b.txt"), kBoth);
  EXPECT_EQ(Working("a.txt"), std::nullopt);
}

TEST_F(Moves, AnEditFollowsWhatOthersMoved) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  CallContext elsewhere = other_;
  STAGED_ASSERT_OK(workspace().Move(elsewhere, "a.txt", "b.txt", HashOfText(kLines)));
  STAGED_ASSERT_OK(workspace().Review(elsewhere, {}));
  STAGED_ASSERT_OK(workspace().Submit(elsewhere, {}, {}));
  EXPECT_EQ(State("a.txt"), "conflict");
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  EXPECT_TRUE(rebased->conflicts.empty());
  EXPECT_EQ(Working("a.txt"), std::nullopt);
  EXPECT_EQ(Working("b.txt"), kLeft);
}

TEST_F(Moves, TwoMovesOrAMoveAndADeletionConflictAndOthersAreRebased) {
  Save("a.txt", kLines);
  Save("b.txt", kLines + std::string("b\n"));
  Save("c.txt", kLines + std::string("c\n"));
  Init();
  STAGED_ASSERT_OK(workspace().Move(agent_, "a.txt", "x/a.txt", HashOfText(kLines)));
  STAGED_ASSERT_OK(
      workspace().Move(agent_, "b.txt", "x/b.txt", HashOfText(kLines + std::string("b\n"))));
  Replace("c.txt", kLines + std::string("c\n"), kLeft + std::string("c\n"));
  STAGED_ASSERT_OK(workspace().Move(other_, "a.txt", "y/a.txt", HashOfText(kLines)));
  STAGED_ASSERT_OK(workspace().Review(other_, {}));
  STAGED_ASSERT_OK(workspace().Submit(other_, {}, {}));
  Delete("b.txt");
  Save("c.txt", kRight + std::string("c\n"));
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  ASSERT_EQ(rebased->conflicts.size(), 2u);
  EXPECT_EQ(rebased->conflicts[0].details[0].kind, "move_move");
  EXPECT_EQ(rebased->conflicts[1].details[0].kind, "delete_modify");
  ASSERT_EQ(rebased->rebased.size(), 1u);
  EXPECT_EQ(rebased->rebased[0].path, "c.txt");
}

TEST_F(Moves, AConflictingMergeOfAMoveKeepsEverythingAside) {
  Save("a.txt", kLines);
  Init();
  STAGED_ASSERT_OK(workspace().Move(agent_, "a.txt", "b.txt", HashOfText(kLines)));
  Replace("b.txt", kLines, kLeft);
  Save("a.txt", kClash);
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  EXPECT_TRUE(rebased->rebased.empty());
  EXPECT_EQ(rebased->conflicts.size(), 1u);
  EXPECT_EQ(State("a.txt"), "conflict");
  EXPECT_EQ(State("b.txt"), "conflict");
  const auto resolved = workspace().Resolve(agent_, "b.txt", Take::kLeft, "");
  STAGED_ASSERT_OK(resolved);
  EXPECT_EQ(Working("a.txt"), std::nullopt);
  EXPECT_EQ(Working("b.txt"), kLeft);
}

TEST_F(Moves, ADirectoryExpandsToItsFilesAndIsUndoneWhole) {
  Save("d/x.txt", "x\n");
  Save("d/sub/y.txt", "y\n");
  Save("other.txt", "o\n");
  Init();
  const auto moved = workspace().Move(agent_, "d", "e", std::nullopt);
  STAGED_ASSERT_OK(moved);
  EXPECT_EQ(moved->path, "d");
  EXPECT_EQ(moved->moved_to, "e");
  EXPECT_EQ(Working("e/x.txt"), "x\n");
  EXPECT_EQ(Working("e/sub/y.txt"), "y\n");
  EXPECT_EQ(Working("d/x.txt"), std::nullopt);
  const auto undone = workspace().Undo(agent_, 0, false);
  STAGED_ASSERT_OK(undone);
  EXPECT_EQ(undone->undone.size(), 2u);
  EXPECT_EQ(Working("d/x.txt"), "x\n");
  EXPECT_EQ(Working("e/x.txt"), std::nullopt);
  const auto removed = workspace().Remove(agent_, "d", std::nullopt);
  STAGED_ASSERT_OK(removed);
  EXPECT_EQ(removed->path, "d");
  EXPECT_EQ(Working("d/sub/y.txt"), std::nullopt);
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Remove(agent_, "d", std::nullopt));
  SubmitAll();
  EXPECT_FALSE(std::filesystem::exists(Absolute("d"))) << "empty folders go with their files";
}

TEST_F(Moves, ADirectoryMovesUpButNotIntoItself) {
  Save("d/d/x.txt", "x\n");
  Save("d/d/d/y.txt", "y\n");
  Init();
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().Move(agent_, "d", "d/inner", std::nullopt));
  STAGED_ASSERT_OK(workspace().Move(agent_, "d/d", "d", std::nullopt));
  EXPECT_EQ(Working("d/x.txt"), "x\n");
  EXPECT_EQ(Working("d/d/y.txt"), "y\n");
  EXPECT_EQ(State("d/x.txt"), "edited");
  EXPECT_EQ(State("d/d/y.txt"), "edited");
}

TEST_F(Moves, AChainOfMovesShowsAndSubmitsAsOne) {
  Save("a.txt", kLines);
  Init();
  STAGED_ASSERT_OK(workspace().Move(agent_, "a.txt", "b.txt", HashOfText(kLines)));
  STAGED_ASSERT_OK(workspace().Move(agent_, "b.txt", "c.txt", HashOfText(kLines)));
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  ASSERT_EQ(reviewed->reviewed.size(), 2u);
  EXPECT_EQ(reviewed->reviewed[0].moved_with, "c.txt");
  EXPECT_EQ(reviewed->reviewed[1].moved_with, "a.txt");
  STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("c.txt"), kLines);
  EXPECT_EQ(OnDisk("b.txt"), std::nullopt);
}

TEST_F(Moves, ATakenTargetIsAConflictAndNothingIsOverwritten) {
  Save("a.txt", "a\n");
  Save("b.txt", "b\n");
  Init();
  STAGED_EXPECT_CODE(ErrorCode::kConflict,
                     workspace().Move(agent_, "a.txt", "b.txt", HashOfText("wrong")));
  EXPECT_EQ(Working("b.txt"), "b\n");
}

}  // namespace
}  // namespace staged::testing
