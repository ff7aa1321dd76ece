#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "staged/ext/object_store.h"
#include "staged/status.h"
#include "store/bundle_catalog.h"

namespace staged {

// One bundle on disk.
struct Instance {
  BundlePlace place;
  BundleHeader header;
  size_t container = 0;
  bool is_live = false;              // its content must stay readable
  std::vector<bool> payload_needed;  // as header.payloads

  [[nodiscard]] bool needs_any_payload() const;
  [[nodiscard]] bool is_fully_needed() const;
};

// A file with bundles in it.
struct Container {
  std::string file;
  uint64_t size_bytes = 0;
  bool is_pack = false;
  std::string damage;                    // of the pack's own index
  std::vector<size_t> instances;         // in order of offset
  std::vector<ObjectDamage> unreadable;  // bundles whose header is damaged
  bool must_stay = false;                // something in it is needed and could not be copied
};

// Everything in the objects folder, by reading every header. A snapshot.
class Inventory {
 public:
  // Errors: kIoError, kUnsupportedEdit; kBusy when files keep vanishing meanwhile. Damage is noted,
  // no error.
  [[nodiscard]] static Result<Inventory> Load(BundleCatalog& catalog);

  [[nodiscard]] std::vector<Instance>& instances() { return instances_; }
  [[nodiscard]] std::vector<Container>& containers() { return containers_; }
  // Sorted hashes of all contents, readable or not.
  [[nodiscard]] std::vector<ContentHash> Contents() const;
  [[nodiscard]] uint64_t stored_bytes() const;
  [[nodiscard]] uint64_t content_bytes() const;

  // Marks what the contents of `live` need. Returns those that cannot be read any more.
  [[nodiscard]] std::vector<ObjectDamage> Mark(BundleCatalog& catalog,
                                               const std::unordered_set<ContentHash>& live);

 private:
  // kNotFound: a file was moved by another process's collection.
  [[nodiscard]] static Result<Inventory> LoadOnce(BundleCatalog& catalog);
  Status AddContainer(BundleCatalog& catalog, Container container,
                      const std::vector<std::pair<ContentHash, BundlePlace>>& places);
  // The instance that holds this payload soundly, or nullptr.
  Instance* FindPayload(BundleCatalog& catalog, const BundleKey& key, uint64_t ordinal,
                        size_t& index);
  // Marks one instance and what it needs; false when a payload is nowhere: what is left is marked.
  bool MarkInstance(BundleCatalog& catalog, Instance& instance);

  std::vector<Instance> instances_;
  std::vector<Container> containers_;
  std::map<BundleKey, std::vector<size_t>> by_key_;
};

}  // namespace staged
