#pragma once

#include <memory>

#include "staged/ext/env.h"
#include "staged/ext/object_store.h"
#include "staged/status.h"

namespace staged {

struct ObjectStoreOptions {
  // Threads that one Put or batch may use, the caller's own with them.
  int threads = 2;
  // What a batch may hold in memory before it waits for the disk.
  uint64_t batch_memory_bytes = uint64_t{48} << 20;
};

// The store in a folder of its own (docs/storage-format.md): makes the folder's layout if it is
// empty. `env` must outlive the store. Errors: kUnsupportedEdit (written by a newer program),
// kDataLoss, kIoError.
[[nodiscard]] Result<std::unique_ptr<ObjectStore>> OpenObjectStore(
    Env& env, std::unique_ptr<Directory> objects, const ObjectStoreOptions& options = {});

}  // namespace staged
