#include <algorithm>
#include <numeric>

#include "codec/little_endian.h"
#include "codec/zip.h"
#include "codec/zip_layout.h"

namespace staged {
namespace {

// MS-DOS date of 1980-01-01, the format's zero: added members carry no clock reading.
constexpr uint16_t kDosDateZero = 0x0021;
constexpr uint16_t kVersionNeeded = 20;

// The extra field without its zip64 record, which described sizes that are gone.
std::string WithoutZip64(std::string_view extra) {
  std::string kept;
  while (extra.size() >= 4) {
    const size_t size = std::min<size_t>(4 + Load16(extra, 2), extra.size());
    if (Load16(extra, 0) != zip::kZip64ExtraId) kept.append(extra.substr(0, size));
    extra.remove_prefix(size);
  }
  kept.append(extra);
  return kept;
}

Status TooLarge(std::string_view what) {
  return Status(ErrorCode::kLimitExceeded, "the new archive needs zip64 records for " +
                                               std::string(what) +
                                               "; save the file once with its own application");
}

// Below this, deflating a member again costs less than keeping it.
constexpr size_t kKeptDeflatedBytesMin = size_t{256} << 10;

struct Payload {
  uint16_t method = zip::kStored;
  uint32_t crc32 = 0;
  uint64_t size_bytes = 0;
  std::shared_ptr<const std::string> stored;        // the content as it is, or
  std::shared_ptr<const DeflatedContent> deflated;  // compressed

  [[nodiscard]] const std::string& bytes() const {
    return deflated ? deflated->compressed() : *stored;
  }
};

Payload MakePayload(const std::shared_ptr<const std::string>& content, uint16_t method) {
  Payload payload;
  payload.method = method == zip::kStored ? zip::kStored : zip::kDeflated;
  payload.crc32 = Crc32(*content);
  payload.size_bytes = content->size();
  if (payload.method == zip::kStored) {
    payload.stored = content;
  } else {
    payload.deflated = std::make_shared<const DeflatedContent>(content);
  }
  return payload;
}

// Sets method, checksum and sizes in a local or central header whose method field is at `at`; the
// times between are kept.
void StoreSizes(std::string& header, size_t at, const Payload& payload) {
  Store16(header, at, payload.method);
  Store32(header, at + 6, payload.crc32);
  Store32(header, at + 10, static_cast<uint32_t>(payload.bytes().size()));
  Store32(header, at + 14, static_cast<uint32_t>(payload.size_bytes));
}

}  // namespace

// One run of ZipSplicer::Finish: members in file order, then the directory in its own order.
class ZipSplicer::Writer {
 public:
  Writer(ZipSplicer& splicer, std::string& out)
      : splicer_(splicer), reader_(splicer.reader_), bytes_(reader_.bytes_), out_(out) {}

  Status Write() {
    const size_t count = reader_.members_.size();
    central_.resize(count);
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
      return reader_.members_[left].header_offset < reader_.members_[right].header_offset;
    });
    const uint64_t first =
        count == 0 ? reader_.central_directory_offset_ : reader_.members_[order[0]].header_offset;
    out_.append(bytes_.substr(0, first));
    for (size_t i = 0; i < count; ++i) {
      const uint64_t end = i + 1 < count ? reader_.members_[order[i + 1]].header_offset
                                         : reader_.central_directory_offset_;
      STAGED_RETURN_IF_ERROR(WriteMember(order[i], end));
    }
    for (const auto& [name, content] : splicer_.additions_) {
      STAGED_RETURN_IF_ERROR(WriteAddition(name, content));
    }
    return WriteDirectory();
  }

 private:
  Status WriteMember(uint32_t index, uint64_t span_end) {
    const ZipMember& member = reader_.members_[index];
    const Plan& plan = splicer_.plans_[index];
    if (plan.removed) return OkStatus();
    const uint64_t offset = out_.size() - reader_.leading_bytes_;
    std::string entry(bytes_.substr(member.central_offset, member.central_size_bytes));
    if (plan.replacement) {
      const Payload payload = MakePayload(plan.replacement, member.method);
      STAGED_RETURN_IF_ERROR(CheckPayload(payload, member.name));
      WriteLocal(member, payload);
      entry = ReplacedEntry(member, payload);
    } else {
      out_.append(bytes_.substr(member.header_offset, span_end - member.header_offset));
    }
    STAGED_RETURN_IF_ERROR(StoreOffset(entry, offset));
    central_[index] = std::move(entry);
    return OkStatus();
  }

  Status CheckPayload(const Payload& payload, const std::string& name) {
    if (payload.size_bytes >= zip::kSaturated32 || payload.bytes().size() >= zip::kSaturated32) {
      return TooLarge("the size of '" + name + "'");
    }
    if (payload.method == zip::kDeflated) {
      splicer_.rewritten_.push_back(name);
      if (payload.size_bytes >= kKeptDeflatedBytesMin) {
        splicer_.deflated_.push_back(payload.deflated);
      }
    }
    return OkStatus();
  }

  void WriteLocal(const ZipMember& member, const Payload& payload) {
    const uint64_t at = member.header_offset;
    std::string header(bytes_.substr(at, zip::kLocalSizeBytes));
    const uint64_t name_size = Load16(header, 26);
    const std::string extra =
        WithoutZip64(bytes_.substr(at + zip::kLocalSizeBytes + name_size, Load16(header, 28)));
    // Sizes stand in the header, so no data descriptor follows.
    Store16(header, 6, Load16(header, 6) & static_cast<uint16_t>(~zip::kFlagDescriptor));
    StoreSizes(header, 8, payload);
    Store16(header, 28, static_cast<uint16_t>(extra.size()));
    out_.append(header);
    out_.append(bytes_.substr(at + zip::kLocalSizeBytes, name_size));
    out_.append(extra);
    out_.append(payload.bytes());
  }

  std::string ReplacedEntry(const ZipMember& member, const Payload& payload) {
    const std::string_view old = bytes_.substr(member.central_offset, member.central_size_bytes);
    std::string entry(old.substr(0, zip::kCentralSizeBytes));
    const size_t name_size = Load16(entry, 28);
    const size_t extra_size = Load16(entry, 30);
    const std::string extra =
        WithoutZip64(old.substr(zip::kCentralSizeBytes + name_size, extra_size));
    Store16(entry, 8, Load16(entry, 8) & static_cast<uint16_t>(~zip::kFlagDescriptor));
    StoreSizes(entry, 10, payload);
    Store16(entry, 30, static_cast<uint16_t>(extra.size()));
    Store32(entry, 42, 0);
    entry.append(old.substr(zip::kCentralSizeBytes, name_size));
    entry.append(extra);
    entry.append(old.substr(zip::kCentralSizeBytes + name_size + extra_size));
    return entry;
  }

  // Writes the member's new offset where its entry keeps it: in the field or in the zip64 extra.
  static Status StoreOffset(std::string& entry, uint64_t offset) {
    if (Load32(entry, 42) != zip::kSaturated32) {
      if (offset >= zip::kSaturated32) return TooLarge("offsets beyond 4 GiB");
      Store32(entry, 42, static_cast<uint32_t>(offset));
      return OkStatus();
    }
    size_t at = zip::kCentralSizeBytes + Load16(entry, 28);
    const size_t extra_end = at + Load16(entry, 30);
    while (extra_end - at >= 4) {
      const size_t field_end = std::min<size_t>(at + 4 + Load16(entry, at + 2), extra_end);
      if (Load16(entry, at) == zip::kZip64ExtraId) {
        size_t field = at + 4;
        for (const size_t size_at : {24, 20}) {
          if (Load32(entry, size_at) == zip::kSaturated32) field += 8;
        }
        if (field + 8 > field_end) break;
        Store64(entry, field, offset);
        return OkStatus();
      }
      at = field_end;
    }
    if (offset >= zip::kSaturated32) return TooLarge("offsets beyond 4 GiB");
    Store32(entry, 42, static_cast<uint32_t>(offset));
    return OkStatus();
  }

  Status WriteAddition(const std::string& name, const std::string& content) {
    const Payload payload =
        MakePayload(std::make_shared<const std::string>(content), zip::kDeflated);
    STAGED_RETURN_IF_ERROR(CheckPayload(payload, name));
    if (name.size() > 0xFFFF) {
      return Status(ErrorCode::kInvalidArgument, "a zip member's name has at most 65535 bytes");
    }
    const bool is_ascii =
        std::all_of(name.begin(), name.end(), [](char c) { return static_cast<uint8_t>(c) < 128; });
    const uint16_t flags = is_ascii ? 0 : zip::kFlagUtf8;
    const uint64_t offset = out_.size() - reader_.leading_bytes_;
    std::string header(zip::kLocalSizeBytes, '\0');
    Store32(header, 0, zip::kLocalSignature);
    Store16(header, 4, kVersionNeeded);
    Store16(header, 6, flags);
    Store16(header, 12, kDosDateZero);
    StoreSizes(header, 8, payload);
    Store16(header, 26, static_cast<uint16_t>(name.size()));
    out_.append(header).append(name).append(payload.bytes());

    std::string entry(zip::kCentralSizeBytes, '\0');
    Store32(entry, 0, zip::kCentralSignature);
    Store16(entry, 4, kVersionNeeded);
    Store16(entry, 6, kVersionNeeded);
    Store16(entry, 8, flags);
    Store16(entry, 14, kDosDateZero);
    StoreSizes(entry, 10, payload);
    Store16(entry, 28, static_cast<uint16_t>(name.size()));
    STAGED_RETURN_IF_ERROR(StoreOffset(entry, offset));
    central_.push_back(entry + name);
    return OkStatus();
  }

  Status WriteDirectory() {
    const uint64_t directory = out_.size();
    uint64_t count = 0;
    for (const std::string& entry : central_) {
      if (entry.empty()) continue;
      ++count;
      out_.append(entry);
    }
    // What stands between the last entry and the directory's end (a digital signature) is kept.
    uint64_t old_entries_end = reader_.central_directory_offset_;
    for (const ZipMember& member : reader_.members_) {
      old_entries_end =
          std::max(old_entries_end, member.central_offset + member.central_size_bytes);
    }
    out_.append(bytes_.substr(old_entries_end, reader_.central_directory_end_ - old_entries_end));
    const uint64_t size = out_.size() - directory;
    const uint64_t tail = out_.size();
    const uint64_t old_tail = reader_.central_directory_end_;
    out_.append(bytes_.substr(old_tail));
    const uint64_t offset = directory - reader_.leading_bytes_;
    const uint64_t end = reader_.end_record_offset_ - old_tail + tail;
    if (reader_.zip64_end_offset_) {
      const uint64_t zip64 = *reader_.zip64_end_offset_ - old_tail + tail;
      Store64(out_, zip64 + 24, count);
      Store64(out_, zip64 + 32, count);
      Store64(out_, zip64 + 40, size);
      Store64(out_, zip64 + 48, offset);
      Store64(out_, end - zip::kZip64LocatorSizeBytes + 8, zip64);
    } else if (count > zip::kSaturated16 - 1 || offset >= zip::kSaturated32) {
      return TooLarge("its directory");
    }
    StoreEnd(end, count, size, offset);
    return OkStatus();
  }

  // A saturated field says "see the zip64 record" and stays.
  void StoreEnd(uint64_t end, uint64_t count, uint64_t size, uint64_t offset) {
    const bool has_zip64 = reader_.zip64_end_offset_.has_value();
    for (const size_t at : {8, 10}) {
      if (has_zip64 && Load16(out_, end + at) == zip::kSaturated16) continue;
      Store16(out_, end + at, static_cast<uint16_t>(std::min<uint64_t>(count, 0xFFFF)));
    }
    if (!has_zip64 || Load32(out_, end + 12) != zip::kSaturated32) {
      Store32(out_, end + 12, static_cast<uint32_t>(size));
    }
    if (!has_zip64 || Load32(out_, end + 16) != zip::kSaturated32) {
      Store32(out_, end + 16, static_cast<uint32_t>(offset));
    }
  }

  ZipSplicer& splicer_;
  const ZipReader& reader_;
  std::string_view bytes_;
  std::string& out_;
  std::vector<std::string> central_;  // new entries by index, empty where removed
};

ZipSplicer::ZipSplicer(const ZipReader& reader)
    : reader_(reader), plans_(reader.members().size()) {}

void ZipSplicer::Replace(size_t index, std::string content) {
  Replace(index, std::make_shared<const std::string>(std::move(content)));
}

void ZipSplicer::Replace(size_t index, std::shared_ptr<const std::string> content) {
  plans_[index] = {.removed = false, .replacement = std::move(content)};
}

void ZipSplicer::Remove(size_t index) { plans_[index].removed = true; }

void ZipSplicer::Add(std::string name, std::string content) {
  additions_.emplace_back(std::move(name), std::move(content));
}

Result<std::string> ZipSplicer::Finish() {
  if (!reader_.is_spliceable_) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the archive's members overlap or lie outside it, so none can be kept exactly; "
                  "save the file once with its own application");
  }
  rewritten_.clear();
  deflated_.clear();
  std::string out;
  out.reserve(reader_.bytes().size());
  STAGED_RETURN_IF_ERROR(Writer(*this, out).Write());
  return out;
}

}  // namespace staged
