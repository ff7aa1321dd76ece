#include "tests/conformance/env_conformance.h"

#include <cstdlib>
#include <filesystem>

#include "env/posix_env.h"
#include "env/simulated_env.h"

namespace staged {
namespace {

class PosixUnderTest : public EnvUnderTest {
 public:
  explicit PosixUnderTest(const PosixEnvOptions& options) : env_(NewPosixEnv(options)) {
    std::string pattern = testing::TempDir() + "env_conformance_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~PosixUnderTest() override { std::filesystem::remove_all(path_); }
  Env& env() override { return *env_; }
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  std::unique_ptr<Env> env_;
  std::string path_;
};

class SimulatedUnderTest : public EnvUnderTest {
 public:
  SimulatedUnderTest() { EXPECT_TRUE(env_.MakeDirectories(path_).ok()); }
  Env& env() override { return env_; }
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  SimulatedEnv env_;
  std::string path_ = "/home/person";
};

EnvCase Posix(const char* name, const PosixEnvOptions& options) {
  return {name, [options] { return std::make_unique<PosixUnderTest>(options); },
          options.use_renameat2};
}

INSTANTIATE_TEST_SUITE_P(
    Env, EnvConformance,
    testing::Values(Posix("Posix", {}),
                    Posix("PlainPosix", {.use_openat2 = false,
                                         .use_renameat2 = false,
                                         .use_reflink = false,
                                         .use_inotify = false}),
                    EnvCase{"Simulated", [] { return std::make_unique<SimulatedUnderTest>(); }}),
    [](const testing::TestParamInfo<EnvCase>& instance) { return instance.param.name; });

}  // namespace
}  // namespace staged
