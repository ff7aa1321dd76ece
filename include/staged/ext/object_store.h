#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "staged/content_hash.h"

namespace staged {

class DeflatedContent;  // codec/zip.h

struct PutOptions {
  // A content this one is a version of: its chunks are reused. A hint; unknown is fine.
  const ContentHash* similar_to = nullptr;
  // Zip members that our own writer compressed: stored by their uncompressed chunks and a recipe.
  std::vector<std::string> rewritten_members;
  // Those of them that the writer still has at hand need not be deflated again.
  std::vector<std::shared_ptr<const DeflatedContent>> deflated;
};

struct ObjectDamage {
  ContentHash hash;
  std::string file;    // relative to the objects folder
  std::string reason;  // "checksum mismatch at byte 4096"
};

struct StoreReport {
  uint64_t objects = 0;
  uint64_t stored_bytes = 0;   // on disk
  uint64_t content_bytes = 0;  // as native files
  uint64_t removed_objects = 0;
  uint64_t removed_bytes = 0;
  std::vector<ObjectDamage> damage;
};

// Many contents made durable with one wait. Not thread-safe.
class PutBatch {
 public:
  virtual ~PutBatch() = default;
  virtual Result<ContentHash> Add(std::string_view bytes) = 0;
  // Durable on return. Without it nothing of the batch is promised.
  virtual Status Commit() = 0;
};

// Content-addressed bytes. Thread-safe, and safe to use from many processes at once. `Collect` and
// `Forget` need the caller to keep writers out.
class ObjectStore {
 public:
  using Progress = std::function<void(uint64_t done, uint64_t total)>;

  virtual ~ObjectStore() = default;
  // Idempotent; durable on return.
  virtual Result<ContentHash> Put(std::string_view bytes, const PutOptions& options) = 0;
  virtual Result<std::unique_ptr<PutBatch>> NewBatch() = 0;
  // Verified bytes. Errors: kNotFound, kDataLoss (damaged; names the object).
  virtual Result<std::string> Get(const ContentHash& hash) = 0;
  virtual Result<bool> Has(const ContentHash& hash) = 0;
  virtual Result<uint64_t> SizeOf(const ContentHash& hash) = 0;  // native size; kNotFound
  // Every hash held.
  virtual Result<std::vector<ContentHash>> List() = 0;
  // Removes all but `live` and repacks; what a live object needs is kept.
  virtual Result<StoreReport> Collect(const std::unordered_set<ContentHash>& live,
                                      const Progress& progress) = 0;
  // Reads and verifies every object; never changes anything.
  virtual Result<StoreReport> Verify(const Progress& progress) = 0;
  virtual Result<StoreReport> Usage() = 0;
  // Removes one content for good; what others share with it is rehomed first. kNotFound.
  virtual Status Forget(const ContentHash& hash) = 0;
};

}  // namespace staged
