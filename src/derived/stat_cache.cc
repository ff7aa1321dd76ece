#include "derived/stat_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/binary.h"

namespace staged {
namespace {

constexpr char kFolder[] = "derived";
constexpr char kFile[] = "derived/stat_cache";
constexpr std::string_view kMagic = "STATCHE1";
constexpr size_t kHeaderBytes = 24;
constexpr size_t kChecksumOffset = 8;
constexpr size_t kCheckedOffset = 16;
constexpr size_t kEntryBytes = 96;
constexpr uint64_t kFileBytesMax = uint64_t{1} << 30;
constexpr uint32_t kFileMode = 0600;
constexpr uint32_t kFolderMode = 0700;

// Kernels stamp files with a clock that moves once a timer tick: 10 ms at the slowest rate in use
// (100 Hz). A second write within the tick of the first leaves the same time stamp.
constexpr int64_t kTickNs = 10'000'000;
// Some file systems keep whole seconds, FAT even pairs of them.
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kCoarseTickNs = 2 * kSecondNs;

template <typename T>
T Load(const char* from) {
  T number;
  std::memcpy(&number, from, sizeof(number));
  if constexpr (std::endian::native == std::endian::big) {
    auto* bytes = reinterpret_cast<unsigned char*>(&number);
    std::reverse(bytes, bytes + sizeof(number));
  }
  return number;
}

// Against damage, not against malice; eight bytes a step.
uint64_t Checksum(std::string_view bytes) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
  uint64_t sum = bytes.size() * kMultiplier;
  while (bytes.size() >= 8) {
    sum = std::rotl((sum ^ Load<uint64_t>(bytes.data())) * kMultiplier, 29);
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) {
    sum = std::rotl((sum ^ static_cast<unsigned char>(byte)) * kMultiplier, 29);
  }
  return sum ^ (sum >> 32);
}

bool IsOldEnough(const FileStatus& status, int64_t recorded_ns) {
  const bool is_coarse = status.modified_ns % kSecondNs == 0 && status.changed_ns % kSecondNs == 0;
  const int64_t tick_ns = is_coarse ? kCoarseTickNs : kTickNs;
  return std::max(status.modified_ns, status.changed_ns) < recorded_ns - tick_ns;
}

}  // namespace

StatCache StatCache::Load(Directory& staged_directory) {
  Result<std::string> bytes = staged_directory.ReadFile(kFile, kFileBytesMax);
  if (!bytes.ok()) return {};
  std::optional<StatCache> cache = Parse(*std::move(bytes));
  return cache ? *std::move(cache) : StatCache();
}

std::optional<StatCache> StatCache::Parse(std::string bytes) {
  if (bytes.size() < kHeaderBytes || !std::string_view(bytes).starts_with(kMagic)) return {};
  const uint64_t count = staged::Load<uint32_t>(bytes.data() + 16);
  const uint64_t pool_bytes = staged::Load<uint32_t>(bytes.data() + 20);
  if (bytes.size() != kHeaderBytes + count * kEntryBytes + pool_bytes) return {};
  if (staged::Load<uint64_t>(bytes.data() + kChecksumOffset) !=
      Checksum(std::string_view(bytes).substr(kCheckedOffset))) {
    return {};
  }
  StatCache cache;
  cache.bytes_ = std::move(bytes);
  cache.count_ = count;
  for (size_t i = 0; i < count; ++i) {
    const char* entry = cache.bytes_.data() + kHeaderBytes + i * kEntryBytes;
    const uint64_t begin = staged::Load<uint32_t>(entry);
    if (begin + staged::Load<uint32_t>(entry + 4) > pool_bytes) return {};
  }
  return cache;
}

std::string_view StatCache::PathAt(size_t index) const {
  const char* entry = bytes_.data() + kHeaderBytes + index * kEntryBytes;
  const char* pool = bytes_.data() + kHeaderBytes + count_ * kEntryBytes;
  return {pool + staged::Load<uint32_t>(entry), staged::Load<uint32_t>(entry + 4)};
}

size_t StatCache::Find(std::string_view path) const {
  const size_t hint = next_.load(std::memory_order_relaxed);
  if (hint < count_ && PathAt(hint) == path) {
    next_.store(hint + 1, std::memory_order_relaxed);
    return hint;
  }
  size_t low = 0;
  size_t high = count_;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (PathAt(middle) < path) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == count_ || PathAt(low) != path) return count_;
  next_.store(low + 1, std::memory_order_relaxed);
  return low;
}

std::optional<Entry> StatCache::Lookup(std::string_view path, const FileStatus& status,
                                       size_t* index_found) const {
  const size_t index = Find(path);
  if (index_found != nullptr) *index_found = index;
  if (index == count_) return {};
  const char* entry = bytes_.data() + kHeaderBytes + index * kEntryBytes;
  const bool is_same = staged::Load<uint64_t>(entry + 8) == status.size_bytes &&
                       staged::Load<int64_t>(entry + 16) == status.modified_ns &&
                       staged::Load<int64_t>(entry + 24) == status.changed_ns &&
                       staged::Load<uint64_t>(entry + 32) == status.inode &&
                       staged::Load<uint64_t>(entry + 40) == status.device &&
                       staged::Load<uint32_t>(entry + 88) == status.mode &&
                       staged::Load<uint8_t>(entry + 92) == static_cast<uint8_t>(status.kind);
  if (!is_same || !IsOldEnough(status, staged::Load<int64_t>(entry + 48))) return {};
  const auto kind = staged::Load<uint8_t>(entry + 93);
  if (kind != static_cast<uint8_t>(EntryKind::kFile) &&
      kind != static_cast<uint8_t>(EntryKind::kExecutable) &&
      kind != static_cast<uint8_t>(EntryKind::kSymlink)) {
    return {};
  }
  return Entry{static_cast<EntryKind>(kind),
               ContentHash::FromRaw({entry + 56, ContentHash::kSizeBytes})};
}

void StatCache::CopyTo(StatCacheWriter& writer, size_t index, int64_t recorded_ns) const {
  const char* entry = bytes_.data() + kHeaderBytes + index * kEntryBytes;
  FileStatus status;
  status.size_bytes = staged::Load<uint64_t>(entry + 8);
  status.modified_ns = staged::Load<int64_t>(entry + 16);
  status.changed_ns = staged::Load<int64_t>(entry + 24);
  status.inode = staged::Load<uint64_t>(entry + 32);
  status.device = staged::Load<uint64_t>(entry + 40);
  status.mode = staged::Load<uint32_t>(entry + 88);
  status.kind = static_cast<FileKind>(staged::Load<uint8_t>(entry + 92));
  writer.Add(PathAt(index), status,
             Entry{static_cast<EntryKind>(staged::Load<uint8_t>(entry + 93)),
                   ContentHash::FromRaw({entry + 56, ContentHash::kSizeBytes})},
             recorded_ns);
}

void StatCacheWriter::Add(std::string_view path, const FileStatus& status, const Entry& entry,
                          int64_t recorded_ns) {
  items_.push_back({std::string(path), status, entry, recorded_ns});
}

std::string StatCacheWriter::Encode() {
  const auto is_before = [](const Item& left, const Item& right) { return left.path < right.path; };
  if (!std::is_sorted(items_.begin(), items_.end(), is_before)) {
    std::stable_sort(items_.begin(), items_.end(), is_before);
  }
  BinaryWriter writer;
  std::string pool;
  for (const Item& item : items_) pool += item.path;
  writer.PutFixed32(static_cast<uint32_t>(items_.size()));
  writer.PutFixed32(static_cast<uint32_t>(pool.size()));
  uint32_t offset = 0;
  for (const Item& item : items_) {
    writer.PutFixed32(offset);
    writer.PutFixed32(static_cast<uint32_t>(item.path.size()));
    writer.PutFixed64(item.status.size_bytes);
    writer.PutFixed64(static_cast<uint64_t>(item.status.modified_ns));
    writer.PutFixed64(static_cast<uint64_t>(item.status.changed_ns));
    writer.PutFixed64(item.status.inode);
    writer.PutFixed64(item.status.device);
    writer.PutFixed64(static_cast<uint64_t>(item.recorded_ns));
    writer.PutHash(item.entry.hash);
    writer.PutFixed32(item.status.mode);
    writer.PutByte(static_cast<uint8_t>(item.status.kind));
    writer.PutByte(static_cast<uint8_t>(item.entry.kind));
    writer.PutByte(0);
    writer.PutByte(0);
    offset += static_cast<uint32_t>(item.path.size());
  }
  writer.PutRaw(pool);
  BinaryWriter header;
  header.PutRaw(kMagic);
  header.PutFixed64(Checksum(writer.bytes()));
  return header.Take() + writer.bytes();
}

Status StatCacheWriter::Save(Directory& staged_directory, Env& env) {
  uint64_t unique = 0;
  const std::string random = env.RandomBytes(sizeof(unique));
  std::memcpy(&unique, random.data(), std::min(sizeof(unique), random.size()));
  const std::string temporary = std::string(kFile) + ".tmp" + std::to_string(unique);
  Result<std::unique_ptr<File>> file = staged_directory.Create(temporary, kFileMode);
  if (!file.ok() && file.status().code() == ErrorCode::kNotFound) {
    const Status made = staged_directory.MakeDirectory(kFolder, kFolderMode);
    if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
    file = staged_directory.Create(temporary, kFileMode);
  }
  if (!file.ok()) return std::move(file).status();
  Status status = (*file)->WriteAt(0, Encode());
  if (status.ok()) status = staged_directory.Rename(temporary, staged_directory, kFile);
  if (!status.ok()) (void)staged_directory.RemoveFile(temporary);
  return status;
}

}  // namespace staged
