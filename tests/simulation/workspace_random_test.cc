#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "tests/simulation/workspace_site.h"

// Random histories: two processes, several branches, people who save files at any moment, and
// faults of every kind anywhere. STAGED_SIMULATION_SEEDS says how many, STAGED_SEED
// from which; alone it replays one.
namespace staged {
namespace {

constexpr uint64_t kSeedsByDefault = 1'000;
constexpr int kCallsPerHistory = 12;
constexpr uint64_t kCallsPerOperation = 200;  // faults fall somewhere in these

class RandomHistory {
 public:
  explicit RandomHistory(uint64_t seed)
      : random_(seed), machine_(SimulatedEnvOptions{.seed = seed}) {}

  void Run() {
    ASSERT_TRUE(machine_.MakeDirectories(kSimulatedRoot).ok());
    for (const char* path : {"a.txt", "b.txt"}) {
      ASSERT_TRUE(machine_.ExternalWrite(Absolute(path), NewBytes(), Durability::kDurable).ok());
    }
    other_ = machine_.NewProcess();
    sites_.resize(2);
    StartSites();
    ASSERT_TRUE(sites_[0]->Init().ok());
    for (int i = 0; i < kCallsPerHistory; ++i) {
      ASSERT_NO_FATAL_FAILURE(RunOne());
    }
    machine_.Reboot(random_());
    StartSites();
    ASSERT_NO_FATAL_FAILURE(CheckNow(*sites_[0], true));
  }

 private:
  static std::string Absolute(const std::string& path) {
    return std::string(kSimulatedRoot) + "/" + path;
  }
  uint64_t Below(uint64_t bound) { return random_() % bound; }
  std::string AnyPath() {
    static const std::vector<std::string> kPaths = {"a.txt",       "b.txt", "dir/c.txt",
                                                    "dir/in/d.md", "e.csv", "dir"};
    return kPaths[Below(kPaths.size())];
  }
  std::string NewBytes() {
    std::string bytes = "content " + std::to_string(++contents_) + "\n";
    for (int i = 0; i < 8; ++i) bytes += "line " + std::to_string(Below(4)) + "\n";
    if (Below(6) == 0) bytes += std::string(5'000, 'x') + "\n";
    return bytes;
  }
  void StartSites() {
    const auto locks = MakeEnvVfsLocks();
    for (auto& site : sites_) site.reset();
    sites_[0] = std::make_unique<WorkspaceSite>(machine_, locks);
    sites_[1] = std::make_unique<WorkspaceSite>(*other_, locks);
    locks_ = locks;
  }

  void RunOne() {
    const size_t number = Below(2);
    WorkspaceSite& site = *sites_[number];
    SimulatedEnv& env = number == 0 ? machine_ : *other_;
    // By the call before which they happen.
    std::map<uint64_t, std::pair<PersonsSave, std::shared_ptr<bool>>> planned;
    for (uint64_t i = Below(3); i > 0; --i) {
      PersonsSave save{AnyPath(), {}};
      if (Below(4) != 0) save.bytes = NewBytes();
      const uint64_t call = machine_.call_count() + 1 + Below(kCallsPerOperation);
      planned[call] = {save, std::make_shared<bool>(false)};
      machine_.PlanExternalSave(call, {Absolute(save.path), save.bytes, Below(2) == 0,
                                       Durability::kDurable, planned[call].second});
    }
    if (Below(2) == 0) {
      static constexpr Fault kFaults[] = {Fault::kCrash,   Fault::kKill,        Fault::kIoError,
                                          Fault::kNoSpace, Fault::kInterrupted, Fault::kCrash};
      machine_.PlanFault(machine_.call_count() + 1 + Below(kCallsPerOperation),
                         kFaults[Below(std::size(kFaults))]);
    }
    Status status = site.is_open() ? OkStatus() : site.Open();
    if (status.ok()) status = Call(site);
    if (status.ok()) {
      const auto head = ReadHead(site.journal());
      if (head.ok()) promise_.head = *head;
    }
    for (const auto& [call, done] : planned) {
      if (*done.second) promise_.saves.push_back(done.first);
    }
    trace_ += " " + last_ + (status.ok() ? "" : "!");
    SCOPED_TRACE("history:" + trace_);
    if (!env.is_alive() && (!machine_.is_alive() && !other_->is_alive())) {
      machine_.Reboot(random_());
      StartSites();
      ASSERT_NO_FATAL_FAILURE(CheckNow(*sites_[Below(2)], false));
      return;
    }
    machine_.ClearFaults();
    if (!env.is_alive()) {
      sites_[number].reset();
      env.Restart();
      sites_[number] = std::make_unique<WorkspaceSite>(env, locks_);
      if (Below(2) == 0) {
        ASSERT_NO_FATAL_FAILURE(CheckNow(*sites_[number], false));
      }
    }
    if (Below(8) == 0) sites_[number]->Close();
  }

  Status Call(WorkspaceSite& site) {
    CallContext context = AgentContext(Below(3) == 0 ? "other" : "main");
    if (Below(3) == 0) context.turn = "turn" + std::to_string(Below(3));
    STAGED_ASSIGN_OR_RETURN(const auto files, site->List(context));
    const auto find = [&](const std::string& path) -> BaseHash {
      for (const auto& [name, entry] : files) {
        if (name == path) return entry.hash;
      }
      return {};
    };
    const std::string path =
        files.empty() || Below(3) == 0 ? AnyPath() : files[Below(files.size())].first;
    const uint64_t choice = Below(20);
    if (choice < 5) return Named("write", site->Write(context, path, find(path), NewBytes()));
    switch (choice) {
      case 5:
        return Named("rm", site->Remove(context, path, find(path)));
      case 6:
        return Named("mv", site->Move(context, path, AnyPath(), find(path)));
      case 7:
        return Named("chmod", site->ChangeMode(context, path, find(path), Below(2) == 0));
      case 8:
        return Named("rebase", site->Rebase(context, {}));
      case 9:
        return Named("resolve",
                     site->Resolve(context, path, Below(2) == 0 ? Take::kLeft : Take::kRight, ""));
      case 10:
        return Named("discard", site->Discard(context, {}));
      case 11:
        return Named("undo", site->Undo(context, 0, false));
      case 12:
        return Named("gc", site->CollectGarbage({}));
      case 13:
        return Named("adopt", site->AdoptLiveChanges(context));
      case 14: {
        last_ = "revert";
        const auto head = ReadHead(site.journal());
        if (!head.ok()) return head.status();
        return Named("revert",
                     site->Revert(context, {1 + static_cast<int64_t>(Below(head->sequence))}));
      }
      default:
        last_ = "review";
        STAGED_RETURN_IF_ERROR(site->Review(context, {}).status());
        return Named("submit", site->Submit(context, {}, {}));
    }
  }

  template <typename Answer>
  Status Named(const std::string& name, const Result<Answer>& answer) {
    last_ = name;
    return answer.ok() ? OkStatus() : answer.status();
  }

  void CheckNow(WorkspaceSite& site, bool try_everything) {
    const Status opened = site.Open();
    ASSERT_TRUE(opened.ok()) << opened.message();
    const auto adopted = site->AdoptLiveChanges(AgentContext());
    ASSERT_TRUE(adopted.ok()) << adopted.status().message();
    ASSERT_EQ(FindBrokenRule(site, promise_), "");
    if (!try_everything) return;
    ASSERT_EQ(FindWhyNothingWorks(site), "");
    ASSERT_EQ(FindBrokenRule(site, promise_), "");
  }

  std::mt19937_64 random_;
  SimulatedEnv machine_;
  std::unique_ptr<SimulatedEnv> other_;
  std::shared_ptr<EnvVfsLocks> locks_;
  std::vector<std::unique_ptr<WorkspaceSite>> sites_;
  Promise promise_;
  uint64_t contents_ = 0;
  std::string last_ = "open";
  std::string trace_;
};

TEST(WorkspaceRandomTest, HistoriesOfManySeeds) {
  uint64_t first = 1;
  uint64_t count = kSeedsByDefault;
  if (const char* more = std::getenv("STAGED_SIMULATION_SEEDS")) {
    first = std::random_device()();
    count = std::strtoull(more, nullptr, 10);
  }
  if (const char* given = std::getenv("STAGED_SEED")) {
    first = std::strtoull(given, nullptr, 10);
    if (std::getenv("STAGED_SIMULATION_SEEDS") == nullptr) count = 1;
  }
  std::cout << "seeds " << first << " to " << first + count - 1 << std::endl;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
    RandomHistory(seed).Run();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace staged
