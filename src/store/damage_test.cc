#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "store/bundle_catalog.h"
#include "store/object_format.h"
#include "store/test_folder.h"

// A store with damaged files: never wrong bytes, and what is not damaged stays readable.
namespace staged {
namespace {

std::string Lines(int seed, size_t size_bytes) {
  std::string text;
  for (int i = 0; text.size() < size_bytes; ++i) {
    text += "row " + std::to_string((i * 7919 + seed) % 1000) + "\n";
  }
  text.resize(size_bytes);
  return text;
}

// Which contents need which file.
struct Example {
  TestFolder folder;
  std::map<std::string, std::vector<std::string>> users;  // file -> contents
  std::vector<std::string> contents;

  Example() {
    const std::unique_ptr<ObjectStore> store = folder.Open();
    const std::string base = Lines(1, 200'000);
    std::string version = base;
    version.replace(150'000, 6, "edited");
    const ContentHash base_hash = *store->Put(base, {});
    const ContentHash version_hash = *store->Put(version, {.similar_to = &base_hash});
    const ContentHash small_hash = *store->Put("a small one", {});
    const std::unique_ptr<PutBatch> batch = std::move(store->NewBatch()).value();
    const std::vector<std::string> packed = {"first in the pack", Lines(2, 3'000), "third"};
    for (const std::string& content : packed) EXPECT_TRUE(batch->Add(content).ok());
    EXPECT_TRUE(batch->Commit().ok());
    contents = {base, version, "a small one"};
    contents.insert(contents.end(), packed.begin(), packed.end());
    users[BundleCatalog::LoosePath(base_hash)] = {base, version};
    users[BundleCatalog::LoosePath(version_hash)] = {version};
    users[BundleCatalog::LoosePath(small_hash)] = {"a small one"};
    for (const std::string& file : folder.Files()) {
      if (file.ends_with(kPackSuffix)) users[file] = packed;
    }
  }

  // Reads everything; returns how many contents could not be read.
  size_t Check(const std::string& damaged_file, const std::string& what) {
    Result<std::unique_ptr<ObjectStore>> store = folder.TryOpen();
    if (!store.ok()) {
      EXPECT_EQ(damaged_file, kObjectFormatFile) << what;
      return contents.size();
    }
    size_t unreadable = 0;
    for (const std::string& content : contents) {
      const Result<std::string> got = (*store)->Get(ContentHash::Of(content));
      if (got.ok()) {
        EXPECT_TRUE(*got == content) << "wrong bytes: " << what;
        continue;
      }
      ++unreadable;
      const std::vector<std::string>& of_file = users[damaged_file];
      EXPECT_NE(std::find(of_file.begin(), of_file.end(), content), of_file.end())
          << what << " must not hurt this content: " << got.status().message();
    }
    return unreadable;
  }
};

TEST(DamageTest, AChangedByteNeverGivesWrongBytes) {
  Example example;
  for (const std::string& file : example.folder.Files()) {
    const std::string sound = example.folder.Read(file);
    const size_t stride = sound.size() < 300 ? 1 : sound.size() / 400;
    size_t noticed = 0;
    size_t tried = 0;
    for (size_t at = 0; at < sound.size(); at += stride) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(damaged[at] ^ (at % 2 == 0 ? 0xff : 0x01));
      example.folder.Write(file, damaged);
      ++tried;
      noticed += example.Check(file, file + " changed at " + std::to_string(at)) > 0 ? 1 : 0;
    }
    example.folder.Write(file, sound);
    EXPECT_EQ(example.Check(file, "restored"), 0U);
    // An index is made again from the bundles, so damage to it alone costs nothing; and a zstd
    // frame has a few bits that mean nothing.
    if (!file.ends_with(kPackSuffix)) {
      EXPECT_GE(noticed * 100, tried * 98) << file;
    }
  }
}

TEST(DamageTest, ACutFileNeverGivesWrongBytes) {
  Example example;
  for (const std::string& file : example.folder.Files()) {
    const std::string sound = example.folder.Read(file);
    for (size_t size = 0; size < sound.size(); size += sound.size() / 40 + 1) {
      example.folder.Write(file, sound.substr(0, size));
      example.Check(file, file + " cut at " + std::to_string(size));
    }
    example.folder.Write(file, sound);
  }
}

TEST(DamageTest, VerifyAndGetNameObjectAndFile) {
  Example example;
  for (const auto& [file, users] : example.users) {
    const std::string sound = example.folder.Read(file);
    std::string damaged = sound;
    // The first bundle's payload, in loose files and in the pack alike.
    damaged[file.ends_with(kPackSuffix) ? kPackHeadSizeBytes + 100 : sound.size() - 5] ^= 0x10;
    example.folder.Write(file, damaged);
    const std::unique_ptr<ObjectStore> store = example.folder.Open();
    const Result<StoreReport> report = store->Verify({});
    ASSERT_TRUE(report.ok()) << report.status().message();
    ASSERT_FALSE(report->damage.empty()) << file;
    for (const ObjectDamage& damage : report->damage) {
      const Status status = store->Get(damage.hash).status();
      EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
      EXPECT_NE(status.message().find(file), std::string::npos) << status.message();
      EXPECT_NE(status.message().find(damage.hash.ToHex()), std::string::npos) << status.message();
    }
    example.folder.Write(file, sound);
  }
}

TEST(DamageTest, PuttingAgainHeals) {
  Example example;
  for (const auto& [file, users] : example.users) {
    std::string damaged = example.folder.Read(file);
    damaged[file.ends_with(kPackSuffix) ? kPackHeadSizeBytes + 100 : damaged.size() - 5] ^= 0x10;
    example.folder.Write(file, damaged);
    EXPECT_GT(example.Check(file, "damaged"), 0U);
    const std::unique_ptr<ObjectStore> store = example.folder.Open();
    for (const std::string& content : users) ASSERT_TRUE(store->Put(content, {}).ok());
    EXPECT_EQ(example.Check(file, "healed"), 0U);
  }
  // A collection keeps the sound copies and drops the damaged ones.
  std::unordered_set<ContentHash> live;
  for (const std::string& content : example.contents) live.insert(ContentHash::Of(content));
  const std::unique_ptr<ObjectStore> store = example.folder.Open();
  const Result<StoreReport> report = store->Collect(live, {});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(example.Check("", "collected"), 0U);
  EXPECT_TRUE(store->Verify({})->damage.empty());
}

TEST(DamageTest, CollectKeepsWhatItCannotCopy) {
  Example example;
  std::unordered_set<ContentHash> live;
  for (const std::string& content : example.contents) live.insert(ContentHash::Of(content));
  for (const auto& [file, users] : example.users) {
    const std::string sound = example.folder.Read(file);
    std::string damaged = sound;
    damaged[sound.size() / 2] ^= 0x10;
    if (file.ends_with(kPackSuffix)) {
      damaged = sound;
      damaged[kPackHeadSizeBytes + 100] ^= 0x10;
    }
    Example fresh;
    for (const std::string& name : fresh.folder.Files()) {
      // Packs have random names.
      if (name == file || (name.ends_with(kPackSuffix) && file.ends_with(kPackSuffix))) {
        fresh.folder.Write(name, damaged);
        const Result<StoreReport> report = fresh.folder.Open()->Collect(live, {});
        ASSERT_TRUE(report.ok()) << report.status().message();
        EXPECT_FALSE(report->damage.empty()) << name;
        EXPECT_EQ(fresh.folder.Read(name), damaged);
        fresh.folder.Write(name, sound);
        EXPECT_EQ(fresh.Check("", "repaired by hand after the collection of " + name), 0U);
      }
    }
  }
}

TEST(DamageTest, NewerFormatsAreRefused) {
  Example example;
  for (const std::string& file : example.folder.Files()) {
    const std::string sound = example.folder.Read(file);
    std::string newer = sound;
    if (file == kObjectFormatFile) {
      newer = "staged-objects 2\n";
    } else {
      newer[4] = 2;  // behind the magic of bundles and packs
    }
    example.folder.Write(file, newer);
    Result<std::unique_ptr<ObjectStore>> store = example.folder.TryOpen();
    Status status = store.status();
    if (file != kObjectFormatFile) {
      ASSERT_TRUE(store.ok());
      const std::string content = example.users[file].back();
      status = (*store)->Get(ContentHash::Of(content)).status();
      EXPECT_EQ((*store)->Verify({}).status().code(), ErrorCode::kUnsupportedEdit) << file;
      EXPECT_EQ((*store)->Collect({}, {}).status().code(), ErrorCode::kUnsupportedEdit) << file;
      EXPECT_EQ(example.folder.Read(file), newer) << "must not be touched";
    }
    EXPECT_EQ(status.code(), ErrorCode::kUnsupportedEdit) << file << ": " << status.message();
    EXPECT_NE(status.message().find("newer"), std::string::npos) << status.message();
    example.folder.Write(file, sound);
  }
}

TEST(DamageTest, LeftOverTemporaryFilesGoWithACollection) {
  Example example;
  example.folder.Write("tmp/leftover", "half a bundle");
  const std::unique_ptr<ObjectStore> store = example.folder.Open();
  EXPECT_EQ(example.Check("", "left over"), 0U);
  example.folder.env().SetNowNs(example.folder.env().NowNs() + int64_t{2} * 3600 * 1'000'000'000);
  ASSERT_TRUE(store->Collect({}, {}).ok());
  EXPECT_EQ(example.folder.Files(), std::vector<std::string>{std::string(kObjectFormatFile)});
}

TEST(DamageTest, TemporaryFilesOfAWriterAtWorkStay) {
  Example example;
  const std::unique_ptr<ObjectStore> store = example.folder.Open();
  example.folder.Write("tmp/somebody", "half a bundle");
  ASSERT_TRUE(store->Collect({}, {}).ok());
  EXPECT_EQ(example.folder.Read("tmp/somebody"), "half a bundle");
}

}  // namespace
}  // namespace staged
