#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "env/simulated_disk.h"
#include "env/simulated_env.h"

namespace staged {
namespace {

const std::string kAbsent = "<absent>";

// Random programs that save files as careful programs do (data synced before the name changes), and
// what each name may mean after a crash by the documented rules alone: one of the things it has
// meant since its directory was last synced.
class CarefulProgram {
 public:
  explicit CarefulProgram(uint64_t seed) : env_({.seed = seed}), random_(seed) {
    root_ = env_.OpenDirectory("/").value();
    for (const std::string& directory : kDirectories) {
      EXPECT_TRUE(root_->MakeDirectory(directory, 0755).ok());
    }
    env_.SyncEverything();
    for (const std::string& path : Paths()) meanings_[path] = {kAbsent};
  }

  void Step() {
    const std::string path = AnyPath();
    const std::string other = AnyPath();
    switch (random_.Below(6)) {
      case 0:
      case 1:
        Save(path);
        break;
      case 2:
        if (root_->RemoveFile(path).ok()) {
          removed_.insert(Now(path));
          Mean(path, kAbsent);
        }
        break;
      case 3:
        if (path != other && root_->Exchange(path, *root_, other).ok()) {
          const std::string first = Now(path);
          Mean(path, Now(other));
          Mean(other, first);
        }
        break;
      case 4:
        if (path != other && root_->Rename(path, *root_, other).ok()) {
          removed_.insert(Now(other));
          Mean(other, Now(path));
          Mean(path, kAbsent);
        }
        break;
      default:
        Sync(kDirectories[random_.Below(kDirectories.size())]);
        break;
    }
  }

  // Checks what a crash with this seed leaves.
  void CheckCrash(uint64_t seed) const {
    const auto machine = env_.Clone();
    machine->Reboot(seed);
    std::multiset<std::string> found;
    for (const auto& [path, meanings] : meanings_) {
      const auto bytes = machine->ExternalRead("/" + path);
      const std::string meaning = bytes.ok() ? *bytes : kAbsent;
      found.insert(meaning);
      EXPECT_NE(std::find(meanings.begin(), meanings.end(), meaning), meanings.end())
          << path << " is " << meaning << " after crash " << seed;
    }
    for (const std::string& content : durable_) {
      if (!removed_.contains(content)) {
        EXPECT_EQ(found.count(content), 1u) << content << " after crash " << seed;
      }
    }
  }

 private:
  static inline const std::vector<std::string> kDirectories = {"d", "e", "f"};
  static inline const std::vector<std::string> kNames = {"a", "b"};

  static std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (const std::string& directory : kDirectories) {
      for (const std::string& name : kNames) paths.push_back(directory + "/" + name);
    }
    return paths;
  }
  std::string AnyPath() { return Paths()[random_.Below(kDirectories.size() * kNames.size())]; }
  const std::string& Now(const std::string& path) { return meanings_[path].back(); }
  void Mean(const std::string& path, const std::string& meaning) {
    meanings_[path].push_back(meaning);
  }

  void Save(const std::string& path) {
    const std::string content = "content " + std::to_string(++saved_count_);
    const std::string temporary = path + ".temporary";
    auto file = root_->Create(temporary, 0644);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->WriteAt(0, content).ok());
    ASSERT_TRUE((*file)->Sync().ok());
    ASSERT_TRUE(root_->Rename(temporary, *root_, path).ok());
    removed_.insert(Now(path));
    Mean(path, content);
  }

  void Sync(const std::string& directory) {
    ASSERT_TRUE(root_->SyncDirectory(directory).ok());
    for (auto& [path, meanings] : meanings_) {
      if (!path.starts_with(directory + "/")) continue;
      meanings = {meanings.back()};
      if (meanings.back() != kAbsent) durable_.insert(meanings.back());
    }
  }

  SimulatedEnv env_;
  simulated::Random random_;
  std::unique_ptr<Directory> root_;
  std::map<std::string, std::vector<std::string>> meanings_;  // since the last sync, newest last
  std::set<std::string> durable_;  // contents that were synced under a name at some time
  std::set<std::string> removed_;  // contents that were removed or replaced at some time
  int saved_count_ = 0;
};

TEST(SimulatedCrash, ExplainsEveryOutcomeOfCarefulPrograms) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CarefulProgram program(seed);
    for (int step = 0; step < 40; ++step) {
      program.Step();
      for (uint64_t crash = 0; crash < 4; ++crash) program.CheckCrash(seed * 1000 + crash);
      if (testing::Test::HasFailure()) {
        FAIL() << "seed " << seed << ", step " << step;
      }
    }
  }
}

// Moves of directories in any order must not leave a cycle or a directory with two names.
TEST(SimulatedCrash, LeavesATree) {
  const std::vector<std::string> names = {"a", "b", "c", "a/b", "b/c", "c/a", "a/b/c", "b/c/a"};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SimulatedEnv env({.seed = seed});
    simulated::Random random(seed);
    auto root = env.OpenDirectory("/").value();
    for (const char* name : {"a", "b", "c"}) {
      ASSERT_TRUE(root->MakeDirectory(name, 0755).ok());
      ASSERT_TRUE(root->Create(std::string(name) + "/file_" + name, 0644).ok());
    }
    env.SyncEverything();
    for (int step = 0; step < 20; ++step) {
      const std::string& from = names[random.Below(names.size())];
      const std::string& to = names[random.Below(names.size())];
      (void)(random.Flip() ? root->RenameNew(from, *root, to) : root->Exchange(from, *root, to));
      if (random.Below(4) == 0) (void)root->SyncDirectory(random.Flip() ? "" : from);
    }
    env.Reboot(seed);
    std::multiset<std::string> files;
    std::vector<std::string> to_visit = {""};
    auto again = env.OpenDirectory("/").value();
    while (!to_visit.empty()) {
      const std::string directory = to_visit.back();
      to_visit.pop_back();
      const std::vector<DirectoryItem> items = again->List(directory).value();
      for (const DirectoryItem& item : items) {
        if (item.kind == FileKind::kDirectory) {
          to_visit.push_back(directory.empty() ? item.name : directory + "/" + item.name);
        } else {
          files.insert(item.name);
        }
      }
      ASSERT_LT(to_visit.size(), 100u) << "seed " << seed;
    }
    EXPECT_EQ(files, std::multiset<std::string>({"file_a", "file_b", "file_c"})) << "seed " << seed;
  }
}

TEST(SimulatedCrash, MovesOfDirectoriesSurviveInOrder) {
  SimulatedEnv env;
  auto root = env.OpenDirectory("/").value();
  ASSERT_TRUE(env.MakeDirectories("/a/b").ok());
  ASSERT_TRUE(env.MakeDirectories("/s").ok());
  ASSERT_TRUE(root->Create("a/file", 0644).ok());
  env.SyncEverything();
  ASSERT_TRUE(root->Rename("a/b", *root, "s/b").ok());
  // Alone, this would put "a" below itself.
  ASSERT_TRUE(root->Rename("a", *root, "s/b/a").ok());
  std::set<std::string> places;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto machine = env.Clone();
    machine->Reboot(seed);
    std::string place = "nowhere";
    for (const char* path : {"/a/file", "/s/b/a/file"}) {
      if (machine->ExternalRead(path).ok()) place = path;
    }
    places.insert(place);
  }
  EXPECT_EQ(places, std::set<std::string>({"/a/file", "/s/b/a/file"}));
}

TEST(SimulatedCrash, ARenameOverADirectoryIsWholeThoughTheReplacedOneHadChanges) {
  SimulatedEnv env;
  auto root = env.OpenDirectory("/").value();
  ASSERT_TRUE(root->MakeDirectory("new", 0755).ok());
  ASSERT_TRUE(root->MakeDirectory("old", 0755).ok());
  ASSERT_TRUE(root->Create("new/file", 0644).ok());
  env.SyncEverything();
  ASSERT_TRUE(root->Create("old/x", 0644).ok());
  ASSERT_TRUE(root->RemoveFile("old/x").ok());
  ASSERT_TRUE(root->Rename("new", *root, "old").ok());
  std::set<std::string> places;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto machine = env.Clone();
    machine->Reboot(seed);
    std::string place = "nowhere";
    for (const char* path : {"/new/file", "/old/file"}) {
      if (machine->ExternalRead(path).ok()) place = path;
    }
    places.insert(place);
  }
  EXPECT_EQ(places, std::set<std::string>({"/new/file", "/old/file"}));
}

// Thousands of crash points must be affordable: a clone must not copy bytes.
TEST(SimulatedCrash, ClonesAreCheap) {
  SimulatedEnv env;
  auto root = env.OpenDirectory("/").value();
  for (int file = 0; file < 1000; ++file) {
    auto created = root->Create(std::to_string(file), 0644);
    ASSERT_TRUE((*created)->WriteAt(0, std::string(64 << 10, 'x')).ok());
    ASSERT_TRUE((*created)->Sync().ok());
  }
  ASSERT_TRUE(root->SyncDirectory("").ok());
  const auto start = std::chrono::steady_clock::now();
  constexpr int kClones = 1000;
  for (int clone = 0; clone < kClones; ++clone) {
    const auto machine = env.Clone();
    ASSERT_TRUE(machine->ExternalWrite("/7", "y", Durability::kVolatile).ok());
    machine->Reboot(static_cast<uint64_t>(clone));
  }
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  RecordProperty("microseconds_per_clone", std::to_string(elapsed.count() / kClones));
  // Copying the 64 MB alone would take several times as long, even on a busy machine.
  EXPECT_LT(elapsed.count() / kClones, 10'000);
}

}  // namespace
}  // namespace staged
