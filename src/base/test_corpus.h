#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

// For tests only: where the real files are.
namespace staged::testing {

// Why a test skips that needs them.
inline constexpr char kNoCorpus[] =
    "1 test skipped: STAGED_CORPUS names no folder of real files (ctest sets it where there is "
    "one)";

// The folder that STAGED_CORPUS names, or "" where there is none.
inline std::string CorpusFolder() {
  const char* folder = std::getenv("STAGED_CORPUS");
  return folder != nullptr && std::filesystem::is_directory(folder) ? folder : "";
}

}  // namespace staged::testing
