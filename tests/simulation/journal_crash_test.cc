#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/test_seed.h"
#include "env/simulated_env.h"
#include "journal/env_vfs.h"
#include "journal/sqlite_journal.h"

// The proof of the journal: a history of commits on a simulated machine, with a fault at every
// single call that reaches the disk. What was acknowledged as durable must be there afterwards,
// what was not must be there whole or not at all, and the journal must go on working.
namespace staged {
namespace {

constexpr const char* kPath = "/workspace/journal.db";
constexpr int kSteps = 16;

struct Step {
  std::vector<Operation> operations;
  bool is_durable = true;
  bool abandon_first = false;  // the same changes are first made and thrown away
  bool reopen_first = false;
};

Entry RandomEntry(std::mt19937_64& random) {
  return {static_cast<EntryKind>(1 + random() % 3), ContentHash::Of(std::to_string(random() % 50))};
}

std::vector<Step> MakeHistory(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Step> steps(kSteps);
  for (Step& step : steps) {
    step.is_durable = random() % 3 != 0;
    step.abandon_first = random() % 5 == 0;
    step.reopen_first = random() % 6 == 0;
    step.operations.resize(1 + random() % 3);
    for (Operation& operation : step.operations) {
      operation.branch = "branch" + std::to_string(random() % 3);
      operation.type = static_cast<OperationType>(1 + random() % 6);
      operation.payload = std::string(random() % 4 == 0 ? random() % 12'000 : random() % 100, 'p');
      for (uint64_t i = 1 + random() % 4; i > 0; --i) {
        operation.changes.push_back({"path" + std::to_string(random() % 20), RandomEntry(random),
                                     random() % 4 == 0 ? OptionalEntry() : RandomEntry(random)});
      }
    }
  }
  steps.back().is_durable = true;
  return steps;
}

Status Apply(JournalTransaction& transaction, const Step& step) {
  for (Operation operation : step.operations) {
    STAGED_RETURN_IF_ERROR(transaction.Append(operation));
    for (const PathChange& change : operation.changes) {
      STAGED_RETURN_IF_ERROR(
          transaction.SetAccepted(change.path, change.result, operation.sequence));
    }
    STAGED_RETURN_IF_ERROR(transaction.SetLive(operation.sequence, true));
    if (operation.sequence % 2 == 0) {
      STAGED_RETURN_IF_ERROR(transaction.SetLive(operation.sequence / 2, false));
    }
    const std::string number = std::to_string(operation.sequence);
    STAGED_RETURN_IF_ERROR(transaction.PutReceipt({.id = "r" + number,
                                                   .branch = operation.branch,
                                                   .path = operation.changes[0].path,
                                                   .base = operation.changes[0].base}));
    STAGED_RETURN_IF_ERROR(transaction.PutPublication({operation.sequence, "owner", "p", {}, {}}));
    STAGED_RETURN_IF_ERROR(transaction.RemovePublication(operation.sequence - 2, "p"));
    STAGED_RETURN_IF_ERROR(
        transaction.PutBranch({.name = operation.branch, .lease_epoch = operation.sequence}));
    STAGED_RETURN_IF_ERROR(transaction.PutRequestAnswer("q" + number, number));
    STAGED_RETURN_IF_ERROR(transaction.PutSetting("operations", number));
  }
  return OkStatus();
}

// Everything that a reader sees, in one line.
Result<std::string> Fingerprint(Journal& journal) {
  STAGED_ASSIGN_OR_RETURN(auto reader, journal.BeginRead());
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, reader->Head());
  std::string all = head.chain.ToHex();
  STAGED_RETURN_IF_ERROR(reader->Scan({}, [&](const Operation& operation) {
    all += operation.chain.ToHex();
    return true;
  }));
  STAGED_ASSIGN_OR_RETURN(const auto tree, reader->AcceptedTree());
  STAGED_ASSIGN_OR_RETURN(const auto tree_then, reader->AcceptedTreeAt(head.sequence));
  for (const auto* entries : {&tree, &tree_then}) {
    std::string lines;
    for (const AcceptedEntry& item : *entries) {
      lines += item.path + item.entry.hash.ToHex() + std::to_string(item.sequence);
    }
    all += ContentHash::Of(lines).ToHex();
  }
  EXPECT_EQ(tree.size(), tree_then.size());
  STAGED_ASSIGN_OR_RETURN(const auto live, reader->LivePaths());
  for (const auto& [branch, path] : live) all += branch + path + ";";
  STAGED_ASSIGN_OR_RETURN(const auto branches, reader->Branches());
  for (const BranchRow& branch : branches) {
    all += branch.name + std::to_string(branch.lease_epoch);
    STAGED_ASSIGN_OR_RETURN(const auto receipts, reader->Receipts(branch.name));
    for (const ReceiptRow& receipt : receipts) all += receipt.id + receipt.path;
  }
  STAGED_ASSIGN_OR_RETURN(const auto publications, reader->Publications());
  for (const PublicationRow& row : publications) all += std::to_string(row.sequence) + ",";
  STAGED_ASSIGN_OR_RETURN(const auto setting, reader->Setting("operations"));
  return std::to_string(head.sequence) + " " + setting.value_or("-") + " " +
         ContentHash::Of(all).ToHex();
}

// Small, so that a short history has many checkpoints; but with one after each commit there would
// be no log to lose.
int CheckpointPages(uint64_t seed) { return 14 + 40 * static_cast<int>(seed % 3); }

// One process that has the journal open.
class Site {
 public:
  Site(SimulatedEnv& env, std::shared_ptr<EnvVfsLocks> locks, uint64_t seed)
      : checkpoint_pages_(CheckpointPages(seed)),
        vfs_(*RegisterEnvVfs(env, {.locks = std::move(locks), .sleep = [&env](int microseconds) {
                                     env.AdvanceNs(int64_t{microseconds} * 1000);
                                   }})) {}

  Status Open(SqliteJournalOptions::Mode mode) {
    journal_.reset();
    STAGED_ASSIGN_OR_RETURN(
        journal_,
        OpenSqliteJournal(
            kPath, {.mode = mode, .vfs = vfs_->name(), .checkpoint_pages = checkpoint_pages_}));
    return OkStatus();
  }
  // As a program that starts: with a journal that was never acknowledged, it makes it.
  Status OpenOrCreate(bool may_be_missing) {
    Status status = Open(SqliteJournalOptions::Mode::kOpenExisting);
    if (status.code() != ErrorCode::kDataLoss || !may_be_missing) return status;
    return Open(SqliteJournalOptions::Mode::kCreate);
  }
  Status Run(const Step& step, bool& is_commit_begun) {
    is_commit_begun = false;
    if (step.reopen_first || journal_ == nullptr) {
      STAGED_RETURN_IF_ERROR(Open(SqliteJournalOptions::Mode::kOpenExisting));
    }
    if (step.abandon_first) {
      STAGED_ASSIGN_OR_RETURN(auto abandoned, journal_->BeginWrite(100));
      STAGED_RETURN_IF_ERROR(Apply(*abandoned, step));
    }
    STAGED_ASSIGN_OR_RETURN(auto transaction, journal_->BeginWrite(100));
    STAGED_RETURN_IF_ERROR(Apply(*transaction, step));
    is_commit_begun = true;
    return transaction->Commit(step.is_durable ? JournalTransaction::Durability::kDurable
                                               : JournalTransaction::Durability::kRelaxed);
  }
  void Close() { journal_.reset(); }
  Journal& journal() { return *journal_; }

 private:
  const int checkpoint_pages_;
  std::unique_ptr<EnvVfs> vfs_;
  std::unique_ptr<Journal> journal_;
};

// How far a history came. State 0 is the empty journal, state n that after n steps; -1: none.
struct Progress {
  int durable = -1;    // acknowledged as durable
  int committed = -1;  // acknowledged
  int attempted = 0;   // may be there
};

// Step by step, in turns by the sites, until the first error.
Status RunHistory(const std::vector<Step>& history, std::vector<Site*> sites, int first_step,
                  Progress& progress, std::vector<std::string>* states) {
  for (int i = first_step; i < static_cast<int>(history.size()); ++i) {
    Site& site = *sites[static_cast<size_t>(i) % sites.size()];
    bool is_commit_begun = false;
    Status status = site.Run(history[i], is_commit_begun);
    if (is_commit_begun) progress.attempted = i + 1;
    STAGED_RETURN_IF_ERROR(status);
    progress.committed = i + 1;
    if (history[i].is_durable) progress.durable = i + 1;
    if (states != nullptr) {
      STAGED_ASSIGN_OR_RETURN(std::string state, Fingerprint(site.journal()));
      states->push_back(std::move(state));
    }
  }
  return OkStatus();
}

Status CreateAndRun(const std::vector<Step>& history, std::vector<Site*> sites, Progress& progress,
                    std::vector<std::string>* states) {
  STAGED_RETURN_IF_ERROR(sites[0]->Open(SqliteJournalOptions::Mode::kCreate));
  progress.durable = progress.committed = 0;
  if (states != nullptr) {
    STAGED_ASSIGN_OR_RETURN(std::string state, Fingerprint(sites[0]->journal()));
    states->push_back(std::move(state));
  }
  return RunHistory(history, sites, 0, progress, states);
}

class JournalCrashTest : public testing::Test {
 protected:
  void Prepare(uint64_t seed, int processes) {
    seed_ = seed;
    processes_ = processes;
    history_ = MakeHistory(seed);
    SimulatedEnvOptions options;
    options.seed = seed;
    machine_ = std::make_unique<SimulatedEnv>(options);
    ASSERT_TRUE(machine_->MakeDirectories("/workspace").ok());
    machine_->SyncEverything();
    first_call_ = machine_->call_count() + 1;
    // Once with looking at every state, once without, to count the calls.
    Progress progress;
    states_.clear();
    Status status = Play(*machine_->Clone(), progress, &states_, nullptr);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(states_.size(), history_.size() + 1);
    const auto counting = machine_->Clone();
    ASSERT_TRUE(Play(*counting, progress, nullptr, nullptr).ok());
    last_call_ = counting->call_count();
  }

  // Runs the whole history on `machine`, by as many processes as asked for, and closes all.
  Status Play(SimulatedEnv& machine, Progress& progress, std::vector<std::string>* states,
              std::shared_ptr<EnvVfsLocks> locks) {
    if (locks == nullptr) locks = MakeEnvVfsLocks();
    std::vector<std::unique_ptr<SimulatedEnv>> others;
    std::vector<std::unique_ptr<Site>> sites;
    std::vector<Site*> pointers;
    for (int i = 0; i < processes_; ++i) {
      if (i > 0) others.push_back(machine.NewProcess());
      sites.push_back(std::make_unique<Site>(i == 0 ? machine : *others.back(), locks, seed_));
      pointers.push_back(sites.back().get());
    }
    return CreateAndRun(history_, pointers, progress, states);
  }

  // Opens what is left, checks that it is one of the states allowed, and plays the rest.
  void CheckAndGoOn(SimulatedEnv& machine, int oldest, const Progress& progress,
                    const std::shared_ptr<EnvVfsLocks>& locks) {
    Site site(machine, locks, seed_);
    Status opened = site.OpenOrCreate(oldest < 0);
    ASSERT_TRUE(opened.ok()) << opened.message();
    const auto state = Fingerprint(site.journal());
    ASSERT_TRUE(state.ok()) << state.status().message();
    int found = -1;
    for (int i = std::max(oldest, 0); i <= progress.attempted; ++i) {
      if (states_[i] == *state) found = i;
    }
    ASSERT_GE(found, 0) << "got " << *state << ", allowed are states " << oldest << " to "
                        << progress.attempted << ", the first " << states_[std::max(oldest, 0)];
    const Status sound = site.journal().Verify(nullptr);
    ASSERT_TRUE(sound.ok()) << sound.message();
    Progress rest;
    const Status done = RunHistory(history_, {&site}, found, rest, nullptr);
    ASSERT_TRUE(done.ok()) << done.message();
    EXPECT_EQ(*Fingerprint(site.journal()), states_.back());
    EXPECT_TRUE(site.journal().Verify(nullptr).ok());
    lost_ += progress.committed > found ? 1 : 0;
    ahead_ += progress.committed < found ? 1 : 0;
  }

  void CrashEverywhere(uint64_t seed, int processes, int reboots) {
    SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(Prepare(seed, processes));
    for (uint64_t call = first_call_; call <= last_call_; ++call) {
      SCOPED_TRACE("crash in call " + std::to_string(call) + " of " + std::to_string(last_call_));
      const auto crashing = machine_->Clone();
      crashing->PlanFault(call, Fault::kCrash);
      Progress progress;
      // The checkpoint after the last commit may fail without a word.
      const Status status = Play(*crashing, progress, nullptr, nullptr);
      ASSERT_TRUE(!status.ok() || progress.durable == kSteps);
      ASSERT_FALSE(crashing->is_alive());
      for (int reboot = 0; reboot < reboots; ++reboot) {
        const auto rebooted = crashing->Clone();
        rebooted->Reboot(seed + call * 31 + static_cast<uint64_t>(reboot));
        ASSERT_NO_FATAL_FAILURE(
            CheckAndGoOn(*rebooted, progress.durable, progress, MakeEnvVfsLocks()));
      }
    }
    std::printf("seed %llu: %llu calls, %d relaxed commits lost, %d ahead of the answer\n",
                static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(last_call_ - first_call_ + 1), lost_, ahead_);
  }

  uint64_t seed_ = 0;
  int processes_ = 1;
  std::vector<Step> history_;
  std::vector<std::string> states_;
  std::unique_ptr<SimulatedEnv> machine_;
  uint64_t first_call_ = 0;
  uint64_t last_call_ = 0;
  int lost_ = 0;
  int ahead_ = 0;
};

TEST_F(JournalCrashTest, PowerLossInEveryCall) {
  CrashEverywhere(1, 1, 2);
  // The faults did bite: relaxed commits were lost, and some commits were there unacknowledged.
  EXPECT_GT(lost_, 0);
  EXPECT_GT(ahead_, 0);
}

TEST_F(JournalCrashTest, PowerLossInEveryCallOfARandomHistory) {
  CrashEverywhere(SeedForTest(), 1, 1);
}

TEST_F(JournalCrashTest, PowerLossInEveryCallOfTwoProcesses) {
  CrashEverywhere(SeedForTest(), 2, 1);
}

// A killed process takes nothing with it that was committed, not even what is not yet durable.
TEST_F(JournalCrashTest, KilledInEveryCall) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  ASSERT_NO_FATAL_FAILURE(Prepare(seed, 1));
  for (uint64_t call = first_call_; call <= last_call_; ++call) {
    SCOPED_TRACE("killed in call " + std::to_string(call) + " of " + std::to_string(last_call_));
    const auto machine = machine_->Clone();
    machine->PlanFault(call, Fault::kKill);
    const auto locks = MakeEnvVfsLocks();
    Progress progress;
    Status status = Play(*machine, progress, nullptr, locks);
    const auto other = machine->NewProcess();
    ASSERT_NO_FATAL_FAILURE(CheckAndGoOn(*other, progress.committed, progress, locks));
  }
  EXPECT_EQ(lost_, 0);
}

// An error of the disk, or a full one, in any call: the step fails or not, is repeated where it
// did, and after the last (durable) one even a power loss takes nothing.
void SurviveErrorEverywhere(Fault fault, uint64_t seed, uint64_t first_call, uint64_t last_call,
                            const SimulatedEnv& fresh, const std::vector<Step>& history,
                            const std::vector<std::string>& states) {
  int failures = 0;
  for (uint64_t call = first_call; call <= last_call; ++call) {
    SCOPED_TRACE("error in call " + std::to_string(call) + " of " + std::to_string(last_call));
    const auto machine = fresh.Clone();
    machine->PlanFault(call, fault);
    {
      Site site(*machine, nullptr, seed);
      Status status = site.Open(SqliteJournalOptions::Mode::kCreate);
      if (!status.ok()) status = site.OpenOrCreate(true);
      ASSERT_TRUE(status.ok()) << status.message();
      for (int step = 0; step < static_cast<int>(history.size());) {
        Progress progress;
        status = RunHistory(history, {&site}, step, progress, nullptr);
        if (status.ok()) break;
        ++failures;
        EXPECT_TRUE(status.code() == ErrorCode::kIoError ||
                    status.code() == ErrorCode::kLimitExceeded)
            << status.message();
        status = site.OpenOrCreate(false);
        ASSERT_TRUE(status.ok()) << status.message();
        const auto state = Fingerprint(site.journal());
        ASSERT_TRUE(state.ok()) << state.status().message();
        const int committed = std::max(progress.committed, step);
        step = *state == states[committed] ? committed : committed + 1;
        ASSERT_EQ(*state, states[step]);
      }
      ASSERT_EQ(*Fingerprint(site.journal()), states.back());
    }
    machine->Reboot(call);
    Site site(*machine, nullptr, seed);
    const Status opened = site.OpenOrCreate(false);
    ASSERT_TRUE(opened.ok()) << opened.message();
    ASSERT_EQ(*Fingerprint(site.journal()), states.back());
    const Status sound = site.journal().Verify(nullptr);
    ASSERT_TRUE(sound.ok()) << sound.message();
  }
  EXPECT_GT(failures, 0);
}

TEST_F(JournalCrashTest, DiskErrorInEveryCall) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  ASSERT_NO_FATAL_FAILURE(Prepare(seed, 1));
  SurviveErrorEverywhere(Fault::kIoError, seed, first_call_, last_call_, *machine_, history_,
                         states_);
}

TEST_F(JournalCrashTest, DiskFullInEveryCall) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  ASSERT_NO_FATAL_FAILURE(Prepare(seed, 1));
  SurviveErrorEverywhere(Fault::kNoSpace, seed, first_call_, last_call_, *machine_, history_,
                         states_);
}

TEST_F(JournalCrashTest, InterruptedCallsDoNotMatter) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  ASSERT_NO_FATAL_FAILURE(Prepare(seed, 1));
  machine_->SetFaultRate(Fault::kInterrupted, 0.3);
  Progress progress;
  std::vector<std::string> states;
  ASSERT_TRUE(Play(*machine_, progress, &states, nullptr).ok());
  EXPECT_EQ(states, states_);
}

// A process is killed after its commit reached the log, but before the sync. Who finds the answer
// to the request there may pass it on: a power loss right after must not take it away.
TEST_F(JournalCrashTest, AnswerThatIsFoundIsDurable) {
  int found = 0;
  SimulatedEnv fresh;
  ASSERT_TRUE(fresh.MakeDirectories("/workspace").ok());
  const auto run = [](Site& site, const Step& step) {
    bool is_commit_begun = false;
    Status status = site.Open(SqliteJournalOptions::Mode::kCreate);
    if (status.ok()) status = site.Run(step, is_commit_begun);
    return status;
  };
  Step step = MakeHistory(1)[0];
  step.reopen_first = step.abandon_first = false;
  step.is_durable = true;
  uint64_t last_call = 0;
  {
    const auto counting = fresh.Clone();
    Site site(*counting, nullptr, 2);
    ASSERT_TRUE(run(site, step).ok());
    last_call = counting->call_count();
  }
  for (uint64_t call = last_call - 10; call <= last_call; ++call) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE("killed in call " + std::to_string(call) + ", seed " + std::to_string(seed));
      const auto machine = fresh.Clone();
      machine->RandomBytes(seed);  // so that the killed call has its effect, or not
      machine->PlanFault(call, Fault::kKill);
      {
        Site site(*machine, nullptr, 2);
        (void)run(site, step).ok();
        ASSERT_FALSE(machine->is_alive());
      }
      const auto answer = [](SimulatedEnv& env) {
        Site site(env, nullptr, 2);
        const Status opened = site.OpenOrCreate(false);
        EXPECT_TRUE(opened.ok()) << opened.message();
        return *(*site.journal().BeginRead())->RequestAnswer("q1");
      };
      const auto other = machine->NewProcess();
      if (!answer(*other)) continue;
      ++found;
      machine->Reboot(seed);
      EXPECT_TRUE(answer(*machine).has_value());
    }
  }
  EXPECT_GT(found, 0);
}

// After a failed sync the next one succeeds without what was dropped, unless that is written again.
TEST_F(JournalCrashTest, FailedSyncLosesNoRelaxedCommit) {
  std::vector<Step> steps = MakeHistory(1);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedEnv machine({.seed = seed});
    ASSERT_TRUE(machine.MakeDirectories("/workspace").ok());
    std::string expected;
    {
      Site site(machine, nullptr, 2);
      ASSERT_TRUE(site.Open(SqliteJournalOptions::Mode::kCreate).ok());
      for (int i = 0; i < 3; ++i) {
        Step step = steps[i];
        step.reopen_first = step.abandon_first = false;
        step.is_durable = i > 0;
        if (i == 1) machine.PlanSyncFailure();
        bool is_commit_begun = false;
        ASSERT_EQ(site.Run(step, is_commit_begun).ok(), i != 1);
      }
      expected = *Fingerprint(site.journal());
    }
    machine.Reboot(seed);
    Site site(machine, nullptr, 2);
    ASSERT_TRUE(site.OpenOrCreate(false).ok());
    EXPECT_EQ(*Fingerprint(site.journal()), expected);
  }
}

TEST_F(JournalCrashTest, SyncMakesRelaxedCommitsDurable) {
  int lost = 0;
  for (uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool is_synced = seed % 2 == 0;
    SimulatedEnv machine({.seed = seed});
    ASSERT_TRUE(machine.MakeDirectories("/workspace").ok());
    std::string expected;
    {
      Site site(machine, nullptr, 1'000);
      ASSERT_TRUE(site.Open(SqliteJournalOptions::Mode::kCreate).ok());
      for (Step step : MakeHistory(1)) {
        step.reopen_first = step.abandon_first = step.is_durable = false;
        bool is_commit_begun = false;
        ASSERT_TRUE(site.Run(step, is_commit_begun).ok());
      }
      expected = *Fingerprint(site.journal());
      if (is_synced) {
        ASSERT_TRUE(site.journal().Sync().ok());
      }
      machine.Crash();
    }
    machine.Reboot(seed);
    Site site(machine, nullptr, 1'000);
    ASSERT_TRUE(site.OpenOrCreate(false).ok());
    const bool is_there = *Fingerprint(site.journal()) == expected;
    if (is_synced) {
      EXPECT_TRUE(is_there);
    } else if (!is_there) {
      ++lost;
    }
  }
  EXPECT_GT(lost, 0);
}

TEST_F(JournalCrashTest, RelaxedCommitsCostOneCallLess) {
  const auto calls = [](bool is_durable) {
    SimulatedEnv machine;
    EXPECT_TRUE(machine.MakeDirectories("/workspace").ok());
    EnvVfsOptions options;
    const auto vfs = *RegisterEnvVfs(machine, options);
    auto journal = *OpenSqliteJournal(
        kPath, {.mode = SqliteJournalOptions::Mode::kCreate, .vfs = vfs->name()});
    Step step = MakeHistory(1)[0];
    const uint64_t before = machine.call_count();
    for (int i = 0; i < 10; ++i) {
      auto transaction = *journal->BeginWrite(0);
      EXPECT_TRUE(Apply(*transaction, step).ok());
      EXPECT_TRUE(transaction
                      ->Commit(is_durable ? JournalTransaction::Durability::kDurable
                                          : JournalTransaction::Durability::kRelaxed)
                      .ok());
    }
    return machine.call_count() - before;
  };
  EXPECT_EQ(calls(true), calls(false) + 10);
}

}  // namespace
}  // namespace staged
