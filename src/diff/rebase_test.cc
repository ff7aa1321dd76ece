#include "diff/rebase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "diff/test_views.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Rebase(const View& from, const View& to, const std::string& locator) {
  const Diff diff = ComputeDiff(from, to, TestProfile());
  const Result<RebasedLocator> answer = RebaseLocator(from, to, diff, locator);
  if (!answer.ok()) return std::string(ErrorCodeName(answer.status().code()));
  std::string text(RebaseOutcomeName(answer->outcome));
  text += " " + answer->locator;
  for (const std::string& candidate : answer->candidates) text += "?" + candidate;
  return text;
}

TEST(Rebase, OutcomesOfLines) {
  const View from =
      MakeLines({"alpha beta", "gamma delta epsilon zeta eta", "theta iota", "kappa"});
  const View to = MakeLines({"new first", "alpha beta", "gamma delta epsilon zeta ETA", "kappa"});
  EXPECT_EQ(Rebase(from, from, "line:1"), "exact line:1");
  EXPECT_EQ(Rebase(from, to, "line:1"), "moved line:2");
  EXPECT_EQ(Rebase(from, to, "line:2"), "changed line:3");
  EXPECT_EQ(Rebase(from, to, "line:3"), "deleted ");
  EXPECT_EQ(Rebase(from, to, "line:4"), "exact line:4");
  EXPECT_EQ(Rebase(from, to, "line:9"), "no_match");
}

TEST(Rebase, TwinsAreAmbiguousWhereNeighboursDoNotTellThemApart) {
  const View two = MakeLines({"a", "same", "same", "b"});
  EXPECT_EQ(Rebase(two, MakeLines({"a", "same", "same", "same", "b"}), "line:2"),
            "ambiguous ?line:2?line:3?line:4");
  EXPECT_EQ(Rebase(two, MakeLines({"a", "same", "b"}), "line:3"), "ambiguous ?line:2");
  EXPECT_EQ(Rebase(two, MakeLines({"0", "a", "same", "same", "b"}), "line:3"), "moved line:4");
  EXPECT_EQ(Rebase(MakeLines({"a", "x", "b"}), MakeLines({"a", "x", "b", "c", "x"}), "line:2"),
            "exact line:2");
}

TEST(Rebase, RefusesAnotherDiff) {
  const View one = MakeLines({"a"}), two = MakeLines({"b"});
  const Diff diff = ComputeDiff(one, two, TestProfile());
  EXPECT_EQ(RebaseLocator(two, one, diff, "line:1").status().code(), ErrorCode::kInvalidArgument);
}

// Planted truth: distinct lines with numbers; where each went is known.
TEST(Rebase, AgreesWithAPlantedTruth) {
  const uint32_t seed = 31337;
  for (uint32_t round = 0; round < 200; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    std::mt19937 random(seed + round);
    std::vector<std::string> before, after;
    std::map<size_t, std::string> truth;
    for (size_t i = 0; i < 40; ++i) {
      const std::string tag = std::to_string(random());
      before.push_back("entry " + tag + " of the list " + tag + " with more words");
      while (random() % 8 == 0) after.push_back("inserted " + std::to_string(random()));
      const uint32_t choice = random() % 10;
      if (choice == 0) {
        truth[i] = "deleted ";
        continue;
      }
      after.push_back(choice == 1 ? before[i] + " edited" : before[i]);
      const std::string locator = "line:" + std::to_string(after.size());
      truth[i] = (choice == 1 ? "changed " : after.size() == i + 1 ? "exact " : "moved ") + locator;
    }
    const View from = MakeLines(before), to = MakeLines(after);
    for (const auto& [i, expected] : truth) {
      EXPECT_EQ(Rebase(from, to, "line:" + std::to_string(i + 1)), expected);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace staged
