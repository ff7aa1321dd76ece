#include "codec/compound_file.h"

#include <algorithm>
#include <set>

#include "codec/little_endian.h"
#include "codec/text_encoding.h"

namespace staged {
namespace {

constexpr uint32_t kEndOfChain = 0xFFFFFFFE;
constexpr uint32_t kSectorMax = 0xFFFFFFFA;  // greater numbers have meanings of their own
constexpr uint32_t kNoEntry = 0xFFFFFFFF;
constexpr size_t kHeaderBytes = 512;
constexpr size_t kEntryBytes = 128;
constexpr uint8_t kStorage = 1;
constexpr uint8_t kStream = 2;

Status Damaged(std::string_view what) {
  return {ErrorCode::kParseFailed, "the compound file is damaged: " + std::string(what) +
                                       "; restore the file from its source"};
}

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

// A directory entry (MS-CFB 2.6.1).
struct Entry {
  std::string name;
  uint8_t type = 0;
  uint32_t left = kNoEntry;
  uint32_t right = kNoEntry;
  uint32_t child = kNoEntry;
  uint32_t first_sector = kEndOfChain;
  uint64_t size_bytes = 0;
};

Entry ReadEntry(std::string_view bytes, bool has_long_sizes) {
  Entry entry;
  const size_t name_bytes = std::min<size_t>(Load16(bytes, 64), 64);
  entry.name = Utf16LittleEndianToUtf8(bytes.substr(0, name_bytes < 2 ? 0 : name_bytes - 2));
  entry.type = static_cast<uint8_t>(bytes[66]);
  entry.left = Load32(bytes, 68);
  entry.right = Load32(bytes, 72);
  entry.child = Load32(bytes, 76);
  entry.first_sector = Load32(bytes, 116);
  entry.size_bytes = has_long_sizes ? Load64(bytes, 120) : Load32(bytes, 120);
  return entry;
}

}  // namespace

std::string_view CompoundFile::Sector(uint32_t sector) const {
  const uint64_t begin = (static_cast<uint64_t>(sector) + 1) * sector_bytes_;
  if (sector > kSectorMax || begin >= bytes_.size()) return {};
  return bytes_.substr(begin, sector_bytes_);
}

Status CompoundFile::ReadAllocation() {
  std::vector<uint32_t> tables;
  for (size_t at = 76; at < kHeaderBytes; at += 4) tables.push_back(Load32(bytes_, at));
  const size_t sectors_max = bytes_.size() / sector_bytes_ + 1;
  // Sectors that list further tables; the last number of each is the next of them.
  uint32_t more = Load32(bytes_, 68);
  for (size_t count = 0; more <= kSectorMax; ++count) {
    const std::string_view sector = Sector(more);
    const bool is_circle = count > sectors_max || tables.size() > sectors_max + kHeaderBytes;
    if (sector.size() < sector_bytes_ || is_circle) return Damaged("its table's list");
    for (size_t at = 0; at + 4 < sector_bytes_; at += 4) tables.push_back(Load32(sector, at));
    more = Load32(sector, sector_bytes_ - 4);
  }
  for (const uint32_t table : tables) {
    if (table > kSectorMax) continue;
    const std::string_view sector = Sector(table);
    if (sector.size() < sector_bytes_) return Damaged("its allocation table");
    if (next_.size() > sectors_max) break;
    for (size_t at = 0; at < sector_bytes_; at += 4) next_.push_back(Load32(sector, at));
  }
  return OkStatus();
}

Result<std::string> CompoundFile::ReadChain(uint32_t first, uint64_t size_bytes) const {
  std::string out;
  const size_t sectors_max = bytes_.size() / sector_bytes_ + 1;
  size_t count = 0;
  for (uint32_t sector = first; out.size() < size_bytes && sector != kEndOfChain;) {
    const std::string_view part = Sector(sector);
    if (part.empty() || sector >= next_.size() || ++count > sectors_max) {
      return Damaged("a chain of sectors");
    }
    out += part;
    sector = next_[sector];
  }
  out.resize(std::min<uint64_t>(out.size(), size_bytes));
  return out;
}

Status CompoundFile::ReadDirectory() {
  constexpr uint64_t kAll = UINT64_MAX;
  STAGED_ASSIGN_OR_RETURN(const std::string directory, ReadChain(Load32(bytes_, 48), kAll));
  std::vector<Entry> entries;
  const bool has_long_sizes = Load16(bytes_, 26) >= 4;
  for (size_t at = 0; at + kEntryBytes <= directory.size(); at += kEntryBytes) {
    entries.push_back(
        ReadEntry(std::string_view(directory).substr(at, kEntryBytes), has_long_sizes));
  }
  if (entries.empty()) return Damaged("no directory");
  if (entries.size() > limits_.parts_max) {
    return {ErrorCode::kLimitExceeded, "the compound file has more streams than parts_max"};
  }
  STAGED_ASSIGN_OR_RETURN(mini_stream_, ReadChain(entries[0].first_sector, entries[0].size_bytes));
  // Siblings form a tree; each entry is met once, whatever the links say.
  std::vector<std::pair<uint32_t, std::string>> open = {{entries[0].child, ""}};
  std::set<uint32_t> seen;
  while (!open.empty()) {
    const auto [index, folder] = open.back();
    open.pop_back();
    if (index >= entries.size() || !seen.insert(index).second) continue;
    const Entry& entry = entries[index];
    open.emplace_back(entry.left, folder);
    open.emplace_back(entry.right, folder);
    const std::string path = folder + entry.name;
    if (entry.type == kStorage) open.emplace_back(entry.child, path + "/");
    if (entry.type == kStream) streams_.push_back({path, entry.size_bytes, entry.first_sector});
  }
  std::sort(streams_.begin(), streams_.end(),
            [](const Stream& left, const Stream& right) { return left.path < right.path; });
  return OkStatus();
}

Result<CompoundFile> CompoundFile::Open(std::string_view bytes, const Limits& limits) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
    return Status(ErrorCode::kParseFailed, "no compound file; check the file's type");
  }
  CompoundFile file(bytes, limits);
  const uint16_t shift = Load16(bytes, 30);
  const uint16_t mini_shift = Load16(bytes, 32);
  if ((shift != 9 && shift != 12) || mini_shift != 6) return Damaged("its sector size");
  file.sector_bytes_ = size_t{1} << shift;
  file.mini_sector_bytes_ = size_t{1} << mini_shift;
  file.mini_cutoff_bytes_ = Load32(bytes, 56);
  STAGED_RETURN_IF_ERROR(file.ReadAllocation());
  constexpr uint64_t kAll = UINT64_MAX;
  if (Load32(bytes, 60) <= kSectorMax) {
    STAGED_ASSIGN_OR_RETURN(const std::string table, file.ReadChain(Load32(bytes, 60), kAll));
    for (size_t at = 0; at + 4 <= table.size(); at += 4) {
      file.next_mini_.push_back(Load32(table, at));
    }
  }
  STAGED_RETURN_IF_ERROR(file.ReadDirectory());
  return file;
}

const CompoundFile::Stream* CompoundFile::Find(std::string_view path) const {
  const std::string wanted = LowerAscii(path);
  for (const Stream& stream : streams_) {
    if (LowerAscii(stream.path) == wanted) return &stream;
  }
  return nullptr;
}

Result<std::string> CompoundFile::Read(const Stream& stream) const {
  if (stream.size_bytes > std::min<uint64_t>(bytes_.size(), limits_.part_bytes_max)) {
    return Damaged("a stream that is longer than the file");
  }
  if (stream.size_bytes >= mini_cutoff_bytes_) {
    STAGED_ASSIGN_OR_RETURN(std::string out, ReadChain(stream.first_sector, stream.size_bytes));
    if (out.size() < stream.size_bytes) return Damaged("a stream ends early");
    return out;
  }
  std::string out;
  for (uint32_t sector = stream.first_sector; out.size() < stream.size_bytes;) {
    const uint64_t begin = static_cast<uint64_t>(sector) * mini_sector_bytes_;
    if (sector >= next_mini_.size() || begin >= mini_stream_.size()) {
      return Damaged("a short stream");
    }
    out += std::string_view(mini_stream_).substr(begin, mini_sector_bytes_);
    sector = next_mini_[sector];
  }
  out.resize(stream.size_bytes);
  return out;
}

}  // namespace staged
