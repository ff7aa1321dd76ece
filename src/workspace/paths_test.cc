#include "workspace/paths.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

TEST(BranchNameTest, WhatABranchMayBeCalled) {
  for (const std::string& name : {std::string("main"), std::string("chat-Zoë 2"),
                                  std::string("a/b"), std::string(255, 'x')}) {
    EXPECT_TRUE(CheckBranchName(name).ok()) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string("\x1b[1m"), std::string("a\tb"),
        std::string("a\0b", 3), std::string("\xff"), std::string(256, 'x')}) {
    EXPECT_EQ(CheckBranchName(name).code(), ErrorCode::kInvalidArgument) << name;
  }
}

}  // namespace
}  // namespace staged
