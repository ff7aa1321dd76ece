#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace staged::cli {
namespace {

std::string Usage(const CommandSpec& command) {
  std::string usage = "staged " + command.name;
  for (const PositionalSpec& positional : command.positionals) {
    const std::string name = positional.name + (positional.many ? "..." : "");
    usage += positional.required ? " " + name : " [" + name + "]";
  }
  return usage;
}

std::string Pad(std::string text, size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string OptionLines(const std::vector<OptionSpec>& options) {
  std::string lines;
  for (const OptionSpec& option : options) {
    lines += "  " + Pad(option.name + (option.value.empty() ? "" : " " + option.value), 26) +
             option.help + "\n";
  }
  return lines;
}

// What people type who know other programs, and what it is called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames = {{
    {"add", "staged write PATH --base HASH"},
    {"approve", "staged review --approve RECEIPT"},
    {"branch", "staged status --branch NAME"},
    {"commit", "staged submit"},
    {"conflicts", "staged status"},
    {"lease", "staged --help"},
    {"merge-tool", "staged resolve"},
    {"reject", "staged review --reject RECEIPT --why TEXT"},
    {"turn", "staged log --turn ID"},
}};

// The first word that is no option and no option's value: the command, or "" where there is none.
std::string FirstWord(int argc, const char* const* argv) {
  const std::vector<OptionSpec>& common = CommonOptions();
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.empty() || word.front() != '-') return std::string(word);
    const bool takes_next = std::any_of(common.begin(), common.end(), [&](const OptionSpec& one) {
      return one.name == word && !one.value.empty();
    });
    if (takes_next) ++i;
  }
  return "";
}

// kOk for a command that there is, and where none is named.
Status CheckCommand(const std::vector<CommandSpec>& commands, const std::string& name) {
  const bool is_known =
      name.empty() || std::any_of(commands.begin(), commands.end(),
                                  [&](const CommandSpec& command) { return command.name == name; });
  if (is_known) return OkStatus();
  for (const auto& [other, here] : kOtherNames) {
    if (other != name) continue;
    return {ErrorCode::kInvalidArgument,
            "there is no command '" + name + "'; use `" + std::string(here) + "`"};
  }
  return {ErrorCode::kInvalidArgument,
          "there is no command '" + name + "'; `staged --help` lists them"};
}

// What CLI11 found superfluous: options that there are not, or words too many.
Status UnexpectedArguments(const std::string& command, const std::vector<std::string>& extra) {
  const std::string help = command.empty() ? "`staged --help` shows what there is"
                                           : "`staged help " + command + "` shows what it takes";
  const std::string first = extra.empty() ? "" : extra.front().substr(0, extra.front().find('='));
  return {ErrorCode::kInvalidArgument,
          "`staged " + command + "` does not take '" + first + "'; " + help};
}

Status ParseWords(CLI::App& app, const std::vector<CommandSpec>& commands, int argc,
                  const char* const* argv) {
  const std::string name = FirstWord(argc, argv);
  STAGED_RETURN_IF_ERROR(CheckCommand(commands, name));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return UnexpectedArguments(name, app.remaining(true));
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    return {ErrorCode::kInvalidArgument, message + "; see `staged --help`"};
  }
  return OkStatus();
}

}  // namespace

std::string CommandLine::Get(const std::string& name, const std::string& fallback) const {
  const auto found = options.find(name);
  return found == options.end() ? fallback : found->second;
}

std::vector<std::string> CommandLine::All(const std::string& name) const {
  const auto found = positionals.find(name);
  return found == positionals.end() ? std::vector<std::string>() : found->second;
}

std::string CommandLine::One(const std::string& name) const {
  const std::vector<std::string> all = All(name);
  return all.empty() ? "" : all.front();
}

Result<int64_t> ParseNumber(const std::string& name, std::string_view text, int64_t least) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= least) return number;
  return Status(
      ErrorCode::kInvalidArgument,
      name + " takes a number from " + std::to_string(least) + ", not '" + std::string(text) + "'");
}

const std::vector<OptionSpec>& CommonOptions() {
  static const std::vector<OptionSpec> options = {
      {"--root", "DIR", "the workspace (default: found upwards from here)"},
      {"--json", "", "print one JSON document and nothing else"},
      {"--branch", "NAME", "the branch (default: your own, chat-USER)"},
      {"--actor", "NAME", "who acts (default: the user); agent:NAME for an agent"},
      {"--turn", "ID", "the turn this belongs to (default: one of its own)"},
      {"--request-id", "ID", "a repeated request gets its first answer again"},
  };
  return options;
}

std::string HelpText(const CommandSpec& command) {
  std::string text = command.summary + "\n\nUsage: " + Usage(command) + " [options]\n";
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
    for (const PositionalSpec& positional : command.positionals) {
      text += "  " + Pad(positional.name, 26) + positional.help + "\n";
    }
  }
  if (!command.options.empty()) text += "\nOptions:\n" + OptionLines(command.options);
  text += "\nOptions of every command:\n" + OptionLines(CommonOptions());
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
    for (const std::string& example : command.examples) text += "  " + example + "\n";
  }
  return text;
}

std::string HelpText(const std::vector<CommandSpec>& commands) {
  std::string text =
      "staged: a versioned workspace for agents and people\n\n"
      "Usage: staged COMMAND [arguments] [options]\n\nCommands:\n";
  for (const CommandSpec& command : commands) {
    text += "  " + Pad(command.name, 16) + command.summary + "\n";
  }
  text += "\nOptions of every command:\n" + OptionLines(CommonOptions());
  text += "\n`staged help COMMAND` shows one command with examples.\n";
  return text;
}

std::string CompletionScript(const std::vector<CommandSpec>& commands) {
  std::string names;
  std::string cases;
  for (const CommandSpec& command : commands) {
    names += command.name + " ";
    std::string options;
    for (const OptionSpec& option : command.options) options += option.name + " ";
    for (const OptionSpec& option : CommonOptions()) options += option.name + " ";
    cases += "    " + command.name + ") words=\"" + options + "\" ;;\n";
  }
  return "_staged() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         names +
         "\" -- \"$current\")); return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _staged staged\n";
}

Result<CommandLine> ParseCommandLine(const std::vector<CommandSpec>& commands, int argc,
                                     const char* const* argv, std::string* help) {
  CLI::App app;
  app.set_help_flag();
  app.require_subcommand(0, 1);
  // Common options may stand before the command, too.
  app.fallthrough();
  std::map<std::string, std::string> values;
  std::map<std::string, bool> flags;
  const auto add = [&](CLI::App* to, const OptionSpec& option) {
    if (option.value.empty()) {
      to->add_flag(option.name, flags[option.name]);
    } else {
      to->add_option(option.name, values[option.name]);
    }
  };
  bool help_asked = false;
  app.add_flag("-h,--help", help_asked);
  for (const OptionSpec& option : CommonOptions()) add(&app, option);
  std::map<std::string, std::map<std::string, std::vector<std::string>>> positionals;
  std::map<std::string, std::map<std::string, std::string>> command_values;
  std::map<std::string, std::map<std::string, bool>> command_flags;
  for (const CommandSpec& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name);
    sub->set_help_flag();
    sub->fallthrough();
    for (const OptionSpec& option : command.options) {
      const std::string names = option.name == "--output" ? "-o,--output" : option.name;
      if (option.value.empty()) {
        sub->add_flag(names, command_flags[command.name][option.name]);
      } else {
        sub->add_option(names, command_values[command.name][option.name]);
      }
    }
    for (const PositionalSpec& positional : command.positionals) {
      auto* option = sub->add_option(positional.name, positionals[command.name][positional.name]);
      if (!positional.many) option->expected(1)->allow_extra_args(false);
    }
  }
  STAGED_RETURN_IF_ERROR(ParseWords(app, commands, argc, argv));
  CommandLine line;
  for (const CommandSpec& command : commands) {
    if (app.got_subcommand(command.name)) line.command = &command;
  }
  if (help_asked || line.command == nullptr) {
    if (!help_asked && argc > 1) {
      return Status(ErrorCode::kInvalidArgument, "name a command; see `staged --help`");
    }
    *help = line.command != nullptr ? HelpText(*line.command) : HelpText(commands);
    line.command = nullptr;
    return line;
  }
  CLI::App* sub = app.get_subcommand(line.command->name);
  for (const OptionSpec& option : CommonOptions()) {
    if (app.count(option.name) == 0) continue;
    line.options[option.name] = option.value.empty() ? "" : values[option.name];
  }
  for (const OptionSpec& option : line.command->options) {
    if (sub->count(option.name) == 0) continue;
    line.options[option.name] =
        option.value.empty() ? "" : command_values[line.command->name][option.name];
  }
  line.positionals = positionals[line.command->name];
  for (const PositionalSpec& positional : line.command->positionals) {
    if (positional.required && line.All(positional.name).empty()) {
      return Status(ErrorCode::kInvalidArgument,
                    positional.name + " is missing; usage: " + Usage(*line.command));
    }
  }
  return line;
}

}  // namespace staged::cli
