#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/simulated_env.h"
#include "store/local_object_store.h"

// For tests of the store only: an objects folder on a simulated disk.
namespace staged {

class TestFolder {
 public:
  static constexpr const char* kPath = "/objects";

  explicit TestFolder(uint64_t seed = 0) : TestFolder(MakeEnv(seed)) {}
  // On a machine that has the folder already.
  explicit TestFolder(std::unique_ptr<SimulatedEnv> env) : env_(std::move(env)) {}

  Result<std::unique_ptr<ObjectStore>> TryOpen() {
    STAGED_ASSIGN_OR_RETURN(std::unique_ptr<Directory> objects, env_->OpenDirectory(kPath));
    return OpenObjectStore(*env_, std::move(objects));
  }

  std::unique_ptr<ObjectStore> Open() {
    Result<std::unique_ptr<ObjectStore>> store = TryOpen();
    EXPECT_TRUE(store.ok()) << store.status().message();
    return std::move(store).value();
  }

  // Relative paths of all files, sorted.
  std::vector<std::string> Files() {
    std::vector<std::string> files;
    const std::unique_ptr<Directory> objects = std::move(env_->OpenDirectory(kPath)).value();
    AddFiles(*objects, "", files);
    std::sort(files.begin(), files.end());
    return files;
  }

  std::string Read(const std::string& file) {
    Result<std::string> bytes = env_->ExternalRead(std::string(kPath) + "/" + file);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return std::move(bytes).value();
  }

  void Write(const std::string& file, std::string_view bytes) {
    const Status status =
        env_->ExternalReplace(std::string(kPath) + "/" + file, bytes, Durability::kDurable);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  [[nodiscard]] SimulatedEnv& env() { return *env_; }

 private:
  static std::unique_ptr<SimulatedEnv> MakeEnv(uint64_t seed) {
    auto env = std::make_unique<SimulatedEnv>(SimulatedEnvOptions{.seed = seed});
    EXPECT_TRUE(env->MakeDirectories(kPath).ok());
    return env;
  }

  static void AddFiles(Directory& objects, const std::string& folder,
                       std::vector<std::string>& files) {
    const Result<std::vector<DirectoryItem>> items = objects.List(folder);
    ASSERT_TRUE(items.ok()) << items.status().message();
    for (const DirectoryItem& item : *items) {
      const std::string path = folder.empty() ? item.name : folder + "/" + item.name;
      if (item.kind == FileKind::kDirectory) {
        AddFiles(objects, path, files);
      } else {
        files.push_back(path);
      }
    }
  }

  std::unique_ptr<SimulatedEnv> env_;
};

}  // namespace staged
