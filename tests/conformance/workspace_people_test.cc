// The contract's rules 13 and 14: people edit the live folder meanwhile.

#include <fcntl.h>

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule13 = WorkspaceFixture;
using Rule14 = WorkspaceFixture;

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

}  // namespace
}  // namespace staged::testing
