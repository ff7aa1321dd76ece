// The `staged` program: finds the command, gives it a context, reports its failure.

#include <clocale>
#include <cstdio>
#include <cstring>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "env/posix_env.h"
#include "env/process_memory.h"
#include "env/standard_streams.h"
#include "formats/builtin_formats.h"
#include "parse_host/worker.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged::cli {
namespace {

constexpr uint64_t kWorkerMemoryBytesMax = uint64_t{8} << 30;
constexpr char kVersion[] = "staged 0.1.0\n";

// What was printed is out, or the command has failed: a full disk must not look like success.
int FlushOutput(int exit_code) {
  const bool lost = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !lost) return exit_code;
  std::fputs(
      "staged: io_error: the output could not be written whole; free space where it goes "
      "and run the command again\n",
      stderr);
  return exit_code == kExitDone ? ExitCodeOf(ErrorCode::kIoError) : exit_code;
}

int Run(int argc, char** argv) {
  const std::vector<CommandSpec> commands = AllCommands();
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::fputs(kVersion, stdout);
    return kExitDone;
  }
  // Not for people: what a parse host starts, on a socket as standard input.
  if (argc == 2 && std::strcmp(argv[1], "parse-worker") == 0) {
    return RunParseWorker(0, NewBuiltinRegistry(), kWorkerMemoryBytesMax);
  }
  std::string help;
  Result<CommandLine> line = ParseCommandLine(commands, argc, argv, &help);
  if (!line.ok()) {
    bool json = false;
    for (int i = 1; i < argc; ++i) json = json || std::strcmp(argv[i], "--json") == 0;
    if (json) {
      std::puts(ToJson(EncodeError(line.status())).c_str());
    } else {
      std::fprintf(stderr, "staged: %s\n", EscapeControls(line.status().message()).c_str());
    }
    return ExitCodeOf(line.status().code());
  }
  if (line->command == nullptr) {
    std::fputs(help.c_str(), stdout);
    return kExitDone;
  }
  const std::unique_ptr<Env> env = NewPosixEnv();
  const FormatRegistry formats = NewBuiltinRegistry();
  Context context(*std::move(line), *env, formats, commands);
  const Status call = context.CheckCall();
  return call.ok() ? context.line().command->run(context) : context.Fail(call);
}

}  // namespace

}  // namespace staged::cli

int main(int argc, char** argv) {
  staged::HoldClosedStandardStreams();
  staged::KeepFreedMemory();
  return staged::cli::FlushOutput(staged::cli::Run(argc, argv));
}
