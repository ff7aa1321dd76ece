// The contract's rules 12 to 18 and its paragraphs on conflicts and moves, on real files.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule12 = WorkspaceFixture;
using Rule13 = WorkspaceFixture;
using Rule14 = WorkspaceFixture;
using Rule15 = WorkspaceFixture;
using Rule16 = WorkspaceFixture;
using Conflicts = WorkspaceFixture;
using Moves = WorkspaceFixture;
using Turns = WorkspaceFixture;
using Errors = WorkspaceFixture;

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

// ---- 13, 14 -------------------------------------------------------------------------------------

TEST_F(Rule13, ASaveIsSeenByReadersAndTakenInByTheNextWriter) {
  Save("a.txt", "a\n");
  Init();
  Save("a.txt", "saved\n");
  Save("new.txt", "new\n");
  EXPECT_EQ(Working("a.txt"), "saved\n");
  EXPECT_EQ(Row(agent_, "a.txt")->accepted, HashOfText("saved\n"));
  EXPECT_EQ(History().size(), 1u) << "readers write nothing";
  Create("b.txt", "b\n");
  const std::vector<Operation> history = History();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[1].type, OperationType::kAdopt);
  EXPECT_EQ(history[1].actor.kind, ActorKind::kHuman);
  EXPECT_EQ(history[1].branch, "disk");
  EXPECT_EQ(history[1].changes.size(), 2u);
  Save("a.txt", "again\n");
  const auto old = workspace().Read(agent_, "a.txt", HashOfText("saved\n"));
  STAGED_ASSERT_OK(old);
  EXPECT_EQ(old->bytes, "saved\n");
}

TEST_F(Rule13, AWriteIsBasedOnWhatThePersonSaved) {
  Save("a.txt", "a\n");
  Init();
  Save("a.txt", "saved\n");
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase,
                     workspace().Write(agent_, "a.txt", HashOfText("a\n"), "x"));
  Replace("a.txt", "saved\n", "mine\n");
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), "mine\n");
}

TEST_F(Rule13, WhatIsWrittenIntoADisplacedFileIsThePersonsOperation) {
  Save("a.txt", "a\n");
  Init();
  const int open_file = open(Absolute("a.txt").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(open_file, 0);
  Replace("a.txt", "a\n", "submitted\n");
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), "submitted\n");
  ASSERT_EQ(write(open_file, "late\n", 5), 5);
  close(open_file);
  Open();  // nobody holds it now
  const std::vector<Operation> history = History();
  const Operation& late = history.back();
  EXPECT_EQ(late.branch, "disk");
  EXPECT_EQ(late.actor.kind, ActorKind::kHuman);
  ASSERT_EQ(late.changes.size(), 1u);
  EXPECT_EQ(late.changes[0].result->hash, HashOfText("a\nlate\n"));
  CallContext disk = person_;
  disk.branch = "disk";
  EXPECT_EQ(Row(disk, "a.txt")->state, "conflict");
  EXPECT_EQ(OnDisk("a.txt"), "submitted\n");
  ExpectSound();
}

TEST_F(Rule13, ADisplacedFileThatNobodyChangedGoes) {
  Save("a.txt", "a\n");
  Init();
  const int open_file = open(Absolute("a.txt").c_str(), O_WRONLY | O_APPEND);
  Replace("a.txt", "a\n", "submitted\n");
  SubmitAll();
  const auto parked = [&] {
    size_t count = 0;
    for (const auto& item : std::filesystem::directory_iterator(Absolute(".staged/tmp"))) {
      if (item.path().filename().string().starts_with("displaced-")) ++count;
    }
    return count;
  };
  Open();  // the submit's end is durable now
  EXPECT_GT(parked(), 0u);
  close(open_file);
  const size_t operations = History().size();
  Open();
  EXPECT_EQ(History().size(), operations);
  EXPECT_EQ(parked(), 0u);
}

TEST_F(Rule13, OfficeLocksStopASubmitUnlessIgnored) {
  const std::pair<const char*, std::string> kLocks[] = {
      {"~$report.docx", std::string("\x03"
                                    "Ada") +
                            std::string(50, ' ')},
      {"~$port.docx", std::string("\x03"
                                  "Ada") +
                          std::string(50, ' ')},
      {".~lock.report.docx#", ",Ada,host,01.01.2026 10:00,file:///home;"}};
  for (const auto& [name, text] : kLocks) {
    SCOPED_TRACE(name);
    StartAfresh();
    Save("report.docx", "not really\n");
    Init();
    Save(name, text);
    Replace("report.docx", "not really\n", "changed\n");
    ReviewAll();
    const auto refused = workspace().Submit(agent_, {}, {});
    STAGED_EXPECT_CODE(ErrorCode::kBusy, refused);
    EXPECT_NE(MessageOf(refused).find("Ada"), std::string::npos) << MessageOf(refused);
    EXPECT_EQ(State("report.docx"), "reviewed");
    STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {.ignore_office_locks = true}));
    for (const Operation& operation : History()) {
      for (const PathChange& change : operation.changes) EXPECT_NE(change.path, name);
    }
  }
}

TEST_F(Rule13, PublishedFilesKeepTheirModeAndExecutionFollowsTheEntry) {
  Save("a.sh", "a\n");
  std::filesystem::permissions(Absolute("a.sh"), std::filesystem::perms(0640));
  Init();
  Replace("a.sh", "a\n", "b\n");
  SubmitAll();
  EXPECT_EQ(std::filesystem::status(Absolute("a.sh")).permissions(), std::filesystem::perms(0640));
  STAGED_ASSERT_OK(workspace().ChangeMode(agent_, "a.sh", HashOfText("b\n"), true));
  SubmitAll();
  EXPECT_EQ(std::filesystem::status(Absolute("a.sh")).permissions(), std::filesystem::perms(0750));
}

TEST_F(Rule14, DerivedDataMayGoAtAnyTime) {
  Save("a.txt", "needle\n");
  Init();
  STAGED_ASSERT_OK(workspace().Index(agent_, {}));
  std::filesystem::remove_all(Absolute(".staged/derived"));
  Open();
  SearchRequest request;
  request.query = "needle";
  const auto found = workspace().Search(agent_, request);
  STAGED_ASSERT_OK(found);
  EXPECT_EQ(found->hits.size(), 1u);
  ExpectSound();
}

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

// ---- 16: leases ---------------------------------------------------------------------------------

TEST_F(Rule16, ALostLeaseFencesOffEvenAWriteWhoseHashIsRight) {
  Save("a.txt", "a\n");
  Init();
  const auto first = workspace().AcquireLease(agent_, "session-1", 1);  // over at once
  STAGED_ASSERT_OK(first);
  const auto second = workspace().AcquireLease(agent_, "session-2", int64_t{60} * 1'000'000'000);
  STAGED_ASSERT_OK(second);
  EXPECT_GT(second->epoch, first->epoch);
  CallContext lost = agent_;
  lost.lease_epoch = first->epoch;
  STAGED_EXPECT_CODE(ErrorCode::kFenced,
                     workspace().Write(lost, "a.txt", HashOfText("a\n"), "b\n"));
  STAGED_EXPECT_CODE(ErrorCode::kFenced, workspace().Undo(lost, 0, false));
  STAGED_EXPECT_CODE(ErrorCode::kFenced,
                     workspace().Write(agent_, "a.txt", HashOfText("a\n"), "b\n"));
  STAGED_EXPECT_CODE(ErrorCode::kBusy, workspace().AcquireLease(agent_, "session-3", 1'000));
  CallContext holder = agent_;
  holder.lease_epoch = second->epoch;
  const auto written = workspace().Write(holder, "a.txt", HashOfText("a\n"), "b\n");
  STAGED_ASSERT_OK(written);
  EXPECT_EQ(ReadOperation(written->operation).lease_epoch, second->epoch);
  STAGED_EXPECT_CODE(ErrorCode::kFenced, workspace().ReleaseLease(agent_, *first));
  STAGED_ASSERT_OK(workspace().ReleaseLease(agent_, *second));
  STAGED_EXPECT_CODE(ErrorCode::kFenced,
                     workspace().Write(holder, "a.txt", HashOfText("b\n"), "c\n"));
  Replace("a.txt", "b\n", "c\n");
  // Another branch is nobody's business.
  CallContext other = other_;
  STAGED_ASSERT_OK(workspace().Write(other, "b.txt", std::nullopt, "b\n"));
}

TEST_F(Rule16, TwoProcessesWorkOnOneWorkspace) {
  Save("a.txt", "a\n");
  Init();
  const auto second = OpenAnother();
  Replace("a.txt", "a\n", "b\n");
  EXPECT_EQ(second->Read(agent_, "a.txt", std::nullopt)->bytes, "b\n");
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase,
                     second->Write(agent_, "a.txt", HashOfText("a\n"), "c\n"));
  STAGED_ASSERT_OK(second->Write(agent_, "a.txt", HashOfText("b\n"), "c\n"));
  EXPECT_EQ(Working("a.txt"), "c\n");
}

// ---- the order of error codes -------------------------------------------------------------------

TEST_F(Errors, TheFirstOfTheContractsOrderIsGiven) {
  Save("a.txt", "a\n");
  Save("b.txt", "b\n");
  Init();
  const BaseHash wrong = HashOfText("wrong");
  // invalid_argument before path_escape
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().Write(agent_, std::string("/\0", 2), wrong, ""));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().ApplyEdits(agent_, "../x", wrong, {}));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().Move(agent_, "none.txt", "none.txt", wrong));
  // path_escape before not_found
  STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Move(agent_, "none", "../x", wrong));
  // not_found before stale_base
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Remove(agent_, "none.txt", wrong));
  // conflict before stale_base
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Move(agent_, "a.txt", "b.txt", wrong));
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Write(agent_, "a.txt/x", wrong, ""));
  // conflict before review_void and not_reviewed
  Replace("a.txt", "a\n", "mine\n");
  Replace("b.txt", "b\n", "mine\n");
  Create("c.txt", "c\n");
  STAGED_ASSERT_OK(workspace().Review(agent_, {"b.txt"}));
  Replace("b.txt", "mine\n", "mine too\n");
  STAGED_EXPECT_CODE(ErrorCode::kReviewVoid, workspace().Submit(agent_, {}, {}));
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {"c.txt"}, {}));
  Save("a.txt", "theirs\n");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Submit(agent_, {}, {}));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Submit(agent_, {"a.txt", "no.txt"}, {}));
}

TEST_F(Errors, MessagesAreOneLine) {
  Save("a.txt", "a\n");
  Init();
  const Status statuses[] = {
      workspace().Write(agent_, "a.txt", std::nullopt, "").status(),
      workspace().Write(agent_, "../a.txt", std::nullopt, "").status(),
      workspace().Read(agent_, "none", std::nullopt).status(),
      workspace().Submit(agent_, {"none"}, {}).status(),
      workspace().Undo(agent_, 0, false).status(),
      workspace().Rollback(agent_, "none").status(),
      workspace().Resolve(agent_, "a.txt", Take::kLeft, "").status(),
  };
  for (const Status& status : statuses) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(';'), std::string::npos)
        << "says what to do next: " << status.message();
  }
}

}  // namespace
}  // namespace staged::testing
