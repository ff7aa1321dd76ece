#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/content_hash.h"
#include "staged/status.h"
#include "store/object_format.h"

// One content on disk: a header that says how to put it together, and the payloads (chunks) that no
// bundle before it held. Pure functions of bytes; no I/O.
namespace staged {

// Tells apart two bundles of one content that were cut or shared differently. Stays the same when a
// collection drops payloads.
using BundleId = std::array<uint8_t, 8>;

struct Payload {
  // Its number in the bundle: never changes, also when others before it are dropped.
  uint32_t ordinal = 0;
  PayloadCodec codec = PayloadCodec::kRaw;
  uint64_t size_bytes = 0;
  uint64_t stored_size_bytes = 0;
  uint64_t offset = 0;  // from the bundle's first byte; follows from the sizes before it
  ContentHash hash;     // of the decompressed bytes

  friend bool operator==(const Payload&, const Payload&) = default;
};

// The bundle that physically holds payloads: reading never goes further than one step.
struct BundleKey {
  ContentHash hash;
  BundleId id{};

  friend auto operator<=>(const BundleKey&, const BundleKey&) = default;
};

struct Step {
  StepKind kind = StepKind::kCopy;
  // kCopy: payloads `first` .. `first + count - 1` of home 0 (this bundle) or homes[home - 1].
  uint64_t home = 0;
  uint64_t first = 0;
  uint64_t count = 0;
  // kDeflate: the next `count` steps (all copies) give the input, `size_bytes` is the output's
  // size.
  uint64_t size_bytes = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

struct BundleHeader {
  BundleKind kind = BundleKind::kContent;
  BundleKey key;
  uint64_t native_size_bytes = 0;
  std::string encoder;  // name and version of the deflate encoder; empty without kDeflate steps
  std::vector<BundleKey> homes;
  std::vector<Step> steps;        // none in a carrier
  std::vector<Payload> payloads;  // sorted by ordinal

  // The payload of that ordinal or nullptr.
  [[nodiscard]] const Payload* Find(uint64_t ordinal) const;
  [[nodiscard]] uint64_t payloads_size_bytes() const;
  friend bool operator==(const BundleHeader&, const BundleHeader&) = default;
};

// What the fixed head says; enough to know how much more to read.
struct BundleHead {
  uint64_t header_size_bytes = 0;  // with the head: offset of the first payload
  uint64_t payloads_size_bytes = 0;

  [[nodiscard]] uint64_t bundle_size_bytes() const {
    return header_size_bytes + payloads_size_bytes;
  }
};

// The id that follows from the payloads a bundle is made with.
[[nodiscard]] BundleId MakeBundleId(const std::vector<Payload>& payloads);

// Head and header; the payloads follow it in order. Fills in the payloads' offsets.
[[nodiscard]] std::string EncodeBundleHeader(BundleHeader& header);

// `bytes` begins with a bundle. Errors: kDataLoss, and kUnsupportedEdit for a newer version. The
// sizes are not proven until DecodeBundleHeader has checked them.
[[nodiscard]] Result<BundleHead> DecodeBundleHead(std::string_view bytes);

// `bytes` holds at least the head and the header. Checks the checksum and every bound that can be
// checked without other bundles. Errors as above.
[[nodiscard]] Result<BundleHeader> DecodeBundleHeader(std::string_view bytes);

}  // namespace staged
