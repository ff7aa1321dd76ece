#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/parsers.h"
#include "staged/workspace.h"

namespace staged::cli {

// Exit codes (docs/cli.md).
inline constexpr int kExitDone = 0;
inline constexpr int kExitDifferent = 1;
[[nodiscard]] int ExitCodeOf(ErrorCode code);

// What a command works with: its arguments, the environment, the workspace, and the way out.
class Context {
 public:
  Context(CommandLine line, Env& env, const Parsers& parsers,
          const std::vector<CommandSpec>& commands);
  ~Context();

  [[nodiscard]] const CommandLine& line() const { return line_; }
  [[nodiscard]] Env& env() { return env_; }
  [[nodiscard]] const FormatRegistry& formats() const { return *parsers_.formats; }
  // For a command that will parse: a parser gets ready while the command reads and opens.
  void PrepareParser() const {
    if (parsers_.prepare) parsers_.prepare();
  }
  [[nodiscard]] const std::vector<CommandSpec>& commands() const { return commands_; }
  [[nodiscard]] bool json() const { return line_.Has("--json"); }

  // The workspace named by --root or found upwards. Errors: kNotFound.
  [[nodiscard]] Result<Workspace*> OpenWorkspace(OpenOptions options = {});
  [[nodiscard]] Result<std::string> FindRoot();
  // With the workspace's default branch where none is named. REQUIRES: OpenWorkspace() was kOk.
  [[nodiscard]] CallContext MakeCall() const;
  // A setting of the workspace that was opened (`staged config`).
  [[nodiscard]] std::string Setting(const std::string& name) const;
  // How long a difference's text may be, in bytes, by --budget or the setting; 0: as long as it is.
  // Errors: kInvalidArgument.
  [[nodiscard]] Result<size_t> DiffBudget() const;
  [[nodiscard]] Actor MakeActor() const;  // REQUIRES: CheckCall() was kOk
  // Whether --actor and --branch say something. Errors: kInvalidArgument.
  [[nodiscard]] Status CheckCall() const;

  // A path of the workspace, with the hash behind '@' where there is one.
  struct PathAt {
    std::string path;
    BaseHash hash;
  };
  [[nodiscard]] static Result<PathAt> SplitPathAt(const std::string& text);
  // --base: a hash, or "none". Errors: kInvalidArgument (missing or malformed).
  [[nodiscard]] Result<BaseHash> ParseBase() const;

  // A file argument (relative to the working directory), or standard input for "-" and "".
  [[nodiscard]] Result<std::string> ReadInput(const std::string& file);
  // Writes a file whole: by a temporary name beside it, synced and renamed.
  [[nodiscard]] Status WriteOutput(const std::string& file, std::string_view bytes);
  [[nodiscard]] std::string AbsolutePath(const std::string& path) const;

  void Print(std::string_view text);  // standard output
  // One line always: control characters (of a file's name, of a cell) are shown escaped.
  void PrintLine(std::string_view text);
  // One line for people on standard error; nothing with --json.
  void PrintNote(std::string_view text);
  void PrintJson(const Value& value);
  [[nodiscard]] int Fail(const Status& status);
  // A callback that shows a bar on standard error once a second of work has passed.
  [[nodiscard]] ProgressCallback MakeProgress(const std::string& what);

 private:
  CommandLine line_;
  Env& env_;
  const Parsers& parsers_;
  const std::vector<CommandSpec>& commands_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<SettingRow> settings_;  // of the workspace
};

#define STAGED_CLI_CHECK(context, expression)                     \
  do {                                                            \
    if (::staged::Status status_ = (expression); !status_.ok()) { \
      return (context).Fail(status_);                             \
    }                                                             \
  } while (false)

#define STAGED_CLI_ASSIGN(context, target, expression) \
  STAGED_CLI_ASSIGN_INNER(STAGED_CONCAT(result_, __LINE__), context, target, expression)
#define STAGED_CLI_ASSIGN_INNER(result, context, target, expression) \
  auto result = (expression);                                        \
  if (!result.ok()) return (context).Fail(result.status());          \
  target = std::move(result).value()

// A hash as people read it: its first digits, or "none".
inline constexpr size_t kShortHashDigits = 12;
[[nodiscard]] std::string ShortHash(const BaseHash& hash);

// The commands, by file.
void AddFileCommands(std::vector<CommandSpec>& commands);     // on plain files
void AddReadCommands(std::vector<CommandSpec>& commands);     // status, view, search ...
void AddStageCommands(std::vector<CommandSpec>& commands);    // write, edit, rm ...
void AddReviewCommands(std::vector<CommandSpec>& commands);   // review, submit, rebase ...
void AddHistoryCommands(std::vector<CommandSpec>& commands);  // log, show, undo ...
void AddUpkeepCommands(std::vector<CommandSpec>& commands);   // init, fsck, gc ...
void AddPolicyCommands(std::vector<CommandSpec>& commands);   // policy, config
[[nodiscard]] std::vector<CommandSpec> AllCommands();

// Used by more than one of them.
[[nodiscard]] int RunEditFile(Context& context);
[[nodiscard]] int RunDiffFiles(Context& context);
[[nodiscard]] int RunFormats(Context& context);
// `locators`: only these records; empty: all.
void PrintView(Context& context, const View& view, const std::string& path, Freshness freshness,
               bool conflict, const std::set<std::string>& locators);

}  // namespace staged::cli
