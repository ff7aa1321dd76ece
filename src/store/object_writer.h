#pragma once

#include <optional>
#include <string_view>

#include "staged/ext/object_store.h"
#include "staged/status.h"
#include "store/bundle_catalog.h"
#include "store/local_object_store.h"

namespace staged {

// Whether a content is in the store already, and sound.
struct Existing {
  bool sound = false;
  bool damaged_loose = false;  // there is a loose file of that name, and it is damaged
  BundlePlace place;           // of the sound one
};

// Reads what the store has under `hash` and compares it with `bytes`. `fresh`: packs that other
// processes wrote meanwhile are looked for. Errors: kIoError.
[[nodiscard]] Result<Existing> FindExisting(BundleCatalog& catalog, const ContentHash& hash,
                                            std::string_view bytes, bool fresh);

// Stores one content as a loose bundle.
[[nodiscard]] Result<ContentHash> PutLoose(BundleCatalog& catalog, std::string_view bytes,
                                           const PutOptions& options, int threads);

// Many contents in one pack. `catalog` must outlive it.
[[nodiscard]] std::unique_ptr<PutBatch> MakePackBatch(BundleCatalog& catalog,
                                                      const ObjectStoreOptions& options);

}  // namespace staged
