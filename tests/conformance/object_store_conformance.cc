#include "tests/conformance/object_store_conformance.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/test_seed.h"

namespace staged {
namespace {

// Bytes that do not compress, of a given seed.
std::string RandomText(uint64_t seed, size_t size_bytes) {
  std::mt19937_64 random(seed);
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Bytes that do.
std::string Lines(uint64_t seed, size_t size_bytes) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < size_bytes) {
    text += "line " + std::to_string(random() % 100'000) + " of the file\n";
  }
  text.resize(size_bytes);
  return text;
}

ContentHash PutOrDie(ObjectStore& store, std::string_view bytes, const PutOptions& options = {}) {
  const Result<ContentHash> hash = store.Put(bytes, options);
  EXPECT_TRUE(hash.ok()) << hash.status().message();
  return hash.ok() ? *hash : ContentHash();
}

void ExpectHolds(ObjectStore& store, std::string_view bytes) {
  const ContentHash hash = ContentHash::Of(bytes);
  const Result<std::string> got = store.Get(hash);
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_TRUE(*got == bytes) << "other bytes than were put";
  const Result<bool> has = store.Has(hash);
  EXPECT_TRUE(has.ok() && *has);
  const Result<uint64_t> size = store.SizeOf(hash);
  EXPECT_TRUE(size.ok() && *size == bytes.size());
}

void ExpectLacks(ObjectStore& store, const ContentHash& hash) {
  EXPECT_EQ(store.Get(hash).status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store.SizeOf(hash).status().code(), ErrorCode::kNotFound);
  const Result<bool> has = store.Has(hash);
  EXPECT_TRUE(has.ok() && !*has);
}

}  // namespace

std::unique_ptr<ObjectStore> ObjectStoreConformance::Open() {
  Result<std::unique_ptr<ObjectStore>> store = place_->Open();
  EXPECT_TRUE(store.ok()) << store.status().message();
  return store.ok() ? std::move(store).value() : nullptr;
}

TEST_P(ObjectStoreConformance, GivesBackWhatWasPut) {
  std::vector<std::string> contents = {"", "a", std::string(1, '\0'), "two\nlines\n"};
  for (const size_t size : {100, 4095, 4096, 65'536, 131'072, 131'073, 1'000'000, 3'000'000}) {
    contents.push_back(RandomText(size, size));
    contents.push_back(Lines(size, size));
    contents.push_back(std::string(size, 'x'));
  }
  for (const std::string& content : contents) {
    EXPECT_EQ(PutOrDie(*store_, content), ContentHash::Of(content));
    ExpectHolds(*store_, content);
  }
  const std::unique_ptr<ObjectStore> other = Open();
  for (const std::string& content : contents) ExpectHolds(*other, content);
}

TEST_P(ObjectStoreConformance, UnknownIsNotFound) {
  ExpectLacks(*store_, ContentHash::Of("never put"));
  ExpectLacks(*store_, ContentHash());
  EXPECT_EQ(store_->Forget(ContentHash::Of("never put")).code(), ErrorCode::kNotFound);
}

TEST_P(ObjectStoreConformance, PutIsIdempotent) {
  const std::string content = Lines(1, 500'000);
  PutOrDie(*store_, content);
  const Result<StoreReport> before = store_->Usage();
  ASSERT_TRUE(before.ok());
  PutOrDie(*store_, content);
  const ContentHash self = ContentHash::Of(content);
  PutOrDie(*store_, content, {.similar_to = &self});
  const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
  ASSERT_TRUE(batch->Add(content).ok());
  ASSERT_TRUE(batch->Commit().ok());
  const Result<StoreReport> after = store_->Usage();
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->objects, 1U);
  EXPECT_EQ(after->stored_bytes, before->stored_bytes);
  EXPECT_EQ(after->content_bytes, content.size());
}

TEST_P(ObjectStoreConformance, AVersionCostsWhatChanged) {
  std::string content = RandomText(7, 4'000'000);
  ContentHash base = PutOrDie(*store_, content);
  const uint64_t before = store_->Usage()->stored_bytes;
  std::vector<std::string> versions = {content};
  for (int i = 0; i < 10; ++i) {
    content.insert(static_cast<size_t>(i) * 350'000, "inserted");
    base = PutOrDie(*store_, content, {.similar_to = &base});
    versions.push_back(content);
  }
  const uint64_t grown = store_->Usage()->stored_bytes - before;
  EXPECT_LT(grown, content.size() / 2);
  for (const std::string& version : versions) ExpectHolds(*store_, version);
}

TEST_P(ObjectStoreConformance, UnknownHintIsFine) {
  const ContentHash unknown = ContentHash::Of("unknown");
  const std::string content = RandomText(8, 700'000);
  PutOrDie(*store_, content, {.similar_to = &unknown, .rewritten_members = {"no/such/member"}});
  ExpectHolds(*store_, content);
}

TEST_P(ObjectStoreConformance, ABatchIsThereAfterCommit) {
  std::vector<std::string> contents;
  for (uint64_t i = 0; i < 300; ++i) contents.push_back(Lines(i, 1 + i * 37));
  contents.push_back(RandomText(1, 2'000'000));
  contents.push_back("");
  const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
  for (const std::string& content : contents) {
    const Result<ContentHash> hash = batch->Add(content);
    ASSERT_TRUE(hash.ok()) << hash.status().message();
    EXPECT_EQ(*hash, ContentHash::Of(content));
    ASSERT_TRUE(batch->Add(content).ok());
  }
  const Status committed = batch->Commit();
  ASSERT_TRUE(committed.ok()) << committed.message();
  for (const std::string& content : contents) ExpectHolds(*store_, content);
  EXPECT_EQ(store_->Usage()->objects, contents.size());
}

TEST_P(ObjectStoreConformance, AnEmptyOrSmallBatchIsFine) {
  const std::unique_ptr<PutBatch> empty = std::move(store_->NewBatch()).value();
  EXPECT_TRUE(empty->Commit().ok());
  const std::unique_ptr<PutBatch> one = std::move(store_->NewBatch()).value();
  ASSERT_TRUE(one->Add("only one").ok());
  EXPECT_TRUE(one->Commit().ok());
  ExpectHolds(*store_, "only one");
  EXPECT_FALSE(one->Commit().ok()) << "a batch commits once";
  const std::unique_ptr<PutBatch> dropped = std::move(store_->NewBatch()).value();
  ASSERT_TRUE(dropped->Add("dropped").ok());
}

TEST_P(ObjectStoreConformance, ListNamesEveryHashOnce) {
  std::vector<ContentHash> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(PutOrDie(*store_, std::to_string(i)));
  const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
  for (int i = 10; i < 40; ++i) {
    const ContentHash hash = *batch->Add(std::to_string(i));
    if (i >= 20) expected.push_back(hash);
  }
  ASSERT_TRUE(batch->Commit().ok());
  std::sort(expected.begin(), expected.end());
  Result<std::vector<ContentHash>> listed = store_->List();
  ASSERT_TRUE(listed.ok());
  std::sort(listed->begin(), listed->end());
  EXPECT_EQ(*listed, expected);
}

TEST_P(ObjectStoreConformance, OtherHandlesSeeWhatIsNew) {
  const std::unique_ptr<ObjectStore> other = Open();
  ExpectLacks(*other, ContentHash::Of("first"));
  PutOrDie(*store_, "first");
  ExpectHolds(*other, "first");
  const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
  ASSERT_TRUE(batch->Add("second").ok());
  ASSERT_TRUE(batch->Add("third").ok());
  ASSERT_TRUE(batch->Commit().ok());
  ExpectHolds(*other, "second");
  ASSERT_TRUE(store_->Collect({ContentHash::Of("first"), ContentHash::Of("third")}, {}).ok());
  ExpectHolds(*other, "first");
  ExpectHolds(*other, "third");
}

TEST_P(ObjectStoreConformance, CollectKeepsExactlyTheLive) {
  std::string content = RandomText(9, 1'000'000);
  ContentHash base = PutOrDie(*store_, content);
  std::vector<std::string> versions = {content};
  for (int i = 0; i < 6; ++i) {
    content.replace(static_cast<size_t>(i) * 150'000, 5, "edit!");
    base = PutOrDie(*store_, content, {.similar_to = &base});
    versions.push_back(content);
  }
  PutOrDie(*store_, "small");
  // What only the dead first version put on disk is needed by the last.
  const std::unordered_set<ContentHash> live = {ContentHash::Of(versions[3]),
                                                ContentHash::Of(versions[6])};
  uint64_t last_done = 0;
  const Result<StoreReport> report = store_->Collect(live, [&](uint64_t done, uint64_t total) {
    EXPECT_LE(done, total);
    last_done = done;
  });
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->damage.empty());
  EXPECT_EQ(report->objects, 2U);
  EXPECT_EQ(report->removed_objects, 6U);
  EXPECT_GT(last_done, 0U);
  EXPECT_EQ(store_->List()->size(), 2U);
  ExpectHolds(*store_, versions[3]);
  ExpectHolds(*store_, versions[6]);
  ExpectLacks(*store_, ContentHash::Of(versions[0]));
  ExpectLacks(*store_, ContentHash::Of("small"));
  // A removed content can come back, also while others still use its bytes.
  PutOrDie(*store_, versions[0], {.similar_to = &base});
  ExpectHolds(*store_, versions[0]);
  const Result<StoreReport> again = store_->Collect(live, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->removed_objects, 1U);
  EXPECT_LT(again->stored_bytes, 1'500'000U);
  ExpectHolds(*store_, versions[3]);
  ExpectHolds(*store_, versions[6]);
  const Result<StoreReport> verified = store_->Verify({});
  ASSERT_TRUE(verified.ok());
  EXPECT_TRUE(verified->damage.empty());
  ASSERT_TRUE(store_->Collect({}, {}).ok());
  EXPECT_TRUE(store_->List()->empty());
  EXPECT_EQ(store_->Usage()->stored_bytes, 0U);
}

TEST_P(ObjectStoreConformance, CollectNamesLiveObjectsThatAreMissing) {
  PutOrDie(*store_, "here");
  const ContentHash missing = ContentHash::Of("missing");
  const Result<StoreReport> report = store_->Collect({ContentHash::Of("here"), missing}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->damage.size(), 1U);
  EXPECT_EQ(report->damage[0].hash, missing);
  ExpectHolds(*store_, "here");
}

TEST_P(ObjectStoreConformance, ForgetRemovesOneForGood) {
  const std::string first = RandomText(10, 900'000);
  const std::string second = first + "more";
  const ContentHash first_hash = PutOrDie(*store_, first);
  PutOrDie(*store_, second, {.similar_to = &first_hash});
  const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
  ASSERT_TRUE(batch->Add("neighbour").ok());
  ASSERT_TRUE(batch->Add("secret").ok());
  ASSERT_TRUE(batch->Commit().ok());
  for (const ContentHash& hash : {first_hash, ContentHash::Of("secret")}) {
    const Status forgotten = store_->Forget(hash);
    ASSERT_TRUE(forgotten.ok()) << forgotten.message();
    ExpectLacks(*store_, hash);
    EXPECT_EQ(store_->Forget(hash).code(), ErrorCode::kNotFound);
  }
  ExpectHolds(*store_, second);
  ExpectHolds(*store_, "neighbour");
  EXPECT_EQ(store_->List()->size(), 2U);
  EXPECT_TRUE(store_->Verify({})->damage.empty());
}

// What two contents share goes with the later one of them.
TEST_P(ObjectStoreConformance, ForgettingEveryVersionLeavesNothingOfThem) {
  const std::string first = RandomText(12, 900'000);
  const std::string second = first + "more";
  const ContentHash first_hash = PutOrDie(*store_, first);
  PutOrDie(*store_, second, {.similar_to = &first_hash});
  PutOrDie(*store_, "neighbour");
  ASSERT_TRUE(store_->Forget(first_hash).ok());
  EXPECT_GT(store_->Usage()->stored_bytes, 100'000U);
  ASSERT_TRUE(store_->Forget(ContentHash::Of(second)).ok());
  EXPECT_LT(store_->Usage()->stored_bytes, 1'000U);
  ExpectHolds(*store_, "neighbour");
}

// Nobody may build on a content that another process has removed, whatever was read of it before.
TEST_P(ObjectStoreConformance, WhatAnotherHandleRemovedIsNotThere) {
  const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
  for (const char* content : {"forgotten", "collected", "kept"}) {
    ASSERT_TRUE(batch->Add(content).ok());
  }
  ASSERT_TRUE(batch->Commit().ok());
  const std::unique_ptr<ObjectStore> other = Open();
  const auto has = [&](const char* content) {
    const Result<bool> there = other->Has(ContentHash::Of(content));
    EXPECT_TRUE(there.ok()) << there.status().message();
    return there.ok() && *there;
  };
  ASSERT_TRUE(has("forgotten") && has("collected") && has("kept"));
  ASSERT_TRUE(store_->Forget(ContentHash::Of("forgotten")).ok());
  EXPECT_FALSE(has("forgotten"));
  EXPECT_TRUE(has("collected") && has("kept"));
  ASSERT_TRUE(store_->Collect({ContentHash::Of("kept")}, {}).ok());
  EXPECT_FALSE(has("collected"));
  EXPECT_TRUE(has("kept"));
}

TEST_P(ObjectStoreConformance, ManyThreadsAndHandles) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::unique_ptr<ObjectStore> own = thread % 2 == 0 ? nullptr : Open();
      ObjectStore& store = own == nullptr ? *store_ : *own;
      for (uint64_t i = 0; i < 30; ++i) {
        const std::string content = Lines(i, 200 + i * 9'000);  // the same in every thread
        if (i % 5 == 0) {
          const std::unique_ptr<PutBatch> batch = std::move(store.NewBatch()).value();
          EXPECT_TRUE(batch->Add(content).ok());
          EXPECT_TRUE(batch->Add(content + std::to_string(thread)).ok());
          EXPECT_TRUE(batch->Commit().ok());
        } else {
          PutOrDie(store, content);
        }
        ExpectHolds(store, content);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(store_->Verify({})->damage.empty());
  EXPECT_EQ(store_->List()->size(), 30U + 6 * kThreads);
}

TEST_P(ObjectStoreConformance, ReadersGoOnDuringCollections) {
  std::string content = RandomText(11, 300'000);
  ContentHash base = PutOrDie(*store_, content);
  const ContentHash first = base;
  PutOrDie(*store_, "always there");
  const std::string kept = content;
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    const std::unique_ptr<ObjectStore> other = Open();
    while (!stop) {
      ExpectHolds(*other, kept);
      ExpectHolds(*other, "always there");
      const Result<std::vector<ContentHash>> listed = other->List();
      EXPECT_TRUE(listed.ok() || listed.status().code() == ErrorCode::kBusy);
      if (listed.ok()) {
        EXPECT_TRUE(std::find(listed->begin(), listed->end(), first) != listed->end());
      }
      const Result<StoreReport> report = other->Verify({});
      if (report.ok()) {
        EXPECT_TRUE(report->damage.empty()) << report->damage.front().reason;
      } else {
        EXPECT_EQ(report.status().code(), ErrorCode::kBusy) << report.status().message();
      }
    }
  });
  for (size_t i = 0; i < 25; ++i) {
    content.replace(i * 10'000, 4, "edit");
    base = PutOrDie(*store_, content, {.similar_to = &base});
    const Result<StoreReport> report =
        store_->Collect({first, base, ContentHash::Of("always there")}, {});
    EXPECT_TRUE(report.ok()) << report.status().message();
  }
  stop = true;
  reader.join();
  ExpectHolds(*store_, content);
}

// Versions of a few files with random edits, in random ways of putting them, with collections in
// between: whatever was put and not collected is there.
TEST_P(ObjectStoreConformance, RandomHistories) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::string> files;
  for (int i = 0; i < 4; ++i) files.push_back(Lines(random(), random() % 600'000));
  std::unordered_map<ContentHash, std::string> model;
  for (int step = 0; step < 120; ++step) {
    std::string& file = files[random() % files.size()];
    const ContentHash base = ContentHash::Of(file);
    const size_t at = file.empty() ? 0 : random() % file.size();
    switch (random() % 4) {
      case 0:
        file.insert(at, Lines(random(), random() % 3'000));
        break;
      case 1:
        file.erase(at, random() % 3'000);
        break;
      case 2:
        file.replace(at, 10, RandomText(random(), 10));
        break;
      default:
        file.insert(at, file.substr(0, random() % 50'000));
        break;
    }
    if (random() % 4 == 0) {
      const std::unique_ptr<PutBatch> batch = std::move(store_->NewBatch()).value();
      for (const std::string& each : files) {
        ASSERT_TRUE(batch->Add(each).ok());
        model[ContentHash::Of(each)] = each;
      }
      ASSERT_TRUE(batch->Commit().ok());
    } else {
      PutOrDie(*store_, file, {.similar_to = random() % 5 == 0 ? nullptr : &base});
      model[ContentHash::Of(file)] = file;
    }
    if (random() % 30 == 0) {
      std::unordered_set<ContentHash> live;
      std::erase_if(model, [&](const auto& entry) {
        if (random() % 2 == 0) return true;
        live.insert(entry.first);
        return false;
      });
      const Result<StoreReport> report = store_->Collect(live, {});
      ASSERT_TRUE(report.ok()) << report.status().message();
      EXPECT_TRUE(report->damage.empty());
    } else if (random() % 30 == 0 && !model.empty()) {
      const ContentHash victim = model.begin()->first;
      ASSERT_TRUE(store_->Forget(victim).ok());
      model.erase(victim);
    }
    if (random() % 10 == 0) store_ = Open();
    EXPECT_EQ(store_->List()->size(), model.size());
  }
  for (const auto& [hash, bytes] : model) ExpectHolds(*store_, bytes);
  EXPECT_TRUE(store_->Verify({})->damage.empty());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ObjectStoreConformance);

}  // namespace staged
