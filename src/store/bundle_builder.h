#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/bundle.h"
#include "store/content_cutter.h"

namespace staged {

// Chunks that bundles on disk hold already.
class KnownChunks {
 public:
  struct Place {
    size_t home = 0;  // index into homes()
    uint32_t ordinal = 0;
  };

  // The first bundle that holds a chunk stays its home.
  void Add(const BundleHeader& header);
  [[nodiscard]] const Place* Find(const ContentHash& hash) const;
  [[nodiscard]] const std::vector<BundleKey>& homes() const { return homes_; }

 private:
  std::vector<BundleKey> homes_;
  std::unordered_map<ContentHash, Place> places_;
};

// A bundle ready to be written: the encoded header and then the payloads, one after the other.
struct EncodedBundle {
  BundleHeader header;
  std::string encoded_header;
  std::vector<std::string_view> payloads;  // borrowed from the content or from `compressed`
  std::list<std::string> compressed;

  [[nodiscard]] uint64_t size_bytes() const {
    return encoded_header.size() + header.payloads_size_bytes();
  }
};

// Borrows from `cut` (and so from its content).
[[nodiscard]] EncodedBundle BuildBundle(const CutContent& cut, const KnownChunks& known,
                                        int threads);

}  // namespace staged
