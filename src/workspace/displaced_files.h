#pragma once

#include <memory>
#include <string>
#include <vector>

#include "staged/ext/env.h"
#include "workspace/live_scan.h"

// Files that were displaced from the live folder while a program may still write into them (rule
// 13), and what the files in .staged/tmp have in common.
namespace staged {

// A file that a person's program may still hold open after it was replaced: parked as
// tmp/displaced-<name> beside tmp/displaced-<name>.path, until nobody can write to it.
struct LateChange {
  std::string path;
  Entry base;         // what was displaced
  std::string bytes;  // what somebody wrote into it since
  EntryKind kind = EntryKind::kFile;
  std::string parked_name;
};

// Parking and collecting exclude each other. A lock's holder may wait for the journal, so nobody
// who waits for this lock may hold a journal transaction.
[[nodiscard]] Result<std::unique_ptr<FileLock>> LockParked(Directory& temporary, LockWait wait);
// Whether anything is parked, to be asked before the lock.
[[nodiscard]] Result<bool> HasParked(Directory& temporary);
// Parks the temporary file `name`, which lay at `path` until now; `seen` is what its writer saw.
[[nodiscard]] Status ParkDisplaced(Env& env, Directory& temporary, const std::string& name,
                                   const std::string& path, const Entry& seen);
// REQUIRES: the lock is held. Parked files that no writer holds any more: removed when unchanged,
// given out when changed.
[[nodiscard]] Result<std::vector<LateChange>> CollectParked(Directory& temporary);
// Removes a parked file whose late change was taken in.
[[nodiscard]] Status RemoveParked(Directory& temporary, const std::string& parked_name);

// A name that nobody else has.
[[nodiscard]] std::string RandomName(Env& env);
// What lies at the path; nullopt where nothing does.
[[nodiscard]] Result<OptionalEntry> EntryAt(Directory& directory, const std::string& path);

}  // namespace staged
