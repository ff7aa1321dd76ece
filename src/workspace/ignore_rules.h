#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace staged {

// The rules of .gitignore files (gitignore(5)) and of .stagedignore, which has the same syntax and
// comes last. Rules of a deeper folder are asked before those of its parents.
class IgnoreRules {
 public:
  // Adds the rules of one file that lies in `folder` ("" is the root). Later calls win.
  void Add(const std::string& folder, std::string_view text);
  // Whether `path` is ignored. An ignored directory's content is ignored with it: do not descend.
  [[nodiscard]] bool IsIgnored(std::string_view path, bool is_directory) const;
  // Whether the file `path` is ignored, by itself or with one of its directories.
  [[nodiscard]] bool IsFileExcluded(std::string_view path) const;

 private:
  struct Rule {
    std::string folder;  // with trailing slash, or ""
    std::string pattern;
    bool negated = false;
    bool directory_only = false;
    bool anchored = false;  // matches the path below folder, not just the last name
  };
  std::vector<Rule> rules_;
};

}  // namespace staged
