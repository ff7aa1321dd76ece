// The policy and the settings of a workspace.

#include <algorithm>

#include "cli/context.h"

namespace staged::cli {
namespace {

int RunPolicy(Context& context) {
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  if (context.line().Has("--set")) {
    STAGED_CLI_ASSIGN(context, const std::string text,
                      context.ReadInput(context.line().Get("--set")));
    STAGED_CLI_CHECK(context, workspace->SetPolicy(context.MakeCall(), text));
  }
  STAGED_CLI_ASSIGN(context, const std::string policy, workspace->GetPolicy());
  if (context.json()) {
    context.PrintJson(Value::Object{{"policy", policy}});
  } else {
    context.Print(policy.empty() ? "# no rules: review = \"any\" everywhere\n" : policy);
  }
  return kExitDone;
}

Value EncodeSetting(const SettingRow& row) {
  return Value::Object{{"name", row.name},
                       {"value", row.value},
                       {"default", row.default_value},
                       {"set", row.is_set}};
}

// The action that the words mean: "list", "get", "set" or "unset", then its arguments. As with git,
// a name alone is read and a name with a value is set.
Result<std::vector<std::string>> ParseConfig(std::vector<std::string> words) {
  const auto is_action = [&](std::string_view name) { return !words.empty() && words[0] == name; };
  if (words.empty()) return std::vector<std::string>{"list"};
  const bool named =
      is_action("list") || is_action("get") || is_action("set") || is_action("unset");
  if (!named) words.insert(words.begin(), words.size() == 1 ? "get" : "set");
  const size_t wanted = is_action("list") ? 1 : is_action("set") ? 3 : 2;
  if (words.size() == wanted) return words;
  return Status(ErrorCode::kInvalidArgument,
                "write `staged config`, `staged config get NAME`, `staged config set NAME VALUE` "
                "or `staged config unset NAME`");
}

Result<SettingRow> FindRow(Workspace& workspace, const std::string& name) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<SettingRow> rows, workspace.GetSettings());
  std::string names;
  for (const SettingRow& row : rows) {
    if (row.name == name) return row;
    names += (names.empty() ? "" : ", ") + row.name;
  }
  return Status(ErrorCode::kNotFound, "there is no setting '" + name + "'; there are " + names);
}

void PrintSetting(Context& context, const SettingRow& row) {
  // The policy has lines of its own.
  if (row.name == "policy") {
    context.PrintLine(row.is_set ? "policy is set; `staged policy` shows it" : "policy =");
    return;
  }
  context.PrintLine(row.name + " = " + row.value + (row.is_set ? "" : "  (default)"));
}

int RunConfig(Context& context) {
  STAGED_CLI_ASSIGN(context, const std::vector<std::string> words,
                    ParseConfig(context.line().All("WORD")));
  STAGED_CLI_ASSIGN(context, Workspace* const workspace, context.OpenWorkspace());
  const std::string& action = words.front();
  if (action == "list") {
    STAGED_CLI_ASSIGN(context, const std::vector<SettingRow> rows, workspace->GetSettings());
    Value::Array list;
    for (const SettingRow& row : rows) {
      list.push_back(EncodeSetting(row));
      if (!context.json()) PrintSetting(context, row);
    }
    if (context.json()) context.PrintJson(Value::Object{{"settings", std::move(list)}});
    return kExitDone;
  }
  const std::string& name = words[1];
  if (action != "get") {
    const auto value = action == "set" ? std::optional<std::string>(words[2]) : std::nullopt;
    STAGED_CLI_CHECK(context, workspace->SetSetting(context.MakeCall(), name, value));
  }
  STAGED_CLI_ASSIGN(context, const SettingRow row, FindRow(*workspace, name));
  if (context.json()) {
    context.PrintJson(EncodeSetting(row));
  } else if (action == "get") {
    // The value and nothing else: scripts read it.
    context.Print(row.value.empty() || row.value.ends_with('\n') ? row.value : row.value + "\n");
  } else {
    PrintSetting(context, row);
  }
  return kExitDone;
}

}  // namespace

void AddPolicyCommands(std::vector<CommandSpec>& commands) {
  commands.push_back({"policy",
                      "Show the review policy, or replace it",
                      {},
                      {{"--set", "FILE", "take the rules from this TOML file"}},
                      {"staged policy", "staged policy --set policy.toml"},
                      RunPolicy});
  commands.push_back(
      {"config",
       "Show or change the workspace's settings",
       {{"WORD", "get NAME, set NAME VALUE, unset NAME, list (default), NAME, or NAME VALUE", false,
         true}},
       {},
       {"staged config", "staged config get branch.default", "staged config search.limit 50",
        "staged config unset search.limit"},
       RunConfig});
}

}  // namespace staged::cli
