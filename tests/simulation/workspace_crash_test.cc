#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/simulation/workspace_histories.h"

// Every call that a workspace makes to the system fails once, in every way that the simulated
// machine knows, in each step of scripted histories. Afterwards every rule of the contract must
// hold, and the state must be that before the step or that after it.
namespace staged {
namespace {

uint64_t Seed() {
  const char* given = std::getenv("STAGED_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

// Of this many calls one is tried; STAGED_SIMULATION_WHOLE tries all.
uint64_t Stride(uint64_t usual) {
  return std::getenv("STAGED_SIMULATION_WHOLE") != nullptr ? 1 : usual;
}

// Same calls, other choices of what failed calls leave: each call now takes a random number.
void ShiftRandomFaults(SimulatedEnv& env) { env.SetFaultRate(Fault::kInterrupted, 1e-300); }

struct Case {
  const ScriptStep* step = nullptr;
  std::unique_ptr<SimulatedEnv> machine;  // the saves are made, the step is not run
  Promise before;
  std::string state_before, state_after;
  uint64_t first_call = 0, last_call = 0;
};

// A submit that a person's save took back leaves nothing reviewed: receipts do not count then.
std::string WithoutReceipts(const std::string& state) {
  std::string text;
  for (size_t begin = 0; begin < state.size();) {
    const size_t end = state.find('\n', begin) + 1;
    const std::string line = state.substr(begin, end - begin);
    if (!line.starts_with("receipt ")) text += line;
    begin = end;
  }
  return text;
}

// Opens, takes persons' changes in, and checks everything.
void CheckOpened(WorkspaceSite& site, const Promise& promise,
                 const std::vector<std::string>& allowed, bool try_everything) {
  const Status opened = site.Open();
  ASSERT_TRUE(opened.ok()) << opened.message();
  const auto adopted = site->AdoptLiveChanges(AgentContext());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  const auto state = DescribeState(site.journal());
  ASSERT_TRUE(state.ok()) << state.status().message();
  const std::string& last = allowed.back();
  const bool with_receipts = last != WithoutReceipts(last) || allowed.size() < 3;
  const auto is_allowed = [&](const std::string& text) {
    return std::find(allowed.begin(), allowed.end(), text) != allowed.end();
  };
  ASSERT_TRUE(is_allowed(with_receipts ? *state : WithoutReceipts(*state)))
      << "the state is\n"
      << *state << "\nallowed is\n"
      << allowed.front() << "\nor\n"
      << allowed.back();
  ASSERT_EQ(FindBrokenRule(site, promise), "");
  if (!try_everything) return;
  ASSERT_EQ(FindWhyNothingWorks(site), "");
  const auto head = ReadHead(site.journal());
  ASSERT_TRUE(head.ok());
  Promise later = promise;
  later.head = *head;
  ASSERT_EQ(FindBrokenRule(site, later), "");
}

class WorkspaceCrashTest : public testing::TestWithParam<ScriptedHistory> {
 protected:
  // Plays the history without faults and calls `attack` for each step that is a call.
  void ForEachCase(const std::function<void(const Case&)>& attack) {
    auto machine = std::make_unique<SimulatedEnv>(SimulatedEnvOptions{.seed = Seed()});
    MakeFirstFiles(*machine);
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Init().ok());
    }
    Promise promise;
    for (const ScriptStep& step : GetParam().steps) {
      SCOPED_TRACE("STAGED_SEED=" + std::to_string(Seed()) + ", step '" + step.name + "'");
      MakeSaves(*machine, step.saves);
      promise.saves.insert(promise.saves.end(), step.saves.begin(), step.saves.end());
      if (!step.run) continue;
      Case one;
      one.step = &step;
      one.machine = machine->Clone();
      {
        const auto copy = machine->Clone();
        WorkspaceSite site(*copy);
        ASSERT_TRUE(site.Open().ok());
        one.before = promise;
        one.before.head = *ReadHead(site.journal());
        ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
        one.state_before = *DescribeState(site.journal());
      }
      one.first_call = machine->call_count() + 1;
      {
        WorkspaceSite site(*machine);
        ASSERT_TRUE(site.Open().ok());
        const Status done = step.run(site);
        ASSERT_TRUE(done.ok()) << done.message();
        ASSERT_TRUE(ReadHead(site.journal()).ok());
      }
      one.last_call = machine->call_count();
      {
        const auto copy = machine->Clone();
        WorkspaceSite site(*copy);
        ASSERT_TRUE(site.Open().ok());
        ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
        one.state_after = *DescribeState(site.journal());
      }
      calls_ += one.last_call - one.first_call + 1;
      attack(one);
      if (HasFatalFailure()) return;
    }
    std::printf("%s: %llu calls\n", GetParam().name.c_str(),
                static_cast<unsigned long long>(calls_));
  }

  // Runs the case until it fails or is done; the promise then made.
  static Promise RunOnce(const Case& one, WorkspaceSite& site, Status* status) {
    Promise promise = one.before;
    *status = site.Open();
    if (status->ok()) *status = one.step->run(site);
    if (status->ok()) {
      const auto head = ReadHead(site.journal());
      if (head.ok()) promise.head = *head;
    }
    return promise;
  }

  uint64_t calls_ = 0;
};

TEST_P(WorkspaceCrashTest, PowerLossInEveryCall) {
  constexpr uint64_t kReboots = 2;
  const uint64_t stride = Stride(5);
  ForEachCase([&](const Case& one) {
    for (uint64_t call = one.first_call; call <= one.last_call; call += stride) {
      SCOPED_TRACE("power loss in call " + std::to_string(call) + " of " +
                   std::to_string(one.first_call) + " to " + std::to_string(one.last_call));
      const auto machine = one.machine->Clone();
      if (call % 2 == 0) ShiftRandomFaults(*machine);
      machine->PlanFault(call, Fault::kCrash);
      Promise promise;
      Status status;
      {
        WorkspaceSite site(*machine);
        promise = RunOnce(one, site, &status);
      }
      ASSERT_FALSE(machine->is_alive());
      std::vector<std::string> allowed = {one.state_after};
      if (!status.ok()) allowed.push_back(one.state_before);
      for (uint64_t reboot = 0; reboot < kReboots; ++reboot) {
        const auto rebooted = machine->Clone();
        rebooted->Reboot(Seed() + call * 31 + reboot);
        if (reboot == 1) {
          // The power goes once more while the workspace is opened again.
          rebooted->PlanFault(rebooted->call_count() + 1 + call * 7 % 60, Fault::kCrash);
          WorkspaceSite site(*rebooted);
          (void)site.Open().ok();
          site.Close();
          rebooted->Reboot(Seed() + call * 17);
        }
        WorkspaceSite site(*rebooted);
        ASSERT_NO_FATAL_FAILURE(CheckOpened(site, promise, allowed, call % 4 == reboot));
      }
    }
  });
}

TEST_P(WorkspaceCrashTest, KilledInEveryCall) {
  const uint64_t stride = Stride(7);
  ForEachCase([&](const Case& one) {
    for (uint64_t call = one.first_call; call <= one.last_call; call += stride) {
      SCOPED_TRACE("killed in call " + std::to_string(call) + " of " +
                   std::to_string(one.first_call) + " to " + std::to_string(one.last_call));
      const auto machine = one.machine->Clone();
      machine->PlanFault(call, Fault::kKill);
      const auto locks = MakeEnvVfsLocks();
      const auto other = machine->NewProcess();
      WorkspaceSite survivor(*other, locks);
      Promise promise;
      Status status;
      {
        WorkspaceSite site(*machine, locks);
        promise = RunOnce(one, site, &status);
      }
      std::vector<std::string> allowed = {one.state_after};
      if (!status.ok()) allowed.push_back(one.state_before);
      ASSERT_NO_FATAL_FAILURE(CheckOpened(survivor, promise, allowed, call % 4 == 0));
    }
  });
}

// What the state may be when a person saves during the step: as if it had happened before the step,
// or after it.
std::vector<std::string> StatesWithSave(const Case& one, const PersonsSave& save) {
  std::vector<std::string> states;
  for (const char* order : {"save", "save, step", "step, save"}) {
    const auto machine = one.machine->Clone();
    WorkspaceSite site(*machine);
    EXPECT_TRUE(site.Open().ok());
    const std::string steps = order;
    if (steps == "step, save") {
      EXPECT_TRUE(one.step->run(site).ok());
    }
    if (steps.starts_with("step")) site.Close();
    const std::string path = std::string(kSimulatedRoot) + "/" + save.path;
    (void)(save.bytes ? machine->ExternalWrite(path, *save.bytes, Durability::kDurable)
                      : machine->ExternalRemove(path, Durability::kDurable))
        .ok();
    if (steps == "save, step") (void)one.step->run(site).ok();
    EXPECT_TRUE(site.Open().ok());
    EXPECT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
    states.push_back(*DescribeState(site.journal()));
  }
  states.push_back(one.state_before);  // where the save could not be made
  states.push_back(one.state_after);
  for (std::string& state : states) state = WithoutReceipts(state);
  return states;
}

TEST_P(WorkspaceCrashTest, PersonSavesBeforeEveryCall) {
  const uint64_t stride = Stride(7);
  const std::vector<std::string> paths = {"notes.txt", "plan.md", "table.csv", "run.sh",
                                          "moved/plan.md"};
  ForEachCase([&](const Case& one) {
    std::map<std::string, std::vector<std::string>> allowed_with;
    for (uint64_t call = one.first_call; call <= one.last_call; call += stride) {
      // With prime counts of each, all combinations meet all calls sooner or later.
      const std::string& path = paths[(call / stride) % paths.size()];
      const uint64_t kind = (call / stride) % 3;
      PersonsSave save{path, {}};
      if (kind != 2) save.bytes = "saved meanwhile by a person\n";
      auto& allowed = allowed_with[path + (save.bytes ? "" : " removed")];
      if (allowed.empty()) allowed = StatesWithSave(one, save);
      const bool with_crash = (call / stride) % 2 == 0;
      SCOPED_TRACE("save of " + path + ", kind " + std::to_string(kind) + ", before call " +
                   std::to_string(call) + " of " + std::to_string(one.first_call) + " to " +
                   std::to_string(one.last_call) + (with_crash ? ", then a power loss" : ""));
      const auto machine = one.machine->Clone();
      const auto is_done = std::make_shared<bool>(false);
      machine->PlanExternalSave(call, {std::string(kSimulatedRoot) + "/" + path, save.bytes,
                                       kind == 0, Durability::kDurable, is_done});
      if (with_crash) machine->PlanFault(call + call * 7 % 40, Fault::kCrash);
      Promise promise;
      Status status;
      {
        WorkspaceSite site(*machine);
        promise = RunOnce(one, site, &status);
      }
      if (*is_done) promise.saves.push_back(save);
      machine->Reboot(Seed() + call * 11);
      WorkspaceSite site(*machine);
      ASSERT_NO_FATAL_FAILURE(CheckOpened(site, promise, allowed, call % 8 == 0));
    }
  });
}

class WorkspaceErrorTest : public WorkspaceCrashTest {
 protected:
  // The same process goes on after the error, makes the same call again, and has what it wanted.
  void FailInEveryCall(Fault fault, uint64_t stride) {
    ForEachCase([&](const Case& one) {
      for (uint64_t call = one.first_call; call <= one.last_call; call += stride) {
        SCOPED_TRACE("fault in call " + std::to_string(call) + " of " +
                     std::to_string(one.first_call) + " to " + std::to_string(one.last_call));
        const auto machine = one.machine->Clone();
        if (call % 2 == 0) ShiftRandomFaults(*machine);
        machine->PlanFault(call, fault);
        ASSERT_NO_FATAL_FAILURE(FailOnce(one, *machine, fault, call));
      }
    });
  }

 private:
  static void FailOnce(const Case& one, SimulatedEnv& machine, Fault fault, uint64_t call) {
    Promise promise = one.before;
    std::vector<std::string> allowed = {one.state_before, one.state_after};
    bool has_failed = false;
    {
      WorkspaceSite site(machine);
      Status opened = site.Open();
      if (!opened.ok()) {
        has_failed = true;
        opened = site.Open();
        ASSERT_TRUE(opened.ok()) << opened.message();
      }
      Status done = one.step->run(site);
      if (!done.ok()) {
        ASSERT_FALSE(has_failed) << done.message();
        has_failed = true;
        const std::string first = done.message();
        done = one.step->run(site);
        const auto& codes = one.step->may_answer_again;
        const bool is_expected = std::find(codes.begin(), codes.end(), done.code()) != codes.end();
        ASSERT_TRUE(done.ok() || is_expected) << "first: " << first << ", then: " << done.message();
        if (is_expected) allowed.push_back(one.state_before);
      }
      const auto head = ReadHead(site.journal());
      if (!head.ok()) has_failed = true;
      if (head.ok()) promise.head = *head;
    }
    if (fault == Fault::kInterrupted) {
      ASSERT_FALSE(has_failed);
    }
    machine.ClearFaults();
    {
      WorkspaceSite site(machine);
      ASSERT_NO_FATAL_FAILURE(CheckOpened(site, promise, allowed, false));
      promise.head = *ReadHead(site.journal());
    }
    machine.Reboot(Seed() + call * 13);
    WorkspaceSite site(machine);
    ASSERT_NO_FATAL_FAILURE(CheckOpened(site, promise, allowed, call % 4 == 0));
  }
};

TEST_P(WorkspaceErrorTest, DiskErrorInEveryCall) { FailInEveryCall(Fault::kIoError, Stride(7)); }

TEST_P(WorkspaceErrorTest, DiskFullInEveryCall) { FailInEveryCall(Fault::kNoSpace, Stride(9)); }

TEST_P(WorkspaceErrorTest, InterruptedInEveryCall) {
  FailInEveryCall(Fault::kInterrupted, Stride(17));
}

const auto kNameOf = [](const testing::TestParamInfo<ScriptedHistory>& info) {
  return info.param.name;
};
INSTANTIATE_TEST_SUITE_P(Histories, WorkspaceCrashTest, testing::ValuesIn(ScriptedHistories()),
                         kNameOf);
INSTANTIATE_TEST_SUITE_P(Histories, WorkspaceErrorTest, testing::ValuesIn(ScriptedHistories()),
                         kNameOf);

}  // namespace
}  // namespace staged
