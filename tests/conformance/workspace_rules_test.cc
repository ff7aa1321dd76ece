// The contract's rules 1 to 11 (docs/contract.md), through the C++ API on real files.

#include <algorithm>

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule01 = WorkspaceFixture;
using Rule02 = WorkspaceFixture;
using Rule03 = WorkspaceFixture;
using Rule04 = WorkspaceFixture;
using Rule05 = WorkspaceFixture;
using Rule06 = WorkspaceFixture;
using Rule07 = WorkspaceFixture;
using Rule08 = WorkspaceFixture;
using Rule09 = WorkspaceFixture;
using Rule10 = WorkspaceFixture;
using Rule11 = WorkspaceFixture;

constexpr char kText[] = "alpha\nbeta\ngamma\n";
constexpr char kJson[] = "{\n  \"name\": \"pump\",\n  \"limit\": 12\n}\n";

Edit SetEdit(const std::string& locator, Value value) {
  return {"set", locator, std::nullopt, Value::Object{{"value", std::move(value)}}};
}

// ---- 1: tied ------------------------------------------------------------------------------------

TEST_F(Rule01, EveryAnswerNamesItsContentAndParser) {
  Save("a.txt", kText);
  Init();
  const auto view = workspace().GetView(agent_, "a.txt", std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(view);
  EXPECT_EQ(view->view->hash, HashOfText(kText));
  EXPECT_EQ(view->current, HashOfText(kText));
  EXPECT_FALSE(view->view->parser.name.empty());
  EXPECT_FALSE(view->view->parser.version.empty());

  SearchRequest request;
  request.query = "beta";
  const auto found = workspace().Search(agent_, request);
  STAGED_ASSERT_OK(found);
  ASSERT_EQ(found->hits.size(), 1u);
  EXPECT_EQ(found->hits[0].hash, HashOfText(kText));
  EXPECT_EQ(found->hits[0].working, HashOfText(kText));

  Replace("a.txt", kText, "alpha\nBETA\ngamma\n");
  const auto diffs = workspace().GetDiff(agent_, {});
  STAGED_ASSERT_OK(diffs);
  ASSERT_EQ(diffs->size(), 1u);
  EXPECT_EQ(diffs->front().second.from, HashOfText(kText));
  EXPECT_EQ(diffs->front().second.to, HashOfText("alpha\nBETA\ngamma\n"));
  EXPECT_FALSE(diffs->front().second.parser.version.empty());

  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  const ReceiptRow& receipt = reviewed->reviewed[0].receipt;
  EXPECT_EQ(receipt.base->hash, HashOfText(kText));
  EXPECT_EQ(receipt.staged->hash, HashOfText("alpha\nBETA\ngamma\n"));
  for (const char* member : {"diff", "diff_version", "parser", "parser_version", "reviewer"}) {
    EXPECT_NE(receipt.evidence.FindString(member), "") << member;
  }
  EXPECT_EQ(receipt.evidence.FindString("diff"), DiffHash(reviewed->reviewed[0].diff).ToString());
}

TEST_F(Rule02, TheSameKeyGivesTheSameRecords) {
  Save("a.json", kJson);
  Init();
  const auto first = workspace().GetView(agent_, "a.json", std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(first);
  const auto records = first->view->Records();
  std::filesystem::remove_all(Absolute(".staged/derived"));
  Open();
  const auto again = workspace().GetView(agent_, "a.json", std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(again);
  EXPECT_EQ(again->view->Records(), records);
}

// ---- 3: fresh or labelled -----------------------------------------------------------------------

TEST_F(Rule03, AReadThatWaitsIsCurrentAndOneThatDoesNotIsLabelled) {
  Save("a.txt", kText);
  Init();
  STAGED_ASSERT_OK(workspace().GetView(agent_, "a.txt", std::nullopt, WaitForViews::kWait));
  Replace("a.txt", kText, "new\n");
  const auto stale =
      workspace().GetView(agent_, "a.txt", std::nullopt, WaitForViews::kTakeWhatIsThere);
  STAGED_ASSERT_OK(stale);
  EXPECT_EQ(stale->freshness, Freshness::kStale);
  EXPECT_EQ(stale->view->hash, HashOfText(kText));
  EXPECT_EQ(stale->current, HashOfText("new\n")) << "both hashes are named";
  EXPECT_EQ(Row(agent_, "a.txt")->freshness, Freshness::kStale);
  const auto current = workspace().GetView(agent_, "a.txt", std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(current);
  EXPECT_EQ(current->freshness, Freshness::kCurrent);
  EXPECT_EQ(current->view->hash, HashOfText("new\n"));
  EXPECT_EQ(Row(agent_, "a.txt")->freshness, Freshness::kCurrent);
}

TEST_F(Rule03, ASearchWaitsForItsWholeStateOrNamesWhatIsMissing) {
  Save("a.txt", "needle in a\n");
  Save("b.txt", "needle in b\n");
  Init();
  SearchRequest request;
  request.query = "needle";
  request.wait = WaitForViews::kTakeWhatIsThere;
  const auto partial = workspace().Search(agent_, request);
  STAGED_ASSERT_OK(partial);
  EXPECT_EQ(partial->hits.size() + partial->unsearched.size(), 2u);
  request.wait = WaitForViews::kWait;
  const auto whole = workspace().Search(agent_, request);
  STAGED_ASSERT_OK(whole);
  EXPECT_EQ(whole->hits.size(), 2u);
  EXPECT_TRUE(whole->unsearched.empty());
}

TEST_F(Rule03, ASearchNamesFilesThatCouldNotBeRead) {
  Save("a.txt", "needle in a\n");
  Save("torn.docx", "PK\x03\x04 needle in what is no archive\n");
  Init();
  SearchRequest request;
  request.query = "needle";
  for (int i = 0; i < 2; ++i) {
    const auto found = workspace().Search(agent_, request);
    STAGED_ASSERT_OK(found);
    EXPECT_EQ(found->hits.size(), 1u);
    EXPECT_EQ(found->unsearched, std::vector<std::string>{"torn.docx"});
  }
}

TEST_F(Rule03, ASearchAtAnOperationSeesExactlyThatState) {
  Save("a.txt", "old needle\n");
  Init();
  const int64_t before = History().back().sequence;
  Replace("a.txt", "old needle\n", "new haystack\n");
  SearchRequest request;
  request.query = "needle";
  const auto now = workspace().Search(agent_, request);
  STAGED_ASSERT_OK(now);
  EXPECT_TRUE(now->hits.empty());
  request.at_operation = before;
  const auto then = workspace().Search(agent_, request);
  STAGED_ASSERT_OK(then);
  EXPECT_EQ(then->hits.size(), 1u);
  request.at_operation = before + 100;
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Search(agent_, request));
}

TEST_F(Rule04, WhatWasAcknowledgedIsThereForTheNextProcess) {
  Init();
  Create("a.txt", "kept\n");
  Open();
  EXPECT_EQ(Working("a.txt"), "kept\n");
  ExpectSound();
}

// ---- 5: based -----------------------------------------------------------------------------------

TEST_F(Rule05, AMismatchChangesNothingAndSaysWhatIsThere) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "alpha\nBETA\ngamma\n");
  const int64_t before = History().back().sequence;
  const auto refused = workspace().Write(agent_, "a.txt", HashOfText(kText), "mine\n");
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, refused);
  EXPECT_EQ(DetailsOf(refused).FindString("path"), "a.txt");
  EXPECT_EQ(DetailsOf(refused).FindString("expected"), HashOfText(kText).ToString());
  EXPECT_EQ(DetailsOf(refused).FindString("actual"), HashOfText("alpha\nBETA\ngamma\n").ToString());
  ASSERT_NE(DetailsOf(refused).Find("same_bytes"), nullptr);
  EXPECT_FALSE(DetailsOf(refused).Find("same_bytes")->as_bool());
  EXPECT_NE(DetailsOf(refused).FindString("changes").find("BETA"), std::string_view::npos)
      << "what changed between them";
  EXPECT_EQ(History().back().sequence, before);
  EXPECT_EQ(Working("a.txt"), "alpha\nBETA\ngamma\n");
}

TEST_F(Rule05, TheSameBytesAreSaidToBeThereAlready) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "wanted\n");
  const auto refused = workspace().Write(agent_, "a.txt", HashOfText(kText), "wanted\n");
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, refused);
  EXPECT_TRUE(DetailsOf(refused).Find("same_bytes")->as_bool());
}

TEST_F(Rule05, EveryWritingCallNamesItsBase) {
  Save("a.txt", kText);
  Save("a.json", kJson);
  Init();
  const BaseHash wrong = HashOfText("never");
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, workspace().Write(agent_, "a.txt", wrong, "x"));
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, workspace().Write(agent_, "a.txt", std::nullopt, "x"));
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, workspace().Write(agent_, "new.txt", wrong, "x"));
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, workspace().Remove(agent_, "a.txt", wrong));
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, workspace().Move(agent_, "a.txt", "b.txt", wrong));
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, workspace().ChangeMode(agent_, "a.txt", wrong, true));
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase,
                     workspace().ApplyEdits(agent_, "a.json", wrong, {SetEdit("/limit", 1)}));
  // To remove or move a file that was not looked at.
  for (const auto& call : {workspace().Remove(agent_, "a.txt", std::nullopt),
                           workspace().Move(agent_, "a.txt", "b.txt", std::nullopt)}) {
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, call);
    EXPECT_NE(MessageOf(call).find("--base"), std::string::npos);
  }
  EXPECT_EQ(History().size(), 1u);
}

TEST_F(Rule05, ADirectoryHasNoHashAndStandsForItsFiles) {
  Save("d/a.txt", kText);
  Init();
  for (const std::string& seen : {std::string(kText), std::string("never")}) {
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                       workspace().Remove(agent_, "d", HashOfText(seen)));
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                       workspace().Move(agent_, "d", "e", HashOfText(seen)));
  }
  EXPECT_EQ(History().size(), 1u);
  Replace("d/a.txt", kText, "newer\n");
  STAGED_ASSERT_OK(workspace().Move(agent_, "d", "e", std::nullopt));
  EXPECT_EQ(Working("e/a.txt"), "newer\n");
}

TEST_F(Rule05, AHashThatWasNeverThereShowsNothingOfOtherFiles) {
  Save("a.txt", kText);
  Save("secret.txt", "secret\n");
  Init();
  const auto refused = workspace().Write(agent_, "a.txt", HashOfText("secret\n"), "x");
  STAGED_EXPECT_CODE(ErrorCode::kStaleBase, refused);
  EXPECT_EQ(DetailsOf(refused).Find("changes"), nullptr);
}

// ---- 6: reviewed --------------------------------------------------------------------------------

TEST_F(Rule06, WhatIsSubmittedIsWhatWasReviewed) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "one\n");
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {}, {}));
  ReviewAll();
  EXPECT_EQ(State("a.txt"), "reviewed");
  Replace("a.txt", "one\n", "two\n");
  EXPECT_EQ(State("a.txt"), "edited");
  STAGED_EXPECT_CODE(ErrorCode::kReviewVoid, workspace().Submit(agent_, {}, {}));
  // Even back to what was reviewed: void for good.
  Replace("a.txt", "two\n", "one\n");
  STAGED_EXPECT_CODE(ErrorCode::kReviewVoid, workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("a.txt"), kText);
  SubmitAll();
  EXPECT_EQ(OnDisk("a.txt"), "one\n");
  EXPECT_EQ(State("a.txt"), "initial");
}

TEST_F(Rule06, AReceiptIsConsumedByItsSubmit) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "one\n");
  SubmitAll();
  Replace("a.txt", "one\n", kText);
  SubmitAll();
  Replace("a.txt", kText, "one\n");
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {}, {}));
}

constexpr char kHumanPolicy[] = "[[rule]]\npaths = [\"reports/**\"]\nreview = \"human\"\n";

TEST_F(Rule06, UnderPolicyHumanAPersonWhoWroteNothingOfItApproves) {
  Init();
  SetPolicy(kHumanPolicy);
  Create("reports/a.txt", "a\n");
  CallContext author = person_;
  author.actor.name = "grace";
  STAGED_ASSERT_OK(workspace().Write(author, "reports/b.txt", std::nullopt, "b\n"));
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  ASSERT_EQ(reviewed->reviewed.size(), 2u);
  for (const ReviewedPath& one : reviewed->reviewed) {
    EXPECT_EQ(one.receipt.state, ReceiptState::kPending);
  }
  const std::string a = reviewed->reviewed[0].receipt.id;
  const std::string b = reviewed->reviewed[1].receipt.id;
  EXPECT_EQ(State("reports/a.txt"), "edited") << "pending is not reviewed";
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {}, {}));
  STAGED_EXPECT_CODE(ErrorCode::kPermissionDenied, workspace().Approve(agent_, a));
  STAGED_EXPECT_CODE(ErrorCode::kPermissionDenied, workspace().Approve(author, b));
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Approve(person_, "r-none"));
  STAGED_ASSERT_OK(workspace().Approve(author, a));
  STAGED_ASSERT_OK(workspace().Approve(person_, b));
  STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("reports/a.txt"), "a\n");
}

TEST_F(Rule06, NobodyApprovesTheirOwnWorkAfterARebase) {
  Init();
  Create("reports/a.txt", "1\n2\n3\n4\n5\n");
  SubmitAll();
  SetPolicy(kHumanPolicy);
  STAGED_ASSERT_OK(workspace().Write(person_, "reports/a.txt", HashOfText("1\n2\n3\n4\n5\n"),
                                     "one\n2\n3\n4\n5\n"));
  Save("reports/a.txt", "1\n2\n3\n4\nfive\n");
  const auto rebased = workspace().Rebase(agent_, {});
  STAGED_ASSERT_OK(rebased);
  ASSERT_EQ(rebased->rebased.size(), 1u);
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  ASSERT_EQ(reviewed->reviewed.size(), 1u);
  const std::string id = reviewed->reviewed[0].receipt.id;
  STAGED_EXPECT_CODE(ErrorCode::kPermissionDenied, workspace().Approve(person_, id));
  CallContext other = person_;
  other.actor.name = "grace";
  STAGED_ASSERT_OK(workspace().Approve(other, id));
}

TEST_F(Rule06, NobodyApprovesTheirOwnWorkAfterAMove) {
  Init();
  Create("reports/a.txt", "a\n");
  SubmitAll();
  SetPolicy(kHumanPolicy);
  STAGED_ASSERT_OK(workspace().Write(person_, "reports/a.txt", HashOfText("a\n"), "by ada\n"));
  CallContext mover = person_;
  mover.actor.name = "bob";
  STAGED_ASSERT_OK(
      workspace().Move(mover, "reports/a.txt", "reports/b.txt", HashOfText("by ada\n")));
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  ASSERT_EQ(reviewed->reviewed.size(), 2u);
  CallContext other = person_;
  other.actor.name = "grace";
  for (const ReviewedPath& one : reviewed->reviewed) {
    SCOPED_TRACE(one.receipt.path);
    STAGED_EXPECT_CODE(ErrorCode::kPermissionDenied, workspace().Approve(person_, one.receipt.id));
    STAGED_EXPECT_CODE(ErrorCode::kPermissionDenied, workspace().Approve(mover, one.receipt.id));
    STAGED_ASSERT_OK(workspace().Approve(other, one.receipt.id));
  }
}

TEST_F(Rule06, ARejectedReviewSubmitsNothing) {
  Init();
  SetPolicy(kHumanPolicy);
  Create("reports/a.txt", "a\n");
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  const std::string id = reviewed->reviewed[0].receipt.id;
  STAGED_ASSERT_OK(workspace().Reject(person_, id, "wrong figures"));
  const auto refused = workspace().Submit(agent_, {}, {});
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, refused);
  EXPECT_NE(MessageOf(refused).find("rejected"), std::string::npos);
  EXPECT_FALSE(workspace().Approve(person_, id).ok());
}

TEST_F(Rule06, AVoidPendingReceiptCannotBeApproved) {
  Init();
  SetPolicy(kHumanPolicy);
  const int64_t made = Create("reports/a.txt", "a\n");
  EXPECT_GT(made, 0);
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  Replace("reports/a.txt", "a\n", "changed\n");
  STAGED_EXPECT_CODE(ErrorCode::kReviewVoid,
                     workspace().Approve(person_, reviewed->reviewed[0].receipt.id));
}

TEST_F(Rule06, AReceiptOfBeforeThePolicyIsNoPersonsApproval) {
  Init();
  Create("reports/a.txt", "a\n");
  ReviewAll();
  SetPolicy(kHumanPolicy);
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("reports/a.txt"), std::nullopt);
}

TEST_F(Rule06, APolicyThatIsInForceIsNoErrorBecauseOfItsCopyForPeople) {
  Init();
  std::filesystem::create_directories(Absolute(".staged/policy.toml/in the way"));
  SetPolicy(kHumanPolicy);
  EXPECT_EQ(*workspace().GetPolicy(), kHumanPolicy);
  // The contract's order of errors.
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, workspace().SetPolicy(agent_, "[["));
  STAGED_EXPECT_CODE(ErrorCode::kPermissionDenied, workspace().SetPolicy(agent_, ""));
}

TEST_F(Rule06, PolicyNoneNeedsNoReceiptAndPolicyIsJournalled) {
  Init();
  SetPolicy("[[rule]]\npaths = [\"*.log.txt\"]\nreview = \"none\"\n");
  EXPECT_EQ(History().back().type, OperationType::kPolicy);
  Create("a.log.txt", "a\n");
  STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {}));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().SetPolicy(person_, "[[rule]]\npaths = []\n"));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().SetPolicy(person_, "[[rule]]\npaths=[\"*\"]\nreview=\"maybe\"\n"));
  // A policy file that somebody edits by hand is not in force.
  std::filesystem::permissions(Absolute(".staged"), std::filesystem::perms::owner_all);
  Save(".staged/policy.toml", "");
  EXPECT_NE(*workspace().GetPolicy(), "");
}

// ---- 7, 8 ---------------------------------------------------------------------------------------

TEST_F(Rule07, WhatCannotBeParsedIsSeenInItsReview) {
  Init();
  Create("broken.xlsx", "PK\x03\x04 not really a workbook");
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  const auto view = workspace().GetView(agent_, "broken.xlsx", std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(view);
  EXPECT_FALSE(view->view->fallback.empty()) << "labelled";
  EXPECT_FALSE(reviewed->reviewed[0].diff.changes.empty());
  STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {}));
}

TEST_F(Rule07, PolicyParseRequiredRefusesWhatCannotBeParsed) {
  Init();
  SetPolicy("[[rule]]\npaths = [\"**\"]\nparse = \"required\"\n");
  Create("broken.xlsx", "PK\x03\x04 not really a workbook");
  Create("fine.txt", "fine\n");
  ReviewAll();
  STAGED_EXPECT_CODE(ErrorCode::kParseFailed, workspace().Submit(agent_, {"broken.xlsx"}, {}));
  STAGED_ASSERT_OK(workspace().Submit(agent_, {"fine.txt"}, {}));
}

TEST_F(Rule08, OneUnreviewedPathRefusesAll) {
  Init();
  Create("a.txt", "a\n");
  Create("b.txt", "b\n");
  STAGED_ASSERT_OK(workspace().Review(agent_, {"a.txt"}));
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("a.txt"), std::nullopt);
  STAGED_ASSERT_OK(workspace().Submit(agent_, {"a.txt"}, {}));
  EXPECT_EQ(OnDisk("a.txt"), "a\n");
  EXPECT_EQ(OnDisk("b.txt"), std::nullopt);
}

TEST_F(Rule08, ASaveInTheLiveFolderAfterTheReviewStopsTheSubmit) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "mine\n");
  ReviewAll();
  Save("a.txt", "theirs\n");
  EXPECT_EQ(State("a.txt"), "conflict") << "seen by the next reader, with no daemon";
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("a.txt"), "theirs\n");
  // Once taken in, going back to the base does not revive the receipt.
  STAGED_ASSERT_OK(workspace().AdoptLiveChanges(agent_));
  Save("a.txt", kText);
  STAGED_EXPECT_CODE(ErrorCode::kReviewVoid, workspace().Submit(agent_, {}, {}));
}

TEST_F(Rule08, AnotherSubmitOfTheBaseStopsTheSecond) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "mine\n");
  ReviewAll();
  SubmitElsewhere("a.txt", HashOfText(kText), "theirs\n");
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("a.txt"), "theirs\n");
}

TEST_F(Rule08, NothingStagedIsDoneAtOnce) {
  Save("a.txt", kText);
  Init();
  const auto submitted = workspace().Submit(agent_, {}, {});
  STAGED_ASSERT_OK(submitted);
  EXPECT_TRUE(submitted->submitted.empty());
  EXPECT_EQ(History().size(), 1u);
}

TEST_F(Rule08, BothHalvesOfAMoveAreReviewedAndSubmittedTogether) {
  Save("a.txt", kText);
  Init();
  STAGED_ASSERT_OK(workspace().Move(agent_, "a.txt", "b.txt", HashOfText(kText)));
  const auto reviewed = workspace().Review(agent_, {"b.txt"});
  STAGED_ASSERT_OK(reviewed);
  ASSERT_EQ(reviewed->reviewed.size(), 2u);
  EXPECT_EQ(reviewed->reviewed[0].moved_with, "b.txt");
  EXPECT_EQ(reviewed->reviewed[1].moved_with, "a.txt");
  const auto submitted = workspace().Submit(agent_, {"a.txt"}, {});
  STAGED_ASSERT_OK(submitted);
  EXPECT_EQ(submitted->submitted.size(), 2u);
  EXPECT_EQ(OnDisk("a.txt"), std::nullopt);
  EXPECT_EQ(OnDisk("b.txt"), kText);
}

TEST_F(Rule08, AnUnversionedFileInTheWayIsNeverOverwritten) {
  Init();
  Create("b.txt", "b\n");
  Create("folder/c.txt", "c\n");
  ReviewAll();
  Save("../outside/target", "precious\n");
  // Symlinks that lead out are no files of the workspace.
  std::filesystem::create_symlink(Outside("outside/target"), Absolute("b.txt"));
  std::filesystem::create_symlink(Outside("outside"), Absolute("folder"));
  for (const char* path : {"b.txt", "folder/c.txt"}) {
    STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Submit(agent_, {path}, {}));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(Absolute("b.txt")));
  EXPECT_EQ(OnDisk("../outside/target"), "precious\n");
  EXPECT_EQ(OnDisk("../outside/c.txt"), std::nullopt);
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Write(other_, "b.txt", std::nullopt, "b\n"));
  Open();
  ExpectSound();
}

TEST_F(Rule08, AnEmptyFolderMakesRoomForAFile) {
  Init();
  std::filesystem::create_directories(Absolute("spot/inner"));
  Create("spot", "a file\n");
  SubmitAll();
  EXPECT_EQ(OnDisk("spot"), "a file\n");
  Open();
  ExpectSound();
}

TEST_F(Rule08, AFolderOfIgnoredFilesIsInTheWay) {
  Save(".gitignore", "*.o\n");
  Save("spot/precious.o", "object\n");
  Init();
  Create("spot", "a file\n");
  ReviewAll();
  STAGED_EXPECT_CODE(ErrorCode::kConflict, workspace().Submit(agent_, {}, {}));
  EXPECT_EQ(OnDisk("spot/precious.o"), "object\n");
  Open();
  EXPECT_EQ(State("spot"), "reviewed");
  ExpectSound();
}

// ---- 9, 10, 11 ----------------------------------------------------------------------------------

TEST_F(Rule09, DifferentEntriesNeverDiffEmpty) {
  Save("a.txt", "text");
  Save("tool.sh", "#!/bin/sh\n");
  Save("b.bin", std::string("\0\1\2", 3));
  Init();
  Replace("a.txt", "text", "text\n");
  STAGED_ASSERT_OK(workspace().ChangeMode(agent_, "tool.sh", HashOfText("#!/bin/sh\n"), true));
  Write("b.bin", HashOfText(std::string_view("\0\1\2", 3)), std::string("\0\1\3", 3));
  Create("empty.txt", "");
  const auto diffs = workspace().GetDiff(agent_, {});
  STAGED_ASSERT_OK(diffs);
  EXPECT_EQ(diffs->size(), 4u);
  for (const auto& [path, diff] : *diffs) {
    if (path == "empty.txt") {
      EXPECT_FALSE(diff.from.has_value());
      EXPECT_TRUE(diff.to.has_value());
      continue;
    }
    EXPECT_FALSE(diff.changes.empty()) << path;
    EXPECT_FALSE(diff.identical) << path;
  }
}

TEST_F(Rule10, TheReviewDiffGivesTheRecordsOfBothSides) {
  Save("a.txt", kText);
  Init();
  Replace("a.txt", kText, "alpha\nnew\ngamma\ndelta\n");
  const auto reviewed = workspace().Review(agent_, {});
  STAGED_ASSERT_OK(reviewed);
  const Diff& diff = reviewed->reviewed[0].diff;
  const auto before = workspace().GetView(agent_, "a.txt", HashOfText(kText), WaitForViews::kWait);
  const auto after = workspace().GetView(agent_, "a.txt", std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(before);
  STAGED_ASSERT_OK(after);
  EXPECT_EQ(*ApplyDiff(diff, before->view->Records()), after->view->Records());
  EXPECT_EQ(*ApplyDiff(InvertDiff(diff), after->view->Records()), before->view->Records());
}

TEST_F(Rule11, AStructuredEditKeepsEveryOtherByte) {
  Save("a.json", kJson);
  Init();
  const auto edited =
      workspace().ApplyEdits(agent_, "a.json", HashOfText(kJson), {SetEdit("/limit", 13)});
  STAGED_ASSERT_OK(edited);
  EXPECT_EQ(Working("a.json"), "{\n  \"name\": \"pump\",\n  \"limit\": 13\n}\n");
  ASSERT_TRUE(edited->diff.has_value());
  EXPECT_FALSE(edited->diff->changes.empty());
  EXPECT_EQ(ReadOperation(edited->operation).type, OperationType::kEdit);
  STAGED_EXPECT_CODE(ErrorCode::kNoMatch, workspace().ApplyEdits(agent_, "a.json", edited->hash,
                                                                 {SetEdit("/nothing/here", 1)}));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().ApplyEdits(agent_, "../a.json", edited->hash, {}));
}

}  // namespace
}  // namespace staged::testing
