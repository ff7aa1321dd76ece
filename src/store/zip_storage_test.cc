#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/test_corpus.h"
#include "codec/zip.h"
#include "store/content_cutter.h"
#include "store/object_format.h"
#include "store/test_folder.h"

namespace staged {
namespace {

std::string RandomBytes(uint64_t seed, size_t size_bytes) {
  std::mt19937_64 random(seed);
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string Sheet(size_t rows) {
  std::mt19937_64 random(1);
  std::string xml = "<sheetData>";
  for (size_t row = 1; row <= rows; ++row) {
    xml += "<row r=\"" + std::to_string(row) + "\"><c r=\"A" + std::to_string(row) + "\"><v>" +
           std::to_string(random() % 100'000) + "</v></c></row>";
  }
  return xml + "</sheetData>";
}

const std::string kEmptyArchive = std::string("PK\x05\x06") + std::string(18, '\0');

std::string ArchiveOf(const std::vector<std::pair<std::string, std::string>>& members) {
  Result<ZipReader> reader = ZipReader::Open(kEmptyArchive, Limits());
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  ZipSplicer splicer(*reader);
  for (const auto& [name, content] : members) splicer.Add(name, content);
  Result<std::string> archive = splicer.Finish();
  EXPECT_TRUE(archive.ok()) << archive.status().message();
  return std::move(archive).value();
}

uint64_t StoredBytes(ObjectStore& store) { return store.Usage()->stored_bytes; }

TEST(ZipStorageTest, ACellOfARewrittenSheetCostsAFewChunks) {
  TestFolder folder;
  const std::unique_ptr<ObjectStore> store = folder.Open();
  std::string sheet = Sheet(60'000);
  const PutOptions rewritten = {.rewritten_members = {"xl/worksheets/sheet1.xml"}};
  const auto archive = [&] {
    return ArchiveOf({{"[Content_Types].xml", "<Types/>"},
                      {"xl/worksheets/sheet1.xml", sheet},
                      {"xl/media/image1.png", RandomBytes(1, 300'000)}});
  };
  std::string bytes = archive();
  ContentHash base = *store->Put(bytes, rewritten);
  for (int edit = 0; edit < 10; ++edit) {
    const uint64_t before = StoredBytes(*store);
    const size_t cell = sheet.find("<v>", sheet.size() / 11 * static_cast<size_t>(edit));
    sheet.replace(cell, 4, "<v>7");
    bytes = archive();
    PutOptions options = rewritten;
    options.similar_to = &base;
    base = *store->Put(bytes, options);
    const Result<std::string> got = store->Get(base);
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_TRUE(*got == bytes);
    EXPECT_LT(StoredBytes(*store) - before, 40'000U) << "edit " << edit;
  }
  ASSERT_TRUE(store->Collect({base}, {}).ok());
  EXPECT_TRUE(*store->Get(base) == bytes);
}

TEST(ZipStorageTest, OtherMembersAreSharedByTheirCompressedBytes) {
  TestFolder folder;
  const std::unique_ptr<ObjectStore> store = folder.Open();
  const std::string image = RandomBytes(2, 500'000);
  const ContentHash base = *store->Put(ArchiveOf({{"document.xml", "one"}, {"image", image}}), {});
  const uint64_t before = StoredBytes(*store);
  // The image moves by some bytes: a member's own seam keeps its chunks the same.
  const std::string moved = ArchiveOf({{"document.xml", Sheet(200)}, {"image", image}});
  ASSERT_TRUE(store->Put(moved, {.similar_to = &base}).ok());
  EXPECT_LT(StoredBytes(*store) - before, 12'000U);
  EXPECT_TRUE(*store->Get(ContentHash::Of(moved)) == moved);
}

TEST(ZipStorageTest, AMemberOfAnotherEncoderIsKeptAsItIs) {
  // The same archive with a member that our encoder would have written otherwise: stored blocks.
  const std::string content = Sheet(1'000).substr(0, 30'000);
  std::string archive = ArchiveOf({{"sheet", content}});
  const Result<ZipReader> reader = ZipReader::Open(archive, Limits());
  const ZipMember member = reader->members()[0];
  std::string blocks = {'\x01', static_cast<char>(content.size()),
                        static_cast<char>(content.size() >> 8), static_cast<char>(~content.size()),
                        static_cast<char>(~content.size() >> 8)};
  blocks += content;
  ASSERT_EQ(*ZipInflate(blocks, content.size(), content.size()), content);
  const auto put32 = [&](uint64_t offset, uint64_t number) {
    for (int i = 0; i < 4; ++i) archive[offset + i] = static_cast<char>(number >> (8 * i));
  };
  const uint64_t shift = blocks.size() - member.compressed_size_bytes;
  put32(member.header_offset + 18, blocks.size());
  put32(member.central_offset + 20, blocks.size());
  put32(archive.size() - 6, member.central_offset + shift);
  archive.replace(member.data_offset, member.compressed_size_bytes, blocks);
  ASSERT_EQ(
      *ZipReader::Open(archive, Limits())->Read(ZipReader::Open(archive, Limits())->members()[0]),
      content);

  const CutContent cut = CutForStorage(archive, {.rewritten_members = {"sheet"}}, 2);
  for (const CutPiece& piece : cut.pieces) EXPECT_FALSE(piece.deflated);
  TestFolder folder;
  const std::unique_ptr<ObjectStore> store = folder.Open();
  const ContentHash hash = *store->Put(archive, {.rewritten_members = {"sheet"}});
  EXPECT_TRUE(*store->Get(hash) == archive);
}

TEST(ZipStorageTest, RecipesAreOnlyForRewrittenMembers) {
  const std::string archive = ArchiveOf({{"sheet", Sheet(20'000)}, {"other", Sheet(20'001)}});
  const auto count_deflated = [&](const std::vector<std::string>& rewritten) {
    int count = 0;
    const CutContent cut = CutForStorage(archive, {.rewritten_members = rewritten}, 2);
    for (const CutPiece& piece : cut.pieces) count += piece.deflated ? 1 : 0;
    return count;
  };
  EXPECT_EQ(count_deflated({}), 0);
  EXPECT_EQ(count_deflated({"sheet"}), 1);
  EXPECT_EQ(count_deflated({"sheet", "other"}), 2);
}

TEST(ZipStorageTest, WhatItsWriterHasAtHandIsNotDeflatedAgain) {
  const std::string sheet = Sheet(20'000);
  const std::string archive = ArchiveOf({{"sheet", sheet}});
  const auto deflated = [](const std::string& content) {
    return std::make_shared<const DeflatedContent>(std::make_shared<const std::string>(content));
  };
  PutOptions options = {.rewritten_members = {"sheet"}};
  const CutContent without = CutForStorage(archive, options, 2);
  options.deflated = {deflated(Sheet(20'001)), deflated(sheet)};
  const CutContent with = CutForStorage(archive, options, 2);
  ASSERT_EQ(with.deflated.size(), 1U);
  EXPECT_EQ(with.deflated[0]->content(), sheet);
  ASSERT_EQ(with.pieces.size(), without.pieces.size());
  for (size_t i = 0; i < with.pieces.size(); ++i) {
    EXPECT_EQ(with.pieces[i].deflated, without.pieces[i].deflated);
    ASSERT_EQ(with.pieces[i].chunks.size(), without.pieces[i].chunks.size());
    for (size_t j = 0; j < with.pieces[i].chunks.size(); ++j) {
      EXPECT_EQ(with.pieces[i].chunks[j].hash, without.pieces[i].chunks[j].hash);
    }
  }
  TestFolder folder;
  const std::unique_ptr<ObjectStore> store = folder.Open();
  const ContentHash hash = *store->Put(archive, options);
  options.deflated.clear();
  EXPECT_TRUE(*store->Get(hash) == archive);
}

TEST(ZipStorageTest, AnotherContentAtHandProvesNothing) {
  const std::string archive = ArchiveOf({{"sheet", Sheet(20'000)}});
  PutOptions options = {.rewritten_members = {"sheet"}};
  options.deflated = {
      std::make_shared<const DeflatedContent>(std::make_shared<const std::string>(Sheet(20'001)))};
  const CutContent cut = CutForStorage(archive, options, 1);
  EXPECT_TRUE(cut.deflated.empty());
  TestFolder folder;
  const std::unique_ptr<ObjectStore> store = folder.Open();
  const ContentHash hash = *store->Put(archive, options);
  EXPECT_TRUE(*store->Get(hash) == archive);
}

// Real and hostile archives, with every member said to be rewritten: the bytes come back.
TEST(ZipStorageTest, CorpusComesBack) {
  const std::string corpus = testing::CorpusFolder();
  if (corpus.empty()) GTEST_SKIP() << testing::kNoCorpus;
  TestFolder folder;
  const std::unique_ptr<ObjectStore> store = folder.Open();
  size_t archives = 0;
  for (const auto& item : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!item.is_regular_file() || item.file_size() > 3'000'000) continue;
    std::ifstream stream(item.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!bytes.starts_with("PK")) continue;
    PutOptions options;
    const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
    if (reader.ok()) {
      for (const ZipMember& member : reader->members()) {
        options.rewritten_members.push_back(member.name);
      }
    }
    const Result<ContentHash> hash = store->Put(bytes, options);
    ASSERT_TRUE(hash.ok()) << item.path() << ": " << hash.status().message();
    const Result<std::string> got = store->Get(*hash);
    ASSERT_TRUE(got.ok()) << item.path() << ": " << got.status().message();
    ASSERT_TRUE(*got == bytes) << item.path();
    ++archives;
  }
  RecordProperty("archives", static_cast<int>(archives));
  EXPECT_GT(archives, 100U);
}

}  // namespace
}  // namespace staged
