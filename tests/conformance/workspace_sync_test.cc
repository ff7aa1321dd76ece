// Hydrate and sync, and the contract's rules 17 and 18 on what lies in a folder.

#include <sys/stat.h>

#include <algorithm>

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule17 = WorkspaceFixture;
using Rule18 = WorkspaceFixture;

class Sync : public WorkspaceFixture {
 protected:
  void CheckOut() {
    const auto checked_out = workspace().Checkout(agent_, Folder());
    ASSERT_TRUE(checked_out.ok()) << MessageOf(checked_out);
  }
  SyncAnswer SyncBack() {
    const auto answer = workspace().Sync(agent_, Folder());
    EXPECT_TRUE(answer.ok()) << MessageOf(answer);
    return answer.ok() ? *answer : SyncAnswer();
  }
  [[nodiscard]] std::string Folder() const { return Outside("checkout"); }
  void SaveThere(const std::string& path, std::string_view bytes) const {
    Save("../checkout/" + path, bytes);
  }
  [[nodiscard]] static std::vector<std::string> Paths(const std::vector<SkippedPath>& skipped) {
    std::vector<std::string> paths;
    for (const SkippedPath& one : skipped) paths.push_back(one.path);
    return paths;
  }
};

TEST_F(Sync, WhatChangedBecomesOneTurn) {
  Save("same.txt", "same\n");
  Save("changed.txt", "before\n");
  Save("gone.txt", "gone\n");
  Save("old/name.txt", "moved, and long enough to be told apart\n");
  Save("tool.sh", "#!/bin/sh\n");
  Init();
  Create("staged.txt", "staged\n");
  CheckOut();
  EXPECT_EQ(OnDisk("../checkout/staged.txt"), "staged\n") << "the working state";
  SaveThere("changed.txt", "after\n");
  SaveThere("new/file.txt", "new\n");
  SaveThere("same.txt", "same\n");  // touched, not changed
  Delete("../checkout/gone.txt");
  std::filesystem::create_directory(Folder() + "/renamed");
  std::filesystem::rename(Folder() + "/old/name.txt", Folder() + "/renamed/name.txt");
  std::filesystem::permissions(Folder() + "/tool.sh", std::filesystem::perms(0755));
  std::filesystem::create_symlink("changed.txt", Folder() + "/link");
  const SyncAnswer answer = SyncBack();
  EXPECT_TRUE(answer.conflicts.empty());
  std::map<OperationType, std::string> seen;
  std::set<std::string> turns;
  for (const StagedChange& change : answer.operations) {
    const Operation operation = ReadOperation(change.operation);
    seen[operation.type] += change.path + (change.moved_to.empty() ? " " : ">" + change.moved_to);
    turns.insert(change.turn);
  }
  EXPECT_EQ(turns.size(), 1u);
  EXPECT_EQ(seen[OperationType::kReplace], "changed.txt ");
  EXPECT_EQ(seen[OperationType::kCreate], "link new/file.txt ");
  EXPECT_EQ(seen[OperationType::kDelete], "gone.txt ");
  EXPECT_EQ(seen[OperationType::kMove], "old/name.txt>renamed/name.txt");
  EXPECT_EQ(seen[OperationType::kMode], "tool.sh ");
  EXPECT_EQ(Working("changed.txt"), "after\n");
  EXPECT_EQ(workspace().Read(agent_, "link", std::nullopt)->entry.kind, EntryKind::kSymlink);
  EXPECT_EQ(OnDisk("changed.txt"), "before\n") << "staged, not published";
  EXPECT_TRUE(SyncBack().operations.empty()) << "a second sync finds nothing";
  STAGED_ASSERT_OK(workspace().Rollback(agent_, *turns.begin()));
  EXPECT_EQ(Working("gone.txt"), "gone\n");
  EXPECT_EQ(Working("staged.txt"), "staged\n");
  ExpectSound();
}

TEST_F(Sync, EverythingSyncedIsSubmittedToTheLiveFolder) {
  Save("a.txt", "a\n");
  Init();
  CheckOut();
  SaveThere("a.txt", "b\n");
  std::filesystem::create_symlink("a.txt", Folder() + "/link");
  SaveThere("tool.sh", "#!/bin/sh\n");
  std::filesystem::permissions(Folder() + "/tool.sh", std::filesystem::perms(0755));
  SyncBack();
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), "b\n");
  EXPECT_EQ(std::filesystem::read_symlink(Absolute("link")), "a.txt");
  EXPECT_NE(std::filesystem::status(Absolute("tool.sh")).permissions() &
                std::filesystem::perms::owner_exec,
            std::filesystem::perms::none);
  EXPECT_EQ(State("link"), "initial");
  ExpectSound();
}

TEST_F(Sync, WhatTheBranchChangedMeanwhileIsStagedAsAConflict) {
  Save("a.txt", "1\n2\n3\n4\n5\n");
  Save("m.txt", "moved away meanwhile\n");
  Init();
  CheckOut();
  Replace("a.txt", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n");
  STAGED_ASSERT_OK(
      workspace().Move(agent_, "m.txt", "n.txt", HashOfText("moved away meanwhile\n")));
  SaveThere("a.txt", "1\n2\n3\n4\nfive\n");
  SaveThere("m.txt", "changed\n");
  const SyncAnswer answer = SyncBack();
  ASSERT_EQ(answer.conflicts.size(), 2u);
  EXPECT_EQ(answer.conflicts[0].path, "a.txt");
  EXPECT_EQ(answer.conflicts[0].left, HashOfText("1\n2\n3\n4\nfive\n"));
  EXPECT_EQ(answer.conflicts[0].right, HashOfText("one\n2\n3\n4\n5\n"));
  EXPECT_EQ(answer.conflicts[1].path, "m.txt");
  EXPECT_EQ(State("a.txt"), "conflict");
  EXPECT_EQ(Working("a.txt"), "one\n2\n3\n4\n5\n");
  EXPECT_EQ(Working("m.txt"), std::nullopt);
  // The way out keeps both changes of this branch.
  STAGED_ASSERT_OK(workspace().Rebase(agent_, {"a.txt"}));
  EXPECT_EQ(Working("a.txt"), "one\n2\n3\n4\nfive\n");
}

// Rule 4: what a person saved may be a base as soon as it was checked out, so that it is stored.
TEST_F(Sync, WhatAPersonSavedBeforeTheCheckoutIsStored) {
  Save("a.txt", "1\n2\n3\n4\n5\n");
  Init();
  Save("a.txt", "one\n2\n3\n4\n5\n");
  CheckOut();
  EXPECT_EQ(OnDisk("../checkout/a.txt"), "one\n2\n3\n4\n5\n");
  Save("a.txt", "one\n2\n3\nfour\n5\n");
  SaveThere("a.txt", "one\n2\n3\n4\n5\n6\n");
  const SyncAnswer answer = SyncBack();
  ASSERT_EQ(answer.conflicts.size(), 1u);
  ExpectSound();
  STAGED_ASSERT_OK(workspace().Export(Outside("export"), {}));
  const auto rebased = workspace().Rebase(agent_, {"a.txt"});
  STAGED_ASSERT_OK(rebased);
  EXPECT_TRUE(rebased->conflicts.empty());
  EXPECT_EQ(Working("a.txt"), "one\n2\n3\nfour\n5\n6\n");
}

TEST_F(Sync, WorkOnAConflictSupersedesWhatWasKeptAside) {
  Save("a.txt", "base\n");
  Init();
  const int64_t kept = Replace("a.txt", "base\n", "mine\n");
  SubmitElsewhere("a.txt", HashOfText("base\n"), "theirs\n");
  const auto checked_out = workspace().Checkout(agent_, Folder());
  STAGED_ASSERT_OK(checked_out);
  ASSERT_EQ(checked_out->conflicts.size(), 1u);
  EXPECT_EQ(OnDisk("../checkout/a.txt"), "theirs\n");
  SaveThere("a.txt", "both\n");
  const SyncAnswer answer = SyncBack();
  EXPECT_TRUE(answer.conflicts.empty());
  ASSERT_EQ(answer.operations.size(), 1u);
  EXPECT_EQ(answer.operations[0].superseded, (std::vector<int64_t>{kept}));
  EXPECT_EQ(State("a.txt"), "edited");
}

TEST_F(Sync, IgnoredScratchAndUnsafeFilesStayOutAndAreListed) {
  Save(".gitignore", "*.o\nbuild/\n");
  Save("a.txt", "a\n");
  Save("README.md", "readme\n");
  Init();
  CheckOut();
  SaveThere("x.o", "object\n");
  SaveThere("build/out.txt", "out\n");
  SaveThere("__pycache__/a.pyc", "cache\n");
  SaveThere("~$a.docx", "lock\n");
  SaveThere("A.TXT", "a twin\n");
  SaveThere("new-one.txt", "1\n");
  SaveThere("NEW-one.txt", "twins of each other\n");
  std::filesystem::create_symlink("/etc/passwd", Folder() + "/absolute");
  std::filesystem::create_symlink("../..", Folder() + "/upwards");
  ASSERT_EQ(mkfifo((Folder() + "/pipe").c_str(), 0600), 0);
  const SyncAnswer answer = SyncBack();
  ASSERT_EQ(answer.operations.size(), 1u);
  EXPECT_EQ(answer.operations[0].path, "NEW-one.txt");
  std::vector<std::string> skipped = Paths(answer.skipped);
  std::sort(skipped.begin(), skipped.end());
  EXPECT_EQ(skipped,
            (std::vector<std::string>{"A.TXT", "absolute", "new-one.txt", "pipe", "upwards"}));
  for (const SkippedPath& one : answer.skipped) EXPECT_FALSE(one.reason.empty());
}

TEST_F(Sync, OnlyWhatWasCheckedOutIsEverDeleted) {
  Save("a.txt", "a\n");
  Init();
  CheckOut();
  SubmitElsewhere("later.txt", std::nullopt, "later\n");
  const SyncAnswer answer = SyncBack();
  EXPECT_TRUE(answer.operations.empty());
  EXPECT_EQ(Working("later.txt"), "later\n");
}

TEST_F(Sync, CheckoutWantsAnEmptyDirectoryOutside) {
  Save("a.txt", "a\n");
  Init();
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, workspace().Checkout(agent_, Absolute("sub")));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().Checkout(agent_, Absolute("..") + "/.."));
  SaveThere("there.txt", "there\n");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Checkout(agent_, Folder()));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Sync(agent_, Folder()));
}

TEST_F(Sync, ARenameInCaseOnlyIsAMove) {
  Save("readme.md", "readme, long enough to be a move\n");
  Init();
  CheckOut();
  std::filesystem::rename(Folder() + "/readme.md", Folder() + "/README.md");
  const SyncAnswer answer = SyncBack();
  EXPECT_TRUE(answer.skipped.empty());
  ASSERT_EQ(answer.operations.size(), 1u);
  EXPECT_EQ(answer.operations[0].moved_to, "README.md");
}

// ---- 17: excluded -------------------------------------------------------------------------------

TEST_F(Rule17, ScratchAndIgnoredFilesNeverEnterTheJournal) {
  Save(".gitignore", "*.o\n");
  Save(".stagedignore", "private/\n");
  Save("x.o", "object\n");
  Save("private/a.txt", "private\n");
  Save("__pycache__/a.pyc", "cache\n");
  Save("sub/.ipynb_checkpoints/a.ipynb", "{}");
  Save("~$report.docx", "lock\n");
  Save("a.txt", "a\n");
  Init();
  Save("y.o", "object\n");
  Save("b.txt", "b\n");
  STAGED_ASSERT_OK(workspace().AdoptLiveChanges(agent_));
  std::set<std::string> paths;
  for (const Operation& operation : History()) {
    for (const PathChange& change : operation.changes) paths.insert(change.path);
  }
  EXPECT_EQ(paths, (std::set<std::string>{".gitignore", ".stagedignore", "a.txt", "b.txt"}));
  for (const char* path : {"new.o", "private/new.txt", "__pycache__/b.pyc", "sub/~$x.docx"}) {
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                       workspace().Write(agent_, path, std::nullopt, "x"));
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                       workspace().Move(agent_, "a.txt", path, HashOfText("a\n")));
  }
}

TEST_F(Rule17, ATrackedFileStaysTrackedWhenARuleComesToNameIt) {
  Save("a.log", "a\n");
  Init();
  Save(".gitignore", "*.log\n");
  Save("b.log", "b\n");
  EXPECT_EQ(Working("a.log"), "a\n");
  EXPECT_EQ(Working("b.log"), std::nullopt);
  Replace("a.log", "a\n", "changed\n");
  SubmitAll();
  EXPECT_EQ(OnDisk("a.log"), "changed\n");
}

// ---- 18: confined -------------------------------------------------------------------------------

TEST_F(Rule18, NoCallTakesAPathThatLeavesTheRootOrEntersMetadata) {
  Save("a.txt", "a\n");
  Init();
  for (const char* path : {"../a", "/etc/passwd", "x/../../y", ".git/config", ".GIT/config",
                           "sub/.Staged/x", ".staged/journal.db", ".git./config", "git~1/x",
                           ".g\u200cit/config", "a/..", ".ｇｉｔ/x"}) {
    SCOPED_TRACE(path);
    const BaseHash base = HashOfText("a\n");
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Write(agent_, path, std::nullopt, "x"));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Read(agent_, path, std::nullopt));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Move(agent_, "a.txt", path, base));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Move(agent_, path, "b.txt", base));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Remove(agent_, path, base));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Review(agent_, {path}));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Submit(agent_, {path}, {}));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Discard(agent_, {path}));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, workspace().Resolve(agent_, path, Take::kLeft, ""));
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape,
                       workspace().GetView(agent_, path, std::nullopt, WaitForViews::kWait));
  }
}

TEST_F(Rule18, ReadsByHashAreBoundToThePath) {
  Save("a.txt", "a\n");
  Save("b.txt", "b\n");
  Init();
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Read(agent_, "a.txt", HashOfText("b\n")));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound,
                     workspace().GetView(agent_, "a.txt", HashOfText("b\n"), WaitForViews::kWait));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound,
                     workspace().DiffContents("a.txt", HashOfText("a\n"), HashOfText("b\n")));
  // What lies on disk and was not taken in yet was at its path, too.
  Save("a.txt", "c\n");
  EXPECT_EQ(workspace().Read(agent_, "a.txt", HashOfText("c\n"))->bytes, "c\n");
}

TEST_F(Rule18, NestedWorkspacesAndGitAreNeverTouched) {
  Save("sub/.staged/format", "staged-workspace 1\n");
  Save("sub/a.txt", "theirs\n");
  Save(".git/HEAD", "ref\n");
  Save("a.txt", "a\n");
  Init();
  const auto status = workspace().GetStatus(agent_);
  STAGED_ASSERT_OK(status);
  EXPECT_EQ(status->files.size(), 1u);
  ASSERT_EQ(status->skipped.size(), 1u);
  EXPECT_EQ(status->skipped[0].path, "sub");
  STAGED_EXPECT_CODE(ErrorCode::kPathEscape,
                     workspace().Write(agent_, "sub/new.txt", std::nullopt, "x"));
  STAGED_EXPECT_CODE(ErrorCode::kPathEscape,
                     workspace().Move(agent_, "a.txt", "sub/b.txt", HashOfText("a\n")));
}

TEST_F(Rule18, SpecialUnreadableAndOddNamesAreSkippedAndListed) {
  Save("a.txt", "a\n");
  Save("bad\xff.txt", "bad\n");
  Save(".Git", "not git's, but on other systems\n");
  ASSERT_EQ(mkfifo(Absolute("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc", Absolute("out"));
  std::filesystem::create_symlink("a.txt", Absolute("in"));
  Save("deep/er/x.txt", "x\n");
  std::filesystem::create_symlink("..", Absolute("deep/er/up"));
  std::filesystem::create_symlink("up/../../..", Absolute("deep/er/through"));
  Init();
  const auto status = workspace().GetStatus(agent_);
  STAGED_ASSERT_OK(status);
  std::set<std::string> files;
  for (const FileRow& row : status->files) files.insert(row.path);
  EXPECT_EQ(files, (std::set<std::string>{"a.txt", "in", "deep/er/x.txt", "deep/er/up"}));
  std::set<std::string> skipped;
  for (const SkippedPath& one : status->skipped) skipped.insert(one.path);
  EXPECT_EQ(skipped,
            (std::set<std::string>{"bad\ufffd.txt", ".Git", "pipe", "out", "deep/er/through"}));
}

TEST_F(Rule18, TwinsThatExistAreKeptApartAndNewOnesRefused) {
  Save("Notes.txt", "upper\n");
  Save("notes.txt", "lower\n");
  Save("caf\u00e9.txt", "composed\n");
  Save("cafe\u0301.txt", "decomposed\n");
  Save("Dir/a.txt", "a\n");
  Init();
  EXPECT_EQ(Working("Notes.txt"), "upper\n");
  EXPECT_EQ(Working("notes.txt"), "lower\n");
  EXPECT_EQ(Working("caf\u00e9.txt"), "composed\n");
  EXPECT_EQ(Working("cafe\u0301.txt"), "decomposed\n");
  Replace("Notes.txt", "upper\n", "upper still\n");
  SubmitAll();
  EXPECT_EQ(OnDisk("notes.txt"), "lower\n");
  for (const char* path : {"NOTES.txt", "CAFE\u0301.txt", "dir/b.txt", "DIR", "dir/a.txt"}) {
    SCOPED_TRACE(path);
    STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Write(agent_, path, std::nullopt, "x"));
    STAGED_EXPECT_CODE(ErrorCode::kConflict,
                       workspace().Move(agent_, "notes.txt", path, HashOfText("lower\n")));
  }
  Create("Dir/b.txt", "b\n");
  const auto renamed = workspace().Move(agent_, "Dir/a.txt", "Dir/A.txt", HashOfText("a\n"));
  STAGED_ASSERT_OK(renamed);
}

TEST_F(Rule18, ASymlinkIsNeverWrittenThroughAndKeepsInside) {
  Save("a.txt", "a\n");
  Save("deep/b.txt", "b\n");
  std::filesystem::create_symlink("a.txt", Absolute("link"));
  std::filesystem::create_symlink("../a.txt", Absolute("deep/link"));
  Init();
  STAGED_EXPECT_CODE(ErrorCode::kPathEscape,
                     workspace().Write(agent_, "link", HashOfText("a.txt"), "../outside"));
  STAGED_EXPECT_CODE(ErrorCode::kPathEscape,
                     workspace().Move(agent_, "deep/link", "link2", HashOfText("../a.txt")));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().ChangeMode(agent_, "link", HashOfText("a.txt"), true));
  Write("link", HashOfText("a.txt"), "deep/b.txt");
  SubmitAll();
  EXPECT_EQ(std::filesystem::read_symlink(Absolute("link")), "deep/b.txt");
  EXPECT_EQ(OnDisk("a.txt"), "a\n");
}

}  // namespace
}  // namespace staged::testing
