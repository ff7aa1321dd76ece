// Laws of the diff over every pair of versions of real files.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>

#include "formats/builtin_formats.h"
#include "staged/diff.h"
#include "tests/property/corpus_pairs.h"

namespace staged {
namespace {

class DiffLaws : public ::testing::Test {
 protected:
  void SetUp() override {
    pairs_ = testing::ReadCorpusPairs();
    if (pairs_.empty()) GTEST_SKIP() << "0 of all pairs checked: the corpus is absent";
  }

  Profile ProfileOf(const View& view) const {
    const Format* format = registry_.Find(view.format);
    return format == nullptr ? Profile() : format->descriptor().profile;
  }

  void Check(const View& from, const View& to) const {
    const Diff diff = ComputeDiff(from, to, ProfileOf(to));
    const std::vector<Record> before = from.Records(), after = to.Records();
    const Result<std::vector<Record>> forward = ApplyDiff(diff, before);
    ASSERT_TRUE(forward.ok()) << forward.status().message();
    EXPECT_TRUE(*forward == after);
    const Result<std::vector<Record>> backward = ApplyDiff(InvertDiff(diff), after);
    ASSERT_TRUE(backward.ok()) << backward.status().message();
    EXPECT_TRUE(*backward == before);
    EXPECT_EQ(diff.changes.empty(), from.hash == to.hash);
    EXPECT_EQ(DiffHash(diff), DiffHash(ComputeDiff(from, to, ProfileOf(to))));
    for (const Change& change : diff.changes) {
      EXPECT_EQ(change.before.has_value(), change.op != ChangeOp::kInsert);
      EXPECT_EQ(change.after.has_value(), change.op != ChangeOp::kDelete);
      if (change.op == ChangeOp::kModify) {
        EXPECT_FALSE(change.facets.empty());
      }
    }
    CheckPartsAreAccountedFor(from, to, diff);
  }

  // Every part that only one side has, or that differs, is accounted for. What no parser reads has
  // a change of its own with its digest; what records were made of has at least one change
  // somewhere.
  static void CheckPartsAreAccountedFor(const View& from, const View& to, const Diff& diff) {
    for (const Part& part : to.parts) {
      const Part* other = FindPart(from, part.name);
      if (other == nullptr || other->digest != part.digest)
        CheckIsShown(part, diff, &Change::after);
    }
    for (const Part& part : from.parts) {
      const Part* other = FindPart(to, part.name);
      if (other == nullptr || other->digest != part.digest)
        CheckIsShown(part, diff, &Change::before);
    }
  }

  static const Part* FindPart(const View& view, const std::string& name) {
    const auto found = std::find_if(view.parts.begin(), view.parts.end(),
                                    [&](const Part& part) { return part.name == name; });
    return found == view.parts.end() ? nullptr : &*found;
  }

  static void CheckIsShown(const Part& part, const Diff& diff,
                           std::optional<Record> Change::* side) {
    EXPECT_FALSE(diff.changes.empty()) << part.name;
    if (!part.kinds.empty()) return;
    const bool shown =
        std::any_of(diff.changes.begin(), diff.changes.end(), [&](const Change& change) {
          const std::optional<Record>& record = change.*side;
          return change.kind == "part" && record &&
                 record->attrs.FindString("digest") == part.digest.ToString();
        });
    EXPECT_TRUE(shown) << part.name;
  }

  FormatRegistry registry_ = NewBuiltinRegistry();
  std::vector<testing::CorpusPair> pairs_;
};

TEST_F(DiffLaws, HoldOverTheCorpus) {
  size_t checked = 0;
  double slowest = 0;
  for (const testing::CorpusPair& pair : pairs_) {
    std::vector<View> views;
    for (const std::string& file : pair.files) {
      const std::string bytes = testing::ReadBytes(pair.directory + "/" + file);
      Result<View> view = ParseView(registry_, bytes, file, Limits());
      ASSERT_TRUE(view.ok()) << pair.directory << ": " << view.status().message();
      views.push_back(*std::move(view));
    }
    SCOPED_TRACE(pair.directory);
    const std::clock_t start = std::clock();
    for (size_t i = 1; i < views.size(); ++i) Check(views[0], views[i]);
    for (const View& view : views) EXPECT_TRUE(ComputeDiff(view, view, Profile()).identical);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (seconds > slowest) {
      slowest = seconds;
      std::printf("slowest so far: %.2f s %s\n", slowest, pair.directory.c_str());
    }
    checked += views.size() - 1;
  }
  std::printf("%zu pairs of versions checked\n", checked);
}

}  // namespace
}  // namespace staged
