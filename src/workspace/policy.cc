#include "workspace/policy.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/escape_controls.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "format/toml_parser.h"

namespace staged {
namespace {

template <typename Choice>
using Names = std::initializer_list<std::pair<std::string_view, Choice>>;

Status Invalid(const std::string& what) {
  return {ErrorCode::kInvalidArgument, "policy: " + what + "; see docs/cli.md, Policy"};
}

Status ReadPaths(const DataTree& tree, uint32_t list, std::vector<std::string>& paths) {
  if (tree.nodes[list].type != DataType::kArray || tree.nodes[list].child_count == 0) {
    return Invalid("a rule needs paths = [\"GLOB\", ...]");
  }
  for (const uint32_t item : tree.Children(list)) {
    if (tree.nodes[item].type != DataType::kString) return Invalid("paths must be strings");
    paths.push_back(tree.nodes[item].text);
  }
  return OkStatus();
}

template <typename Choice>
Status ReadChoice(const DataNode& node, Names<Choice> names, std::optional<Choice>& choice) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (node.type == DataType::kString && node.text == name) {
      choice = value;
      return OkStatus();
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return Invalid("'" + node.key + "' must be one of " + known);
}

}  // namespace

Status Policy::AddRule(const DataTree& tree, uint32_t table) {
  if (tree.nodes[table].type != DataType::kObject) return Invalid("write each rule as [[rule]]");
  Rule rule;
  for (const uint32_t child : tree.Children(table)) {
    const DataNode& node = tree.nodes[child];
    Status read;
    if (node.key == "paths") {
      read = ReadPaths(tree, child, rule.paths);
    } else if (node.key == "review") {
      read = ReadChoice<ReviewPolicy>(node,
                                      {{"any", ReviewPolicy::kAny},
                                       {"human", ReviewPolicy::kHuman},
                                       {"none", ReviewPolicy::kNone}},
                                      rule.review);
    } else if (node.key == "validate") {
      read = ReadChoice<ValidatePolicy>(
          node, {{"off", ValidatePolicy::kOff}, {"required", ValidatePolicy::kRequired}},
          rule.validate);
    } else if (node.key == "parse") {
      read = ReadChoice<ParsePolicy>(
          node, {{"recorded", ParsePolicy::kRecorded}, {"required", ParsePolicy::kRequired}},
          rule.parse);
    } else if (node.key == "merge") {
      read = ReadChoice<MergePolicy>(
          node, {{"auto", MergePolicy::kAuto}, {"reject", MergePolicy::kReject}}, rule.merge);
    } else {
      read = Invalid("unknown key '" + EscapeControls(node.key) + "' in a rule");
    }
    STAGED_RETURN_IF_ERROR(read);
  }
  if (rule.paths.empty()) return Invalid("a rule needs paths = [\"GLOB\", ...]");
  rules_.push_back(std::move(rule));
  return OkStatus();
}

Result<Policy> Policy::Parse(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (!IsValidUtf8(text)) return Invalid("it is not UTF-8");
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const DataTree tree = ParseToml(text, Limits());
  if (!tree.issues.empty()) {
    const DataIssue& issue = tree.issues.front();
    const auto at = text.begin() + static_cast<ptrdiff_t>(std::min(issue.offset, text.size()));
    return Invalid("line " + std::to_string(1 + std::count(text.begin(), at, '\n')) + ": " +
                   issue.message);
  }
  Policy policy;
  for (const uint32_t child : tree.Children(0)) {
    const DataNode& node = tree.nodes[child];
    if (node.key != "rule") {
      return Invalid("unknown key '" + EscapeControls(node.key) + "', use [[rule]]");
    }
    if (node.type != DataType::kArray) return Invalid("write each rule as [[rule]]");
    for (const uint32_t rule : tree.Children(child)) {
      STAGED_RETURN_IF_ERROR(policy.AddRule(tree, rule));
    }
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
