#include "cli/parsers.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "env/own_program.h"
#include "formats/builtin_formats.h"
#include "parse_host/parse_host.h"
#include "parse_host/worker.h"

namespace staged::cli {
namespace {

constexpr uint64_t kWorkerMemoryBytesMax = uint64_t{8} << 30;

}  // namespace

Result<Parsers> NewParsers() {
  Parsers parsers;
  auto builtin = std::make_shared<const FormatRegistry>(NewBuiltinRegistry());
  const char* chosen = std::getenv("STAGED_PARSERS");
  const std::string_view choice = chosen == nullptr ? "sandboxed" : chosen;
  if (choice == "in-process") {
    parsers.formats = std::move(builtin);
    return parsers;
  }
  if (choice != "sandboxed" && !choice.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "STAGED_PARSERS is 'sandboxed' (the default) or 'in-process'");
  }
  ParseHostOptions options;
  options.worker_command = {OwnProgram(), kWorkerArgument};
  options.idle_workers_max = std::max(2u, std::thread::hardware_concurrency());
  const auto host = std::make_shared<ParseHost>(std::move(options));
  parsers.formats = std::make_shared<const FormatRegistry>(SandboxFormats(builtin, host));
  parsers.prepare = [host] { host->Prepare(); };
  return parsers;
}

int RunWorker() { return RunParseWorker(0, NewBuiltinRegistry(), kWorkerMemoryBytesMax); }

}  // namespace staged::cli
