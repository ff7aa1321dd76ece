#include "env/simulated_env.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace staged {
namespace {

constexpr uint64_t kSeeds = 1000;
constexpr uint64_t kSectorBytes = 512;

std::unique_ptr<Directory> Open(SimulatedEnv& env, const std::string& path = "/") {
  auto directory = env.OpenDirectory(path);
  EXPECT_TRUE(directory.ok()) << directory.status().message();
  return std::move(directory).value();
}

Status Write(Directory& directory, const std::string& path, std::string_view bytes, bool sync) {
  auto file = directory.Create(path, 0644);
  if (!file.ok()) file = directory.OpenWrite(path);
  STAGED_RETURN_IF_ERROR(file.status());
  STAGED_RETURN_IF_ERROR((*file)->WriteAt(0, bytes));
  return sync ? (*file)->Sync() : OkStatus();
}

std::string Read(SimulatedEnv& env, const std::string& path) {
  auto bytes = env.ExternalRead(path);
  return bytes.ok() ? *bytes : "<" + std::string(ErrorCodeName(bytes.status().code())) + ">";
}

// What the file may be after a crash, over many seeds.
std::set<std::string> AfterCrashes(const SimulatedEnv& env, const std::string& path) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto machine = env.Clone();
    machine->Reboot(seed);
    outcomes.insert(Read(*machine, path));
  }
  return outcomes;
}

using Outcomes = std::set<std::string>;

TEST(SimulatedCrash, KeepsWhatWasSynced) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "one", true).ok());
  ASSERT_TRUE(root->SyncDirectory("").ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"one"}));
}

TEST(SimulatedCrash, LosesTheNameThatWasNotSynced) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "one", true).ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"one", "<not_found>"}));
}

TEST(SimulatedCrash, LosesTheDataThatWasNotSynced) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "one", false).ok());
  ASSERT_TRUE(root->SyncDirectory("").ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"one", "", std::string(3, '\0')}));
}

TEST(SimulatedCrash, TearsWritesAtSectors) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", std::string(3 * kSectorBytes, 'o'), true).ok());
  ASSERT_TRUE(root->SyncDirectory("").ok());
  ASSERT_TRUE(Write(*root, "a", std::string(3 * kSectorBytes, 'n'), false).ok());
  Outcomes outcomes;  // one letter a sector
  for (const std::string& bytes : AfterCrashes(env, "/a")) {
    std::string letters;
    for (uint64_t start = 0; start < bytes.size(); start += kSectorBytes) {
      letters += bytes[start];
      EXPECT_EQ(bytes.substr(start, kSectorBytes), std::string(kSectorBytes, bytes[start]));
    }
    outcomes.insert(letters);
  }
  EXPECT_EQ(outcomes, Outcomes({"ooo", "oon", "ono", "onn", "noo", "non", "nno", "nnn"}));
}

TEST(SimulatedCrash, MayKeepAnEarlierWriteOfTheSameSector) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "0", true).ok());
  ASSERT_TRUE(root->SyncDirectory("").ok());
  ASSERT_TRUE(Write(*root, "a", "1", false).ok());
  ASSERT_TRUE(Write(*root, "a", "2", false).ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"0", "1", "2"}));
}

TEST(SimulatedCrash, KeepsNamesInOrder) {
  SimulatedEnv env;
  auto root = Open(env);
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Write(*root, name, "x", true).ok());
  Outcomes outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto machine = env.Clone();
    machine->Reboot(seed);
    std::string names;
    const std::vector<DirectoryItem> items = Open(*machine)->List("").value();
    for (const DirectoryItem& item : items) names += item.name;
    outcomes.insert(names);
  }
  EXPECT_EQ(outcomes, Outcomes({"", "a", "ab", "abc"}));
}

TEST(SimulatedCrash, KeepsRenamesWhole) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(root->MakeDirectory("d", 0755).ok());
  ASSERT_TRUE(Write(*root, "a", "old", true).ok());
  ASSERT_TRUE(Write(*root, "d/b", "new", true).ok());
  env.SyncEverything();
  ASSERT_TRUE(root->Exchange("a", *root, "d/b").ok());
  Outcomes outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto machine = env.Clone();
    machine->Reboot(seed);
    outcomes.insert(Read(*machine, "/a") + Read(*machine, "/d/b"));
  }
  EXPECT_EQ(outcomes, Outcomes({"oldnew", "newold"}));
  // Making one side durable makes the other so.
  ASSERT_TRUE(root->SyncDirectory("d").ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"new"}));
}

TEST(SimulatedCrash, BringsBackWhatWasRemovedWithoutSync) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "one", true).ok());
  ASSERT_TRUE(root->SyncDirectory("").ok());
  ASSERT_TRUE(root->RemoveFile("a").ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"one", "<not_found>"}));
  ASSERT_TRUE(root->SyncDirectory("").ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"<not_found>"}));
}

TEST(SimulatedCrash, DoesNotSyncTheItemsOfADirectoryWithItsName) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(root->MakeDirectory("temporary", 0755).ok());
  ASSERT_TRUE(Write(*root, "temporary/a", "one", true).ok());
  ASSERT_TRUE(root->Rename("temporary", *root, "final").ok());
  ASSERT_TRUE(root->SyncDirectory("").ok());
  EXPECT_EQ(AfterCrashes(env, "/final/a"), Outcomes({"one", "<not_found>"}));
}

TEST(SimulatedCrash, KeepsAFileMovedOutOfARemovedDirectory) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(root->MakeDirectory("d", 0755).ok());
  ASSERT_TRUE(root->MakeDirectory("e", 0755).ok());
  ASSERT_TRUE(Write(*root, "d/a", "one", true).ok());
  env.SyncEverything();
  ASSERT_TRUE(root->Rename("d/a", *root, "e/a").ok());
  ASSERT_TRUE(root->RemoveDirectory("d").ok());
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto machine = env.Clone();
    machine->Reboot(seed);
    const bool is_moved = Read(*machine, "/e/a") == "one";
    EXPECT_TRUE(is_moved || Read(*machine, "/d/a") == "one") << "seed " << seed;
  }
  ASSERT_TRUE(root->SyncDirectory("").ok());
  EXPECT_EQ(AfterCrashes(env, "/e/a"), Outcomes({"one"}));
}

TEST(SimulatedFaults, CrashAtEveryCallEndsEverything) {
  for (uint64_t call = 1; call <= 5; ++call) {
    SimulatedEnv env({.seed = call});
    env.PlanFault(call, Fault::kCrash);
    auto external = env.NewExternalProcess();
    auto external_root = Open(*external);
    auto root = env.OpenDirectory("/");
    if (call == 1) {
      EXPECT_EQ(root.status().code(), ErrorCode::kIoError);
    } else {
      // Create, write and sync, and the directory's sync.
      const Status status = Write(**root, "a", "one", true);
      EXPECT_EQ(status.code(), call == 5 ? ErrorCode::kOk : ErrorCode::kIoError) << call;
      EXPECT_EQ((*root)->SyncDirectory("").code(), ErrorCode::kIoError) << call;
    }
    EXPECT_FALSE(env.is_alive());
    EXPECT_EQ(external_root->List("").status().code(), ErrorCode::kIoError);
    env.Reboot(call);
    EXPECT_TRUE(env.is_alive());
    EXPECT_TRUE(Open(env)->List("").ok());
    EXPECT_EQ(external_root->List("").status().code(), ErrorCode::kIoError) << "an old handle";
  }
}

TEST(SimulatedFaults, KillLeavesWhatWasWrittenAndFreesLocks) {
  SimulatedEnv env;
  auto other = env.NewProcess();
  auto root = Open(env);
  auto other_root = Open(*other);
  auto lock = root->Lock("lock", LockWait::kDoNotWait);
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(other_root->Lock("lock", LockWait::kDoNotWait).status().code(), ErrorCode::kBusy);
  ASSERT_TRUE(Write(*root, "a", "one", false).ok());
  auto file = root->OpenWrite("a");
  EXPECT_TRUE(other_root->HasWriter("a").value());
  env.Kill();
  EXPECT_FALSE(other_root->HasWriter("a").value());
  EXPECT_EQ(other_root->ReadFile("a", 10).value(), "one");
  auto taken = other_root->Lock("lock", LockWait::kDoNotWait);
  ASSERT_TRUE(taken.ok()) << taken.status().message();
  lock.value().reset();  // the dead holder's end does not free the other's lock
  const int64_t dead_id = env.ProcessId();
  env.Restart();
  EXPECT_NE(env.ProcessId(), dead_id);
  EXPECT_EQ(Open(env)->Lock("lock", LockWait::kDoNotWait).status().code(), ErrorCode::kBusy);
}

TEST(SimulatedFaults, FailedSyncMayLoseDataThatALaterSyncPretendsToKeep) {
  Outcomes outcomes;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SimulatedEnv env({.seed = seed});
    auto root = Open(env);
    ASSERT_TRUE(Write(*root, "a", "old", true).ok());
    ASSERT_TRUE(root->SyncDirectory("").ok());
    env.PlanSyncFailure();
    auto file = root->OpenWrite("a");
    ASSERT_TRUE((*file)->WriteAt(0, "new").ok());
    EXPECT_EQ((*file)->Sync().code(), ErrorCode::kIoError);
    EXPECT_TRUE((*file)->Sync().ok());
    EXPECT_EQ(Read(env, "/a"), "new");
    env.Reboot(seed);
    outcomes.insert(Read(env, "/a"));
  }
  EXPECT_EQ(outcomes, Outcomes({"old", "new"}));
}

TEST(SimulatedFaults, NoSpaceOnlyConcernsCallsThatNeedIt) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "one", true).ok());
  env.SetDiskFull(true);
  EXPECT_EQ(root->Create("b", 0644).status().code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(root->MakeDirectory("d", 0755).code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(root->Clone("a", *root, "c", 0644).code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(Write(*root, "a", "two", false).code(), ErrorCode::kLimitExceeded);
  EXPECT_TRUE(root->RemoveFile("a").ok());
  EXPECT_TRUE(root->SyncDirectory("").ok());
  EXPECT_TRUE(env.ExternalWrite("/p", "person", Durability::kVolatile).ok());
  env.SetDiskFull(false);
  EXPECT_TRUE(root->MakeDirectory("d", 0755).ok());
}

TEST(SimulatedFaults, InterruptedWriteIsCompleted) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedEnv env({.seed = seed});
    auto root = Open(env);
    env.SetFaultRate(Fault::kInterrupted, 1.0);
    ASSERT_TRUE(Write(*root, "a", "some longer text", true).ok());
    EXPECT_EQ(root->ReadFile("a", 100).value(), "some longer text");
  }
}

TEST(SimulatedFaults, FailedWriteMayBeginButReportsIt) {
  Outcomes outcomes;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SimulatedEnv env({.seed = seed});
    auto root = Open(env);
    ASSERT_TRUE(Write(*root, "a", "old", true).ok());
    auto file = root->OpenWrite("a");
    env.PlanFault(env.call_count() + 1, Fault::kIoError);
    EXPECT_EQ((*file)->WriteAt(0, "new").code(), ErrorCode::kIoError);
    outcomes.insert(Read(env, "/a"));
  }
  EXPECT_EQ(outcomes, Outcomes({"old", "nld", "ned"}));
}

TEST(SimulatedEnv, IsDeterministic) {
  const auto run = [](uint64_t seed) {
    SimulatedEnv env({.seed = seed});
    env.SetFaultRate(Fault::kIoError, 0.2);
    std::string trace;
    auto root = env.OpenDirectory("/");
    for (int step = 0; step < 50 && root.ok(); ++step) {
      const Status status =
          Write(**root, std::to_string(step % 7), env.RandomBytes(2000), step % 3);
      trace += ErrorCodeName(status.code());
    }
    env.Reboot(seed);
    for (int step = 0; step < 7; ++step) trace += Read(env, "/" + std::to_string(step));
    return trace + std::to_string(env.NowNs());
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(SimulatedEnv, ClonesAreIndependent) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", std::string(10'000, 'x'), true).ok());
  auto copy = env.Clone();
  auto copy_root = Open(*copy);
  ASSERT_TRUE(Write(*copy_root, "a", "y", true).ok());
  ASSERT_TRUE(Write(*root, "b", "z", true).ok());
  EXPECT_EQ(Read(env, "/a"), std::string(10'000, 'x'));
  EXPECT_EQ(Read(*copy, "/a"), "y" + std::string(9'999, 'x'));
  EXPECT_EQ(Read(*copy, "/b"), "<not_found>");
  EXPECT_EQ(copy_root->Clone("a", *root, "c", 0644).code(), ErrorCode::kInvalidArgument);
}

TEST(SimulatedEnv, CorruptsBytesWithoutATrace) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "abc", true).ok());
  env.SyncEverything();
  const FileStatus before = root->Stat("a").value();
  ASSERT_TRUE(env.CorruptByte("/a", 1, 0x01).ok());
  EXPECT_EQ(root->Stat("a").value(), before);
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"acc"}));
  EXPECT_EQ(env.CorruptByte("/a", 3).code(), ErrorCode::kInvalidArgument);
}

TEST(SimulatedEnv, ForgetsRemovedFiles) {
  SimulatedEnv env;
  auto root = Open(env);
  auto kept = root->Create("kept", 0644);
  ASSERT_TRUE((*kept)->WriteAt(0, "still here").ok());
  ASSERT_TRUE(root->RemoveFile("kept").ok());
  for (int step = 0; step < 2000; ++step) {
    ASSERT_TRUE(Write(*root, "a", "x", true).ok());
    ASSERT_TRUE(root->RemoveFile("a").ok());
    ASSERT_TRUE(root->SyncDirectory("").ok());
  }
  EXPECT_EQ((*kept)->ReadAt(0, 100).value(), "still here");
}

TEST(SimulatedEnv, TimesHaveTheResolutionAsked) {
  SimulatedEnv env({.time_resolution_ns = 1'000'000'000});
  auto root = Open(env);
  ASSERT_TRUE(Write(*root, "a", "one", true).ok());
  const FileStatus before = root->Stat("a").value();
  ASSERT_TRUE(env.ExternalWrite("/a", "two", Durability::kDurable).ok());
  EXPECT_EQ(root->Stat("a").value(), before) << "changed within one tick";
  env.AdvanceNs(1'000'000'000);
  ASSERT_TRUE(env.ExternalWrite("/a", "six", Durability::kDurable).ok());
  EXPECT_GT(root->Stat("a")->modified_ns, before.modified_ns);
}

TEST(SimulatedEnv, RebootFreesLocksAndForgetsWriters) {
  SimulatedEnv env;
  auto root = Open(env);
  auto lock = root->Lock("lock", LockWait::kDoNotWait);
  ASSERT_TRUE(lock.ok());
  auto writer = root->OpenWrite("lock");
  ASSERT_TRUE(writer.ok());
  env.SyncEverything();
  env.Reboot(1);
  auto again = Open(env);
  EXPECT_FALSE(again->HasWriter("lock").value());
  auto taken = again->Lock("lock", LockWait::kDoNotWait);
  EXPECT_TRUE(taken.ok());
  EXPECT_EQ((*writer)->WriteAt(0, "x").code(), ErrorCode::kIoError);
  lock.value().reset();
  EXPECT_EQ(again->Lock("lock", LockWait::kDoNotWait).status().code(), ErrorCode::kBusy);
}

TEST(SimulatedEnv, ClocksAreTheTests) {
  SimulatedEnv env({.start_ns = 5'000'000, .call_duration_ns = 7});
  const int64_t monotonic_ns = env.MonotonicNs();
  EXPECT_EQ(env.NowNs(), 5'000'000);
  auto root = Open(env);
  EXPECT_EQ(env.NowNs(), 5'000'007);
  env.SetNowNs(1'000);
  EXPECT_EQ(env.NowNs(), 1'000);
  EXPECT_EQ(env.MonotonicNs(), monotonic_ns + 7);
  env.AdvanceNs(100);
  EXPECT_EQ(env.NowNs(), 1'100);
  EXPECT_EQ(env.MonotonicNs(), monotonic_ns + 107);
  ASSERT_TRUE(Write(*root, "a", "x", true).ok());
  EXPECT_EQ(root->Stat("a")->modified_ns, 1'100 + 2 * 7);
}

TEST(SimulatedEnv, ReplacedFilesAreOthersAndWrittenOnesTheSame) {
  SimulatedEnv env;
  auto root = Open(env);
  ASSERT_TRUE(env.ExternalWrite("/a", "one", Durability::kDurable).ok());
  const uint64_t inode = root->Stat("a")->inode;
  ASSERT_TRUE(env.ExternalWrite("/a", "2", Durability::kDurable).ok());
  EXPECT_EQ(root->Stat("a")->inode, inode);
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"2"}));
  ASSERT_TRUE(env.ExternalReplace("/a", "three", Durability::kVolatile).ok());
  EXPECT_NE(root->Stat("a")->inode, inode);
  EXPECT_TRUE(AfterCrashes(env, "/a").contains("2"));
  ASSERT_TRUE(env.ExternalRemove("/a", Durability::kDurable).ok());
  EXPECT_EQ(AfterCrashes(env, "/a"), Outcomes({"<not_found>"}));
}

TEST(SimulatedEnv, TellsThatEventsWereLost) {
  SimulatedEnv env;
  auto watcher = env.Watch("/", nullptr);
  ASSERT_TRUE(watcher.ok());
  ASSERT_TRUE(env.ExternalWrite("/a", "one", Durability::kVolatile).ok());
  env.LoseWatchEvents();
  EXPECT_EQ((*watcher)->Wait(0).value(), std::vector<std::string>({""}));
  EXPECT_EQ((*watcher)->Wait(0).value(), std::vector<std::string>());
}

}  // namespace
}  // namespace staged
