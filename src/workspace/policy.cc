#include "workspace/policy.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/glob.h"

namespace staged {
namespace {

template <typename Choice>
using Names = std::initializer_list<std::pair<std::string_view, Choice>>;

Status Invalid(const std::string& what) {
  return {ErrorCode::kInvalidArgument, "policy: " + what + "; see docs/cli.md, Policy"};
}

// Reads `key` as one of the names; absent is nullopt.
template <typename Choice>
Status ReadChoice(const toml::table& table, std::string_view key, Names<Choice> names,
                  std::optional<Choice>& choice) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return OkStatus();
  const std::optional<std::string> text = node->value<std::string>();
  for (const auto& [name, value] : names) {
    if (text == name) {
      choice = value;
      return OkStatus();
    }
  }
  std::string known;
  for (const auto& [name, value] : names) known += (known.empty() ? "" : ", ") + std::string(name);
  return Invalid("'" + std::string(key) + "' must be one of " + known);
}

}  // namespace

Result<Policy> Policy::Parse(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Invalid("line " + std::to_string(parsed.error().source().begin.line) + ": " +
                   std::string(parsed.error().description()));
  }
  Policy policy;
  for (const auto& [key, node] : parsed.table()) {
    if (key != "rule") return Invalid("unknown key '" + std::string(key.str()) + "', use [[rule]]");
  }
  const toml::array* rules = parsed.table()["rule"].as_array();
  if (rules == nullptr) {
    if (parsed.table().contains("rule")) return Invalid("write each rule as [[rule]]");
    return policy;
  }
  for (const toml::node& node : *rules) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return Invalid("write each rule as [[rule]]");
    for (const auto& [key, value] : *table) {
      constexpr std::array<std::string_view, 5> kKeys = {"paths", "review", "validate", "parse",
                                                         "merge"};
      if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end()) {
        return Invalid("unknown key '" + std::string(key.str()) + "' in a rule");
      }
    }
    Rule rule;
    const toml::array* paths = (*table)["paths"].as_array();
    if (paths == nullptr || paths->empty()) return Invalid("a rule needs paths = [\"GLOB\", ...]");
    for (const toml::node& path : *paths) {
      const std::optional<std::string> glob = path.value<std::string>();
      if (!glob) return Invalid("paths must be strings");
      rule.paths.push_back(*glob);
    }
    STAGED_RETURN_IF_ERROR(ReadChoice<ReviewPolicy>(*table, "review",
                                                    {{"any", ReviewPolicy::kAny},
                                                     {"human", ReviewPolicy::kHuman},
                                                     {"none", ReviewPolicy::kNone}},
                                                    rule.review));
    STAGED_RETURN_IF_ERROR(ReadChoice<ValidatePolicy>(
        *table, "validate",
        {{"off", ValidatePolicy::kOff}, {"required", ValidatePolicy::kRequired}}, rule.validate));
    STAGED_RETURN_IF_ERROR(ReadChoice<ParsePolicy>(
        *table, "parse",
        {{"recorded", ParsePolicy::kRecorded}, {"required", ParsePolicy::kRequired}}, rule.parse));
    STAGED_RETURN_IF_ERROR(ReadChoice<MergePolicy>(
        *table, "merge", {{"auto", MergePolicy::kAuto}, {"reject", MergePolicy::kReject}},
        rule.merge));
    policy.rules_.push_back(std::move(rule));
  }
  return policy;
}

PathPolicy Policy::For(std::string_view path) const {
  PathPolicy result;
  for (const Rule& rule : rules_) {
    for (const std::string& glob : rule.paths) {
      if (!MatchesPathGlob(glob, path)) continue;
      result.review = rule.review.value_or(result.review);
      result.validate = rule.validate.value_or(result.validate);
      result.parse = rule.parse.value_or(result.parse);
      result.merge = rule.merge.value_or(result.merge);
      break;
    }
  }
  return result;
}

}  // namespace staged
