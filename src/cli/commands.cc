#include "cli/context.h"

namespace staged::cli {

std::vector<CommandSpec> AllCommands() {
  std::vector<CommandSpec> commands;
  AddUpkeepCommands(commands);
  AddPolicyCommands(commands);
  AddReadCommands(commands);
  AddStageCommands(commands);
  AddReviewCommands(commands);
  AddHistoryCommands(commands);
  AddFileCommands(commands);
  return commands;
}

}  // namespace staged::cli
