#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "store/test_folder.h"

// Every call that the store makes to the system fails once, in every way that the simulated machine
// knows. What was acknowledged is there afterwards, and nothing is ever there with wrong bytes.
namespace staged {
namespace {

std::string Lines(int seed, size_t size_bytes) {
  std::string text;
  for (int i = 0; text.size() < size_bytes; ++i) {
    text += "row " + std::to_string((i * 7919 + seed) % 1000) + "\n";
  }
  text.resize(size_bytes);
  return text;
}

// What must, and what may be in the store.
struct Model {
  std::map<ContentHash, std::string> known;  // everything ever handed in
  std::set<ContentHash> acknowledged;

  void Put(ObjectStore& store, const std::string& bytes, const PutOptions& options = {}) {
    const ContentHash hash = ContentHash::Of(bytes);
    known[hash] = bytes;
    if (store.Put(bytes, options).ok()) acknowledged.insert(hash);
  }

  void PutBatchOf(ObjectStore& store, const std::vector<std::string>& contents) {
    Result<std::unique_ptr<PutBatch>> batch = store.NewBatch();
    if (!batch.ok()) return;
    std::set<ContentHash> added;
    for (const std::string& content : contents) {
      known[ContentHash::Of(content)] = content;
      const Result<ContentHash> hash = (*batch)->Add(content);
      if (hash.ok()) added.insert(*hash);
    }
    if ((*batch)->Commit().ok()) acknowledged.insert(added.begin(), added.end());
  }

  // Those that are not kept may be gone from now on, whether the call succeeds or not.
  void Collect(ObjectStore& store, const std::set<ContentHash>& dropped) {
    for (const ContentHash& hash : dropped) acknowledged.erase(hash);
    const std::unordered_set<ContentHash> live(acknowledged.begin(), acknowledged.end());
    const Result<StoreReport> report = store.Collect(live, {});
    if (report.ok()) {
      EXPECT_TRUE(report->damage.empty()) << report->damage.front().reason;
    }
  }

  void Forget(ObjectStore& store, const ContentHash& hash) {
    acknowledged.erase(hash);
    (void)store.Forget(hash);
  }
};

// Uses everything that the store can do.
void RunScript(TestFolder& folder, Model& model) {
  Result<std::unique_ptr<ObjectStore>> opened = folder.TryOpen();
  if (!opened.ok()) return;
  ObjectStore& store = **opened;
  const std::string base = Lines(1, 150'000);
  std::string version = base;
  version.replace(90'000, 4, "edit");
  const ContentHash base_hash = ContentHash::Of(base);
  model.Put(store, base);
  model.Put(store, version, {.similar_to = &base_hash});
  model.Put(store, "small");
  model.PutBatchOf(store, {"one", "two", Lines(2, 20'000), "small"});
  model.PutBatchOf(store, {"alone"});
  model.Collect(store, {base_hash, ContentHash::Of("two")});
  model.Put(store, "two");
  model.Put(store, base, {.similar_to = &base_hash});
  model.Put(store, base);
  model.Forget(store, base_hash);
  model.PutBatchOf(store, {"three", "four"});
  model.Collect(store, {ContentHash::Of("small")});
}

void Check(TestFolder& folder, const Model& model, const std::string& what) {
  SCOPED_TRACE(what);
  Result<std::unique_ptr<ObjectStore>> store = folder.TryOpen();
  ASSERT_TRUE(store.ok()) << store.status().message();
  for (const ContentHash& hash : model.acknowledged) {
    const Result<std::string> got = (*store)->Get(hash);
    ASSERT_TRUE(got.ok()) << "acknowledged and lost: " << got.status().message();
    ASSERT_TRUE(*got == model.known.at(hash));
  }
  const Result<std::vector<ContentHash>> listed = (*store)->List();
  ASSERT_TRUE(listed.ok()) << listed.status().message();
  for (const ContentHash& hash : *listed) {
    const Result<std::string> got = (*store)->Get(hash);
    ASSERT_TRUE(got.ok()) << "listed but not readable: " << got.status().message();
    ASSERT_TRUE(*got == model.known.at(hash));
  }
  const Result<StoreReport> report = (*store)->Verify({});
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_TRUE(report->damage.empty()) << report->damage.front().reason;
}

uint64_t CallsOfScript(const SimulatedEnv& machine) {
  TestFolder folder(machine.Clone());
  const uint64_t before = folder.env().call_count();
  Model model;
  RunScript(folder, model);
  EXPECT_EQ(model.acknowledged.size(), 7U);
  const uint64_t calls = folder.env().call_count() - before;
  Check(folder, model, "without faults");
  return calls;
}

// A machine whose store exists and is empty.
std::unique_ptr<SimulatedEnv> PreparedMachine() {
  TestFolder folder(1);
  folder.Open();
  folder.env().SyncEverything();
  return folder.env().Clone();
}

class CrashTest : public testing::TestWithParam<Fault> {};

TEST_P(CrashTest, AtEveryCall) {
  const std::unique_ptr<SimulatedEnv> machine = PreparedMachine();
  const uint64_t calls = CallsOfScript(*machine);
  ASSERT_GT(calls, 100U);
  for (uint64_t call = 1; call <= calls; ++call) {
    TestFolder folder(machine->Clone());
    folder.env().PlanFault(folder.env().call_count() + call, GetParam());
    Model model;
    RunScript(folder, model);
    folder.env().ClearFaults();
    const std::string what = "fault at call " + std::to_string(call);
    if (GetParam() == Fault::kKill) folder.env().Restart();
    if (GetParam() != Fault::kCrash) Check(folder, model, what);
    folder.env().Reboot(call);
    Check(folder, model, what + ", rebooted");
    // Life goes on: the same once more on what is left.
    if (call % 8 == 0) {
      RunScript(folder, model);
      Check(folder, model, what + ", continued");
    }
    if (HasFatalFailure()) return;
  }
}

std::string FaultName(const testing::TestParamInfo<Fault>& info) {
  switch (info.param) {
    case Fault::kCrash:
      return "crash";
    case Fault::kKill:
      return "kill";
    case Fault::kIoError:
      return "io_error";
    case Fault::kNoSpace:
      return "no_space";
    case Fault::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

INSTANTIATE_TEST_SUITE_P(Faults, CrashTest,
                         testing::Values(Fault::kCrash, Fault::kKill, Fault::kIoError,
                                         Fault::kNoSpace, Fault::kInterrupted),
                         FaultName);

TEST(LayoutCrashTest, WhileTheLayoutIsMade) {
  TestFolder first(2);
  first.env().SyncEverything();
  const std::unique_ptr<SimulatedEnv> machine = first.env().Clone();
  const uint64_t before = first.env().call_count();
  first.Open();
  const uint64_t calls = first.env().call_count() - before;
  for (uint64_t call = 1; call <= calls; call += call < 10 || call + 10 > calls ? 1 : 7) {
    TestFolder folder(machine->Clone());
    folder.env().PlanFault(folder.env().call_count() + call, Fault::kCrash);
    EXPECT_FALSE(folder.TryOpen().ok());
    folder.env().Reboot(call);
    Model model;
    const std::unique_ptr<ObjectStore> store = folder.Open();
    model.Put(*store, "content");
    model.PutBatchOf(*store, {"one", "two"});
    EXPECT_EQ(model.acknowledged.size(), 3U);
    folder.env().Reboot(call + 1);
    Check(folder, model, "crash at call " + std::to_string(call));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace staged
