// A stat cache of any bytes: never crashes, never reads outside of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "derived/stat_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  staged::FileStatus status;
  status.kind = staged::FileKind::kFile;
  if (const auto cache = staged::StatCache::Parse(bytes)) {
    (void)cache->Lookup("a", status);
    (void)cache->Lookup("", status);
    (void)cache->Lookup(bytes, status);
  }
  // What was written is read back, whatever the paths.
  staged::StatCacheWriter writer;
  const staged::Entry entry{staged::EntryKind::kFile, staged::ContentHash::Of(bytes)};
  constexpr int64_t kRecordedNs = int64_t{1} << 60;
  writer.Add(bytes.substr(0, size / 2), status, entry, kRecordedNs);
  writer.Add(bytes.substr(size / 2), status, entry, kRecordedNs);
  const auto written = staged::StatCache::Parse(writer.Encode());
  if (!written || written->Lookup(bytes.substr(size / 2), status) != entry) abort();
  return 0;
}
