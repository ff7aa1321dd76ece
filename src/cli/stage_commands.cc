// Commands that stage changes, and that hydrate and sync a folder.

#include <future>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "env/process_memory.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged::cli {
namespace {

const OptionSpec kBase = {"--base", "HASH", "the content this stands on; none for a new file"};

std::string Describe(const StagedChange& change) {
  return "staged " + change.path + (change.moved_to.empty() ? "" : " => " + change.moved_to) +
         "  " + ShortHash(change.base) + " -> " + ShortHash(change.hash) + "  (op " +
         std::to_string(change.operation) + ")";
}

int Finish(Context& context, const Result<StagedChange>& change) {
  if (!change.ok()) return context.Fail(change.status());
  if (context.json()) {
    context.PrintJson(EncodeStagedChange(*change));
    return kExitDone;
  }
  context.PrintLine(Describe(*change));
  if (!change->superseded.empty()) {
    context.PrintLine("it supersedes what was kept in conflict there");
  }
  for (const DerivedEffect& effect : change->derived) {
    context.PrintLine("  implied: " + effect.locator + " " + effect.description);
  }
  if (change->diff) context.Print(RenderDiffText(*change->diff, EscapeControls(change->path), 0));
  return kExitDone;
}

int RunWrite(Context& context) {
  // A file is read while the workspace is opened; standard input only once that has succeeded.
  const std::string from = context.line().Get("--from");
  const bool is_file = !from.empty() && from != "-";
  std::future<Result<std::string>> input =
      std::async(is_file ? std::launch::async : std::launch::deferred,
                 [&] { return context.ReadInput(from); });
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const BaseHash base, context.ParseBase());
  STAGED_CLI_ASSIGN(context, const std::string bytes, input.get());
  const CallContext call = context.MakeCall();
  const std::string path = context.line().One("PATH");
  // A view that is quick to make is made before this process ends, once the write is acknowledged
  // and durable.
  constexpr size_t kQuickBytesMax = size_t{256} << 10;
  const bool is_quick = bytes.size() <= kQuickBytesMax;
  if (is_quick) context.PrepareParser();
  const Result<StagedChange> change = workspace->Write(call, path, base, bytes);
  if (change.ok() && is_quick) {
    (void)workspace->GetView(call, path, {}, WaitForViews::kWait).ok();
  }
  return Finish(context, change);
}

int RunEdit(Context& context) {
  const CommandLine& line = context.line();
  if (line.Has("--output") || line.Has("--dry-run")) return RunEditFile(context);
  context.PrepareParser();
  ShareFreedMemory();  // a file's contents and views, one thread after the other
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const BaseHash base, context.ParseBase());
  STAGED_CLI_ASSIGN(context, const std::string text, context.ReadInput(line.One("OPS")));
  STAGED_CLI_ASSIGN(context, const std::vector<Edit> edits, ParseEdits(text));
  return Finish(context, workspace->ApplyEdits(context.MakeCall(), line.One("PATH"), base, edits));
}

// A directory has no hash of its own; for a file the workspace demands one.
Result<BaseHash> OptionalBase(const Context& context) {
  return context.line().Has("--base") ? context.ParseBase() : BaseHash();
}

int RunRemove(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const BaseHash base, OptionalBase(context));
  return Finish(context, workspace->Remove(context.MakeCall(), context.line().One("PATH"), base));
}

int RunMove(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const BaseHash base, OptionalBase(context));
  return Finish(context, workspace->Move(context.MakeCall(), context.line().One("FROM"),
                                         context.line().One("TO"), base));
}

int RunChangeMode(Context& context) {
  const std::string mode = context.line().One("MODE");
  if (mode != "+x" && mode != "-x") {
    return context.Fail({ErrorCode::kInvalidArgument, "MODE is +x or -x"});
  }
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const BaseHash base, context.ParseBase());
  return Finish(context, workspace->ChangeMode(context.MakeCall(), context.line().One("PATH"), base,
                                               mode == "+x"));
}

void PrintConflicts(Context& context, const std::vector<PathConflict>& conflicts) {
  for (const PathConflict& conflict : conflicts) {
    context.PrintLine("conflict " + conflict.path +
                      ": the branch moved on; `staged rebase` or `staged resolve`");
  }
}

int RunCheckout(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  const std::string directory = context.AbsolutePath(context.line().One("DIR"));
  STAGED_CLI_ASSIGN(context, const CheckoutAnswer answer,
                    workspace->Checkout(context.MakeCall(), directory));
  if (context.json()) {
    context.PrintJson(Value::Object{{"directory", directory},
                                    {"files", answer.files},
                                    {"conflicts", EncodeConflicts(answer.conflicts)}});
    return kExitDone;
  }
  context.PrintLine(std::to_string(answer.files) + " files in " + directory);
  PrintConflicts(context, answer.conflicts);
  return kExitDone;
}

int RunSync(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  const std::string directory = context.AbsolutePath(context.line().One("DIR"));
  STAGED_CLI_ASSIGN(context, const SyncAnswer answer,
                    workspace->Sync(context.MakeCall(), directory));
  if (context.json()) {
    context.PrintJson(EncodeSync(answer));
  } else {
    for (const StagedChange& change : answer.operations) context.PrintLine(Describe(change));
    for (const SkippedPath& skipped : answer.skipped) {
      context.PrintLine("skipped " + skipped.path + ": " + skipped.reason);
    }
    PrintConflicts(context, answer.conflicts);
    if (answer.operations.empty()) context.PrintLine("nothing changed");
  }
  return answer.conflicts.empty() ? kExitDone : kExitDifferent;
}

}  // namespace

void AddStageCommands(std::vector<CommandSpec>& commands) {
  commands.push_back({"write",
                      "Stage native bytes (standard input, or --from FILE)",
                      {{"PATH", "the file in the workspace"}},
                      {kBase, {"--from", "FILE", "take the bytes from this file"}},
                      {"staged write notes.md --base none < draft.md",
                       "staged write budget.xlsx --base sha256:… --from new.xlsx"},
                      RunWrite});
  commands.push_back({"edit",
                      "Stage structured edits; with -o edit a plain file instead",
                      {{"PATH", "the file"}, {"OPS", "a JSON list of edits, - for standard input"}},
                      {kBase,
                       {"--output", "OUT", "write the edited file there (-o); no workspace"},
                       {"--dry-run", "", "only show what would change; no workspace"}},
                      {"staged edit budget.xlsx ops.json --base sha256:…",
                       "echo '[{\"op\":\"set\",\"locator\":\"Sheet1!B7\",\"value\":42}]' | staged "
                       "edit budget.xlsx - -o new.xlsx"},
                      RunEdit});
  commands.push_back({"rm",
                      "Stage a deletion; of a directory, of all its files",
                      {{"PATH", "the file or directory"}},
                      {kBase},
                      {"staged rm old.txt --base sha256:…"},
                      RunRemove});
  commands.push_back({"mv",
                      "Stage a move",
                      {{"FROM", "the file or directory"}, {"TO", "where it goes"}},
                      {kBase},
                      {"staged mv a.txt docs/a.txt --base sha256:…"},
                      RunMove});
  commands.push_back({"chmod",
                      "Stage the executable bit",
                      {{"MODE", "+x or -x (write -- before -x)"}, {"PATH", "the file"}},
                      {kBase},
                      {"staged chmod +x run.sh --base sha256:…"},
                      RunChangeMode});
  commands.push_back({"checkout",
                      "Write the working state into an empty directory",
                      {{"DIR", "the directory, outside of the workspace"}},
                      {},
                      {"staged checkout /tmp/work"},
                      RunCheckout});
  commands.push_back({"sync",
                      "Stage what changed in a checked out directory, as one turn",
                      {{"DIR", "the directory"}},
                      {},
                      {"staged sync /tmp/work"},
                      RunSync});
}

}  // namespace staged::cli
