#include "store/pack.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/binary.h"
#include "store/checksum.h"

namespace staged {
namespace {

Status Damaged(std::string_view what) {
  return Status(ErrorCode::kDataLoss, "pack: " + std::string(what));
}

Status CheckVersion(uint8_t version) {
  if (version > kPackVersion) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the pack was written in format " + std::to_string(version) +
                      ", this program reads up to " + std::to_string(kPackVersion) +
                      "; use a newer staged");
  }
  return version == 0 ? Damaged("version 0") : OkStatus();
}

size_t SliceOf(const ContentHash& hash) { return static_cast<uint8_t>(hash.raw().front()); }

void PutEntry(BinaryWriter& writer, const PackEntry& entry) {
  writer.PutHash(entry.key.hash);
  writer.PutRaw({reinterpret_cast<const char*>(entry.key.id.data()), entry.key.id.size()});
  writer.PutFixed64(entry.offset);
  writer.PutFixed64(entry.size_bytes);
  writer.PutFixed64(entry.native_size_bytes);
  writer.PutByte(static_cast<uint8_t>(entry.kind));
}

PackEntry GetEntry(BinaryReader& reader) {
  PackEntry entry;
  entry.key.hash = reader.GetHash();
  const std::string_view id = reader.GetRaw(entry.key.id.size());
  if (id.size() == entry.key.id.size()) std::memcpy(entry.key.id.data(), id.data(), id.size());
  entry.offset = reader.GetFixed64();
  entry.size_bytes = reader.GetFixed64();
  entry.native_size_bytes = reader.GetFixed64();
  entry.kind = static_cast<BundleKind>(reader.GetByte());
  return entry;
}

}  // namespace

std::string EncodePackHead() {
  BinaryWriter writer;
  writer.PutRaw(kPackMagic);
  writer.PutByte(kPackVersion);
  writer.PutRaw(std::string_view("\0\0\0", 3));
  return writer.Take();
}

Status CheckPackHead(std::string_view bytes) {
  if (bytes.size() < kPackHeadSizeBytes || !bytes.starts_with(kPackMagic)) {
    return Damaged("does not begin with SWOP");
  }
  return CheckVersion(static_cast<uint8_t>(bytes[kPackMagic.size()]));
}

std::string EncodePackIndex(std::vector<PackEntry>& entries, uint64_t index_offset) {
  std::sort(entries.begin(), entries.end(), [](const PackEntry& left, const PackEntry& right) {
    return std::tie(left.key, left.offset) < std::tie(right.key, right.offset);
  });
  BinaryWriter index;
  BinaryWriter footer;
  size_t next = 0;
  for (size_t slice = 0; slice < kPackSliceCount; ++slice) {
    const size_t start = index.bytes().size();
    for (; next < entries.size() && SliceOf(entries[next].key.hash) == slice; ++next) {
      PutEntry(index, entries[next]);
    }
    footer.PutFixed64(next);
    footer.PutFixed64(Checksum(std::string_view(index.bytes()).substr(start)));
  }
  footer.PutFixed64(index_offset);
  footer.PutByte(kPackVersion);
  footer.PutRaw(std::string_view("\0\0\0", 3));
  footer.PutFixed64(Checksum(footer.bytes()));
  footer.PutRaw(kPackEndMagic);
  return index.Take() + footer.bytes();
}

Result<PackFooter> DecodePackFooter(std::string_view bytes, uint64_t file_size_bytes) {
  if (bytes.size() != kPackFooterSizeBytes || !bytes.ends_with(kPackEndMagic)) {
    return Damaged("no footer");
  }
  const size_t checked_bytes = kPackFooterSizeBytes - kPackEndMagic.size() - sizeof(uint64_t);
  BinaryReader reader(bytes);
  PackFooter footer;
  uint64_t end = 0;
  bool in_order = true;
  for (PackFooter::Slice& slice : footer.slices) {
    slice.end = reader.GetFixed64();
    slice.checksum = reader.GetFixed64();
    in_order = in_order && slice.end >= end;
    end = slice.end;
  }
  footer.index_offset = reader.GetFixed64();
  const uint8_t version = reader.GetByte();
  reader.GetRaw(3);
  if (reader.GetFixed64() != Checksum(bytes.substr(0, checked_bytes))) {
    return Damaged("footer checksum mismatch");
  }
  STAGED_RETURN_IF_ERROR(CheckVersion(version));
  const uint64_t room = file_size_bytes - kPackFooterSizeBytes;
  if (!in_order || footer.index_offset > room ||
      footer.count() != (room - footer.index_offset) / kPackEntrySizeBytes ||
      (room - footer.index_offset) % kPackEntrySizeBytes != 0) {
    return Damaged("footer disagrees with the file's size");
  }
  return footer;
}

Result<std::vector<PackEntry>> DecodePackSlice(std::string_view bytes, const PackFooter& footer,
                                               size_t slice) {
  if (Checksum(bytes) != footer.slices[slice].checksum) return Damaged("index checksum mismatch");
  BinaryReader reader(bytes);
  std::vector<PackEntry> entries;
  entries.reserve(bytes.size() / kPackEntrySizeBytes);
  while (reader.remaining_bytes() > 0 && reader.ok()) {
    const PackEntry entry = GetEntry(reader);
    const bool valid = SliceOf(entry.key.hash) == slice && entry.offset >= kPackHeadSizeBytes &&
                       entry.offset <= footer.index_offset &&
                       entry.size_bytes <= footer.index_offset - entry.offset &&
                       (entry.kind == BundleKind::kContent || entry.kind == BundleKind::kCarrier) &&
                       (entries.empty() || entries.back().key <= entry.key);
    if (!valid) return Damaged("bad index entry");
    entries.push_back(entry);
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("pack index"));
  return entries;
}

std::string NewTemporaryPath(Env& env) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string path = std::string(kObjectTemporaryFolder) + "/";
  for (const char byte : env.RandomBytes(16)) {
    path.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    path.push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
  return path;
}

Result<std::unique_ptr<PackWriter>> PackWriter::Create(Env& env, Directory& objects) {
  const std::string temporary = NewTemporaryPath(env);
  std::unique_ptr<PackWriter> writer(
      new PackWriter(objects, temporary.substr(kObjectTemporaryFolder.size() + 1)));
  STAGED_ASSIGN_OR_RETURN(writer->file_, objects.Create(temporary, 0444));
  writer->writer_ = std::make_unique<SequentialWriter>(*writer->file_);
  STAGED_RETURN_IF_ERROR(writer->writer_->Append(EncodePackHead()));
  return writer;
}

PackWriter::~PackWriter() {
  if (finished_ || file_ == nullptr) return;
  file_.reset();
  // A temporary file that stays behind is harmless: a collection removes it.
  (void)objects_.RemoveFile(std::string(kObjectTemporaryFolder) + "/" + name_);
}

Status PackWriter::Append(const EncodedBundle& bundle) {
  entries_.push_back({.key = bundle.header.key,
                      .offset = writer_->size_bytes(),
                      .size_bytes = bundle.size_bytes(),
                      .native_size_bytes = bundle.header.native_size_bytes,
                      .kind = bundle.header.kind});
  STAGED_RETURN_IF_ERROR(writer_->Append(bundle.encoded_header));
  for (const std::string_view payload : bundle.payloads) {
    STAGED_RETURN_IF_ERROR(writer_->Append(payload));
  }
  return OkStatus();
}

Result<std::string> PackWriter::Finish() {
  STAGED_RETURN_IF_ERROR(writer_->Append(EncodePackIndex(entries_, writer_->size_bytes())));
  STAGED_RETURN_IF_ERROR(writer_->Flush());
  STAGED_RETURN_IF_ERROR(file_->Sync());
  const std::string folder(kObjectPackFolder);
  std::string path = folder + "/" + name_ + std::string(kPackSuffix);
  STAGED_RETURN_IF_ERROR(
      objects_.RenameNew(std::string(kObjectTemporaryFolder) + "/" + name_, objects_, path));
  finished_ = true;
  STAGED_RETURN_IF_ERROR(objects_.SyncDirectory(folder));
  return path;
}

}  // namespace staged
