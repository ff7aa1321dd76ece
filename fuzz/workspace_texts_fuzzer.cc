#include <string>
#include <string_view>

#include "base/glob.h"
#include "env/simulated_env.h"
#include "fuzz/format_fuzzing.h"
#include "workspace/ignore_rules.h"
#include "workspace/layout.h"
#include "workspace/paths.h"
#include "workspace/policy.h"
#include "workspace/write_session.h"

// The small texts that people and other programs leave for a workspace to read, of any bytes: a
// policy, ignore rules, a glob, a path, the target of a symlink, the note of the journal's head.
namespace staged {
namespace {

void ReadNote(std::string_view text) {
  SimulatedEnv env;
  fuzzing::Require(env.MakeDirectories("/note").ok());
  fuzzing::Require(
      env.ExternalWrite(std::string("/note/") + layout::kHeadFile, text, Durability::kDurable)
          .ok());
  const auto directory = env.OpenDirectory("/note");
  const std::optional<JournalHead> head = ReadHeadNote(**directory);
  if (head) fuzzing::Require(HeadNote(*head) == text);
}

void ReadPath(const std::string& path) {
  const Result<std::string> normal = NormalizePath(path);
  (void)SymlinkStaysInside("folder/link", path);
  if (!normal.ok()) return;
  const Result<std::string> again = NormalizePath(*normal);
  fuzzing::Require(again.ok() && *again == *normal);
}

}  // namespace
}  // namespace staged

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string_view first_line = std::string_view(text).substr(0, text.find('\n'));
  const auto policy = staged::Policy::Parse(text);
  if (policy.ok()) {
    (void)policy->For("folder/file.txt");
    (void)policy->For(first_line);
  } else {
    staged::fuzzing::Require(!policy.status().message().empty());
  }
  staged::IgnoreRules rules;
  rules.Add("", text);
  rules.Add("folder", text);
  (void)rules.IsIgnored("folder", true);
  (void)rules.IsFileExcluded("folder/deeper/file.txt");
  (void)rules.IsFileExcluded(first_line);
  (void)staged::MatchesPathGlob(first_line, "folder/deeper/file.txt");
  (void)staged::MatchesPathGlob(first_line, text);
  staged::ReadPath(std::string(first_line));
  staged::ReadNote(text);
  return 0;
}
