#pragma once

#include <functional>
#include <memory>

#include "staged/ext/env.h"
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

// `env` must outlive them. Errors: kInvalidArgument (STAGED_PARSERS says something else).
[[nodiscard]] Result<Parsers> NewParsers(Env& env);

// What processes of this program are started with: arguments that are no commands of people.
inline constexpr char kWorkerArgument[] = "parse-worker";
inline constexpr char kOfficeArgument[] = "start-office";
// The whole life of such a worker, on the socket that is its standard input. Returns its exit code.
[[nodiscard]] int RunWorker();

}  // namespace staged::cli
