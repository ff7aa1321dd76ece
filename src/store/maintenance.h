#pragma once

#include <unordered_set>

#include "staged/ext/object_store.h"
#include "store/bundle_catalog.h"

// The slow work on a whole store. See ObjectStore for the contracts.
namespace staged {

[[nodiscard]] Result<StoreReport> CollectObjects(BundleCatalog& catalog,
                                                 const std::unordered_set<ContentHash>& live,
                                                 const ObjectStore::Progress& progress);
[[nodiscard]] Status ForgetObject(BundleCatalog& catalog, const ContentHash& hash);
[[nodiscard]] Result<StoreReport> VerifyObjects(BundleCatalog& catalog, int threads,
                                                const ObjectStore::Progress& progress);
[[nodiscard]] Result<StoreReport> MeasureUsage(BundleCatalog& catalog);

}  // namespace staged
