#include "derived/edited_content.h"

#include <gtest/gtest.h>

#include "env/simulated_env.h"

namespace staged {
namespace {

class EditedContentTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_.MakeDirectories("/simulated").ok());
    folder_ = *env_.OpenDirectory("/simulated");
    ASSERT_TRUE(folder_->MakeDirectory("derived", 0700).ok());
  }

  SimulatedEnv env_{SimulatedEnvOptions{.seed = 1}};
  std::unique_ptr<Directory> folder_;
  const std::string bytes_ = "what an edit made";
  const ContentHash hash_ = ContentHash::Of(bytes_);
};

TEST_F(EditedContentTest, AnotherProcessFindsWhatWasSaved) {
  EditedContent(*folder_).Save(hash_, bytes_);
  EditedContent other(*folder_);
  ASSERT_NE(other.Find(hash_), nullptr);
  EXPECT_EQ(*other.Find(hash_), bytes_);
  EXPECT_EQ(other.Find(ContentHash::Of("another")), nullptr);
  EXPECT_TRUE(other.Remove().ok());
  EXPECT_EQ(other.Find(hash_), nullptr);
  EXPECT_TRUE(folder_->List("derived")->empty());
}

// A mixture of two writers, or what a power loss left.
TEST_F(EditedContentTest, WhatHasNotTheHashIsNotGivenOut) {
  EditedContent content(*folder_);
  content.Save(hash_, bytes_);
  ASSERT_TRUE((*folder_->OpenWrite("derived/edited"))->WriteAt(40, "X").ok());
  EXPECT_EQ(content.Find(hash_), nullptr);
  content.Remember(hash_, bytes_);
  EXPECT_EQ(*content.Find(hash_), bytes_);
}

TEST_F(EditedContentTest, RemovesWhatAKilledProcessLeft) {
  ASSERT_TRUE(folder_->Create("derived/edited.new", 0600).ok());
  EXPECT_TRUE(EditedContent(*folder_).Remove().ok());
  EXPECT_TRUE(folder_->List("derived")->empty());
}

}  // namespace
}  // namespace staged
