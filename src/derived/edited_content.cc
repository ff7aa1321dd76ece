#include "derived/edited_content.h"

#include <utility>

#include "base/ignore_missing.h"

namespace staged {
namespace {

constexpr char kFile[] = "derived/edited";
constexpr char kUnfinished[] = "derived/edited.new";
constexpr uint32_t kFileMode = 0600;
constexpr size_t kBytesMax = size_t{64} << 20;

}  // namespace

std::shared_ptr<const std::string> EditedContent::Find(const ContentHash& hash) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ != nullptr && hash_ == hash) return bytes_;
  }
  const auto file = staged_.OpenRead(kFile);
  if (!file.ok()) return nullptr;
  const auto head = (*file)->ReadAt(0, ContentHash::kSizeBytes);
  if (!head.ok() || *head != hash.raw()) return nullptr;
  auto bytes = (*file)->ReadAt(ContentHash::kSizeBytes, kBytesMax);
  if (!bytes.ok() || ContentHash::Of(*bytes) != hash) return nullptr;
  return std::make_shared<const std::string>(*std::move(bytes));
}

void EditedContent::Remember(const ContentHash& hash, std::string bytes) {
  if (bytes.size() > kBytesMax) return;
  const std::lock_guard lock(mutex_);
  hash_ = hash;
  bytes_ = std::make_shared<const std::string>(std::move(bytes));
}

void EditedContent::Save(const ContentHash& hash, std::string_view bytes) {
  if (bytes.size() > kBytesMax) return;
  // One name for all, so that Remove finds what a killed process left. Two who write at once may
  // put a mixture in place, which nobody takes for either content.
  if (!IgnoreMissing(staged_.RemoveFile(kUnfinished)).ok()) return;
  const auto file = staged_.Create(kUnfinished, kFileMode);
  if (!file.ok()) return;
  Status status = (*file)->WriteAt(0, hash.raw());
  if (status.ok()) status = (*file)->WriteAt(ContentHash::kSizeBytes, bytes);
  if (status.ok()) status = staged_.Rename(kUnfinished, staged_, kFile);
  if (!status.ok()) (void)staged_.RemoveFile(kUnfinished).ok();
}

Status EditedContent::Remove() {
  {
    const std::lock_guard lock(mutex_);
    bytes_ = nullptr;
  }
  STAGED_RETURN_IF_ERROR(IgnoreMissing(staged_.RemoveFile(kUnfinished)));
  return IgnoreMissing(staged_.RemoveFile(kFile));
}

}  // namespace staged
