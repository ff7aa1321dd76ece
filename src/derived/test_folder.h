#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "env/posix_env.h"
#include "staged/ext/env.h"

namespace staged::testing {

// A fresh folder that stands for ".staged", removed at the end.
class TestFolder {
 public:
  TestFolder() : env_(NewPosixEnv()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "derivedXXXXXX").string();
    path_ = mkdtemp(pattern.data());
    directory_ = std::move(env_->OpenDirectory(path_)).value();
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] Directory& directory() { return *directory_; }
  [[nodiscard]] Env& env() { return *env_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  void DeleteDerived() const { std::filesystem::remove_all(path_ + "/derived"); }

 private:
  std::unique_ptr<Env> env_;
  std::string path_;
  std::unique_ptr<Directory> directory_;
};

}  // namespace staged::testing
