#include "store/chunker.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>
#include <string>

#include "store/object_format.h"

namespace staged {
namespace {

std::string RandomBytes(uint64_t seed, size_t size_bytes) {
  std::mt19937_64 random(seed);
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::set<std::string_view> Chunks(std::string_view bytes) {
  std::set<std::string_view> chunks;
  for (const uint32_t size : CutIntoChunks(bytes)) {
    chunks.insert(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return chunks;
}

TEST(ChunkerTest, SizesKeepTheirBoundsAndSumUp) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{kChunkMinBytes}, size_t{kChunkMinBytes + 1},
        size_t{kChunkMaxBytes}, size_t{3'000'000}}) {
    for (const std::string& bytes : {RandomBytes(size, size), std::string(size, 'x')}) {
      const std::vector<uint32_t> sizes = CutIntoChunks(bytes);
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}), size);
      for (size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_LE(sizes[i], kChunkMaxBytes);
        if (i + 1 < sizes.size()) {
          EXPECT_GT(sizes[i], kChunkMinBytes);
        }
      }
    }
  }
}

TEST(ChunkerTest, AverageIsNearTheTarget) {
  const size_t count = CutIntoChunks(RandomBytes(1, 20'000'000)).size();
  EXPECT_GT(20'000'000 / count, kChunkAverageBytes / 2);
  EXPECT_LT(20'000'000 / count, kChunkAverageBytes * 2);
}

TEST(ChunkerTest, AnInsertionMovesOnlyTheCutsNextToIt) {
  const std::string before = RandomBytes(2, 4'000'000);
  for (const size_t at : {size_t{0}, size_t{1'234'567}, size_t{3'999'999}}) {
    std::string after = before;
    after.insert(at, "some inserted bytes");
    const std::set<std::string_view> old_chunks = Chunks(before);
    size_t fresh = 0;
    for (const std::string_view chunk : Chunks(after)) fresh += old_chunks.contains(chunk) ? 0 : 1;
    EXPECT_LE(fresh, 3U) << "inserted at " << at;
  }
}

TEST(ChunkerTest, CutsNeverChange) {
  // Other cuts would still be read, but would share nothing with what is on disk.
  const std::vector<uint32_t> sizes = CutIntoChunks(RandomBytes(3, 200'000));
  const std::vector<uint32_t> expected = {38'142, 42'788, 37'075, 38'393, 38'168, 5'434};
  EXPECT_EQ(sizes, expected);
}

}  // namespace
}  // namespace staged
