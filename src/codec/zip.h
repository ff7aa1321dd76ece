#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/content_hash.h"
#include "staged/limits.h"
#include "staged/status.h"

// ZIP archives (APPNOTE.TXT 6.3.10), read with bounds and spliced without touching what is not
// named. Declared sizes are never trusted. Thread-safe for reading.
namespace staged {

struct ZipMember {
  std::string name;     // exact bytes
  uint16_t method = 0;  // 0 stored, 8 deflate; others are listed but not read
  uint16_t flags = 0;
  uint32_t crc32 = 0;
  uint64_t compressed_size_bytes = 0;
  uint64_t size_bytes = 0;      // as declared
  uint64_t header_offset = 0;   // of the local header in the archive
  uint64_t data_offset = 0;     // of the compressed bytes
  bool is_readable = true;      // false when header or data lie outside the archive
  uint64_t central_offset = 0;  // of its central directory entry
  uint64_t central_size_bytes = 0;
};

// Borrows the archive's bytes.
class ZipReader {
 public:
  // Errors: kParseFailed (no or a broken central directory: says which), kLimitExceeded.
  [[nodiscard]] static Result<ZipReader> Open(std::string_view bytes, const Limits& limits);

  [[nodiscard]] const std::vector<ZipMember>& members() const {
    return members_;
  }  // directory order
  // The member of that name; the last one where a name stands twice (as office suites do), or
  // nullptr. Lookup is exact bytes.
  [[nodiscard]] const ZipMember* Find(std::string_view name) const;
  [[nodiscard]] bool has_duplicate_names() const { return has_duplicate_names_; }
  // Its uncompressed bytes, checked against size and CRC-32. Errors: kParseFailed, kLimitExceeded.
  [[nodiscard]] Result<std::string> Read(const ZipMember& member) const;
  [[nodiscard]] std::string_view CompressedBytes(const ZipMember& member) const;
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  // What was wrong yet readable: duplicate names, gaps, names that would leave the archive.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class ZipSplicer;
  std::string_view bytes_;
  Limits limits_;
  std::vector<ZipMember> members_;
  std::vector<std::string> warnings_;
  std::vector<uint32_t> by_name_;  // indices of members_ sorted by name, then by index
  bool has_duplicate_names_ = false;
  bool is_spliceable_ = true;  // members neither overlap nor lie outside the archive
  uint64_t central_directory_offset_ = 0;
  uint64_t central_directory_end_ = 0;
  uint64_t end_record_offset_ = 0;
  std::optional<uint64_t> zip64_end_offset_;
  uint64_t leading_bytes_ = 0;  // what stands before the offset that the directory calls zero

  class Builder;
};

// Deflate with the one encoder, version and level that our writers use (libdeflate, level
// kZipDeflateLevel): the same input always gives the same bytes, so that a store may keep the input
// instead. Name and version of the encoder are part of every recipe.
inline constexpr int kZipDeflateLevel = 1;
[[nodiscard]] std::string_view ZipEncoderName();
[[nodiscard]] std::string ZipDeflate(std::string_view bytes);
// A content beside what ZipDeflate made of it. Nothing else makes one, so that whoever holds it
// knows, without deflating again, that this content gives these bytes. Immutable.
class DeflatedContent {
 public:
  explicit DeflatedContent(std::shared_ptr<const std::string> content);
  [[nodiscard]] const std::string& content() const { return *content_; }
  [[nodiscard]] const std::string& compressed() const { return compressed_; }

 private:
  std::shared_ptr<const std::string> content_;
  std::string compressed_;
};
// Errors: kParseFailed; kLimitExceeded when more than `size_bytes_max` would come out.
[[nodiscard]] Result<std::string> ZipInflate(std::string_view compressed, uint64_t size_bytes_hint,
                                             uint64_t size_bytes_max);
[[nodiscard]] uint32_t Crc32(std::string_view bytes);

// Plans replacements, removals and additions on an archive and writes the new one: every member
// that is not named keeps its local header, compressed bytes, extra fields and order; the archive's
// comment, leading bytes and zip64 records survive. Offsets in the central directory follow.
class ZipSplicer {
 public:
  explicit ZipSplicer(const ZipReader& reader);
  // New uncompressed content of an existing member (index into reader.members()); keeps its method
  // (stored stays stored), name, times, attributes.
  void Replace(size_t index, std::string content);
  void Replace(size_t index, std::shared_ptr<const std::string> content);  // not null
  void Remove(size_t index);
  void Add(std::string name, std::string content);  // at the end, deflated
  // Errors: kUnsupportedEdit (members overlap: nothing can be copied apart), kLimitExceeded (a size
  // that only zip64 can hold in an archive without zip64 records).
  [[nodiscard]] Result<std::string> Finish();
  // Names of the members that Finish compressed.
  [[nodiscard]] const std::vector<std::string>& rewritten_members() const { return rewritten_; }
  // The large ones of them as they were compressed.
  [[nodiscard]] const std::vector<std::shared_ptr<const DeflatedContent>>& deflated() const {
    return deflated_;
  }

 private:
  struct Plan {
    bool removed = false;
    std::shared_ptr<const std::string> replacement;  // null: it stays as it is
  };
  class Writer;
  const ZipReader& reader_;
  std::vector<Plan> plans_;
  std::vector<std::pair<std::string, std::string>> additions_;
  std::vector<std::string> rewritten_;
  std::vector<std::shared_ptr<const DeflatedContent>> deflated_;
};

}  // namespace staged
