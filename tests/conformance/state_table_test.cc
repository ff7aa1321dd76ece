// Drives a real workspace through every state x every event of the state table.

#include "workspace/state_table.h"

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

constexpr char kPath[] = "notes.txt";
// Three edits of A that merge with one another, and one that does not.
constexpr char kA[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kB[] = "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kC[] = "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
constexpr char kClash[] = "uno\ntwo\nthree\nfour\nfive\nsix\nseven\n";

class StateTable : public WorkspaceFixture {
 protected:
  // Brings a fresh workspace into the state. `clash`: a conflict that does not merge.
  void Reach(FileState state, bool clash) {
    Save(kPath, kA);
    Init();
    if (state == FileState::kInitial) return;
    Replace(kPath, kA, kB);
    if (state == FileState::kReviewed) ReviewAll();
    if (state == FileState::kConflict) SubmitElsewhere(kPath, HashOfText(kA), clash ? kClash : kC);
    ASSERT_EQ(State(kPath), FileStateName(state));
  }

  std::string AcceptedText() {
    const auto content = workspace().Read(other_, kPath, std::nullopt);
    return content.ok() ? content->bytes : "";
  }

  Status Happen(FileEvent event) {
    const std::string working = Working(kPath).value_or("");
    switch (event) {
      case FileEvent::kStage:
        return workspace().Write(agent_, kPath, HashOfText(working), "staged\n").status();
      case FileEvent::kReview:
        return workspace().Review(agent_, {kPath}).status();
      case FileEvent::kSubmit:
        return workspace().Submit(agent_, {kPath}, {}).status();
      case FileEvent::kDiscard:
        return workspace().Discard(agent_, {kPath}).status();
      case FileEvent::kAcceptedMoved:
        Save(kPath, "somebody else's\n");
        return OkStatus();
      case FileEvent::kAcceptedMet:
        Save(kPath, kB);
        return OkStatus();
      case FileEvent::kRebaseClean:
      case FileEvent::kRebaseConflict: {
        const auto rebased = workspace().Rebase(agent_, {kPath});
        if (!rebased.ok()) return rebased.status();
        if (event == FileEvent::kRebaseClean) {
          EXPECT_TRUE(rebased->conflicts.empty());
          return OkStatus();
        }
        return rebased->conflicts.empty()
                   ? Status(ErrorCode::kInvalidArgument, "there is no conflict to report")
                   : Status(ErrorCode::kConflict, "reported");
      }
      case FileEvent::kResolve:
        return workspace().Resolve(agent_, kPath, Take::kLeft, "").status();
      case FileEvent::kResolveRight:
        return workspace().Resolve(agent_, kPath, Take::kRight, "").status();
    }
    return OkStatus();
  }
};

TEST_F(StateTable, EveryStateAndEventBehavesAsTheTableSays) {
  for (size_t state = 0; state < kFileStateCount; ++state) {
    for (size_t event = 0; event < kFileEventCount; ++event) {
      const auto from = static_cast<FileState>(state);
      const auto what = static_cast<FileEvent>(event);
      SCOPED_TRACE(std::string(FileStateName(from)) + ", event " + std::to_string(event));
      StartAfresh();
      Reach(from, what == FileEvent::kRebaseConflict);
      if (HasFatalFailure()) return;
      const std::string accepted = AcceptedText();
      const int64_t before = History().back().sequence;
      const Transition& expected = NextState(from, what);
      const Status outcome = Happen(what);
      EXPECT_EQ(ErrorCodeName(outcome.code()), ErrorCodeName(expected.refusal))
          << MessageOf(outcome);
      EXPECT_EQ(State(kPath), FileStateName(expected.next));
      if (expected.refusal != ErrorCode::kOk) {
        EXPECT_EQ(History().back().sequence, before) << "a refusal changes nothing";
      }
      // Only these three move what is accepted.
      const bool moves = what == FileEvent::kAcceptedMoved || what == FileEvent::kAcceptedMet ||
                         (what == FileEvent::kSubmit && from == FileState::kReviewed);
      if (!moves) {
        EXPECT_EQ(AcceptedText(), accepted);
        EXPECT_EQ(OnDisk(kPath), accepted);
      }
      ExpectSound();
    }
  }
}

// The columns of the contract's table of one file's states.
TEST_F(StateTable, TheColumnsOfEveryStateAreAsTheContractSays) {
  const BaseHash a = HashOfText(kA), b = HashOfText(kB), c = HashOfText(kC);
  const auto expect = [&](const char* state, BaseHash accepted, BaseHash working, BaseHash disk) {
    const auto row = Row(agent_, kPath);
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(row->state, state);
    EXPECT_EQ(row->accepted, accepted);
    EXPECT_EQ(row->working, working);
    EXPECT_EQ(row->disk, disk);
  };
  Save(kPath, kA);
  Init();
  expect("initial", a, a, a);
  Replace(kPath, kA, kB);
  expect("edited", a, b, a);
  ReviewAll();
  expect("reviewed", a, b, a);
  STAGED_ASSERT_OK(workspace().Submit(agent_, {}, {}));
  expect("initial", b, b, b);
  Replace(kPath, kB, kA);
  SubmitElsewhere(kPath, b, kC);
  expect("conflict", c, c, c);
  EXPECT_EQ(Row(agent_, kPath)->staged, a) << "kept aside";
  const auto view = workspace().GetView(agent_, kPath, std::nullopt, WaitForViews::kWait);
  STAGED_ASSERT_OK(view);
  EXPECT_TRUE(view->conflict) << "every view of the path says so";
  EXPECT_TRUE(workspace().Read(agent_, kPath, std::nullopt)->conflict);
}

}  // namespace
}  // namespace staged::testing
