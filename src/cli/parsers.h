#pragma once

#include <functional>
#include <memory>

#include "staged/ext/format.h"

namespace staged::cli {

// The formats as this program uses them.
struct Parsers {
  // Parses and edits in worker processes of this very program, which can do nothing but answer;
  // where the environment variable STAGED_PARSERS is "in-process", in this process.
  std::shared_ptr<const FormatRegistry> formats;
  // Starts a worker now, to be ready when the first file is. Empty where there are none.
  std::function<void()> prepare;
};

// Errors: kInvalidArgument (STAGED_PARSERS says something else).
[[nodiscard]] Result<Parsers> NewParsers();

// What a worker is started with: the one argument that is no command of people.
inline constexpr char kWorkerArgument[] = "parse-worker";
// The whole life of such a worker, on the socket that is its standard input. Returns its exit code.
[[nodiscard]] int RunWorker();

}  // namespace staged::cli
