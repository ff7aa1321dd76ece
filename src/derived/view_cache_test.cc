#include "derived/view_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "base/test_seed.h"
#include "derived/test_folder.h"
#include "derived/test_formats.h"

namespace staged {
namespace {

using ::staged::testing::MakeRegistry;
using ::staged::testing::TestFolder;

BytesProvider Bytes(const std::string& text) {
  return [text]() -> Result<std::string> { return text; };
}

Result<std::string> Unavailable() { return Status(ErrorCode::kNotFound, "no bytes"); }

class ViewCacheTest : public ::testing::Test {
 protected:
  void Reopen(ViewCacheOptions options = {}) {
    cache_.reset();
    database_ = std::make_unique<DerivedDatabase>(folder_.directory());
    cache_ = std::make_unique<ViewCache>(*database_, *registry_, options);
  }
  void SetUp() override { Reopen(); }
  std::shared_ptr<const View> Get(const std::string& text, const std::string& path = "a.parts") {
    Result<std::shared_ptr<const View>> view =
        cache_->Get(ContentHash::Of(text), path, Bytes(text));
    EXPECT_TRUE(view.ok()) << view.status().message();
    return view.ok() ? *view : nullptr;
  }
  void Damage() {
    const std::string file = folder_.path() + "/derived/derived.db";
    cache_ = nullptr;
    database_ = nullptr;
    std::filesystem::remove(file + "-wal");  // it could repair what follows
    std::ofstream(file, std::ios::binary | std::ios::trunc) << std::string(20000, 'x');
  }

  TestFolder folder_;
  std::unique_ptr<FormatRegistry> registry_ = MakeRegistry();
  std::unique_ptr<DerivedDatabase> database_;
  std::unique_ptr<ViewCache> cache_;
};

TEST_F(ViewCacheTest, OpeningTouchesNothing) {
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/derived"));
}

// A short log stays when the last connection closes; a long one, which every process would have to
// read, is written back.
TEST_F(ViewCacheTest, OnlyALongLogIsWrittenBackOnClosing) {
  const auto log_bytes = [&] {
    return std::filesystem::file_size(folder_.path() + "/derived/derived.db-wal");
  };
  ASSERT_NE(Get("title:One\n"), nullptr);
  Reopen();
  EXPECT_GT(log_bytes(), 0U);
  const Status filled = database_->Write(LockWait::kWait, [](Connection& connection) {
    return connection.Execute(
        "CREATE TABLE filler(bytes); INSERT INTO filler VALUES (randomblob(12000000))");
  });
  ASSERT_TRUE(filled.ok()) << filled.message();
  EXPECT_GT(log_bytes(), 8U << 20);
  Reopen();
  EXPECT_EQ(log_bytes(), 0U);
}

TEST_F(ViewCacheTest, AnswersEqualRecordsFromTheDatabaseWithoutParsing) {
  const std::string text = "title:One\ntwo\n--- more\nthree\n";
  const std::shared_ptr<const View> parsed = Get(text);
  EXPECT_EQ(cache_->parse_count(), 1u);
  Reopen();
  Result<std::shared_ptr<const View>> cached =
      cache_->Get(ContentHash::Of(text), "other/name.PARTS", Unavailable);
  ASSERT_TRUE(cached.ok());
  EXPECT_EQ(cache_->parse_count(), 0u);
  EXPECT_EQ((*cached)->Records(), parsed->Records());
  EXPECT_EQ((*cached)->parts, parsed->parts);
  EXPECT_EQ((*cached)->format, "parts");
  EXPECT_EQ((*cached)->parser, parsed->parser);
  EXPECT_EQ((*cached)->hash, ContentHash::Of(text));
}

TEST_F(ViewCacheTest, ExtensionIsPartOfTheKey) {
  Get("one\n", "a.parts");
  EXPECT_EQ(Get("one\n", "a.bin")->format, "binary");
  EXPECT_EQ(cache_->Find(ContentHash::Of("one\n"), "a.txt"), nullptr);
  EXPECT_EQ(ExtensionOf("dir.x/Name.TXT"), "txt");
  EXPECT_EQ(ExtensionOf("dir.x/name"), "");
  EXPECT_EQ(ExtensionOf(".parts"), "");
}

TEST_F(ViewCacheTest, AnotherParserVersionOrLimitIsAnotherView) {
  Get("one\n");
  registry_ = MakeRegistry("2");
  Reopen();
  EXPECT_EQ(cache_->Find(ContentHash::Of("one\n"), "a.parts"), nullptr);
  EXPECT_EQ(Get("one\n")->parser.version, "2");
  ViewCacheOptions options;
  options.limits.depth_max = 7;
  Reopen(options);
  EXPECT_EQ(cache_->Find(ContentHash::Of("one\n"), "a.parts"), nullptr);
}

TEST_F(ViewCacheTest, AParseFailureIsCached) {
  EXPECT_EQ(Get("BROKEN")->fallback, "binary");
  Reopen();
  const std::shared_ptr<const View> cached = cache_->Find(ContentHash::Of("BROKEN"), "a.parts");
  ASSERT_NE(cached, nullptr);
  EXPECT_EQ(cached->fallback, "binary");
  ASSERT_EQ(cached->diagnostics.size(), 1u);
  EXPECT_EQ(cached->diagnostics[0].code, "parse_failed");
}

TEST_F(ViewCacheTest, SegmentsAreSharedByDigest) {
  const std::shared_ptr<const View> first = Get("a\n--- p\nsame\n");
  const std::shared_ptr<const View> second = Get("b\n--- p\nsame\n");
  EXPECT_EQ(first->segments[1], second->segments[1]);
  EXPECT_NE(first->segments[0], second->segments[0]);
  Reopen();
  const std::shared_ptr<const View> third = Get("c\n--- p\nsame\n");
  const std::shared_ptr<const View> again = cache_->Find(first->hash, "a.parts");
  EXPECT_EQ(third->segments[1], again->segments[1]);
  EXPECT_EQ(again->Records(), first->Records());
}

TEST_F(ViewCacheTest, MemoryIsBounded) {
  ViewCacheOptions options;
  options.memory_bytes_max = 8192;
  Reopen(options);
  std::weak_ptr<const View> first = Get("first\n");
  EXPECT_FALSE(first.expired());
  for (int i = 0; i < 20; ++i) Get("line " + std::to_string(i) + "\n");
  EXPECT_TRUE(first.expired());
  EXPECT_NE(cache_->Find(ContentHash::Of("first\n"), "a.parts"), nullptr);
}

TEST_F(ViewCacheTest, ForgetAndSweepKeepSharedSegments) {
  const ContentHash first = Get("a\n--- p\nsame\n")->hash;
  const ContentHash second = Get("b\n--- p\nsame\n")->hash;
  const ContentHash third = Get("c\n")->hash;
  ASSERT_TRUE(cache_->Forget(first).ok());
  EXPECT_EQ(cache_->Find(first, "a.parts"), nullptr);
  ASSERT_TRUE(cache_->Sweep({second}).ok());
  Reopen();
  EXPECT_EQ(cache_->Find(third, "a.parts"), nullptr);
  ASSERT_NE(cache_->Find(second, "a.parts"), nullptr);
  EXPECT_EQ(cache_->Find(second, "a.parts")->Records()[1].text, "same");
}

// What cannot be opened as a database, or deleted as a file, moves aside whole.
TEST_F(ViewCacheTest, AFolderThatCannotBeUsedIsSetAside) {
  namespace fs = std::filesystem;
  const std::string derived = folder_.path() + "/derived";
  Get("one\n");
  const auto expect_rebuilt = [&](const std::string& aside) {
    Reopen();
    Get("one\n");
    Reopen();
    EXPECT_NE(cache_->Find(ContentHash::Of("one\n"), "a.parts"), nullptr);
    EXPECT_TRUE(fs::exists(folder_.path() + "/" + aside)) << aside;
  };
  cache_ = nullptr;
  database_ = nullptr;
  fs::remove_all(derived);
  fs::create_directories(derived + "/derived.db/in the way");
  expect_rebuilt("derived.broken");
  cache_ = nullptr;
  database_ = nullptr;
  fs::remove_all(derived);
  std::ofstream(derived) << "a file of that name";
  expect_rebuilt("derived.broken-2");

  cache_ = nullptr;
  database_ = nullptr;
  fs::remove_all(derived);
  fs::create_directories(derived + "/derived.db");
  Reopen();
  Get("one\n");
  const std::vector<std::string> notes = database_->TakeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find(".staged/derived.broken-3"), std::string::npos) << notes[0];
  EXPECT_TRUE(database_->TakeNotes().empty()) << "said once";
}

TEST_F(ViewCacheTest, ADamagedDatabaseIsRebuilt) {
  Get("one\n");
  Damage();
  Reopen();
  EXPECT_EQ(cache_->Find(ContentHash::Of("one\n"), "a.parts"), nullptr);
  Get("one\n");
  EXPECT_EQ(database_->rebuild_count(), 1u);
  Reopen();
  EXPECT_NE(cache_->Find(ContentHash::Of("one\n"), "a.parts"), nullptr);
}

// Flipped bytes anywhere: the records are right or made again, never wrong.
TEST_F(ViewCacheTest, FlippedBytesNeverGiveWrongRecords) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    texts.push_back("line " + std::to_string(random()) + "\n--- p" + std::to_string(i % 5) +
                    "\nshared\n");
  }
  for (int round = 0; round < 25; ++round) {
    for (const std::string& text : texts) {
      const std::shared_ptr<const View> view = Get(text);
      ASSERT_NE(view, nullptr);
      ASSERT_EQ(view->record_count(), 2u);
      ASSERT_EQ(view->Records()[0].text + "\n", text.substr(0, text.find("---")));
      ASSERT_EQ(view->Records()[1].text, "shared");
    }
    cache_ = nullptr;
    database_ = nullptr;
    for (const char* name : {"/derived/derived.db", "/derived/derived.db-wal"}) {
      std::fstream file(folder_.path() + name, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(0, std::ios::end);
      const auto size = static_cast<uint64_t>(file.tellg());
      for (int flip = 0; size > 0 && flip < 8; ++flip) {
        file.seekp(static_cast<std::streamoff>(random() % size));
        file.put(static_cast<char>(random()));
      }
    }
    Reopen();
  }
}

TEST_F(ViewCacheTest, DerivedMayBeDeletedAtAnyTime) {
  Get("one\n");
  folder_.DeleteDerived();
  Get("two\n");
  ViewCacheOptions options;
  Reopen(options);
  EXPECT_NE(cache_->Find(ContentHash::Of("two\n"), "a.parts"), nullptr);
  folder_.DeleteDerived();
  EXPECT_EQ(cache_->Find(ContentHash::Of("one\n"), "a.parts"), nullptr);
}

TEST_F(ViewCacheTest, AReaderThatCannotWriteGoesOnWithoutCaching) {
  Get("one\n");
  DerivedDatabase other(folder_.directory());
  const Status status = other.Write(LockWait::kWait, [&](Connection&) -> Status {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(Get("two\n")->Records()[0].text, "two");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok());
  Reopen();
  EXPECT_EQ(cache_->Find(ContentHash::Of("two\n"), "a.parts"), nullptr);
}

TEST_F(ViewCacheTest, AnUnwritableFolderStillGivesViews) {
  std::ofstream(folder_.path() + "/derived") << "a file where the folder should be";
  EXPECT_EQ(Get("one\n")->Records()[0].text, "one");
}

TEST_F(ViewCacheTest, HasCurrentViewsAgreesWithFind) {
  for (const int count : {50, 600}) {  // by searches, by a walk
    std::vector<ViewKey> keys;
    for (int i = 0; i < count; ++i) {
      const std::string text = "t" + std::to_string(i) + "\n";
      if (i % 3 == 0) Get(text);
      keys.push_back({ContentHash::Of(text), i % 6 == 0 ? "parts" : "other"});
    }
    keys.push_back(keys.front());
    Reopen();
    const std::vector<bool> answers = cache_->HasCurrentViews(keys);
    for (int i = 0; i < count; ++i) EXPECT_EQ(answers[i], i % 6 == 0) << i;
    EXPECT_TRUE(answers.back());
  }
}

TEST_F(ViewCacheTest, ProcessesShareOneDatabase) {
  constexpr int kProcesses = 4;
  constexpr int kTexts = 60;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      DerivedDatabase database(folder_.directory());
      ViewCache cache(database, *registry_, {});
      for (int i = 0; i < kTexts; ++i) {
        const std::string text = std::to_string((i * 7 + process * 13) % kTexts) + "\n";
        auto view = cache.Get(ContentHash::Of(text), "a.parts", Bytes(text));
        if (!view.ok() || (*view)->Records()[0].text + "\n" != text) _exit(1);
        if (process == 0 && i == kTexts / 2) folder_.DeleteDerived();
      }
      _exit(database.rebuild_count() > 3 ? 2 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(ViewCacheTest, ThreadsShareOneCache) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 100; ++i) {
        const std::string text = std::to_string((i + thread * 11) % 50) + "\n--- p\nsame\n";
        auto view = cache_->Get(ContentHash::Of(text), "a.parts", Bytes(text));
        if (!view.ok() || (*view)->record_count() != 2) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace staged
