#pragma once

#include <cstdint>

namespace staged {

// What a parser or decoder of untrusted bytes may spend. Every one takes these; reaching one gives
// kLimitExceeded, or a partial view with a diagnostic that names the limit.
struct Limits {
  uint64_t input_bytes_max = uint64_t{1} << 30;     // native file
  uint64_t expanded_bytes_max = uint64_t{2} << 30;  // all decompressed parts together
  uint64_t part_bytes_max = uint64_t{1} << 30;      // one decompressed part
  uint64_t records_max = 20'000'000;                // records of one view
  uint64_t parts_max = 100'000;                     // members of one container
  uint32_t depth_max = 512;                         // nesting of XML, JSON ...
  uint32_t diagnostics_max = 1'000;                 // kept; the rest is counted

  friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace staged
