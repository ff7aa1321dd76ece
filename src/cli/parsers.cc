#include "cli/parsers.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "env/own_program.h"
#include "formats/builtin_formats.h"
#include "parse_host/libreoffice.h"
#include "parse_host/parse_host.h"
#include "parse_host/worker.h"

namespace staged::cli {
namespace {

constexpr uint64_t kWorkerMemoryBytesMax = uint64_t{8} << 30;

// Old office formats on top: their converter is a process of its own, what it makes is parsed like
// any other file.
std::shared_ptr<const FormatRegistry> WithLegacyFormats(FormatRegistry formats, Env& env) {
  LibreOfficeOptions options;
  options.launcher = OwnProgram();
  options.launcher_argument = kOfficeArgument;
  const char* temporary = std::getenv("TMPDIR");
  options.temporary_folder = temporary == nullptr || *temporary != '/' ? "/tmp" : temporary;
  AddConvertedFormats(formats, FindLibreOffice(env, std::move(options)));
  return std::make_shared<const FormatRegistry>(std::move(formats));
}

}  // namespace

Result<Parsers> NewParsers(Env& env) {
  const char* chosen = std::getenv("STAGED_PARSERS");
  const std::string_view choice = chosen == nullptr ? "sandboxed" : chosen;
  if (choice == "in-process") return Parsers{WithLegacyFormats(NewBuiltinRegistry(), env), {}};
  if (choice != "sandboxed" && !choice.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "STAGED_PARSERS is 'sandboxed' (the default) or 'in-process'");
  }
  ParseHostOptions options;
  options.worker_command = {OwnProgram(), kWorkerArgument};
  options.idle_workers_max = std::max(2u, std::thread::hardware_concurrency());
  const auto host = std::make_shared<ParseHost>(std::move(options));
  const auto builtin = std::make_shared<const FormatRegistry>(NewBuiltinRegistry());
  return Parsers{WithLegacyFormats(SandboxFormats(builtin, host), env),
                 [host] { host->Prepare(); }};
}

int RunWorker() { return RunParseWorker(0, NewBuiltinRegistry(), kWorkerMemoryBytesMax); }

}  // namespace staged::cli
