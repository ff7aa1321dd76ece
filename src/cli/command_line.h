#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "staged/status.h"

namespace staged::cli {

// One option of a command; a flag when `value` is empty.
struct OptionSpec {
  std::string name;   // "--base"
  std::string value;  // "HASH", or "" for a flag
  std::string help;
};

struct PositionalSpec {
  std::string name;  // "PATH"
  std::string help;
  bool required = true;
  bool many = false;
};

class Context;

// A command as data: parsing, help and completion all read this.
struct CommandSpec {
  std::string name;
  std::string summary;
  std::vector<PositionalSpec> positionals;
  std::vector<OptionSpec> options;
  std::vector<std::string> examples;
  int (*run)(Context& context) = nullptr;
};

// What was typed.
struct CommandLine {
  const CommandSpec* command = nullptr;
  std::map<std::string, std::vector<std::string>> positionals;  // by name
  std::map<std::string, std::string> options;                   // by name; a flag has ""

  [[nodiscard]] bool Has(const std::string& name) const { return options.contains(name); }
  [[nodiscard]] std::string Get(const std::string& name, const std::string& fallback = "") const;
  [[nodiscard]] std::vector<std::string> All(const std::string& name) const;
  [[nodiscard]] std::string One(const std::string& name) const;  // "" when absent
};

// A whole decimal number from `least` on, and nothing else. Errors: kInvalidArgument, with the name
// of the argument.
[[nodiscard]] Result<int64_t> ParseNumber(const std::string& name, std::string_view text,
                                          int64_t least);

// Options that every command takes.
[[nodiscard]] const std::vector<OptionSpec>& CommonOptions();

// Errors: kInvalidArgument with what to type instead. `help` gets a text to print when one was
// asked for; `command` is then null.
[[nodiscard]] Result<CommandLine> ParseCommandLine(const std::vector<CommandSpec>& commands,
                                                   int argc, const char* const* argv,
                                                   std::string* help);

[[nodiscard]] std::string HelpText(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string HelpText(const CommandSpec& command);
// A completion script for bash.
[[nodiscard]] std::string CompletionScript(const std::vector<CommandSpec>& commands);

}  // namespace staged::cli
