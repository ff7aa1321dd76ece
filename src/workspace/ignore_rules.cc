#include "workspace/ignore_rules.h"

#include "base/glob.h"

namespace staged {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Trailing blanks count only behind a backslash.
std::string_view WithoutTrailingBlanks(std::string_view line) {
  size_t end = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool escaped = line[i] == '\\';
    if (escaped) ++i;
    if (escaped || line[i] != ' ') end = i + 1;
  }
  return line.substr(0, end);
}

}  // namespace

void IgnoreRules::Add(const std::string& folder, std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string prefix = folder.empty() ? "" : folder + "/";
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = WithoutTrailingBlanks(line);
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    rule.folder = prefix;
    if (line.front() == '!') {
      rule.negated = true;
      line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
      rule.directory_only = true;
      line.remove_suffix(1);
    }
    rule.anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    rule.pattern = line;
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::IsIgnored(std::string_view path, bool is_directory) const {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->directory_only && !is_directory) continue;
    if (!path.starts_with(rule->folder)) continue;
    const std::string_view subject = rule->anchored ? path.substr(rule->folder.size()) : name;
    if (MatchesPathGlob(rule->pattern, subject)) return !rule->negated;
  }
  return false;
}

bool IgnoreRules::IsFileExcluded(std::string_view path) const {
  for (size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (IsIgnored(path.substr(0, slash), true)) return true;
  }
  return IsIgnored(path, false);
}

}  // namespace staged
