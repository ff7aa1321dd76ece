#include "store/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace staged {

uint64_t Checksum(std::string_view bytes) { return XXH64(bytes.data(), bytes.size(), 0); }

uint64_t Checksum(std::string_view first, std::string_view second) {
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  XXH64_update(&state, first.data(), first.size());
  XXH64_update(&state, second.data(), second.size());
  return XXH64_digest(&state);
}

}  // namespace staged
