#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "staged/ext/env.h"
#include "staged/status.h"
#include "store/bundle_builder.h"
#include "store/bundle_file.h"
#include "store/pack.h"

namespace staged {

// The objects folder: which bundles are where, loose or in packs, and how new loose ones get there.
// Other processes add and (in a collection) move bundles at any time; what is not found, or not
// sound, is looked for once more in a fresh listing. Thread-safe.
class BundleCatalog {
 public:
  // Makes what is missing of the folder's layout, durably. Errors: kUnsupportedEdit (written by a
  // newer program), kDataLoss (the file `format` is damaged), kIoError.
  [[nodiscard]] static Result<std::unique_ptr<BundleCatalog>> Open(
      Env& env, std::unique_ptr<Directory> objects);

  [[nodiscard]] Env& env() { return env_; }
  [[nodiscard]] Directory& objects() { return *objects_; }

  // Calls `use` with the places where a bundle of that hash may lie until one succeeds. Errors:
  // kNotFound if there is none; else the first other error.
  template <typename T>
  [[nodiscard]] Result<T> Try(const ContentHash& hash,
                              const std::function<Result<T>(const BundlePlace&)>& use);
  // The places known now, packs first. A loose file is named whether it exists or not.
  [[nodiscard]] std::vector<BundlePlace> Places(const ContentHash& hash);

  [[nodiscard]] Result<BundleFile> OpenContent(const ContentHash& hash);
  [[nodiscard]] Result<BundleFile> OpenHome(const BundleKey& key);
  // Looks at names, as they are on disk now, and at indexes.
  [[nodiscard]] Result<bool> Has(const ContentHash& hash);

  // Durable on return. `replace`: an existing file of that name is damaged.
  [[nodiscard]] Status WriteLoose(const EncodedBundle& bundle, bool replace);
  // Makes sure that the name of a bundle that another process wrote survives power loss.
  [[nodiscard]] Status MakeDurable(const BundlePlace& place);

  // Lists the packs anew; packs that are gone are dropped.
  [[nodiscard]] Status RefreshPacks();
  [[nodiscard]] std::vector<std::shared_ptr<Pack>> packs();
  // The error of a pack that cannot be read at all, such as a newer program's.
  [[nodiscard]] Status CheckPacks();
  // The hashes of the loose bundles, sorted.
  [[nodiscard]] Result<std::vector<ContentHash>> ListLoose();
  [[nodiscard]] static std::string LoosePath(const ContentHash& hash);

 private:
  static constexpr int kRefreshAttempts = 100;

  BundleCatalog(Env& env, std::unique_ptr<Directory> objects)
      : env_(env), objects_(std::move(objects)) {}

  [[nodiscard]] Status CheckFormat();
  // False when a pack went between its listing and its opening.
  [[nodiscard]] Result<bool> RefreshPacksOnce();
  [[nodiscard]] Status MakeLayout();
  // kNotFound, or why nobody can know whether the hash is there.
  [[nodiscard]] Status NotFound(const ContentHash& hash);
  [[nodiscard]] Status LoadPacksOnce();

  Env& env_;
  const std::unique_ptr<Directory> objects_;
  std::mutex mutex_;
  bool packs_loaded_ = false;
  std::vector<std::shared_ptr<Pack>> packs_;  // newest listing, sorted by name
  std::vector<std::pair<std::string, Status>> broken_packs_;
  std::unordered_set<std::string> durable_;  // files whose names are known to survive
};

template <typename T>
Result<T> BundleCatalog::Try(const ContentHash& hash,
                             const std::function<Result<T>(const BundlePlace&)>& use) {
  STAGED_RETURN_IF_ERROR(LoadPacksOnce());
  // A collection makes a new pack before it removes what it took the bundle from: whoever looked in
  // vain while the packs changed looks again.
  for (int attempt = 0; attempt < kRefreshAttempts; ++attempt) {
    Status first_error;
    const std::vector<std::shared_ptr<Pack>> looked_at = packs();
    for (const BundlePlace& place : Places(hash)) {
      Result<T> result = use(place);
      if (result.ok()) return result;
      if (first_error.ok() && result.status().code() != ErrorCode::kNotFound) {
        first_error = result.status();
      }
    }
    STAGED_RETURN_IF_ERROR(RefreshPacks());
    if (packs() != looked_at) continue;
    if (!first_error.ok()) return first_error;
    return NotFound(hash);
  }
  return Status(ErrorCode::kBusy, "the store keeps changing; try again when its collection ended");
}

}  // namespace staged
