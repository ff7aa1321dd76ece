#pragma once

#include <memory>
#include <string>

#include "staged/ext/env.h"
#include "staged/ext/office_converter.h"

namespace staged {

struct LibreOfficeOptions {
  // Absolute path of a program that calls RunOfficeLauncher with the arguments behind its own.
  std::string launcher;
  std::string launcher_argument;
  std::string temporary_folder;  // absolute; each conversion has a folder of its own there
  int64_t conversion_ns_max = int64_t{120} * 1'000'000'000;
};

// LibreOffice where it is installed, else nullptr. It runs in a process of its own for each file,
// with a profile of its own, without network, and writes nowhere but into its own folder where the
// system can hold it to that. `env` must outlive it.
[[nodiscard]] std::shared_ptr<const OfficeConverter> FindLibreOffice(Env& env,
                                                                     LibreOfficeOptions options);

// Exit codes of a launcher that could not become the program.
inline constexpr int kOfficeNotConfined = 114;
inline constexpr int kOfficeNotStarted = 115;

// The other side: gives up network, all but a little memory and time, and all writing outside of
// `folder`, and becomes `command` (absolute path and arguments). Returns only if it cannot: one of
// these exit codes.
[[nodiscard]] int RunOfficeLauncher(const char* folder, char* const* command);

}  // namespace staged
