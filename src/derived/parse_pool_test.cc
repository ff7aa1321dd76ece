#include "derived/parse_pool.h"

#include <gtest/gtest.h>

#include <atomic>

#include "derived/test_folder.h"
#include "derived/test_formats.h"

namespace staged {
namespace {

using ::staged::testing::MakeRegistry;
using ::staged::testing::TestFolder;

class ParsePoolTest : public ::testing::Test {
 protected:
  static constexpr int kWaitMs = 60'000;

  static std::string Text(int number) { return "word number" + std::to_string(number) + "\n"; }
  void Add(ParsePool& pool, int number) {
    pool.Add(ContentHash::Of(Text(number)), "a.parts", [this, number]() -> Result<std::string> {
      ++reads_;
      return Text(number);
    });
  }
  [[nodiscard]] size_t CountIndexed(int count) {
    std::vector<ViewKey> keys;
    for (int i = 0; i < count; ++i) keys.push_back({ContentHash::Of(Text(i)), "parts"});
    const std::vector<bool> answers = index_.HasIndexed(keys);
    return static_cast<size_t>(std::count(answers.begin(), answers.end(), true));
  }

  TestFolder folder_;
  std::unique_ptr<FormatRegistry> registry_ = MakeRegistry();
  DerivedDatabase database_{folder_.directory()};
  ViewCache cache_{database_, *registry_, ViewCacheOptions()};
  SearchIndex index_{cache_};
  std::atomic<int> reads_{0};
};

TEST_F(ParsePoolTest, ParsesStoresAndIndexesAll) {
  constexpr int kCount = 500;
  std::vector<ParseProgress> reports;
  ParsePoolOptions options;
  options.parser_threads = 2;
  options.on_progress = [&](const ParseProgress& progress) { reports.push_back(progress); };
  {
    ParsePool pool(cache_, index_, options);
    for (int i = 0; i < kCount; ++i) Add(pool, i);
    for (int i = 0; i < kCount; ++i) Add(pool, i);
    ASSERT_TRUE(pool.WaitAll(kWaitMs));
    EXPECT_EQ(pool.progress().failed, 0u);
  }
  EXPECT_EQ(CountIndexed(kCount), static_cast<size_t>(kCount));
  EXPECT_GE(reads_, kCount);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().done, reports.back().total);
  for (size_t i = 1; i < reports.size(); ++i) EXPECT_GE(reports[i].done, reports[i - 1].done);
  const int reads_before = reads_;
  ParsePool again(cache_, index_, {});
  for (int i = 0; i < kCount; ++i) Add(again, i);
  ASSERT_TRUE(again.WaitAll(kWaitMs));
  EXPECT_EQ(reads_, reads_before);
}

TEST_F(ParsePoolTest, WaitAnswersWhenThatOneIsIndexed) {
  constexpr int kCount = 300;
  ParsePool pool(cache_, index_, {});
  for (int i = 0; i < kCount; ++i) Add(pool, i);
  ASSERT_TRUE(pool.Wait(ContentHash::Of(Text(kCount - 1)), "a.parts", kWaitMs));
  EXPECT_EQ(index_.HasIndexed({{ContentHash::Of(Text(kCount - 1)), "parts"}}),
            std::vector<bool>{true});
  EXPECT_TRUE(pool.Wait(ContentHash::Of("never added"), "a.parts", 0));
}

TEST_F(ParsePoolTest, AContentThatCannotBeReadIsDoneAndCounted) {
  ParsePool pool(cache_, index_, {});
  pool.Add(ContentHash::Of("x"), "a.parts",
           []() -> Result<std::string> { return Status(ErrorCode::kDataLoss, "damaged"); });
  Add(pool, 1);
  ASSERT_TRUE(pool.WaitAll(kWaitMs));
  EXPECT_EQ(pool.progress().done, 2u);
  EXPECT_EQ(pool.progress().failed, 1u);
  EXPECT_EQ(database_.rebuild_count(), 0u);
}

TEST_F(ParsePoolTest, AWriterThatIsInTheWayOnlyDelays) {
  ParsePool pool(cache_, index_, {});
  DerivedDatabase other(folder_.directory());
  ASSERT_TRUE(other
                  .Write(LockWait::kWait,
                         [&](Connection&) -> Status {
                           for (int i = 0; i < 20; ++i) Add(pool, i);
                           EXPECT_FALSE(pool.WaitAll(100));
                           return OkStatus();
                         })
                  .ok());
  ASSERT_TRUE(pool.WaitAll(kWaitMs));
  EXPECT_EQ(CountIndexed(20), 20u);
}

TEST_F(ParsePoolTest, DeletionOfDerivedWhileIndexing) {
  ParsePool pool(cache_, index_, {});
  for (int i = 0; i < 400; ++i) {
    Add(pool, i);
    if (i % 100 == 50) folder_.DeleteDerived();
  }
  ASSERT_TRUE(pool.WaitAll(kWaitMs));
  for (int i = 0; i < 400; ++i) Add(pool, i);
  ASSERT_TRUE(pool.WaitAll(kWaitMs));
  EXPECT_EQ(CountIndexed(400), 400u);
}

TEST_F(ParsePoolTest, EndsWithWorkLeft) {
  ParsePool pool(cache_, index_, {});
  for (int i = 0; i < 2000; ++i) Add(pool, i);
}

}  // namespace
}  // namespace staged
