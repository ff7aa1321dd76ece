#pragma once

#include <functional>
#include <memory>
#include <string>

#include "env/posix_system.h"
#include "staged/ext/env.h"

namespace staged::posix {

// Watches below the directory open as `root`. `directory` lists the same directory.
[[nodiscard]] Result<std::unique_ptr<Watcher>> NewWatcher(
    Descriptor root, std::unique_ptr<Directory> directory,
    std::function<bool(const std::string&)> skip, const PosixEnvOptions& options);

}  // namespace staged::posix
