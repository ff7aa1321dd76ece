#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/env.h"
#include "staged/operation.h"

// Content hashes that need not be computed again, by what stat says of a file: one flat file that
// is read whole. Layout (integers little-endian):
//
//   file    := magic[8] checksum:u64 count:u32 pool_bytes:u32 entry*count pool[pool_bytes]
//   entry   := path_offset:u32 path_bytes:u32 size:u64 modified:i64 changed:i64 inode:u64
//              device:u64 recorded:i64 hash[32] mode:u32 stat_kind:u8 entry_kind:u8 zero:u16
//
// Entries are sorted by path; the checksum covers all behind it. The magic names the version.
namespace staged {

class StatCacheWriter;

// Immutable and thread-safe.
class StatCache {
 public:
  StatCache() = default;
  StatCache(StatCache&& other) noexcept
      : bytes_(std::move(other.bytes_)), count_(other.count_), next_(other.next_.load()) {}

  // Of the workspace whose ".staged" this is. An absent, damaged or foreign file gives an empty
  // cache: everything is hashed again.
  [[nodiscard]] static StatCache Load(Directory& staged_directory);
  // Whether `bytes` are a whole stat cache. Never reads outside of them, whatever they are.
  [[nodiscard]] static std::optional<StatCache> Parse(std::string bytes);

  // The entry of a file whose status is now `status`, if nothing can have changed it since it was
  // recorded. Asking in order of paths is fastest.
  // `index`: where it was found, for CopyTo; may be nullptr.
  [[nodiscard]] std::optional<Entry> Lookup(std::string_view path, const FileStatus& status,
                                            size_t* index = nullptr) const;
  // Adds what Lookup found at `index` to `writer`, as recorded at `recorded_ns`.
  void CopyTo(StatCacheWriter& writer, size_t index, int64_t recorded_ns) const;
  [[nodiscard]] size_t size() const { return count_; }

 private:
  [[nodiscard]] std::string_view PathAt(size_t index) const;
  [[nodiscard]] size_t Find(std::string_view path) const;  // count_ when absent

  std::string bytes_;
  size_t count_ = 0;
  mutable std::atomic<size_t> next_{0};  // only a hint: where a scan in order is
};

// Collects the entries of one scan. Not thread-safe.
class StatCacheWriter {
 public:
  // `recorded_ns` is a time (Env::NowNs) from before `status` was read, which was before the
  // content was: so that what changed later got a later time stamp.
  void Add(std::string_view path, const FileStatus& status, const Entry& entry,
           int64_t recorded_ns);
  [[nodiscard]] size_t size() const { return items_.size(); }
  [[nodiscard]] std::string Encode();
  // Replaces the file atomically, without waiting for the disk. Errors: those of the disk; a
  // caller that only reads may ignore them.
  Status Save(Directory& staged_directory, Env& env);

 private:
  struct Item {
    std::string path;
    FileStatus status;
    Entry entry;
    int64_t recorded_ns;
  };
  std::vector<Item> items_;
};

}  // namespace staged
