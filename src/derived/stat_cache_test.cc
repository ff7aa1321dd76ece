#include "derived/stat_cache.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "base/test_seed.h"
#include "derived/test_folder.h"

namespace staged {
namespace {

using ::staged::testing::TestFolder;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kRecordedNs = 5'000'000'000'123;

FileStatus OldStatus() {
  FileStatus status;
  status.kind = FileKind::kFile;
  status.size_bytes = 10;
  status.modified_ns = kRecordedNs - 100 * kMs;
  status.changed_ns = kRecordedNs - 90 * kMs;
  status.inode = 7;
  status.device = 3;
  status.mode = 0644;
  return status;
}

StatCache CacheOf(const FileStatus& status) {
  StatCacheWriter writer;
  writer.Add("a", status, {EntryKind::kFile, ContentHash::Of("x")}, kRecordedNs);
  return *StatCache::Parse(writer.Encode());
}

TEST(StatCacheTest, AnswersOnlyForTheVerySameStatus) {
  const FileStatus status = OldStatus();
  const StatCache cache = CacheOf(status);
  ASSERT_TRUE(cache.Lookup("a", status).has_value());
  EXPECT_EQ(cache.Lookup("a", status)->hash, ContentHash::Of("x"));
  EXPECT_EQ(cache.Lookup("a", status)->kind, EntryKind::kFile);
  EXPECT_FALSE(cache.Lookup("b", status).has_value());
  EXPECT_FALSE(cache.Lookup("", status).has_value());
  std::vector<FileStatus> others(7, status);
  others[0].size_bytes++;
  others[1].modified_ns++;
  others[2].changed_ns++;
  others[3].inode++;
  others[4].device++;
  others[5].mode = 0755;
  others[6].kind = FileKind::kSymlink;
  for (const FileStatus& other : others) EXPECT_FALSE(cache.Lookup("a", other).has_value());
  FileStatus linked = status;
  linked.link_count = 2;
  EXPECT_TRUE(cache.Lookup("a", linked).has_value());
}

TEST(StatCacheTest, AFileAsYoungAsItsEntryIsHashedAgain) {
  FileStatus status = OldStatus();
  const auto is_known = [&] { return CacheOf(status).Lookup("a", status).has_value(); };
  status.modified_ns = kRecordedNs - 10 * kMs;
  EXPECT_FALSE(is_known());
  status.modified_ns = kRecordedNs - 10 * kMs - 1;
  EXPECT_TRUE(is_known());
  status.changed_ns = kRecordedNs;
  EXPECT_FALSE(is_known());
  status.changed_ns = kRecordedNs + 1000 * kMs;
  EXPECT_FALSE(is_known());
  // Whole seconds: a file system that keeps no more.
  status.modified_ns = status.changed_ns = 4'999'000'000'000;
  EXPECT_FALSE(is_known());
  status.modified_ns = status.changed_ns = 4'998'000'000'000;
  EXPECT_TRUE(is_known());
}

TEST(StatCacheTest, AnyDamageGivesAnEmptyCache) {
  StatCacheWriter writer;
  for (int i = 0; i < 20; ++i) {
    writer.Add("dir/" + std::to_string(i), OldStatus(), {EntryKind::kFile, ContentHash::Of("x")},
               kRecordedNs);
  }
  const std::string bytes = writer.Encode();
  ASSERT_TRUE(StatCache::Parse(bytes).has_value());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    ASSERT_FALSE(StatCache::Parse(damaged).has_value()) << i;
    ASSERT_FALSE(StatCache::Parse(bytes.substr(0, i)).has_value()) << i;
  }
  EXPECT_FALSE(StatCache::Parse(bytes + "x").has_value());
}

TEST(StatCacheTest, AgreesWithAMapInAnyOrder) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::map<std::string, ContentHash> truth;
  while (truth.size() < 500) {
    std::string path = "d" + std::to_string(random() % 10) + "/f" + std::to_string(random() % 9999);
    truth[path] = ContentHash::Of(path);
  }
  std::vector<std::string> paths;
  for (const auto& item : truth) paths.push_back(item.first);
  std::shuffle(paths.begin(), paths.end(), random);
  StatCacheWriter writer;
  for (const std::string& path : paths) {
    writer.Add(path, OldStatus(), {EntryKind::kExecutable, truth[path]}, kRecordedNs);
  }
  const StatCache cache = *StatCache::Parse(writer.Encode());
  EXPECT_EQ(cache.size(), 500u);
  std::shuffle(paths.begin(), paths.end(), random);
  for (const std::string& path : paths) {
    const std::optional<Entry> entry = cache.Lookup(path, OldStatus());
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry->hash, truth[path]);
    EXPECT_EQ(entry->kind, EntryKind::kExecutable);
    EXPECT_FALSE(cache.Lookup(path + "x", OldStatus()).has_value());
  }
  for (const auto& item : truth) {
    ASSERT_TRUE(cache.Lookup(item.first, OldStatus()).has_value());
  }
}

TEST(StatCacheTest, SavesAndLoadsAndSurvivesDeletion) {
  TestFolder folder;
  EXPECT_EQ(StatCache::Load(folder.directory()).size(), 0u);
  StatCacheWriter writer;
  writer.Add("a", OldStatus(), {EntryKind::kSymlink, ContentHash::Of("x")}, kRecordedNs);
  ASSERT_TRUE(writer.Save(folder.directory(), folder.env()).ok());
  ASSERT_TRUE(writer.Save(folder.directory(), folder.env()).ok());
  EXPECT_EQ(StatCache::Load(folder.directory()).size(), 1u);
  EXPECT_EQ(folder.directory().List("derived")->size(), 1u);
  std::ofstream(folder.path() + "/derived/stat_cache", std::ios::app) << "x";
  EXPECT_EQ(StatCache::Load(folder.directory()).size(), 0u);
  folder.DeleteDerived();
  EXPECT_EQ(StatCache::Load(folder.directory()).size(), 0u);
  ASSERT_TRUE(writer.Save(folder.directory(), folder.env()).ok());
}

TEST(StatCacheTest, AnEmptyCacheIsValid) {
  ASSERT_TRUE(StatCache::Parse(StatCacheWriter().Encode()).has_value());
  EXPECT_FALSE(StatCache::Parse(StatCacheWriter().Encode())->Lookup("a", OldStatus()).has_value());
}

}  // namespace
}  // namespace staged
