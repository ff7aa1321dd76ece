// The contract's rule 15 and its paragraph on turns: what was done is undone.

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule15 = WorkspaceFixture;
using Turns = WorkspaceFixture;

constexpr char kLines[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kLeft[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kRight[] = "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kBoth[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kClash[] = "uno\ntwo\nthree\nfour\nfive\nsix\nseven\n";

// ---- 15: undoable -------------------------------------------------------------------------------

TEST_F(Rule15, UndoGoesBackAndUndoOfTheUndoRedoes) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  Replace("a.txt", kLeft, kBoth);
  const auto undone = workspace().Undo(agent_, 0, false);
  STAGED_ASSERT_OK(undone);
  EXPECT_EQ(Working("a.txt"), kLeft);
  ASSERT_EQ(undone->paths.size(), 1u);
  EXPECT_EQ(undone->paths[0].base, HashOfText(kBoth));
  EXPECT_EQ(undone->paths[0].hash, HashOfText(kLeft));
  const auto redone = workspace().Undo(agent_, undone->operation, false);
  STAGED_ASSERT_OK(redone);
  EXPECT_EQ(Working("a.txt"), kBoth);
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Undo(agent_, undone->operation, false));
  STAGED_ASSERT_OK(workspace().Undo(agent_, redone->operation, false));
  EXPECT_EQ(Working("a.txt"), kLeft);
  STAGED_ASSERT_OK(workspace().Undo(agent_, 0, false));
  EXPECT_EQ(Working("a.txt"), kLines);
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Undo(agent_, 0, false));
  ExpectSound();
}

TEST_F(Rule15, UndoUnderLaterOperationsListsThem) {
  Init();
  const int64_t first = Create("a.txt", "1\n");
  const int64_t second = Replace("a.txt", "1\n", "2\n");
  Create("b.txt", "b\n");
  const auto refused = workspace().Undo(agent_, first, false);
  STAGED_EXPECT_CODE(ErrorCode::kConflict, refused);
  const Value* dependents = DetailsOf(refused).Find("dependents");
  ASSERT_NE(dependents, nullptr);
  EXPECT_EQ(*dependents, Value(Value::Array{second}));
  STAGED_ASSERT_OK(workspace().Undo(agent_, first, true));
  EXPECT_EQ(Working("a.txt"), std::nullopt);
  EXPECT_EQ(Working("b.txt"), "b\n");
}

TEST_F(Rule15, UndoOfARedoUnderLaterOperationsListsThem) {
  Init();
  Create("a.txt", "1\n");
  const auto undone = workspace().Undo(agent_, 0, false);
  STAGED_ASSERT_OK(undone);
  const auto redone = workspace().Undo(agent_, undone->operation, false);
  STAGED_ASSERT_OK(redone);
  Create("b.txt", "b\n");
  const int64_t later = Replace("a.txt", "1\n", "2\n");
  const auto refused = workspace().Undo(agent_, redone->operation, false);
  STAGED_EXPECT_CODE(ErrorCode::kConflict, refused);
  const Value* dependents = DetailsOf(refused).Find("dependents");
  ASSERT_NE(dependents, nullptr);
  EXPECT_EQ(*dependents, Value(Value::Array{later}));
  EXPECT_EQ(Working("a.txt"), "2\n");
  STAGED_ASSERT_OK(workspace().Undo(agent_, redone->operation, true));
  EXPECT_EQ(Working("a.txt"), std::nullopt);
  EXPECT_EQ(Working("b.txt"), "b\n");
  ExpectSound();
}

TEST_F(Rule15, ARedoIsUndoneOnce) {
  Init();
  Create("a.txt", "1\n");
  const auto undone = workspace().Undo(agent_, 0, false);
  STAGED_ASSERT_OK(undone);
  const auto redone = workspace().Undo(agent_, undone->operation, false);
  STAGED_ASSERT_OK(redone);
  const auto again = workspace().Undo(agent_, redone->operation, false);
  STAGED_ASSERT_OK(again);
  const auto twice = workspace().Undo(agent_, redone->operation, false);
  STAGED_EXPECT_CODE(ErrorCode::kConflict, twice);
  EXPECT_NE(MessageOf(twice).find("undone already"), std::string::npos);
  STAGED_ASSERT_OK(workspace().Undo(agent_, again->operation, false));
  EXPECT_EQ(Working("a.txt"), "1\n");
}

TEST_F(Rule15, WhatStandsInARemovedFilesPlaceDependsOnTheRemoval) {
  Save("d", "file\n");
  Init();
  const auto removed = workspace().Remove(agent_, "d", HashOfText("file\n"));
  STAGED_ASSERT_OK(removed);
  Create("d/x.txt", "x\n");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Undo(agent_, removed->operation, false));
  STAGED_ASSERT_OK(workspace().Undo(agent_, removed->operation, true));
  EXPECT_EQ(Working("d"), "file\n");
}

TEST_F(Rule15, UndoOfASupersedingWriteBringsTheKeptChainBack) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  SubmitElsewhere("a.txt", HashOfText(kLines), kClash);
  Replace("a.txt", kClash, "mine\n");
  STAGED_ASSERT_OK(workspace().Undo(agent_, 0, false));
  EXPECT_EQ(State("a.txt"), "conflict");
  EXPECT_EQ(Row(agent_, "a.txt")->staged, HashOfText(kLeft));
}

TEST_F(Rule15, UndoVoidsTheReceipt) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  ReviewAll();
  const auto undone = workspace().Undo(agent_, 0, false);
  STAGED_ASSERT_OK(undone);
  STAGED_ASSERT_OK(workspace().Undo(agent_, undone->operation, false));
  EXPECT_EQ(State("a.txt"), "edited");
  EXPECT_FALSE(workspace().Submit(agent_, {}, {}).ok());
}

TEST_F(Rule15, RevertStagesTheInverseMergedThreeWays) {
  Save("a.txt", kLines);
  Init();
  Replace("a.txt", kLines, kLeft);
  SubmitAll();
  const int64_t submit = History().back().sequence;
  Replace("a.txt", kLeft, kBoth);
  SubmitAll();
  const auto reverted = workspace().Revert(agent_, {submit});
  STAGED_ASSERT_OK(reverted);
  EXPECT_TRUE(reverted->conflicts.empty());
  EXPECT_EQ(Working("a.txt"), kRight) << "the first change is gone, the second stays";
  EXPECT_EQ(OnDisk("a.txt"), kBoth) << "not unreviewed";
  EXPECT_FALSE(workspace().Submit(agent_, {}, {}).ok());
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), kRight);
}

TEST_F(Rule15, RevertThatMeetsAnotherChangeIsAConflictAndStagesNothing) {
  Save("a.txt", kLines);
  Save("b.txt", "b\n");
  Init();
  Replace("a.txt", kLines, kLeft);
  Replace("b.txt", "b\n", "B\n");
  SubmitAll();
  const int64_t submit = History().back().sequence;
  Replace("a.txt", kLeft, kClash);
  SubmitAll();
  const auto reverted = workspace().Revert(agent_, {submit});
  STAGED_ASSERT_OK(reverted);
  EXPECT_EQ(reverted->conflicts.size(), 1u);
  EXPECT_TRUE(reverted->rebased.empty());
  EXPECT_EQ(State("b.txt"), "initial");
}

TEST_F(Rule15, RevertOfCreationDeletionAndAdoption) {
  Save("gone.txt", "gone\n");
  Init();
  Create("new.txt", "new\n");
  STAGED_ASSERT_OK(workspace().Remove(agent_, "gone.txt", HashOfText("gone\n")));
  SubmitAll();
  const int64_t submit = History().back().sequence;
  STAGED_ASSERT_OK(workspace().Revert(agent_, {submit}));
  SubmitAll();
  EXPECT_EQ(OnDisk("new.txt"), std::nullopt);
  EXPECT_EQ(OnDisk("gone.txt"), "gone\n");
  Save("gone.txt", "a person's\n");
  STAGED_ASSERT_OK(workspace().AdoptLiveChanges(agent_));
  STAGED_ASSERT_OK(workspace().Revert(agent_, {History().back().sequence}));
  EXPECT_EQ(Working("gone.txt"), "gone\n");
}

TEST_F(Rule15, OnlyWhatWasSubmittedIsReverted) {
  Init();
  const int64_t staged = Create("a.txt", "a\n");
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, workspace().Revert(agent_, {staged}));
  STAGED_ASSERT_OK(workspace().Discard(agent_, {}));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, workspace().Revert(agent_, {staged}));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().Revert(agent_, {History().back().sequence}));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Revert(agent_, {1000}));
  const int64_t again = Create("a.txt", "a\n");
  SubmitAll();
  STAGED_ASSERT_OK(workspace().Revert(agent_, {again}));
  EXPECT_EQ(Working("a.txt"), std::nullopt);
}

TEST_F(Rule15, ForgetLeavesATombstone) {
  Init();
  Create("a.txt", "secret\n");
  const ContentHash secret = HashOfText("secret\n");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Forget(agent_, secret));
  Replace("a.txt", "secret\n", "public\n");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Forget(agent_, secret));
  SubmitAll();
  STAGED_ASSERT_OK(workspace().Forget(agent_, secret));
  EXPECT_EQ(History().back().type, OperationType::kForget);
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Read(agent_, "a.txt", secret));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Forget(agent_, secret));
  ExpectSound();
}

TEST_F(Rule15, WhatWasForgottenDoesNotComeBackByUndoOrRevert) {
  Init();
  Create("a.txt", "secret\n");
  const auto undone = workspace().Undo(agent_, 0, false);
  STAGED_ASSERT_OK(undone);
  Create("b.txt", "other secret\n");
  SubmitAll();
  const auto removed = workspace().Remove(agent_, "b.txt", HashOfText("other secret\n"));
  STAGED_ASSERT_OK(removed);
  SubmitAll();
  const int64_t submit = History().back().sequence;
  STAGED_ASSERT_OK(workspace().Forget(agent_, HashOfText("secret\n")));
  STAGED_ASSERT_OK(workspace().Forget(agent_, HashOfText("other secret\n")));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Undo(agent_, undone->operation, false));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Revert(agent_, {submit}));
  ExpectSound();
}

TEST_F(Rule15, WhatIsWrittenAgainAfterForgettingIsKept) {
  Init();
  Create("a.txt", "secret\n");
  STAGED_ASSERT_OK(workspace().Discard(agent_, {}));
  STAGED_ASSERT_OK(workspace().Forget(agent_, HashOfText("secret\n")));
  Create("b.txt", "secret\n");
  SubmitAll();
  STAGED_ASSERT_OK(workspace().CollectGarbage({}));
  Open();
  EXPECT_EQ(Working("b.txt"), "secret\n");
  const auto content = workspace().Read(agent_, "b.txt", HashOfText("secret\n"));
  STAGED_ASSERT_OK(content);
  Delete("b.txt");  // so that only the store has it
  const auto from_store = workspace().Read(agent_, "b.txt", HashOfText("secret\n"));
  STAGED_ASSERT_OK(from_store);
  EXPECT_EQ(from_store->bytes, "secret\n");
  ExpectSound();
}

// Rule 4: a request that comes again does not take what was acknowledged since.
TEST_F(Rule15, ARepeatedForgetKeepsWhatWasWrittenSince) {
  Init();
  Create("a.txt", "secret\n");
  STAGED_ASSERT_OK(workspace().Discard(agent_, {}));
  CallContext context = agent_;
  context.request_id = "forget-1";
  STAGED_ASSERT_OK(workspace().Forget(context, HashOfText("secret\n")));
  Create("b.txt", "secret\n");
  SubmitAll();
  STAGED_ASSERT_OK(workspace().Forget(context, HashOfText("secret\n")));
  Delete("b.txt");  // so that only the store has it
  const auto from_store = workspace().Read(agent_, "b.txt", HashOfText("secret\n"));
  STAGED_ASSERT_OK(from_store);
  EXPECT_EQ(from_store->bytes, "secret\n");
  ExpectSound();
}

// ---- turns --------------------------------------------------------------------------------------

TEST_F(Turns, ATurnIsRolledBackAsOneAndIsScopedToItsBranch) {
  Save("a.txt", "a\n");
  Init();
  CallContext turn = agent_;
  turn.turn = "turn-1";
  STAGED_ASSERT_OK(workspace().Write(turn, "a.txt", HashOfText("a\n"), "b\n"));
  STAGED_ASSERT_OK(workspace().Write(turn, "b.txt", std::nullopt, "b\n"));
  CallContext other = other_;
  other.turn = "turn-1";
  STAGED_ASSERT_OK(workspace().Write(other, "c.txt", std::nullopt, "c\n"));
  STAGED_ASSERT_OK(workspace().Rollback(agent_, "turn-1"));
  EXPECT_EQ(Working("a.txt"), "a\n");
  EXPECT_EQ(Working("b.txt"), std::nullopt);
  EXPECT_EQ(Row(other_, "c.txt")->state, "edited");
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Rollback(agent_, "turn-1"));
}

TEST_F(Turns, ARollbackUnderLaterOperationsListsThem) {
  Init();
  CallContext turn = agent_;
  turn.turn = "turn-1";
  STAGED_ASSERT_OK(workspace().Write(turn, "a.txt", std::nullopt, "1\n"));
  const int64_t later = Replace("a.txt", "1\n", "2\n");
  const auto refused = workspace().Rollback(agent_, "turn-1");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, refused);
  EXPECT_EQ(*DetailsOf(refused).Find("dependents"), Value(Value::Array{later}));
}

TEST_F(Turns, WithoutOneEachCommandIsItsOwn) {
  Init();
  const int64_t first = Create("a.txt", "a\n");
  const int64_t second = Create("b.txt", "b\n");
  EXPECT_NE(ReadOperation(first).turn, ReadOperation(second).turn);
  STAGED_ASSERT_OK(workspace().Rollback(agent_, ReadOperation(first).turn));
  EXPECT_EQ(Working("b.txt"), "b\n");
}

TEST_F(Turns, BranchesSeeOnlyTheirOwnAndAnUnknownOneIsEmpty) {
  Save("a.txt", "a\n");
  Init();
  CallContext evaluation = other_;
  evaluation.branch = "evaluation";
  evaluation.branch_kind = BranchKind::kEvaluation;
  STAGED_ASSERT_OK(workspace().Write(evaluation, "a.txt", HashOfText("a\n"), "theirs\n"));
  Replace("a.txt", "a\n", "mine\n");
  EXPECT_EQ(Working("a.txt"), "mine\n");
  EXPECT_EQ(workspace().Read(evaluation, "a.txt", std::nullopt)->bytes, "theirs\n");
  EXPECT_EQ(Row(agent_, "a.txt")->also_on, (std::vector<std::string>{"evaluation"}));
  CallContext unknown = agent_;
  unknown.branch = "never-heard-of";
  EXPECT_EQ(workspace().Read(unknown, "a.txt", std::nullopt)->bytes, "a\n");
  EXPECT_TRUE(workspace().GetDiff(unknown, {})->empty());
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Undo(unknown, 0, false));
}

}  // namespace
}  // namespace staged::testing
