// The `staged` program: finds the command, gives it a context, reports its failure.

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "cli/parsers.h"
#include "env/posix_env.h"
#include "env/process_memory.h"
#include "env/standard_streams.h"
#include "parse_host/libreoffice.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged::cli {
namespace {

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

// For an error that no command has.
int FailBeforeCommand(const Status& status, int argc, char** argv) {
  bool json = false;
  for (int i = 1; i < argc; ++i) json = json || std::strcmp(argv[i], "--json") == 0;
  if (json) {
    std::puts(ToJson(EncodeError(status)).c_str());
  } else {
    std::fprintf(stderr, "staged: %s\n", EscapeControls(status.message()).c_str());
  }
  return FlushOutput(ExitCodeOf(status.code()));
}

int Run(int argc, char** argv) {
  const std::vector<CommandSpec> commands = AllCommands();
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::fputs(kVersion, stdout);
    return FlushOutput(kExitDone);
  }
  // Not for people: what a parse host starts, on a socket as standard input.
  if (argc == 2 && std::strcmp(argv[1], kWorkerArgument) == 0) return RunWorker();
  if (argc > 3 && std::strcmp(argv[1], kOfficeArgument) == 0) {
    return RunOfficeLauncher(argv[2], argv + 3);
  }
  std::string help;
  Result<CommandLine> line = ParseCommandLine(commands, argc, argv, &help);
  if (!line.ok()) return FailBeforeCommand(line.status(), argc, argv);
  if (line->command == nullptr) {
    std::fputs(help.c_str(), stdout);
    return FlushOutput(kExitDone);
  }
  const std::unique_ptr<Env> env = NewPosixEnv();
  const Result<Parsers> parsers = NewParsers(*env);
  if (!parsers.ok()) return FailBeforeCommand(parsers.status(), argc, argv);
  int exit_code = 0;
  {
    Context context(*std::move(line), *env, *parsers, commands);
    const Status call = context.CheckCall();
    exit_code = call.ok() ? context.line().command->run(context) : context.Fail(call);
  }
  exit_code = FlushOutput(exit_code);
  // Workers end by themselves when this process has; to wait for that takes milliseconds.
  if (parsers->prepare) std::quick_exit(exit_code);
  return exit_code;
}

}  // namespace

}  // namespace staged::cli

int main(int argc, char** argv) {
  staged::HoldClosedStandardStreams();
  staged::KeepFreedMemory();
  return staged::cli::Run(argc, argv);
}
