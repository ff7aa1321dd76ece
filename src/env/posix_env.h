#pragma once

#include <memory>

#include "staged/ext/env.h"

namespace staged {

// Turns off what only some kernels and file systems have, to test the plain POSIX ways. What is
// turned on is still only used where it works.
struct PosixEnvOptions {
  bool use_openat2 = true;    // else: components are opened one by one
  bool use_renameat2 = true;  // else: link and rename
  bool use_reflink = true;    // FICLONE, copy_file_range; else: read and write
  bool use_inotify = true;    // else: polling
};

// The operating system's files, clock and randomness. The Env must outlive what it opens.
// New files and directories get their mode less the process's umask.
[[nodiscard]] std::unique_ptr<Env> NewPosixEnv(const PosixEnvOptions& options = {});

}  // namespace staged
