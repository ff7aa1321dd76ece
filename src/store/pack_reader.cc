#include <algorithm>
#include <utility>

#include "store/bundle.h"
#include "store/pack.h"

// How a pack's index is read, and made again from the bundles where it is damaged.
namespace staged {
namespace {

constexpr uint64_t kSearchWindowBytes = 1 << 20;

// Reads the header of a bundle at `offset`. Not ok when there is none.
Result<PackEntry> ReadEntryAt(File& file, uint64_t offset, uint64_t file_size_bytes) {
  STAGED_ASSIGN_OR_RETURN(const std::string head_bytes, file.ReadAt(offset, kBundleHeadSizeBytes));
  STAGED_ASSIGN_OR_RETURN(const BundleHead head, DecodeBundleHead(head_bytes));
  if (head.bundle_size_bytes() > file_size_bytes - offset) {
    return Status(ErrorCode::kDataLoss, "bundle reaches past the end of the pack");
  }
  STAGED_ASSIGN_OR_RETURN(const std::string bytes, file.ReadAt(offset, head.header_size_bytes));
  STAGED_ASSIGN_OR_RETURN(const BundleHeader header, DecodeBundleHeader(bytes));
  return PackEntry{.key = header.key,
                   .offset = offset,
                   .size_bytes = head.bundle_size_bytes(),
                   .native_size_bytes = header.native_size_bytes,
                   .kind = header.kind};
}

// The next place after `offset` that looks like a bundle, or the file's end.
Result<uint64_t> FindNextMagic(File& file, uint64_t offset, uint64_t file_size_bytes) {
  while (offset < file_size_bytes) {
    STAGED_ASSIGN_OR_RETURN(const std::string window, file.ReadAt(offset, kSearchWindowBytes));
    const size_t found = window.find(kBundleMagic);
    if (found != std::string::npos) return offset + found;
    if (window.size() < kBundleMagic.size()) break;
    offset += window.size() - (kBundleMagic.size() - 1);
    if (window.size() < kSearchWindowBytes) break;
  }
  return file_size_bytes;
}

}  // namespace

Result<std::shared_ptr<Pack>> Pack::Open(Directory& objects, std::string file) {
  std::shared_ptr<Pack> pack(new Pack(objects, std::move(file)));
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> handle, objects.OpenRead(pack->file_));
  STAGED_ASSIGN_OR_RETURN(const FileStatus status, handle->GetStatus());
  pack->size_bytes_ = status.size_bytes;
  STAGED_ASSIGN_OR_RETURN(const std::string head, handle->ReadAt(0, kPackHeadSizeBytes));
  const Status head_status = CheckPackHead(head);
  if (head_status.code() == ErrorCode::kUnsupportedEdit) {
    return Status(head_status.code(), pack->file_ + ": " + head_status.message());
  }
  const uint64_t footer_bytes = std::min<uint64_t>(status.size_bytes, kPackFooterSizeBytes);
  STAGED_ASSIGN_OR_RETURN(const std::string tail,
                          handle->ReadAt(status.size_bytes - footer_bytes, footer_bytes));
  Result<PackFooter> footer = DecodePackFooter(tail, status.size_bytes);
  if (footer.ok()) {
    pack->footer_ = *footer;
    if (!head_status.ok()) pack->damage_ = head_status.message();
    return pack;
  }
  const std::lock_guard lock(pack->mutex_);
  STAGED_RETURN_IF_ERROR(pack->ScanLocked(footer.status().message()));
  return pack;
}

std::string Pack::damage() {
  const std::lock_guard lock(mutex_);
  return damage_;
}

Result<std::vector<PackEntry>> Pack::Find(const ContentHash& hash) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<PackEntry>* slice,
                          Slice(static_cast<uint8_t>(hash.raw().front())));
  std::vector<PackEntry> found;
  auto entry = std::lower_bound(slice->begin(), slice->end(), hash,
                                [](const PackEntry& candidate, const ContentHash& wanted) {
                                  return candidate.key.hash < wanted;
                                });
  for (; entry != slice->end() && entry->key.hash == hash; ++entry) found.push_back(*entry);
  return found;
}

Result<std::vector<PackEntry>> Pack::Entries() {
  std::vector<PackEntry> entries;
  for (size_t slice = 0; slice < kPackSliceCount; ++slice) {
    STAGED_ASSIGN_OR_RETURN(const std::vector<PackEntry>* part, Slice(slice));
    entries.insert(entries.end(), part->begin(), part->end());
  }
  return entries;
}

Result<const std::vector<PackEntry>*> Pack::Slice(size_t slice) {
  const std::lock_guard lock(mutex_);
  if (slices_[slice] == nullptr) {
    if (footer_.slices[slice].end == footer_.first(slice)) {
      slices_[slice] = std::make_unique<std::vector<PackEntry>>();
      return slices_[slice].get();
    }
    STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, objects_.OpenRead(file_));
    Result<std::vector<PackEntry>> entries = LoadSlice(*file, slice);
    if (entries.ok()) {
      slices_[slice] = std::make_unique<std::vector<PackEntry>>(std::move(entries).value());
    } else {
      if (entries.status().code() != ErrorCode::kDataLoss) return std::move(entries).status();
      STAGED_RETURN_IF_ERROR(ScanLocked(entries.status().message()));
    }
  }
  return slices_[slice].get();
}

Result<std::vector<PackEntry>> Pack::LoadSlice(File& file, size_t slice) {
  const uint64_t first = footer_.first(slice);
  STAGED_ASSIGN_OR_RETURN(const std::string bytes,
                          file.ReadAt(footer_.index_offset + first * kPackEntrySizeBytes,
                                      (footer_.slices[slice].end - first) * kPackEntrySizeBytes));
  return DecodePackSlice(bytes, footer_, slice);
}

Status Pack::ScanLocked(std::string_view reason) {
  damage_ = std::string(reason);
  std::array<std::vector<PackEntry>, kPackSliceCount> found;
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, objects_.OpenRead(file_));
  uint64_t offset = kPackHeadSizeBytes;
  while (offset < size_bytes_) {
    const Result<PackEntry> entry = ReadEntryAt(*file, offset, size_bytes_);
    if (entry.ok()) {
      found[static_cast<uint8_t>(entry->key.hash.raw().front())].push_back(*entry);
      offset += entry->size_bytes;
      continue;
    }
    if (entry.status().code() == ErrorCode::kIoError) return entry.status();
    STAGED_ASSIGN_OR_RETURN(offset, FindNextMagic(*file, offset + 1, size_bytes_));
  }
  for (size_t slice = 0; slice < kPackSliceCount; ++slice) {
    std::sort(found[slice].begin(), found[slice].end(),
              [](const PackEntry& left, const PackEntry& right) { return left.key < right.key; });
    // Slices that were read before stay: someone may be looking at them.
    if (slices_[slice] == nullptr) {
      slices_[slice] = std::make_unique<std::vector<PackEntry>>(std::move(found[slice]));
    }
  }
  return OkStatus();
}

}  // namespace staged
