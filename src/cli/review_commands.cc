// Commands from review to submit, and the ways out of a conflict.

#include <algorithm>
#include <cstdlib>

#include "base/escape_controls.h"
#include "cli/context.h"
#include "wire/encode.h"

namespace staged::cli {
namespace {

int RunReview(Context& context) {
  const CommandLine& line = context.line();
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  for (const char* option : {"--approve", "--reject"}) {
    if (!line.Has(option)) continue;
    const bool approve = std::string_view(option) == "--approve";
    const std::string receipt = line.Get(option);
    STAGED_CLI_CHECK(context,
                     approve ? workspace->Approve(context.MakeCall(), receipt)
                             : workspace->Reject(context.MakeCall(), receipt, line.Get("--why")));
    if (context.json()) {
      context.PrintJson(
          Value::Object{{"receipt", receipt}, {"decision", approve ? "approved" : "rejected"}});
    } else {
      context.PrintLine((approve ? "approved " : "rejected ") + receipt);
    }
    return kExitDone;
  }
  STAGED_CLI_ASSIGN(context, const ReviewAnswer answer,
                    workspace->Review(context.MakeCall(), line.All("PATH")));
  if (context.json()) {
    context.PrintJson(EncodeReview(answer));
    return kExitDone;
  }
  if (answer.reviewed.empty()) context.PrintLine("nothing to review");
  for (const ReviewedPath& reviewed : answer.reviewed) {
    context.Print(RenderDiffText(reviewed.diff, EscapeControls(reviewed.receipt.path), 0));
    context.PrintLine("receipt " + reviewed.receipt.id + "  " + reviewed.receipt.path +
                      (reviewed.receipt.state == ReceiptState::kPending
                           ? "  (waits for a person's approval)"
                           : ""));
  }
  return kExitDone;
}

int RunSubmit(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  SubmitOptions options;
  options.message = context.line().Get("--message");
  options.ignore_office_locks =
      context.line().Has("--ignore-locks") || context.Setting("submit.ignore-locks") == "true";
  STAGED_CLI_ASSIGN(context, const SubmitAnswer answer,
                    workspace->Submit(context.MakeCall(), context.line().All("PATH"), options));
  if (context.json()) {
    context.PrintJson(EncodeSubmit(answer));
    return kExitDone;
  }
  if (answer.submitted.empty()) context.PrintLine("nothing to submit");
  for (const SubmitAnswer::Row& row : answer.submitted) {
    context.PrintLine("submitted " + row.path + "  " + ShortHash(row.base) + " -> " +
                      ShortHash(row.hash) + "  (op " + std::to_string(answer.operation) + ")");
  }
  return kExitDone;
}

int PrintRebase(Context& context, const RebaseAnswer& answer) {
  if (context.json()) {
    context.PrintJson(EncodeRebase(answer));
  } else {
    for (const StagedChange& change : answer.rebased) {
      context.PrintLine("merged " + change.path + "  " + ShortHash(change.base) + " -> " +
                        ShortHash(change.hash) + "; review it before you submit");
    }
    for (const PathConflict& conflict : answer.conflicts) {
      context.PrintLine("conflict " + conflict.path + "; `staged resolve " + conflict.path +
                        " --take left|right|base|FILE`");
      for (const MergeConflict& detail : conflict.details) {
        context.PrintLine("  " + detail.kind +
                          (detail.locator.empty() ? "" : " at " + detail.locator));
      }
    }
    if (answer.rebased.empty() && answer.conflicts.empty()) context.PrintLine("nothing to do");
  }
  return answer.conflicts.empty() ? kExitDone : kExitDifferent;
}

int RunRebase(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const RebaseAnswer answer,
                    workspace->Rebase(context.MakeCall(), context.line().All("PATH")));
  return PrintRebase(context, answer);
}

int RunResolve(Context& context) {
  const std::string take = context.line().Get("--take");
  if (take.empty()) {
    return context.Fail(
        {ErrorCode::kInvalidArgument, "choose with --take left, right, base or a file"});
  }
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  std::string bytes;
  Take choice = Take::kBytes;
  if (take == "left") {
    choice = Take::kLeft;
  } else if (take == "right") {
    choice = Take::kRight;
  } else if (take == "base") {
    choice = Take::kBase;
  } else {
    STAGED_CLI_ASSIGN(context, bytes, context.ReadInput(take));
  }
  STAGED_CLI_ASSIGN(
      context, const StagedChange change,
      workspace->Resolve(context.MakeCall(), context.line().One("PATH"), choice, bytes));
  if (context.json()) {
    context.PrintJson(EncodeStagedChange(change));
  } else {
    context.PrintLine("resolved " + change.path + "  " + ShortHash(change.base) + " -> " +
                      ShortHash(change.hash));
  }
  return kExitDone;
}

int RunDiscard(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  STAGED_CLI_ASSIGN(context, const std::vector<std::string> discarded,
                    workspace->Discard(context.MakeCall(), context.line().All("PATH")));
  if (context.json()) {
    context.PrintJson(
        Value::Object{{"discarded", Value::Array(discarded.begin(), discarded.end())}});
  } else {
    for (const std::string& path : discarded) context.PrintLine("discarded " + path);
    if (discarded.empty()) context.PrintLine("nothing was staged there");
  }
  return kExitDone;
}

int RunRevert(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  const std::string what = context.line().One("WHAT");
  std::vector<int64_t> operations;
  if (const auto operation = ParseNumber("OP", what, 1); operation.ok()) {
    operations = {*operation};
  } else {
    // What the turn submitted; else what it staged and another turn submitted.
    std::vector<int64_t> staged;
    OperationFilter filter;
    filter.turn = what;
    STAGED_CLI_CHECK(context, workspace->ForEachOperation(filter, [&](const Operation& one) {
      if (one.type == OperationType::kSubmit) operations.push_back(one.sequence);
      if (IsContentOperation(one.type)) staged.push_back(one.sequence);
      return true;
    }));
    if (operations.empty()) {
      OperationFilter submits;
      submits.types = {OperationType::kSubmit};
      STAGED_CLI_CHECK(context, workspace->ForEachOperation(submits, [&](const Operation& one) {
        for (const int64_t sequence : one.consumes) {
          if (std::find(staged.begin(), staged.end(), sequence) != staged.end()) {
            operations.push_back(sequence);
          }
        }
        return true;
      }));
    }
    if (operations.empty()) {
      return context.Fail(
          {ErrorCode::kNotFound,
           "turn '" + what + "' submitted nothing; `staged log` lists the submits"});
    }
  }
  STAGED_CLI_ASSIGN(context, const RebaseAnswer answer,
                    workspace->Revert(context.MakeCall(), operations));
  return PrintRebase(context, answer);
}

}  // namespace

void AddReviewCommands(std::vector<CommandSpec>& commands) {
  const PositionalSpec paths = {"PATH", "staged paths (default: all of the branch)", false, true};
  commands.push_back({"review",
                      "Show what is staged and mint receipts for it",
                      {paths},
                      {{"--approve", "RECEIPT", "complete a pending receipt, as a person"},
                       {"--reject", "RECEIPT", "refuse it"},
                       {"--why", "TEXT", "the reason of a refusal"}},
                      {"staged review", "staged review budget.xlsx --json"},
                      RunReview});
  commands.push_back({"submit",
                      "Publish what was reviewed: all of it, or nothing",
                      {paths},
                      {{"--message", "TEXT", "what for"},
                       {"--ignore-locks", "", "although an office program has a file open"}},
                      {"staged submit --message 'Q3 figures'"},
                      RunSubmit});
  commands.push_back({"rebase",
                      "Merge what is staged with what was accepted meanwhile",
                      {paths},
                      {},
                      {"staged rebase", "staged rebase budget.xlsx"},
                      RunRebase});
  commands.push_back({"resolve",
                      "Decide a conflict: left is this branch, right is what is accepted",
                      {{"PATH", "the path in conflict"}},
                      {{"--take", "SIDE", "left, right, base, or a file with the bytes to take"}},
                      {"staged resolve notes.md --take left"},
                      RunResolve});
  commands.push_back(
      {"discard", "Drop what is staged", {paths}, {}, {"staged discard notes.md"}, RunDiscard});
  commands.push_back({"revert",
                      "Stage the inverse of what was submitted",
                      {{"WHAT", "an operation's number, or a turn"}},
                      {},
                      {"staged revert 12"},
                      RunRevert});
}

}  // namespace staged::cli
