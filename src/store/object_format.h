#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The constants of the object store's files; docs/storage-format.md draws the layouts. All fixed
// integers are little-endian, `varint` is unsigned LEB128, `checksum` is XXH64 with seed 0.
namespace staged {

// Names inside the objects folder.
inline constexpr std::string_view kObjectFormatFile = "format";
inline constexpr std::string_view kObjectTemporaryFolder = "tmp";
inline constexpr std::string_view kObjectPackFolder = "packs";
inline constexpr std::string_view kPackSuffix = ".pack";

// The line in the file `format`, followed by the decimal version and a newline.
inline constexpr std::string_view kObjectFormatPrefix = "staged-objects ";
inline constexpr int kObjectFormatVersion = 1;

// A bundle: fixed head, header, payloads.
inline constexpr std::string_view kBundleMagic = "SWOB";
inline constexpr uint8_t kBundleVersion = 1;
inline constexpr size_t kBundleHeadSizeBytes = 28;

enum class BundleKind : uint8_t {
  kContent = 1,  // can be read back
  kCarrier = 2,  // only holds payloads that other bundles use; no content of the store
};

enum class PayloadCodec : uint8_t { kRaw = 0, kZstd = 1 };

enum class StepKind : uint8_t {
  kCopy = 1,     // payloads, one after the other
  kDeflate = 2,  // what the following copies give, deflated
};

// No payload is larger, so that a damaged size cannot ask for memory.
inline constexpr uint64_t kPayloadSizeMaxBytes = uint64_t{1} << 20;
inline constexpr uint64_t kBundleHeaderSizeMaxBytes = uint64_t{1} << 28;
inline constexpr uint64_t kContentSizeMaxBytes = uint64_t{1} << 36;

// A pack: fixed head, bundles, index, footer.
inline constexpr std::string_view kPackMagic = "SWOP";
inline constexpr std::string_view kPackEndMagic = "SWOE";
inline constexpr uint8_t kPackVersion = 1;
inline constexpr size_t kPackHeadSizeBytes = 8;
inline constexpr size_t kPackSliceCount = 256;  // by the first byte of the hash
// hash[32] bundle_id[8] offset[8] size[8] native_size[8] kind[1]
inline constexpr size_t kPackEntrySizeBytes = 65;
// per slice: end (count of entries up to and with it)[8], checksum[8]
inline constexpr size_t kPackSliceEntrySizeBytes = 16;
// slices, index_offset[8], version[1], zero[3], checksum[8], magic[4]
inline constexpr size_t kPackFooterSizeBytes = kPackSliceCount * kPackSliceEntrySizeBytes + 24;

// How contents are cut. A reader does not depend on these.
inline constexpr uint64_t kWholeContentMaxBytes = 128 << 10;  // up to this: one payload
inline constexpr uint64_t kWholeZipMaxBytes = 16 << 10;
inline constexpr uint64_t kChunkMinBytes = 8 << 10;
inline constexpr uint64_t kChunkAverageBytes = 32 << 10;
inline constexpr uint64_t kChunkMaxBytes = 128 << 10;
inline constexpr uint64_t kZipPieceMinBytes = 4 << 10;  // smaller neighbours are one piece
inline constexpr uint64_t kRecipeMinBytes = 16 << 10;   // smaller members stay as they are
inline constexpr int kZstdLevel = 1;

}  // namespace staged
