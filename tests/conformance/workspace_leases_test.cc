// The contract's rule 16, and the order of its error codes.

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule16 = WorkspaceFixture;
using Errors = WorkspaceFixture;

constexpr char kLeft[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n";

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
  const auto fenced = workspace().Write(holder, "a.txt", HashOfText("b\n"), "c\n");
  STAGED_EXPECT_CODE(ErrorCode::kFenced, fenced);
  EXPECT_NE(MessageOf(fenced).find("by nobody"), std::string::npos) << MessageOf(fenced);
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
