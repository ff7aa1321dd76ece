#include "store/bundle_catalog.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "store/sequential_writer.h"

namespace staged {
namespace {

constexpr uint64_t kFormatFileMaxBytes = 4096;
constexpr size_t kDurableNamesMax = 100'000;
constexpr int kFanOut = 256;

std::string FanOutName(int number) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  return {kDigits[static_cast<size_t>(number) >> 4], kDigits[static_cast<size_t>(number) & 15]};
}

Status MakeDirectoryIfAbsent(Directory& objects, const std::string& name) {
  Status made = objects.MakeDirectory(name, 0777);
  return made.code() == ErrorCode::kConflict ? OkStatus() : made;
}

std::string FolderOf(const std::string& file) { return file.substr(0, file.find('/')); }

}  // namespace

Result<std::unique_ptr<BundleCatalog>> BundleCatalog::Open(Env& env,
                                                           std::unique_ptr<Directory> objects) {
  std::unique_ptr<BundleCatalog> catalog(new BundleCatalog(env, std::move(objects)));
  const Status format = catalog->CheckFormat();
  if (format.code() == ErrorCode::kNotFound) {
    STAGED_RETURN_IF_ERROR(catalog->MakeLayout());
  } else {
    STAGED_RETURN_IF_ERROR(format);
  }
  return catalog;
}

Status BundleCatalog::CheckFormat() {
  const std::string name(kObjectFormatFile);
  STAGED_ASSIGN_OR_RETURN(const std::string text, objects_->ReadFile(name, kFormatFileMaxBytes));
  const std::string_view prefix = kObjectFormatPrefix;
  int version = 0;
  const bool has_prefix = text.starts_with(prefix) && text.ends_with('\n');
  if (has_prefix) {
    const char* const end = text.data() + text.size() - 1;
    const auto parsed = std::from_chars(text.data() + prefix.size(), end, version);
    if (parsed.ec != std::errc() || parsed.ptr != end) version = 0;
  }
  const std::string path = objects_->path() + "/" + name;
  if (version <= 0) {
    return Status(ErrorCode::kDataLoss,
                  path + " is damaged; write the line \"" + std::string(prefix) +
                      std::to_string(kObjectFormatVersion) + "\" into it and verify the store");
  }
  if (version > kObjectFormatVersion) {
    return Status(ErrorCode::kUnsupportedEdit, path + " says version " + std::to_string(version) +
                                                   ", this program reads up to " +
                                                   std::to_string(kObjectFormatVersion) +
                                                   "; use a newer staged");
  }
  return OkStatus();
}

Status BundleCatalog::MakeLayout() {
  STAGED_RETURN_IF_ERROR(MakeDirectoryIfAbsent(*objects_, std::string(kObjectTemporaryFolder)));
  STAGED_RETURN_IF_ERROR(MakeDirectoryIfAbsent(*objects_, std::string(kObjectPackFolder)));
  // All at once, so that a new object never has to wait for the directory above its own.
  for (int i = 0; i < kFanOut; ++i) {
    STAGED_RETURN_IF_ERROR(MakeDirectoryIfAbsent(*objects_, FanOutName(i)));
  }
  STAGED_RETURN_IF_ERROR(objects_->SyncDirectory(""));
  const std::string temporary = NewTemporaryPath(env_);
  {
    STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, objects_->Create(temporary, 0644));
    const std::string line =
        std::string(kObjectFormatPrefix) + std::to_string(kObjectFormatVersion) + "\n";
    STAGED_RETURN_IF_ERROR(file->WriteAt(0, line));
    STAGED_RETURN_IF_ERROR(file->Sync());
  }
  STAGED_RETURN_IF_ERROR(objects_->Rename(temporary, *objects_, std::string(kObjectFormatFile)));
  return objects_->SyncDirectory("");
}

std::string BundleCatalog::LoosePath(const ContentHash& hash) {
  const std::string hex = hash.ToHex();
  return hex.substr(0, 2) + "/" + hex.substr(2);
}

std::vector<std::shared_ptr<Pack>> BundleCatalog::packs() {
  const std::lock_guard lock(mutex_);
  return packs_;
}

Status BundleCatalog::LoadPacksOnce() {
  {
    const std::lock_guard lock(mutex_);
    if (packs_loaded_) return OkStatus();
  }
  return RefreshPacks();
}

Status BundleCatalog::RefreshPacks() {
  for (int attempt = 0; attempt < kRefreshAttempts; ++attempt) {
    STAGED_ASSIGN_OR_RETURN(const bool is_whole, RefreshPacksOnce());
    if (is_whole) return OkStatus();
  }
  return {ErrorCode::kBusy, "the store keeps changing; try again when its collection ended"};
}

Result<bool> BundleCatalog::RefreshPacksOnce() {
  STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items,
                          objects_->List(std::string(kObjectPackFolder)));
  const std::vector<std::shared_ptr<Pack>> before = packs();
  std::vector<std::shared_ptr<Pack>> after;
  std::vector<std::pair<std::string, Status>> broken;
  for (const DirectoryItem& item : items) {
    if (item.kind != FileKind::kFile || !item.name.ends_with(kPackSuffix)) continue;
    const std::string file = std::string(kObjectPackFolder) + "/" + item.name;
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const auto& pack) { return pack->file() == file; });
    if (known != before.end()) {
      after.push_back(*known);
      continue;
    }
    Result<std::shared_ptr<Pack>> pack = Pack::Open(*objects_, file);
    if (pack.ok()) {
      after.push_back(std::move(pack).value());
    } else if (pack.status().code() == ErrorCode::kNotFound) {
      return false;  // a collection removed it since it was listed, and made another
    } else {
      broken.emplace_back(file, pack.status());
    }
  }
  const std::lock_guard lock(mutex_);
  packs_ = std::move(after);
  broken_packs_ = std::move(broken);
  packs_loaded_ = true;
  return true;
}

std::vector<BundlePlace> BundleCatalog::Places(const ContentHash& hash) {
  std::vector<BundlePlace> places;
  for (const std::shared_ptr<Pack>& pack : packs()) {
    const Result<std::vector<PackEntry>> entries = pack->Find(hash);
    // A pack that is gone or cannot be read is found out by the fresh listing.
    if (!entries.ok()) continue;
    for (const PackEntry& entry : *entries) {
      places.push_back({pack->file(), entry.offset, entry.size_bytes});
    }
  }
  places.push_back({LoosePath(hash), 0, 0});
  return places;
}

Status BundleCatalog::CheckPacks() {
  const std::lock_guard lock(mutex_);
  return broken_packs_.empty() ? OkStatus() : broken_packs_.front().second;
}

Status BundleCatalog::NotFound(const ContentHash& hash) {
  STAGED_RETURN_IF_ERROR(CheckPacks());
  return Status(ErrorCode::kNotFound,
                "no object " + hash.ToString() + " in the store; check the hash with `staged log`");
}

Result<BundleFile> BundleCatalog::OpenContent(const ContentHash& hash) {
  return Try<BundleFile>(hash, [&](const BundlePlace& place) -> Result<BundleFile> {
    STAGED_ASSIGN_OR_RETURN(BundleFile bundle, BundleFile::Open(*objects_, place, hash));
    if (bundle.header().kind != BundleKind::kContent) {
      return Status(ErrorCode::kNotFound, "only a carrier");
    }
    return bundle;
  });
}

Result<BundleFile> BundleCatalog::OpenHome(const BundleKey& key) {
  return Try<BundleFile>(key.hash, [&](const BundlePlace& place) -> Result<BundleFile> {
    STAGED_ASSIGN_OR_RETURN(BundleFile bundle, BundleFile::Open(*objects_, place, key.hash));
    if (bundle.header().key != key) return Status(ErrorCode::kNotFound, "another bundle");
    return bundle;
  });
}

Result<bool> BundleCatalog::Has(const ContentHash& hash) {
  const Result<bool> found = Try<bool>(hash, [&](const BundlePlace& place) -> Result<bool> {
    if (place.size_bytes == 0) {
      STAGED_ASSIGN_OR_RETURN(const FileStatus status, objects_->Stat(place.file));
      return status.kind == FileKind::kFile;
    }
    for (const std::shared_ptr<Pack>& pack : packs()) {
      if (pack->file() != place.file) continue;
      // Its index is in memory; the pack itself another process may have removed.
      STAGED_RETURN_IF_ERROR(objects_->Stat(place.file).status());
      STAGED_ASSIGN_OR_RETURN(const std::vector<PackEntry> entries, pack->Find(hash));
      for (const PackEntry& entry : entries) {
        if (entry.kind == BundleKind::kContent) return true;
      }
    }
    return Status(ErrorCode::kNotFound, "only a carrier");
  });
  if (found.ok()) return *found;
  if (found.status().code() == ErrorCode::kNotFound) return false;
  return found.status();
}

Status BundleCatalog::WriteLoose(const EncodedBundle& bundle, bool replace) {
  const std::string temporary = NewTemporaryPath(env_);
  const std::string path = LoosePath(bundle.header.key.hash);
  const auto write = [&]() -> Status {
    {
      STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, objects_->Create(temporary, 0444));
      SequentialWriter writer(*file);
      STAGED_RETURN_IF_ERROR(writer.Append(bundle.encoded_header));
      for (const std::string_view payload : bundle.payloads) {
        STAGED_RETURN_IF_ERROR(writer.Append(payload));
      }
      STAGED_RETURN_IF_ERROR(writer.Flush());
      STAGED_RETURN_IF_ERROR(file->Sync());
    }
    if (replace) return objects_->Rename(temporary, *objects_, path);
    return objects_->RenameNew(temporary, *objects_, path);
  };
  const Status written = write();
  if (!written.ok()) {
    // A temporary file that stays behind is harmless: a collection removes it.
    (void)objects_->RemoveFile(temporary);
    // Another process was faster with the same content.
    if (written.code() != ErrorCode::kConflict) return written;
  }
  STAGED_RETURN_IF_ERROR(objects_->SyncDirectory(FolderOf(path)));
  const std::lock_guard lock(mutex_);
  if (durable_.size() >= kDurableNamesMax) durable_.clear();
  durable_.insert(path);
  return OkStatus();
}

Status BundleCatalog::MakeDurable(const BundlePlace& place) {
  {
    const std::lock_guard lock(mutex_);
    if (durable_.contains(place.file)) return OkStatus();
  }
  STAGED_RETURN_IF_ERROR(objects_->SyncDirectory(FolderOf(place.file)));
  const std::lock_guard lock(mutex_);
  if (durable_.size() >= kDurableNamesMax) durable_.clear();
  durable_.insert(place.file);
  return OkStatus();
}

Result<std::vector<ContentHash>> BundleCatalog::ListLoose() {
  std::vector<ContentHash> hashes;
  for (int i = 0; i < kFanOut; ++i) {
    const std::string folder = FanOutName(i);
    STAGED_ASSIGN_OR_RETURN(const std::vector<DirectoryItem> items, objects_->List(folder));
    for (const DirectoryItem& item : items) {
      const Result<ContentHash> hash = ContentHash::ParseHex(folder + item.name);
      if (hash.ok()) hashes.push_back(*hash);
    }
  }
  return hashes;
}

}  // namespace staged
