#include "workspace/policy.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

TEST(Policy, LaterRulesWinMemberByMember) {
  const auto policy = Policy::Parse(
      "[[rule]]\npaths = [\"**\"]\nreview = \"none\"\nmerge = \"reject\"\n"
      "[[rule]]\npaths = [\"reports/*\", \"*.docx\"]\nreview = \"human\"\n"
      "[[rule]]\npaths = [\"reports/draft.txt\"]\nparse = \"required\"\nvalidate = \"required\"\n");
  ASSERT_TRUE(policy.ok()) << policy.status().message();
  EXPECT_EQ(policy->For("a.txt").review, ReviewPolicy::kNone);
  EXPECT_EQ(policy->For("a.txt").merge, MergePolicy::kReject);
  EXPECT_EQ(policy->For("a.docx").review, ReviewPolicy::kHuman);
  EXPECT_EQ(policy->For("deep/a.docx").review, ReviewPolicy::kNone) << "'*' stays in one folder";
  const PathPolicy draft = policy->For("reports/draft.txt");
  EXPECT_EQ(draft.review, ReviewPolicy::kHuman);
  EXPECT_EQ(draft.parse, ParsePolicy::kRequired);
  EXPECT_EQ(draft.validate, ValidatePolicy::kRequired);
  EXPECT_EQ(draft.merge, MergePolicy::kReject);
}

TEST(Policy, NothingSaidIsTheDefault) {
  const auto policy = Policy::Parse("");
  ASSERT_TRUE(policy.ok());
  const PathPolicy defaults = policy->For("a");
  EXPECT_EQ(defaults.review, ReviewPolicy::kAny);
  EXPECT_EQ(defaults.validate, ValidatePolicy::kOff);
  EXPECT_EQ(defaults.parse, ParsePolicy::kRecorded);
  EXPECT_EQ(defaults.merge, MergePolicy::kAuto);
}

TEST(Policy, AnyWayThatTomlHasToWriteIt) {
  const auto policy = Policy::Parse(
      "\xEF\xBB\xBFrule = [{ paths = ['\u0145*', \"\"\"\\\n  b\"\"\"], \"review\" = 'human' }] # "
      "\u3042\r\n");
  ASSERT_TRUE(policy.ok()) << policy.status().message();
  EXPECT_EQ(policy->For("\u0145x").review, ReviewPolicy::kHuman);
  EXPECT_EQ(policy->For("b").review, ReviewPolicy::kHuman);
  EXPECT_EQ(policy->For("c").review, ReviewPolicy::kAny);
}

TEST(Policy, WhatIsNotUnderstoodNamesItsLine) {
  const auto bare = Policy::Parse("# one\n[[rule]]\npaths = *\n");
  ASSERT_FALSE(bare.ok());
  EXPECT_NE(bare.status().message().find("line 3: "), std::string::npos) << bare.status().message();
}

TEST(Policy, WhatIsNotUnderstoodIsRefusedInOneLine) {
  for (const char* text :
       {"[[rule]", "rule = 1\n", "[rule]\npaths = [\"*\"]\n", "[[rule]]\nreview = \"any\"\n",
        "[[rule]]\npaths = []\n", "[[rule]]\npaths = [1]\n", "[[rule]]\npaths = \"*\"\n",
        "[[rule]]\npaths = [\"*\"]\nreview = \"never\"\n",
        "[[rule]]\npaths = [\"*\"]\nreview = 1\n", "[[rule]]\npaths = [\"*\"]\nreviews = \"any\"\n",
        "[[rules]]\npaths = [\"*\"]\n", "rule = [1]\n", "\u0145 = 1\n", "# \xff\n",
        "[[\x1erule]]\n", "[[rule]]\npaths = [\"*\"]\npaths = [\"*\"]\n", "\"a\\nb\" = 1\n"}) {
    const auto policy = Policy::Parse(text);
    ASSERT_FALSE(policy.ok()) << text;
    EXPECT_EQ(policy.status().code(), ErrorCode::kInvalidArgument) << text;
    EXPECT_EQ(policy.status().message().find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace staged
