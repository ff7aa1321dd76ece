#pragma once

#include <memory>
#include <string>

#include "env/posix_system.h"
#include "staged/ext/env.h"

namespace staged::posix {

// `path` is for messages.
[[nodiscard]] std::unique_ptr<File> NewFile(Descriptor descriptor, std::string path);

// Locks the file `path` below `root`, making it if absent.
[[nodiscard]] Result<std::unique_ptr<FileLock>> LockFile(int root, const std::string& path,
                                                         LockWait wait,
                                                         const PosixEnvOptions& options);

}  // namespace staged::posix
