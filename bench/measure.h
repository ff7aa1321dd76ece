#pragma once

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "env/posix_env.h"
#include "formats/builtin_formats.h"
#include "staged/workspace.h"

// What the benchmark programs share. Each prints one line of JSON for bench/run.
namespace staged::bench {

// Ends the program when something failed: a benchmark has no way on.
template <typename T>
T OrDie(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "staged_bench: %s\n", result.status().message().c_str());
    std::exit(1);
  }
  return *std::move(result);
}
inline void OrDie(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "staged_bench: %s\n", status.message().c_str());
  std::exit(1);
}
// For calls outside of the project: `code` is 0 on success.
inline void CheckCall(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "staged_bench: %s failed (%d)\n", what, code);
  std::exit(1);
}

[[nodiscard]] inline double Seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// An open workspace with all it needs, in a folder that holds one already.
struct OpenedWorkspace {
  explicit OpenedWorkspace(const std::string& root)
      : env(NewPosixEnv()),
        formats(NewBuiltinRegistry()),
        workspace(OrDie(Workspace::Open(*env, formats, root, {}))) {}
  std::unique_ptr<Env> env;
  FormatRegistry formats;
  std::unique_ptr<Workspace> workspace;
};

[[nodiscard]] std::string ReadWholeFile(const std::string& path);
void WriteWholeFile(const std::string& path, std::string_view bytes);

using Arguments = std::vector<std::string>;
int RunCells(const Arguments& arguments);
int RunPages(const Arguments& arguments);
int RunParagraphs(const Arguments& arguments);
int RunEdits(const Arguments& arguments);
int RunSheetCost(const Arguments& arguments);
int RunFullText(const Arguments& arguments);
int RunWords(const Arguments& arguments);
int RunSubmits(const Arguments& arguments);
int RunCommits(const Arguments& arguments);
int RunParse(const Arguments& arguments);
int RunWorker(const Arguments& arguments);
int RunCode(const Arguments& arguments);

}  // namespace staged::bench
