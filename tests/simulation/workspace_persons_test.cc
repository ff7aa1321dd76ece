#include "tests/simulation/workspace_recovery.h"

// Named cases of people whose hands are in the live folder while a submit is published there.
namespace staged {
namespace {

class WorkspacePersonsTest : public WorkspaceRecoveryTest {
 protected:
  // A machine on which one path is left to be submitted, alone: what syncs another path's folder
  // would sync its own.
  std::unique_ptr<SimulatedEnv> StageOne(const std::string& path) {
    auto machine = machine_.Clone();
    WorkspaceSite site(*machine);
    EXPECT_TRUE(site.Init().ok());
    if (path == kRemoved) {
      const auto there = site->Read(AgentContext(), path, {});
      EXPECT_TRUE(there.ok());
      EXPECT_TRUE(site->Remove(AgentContext(), path, there->entry.hash).ok());
      EXPECT_TRUE(site->Review(AgentContext(), {}).ok());
    } else {
      Stage(site, {path});
    }
    site.Close();
    machine->SyncEverything();
    return machine;
  }

  static constexpr char kReplaced[] = "notes.txt";
  static constexpr char kRemoved[] = "table.csv";
  static constexpr char kNew[] = "new.txt";
};

// Rules 13 and 14: a save between the look at a path and its exchange is put back, and stays so
// when the power goes right after the submit's answer.
TEST_F(WorkspacePersonsTest, PowerLossAfterASaveStoppedTheSubmit) {
  int stopped = 0;
  for (const char* path : {kReplaced, kRemoved}) {
    const auto staged = StageOne(path);
    for (uint64_t call = 1;; ++call) {
      const auto machine = staged->Clone();
      const PersonsSave save{path, "by a person\n"};
      const auto is_done = std::make_shared<bool>(false);
      {
        WorkspaceSite site(*machine);
        ASSERT_TRUE(site.Open().ok());
        machine->PlanExternalSave(
            machine->call_count() + call,
            {Absolute(path), save.bytes, call % 2 == 0, Durability::kDurable, is_done});
        const Status submitted = site->Submit(AgentContext(), {}, {}).status();
        if (!*is_done) break;
        // Only where the publication was under way already.
        if (submitted.message().find("while it was submitted") == std::string::npos) continue;
        ++stopped;
        machine->Crash();
      }
      for (uint64_t seed = 0; seed < 64; ++seed) {
        SCOPED_TRACE(std::string(path) + ", saved before call " + std::to_string(call) + ", seed " +
                     std::to_string(seed));
        const auto after = machine->Clone();
        after->Reboot(64 * call + seed);
        ASSERT_EQ(*after->ExternalRead(Absolute(path)), *save.bytes);
        if (seed > 0) continue;
        WorkspaceSite site(*after);
        ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {save}));
      }
    }
  }
  EXPECT_GE(stopped, 4);
}

// Rule 6: where one path of a submit meets a person's save, the reviews of the others still count,
// and that path's does not.
TEST_F(WorkspacePersonsTest, ReviewsOfTheOtherPathsStillCount) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_NO_FATAL_FAILURE(Stage(site, {kNew, kReplaced}));
  }
  int stopped = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("saved before call " + std::to_string(call));
    const auto machine = machine_.Clone();
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    const auto is_done = std::make_shared<bool>(false);
    const PersonsSave save{kReplaced, "by a person\n"};
    machine->PlanExternalSave(machine->call_count() + call, {Absolute(kReplaced), save.bytes, true,
                                                             Durability::kDurable, is_done});
    const Status submitted = site->Submit(AgentContext(), {}, {}).status();
    if (!*is_done) break;
    if (submitted.message().find("while it was submitted") == std::string::npos) continue;
    ++stopped;
    const Status other = site->Submit(AgentContext(), {kNew}, {}).status();
    EXPECT_TRUE(other.ok()) << other.message();
    EXPECT_EQ(site->Submit(AgentContext(), {}, {}).status().code(), ErrorCode::kConflict);
    // Also where the person takes the save back.
    MakeSaves(*machine, {{kReplaced, *machine_.ExternalRead(Absolute(kReplaced))}});
    ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
    EXPECT_EQ(site->Submit(AgentContext(), {}, {}).status().code(), ErrorCode::kReviewVoid);
  }
  EXPECT_GT(stopped, 3);
}

// Rules 13 and 14: a submit dies, and before the next opening somebody makes a folder with files in
// it of each name that is to be published, or to be gone.
TEST_F(WorkspacePersonsTest, FolderStandsWhereADeadPublisherWantsAFile) {
  int pending = 0;
  for (const char* path : {kReplaced, kRemoved, kNew}) {
    const auto staged = StageOne(path);
    for (uint64_t call = 1;; ++call) {
      SCOPED_TRACE(std::string(path) + ", killed in call " + std::to_string(call));
      const auto machine = staged->Clone();
      {
        WorkspaceSite site(*machine);
        ASSERT_TRUE(site.Open().ok());
        machine->PlanFault(machine->call_count() + call, Fault::kKill);
        (void)site->Submit(AgentContext(), {}, {}).ok();
      }
      if (machine->is_alive()) break;
      machine->Restart();
      const PersonsSave inside{std::string(path) + "/inside.txt", "by a person\n"};
      const auto person = machine->NewExternalProcess();
      (void)machine->ExternalRemove(Absolute(path), Durability::kDurable).ok();
      ASSERT_TRUE(person->MakeDirectories(Absolute(path)).ok());
      MakeSaves(*machine, {inside});
      {
        const auto copy = machine->Clone();
        WorkspaceSite site(*copy);
        const auto journal = site.Options().open_journal(false);
        ASSERT_TRUE(journal.ok());
        if (!(*(*journal)->BeginRead())->Publications()->empty()) ++pending;
      }
      WorkspaceSite site(*machine);
      ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {{path, {}}, inside}));
      ASSERT_EQ(*machine->ExternalRead(Absolute(inside.path)), *inside.bytes);
    }
  }
  EXPECT_GT(pending, 20);
}

}  // namespace
}  // namespace staged
