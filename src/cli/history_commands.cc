// The log and the ways back within a branch.

#include <optional>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "wire/encode.h"

namespace staged::cli {
namespace {

Result<int64_t> ParseOperation(const std::string& text) {
  if (const auto number = ParseNumber("OP", text, 1); number.ok()) return *number;
  return Status(ErrorCode::kInvalidArgument,
                "'" + text + "' is no operation; `staged log` lists their numbers");
}

std::string Describe(const Operation& operation) {
  std::string paths;
  constexpr size_t kPathsMax = 3;
  for (size_t i = 0; i < operation.changes.size() && i < kPathsMax; ++i) {
    paths += " " + operation.changes[i].path;
  }
  if (operation.changes.size() > kPathsMax) {
    paths += " and " + std::to_string(operation.changes.size() - kPathsMax) + " more";
  }
  return std::to_string(operation.sequence) + "  " + FormatTime(operation.time_ns) + "  " +
         operation.actor.name + "  " + operation.branch + "  " +
         std::string(OperationTypeName(operation.type)) + paths;
}

int RunLog(Context& context) {
  const CommandLine& line = context.line();
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  OperationFilter filter;
  if (line.Has("--branch")) filter.branch = line.Get("--branch");
  if (line.Has("--path")) filter.path = line.Get("--path");
  if (line.Has("--actor")) filter.actor = context.MakeActor().name;
  if (line.Has("--turn")) filter.turn = line.Get("--turn");
  if (line.Has("--limit")) {
    STAGED_CLI_ASSIGN(context, const int64_t limit, ParseNumber("--limit", line.Get("--limit"), 1));
    filter.limit = static_cast<size_t>(limit);
  }
  filter.newest_first = !context.json();
  STAGED_CLI_CHECK(context, workspace->ForEachOperation(filter, [&](const Operation& operation) {
    if (context.json()) {
      context.PrintJson(EncodeOperationRow(operation));
    } else {
      context.PrintLine(Describe(operation));
    }
    return true;
  }));
  return kExitDone;
}

int ShowContent(Context& context, Workspace& workspace, const ContentHash& hash) {
  Value::Array rows;
  STAGED_CLI_CHECK(context, workspace.ForEachOperation({}, [&](const Operation& operation) {
    for (const PathChange& change : operation.changes) {
      if (!change.result || change.result->hash != hash) continue;
      rows.push_back(Value::Object{{"op", operation.sequence},
                                   {"path", change.path},
                                   {"type", OperationTypeName(operation.type)}});
      if (!context.json()) context.PrintLine(Describe(operation));
    }
    return true;
  }));
  if (rows.empty()) {
    return context.Fail({ErrorCode::kNotFound, hash.ToString() + " is in no operation's result"});
  }
  if (context.json()) {
    context.PrintJson(Value::Object{{"hash", hash.ToString()}, {"operations", std::move(rows)}});
  }
  return kExitDone;
}

int RunShow(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  const std::string what = context.line().One("WHAT");
  if (what.starts_with("sha256:")) {
    STAGED_CLI_ASSIGN(context, const ContentHash hash, ContentHash::Parse(what));
    return ShowContent(context, *workspace, hash);
  }
  STAGED_CLI_ASSIGN(context, const int64_t number, ParseOperation(what));
  OperationFilter filter;
  filter.after_sequence = number - 1;
  filter.up_to_sequence = number;
  std::optional<Operation> found;
  STAGED_CLI_CHECK(context, workspace->ForEachOperation(filter, [&](const Operation& operation) {
    found = operation;
    return false;
  }));
  if (!found) {
    return context.Fail(
        {ErrorCode::kNotFound, "there is no operation " + what + "; `staged log` lists them"});
  }
  if (context.json()) {
    context.PrintJson(EncodeOperationWhole(*found));
    return kExitDone;
  }
  context.PrintLine(Describe(*found));
  for (const PathChange& change : found->changes) {
    const BaseHash from = change.base ? BaseHash(change.base->hash) : BaseHash();
    const BaseHash to = change.result ? BaseHash(change.result->hash) : BaseHash();
    constexpr size_t kTextBytesMax = 4'000;
    const Result<Diff> diff = workspace->DiffContents(change.path, from, to);
    if (diff.ok() && found->changes.size() <= 20) {
      context.Print(RenderDiffText(*diff, EscapeControls(change.path), kTextBytesMax));
    } else {
      context.PrintLine("  " + change.path);
    }
  }
  return kExitDone;
}

int PrintUndo(Context& context, const Result<UndoAnswer>& answer) {
  if (!answer.ok()) return context.Fail(answer.status());
  if (context.json()) {
    context.PrintJson(EncodeUndo(*answer));
    return kExitDone;
  }
  for (const SubmitAnswer::Row& row : answer->paths) {
    context.PrintLine("undone on " + row.path + "  (op " + std::to_string(answer->operation) +
                      " takes it back again: `staged undo " + std::to_string(answer->operation) +
                      "`)");
  }
  return kExitDone;
}

int RunUndo(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  int64_t operation = 0;
  if (!context.line().One("OP").empty()) {
    STAGED_CLI_ASSIGN(context, operation, ParseOperation(context.line().One("OP")));
  }
  return PrintUndo(context, workspace->Undo(context.MakeCall(), operation,
                                            context.line().Has("--with-dependents")));
}

int RunRollback(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  CallContext call = context.MakeCall();
  return PrintUndo(context, workspace->Rollback(call, context.line().One("TURN")));
}

}  // namespace

void AddHistoryCommands(std::vector<CommandSpec>& commands) {
  commands.push_back({"log",
                      "List the operations (newest first; with --json oldest first)",
                      {},
                      {{"--path", "PATH", "only those that changed this path"},
                       {"--limit", "N", "at most so many"}},
                      {"staged log --path budget.xlsx", "staged log --json"},
                      RunLog});
  commands.push_back({"show",
                      "Show one operation, or where a content came from",
                      {{"WHAT", "an operation's number, or sha256:HASH"}},
                      {},
                      {"staged show 12"},
                      RunShow});
  commands.push_back({"undo",
                      "Take back the branch's last staged operation, or a given one",
                      {{"OP", "the operation (default: the last); an undo's number redoes", false}},
                      {{"--with-dependents", "", "and the later ones that stand on it"}},
                      {"staged undo", "staged undo 12"},
                      RunUndo});
  commands.push_back({"rollback",
                      "Take back all that a turn staged",
                      {{"TURN", "the turn"}},
                      {},
                      {"staged rollback t12"},
                      RunRollback});
}

}  // namespace staged::cli
