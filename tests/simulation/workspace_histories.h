#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/workspace_site.h"

// Scripted histories of a workspace: together they use every operation of it.
namespace staged {

// One call of an agent or a person's save.
struct ScriptStep {
  std::string name;
  // Sends the same request each time it is run: after an error the same call is made again.
  std::function<Status(WorkspaceSite& site)> run;  // null: only the saves
  std::vector<PersonsSave> saves;                  // before `run`, at the live folder
  // What a repetition may answer beside success: codes of calls without a request id.
  std::vector<ErrorCode> may_answer_again;
};

struct ScriptedHistory {
  std::string name;
  std::vector<ScriptStep> steps;
};

[[nodiscard]] std::vector<ScriptedHistory> ScriptedHistories();

// Puts the files that every history begins with into the live folder.
void MakeFirstFiles(SimulatedEnv& env);

// The saves of a step, durably.
void MakeSaves(SimulatedEnv& env, const std::vector<PersonsSave>& saves);

}  // namespace staged
