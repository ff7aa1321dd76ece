#include <gtest/gtest.h>

#include "tests/simulation/workspace_histories.h"

// What a workspace writes outside of itself (a checkout's folder, an export), and people's files
// that cannot be read: on disks that fail, fill up and lose power.
namespace staged {
namespace {

constexpr char kCheckout[] = "/simulated/out/checkout";
constexpr char kExport[] = "/simulated/backup.staged";

constexpr Fault kFaults[] = {Fault::kIoError, Fault::kNoSpace};

class WorkspaceFoldersTest : public testing::Test {
 protected:
  void SetUp() override {
    MakeFirstFiles(machine_);
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    // Bytes that are staged only, in a folder that is staged only.
    ASSERT_TRUE(site->Write(AgentContext(), "fresh/below/new.txt", {}, "new\n").ok());
    machine_.SyncEverything();
  }

  // Every path below a folder by an onlooker whose calls meet no fault; none where it is absent.
  static std::vector<std::string> ListBelow(SimulatedEnv& env, const std::string& folder) {
    const auto onlooker = env.NewExternalProcess();
    const auto directory = onlooker->OpenDirectory(folder);
    std::vector<std::string> paths;
    if (directory.ok()) AddBelow(**directory, "", paths);
    return paths;
  }
  static void AddBelow(Directory& directory, const std::string& folder,
                       std::vector<std::string>& paths) {
    const auto items = directory.List(folder);
    ASSERT_TRUE(items.ok()) << items.status().message();
    for (const DirectoryItem& item : *items) {
      paths.push_back(folder.empty() ? item.name : folder + "/" + item.name);
      if (item.kind == FileKind::kDirectory) AddBelow(directory, std::string(paths.back()), paths);
    }
  }

  SimulatedEnv machine_{SimulatedEnvOptions{.seed = 11}};
};

TEST_F(WorkspaceFoldersTest, ACheckoutThatFailsLeavesNothingInTheWay) {
  uint64_t calls = 0;
  {
    const auto counting = machine_.Clone();
    WorkspaceSite site(*counting);
    ASSERT_TRUE(site.Open().ok());
    const uint64_t before = counting->call_count();
    ASSERT_TRUE(site->Checkout(AgentContext(), kCheckout).ok());
    calls = counting->call_count() - before;
  }
  int failures = 0;
  for (const Fault fault : kFaults) {
    for (uint64_t call = 1; call <= calls; ++call) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " in call " +
                   std::to_string(call) + " of " + std::to_string(calls));
      const auto machine = machine_.Clone();
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      machine->PlanFault(machine->call_count() + call, fault);
      const auto failed = site->Checkout(AgentContext(), kCheckout);
      machine->ClearFaults();
      if (failed.ok()) continue;
      ++failures;
      EXPECT_EQ(ListBelow(*machine, kCheckout), std::vector<std::string>()) << "left behind";
      const auto again = site->Checkout(AgentContext(), kCheckout);
      ASSERT_TRUE(again.ok()) << again.status().message();
      const auto synced = site->Sync(AgentContext(), kCheckout);
      ASSERT_TRUE(synced.ok()) << synced.status().message();
      EXPECT_TRUE(synced->operations.empty());
    }
  }
  EXPECT_GT(failures, 20);
}

// Rule 14: whatever a checkout that was killed, or lost its power, left in its folder, the next one
// goes on.
TEST_F(WorkspaceFoldersTest, ACheckoutThatDiedIsDoneAgain) {
  int half_done = 0;
  for (const Fault fault : {Fault::kKill, Fault::kCrash}) {
    for (uint64_t call = 1;; ++call) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " in call " +
                   std::to_string(call));
      const auto machine = machine_.Clone();
      {
        WorkspaceSite site(*machine);
        ASSERT_TRUE(site.Open().ok());
        machine->PlanFault(machine->call_count() + call, fault);
        (void)site->Checkout(AgentContext(), kCheckout).ok();
      }
      if (machine->is_alive()) break;
      if (fault == Fault::kKill) machine->Restart();
      if (fault == Fault::kCrash) machine->Reboot(call);
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      const auto early = site->Sync(AgentContext(), kCheckout);
      if (!ListBelow(*machine, kCheckout).empty()) ++half_done;
      const auto again = site->Checkout(AgentContext(), kCheckout);
      // It came to its end, and only its answer was lost.
      if (early.ok()) {
        EXPECT_EQ(again.status().code(), ErrorCode::kConflict);
      } else {
        ASSERT_EQ(early.status().code(), ErrorCode::kNotFound) << early.status().message();
        ASSERT_TRUE(again.ok()) << again.status().message();
      }
      const auto synced = site->Sync(AgentContext(), kCheckout);
      ASSERT_TRUE(synced.ok()) << synced.status().message();
      EXPECT_TRUE(synced->operations.empty());
    }
  }
  EXPECT_GT(half_done, 20);
}

// Nothing that somebody put or changed in the folder since is taken for the dead checkout's.
TEST_F(WorkspaceFoldersTest, ACheckoutThatDiedTakesNothingOfOthersAlong) {
  int kept = 0;
  for (const char* path : {"/mine.txt", "/notes.txt", "/fresh/mine.txt"}) {
    for (uint64_t call = 1;; ++call) {
      SCOPED_TRACE(std::string(path) + ", killed in call " + std::to_string(call));
      const auto machine = machine_.Clone();
      {
        WorkspaceSite site(*machine);
        ASSERT_TRUE(site.Open().ok());
        machine->PlanFault(machine->call_count() + call, Fault::kKill);
        (void)site->Checkout(AgentContext(), kCheckout).ok();
      }
      if (machine->is_alive()) break;
      machine->Restart();
      const std::string file = std::string(kCheckout) + path;
      if (!machine->ExternalWrite(file, "mine", Durability::kDurable).ok()) continue;
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      const auto before = ListBelow(*machine, kCheckout);
      EXPECT_EQ(site->Checkout(AgentContext(), kCheckout).status().code(), ErrorCode::kConflict);
      EXPECT_EQ(*machine->ExternalRead(file), "mine");
      EXPECT_EQ(ListBelow(*machine, kCheckout), before);
      ++kept;
    }
  }
  EXPECT_GT(kept, 20);
}

// A checkout that lives is not taken for a dead one.
TEST_F(WorkspaceFoldersTest, TwoCheckoutsIntoOneFolderAreNotMixed) {
  const auto locks = MakeEnvVfsLocks();
  const auto second = machine_.NewProcess();
  WorkspaceSite other(*second, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Open().ok());
  ASSERT_TRUE(other.Open().ok());
  int refused = 0;
  bool is_inside = false;
  site.before_write = [&] {
    if (is_inside) return;
    is_inside = true;
    const ErrorCode code = other->Checkout(AgentContext(), kCheckout).status().code();
    EXPECT_EQ(code, ErrorCode::kBusy);
    ++refused;
    is_inside = false;
  };
  const auto answer = site->Checkout(AgentContext(), kCheckout);
  site.before_write = nullptr;
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_GE(refused, 2);
  const auto synced = site->Sync(AgentContext(), kCheckout);
  ASSERT_TRUE(synced.ok()) << synced.status().message();
  EXPECT_TRUE(synced->operations.empty());
}

TEST_F(WorkspaceFoldersTest, ACheckoutThatFailsRemovesNothingOfOthers) {
  const auto person = machine_.NewExternalProcess();
  ASSERT_TRUE(person->MakeDirectories("/simulated/out").ok());
  ASSERT_TRUE(machine_.ExternalWrite("/simulated/out/mine.txt", "mine", Durability::kDurable).ok());
  WorkspaceSite site(machine_);
  ASSERT_TRUE(site.Open().ok());
  ASSERT_EQ(site->Checkout(AgentContext(), "/simulated/out").status().code(), ErrorCode::kConflict);
  machine_.PlanSyncFailure(0);
  ASSERT_FALSE(site->Checkout(AgentContext(), kCheckout).ok());
  machine_.ClearFaults();
  EXPECT_EQ(ListBelow(machine_, "/simulated/out"), std::vector<std::string>{"mine.txt"});
}

TEST_F(WorkspaceFoldersTest, AnAcknowledgedCheckoutSurvivesPowerLoss) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto machine = machine_.Clone();
    size_t files = 0;
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      const auto checked_out = site->Checkout(AgentContext(), kCheckout);
      ASSERT_TRUE(checked_out.ok()) << checked_out.status().message();
      files = checked_out->files;
    }
    machine->Reboot(seed);
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    const auto synced = site->Sync(AgentContext(), kCheckout);
    ASSERT_TRUE(synced.ok()) << synced.status().message();
    EXPECT_TRUE(synced->operations.empty())
        << synced->operations.size() << " of " << files << " files changed, so did '"
        << synced->operations.front().path << "'";
  }
}

TEST_F(WorkspaceFoldersTest, AnExportIsWholeOrAbsentAndCanBeTriedAgain) {
  uint64_t calls = 0;
  {
    const auto counting = machine_.Clone();
    WorkspaceSite site(*counting);
    ASSERT_TRUE(site.Open().ok());
    const uint64_t before = counting->call_count();
    ASSERT_TRUE(site->Export(kExport, {}).ok());
    calls = counting->call_count() - before;
  }
  int failures = 0;
  for (const Fault fault : kFaults) {
    for (uint64_t call = 1; call <= calls; ++call) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " in call " +
                   std::to_string(call) + " of " + std::to_string(calls));
      const auto machine = machine_.Clone();
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      const std::vector<std::string> before = ListBelow(*machine, "/simulated");
      machine->PlanFault(machine->call_count() + call, fault);
      const Status failed = site->Export(kExport, {});
      machine->ClearFaults();
      if (failed.ok()) continue;
      ++failures;
      const std::vector<std::string> after = ListBelow(*machine, "/simulated");
      const bool is_absent = !machine->ExternalRead(kExport).ok();
      // Only the very last step, which makes its name durable, may fail with the file whole.
      if (is_absent) {
        EXPECT_EQ(after, before) << "left behind";
        EXPECT_TRUE(site->Export(kExport, {}).ok());
      }
      const Status imported =
          ImportWorkspace(*machine, kExport, "/simulated/copy", {}, site.Options());
      EXPECT_NE(imported.code(), ErrorCode::kDataLoss) << imported.message();
    }
  }
  EXPECT_GT(failures, 5);
}

TEST_F(WorkspaceFoldersTest, APersonsFileThatCannotBeReadIsNamedAndNotLost) {
  const std::vector<PersonsSave> saves = {
      {"a person's notes.txt", "saved before the disk failed\n"}};
  uint64_t calls = 0;
  {
    const auto counting = machine_.Clone();
    MakeSaves(*counting, saves);
    WorkspaceSite site(*counting);
    ASSERT_TRUE(site.Open().ok());
    const uint64_t before = counting->call_count();
    ASSERT_TRUE(site->Write(AgentContext(), "other.txt", {}, "other\n").ok());
    calls = counting->call_count() - before;
  }
  int named = 0;
  for (uint64_t call = 1; call <= calls; ++call) {
    SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(calls));
    const auto machine = machine_.Clone();
    MakeSaves(*machine, saves);
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    machine->PlanFault(machine->call_count() + call, Fault::kIoError);
    const auto failed = site->Write(AgentContext(), "other.txt", {}, "other\n");
    machine->ClearFaults();
    if (!failed.ok() && failed.status().message().find(saves[0].path) != std::string::npos) {
      EXPECT_EQ(failed.status().code(), ErrorCode::kIoError);
      ++named;
    }
    // What follows takes the save in, whole.
    const auto adopted = site->AdoptLiveChanges(AgentContext());
    ASSERT_TRUE(adopted.ok()) << adopted.status().message();
    const auto content = site->Read(AgentContext("another"), saves[0].path, {});
    ASSERT_TRUE(content.ok()) << content.status().message();
    EXPECT_EQ(content->bytes, saves[0].bytes);
    EXPECT_EQ(FindBrokenRule(site, {{}, saves}), "");
  }
  EXPECT_GT(named, 0);
}

}  // namespace
}  // namespace staged
