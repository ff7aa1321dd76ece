#include "codec/zip.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "codec/little_endian.h"
#include "codec/zip_layout.h"

namespace staged {
namespace {

using zip::kCentralSizeBytes;
using zip::kEndSizeBytes;
using zip::kLocalSizeBytes;

Status Broken(const std::string& what) {
  return Status(ErrorCode::kParseFailed,
                "not a readable zip archive: " + what + "; restore the file from its source");
}

// Whether extracting that name into a folder would write outside it.
bool LeavesArchive(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.front() == '\\') return true;
  if (name.size() > 1 && name[1] == ':') return true;
  if (name.find('\0') != std::string_view::npos) return true;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

// Fills a ZipReader from the archive's end towards its members.
class ZipReader::Builder {
 public:
  explicit Builder(ZipReader& reader) : reader_(reader), bytes_(reader.bytes_) {}

  Status Build() {
    STAGED_RETURN_IF_ERROR(FindEnd());
    STAGED_RETURN_IF_ERROR(LocateDirectory());
    STAGED_RETURN_IF_ERROR(ReadDirectory());
    STAGED_RETURN_IF_ERROR(CheckExpansion());
    IndexNames();
    CheckLayout();
    return OkStatus();
  }

 private:
  void Warn(std::string message) {
    if (reader_.warnings_.size() < reader_.limits_.diagnostics_max) {
      reader_.warnings_.push_back(std::move(message));
    }
  }

  // The end record whose comment reaches exactly to the end of the file; else the last signature.
  Status FindEnd() {
    if (bytes_.size() < kEndSizeBytes) return Broken("shorter than an end record");
    const size_t last = bytes_.size() - kEndSizeBytes;
    const size_t first = last > zip::kCommentSizeBytesMax ? last - zip::kCommentSizeBytesMax : 0;
    std::optional<size_t> loose;
    for (size_t i = last + 1; i-- > first;) {
      if (Load32(bytes_, i) != zip::kEndSignature) continue;
      if (i + kEndSizeBytes + Load16(bytes_, i + 20) == bytes_.size()) {
        reader_.end_record_offset_ = i;
        return OkStatus();
      }
      if (!loose) loose = i;
    }
    if (!loose) return Broken("no end of central directory record (truncated?)");
    Warn("bytes follow the end of the archive, or its comment is cut");
    reader_.end_record_offset_ = *loose;
    return OkStatus();
  }

  Status LocateDirectory() {
    const uint64_t end = reader_.end_record_offset_;
    entry_count_ = Load16(bytes_, end + 10);
    uint64_t size = Load32(bytes_, end + 12);
    uint64_t offset = Load32(bytes_, end + 16);
    uint64_t directory_limit = end;
    if (end >= zip::kZip64LocatorSizeBytes &&
        Load32(bytes_, end - zip::kZip64LocatorSizeBytes) == zip::kZip64LocatorSignature) {
      const uint64_t locator = end - zip::kZip64LocatorSizeBytes;
      STAGED_ASSIGN_OR_RETURN(const uint64_t zip64, FindZip64End(locator));
      reader_.zip64_end_offset_ = zip64;
      directory_limit = zip64;
      entry_count_ = Load64(bytes_, zip64 + 32);
      size = Load64(bytes_, zip64 + 40);
      offset = Load64(bytes_, zip64 + 48);
    }
    if (size > directory_limit || offset > directory_limit - size) {
      return Broken("its central directory lies outside the file");
    }
    // What stands before the archive (a stub, a shebang line) shifts every offset.
    const uint64_t shifted = directory_limit - size;
    const auto is_directory = [&](uint64_t at) {
      return size == 0 || (at + 4 <= bytes_.size() && Load32(bytes_, at) == zip::kCentralSignature);
    };
    if (is_directory(offset)) {
      reader_.central_directory_offset_ = offset;
    } else if (is_directory(shifted)) {
      reader_.central_directory_offset_ = shifted;
      reader_.leading_bytes_ = shifted - offset;
    } else {
      return Broken("no central directory where its end record says");
    }
    reader_.central_directory_end_ = reader_.central_directory_offset_ + size;
    return OkStatus();
  }

  Result<uint64_t> FindZip64End(uint64_t locator) {
    const uint64_t declared = Load64(bytes_, locator + 8);
    const auto fits = [&](uint64_t at) {
      return at <= locator && locator - at >= zip::kZip64EndSizeBytes &&
             Load32(bytes_, at) == zip::kZip64EndSignature;
    };
    if (fits(declared)) return declared;
    const uint64_t adjacent = locator - std::min(locator, uint64_t{zip::kZip64EndSizeBytes});
    if (fits(adjacent)) return adjacent;
    return Broken("its zip64 end record is missing");
  }

  Status ReadDirectory() {
    uint64_t at = reader_.central_directory_offset_;
    const uint64_t end = reader_.central_directory_end_;
    while (at < end) {
      if (end - at < kCentralSizeBytes || Load32(bytes_, at) != zip::kCentralSignature) {
        if (reader_.members_.size() >= entry_count_) break;  // a directory signature may follow
        return Broken("entry " + std::to_string(reader_.members_.size() + 1) +
                      " of its central directory is damaged");
      }
      if (reader_.members_.size() >= reader_.limits_.parts_max) {
        return Status(ErrorCode::kLimitExceeded, "the archive has more than " +
                                                     std::to_string(reader_.limits_.parts_max) +
                                                     " members; raise the limit parts_max");
      }
      STAGED_ASSIGN_OR_RETURN(ZipMember member, ReadEntry(at, end));
      at += member.central_size_bytes;
      reader_.members_.push_back(std::move(member));
    }
    if (reader_.members_.size() != entry_count_) {
      Warn("the archive declares " + std::to_string(entry_count_) + " members and has " +
           std::to_string(reader_.members_.size()));
    }
    return OkStatus();
  }

  Result<ZipMember> ReadEntry(uint64_t at, uint64_t end) {
    const uint64_t name_size = Load16(bytes_, at + 28);
    const uint64_t extra_size = Load16(bytes_, at + 30);
    const uint64_t comment_size = Load16(bytes_, at + 32);
    ZipMember member;
    member.central_offset = at;
    member.central_size_bytes = kCentralSizeBytes + name_size + extra_size + comment_size;
    if (member.central_size_bytes > end - at) {
      return Broken("entry " + std::to_string(reader_.members_.size() + 1) +
                    " of its central directory is cut");
    }
    member.name = std::string(bytes_.substr(at + kCentralSizeBytes, name_size));
    member.flags = Load16(bytes_, at + 8);
    member.method = Load16(bytes_, at + 10);
    member.crc32 = Load32(bytes_, at + 16);
    member.compressed_size_bytes = Load32(bytes_, at + 20);
    member.size_bytes = Load32(bytes_, at + 24);
    uint64_t header = Load32(bytes_, at + 42);
    ReadZip64Extra(bytes_.substr(at + kCentralSizeBytes + name_size, extra_size), member, header);
    PlaceMember(member, header);
    if (LeavesArchive(member.name)) Warn("unsafe member name: " + member.name);
    return member;
  }

  static void ReadZip64Extra(std::string_view extra, ZipMember& member, uint64_t& header) {
    while (extra.size() >= 4) {
      const size_t size = std::min<size_t>(Load16(extra, 2), extra.size() - 4);
      if (Load16(extra, 0) == zip::kZip64ExtraId) {
        std::string_view fields = extra.substr(4, size);
        for (uint64_t* field : {&member.size_bytes, &member.compressed_size_bytes, &header}) {
          if (*field != zip::kSaturated32 || fields.size() < 8) continue;
          *field = Load64(fields, 0);
          fields.remove_prefix(8);
        }
        return;
      }
      extra.remove_prefix(4 + size);
    }
  }

  // Finds the compressed bytes behind the local header, or marks the member unreadable.
  void PlaceMember(ZipMember& member, uint64_t header) {
    const uint64_t size = bytes_.size();
    const uint64_t at = header + reader_.leading_bytes_;
    member.header_offset = at;
    member.is_readable = header < size && at < size && size - at >= kLocalSizeBytes &&
                         Load32(bytes_, at) == zip::kLocalSignature;
    if (member.is_readable) {
      const uint64_t name_size = Load16(bytes_, at + 26);
      member.data_offset = at + kLocalSizeBytes + name_size + Load16(bytes_, at + 28);
      member.is_readable =
          member.data_offset <= size && member.compressed_size_bytes <= size - member.data_offset;
      if (member.is_readable && bytes_.substr(at + kLocalSizeBytes, name_size) != member.name) {
        Warn("a member's two names differ: " + member.name);
      }
    }
    if (!member.is_readable) {
      Warn("the data of this member lies outside the archive: " + member.name);
      reader_.is_spliceable_ = false;
    }
  }

  // Every read is capped by its declared size, so the sum of those bounds all reading.
  Status CheckExpansion() {
    uint64_t total = 0;
    for (const ZipMember& member : reader_.members_) {
      if (!member.is_readable) continue;
      const uint64_t size =
          std::min(member.size_bytes, member.compressed_size_bytes * zip::kDeflateRatioMax);
      if (size > reader_.limits_.expanded_bytes_max - total) {
        return Status(ErrorCode::kLimitExceeded,
                      "the archive would expand to more than " +
                          std::to_string(reader_.limits_.expanded_bytes_max) +
                          " bytes; if it is no zip bomb, raise the limit expanded_bytes_max");
      }
      total += size;
    }
    return OkStatus();
  }

  void IndexNames() {
    std::vector<uint32_t>& order = reader_.by_name_;
    const std::vector<ZipMember>& members = reader_.members_;
    order.resize(members.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
      return members[left].name < members[right].name;
    });
    for (size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].name != members[order[i - 1]].name) continue;
      reader_.has_duplicate_names_ = true;
      Warn("two members have the same name; the last one counts: " + members[order[i]].name);
    }
  }

  // Overlapping members are how some bombs multiply; they can be read but not copied apart.
  void CheckLayout() {
    const std::vector<ZipMember>& members = reader_.members_;
    std::vector<uint32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
      return members[left].header_offset < members[right].header_offset;
    });
    uint64_t covered = 0;
    for (const uint32_t index : order) {
      const ZipMember& member = members[index];
      if (!member.is_readable) continue;
      if (member.header_offset < covered) {
        Warn("this member overlaps the one before it: " + member.name);
        reader_.is_spliceable_ = false;
      }
      covered = std::max(covered, member.data_offset + member.compressed_size_bytes);
    }
    if (covered > reader_.central_directory_offset_) {
      Warn("a member overlaps the central directory");
      reader_.is_spliceable_ = false;
    }
  }

  ZipReader& reader_;
  std::string_view bytes_;
  uint64_t entry_count_ = 0;
};

Result<ZipReader> ZipReader::Open(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.input_bytes_max) {
    return Status(ErrorCode::kLimitExceeded, "the archive is larger than " +
                                                 std::to_string(limits.input_bytes_max) +
                                                 " bytes; raise the limit input_bytes_max");
  }
  ZipReader reader;
  reader.bytes_ = bytes;
  reader.limits_ = limits;
  STAGED_RETURN_IF_ERROR(Builder(reader).Build());
  return reader;
}

const ZipMember* ZipReader::Find(std::string_view name) const {
  const auto after = std::upper_bound(
      by_name_.begin(), by_name_.end(), name,
      [&](std::string_view wanted, uint32_t index) { return wanted < members_[index].name; });
  if (after == by_name_.begin()) return nullptr;
  const ZipMember& member = members_[*(after - 1)];
  return member.name == name ? &member : nullptr;
}

std::string_view ZipReader::CompressedBytes(const ZipMember& member) const {
  if (!member.is_readable) return {};
  return bytes_.substr(member.data_offset, member.compressed_size_bytes);
}

Result<std::string> ZipReader::Read(const ZipMember& member) const {
  const auto broken = [&](std::string_view what) {
    return Status(ErrorCode::kParseFailed, "zip member '" + member.name + "' " + std::string(what) +
                                               "; restore the file from its source");
  };
  if (!member.is_readable) return broken("lies outside the archive");
  if ((member.flags & zip::kFlagEncrypted) != 0) {
    return Status(ErrorCode::kParseFailed, "zip member '" + member.name +
                                               "' is encrypted; save the file without a password");
  }
  if (member.size_bytes > limits_.part_bytes_max) {
    return Status(ErrorCode::kLimitExceeded, "zip member '" + member.name + "' would expand to " +
                                                 std::to_string(member.size_bytes) +
                                                 " bytes; raise the limit part_bytes_max");
  }
  const std::string_view compressed = CompressedBytes(member);
  std::string content;
  if (member.method == zip::kStored) {
    content = std::string(compressed);
  } else if (member.method == zip::kDeflated) {
    Result<std::string> inflated = ZipInflate(compressed, member.size_bytes, member.size_bytes);
    if (!inflated.ok()) {
      return broken(inflated.status().code() == ErrorCode::kLimitExceeded
                        ? "is larger than it declares"
                        : "has damaged compressed data");
    }
    content = *std::move(inflated);
  } else {
    return broken("uses compression method " + std::to_string(member.method) +
                  ", which is not deflate");
  }
  if (content.size() != member.size_bytes) return broken("has another size than it declares");
  if (Crc32(content) != member.crc32) return broken("fails its checksum");
  return content;
}

}  // namespace staged
