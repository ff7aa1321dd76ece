// Making a workspace, and what proves, cleans and weighs it.

#include <algorithm>

#include "cli/context.h"
#include "wire/encode.h"

namespace staged::cli {
namespace {

// git must not see our metadata: .git/info/exclude is where private rules go.
void ExcludeFromGit(Context& context, const std::string& root) {
  const auto directory = context.env().OpenDirectory(root);
  if (!directory.ok()) return;
  const auto info = (*directory)->OpenDirectory(".git/info");
  if (!info.ok()) return;
  constexpr uint64_t kBytesMax = 1 << 20;
  constexpr std::string_view kRule = ".staged/\n";
  const Result<std::string> text = (*info)->ReadFile("exclude", kBytesMax);
  // What cannot be read is a person's file all the same, and stays as it is.
  if (!text.ok() && text.status().code() != ErrorCode::kNotFound) return;
  if (text.ok() && ("\n" + *text).find("\n.staged/\n") != std::string::npos) return;
  auto file = (*info)->OpenWrite("exclude");
  if (!file.ok()) file = (*info)->Create("exclude", 0644);
  if (!file.ok()) return;
  const std::string before = text.ok() ? *text : "";
  const std::string separator = before.empty() || before.ends_with('\n') ? "" : "\n";
  (void)(*file)->WriteAt(before.size(), separator + std::string(kRule)).ok();
}

int RunInit(Context& context) {
  const std::string given = context.line().One("DIR");
  const std::string root =
      context.AbsolutePath(given.empty() ? context.line().Get("--root", ".") : given);
  InitOptions init;
  init.actor = context.MakeActor();
  init.progress = context.MakeProgress("taking in files");
  std::vector<SkippedPath> skipped;
  STAGED_CLI_ASSIGN(context, const auto workspace,
                    Workspace::Init(context.env(), context.formats(), root, init, {}, &skipped));
  ExcludeFromGit(context, root);
  STAGED_CLI_ASSIGN(context, const auto files, workspace->List({}));
  if (context.json()) {
    context.PrintJson(Value::Object{
        {"root", root}, {"files", files.size()}, {"skipped", EncodeSkipped(skipped)}});
    return kExitDone;
  }
  context.PrintLine("workspace in " + root + " with " + std::to_string(files.size()) + " files");
  for (const SkippedPath& one : skipped) {
    context.PrintLine("  skipped " + one.path + ": " + one.reason);
  }
  return kExitDone;
}

int RunIndex(Context& context) {
  context.PrepareParser();
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_CHECK(context, workspace->Index(context.MakeCall(), context.MakeProgress("indexing")));
  if (context.json()) {
    context.PrintJson(Value::Object{{"indexed", true}});
  } else {
    context.PrintLine("every file has a current view and is indexed");
  }
  return kExitDone;
}

int RunWatch(Context& context) {
  OpenOptions options;
  options.background_parsers = 1;
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace(options));
  const auto skip = [](const std::string& path) {
    return path == ".staged" || path == ".git" || path.starts_with(".staged/") ||
           path.starts_with(".git/");
  };
  STAGED_CLI_ASSIGN(context, const auto watcher, context.env().Watch(workspace->root(), skip));
  int64_t seen = 0;
  constexpr int kWaitMs = 1000;
  // From now on: what is there already is no event.
  OperationFilter last;
  last.newest_first = true;
  last.limit = 1;
  STAGED_CLI_CHECK(context, workspace->ForEachOperation(last, [&](const Operation& operation) {
    seen = operation.sequence;
    return true;
  }));
  CallContext call = context.MakeCall();
  for (;;) {
    STAGED_CLI_CHECK(context, workspace->AdoptLiveChanges(call).status());
    OperationFilter news;
    news.after_sequence = seen;
    STAGED_CLI_CHECK(context, workspace->ForEachOperation(news, [&](const Operation& operation) {
      seen = operation.sequence;
      if (context.json()) {
        context.PrintJson(EncodeOperationRow(operation));
      } else {
        const std::string path =
            operation.changes.empty() ? "" : " " + operation.changes.front().path;
        context.PrintLine(std::to_string(operation.sequence) + "  " + operation.actor.name + "  " +
                          std::string(OperationTypeName(operation.type)) + path);
      }
      return true;
    }));
    std::fflush(stdout);
    if (context.line().Has("--once")) return kExitDone;
    STAGED_CLI_CHECK(context, watcher->Wait(kWaitMs).status());
  }
}

int RunFsck(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const FsckReport report,
                    workspace->Fsck(context.MakeProgress("proving")));
  if (context.json()) {
    context.PrintJson(EncodeFsck(report));
  } else {
    for (const FsckFinding& finding : report.findings) {
      context.PrintLine(finding.code + "  " + finding.subject + ": " + finding.message);
    }
    context.PrintLine(std::to_string(report.operations) + " operations and " +
                      std::to_string(report.objects) + " objects " +
                      (report.findings.empty() ? "proved" : "checked"));
  }
  return report.findings.empty() ? kExitDone : ExitCodeOf(ErrorCode::kDataLoss);
}

int RunGc(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const StoreReport report,
                    workspace->CollectGarbage(context.MakeProgress("collecting")));
  if (context.json()) {
    context.PrintJson(EncodeStore(report));
  } else {
    context.PrintLine("removed " + std::to_string(report.removed_objects) + " objects, " +
                      std::to_string(report.removed_bytes) + " bytes");
  }
  return kExitDone;
}

int RunUsage(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const UsageReport usage, workspace->Usage());
  if (context.json()) {
    context.PrintJson(Value::Object{{"objects", EncodeStore(usage.store)},
                                    {"journal_bytes", usage.journal_bytes},
                                    {"derived_bytes", usage.derived_bytes}});
  } else {
    context.PrintLine("objects  " + std::to_string(usage.store.stored_bytes) + " bytes for " +
                      std::to_string(usage.store.content_bytes) + " bytes of content in " +
                      std::to_string(usage.store.objects) + " objects");
    context.PrintLine("journal  " + std::to_string(usage.journal_bytes) + " bytes");
    context.PrintLine("derived  " + std::to_string(usage.derived_bytes) + " bytes, may be deleted");
  }
  return kExitDone;
}

int RunForget(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const ContentHash hash,
                    ContentHash::Parse(context.line().One("HASH")));
  STAGED_CLI_CHECK(context, workspace->Forget(context.MakeCall(), hash));
  if (context.json()) {
    context.PrintJson(Value::Object{{"forgotten", hash.ToString()}});
  } else {
    context.PrintLine("forgot " + hash.ToString() + " for good");
  }
  return kExitDone;
}

int RunExport(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  const std::string file = context.AbsolutePath(context.line().One("FILE"));
  STAGED_CLI_CHECK(context, workspace->Export(file, context.MakeProgress("exporting")));
  if (context.json()) {
    context.PrintJson(Value::Object{{"file", file}});
  } else {
    context.PrintLine("exported to " + file);
  }
  return kExitDone;
}

int RunImport(Context& context) {
  const std::string file = context.AbsolutePath(context.line().One("FILE"));
  const std::string given = context.line().One("DIR");
  const std::string root =
      context.AbsolutePath(given.empty() ? context.line().Get("--root", ".") : given);
  STAGED_CLI_CHECK(context,
                   ImportWorkspace(context.env(), file, root, context.MakeProgress("importing")));
  if (context.json()) {
    context.PrintJson(Value::Object{{"root", root}});
  } else {
    context.PrintLine("imported into " + root);
  }
  return kExitDone;
}

}  // namespace

void AddUpkeepCommands(std::vector<CommandSpec>& commands) {
  commands.push_back({"init",
                      "Make a workspace of a folder and take its files in",
                      {{"DIR", "the folder (default: here)", false}},
                      {},
                      {"staged init", "staged init ~/reports"},
                      RunInit});
  commands.push_back(
      {"index", "Parse and index everything now", {}, {}, {"staged index"}, RunIndex});
  commands.push_back({"watch",
                      "Take in what people save, and print events as they happen",
                      {},
                      {{"--once", "", "take in what changed until now, and stop"}},
                      {"staged watch --json"},
                      RunWatch});
  commands.push_back({"fsck",
                      "Prove the journal, the accepted tree and every object",
                      {},
                      {},
                      {"staged fsck"},
                      RunFsck});
  commands.push_back(
      {"gc", "Remove what nothing names, and repack the rest", {}, {}, {"staged gc"}, RunGc});
  commands.push_back({"du", "Weigh the workspace", {}, {}, {"staged du"}, RunUsage});
  commands.push_back({"forget",
                      "Remove one content's bytes for good, leaving a tombstone",
                      {{"HASH", "sha256:HASH"}},
                      {},
                      {"staged forget sha256:…"},
                      RunForget});
  commands.push_back({"export",
                      "Write journal and objects into one file",
                      {{"FILE", "a new file"}},
                      {},
                      {"staged export backup.staged"},
                      RunExport});
  commands.push_back(
      {"import",
       "Make a workspace from an exported file",
       {{"FILE", "the exported file"}, {"DIR", "an empty or new folder (default: here)", false}},
       {},
       {"staged import backup.staged restored"},
       RunImport});
}

}  // namespace staged::cli
