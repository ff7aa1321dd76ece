#include "tests/simulation/workspace_recovery.h"

// Named cases of what removes contents for good, beside other processes.
namespace staged {
namespace {

using WorkspaceCollectionTest = WorkspaceRecoveryTest;

constexpr char kSecret[] = "a secret\n";

// What a case removes, and the content that the dying writer writes meanwhile.
struct Removal {
  const char* name;
  std::function<Status(WorkspaceSite&)> remove;
  int transaction;  // of the removal's write transactions, the last: what is removed is decided in
                    // it
};

// Rule 4: a commit that died may have reached the disk whole, so that a power loss brings it back.
// It never names a content that was removed because nobody could see that commit.
TEST_F(WorkspaceCollectionTest, ACommitThatDiedNeverComesBackWithoutItsContents) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_TRUE(site->Write(AgentContext(), "first.txt", {}, kSecret).ok());
    ASSERT_TRUE(site->Undo(AgentContext(), 0, false).ok());
  }
  const std::vector<Removal> removals = {
      {"gc", [](WorkspaceSite& site) { return site->CollectGarbage({}).status(); }, 1},
      {"forget",
       [](WorkspaceSite& site) { return site->Forget(AgentContext(), ContentHash::Of(kSecret)); },
       2}};
  for (const Removal& removal : removals) {
    bool has_survived = false;
    for (uint64_t call = 1; !has_survived; ++call) {
      SCOPED_TRACE(std::string(removal.name) + ", writer killed in call " + std::to_string(call));
      const auto machine = machine_.Clone();
      const auto locks = MakeEnvVfsLocks();
      WorkspaceSite site(*machine, locks);
      ASSERT_TRUE(site.Open().ok());
      int transactions = 0;
      site.before_write = [&] {
        if (++transactions < removal.transaction) return;
        const auto process = machine->NewProcess();
        WorkspaceSite writer(*process, locks);
        ASSERT_TRUE(writer.Open().ok());
        machine->PlanFault(machine->call_count() + call, Fault::kKill);
        const std::string bytes = removal.transaction == 1 ? "new\n" : kSecret;
        (void)writer->Write(AgentContext("dying"), "new.txt", {}, bytes).ok();
        has_survived = process->is_alive();
        machine->ClearFaults();
      };
      const Status removed = removal.remove(site);
      ASSERT_TRUE(removed.ok()) << removed.message();
      ASSERT_GE(transactions, removal.transaction);
      for (uint64_t seed = 0; seed < 6; ++seed) {
        const auto after = machine->Clone();
        after->Crash();
        after->Reboot(seed);
        WorkspaceSite later(*after);
        ASSERT_TRUE(later.Open().ok());
        const auto report = later->Fsck({});
        ASSERT_TRUE(report.ok()) << report.status().message();
        ASSERT_TRUE(report->findings.empty()) << "seed " << seed << ": " << report->findings[0].code
                                              << ", " << report->findings[0].message;
      }
    }
  }
}

// Two processes that remove contents take turns: the second waits for a while, then says so.
TEST_F(WorkspaceCollectionTest, OneRemovalAtATime) {
  const auto locks = MakeEnvVfsLocks();
  const auto other = machine_.NewProcess();
  WorkspaceSite second(*other, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  ASSERT_TRUE(second.Open().ok());
  ASSERT_TRUE(site->Write(AgentContext(), "first.txt", {}, kSecret).ok());
  ASSERT_TRUE(site->Undo(AgentContext(), 0, false).ok());
  std::vector<Status> refused;
  site.before_write = [&] {
    refused.push_back(second->CollectGarbage({}).status());
    refused.push_back(second->Forget(AgentContext(), ContentHash::Of(kSecret)));
  };
  ASSERT_TRUE(site->CollectGarbage({}).ok());
  const Status forgotten = site->Forget(AgentContext(), ContentHash::Of(kSecret));
  site.before_write = nullptr;
  EXPECT_TRUE(forgotten.ok() || forgotten.code() == ErrorCode::kNotFound) << forgotten.message();
  ASSERT_GE(refused.size(), 4u);
  for (const Status& status : refused) {
    EXPECT_EQ(status.code(), ErrorCode::kBusy) << status.message();
    EXPECT_NE(status.message().find("another gc or forget"), std::string::npos) << status.message();
  }
  EXPECT_TRUE(second->CollectGarbage({}).ok());
}

// Rule 5: the same request again does what the first one was kept from by a failed sync, though
// the log is not trusted since then and the tombstone's answer lies in it.
TEST_F(WorkspaceCollectionTest, ForgetAgainAfterAFailedSync) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_TRUE(site->Write(AgentContext(), "first.txt", {}, kSecret).ok());
    ASSERT_TRUE(site->Undo(AgentContext(), 0, false).ok());
  }
  const CallContext context = AgentContext("main", "forget-1");
  const ContentHash secret = ContentHash::Of(kSecret);
  int failures = 0;
  for (uint64_t skip = 0; skip < 8; ++skip) {
    SCOPED_TRACE("after " + std::to_string(skip) + " syncs");
    const auto machine = machine_.Clone();
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    machine->PlanSyncFailure(skip);
    if (site->Forget(context, secret).ok()) continue;
    ++failures;
    machine->ClearFaults();
    const Status again = site->Forget(context, secret);
    EXPECT_TRUE(again.ok()) << again.message();
    EXPECT_FALSE(site->Read(AgentContext(), "first.txt", secret).ok());
  }
  EXPECT_GT(failures, 1);
}

}  // namespace
}  // namespace staged
