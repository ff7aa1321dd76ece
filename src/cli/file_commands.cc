// Commands on plain files, without a workspace.

#include <algorithm>
#include <cstdio>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "format/find_locators.h"
#include "staged/ext/apply_edits.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged::cli {
namespace {

constexpr size_t kOutlineLinesMax = 200;
constexpr size_t kOutlineTextBytesMax = 100;

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kOutlineTextBytesMax) {
    size_t end = kOutlineTextBytesMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end) + "…";
  }
  return text;
}

// Which records were asked for.
struct Selection {
  const std::set<std::string>& locators;  // empty: all
  std::string kind;
  [[nodiscard]] bool Takes(const Record& record) const {
    return (locators.empty() || locators.contains(record.locator)) &&
           (kind.empty() || record.kind == kind);
  }
};

void PrintViewJson(Context& context, const View& view, const std::string& path, Freshness freshness,
                   bool conflict, const Profile* profile, const Selection& selection) {
  // Streamed: a workbook's records never are one string.
  Value head = EncodeViewHead(view, path, freshness);
  if (conflict) head.Set("conflict", true);
  std::string text = ToJson(head);
  text.pop_back();
  context.Print(text + ",\"records\":[");
  bool first = true;
  view.ForEach([&](const Record& record) {
    if (!selection.Takes(record)) return true;
    context.Print((first ? "" : ",") + ToJson(EncodeRecord(record, profile)));
    first = false;
    return true;
  });
  context.Print("],\"parts\":" + ToJson(EncodeParts(view)) +
                ",\"diagnostics\":" + ToJson(EncodeDiagnostics(view)) + "}\n");
}

void PrintOutline(Context& context, const View& view, const std::string& path, Freshness freshness,
                  bool conflict, const Selection& selection) {
  context.PrintLine(path + "@" + view.hash.ToString());
  std::string about = view.format + " parser " + view.parser.version + ", " +
                      std::string(FreshnessName(freshness)) + ", " +
                      std::to_string(view.record_count()) +
                      (view.record_count() == 1 ? " record" : " records");
  if (!view.fallback.empty()) about += ", fallback: " + view.fallback;
  if (conflict) about += ", in conflict";
  context.PrintLine(about);
  for (const Diagnostic& diagnostic : view.diagnostics) {
    context.PrintLine(diagnostic.severity + ": " + diagnostic.message);
  }
  size_t shown = 0;
  size_t taken = 0;
  view.ForEach([&](const Record& record) {
    if (!selection.Takes(record)) return true;
    ++taken;
    if (shown == kOutlineLinesMax) return true;
    ++shown;
    std::string line = record.locator + "  [" + record.kind + "]";
    if (!record.hidden.empty()) line += " (hidden: " + record.hidden + ")";
    context.PrintLine(line + "  " + OneLine(record.text));
    return true;
  });
  if (taken > shown) {
    context.PrintLine("… " + std::to_string(taken - shown) + " more of " + std::to_string(taken) +
                      " records; --jsonl prints all, --at and --kind choose");
  }
}

int RunParse(Context& context) {
  context.PrepareParser();
  const std::string file = context.line().One("FILE");
  STAGED_CLI_ASSIGN(context, const std::string bytes, context.ReadInput(file));
  STAGED_CLI_ASSIGN(context, const View view, ParseView(context.formats(), bytes, file, Limits{}));
  std::set<std::string> locators;
  if (const std::string at = context.line().Get("--at"); !at.empty()) {
    STAGED_CLI_ASSIGN(context, locators, FindLocators(view, at, [&] { return bytes; }));
  }
  PrintView(context, view, file, Freshness::kCurrent, false, locators);
  return kExitDone;
}

int RunMerge(Context& context) {
  context.PrepareParser();
  const CommandLine& line = context.line();
  if (!line.Has("--output")) {
    return context.Fail({ErrorCode::kInvalidArgument, "name the result with -o OUT"});
  }
  MergeOptions options;
  const std::string decision = line.Get("--on-conflict");
  if (decision == "left") {
    options.on_conflict = OnConflict::kLeft;
  } else if (decision == "right") {
    options.on_conflict = OnConflict::kRight;
  } else if (decision == "base") {
    options.on_conflict = OnConflict::kBase;
  } else if (decision == "markers") {
    options.on_conflict = OnConflict::kMarkers;
  } else if (!decision.empty()) {
    return context.Fail(
        {ErrorCode::kInvalidArgument, "--on-conflict takes left, right, base or markers"});
  }
  STAGED_CLI_ASSIGN(context, const std::string base, context.ReadInput(line.One("BASE")));
  STAGED_CLI_ASSIGN(context, const std::string left, context.ReadInput(line.One("LEFT")));
  STAGED_CLI_ASSIGN(context, const std::string right, context.ReadInput(line.One("RIGHT")));
  STAGED_CLI_ASSIGN(context, const MergeResult merge,
                    Merge(context.formats(), line.One("LEFT"), base, left, right, options));
  const bool decided = merge.clean || !decision.empty();
  if (decided) {
    STAGED_CLI_CHECK(context, context.WriteOutput(line.Get("--output"), merge.bytes));
  }
  if (context.json()) {
    context.PrintJson(EncodeMerge(merge));
  } else {
    for (const MergeConflict& conflict : merge.conflicts) {
      context.PrintLine("conflict " + conflict.kind + " at " +
                        (conflict.locator.empty() ? "the whole file" : conflict.locator) + ": " +
                        OneLine(ToJson(conflict.left)) + " against " +
                        OneLine(ToJson(conflict.right)));
    }
    if (merge.clean) context.PrintLine("merged (" + merge.method + ")");
    if (!decided) context.PrintLine("nothing written; choose with --on-conflict");
  }
  return decided ? kExitDone : kExitDifferent;
}

int RunHelp(Context& context) {
  const std::string name = context.line().One("COMMAND");
  if (name.empty()) {
    context.Print(HelpText(context.commands()));
    return kExitDone;
  }
  for (const CommandSpec& command : context.commands()) {
    if (command.name == name) {
      context.Print(HelpText(command));
      return kExitDone;
    }
  }
  return context.Fail({ErrorCode::kInvalidArgument,
                       "there is no command '" + name + "'; `staged help` lists them"});
}

int RunCompletion(Context& context) {
  context.Print(CompletionScript(context.commands()));
  return kExitDone;
}

}  // namespace

void PrintView(Context& context, const View& view, const std::string& path, Freshness freshness,
               bool conflict, const std::set<std::string>& locators) {
  const Selection selection{locators, context.line().Get("--kind")};
  const Format* format = context.formats().Find(view.format);
  const Profile* profile = format != nullptr ? &format->descriptor().profile : nullptr;
  if (context.line().Has("--jsonl")) {
    view.ForEach([&](const Record& record) {
      if (selection.Takes(record)) context.PrintJson(EncodeRecord(record, profile));
      return true;
    });
  } else if (context.json()) {
    PrintViewJson(context, view, path, freshness, conflict, profile, selection);
  } else {
    PrintOutline(context, view, path, freshness, conflict, selection);
  }
}

int RunEditFile(Context& context) {
  context.PrepareParser();
  const CommandLine& line = context.line();
  const std::string file = line.One("PATH");
  STAGED_CLI_ASSIGN(context, const std::string bytes, context.ReadInput(file));
  const ContentHash hash = ContentHash::Of(bytes);
  if (line.Has("--base")) {
    STAGED_CLI_ASSIGN(context, const BaseHash base, context.ParseBase());
    if (base != hash) {
      return context.Fail({ErrorCode::kStaleBase,
                           "'" + file + "' is now " + hash.ToString() + "; read it again",
                           Value::Object{{"path", file},
                                         {"expected", EncodeHash(base)},
                                         {"actual", hash.ToString()},
                                         {"same_bytes", false}}});
    }
  }
  STAGED_CLI_ASSIGN(context, const std::string text, context.ReadInput(line.One("OPS")));
  STAGED_CLI_ASSIGN(context, const std::vector<Edit> edits, ParseEdits(text));
  const Format& format = context.formats().Detect(bytes, file);
  STAGED_CLI_ASSIGN(context, const EditOutcome outcome,
                    ApplyEdits(context.formats(), bytes, file, edits, Limits{}));
  STAGED_CLI_ASSIGN(context, const View before,
                    ParseView(context.formats(), bytes, file, Limits{}));
  STAGED_CLI_ASSIGN(context, const View after,
                    ParseView(context.formats(), outcome.bytes, file, Limits{}));
  const Diff diff = ComputeDiff(before, after, format.descriptor().profile);
  if (!line.Has("--dry-run")) {
    STAGED_CLI_CHECK(context, context.WriteOutput(line.Get("--output"), outcome.bytes));
  }
  if (context.json()) {
    context.PrintJson(Value::Object{{"base", hash.ToString()},
                                    {"hash", after.hash.ToString()},
                                    {"diff", EncodeDiff(diff, file, file)}});
  } else {
    context.Print(RenderDiffText(diff, EscapeControls(file), 0));
  }
  return kExitDone;
}

int RunDiffFiles(Context& context) {
  context.PrepareParser();
  STAGED_CLI_ASSIGN(context, const size_t budget, context.DiffBudget());
  const std::vector<std::string> files = context.line().All("PATH");
  STAGED_CLI_ASSIGN(context, const std::string left, context.ReadInput(files[0]));
  STAGED_CLI_ASSIGN(context, const std::string right, context.ReadInput(files[1]));
  STAGED_CLI_ASSIGN(context, const View from,
                    ParseView(context.formats(), left, files[0], Limits{}));
  STAGED_CLI_ASSIGN(context, const View to,
                    ParseView(context.formats(), right, files[1], Limits{}));
  const Format* format = context.formats().Find(to.format);
  const Profile profile = format != nullptr ? format->descriptor().profile : Profile{};
  const Diff diff = ComputeDiff(from, to, profile);
  if (context.json()) {
    context.PrintJson(EncodeDiff(diff, files[0], files[1]));
  } else {
    context.Print(RenderDiffText(diff, EscapeControls(files[1]), budget));
  }
  const bool differs = !diff.identical;
  return differs && context.line().Has("--exit-code") ? kExitDifferent : kExitDone;
}

void AddFileCommands(std::vector<CommandSpec>& commands) {
  const std::vector<OptionSpec> view_options = {
      {"--jsonl", "", "a record a line"},
      {"--at", "LOCATOR", "only the record there; in text also line:2 or line:3-5"},
      {"--kind", "KIND", "only records of this kind"},
  };
  commands.push_back(
      {"parse",
       "Show what a file holds, as records",
       {{"FILE", "the file"}},
       view_options,
       {"staged parse report.docx", "staged parse budget.xlsx --at 'Sheet1!B7' --json",
        "staged parse data.csv --jsonl"},
       RunParse});
  commands.push_back(
      {"merge",
       "Merge two versions of a file with their common base",
       {{"BASE", "the common ancestor"}, {"LEFT", "one version"}, {"RIGHT", "the other"}},
       {{"--output", "OUT", "where the result goes (-o)"},
        {"--on-conflict", "SIDE", "left, right, base or markers: decide anyway"}},
       {"staged merge base.xlsx mine.xlsx theirs.xlsx -o merged.xlsx"},
       RunMerge});
  commands.push_back({"formats",
                      "List what each format reads, edits, diffs and merges",
                      {{"NAME", "one format, in detail", false}},
                      {},
                      {"staged formats", "staged formats xlsx"},
                      RunFormats});
  commands.push_back({"help",
                      "Show a command with its options and examples",
                      {{"COMMAND", "the command", false}},
                      {},
                      {"staged help write"},
                      RunHelp});
  commands.push_back({"completion",
                      "Print a completion script for bash",
                      {},
                      {},
                      {"source <(staged completion)"},
                      RunCompletion});
}

}  // namespace staged::cli
