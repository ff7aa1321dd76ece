#pragma once

#include <memory>
#include <string>

#include "env/posix_system.h"
#include "staged/ext/env.h"

namespace staged::posix {

// `descriptor` is an open directory, `path` its absolute path.
[[nodiscard]] std::unique_ptr<Directory> NewDirectory(Descriptor descriptor, std::string path,
                                                      const PosixEnvOptions& options);

// The items of an open directory, sorted by name bytes. `descriptor` must be readable.
[[nodiscard]] Result<std::vector<DirectoryItem>> ListItems(Descriptor descriptor,
                                                           const std::string& path);

}  // namespace staged::posix
