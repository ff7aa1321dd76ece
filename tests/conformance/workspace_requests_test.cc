// Repeated requests (rule 5), and what a policy asks of a submit's bytes (rule 6).

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

using Rule05 = WorkspaceFixture;
using Rule06 = WorkspaceFixture;

constexpr char kText[] = "alpha\nbeta\ngamma\n";
constexpr char kJson[] = "{\n  \"name\": \"pump\",\n  \"limit\": 12\n}\n";

Edit SetEdit(const std::string& locator, Value value) {
  return {"set", locator, std::nullopt, Value::Object{{"value", std::move(value)}}};
}

// A repeated request gets the first answer again, whatever happened since.
TEST_F(Rule05, RepeatedRequestsOfEveryCallGetTheFirstAnswer) {
  Save("a.txt", kText);
  Save("d/x.txt", "x\n");
  Save("d/y.txt", "y\n");
  Save("m.txt", "moving\n");
  Save("a.json", kJson);
  Init();
  int number = 0;
  const auto once_and_again = [&](const char* what, auto call, auto same) {
    SCOPED_TRACE(what);
    CallContext context = agent_;
    context.request_id = "request-" + std::to_string(++number);
    const auto first = call(context);
    ASSERT_TRUE(first.ok()) << MessageOf(first);
    const int64_t head = History().back().sequence;
    const auto again = call(context);
    ASSERT_TRUE(again.ok()) << MessageOf(again);
    EXPECT_EQ(History().back().sequence, head) << "nothing is done twice";
    same(*first, *again);
    // The same id for something else is a mistake and no repetition.
    const auto reused = workspace().Write(context, "reused.txt", std::nullopt, what);
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, reused);
    EXPECT_NE(MessageOf(reused).find(context.request_id), std::string::npos);
    EXPECT_EQ(History().back().sequence, head);
  };
  const auto same_change = [](const StagedChange& first, const StagedChange& again) {
    EXPECT_EQ(again.path, first.path);
    EXPECT_EQ(again.moved_to, first.moved_to);
    EXPECT_EQ(again.base, first.base);
    EXPECT_EQ(again.hash, first.hash);
    EXPECT_EQ(again.operation, first.operation);
    EXPECT_EQ(again.turn, first.turn);
    EXPECT_EQ(again.superseded, first.superseded);
    ASSERT_EQ(again.diff.has_value(), first.diff.has_value());
    if (first.diff) {
      EXPECT_EQ(DiffHash(*again.diff), DiffHash(*first.diff));
    }
    ASSERT_EQ(again.derived.size(), first.derived.size());
    for (size_t i = 0; i < first.derived.size(); ++i) {
      EXPECT_EQ(again.derived[i].locator, first.derived[i].locator);
      EXPECT_EQ(again.derived[i].description, first.derived[i].description);
    }
  };
  once_and_again(
      "write",
      [&](const CallContext& context) {
        return workspace().Write(context, "a.txt", HashOfText(kText), "one\n");
      },
      same_change);
  once_and_again(
      "edit",
      [&](const CallContext& context) {
        return workspace().ApplyEdits(context, "a.json", HashOfText(kJson),
                                      {SetEdit("/limit", 13)});
      },
      same_change);
  once_and_again(
      "mode",
      [&](const CallContext& context) {
        return workspace().ChangeMode(context, "a.txt", HashOfText("one\n"), true);
      },
      same_change);
  once_and_again(
      "move",
      [&](const CallContext& context) {
        return workspace().Move(context, "m.txt", "n.txt", HashOfText("moving\n"));
      },
      same_change);
  once_and_again(
      "move of a directory",
      [&](const CallContext& context) { return workspace().Move(context, "d", "e", std::nullopt); },
      same_change);
  once_and_again(
      "review", [&](const CallContext& context) { return workspace().Review(context, {}); },
      [](const ReviewAnswer& first, const ReviewAnswer& again) {
        EXPECT_EQ(again.operation, first.operation);
        ASSERT_EQ(again.reviewed.size(), first.reviewed.size());
        for (size_t i = 0; i < first.reviewed.size(); ++i) {
          EXPECT_EQ(again.reviewed[i].receipt.id, first.reviewed[i].receipt.id);
          EXPECT_EQ(again.reviewed[i].moved_with, first.reviewed[i].moved_with);
          EXPECT_EQ(DiffHash(again.reviewed[i].diff), DiffHash(first.reviewed[i].diff));
        }
      });
  const auto same_rows = [](const auto& first, const auto& again) {
    ASSERT_EQ(again.size(), first.size());
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(again[i].path, first[i].path);
      EXPECT_EQ(again[i].base, first[i].base);
      EXPECT_EQ(again[i].hash, first[i].hash);
    }
  };
  once_and_again(
      "submit", [&](const CallContext& context) { return workspace().Submit(context, {}, {}); },
      [&](const SubmitAnswer& first, const SubmitAnswer& again) {
        EXPECT_EQ(again.operation, first.operation);
        same_rows(first.submitted, again.submitted);
      });
  once_and_again(
      "removal of a directory",
      [&](const CallContext& context) { return workspace().Remove(context, "e", std::nullopt); },
      same_change);
  once_and_again(
      "undo", [&](const CallContext& context) { return workspace().Undo(context, 0, false); },
      [&](const UndoAnswer& first, const UndoAnswer& again) {
        EXPECT_EQ(again.operation, first.operation);
        EXPECT_EQ(again.undone, first.undone);
        EXPECT_EQ(first.undone.size(), 2u);
        same_rows(first.paths, again.paths);
      });
  Replace("a.txt", "one\n", "two\n");
  SubmitElsewhere("a.txt", HashOfText("one\n"), "three\n");
  once_and_again(
      "resolve",
      [&](const CallContext& context) {
        return workspace().Resolve(context, "a.txt", Take::kLeft, "");
      },
      same_change);
  SubmitElsewhere("a.txt", HashOfText("three\n"), "four\n");
  once_and_again(
      "resolve right",
      [&](const CallContext& context) {
        return workspace().Resolve(context, "a.txt", Take::kRight, "");
      },
      same_change);
  Create("r1.txt", "1\n2\n3\n4\n5\n");
  SubmitAll();
  Replace("r1.txt", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n");
  SubmitElsewhere("r1.txt", HashOfText("1\n2\n3\n4\n5\n"), "1\n2\n3\n4\nfive\n");
  const auto same_rebase = [&](const RebaseAnswer& first, const RebaseAnswer& again) {
    same_rows(first.rebased, again.rebased);
    EXPECT_EQ(first.rebased.size(), 1u);
    EXPECT_EQ(again.conflicts.size(), first.conflicts.size());
  };
  once_and_again(
      "rebase", [&](const CallContext& context) { return workspace().Rebase(context, {}); },
      same_rebase);
  once_and_again(
      "discard", [&](const CallContext& context) { return workspace().Discard(context, {}); },
      [](const auto& first, const auto& again) { EXPECT_EQ(again, first); });
  const std::vector<Operation> submits = History({.types = {OperationType::kSubmit}});
  once_and_again(
      "revert",
      [&](const CallContext& context) {
        return workspace().Revert(context, {submits.back().sequence});
      },
      same_rebase);
  ExpectSound();
}

// What was asked about may be gone when a request comes again.
TEST_F(Rule05, ARepeatedReviewOfWhatIsGoneGetsTheFirstAnswer) {
  Init();
  Create("new.txt", "new\n");
  CallContext context = agent_;
  context.request_id = "review-1";
  const auto first = workspace().Review(context, {"new.txt"});
  STAGED_ASSERT_OK(first);
  STAGED_ASSERT_OK(workspace().Undo(agent_, 0, false));
  const auto again = workspace().Review(context, {"new.txt"});
  STAGED_ASSERT_OK(again);
  EXPECT_EQ(again->operation, first->operation);
  ASSERT_EQ(again->reviewed.size(), 1u);
  EXPECT_EQ(again->reviewed[0].receipt.id, first->reviewed[0].receipt.id);
  STAGED_EXPECT_CODE(ErrorCode::kNotFound, workspace().Review(agent_, {"new.txt"}));
}

TEST_F(Rule05, ARepeatedRebaseOfWhatIsGoneGetsTheFirstAnswer) {
  Save("a.txt", "1\n2\n3\n4\n5\n");
  Init();
  Replace("a.txt", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n");
  SubmitElsewhere("a.txt", HashOfText("1\n2\n3\n4\n5\n"), "1\n2\n3\n4\nfive\n");
  CallContext context = agent_;
  context.request_id = "rebase-1";
  const auto first = workspace().Rebase(context, {"a.txt"});
  STAGED_ASSERT_OK(first);
  ASSERT_EQ(first->rebased.size(), 1u);
  STAGED_ASSERT_OK(workspace().Discard(agent_, {}));
  Delete("a.txt");
  const auto again = workspace().Rebase(context, {"a.txt"});
  STAGED_ASSERT_OK(again);
  ASSERT_EQ(again->rebased.size(), 1u);
  EXPECT_EQ(again->rebased[0].operation, first->rebased[0].operation);
  EXPECT_TRUE(again->conflicts.empty());
  STAGED_ASSERT_OK(workspace().AdoptLiveChanges(agent_));
  STAGED_ASSERT_OK(workspace().Rebase(context, {"a.txt"}));
}

// An answer of a call that had nothing to do is one: it does not do later what it did not do then.
TEST_F(Rule05, RepeatedRequestsWithNothingToDoDoNothingLater) {
  Save("a.txt", kText);
  Init();
  STAGED_ASSERT_OK(workspace().Checkout(agent_, Outside("out")));
  const auto call_all = [&] {
    CallContext context = agent_;
    const auto named = [&](const char* id) {
      context.request_id = id;
      return context;
    };
    const auto review = workspace().Review(named("review"), {});
    STAGED_ASSERT_OK(review);
    EXPECT_TRUE(review->reviewed.empty());
    const auto submit = workspace().Submit(named("submit"), {}, {});
    STAGED_ASSERT_OK(submit);
    EXPECT_EQ(submit->operation, 0);
    const auto rebase = workspace().Rebase(named("rebase"), {});
    STAGED_ASSERT_OK(rebase);
    EXPECT_TRUE(rebase->rebased.empty() && rebase->conflicts.empty());
    const auto discard = workspace().Discard(named("discard"), {});
    STAGED_ASSERT_OK(discard);
    EXPECT_TRUE(discard->empty());
    const auto sync = workspace().Sync(named("sync"), Outside("out"));
    STAGED_ASSERT_OK(sync);
    EXPECT_TRUE(sync->operations.empty());
  };
  ASSERT_NO_FATAL_FAILURE(call_all());
  std::filesystem::remove(Outside("out") + "/a.txt");
  Create("r.txt", "1\n2\n3\n4\n5\n");
  SubmitAll();
  Replace("r.txt", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n");
  SubmitElsewhere("r.txt", HashOfText("1\n2\n3\n4\n5\n"), "1\n2\n3\n4\nfive\n");
  const int64_t head = History().back().sequence;
  ASSERT_NO_FATAL_FAILURE(call_all());
  EXPECT_EQ(History().back().sequence, head);
  EXPECT_EQ(State("r.txt"), "conflict");
}

TEST_F(Rule05, RepeatedSyncsAndRebasesKeepTheirConflicts) {
  Save("a.txt", kText);
  Save("b.txt", "b\n");
  Init();
  STAGED_ASSERT_OK(workspace().Checkout(agent_, Outside("out")));
  std::filesystem::copy_file(Absolute("b.txt"), Outside("out") + "/a.txt",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::create_symlink("/etc", Outside("out") + "/leads-out");
  SubmitElsewhere("a.txt", HashOfText(kText), "other\n");
  CallContext context = agent_;
  context.request_id = "sync-1";
  const auto sync = workspace().Sync(context, Outside("out"));
  STAGED_ASSERT_OK(sync);
  ASSERT_EQ(sync->conflicts.size(), 1u);
  ASSERT_FALSE(sync->skipped.empty());
  CallContext rebasing = agent_;
  rebasing.request_id = "rebase-1";
  const auto rebase = workspace().Rebase(rebasing, {});
  STAGED_ASSERT_OK(rebase);
  ASSERT_EQ(rebase->conflicts.size(), 1u);
  ASSERT_FALSE(rebase->conflicts[0].details.empty());
  STAGED_ASSERT_OK(workspace().Resolve(agent_, "a.txt", Take::kRight, ""));
  std::filesystem::remove_all(Outside("out"));
  const auto same = [](const std::vector<PathConflict>& first,
                       const std::vector<PathConflict>& again) {
    ASSERT_EQ(again.size(), first.size());
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(again[i].path, first[i].path);
      EXPECT_EQ(again[i].base, first[i].base);
      EXPECT_EQ(again[i].left, first[i].left);
      EXPECT_EQ(again[i].right, first[i].right);
      ASSERT_EQ(again[i].details.size(), first[i].details.size());
      for (size_t j = 0; j < first[i].details.size(); ++j) {
        EXPECT_EQ(again[i].details[j].kind, first[i].details[j].kind);
        EXPECT_EQ(again[i].details[j].locator, first[i].details[j].locator);
        EXPECT_EQ(again[i].details[j].left, first[i].details[j].left);
        EXPECT_EQ(again[i].details[j].right, first[i].details[j].right);
      }
    }
  };
  const auto synced_again = workspace().Sync(context, Outside("out"));
  STAGED_ASSERT_OK(synced_again);
  same(sync->conflicts, synced_again->conflicts);
  ASSERT_EQ(synced_again->operations.size(), sync->operations.size());
  EXPECT_EQ(synced_again->operations[0].operation, sync->operations[0].operation);
  ASSERT_EQ(synced_again->skipped.size(), sync->skipped.size());
  EXPECT_EQ(synced_again->skipped[0].path, sync->skipped[0].path);
  EXPECT_EQ(synced_again->skipped[0].reason, sync->skipped[0].reason);
  const auto rebased_again = workspace().Rebase(rebasing, {});
  STAGED_ASSERT_OK(rebased_again);
  same(rebase->conflicts, rebased_again->conflicts);
}

TEST_F(Rule05, ARequestIdIsForOneRequest) {
  Save("a.txt", kText);
  Save("a.json", kJson);
  Init();
  CallContext context = agent_;
  context.request_id = "r1";
  STAGED_ASSERT_OK(workspace().Write(context, "b.txt", std::nullopt, "b\n"));
  const auto refused = [&](const char* what, const auto& answer) {
    SCOPED_TRACE(what);
    STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument, answer);
    EXPECT_NE(MessageOf(answer).find("'r1'"), std::string::npos) << MessageOf(answer);
  };
  refused("other bytes", workspace().Write(context, "b.txt", std::nullopt, "c\n"));
  refused("another path", workspace().Write(context, "c.txt", std::nullopt, "b\n"));
  refused("another base", workspace().Write(context, "b.txt", HashOfText("b\n"), "b\n"));
  refused("edit",
          workspace().ApplyEdits(context, "a.json", HashOfText(kJson), {SetEdit("/limit", 13)}));
  refused("removal", workspace().Remove(context, "b.txt", HashOfText("b\n")));
  refused("move", workspace().Move(context, "b.txt", "c.txt", HashOfText("b\n")));
  refused("mode", workspace().ChangeMode(context, "b.txt", HashOfText("b\n"), true));
  refused("review", workspace().Review(context, {}));
  refused("submit", workspace().Submit(context, {}, {}));
  refused("rebase", workspace().Rebase(context, {}));
  refused("resolve", workspace().Resolve(context, "b.txt", Take::kLeft, ""));
  refused("discard", workspace().Discard(context, {}));
  refused("undo", workspace().Undo(context, 0, false));
  refused("rollback", workspace().Rollback(context, "t2"));
  refused("revert", workspace().Revert(context, {1}));
  refused("approval", workspace().Approve(context, "r-1"));
  refused("forget", workspace().Forget(context, HashOfText("b\n")));
  CallContext elsewhere = context;
  elsewhere.branch = "elsewhere";
  refused("another branch", workspace().Write(elsewhere, "b.txt", std::nullopt, "b\n"));
  CallContext somebody = context;
  somebody.actor.name = "somebody";
  refused("another actor", workspace().Write(somebody, "b.txt", std::nullopt, "b\n"));
  STAGED_EXPECT_CODE(ErrorCode::kInvalidArgument,
                     workspace().Write(context, "b.txt", std::nullopt, "c\n"));
  STAGED_ASSERT_OK(workspace().Write(context, "b.txt", std::nullopt, "b\n"));
}

TEST_F(Rule06, WhatThePolicyWantsValidParsesWithoutErrors) {
  Save("a.json", kJson);
  Init();
  SetPolicy("[[rule]]\npaths = [\"strict/**\"]\nvalidate = \"required\"\n");
  const auto submit_as = [&](const std::string& path, std::string_view bytes) {
    EXPECT_GT(Create(path, bytes), 0);
    EXPECT_TRUE(workspace().Review(agent_, {path}).ok());
    return workspace().Submit(agent_, {path}, {});
  };
  constexpr char kTorn[] = "{\"limit\": 13,";
  STAGED_EXPECT_CODE(ErrorCode::kOk, submit_as("lax/torn.json", kTorn));
  const auto refused = submit_as("strict/torn.json", kTorn);
  STAGED_EXPECT_CODE(ErrorCode::kParseFailed, refused);
  EXPECT_NE(MessageOf(refused).find("strict/torn.json"), std::string::npos);
  EXPECT_FALSE(OnDisk("strict/torn.json").has_value());
  STAGED_EXPECT_CODE(ErrorCode::kParseFailed,
                     submit_as("strict/torn.xlsx", std::string("PK\3\4 no archive", 15)));
  STAGED_EXPECT_CODE(ErrorCode::kOk, submit_as("strict/whole.json", kJson));
}

TEST_F(Rule06, AMissingReviewComesBeforeAFailedParse) {
  Init();
  SetPolicy("[[rule]]\npaths = [\"**\"]\nvalidate = \"required\"\n");
  Create("a.json", "{\"limit\": 13,");
  STAGED_ASSERT_OK(workspace().Review(agent_, {}));
  Create("b.json", kJson);
  STAGED_EXPECT_CODE(ErrorCode::kNotReviewed, workspace().Submit(agent_, {}, {}));
  STAGED_ASSERT_OK(workspace().Review(agent_, {}));
  Replace("b.json", kJson, "{}\n");
  STAGED_EXPECT_CODE(ErrorCode::kReviewVoid, workspace().Submit(agent_, {}, {}));
  STAGED_ASSERT_OK(workspace().Review(agent_, {}));
  STAGED_EXPECT_CODE(ErrorCode::kParseFailed, workspace().Submit(agent_, {}, {}));
}

}  // namespace
}  // namespace staged::testing
