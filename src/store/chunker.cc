#include "store/chunker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "store/object_format.h"

namespace staged {
namespace {

// One random number per byte value (SplitMix64 from a fixed seed).
constexpr std::array<uint64_t, 256> MakeGear() {
  std::array<uint64_t, 256> gear{};
  uint64_t state = 0x5374616765644f62;
  for (uint64_t& entry : gear) {
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    entry = mixed ^ (mixed >> 31);
  }
  return gear;
}

constexpr std::array<uint64_t, 256> kGear = MakeGear();

// The hash's top bits depend on the last 64 bytes; lower ones on fewer.
constexpr uint64_t TopBits(int count) { return ~uint64_t{0} << (64 - count); }

constexpr int kAverageBits = std::countr_zero(kChunkAverageBytes);
// Cuts are made rare before the average size and likely after it, so that sizes gather there.
constexpr uint64_t kRareMask = TopBits(kAverageBits + 2);
constexpr uint64_t kLikelyMask = TopBits(kAverageBits - 2);

size_t FindCut(std::string_view bytes) {
  if (bytes.size() <= kChunkMinBytes) return bytes.size();
  const size_t end = std::min<size_t>(bytes.size(), kChunkMaxBytes);
  const size_t middle = std::min<size_t>(end, kChunkAverageBytes);
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  uint64_t hash = 0;
  size_t i = kChunkMinBytes;
  for (; i < middle; ++i) {
    hash = (hash << 1) + kGear[data[i]];
    if ((hash & kRareMask) == 0) return i + 1;
  }
  for (; i < end; ++i) {
    hash = (hash << 1) + kGear[data[i]];
    if ((hash & kLikelyMask) == 0) return i + 1;
  }
  return end;
}

}  // namespace

std::vector<uint32_t> CutIntoChunks(std::string_view bytes) {
  std::vector<uint32_t> sizes;
  sizes.reserve(bytes.size() / kChunkAverageBytes + 1);
  while (!bytes.empty()) {
    const size_t size = FindCut(bytes);
    sizes.push_back(static_cast<uint32_t>(size));
    bytes.remove_prefix(size);
  }
  return sizes;
}

}  // namespace staged
