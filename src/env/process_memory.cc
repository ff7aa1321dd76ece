#include "env/process_memory.h"

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <limits>

namespace staged {

void KeepFreedMemory() {
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD) && defined(M_TOP_PAD)
  constexpr int kLargestFromHeapBytes = 32 << 20;  // the most that glibc takes
  constexpr int kGrowthBytes = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestFromHeapBytes);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kGrowthBytes);
#endif
}

void ShareFreedMemory() {
#if defined(M_ARENA_MAX)
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace staged
