#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simulation/workspace_histories.h"

// A simulated machine with the first files of every history, for named cases of recovery.
namespace staged {

inline std::string Absolute(const std::string& path) {
  return std::string(kSimulatedRoot) + "/" + path;
}

class WorkspaceRecoveryTest : public testing::Test {
 protected:
  void SetUp() override { MakeFirstFiles(machine_); }

  // Writes, reviews; what is left is to submit.
  static void Stage(WorkspaceSite& site, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const auto there = site->Read(AgentContext(), path, {});
      ASSERT_TRUE(site->Write(AgentContext(), path,
                              there.ok() ? BaseHash(there->entry.hash) : BaseHash(),
                              "by an agent: " + path + "\n")
                      .ok());
    }
    ASSERT_TRUE(site->Review(AgentContext(), {}).ok());
  }
  void ExpectSound(WorkspaceSite& site, const std::vector<PersonsSave>& saves) {
    ASSERT_TRUE(site.Open().ok());
    ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
    EXPECT_EQ(FindBrokenRule(site, {{}, saves}), "");
    EXPECT_EQ(FindWhyNothingWorks(site), "");
  }

  SimulatedEnv machine_{SimulatedEnvOptions{.seed = 7}};
};

}  // namespace staged
