#include "store/bundle_file.h"

#include <algorithm>
#include <utility>

namespace staged {
namespace {

// Most bundles are smaller and so take a single read.
constexpr uint64_t kFirstReadBytes = 64 << 10;

}  // namespace

Status ObjectDamageStatus(const ContentHash& hash, std::string_view file, std::string_view what,
                          uint64_t offset) {
  std::string message = "object " + hash.ToString() + " is damaged in " + std::string(file) + ": " +
                        std::string(what) + " at byte " + std::to_string(offset) +
                        "; restore that file from a backup, or write the content again";
  return Status(ErrorCode::kDataLoss, std::move(message));
}

Result<BundleFile> BundleFile::Open(Directory& objects, const BundlePlace& place,
                                    const ContentHash& hash) {
  BundleFile bundle;
  bundle.place_ = place;
  STAGED_ASSIGN_OR_RETURN(bundle.file_, objects.OpenRead(place.file));
  const uint64_t first_bytes =
      place.size_bytes == 0 ? kFirstReadBytes : std::min(place.size_bytes, kFirstReadBytes);
  STAGED_ASSIGN_OR_RETURN(bundle.prefix_, bundle.file_->ReadAt(place.offset, first_bytes));

  const auto damaged = [&](const Status& status) {
    if (status.code() != ErrorCode::kDataLoss) {
      return Status(status.code(), place.file + ": " + status.message());
    }
    return ObjectDamageStatus(hash, place.file, status.message(), place.offset);
  };
  Result<BundleHead> head = DecodeBundleHead(bundle.prefix_);
  if (!head.ok()) return damaged(head.status());
  if (head->header_size_bytes > bundle.prefix_.size()) {
    STAGED_ASSIGN_OR_RETURN(const std::string rest,
                            bundle.file_->ReadAt(place.offset + bundle.prefix_.size(),
                                                 head->header_size_bytes - bundle.prefix_.size()));
    bundle.prefix_ += rest;
  }
  Result<BundleHeader> header = DecodeBundleHeader(bundle.prefix_);
  if (!header.ok()) return damaged(header.status());
  bundle.header_ = std::move(header).value();
  if (bundle.header_.key.hash != hash) {
    return ObjectDamageStatus(hash, place.file, "holds another object", place.offset);
  }
  bundle.size_bytes_ = head->bundle_size_bytes();
  return bundle;
}

Result<std::string> BundleFile::Read(uint64_t offset, uint64_t size_bytes) {
  if (offset + size_bytes <= prefix_.size()) return prefix_.substr(offset, size_bytes);
  STAGED_ASSIGN_OR_RETURN(std::string bytes, file_->ReadAt(place_.offset + offset, size_bytes));
  if (bytes.size() != size_bytes) return Damage("the file ends", offset + bytes.size());
  return bytes;
}

Status BundleFile::Damage(std::string_view what, uint64_t offset) const {
  return ObjectDamageStatus(header_.key.hash, place_.file, what, place_.offset + offset);
}

}  // namespace staged
