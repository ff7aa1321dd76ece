// Commands that read a workspace.

#include <algorithm>
#include <cstdio>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "format/find_locators.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged::cli {
namespace {

std::string Pad(std::string hash) {
  hash.resize(std::max(hash.size(), kShortHashDigits), ' ');
  return hash;
}

int RunStatus(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const StatusReport report, workspace->GetStatus(context.MakeCall()));
  if (context.json()) {
    context.PrintJson(EncodeStatus(report));
    return kExitDone;
  }
  context.PrintLine("branch " + report.branch + ", " + std::to_string(report.files.size()) +
                    " files");
  for (const FileRow& row : report.files) {
    const bool quiet = row.state == "initial" && row.also_on.empty();
    if (quiet && !context.line().Has("--all")) continue;
    char text[64];
    std::snprintf(text, sizeof(text), "  %-9s ", row.state.c_str());
    std::string line = text + row.path + "  " + ShortHash(row.accepted);
    if (row.staged != row.accepted && row.state != "initial")
      line += " -> " + ShortHash(row.staged);
    for (const std::string& other : row.also_on) line += "  also on " + other;
    context.PrintLine(line);
  }
  for (const SkippedPath& skipped : report.skipped) {
    context.PrintLine("  skipped   " + skipped.path + ": " + skipped.reason);
  }
  return kExitDone;
}

int RunList(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const StatusReport report, workspace->GetStatus(context.MakeCall()));
  std::string folder = context.line().One("PATH");
  while (folder.starts_with("./")) folder.erase(0, 2);
  while (folder.ends_with('/')) folder.pop_back();
  if (folder == ".") folder.clear();
  Value::Array files;
  bool found = folder.empty();
  for (const FileRow& row : report.files) {
    const bool conflict = row.state == "conflict";
    // What is staged as removed is not listed; what is in conflict always is.
    if (!row.working && !conflict) continue;
    if (!folder.empty() && row.path != folder && !row.path.starts_with(folder + "/")) continue;
    found = true;
    if (context.json()) {
      Value file = Value::Object{
          {"path", row.path}, {"kind", EntryKindName(row.kind)}, {"hash", EncodeHash(row.working)}};
      if (conflict) file.Set("conflict", true);
      files.push_back(std::move(file));
      continue;
    }
    std::string line = Pad(ShortHash(row.working)) + "  " + row.path;
    if (row.kind != EntryKind::kFile) line += "  (" + std::string(EntryKindName(row.kind)) + ")";
    if (conflict) line += "  (in conflict)";
    context.PrintLine(line);
  }
  if (!found) {
    return context.Fail({ErrorCode::kNotFound, "there is no '" + folder +
                                                   "' in the working state; `staged ls` lists "
                                                   "what is there"});
  }
  if (context.json()) context.PrintJson(Value::Object{{"files", std::move(files)}});
  return kExitDone;
}

int RunView(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const Context::PathAt at,
                    Context::SplitPathAt(context.line().One("PATH")));
  const WaitForViews wait =
      context.line().Has("--no-wait") ? WaitForViews::kTakeWhatIsThere : WaitForViews::kWait;
  STAGED_CLI_ASSIGN(context, const ViewAnswer answer,
                    workspace->GetView(context.MakeCall(), at.path, at.hash, wait));
  std::set<std::string> locators;
  if (const std::string locator = context.line().Get("--at"); !locator.empty()) {
    const auto bytes = [&]() -> Result<std::string> {
      STAGED_ASSIGN_OR_RETURN(Content content, workspace->Read(context.MakeCall(), at.path,
                                                               BaseHash(answer.view->hash)));
      return std::move(content.bytes);
    };
    STAGED_CLI_ASSIGN(context, locators, FindLocators(*answer.view, locator, bytes));
  }
  PrintView(context, *answer.view, answer.path, answer.freshness, answer.conflict, locators);
  return kExitDone;
}

int RunCat(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const Context::PathAt at,
                    Context::SplitPathAt(context.line().One("PATH")));
  STAGED_CLI_ASSIGN(context, const Content content,
                    workspace->Read(context.MakeCall(), at.path, at.hash));
  if (context.json()) {
    context.PrintJson(Value::Object{{"path", content.path},
                                    {"hash", content.entry.hash.ToString()},
                                    {"kind", EntryKindName(content.entry.kind)},
                                    {"size", content.bytes.size()},
                                    {"conflict", content.conflict}});
    return kExitDone;
  }
  context.Print(content.bytes);
  return kExitDone;
}

Result<SearchRequest> MakeSearch(const CommandLine& line, const std::string& usual_limit) {
  SearchRequest request;
  request.query = line.One("QUERY");
  if (line.Has("--regex")) request.mode = SearchRequest::Mode::kRegex;
  if (line.Has("--name")) request.mode = SearchRequest::Mode::kName;
  request.path_glob = line.Get("--path");
  request.kind = line.Get("--kind");
  if (line.Has("--no-wait")) request.wait = WaitForViews::kTakeWhatIsThere;
  STAGED_ASSIGN_OR_RETURN(const int64_t limit,
                          ParseNumber("--limit", line.Get("--limit", usual_limit), 1));
  request.limit = static_cast<size_t>(limit);
  if (line.Has("--at")) {
    STAGED_ASSIGN_OR_RETURN(request.at_operation, ParseNumber("--at", line.Get("--at"), 1));
  }
  return request;
}

int RunSearch(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const SearchRequest request,
                    MakeSearch(context.line(), context.Setting("search.limit")));
  STAGED_CLI_ASSIGN(context, const SearchAnswer answer,
                    workspace->Search(context.MakeCall(), request));
  if (context.json()) {
    context.PrintJson(EncodeSearch(answer));
    return kExitDone;
  }
  for (const std::string& note : answer.notes) context.PrintNote(note);
  for (const SearchMatch& match : answer.hits) {
    std::string text = match.text;
    std::replace(text.begin(), text.end(), '\n', ' ');
    context.PrintLine(match.path + (match.locator.empty() ? "" : ":" + match.locator) + ": " +
                      text + (match.conflict ? "  (in conflict)" : ""));
  }
  if (answer.more) context.PrintLine("… there are more; raise --limit or narrow the query");
  for (const std::string& path : answer.unsearched) {
    context.PrintNote("'" + path + "' is not searched, or not all of it; `staged parse` says why");
  }
  return kExitDone;
}

int RunDiff(Context& context) {
  const std::vector<std::string> paths = context.line().All("PATH");
  bool differs = false;
  if (paths.size() == 2) {
    STAGED_CLI_ASSIGN(context, const Context::PathAt from, Context::SplitPathAt(paths[0]));
    STAGED_CLI_ASSIGN(context, const Context::PathAt to, Context::SplitPathAt(paths[1]));
    const bool files = !from.hash && !to.hash && context.ReadInput(paths[0]).ok() &&
                       context.ReadInput(paths[1]).ok();
    if (files || !context.FindRoot().ok()) return RunDiffFiles(context);
    STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
    STAGED_CLI_ASSIGN(context, const size_t budget, context.DiffBudget());
    const CallContext call = context.MakeCall();
    // Read proves that each hash belongs to its path.
    STAGED_CLI_ASSIGN(context, const Content left, workspace->Read(call, from.path, from.hash));
    STAGED_CLI_ASSIGN(context, const Content right, workspace->Read(call, to.path, to.hash));
    STAGED_CLI_ASSIGN(context, const View left_view,
                      ParseView(context.formats(), left.bytes, left.path, Limits{}));
    STAGED_CLI_ASSIGN(context, const View right_view,
                      ParseView(context.formats(), right.bytes, right.path, Limits{}));
    const Format* format = context.formats().Find(right_view.format);
    const Diff diff = ComputeDiff(left_view, right_view,
                                  format != nullptr ? format->descriptor().profile : Profile{});
    differs = !diff.identical;
    if (context.json()) {
      context.PrintJson(EncodeDiff(diff, left.path, right.path));
    } else {
      context.Print(RenderDiffText(diff, EscapeControls(right.path), budget));
    }
    return differs && context.line().Has("--exit-code") ? kExitDifferent : kExitDone;
  }
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const size_t budget, context.DiffBudget());
  const CallContext call = context.MakeCall();
  STAGED_CLI_ASSIGN(context, const auto diffs, workspace->GetDiff(call, paths));
  STAGED_CLI_ASSIGN(context, const std::vector<PathConflict> conflicts,
                    workspace->GetConflicts(call));
  Value::Array list;
  for (const auto& [path, diff] : diffs) {
    differs = true;
    const bool conflict = std::any_of(conflicts.begin(), conflicts.end(),
                                      [&](const PathConflict& one) { return one.path == path; });
    if (context.json()) {
      Value encoded = EncodeDiff(diff, path, path);
      if (conflict) encoded.Set("conflict", true);
      list.push_back(std::move(encoded));
      continue;
    }
    if (conflict) {
      context.PrintLine("conflict " + path + ": " + ShortHash(diff.from) +
                        " is not accepted any more; this is kept aside until `staged rebase` or "
                        "`staged resolve`");
    }
    context.Print(RenderDiffText(diff, EscapeControls(path), budget));
  }
  if (context.json()) context.PrintJson(Value::Object{{"diffs", std::move(list)}});
  return differs && context.line().Has("--exit-code") ? kExitDifferent : kExitDone;
}

}  // namespace

void AddReadCommands(std::vector<CommandSpec>& commands) {
  commands.push_back({"status",
                      "Show every file's state on the branch",
                      {},
                      {{"--all", "", "also the files that nothing happened to"}},
                      {"staged status", "staged status --json"},
                      RunStatus});
  commands.push_back({"ls",
                      "List the files of the working state",
                      {{"PATH", "a folder", false}},
                      {},
                      {"staged ls", "staged ls reports"},
                      RunList});
  commands.push_back(
      {"view",
       "Show a file of the working state, or an older content of it, as records",
       {{"PATH", "PATH or PATH@sha256:HASH"}},
       {{"--jsonl", "", "a record a line"},
        {"--at", "LOCATOR", "only the record there; in text also line:2 or line:3-5"},
        {"--kind", "KIND", "only records of this kind"},
        {"--no-wait", "", "take a stale view, labelled, rather than parse now"}},
       {"staged view budget.xlsx", "staged view notes.md --json"},
       RunView});
  commands.push_back({"cat",
                      "Print the exact bytes of a file, or of an older content of it",
                      {{"PATH", "PATH or PATH@sha256:HASH"}},
                      {},
                      {"staged cat budget.xlsx > copy.xlsx"},
                      RunCat});
  commands.push_back({"search",
                      "Find records in exactly one state",
                      {{"QUERY", "words, \"a phrase\", prefix*"}},
                      {{"--regex", "", "the query is a regular expression (RE2)"},
                       {"--name", "", "search file names"},
                       {"--path", "GLOB", "only in these files"},
                       {"--kind", "KIND", "only records of this kind"},
                       {"--at", "OP", "as the branch was after this operation"},
                       {"--limit", "N", "how many hits (default 20)"},
                       {"--no-wait", "", "search what is indexed; name the rest"}},
                      {"staged search revenue", "staged search 'Q[34]' --regex --path '**/*.xlsx'"},
                      RunSearch});
  commands.push_back(
      {"diff",
       "Compare two files or contents, or show what is staged",
       {{"PATH", "two files or contents to compare; else staged paths (all)", false, true}},
       {{"--exit-code", "", "exit 1 if there are differences"},
        {"--budget", "BYTES", "how long the text may be"}},
       {"staged diff", "staged diff old.xlsx new.xlsx"},
       RunDiff});
}

}  // namespace staged::cli
