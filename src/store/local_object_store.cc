#include "store/local_object_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "store/bundle_catalog.h"
#include "store/bundle_reader.h"
#include "store/maintenance.h"
#include "store/object_writer.h"

namespace staged {
namespace {

constexpr int kListAttempts = 10;

class LocalObjectStore : public ObjectStore {
 public:
  LocalObjectStore(std::unique_ptr<BundleCatalog> catalog, const ObjectStoreOptions& options)
      : catalog_(std::move(catalog)), options_(options) {}

  Result<ContentHash> Put(std::string_view bytes, const PutOptions& options) override {
    return PutLoose(*catalog_, bytes, options, options_.threads);
  }

  Result<std::unique_ptr<PutBatch>> NewBatch() override {
    return MakePackBatch(*catalog_, options_);
  }

  Result<std::string> Get(const ContentHash& hash) override { return ReadContent(*catalog_, hash); }

  Result<bool> Has(const ContentHash& hash) override { return catalog_->Has(hash); }

  Result<uint64_t> SizeOf(const ContentHash& hash) override {
    STAGED_ASSIGN_OR_RETURN(const BundleFile bundle, catalog_->OpenContent(hash));
    return bundle.header().native_size_bytes;
  }

  Result<std::vector<ContentHash>> List() override {
    for (int attempt = 0; attempt < kListAttempts; ++attempt) {
      Result<std::vector<ContentHash>> listed = ListOnce();
      if (listed.ok() || listed.status().code() != ErrorCode::kNotFound) return listed;
    }
    return Status(ErrorCode::kBusy,
                  "the store keeps changing; try again when its collection ended");
  }

  Result<StoreReport> Collect(const std::unordered_set<ContentHash>& live,
                              const Progress& progress) override {
    return CollectObjects(*catalog_, live, progress);
  }

  Result<StoreReport> Verify(const Progress& progress) override {
    return VerifyObjects(*catalog_, options_.threads, progress);
  }

  Result<StoreReport> Usage() override { return MeasureUsage(*catalog_); }

  Status Forget(const ContentHash& hash) override { return ForgetObject(*catalog_, hash); }

 private:
  // kNotFound: a pack was removed by another process's collection.
  Result<std::vector<ContentHash>> ListOnce() {
    // Loose first: a collection puts them into packs, never the other way.
    STAGED_ASSIGN_OR_RETURN(const std::vector<ContentHash> loose, catalog_->ListLoose());
    std::set<ContentHash> hashes(loose.begin(), loose.end());
    STAGED_RETURN_IF_ERROR(catalog_->RefreshPacks());
    STAGED_RETURN_IF_ERROR(catalog_->CheckPacks());
    for (const std::shared_ptr<Pack>& pack : catalog_->packs()) {
      STAGED_ASSIGN_OR_RETURN(const std::vector<PackEntry> entries, pack->Entries());
      for (const PackEntry& entry : entries) {
        if (entry.kind == BundleKind::kContent) hashes.insert(entry.key.hash);
      }
    }
    return std::vector<ContentHash>(hashes.begin(), hashes.end());
  }

  const std::unique_ptr<BundleCatalog> catalog_;
  const ObjectStoreOptions options_;
};

}  // namespace

Result<std::unique_ptr<ObjectStore>> OpenObjectStore(Env& env, std::unique_ptr<Directory> objects,
                                                     const ObjectStoreOptions& options) {
  STAGED_ASSIGN_OR_RETURN(std::unique_ptr<BundleCatalog> catalog,
                          BundleCatalog::Open(env, std::move(objects)));
  return std::unique_ptr<ObjectStore>(
      std::make_unique<LocalObjectStore>(std::move(catalog), options));
}

}  // namespace staged
