// Ignore rules against git itself.

#include "workspace/ignore_rules.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "base/test_seed.h"

namespace staged {
namespace {

namespace fs = std::filesystem;

class GitOracle {
 public:
  GitOracle() {
    std::string pattern = fs::temp_directory_path() / "staged-ignore-XXXXXX";
    root_ = mkdtemp(pattern.data());
    available_ = Run("git init -q .") == 0;
  }
  ~GitOracle() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  [[nodiscard]] bool available() const { return available_; }
  void WriteFile(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path, std::ios::binary) << text;
  }
  void Remove(const std::string& path) const { fs::remove_all(root_ + "/" + path); }
  // Those of the paths that git ignores.
  std::set<std::string> Ignored(const std::vector<std::string>& paths) const {
    std::string input;
    for (const std::string& path : paths) input += path + '\0';
    WriteFile(".git/paths", input);
    (void)Run("git check-ignore -z --stdin --no-index < .git/paths > .git/ignored");
    std::ifstream stream(root_ + "/.git/ignored", std::ios::binary);
    std::set<std::string> ignored;
    std::string path;
    while (std::getline(stream, path, '\0')) ignored.insert(path);
    return ignored;
  }

 private:
  int Run(const std::string& command) const {
    return std::system(
        ("cd '" + root_ + "' && env -u GIT_DIR HOME=/nonexistent " + command + " 2>/dev/null")
            .c_str());
  }
  std::string root_;
  bool available_ = false;
};

class RandomRules {
 public:
  explicit RandomRules(uint64_t seed) : random_(seed) {}
  // Two asterisks only as a whole name: beside anything else some versions of git compare unrelated
  // addresses (wildmatch.c), and their answers are no oracle.
  std::string Line() {
    static const std::vector<std::string> kPieces = {
        "a",   "b",   "ab", "*", "/**/", "?",   "[ab]",        "[!a]", "[^b]", "[a-c]",
        "\\a", "\\*", ".o", "/", "/",    "x y", "[[:alpha:]]", "[]a]", "#",    "\xc3\xa9"};
    std::string line = Chance(5) ? "!" : "";
    if (Chance(4)) line += "/";
    const size_t count = 1 + Below(4);
    for (size_t i = 0; i < count; ++i) line += kPieces[Below(kPieces.size())];
    if (Chance(4)) line += "/";
    MakeAsterisksDefined(line);
    // Empty names in a pattern match nothing that has a name; git itself disagrees with its manual.
    for (size_t at = line.find("//"); at != std::string::npos; at = line.find("//")) {
      line.erase(at, 1);
    }
    if (Chance(8)) line += "  ";
    if (Chance(12)) line += "\\ ";
    if (Chance(12)) line += "\r";
    return line + "\n";
  }
  std::string Text() {
    std::string text;
    if (Chance(10)) text += "\xef\xbb\xbf";
    for (size_t lines = 1 + Below(4); lines > 0; --lines) text += Line();
    if (Chance(6)) text += "# a comment\n\n";
    return text;
  }
  std::string Path() {
    static const std::vector<std::string> kNames = {"a", "b", "ab", "abc", "a.o", "x y",
                                                    "c", "#", "!a", "]",   "*",   "\xc3\xa9"};
    std::string path;
    for (size_t depth = 1 + Below(4); depth > 0; --depth) {
      path += (path.empty() ? "" : "/") + kNames[Below(kNames.size())];
    }
    return path;
  }
  bool Chance(size_t one_in) { return Below(one_in) == 0; }

 private:
  // Leaves "**" only between slashes or at an end of the pattern; else one asterisk.
  static void MakeAsterisksDefined(std::string& line) {
    const size_t begin = line.starts_with('!') ? 1 : 0;
    for (size_t at = line.find("**"); at != std::string::npos; at = line.find("**", at)) {
      size_t end = line.find_first_not_of('*', at);
      if (end == std::string::npos) end = line.size();
      const bool before = at == begin || line[at - 1] == '/';
      const bool after = end == line.size() || line[end] == '/';
      const size_t keep = before && after && end - at == 2 ? 2 : 1;
      line.erase(at + keep, end - at - keep);
      at += keep;
    }
  }
  size_t Below(size_t limit) { return random_() % limit; }
  std::mt19937_64 random_;
};

TEST(IgnoreRules, AgreeWithGitOnRandomRulesAndPaths) {
  const GitOracle git;
  if (!git.available()) GTEST_SKIP() << "0 rule files checked: git is not there";
  const uint64_t first = SeedForTest();
  size_t ignored_count = 0;
  for (uint64_t seed = first; seed < first + 300; ++seed) {
    SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
    RandomRules random(seed);
    const std::string root_text = random.Text();
    const bool nested = random.Chance(3);
    const std::string nested_text = nested ? random.Text() : "";
    git.WriteFile(".gitignore", root_text);
    git.Remove("a");
    if (nested) git.WriteFile("a/.gitignore", nested_text);
    std::vector<std::string> paths;
    for (int i = 0; i < 60; ++i) paths.push_back(random.Path());
    // A folder with rules is one: git looks at the disk to tell.
    if (nested) std::erase(paths, "a");
    IgnoreRules rules;
    rules.Add("", root_text);
    // git does not read the rules of an ignored folder.
    if (nested && !rules.IsFileExcluded("a/") && !rules.IsIgnored("a", true)) {
      rules.Add("a", nested_text);
    }
    const std::set<std::string> expected = git.Ignored(paths);
    for (const std::string& path : paths) {
      ASSERT_EQ(rules.IsFileExcluded(path), expected.contains(path))
          << "path '" << path << "' with rules:\n"
          << root_text << "and in a:\n"
          << nested_text;
      ignored_count += expected.count(path);
    }
  }
  EXPECT_GT(ignored_count, 500u) << "the rules of STAGED_SEED=" << first << " hardly ignore";
}

TEST(IgnoreRules, TheLastRuleThatMatchesDecides) {
  IgnoreRules rules;
  rules.Add("", "*.log\n!keep.log\n/only-here\nbuild/\n");
  rules.Add("sub", "!special.log\nnested\n");
  EXPECT_TRUE(rules.IsIgnored("x.log", false));
  EXPECT_FALSE(rules.IsIgnored("keep.log", false));
  EXPECT_TRUE(rules.IsIgnored("only-here", false));
  EXPECT_FALSE(rules.IsIgnored("sub/only-here", false));
  EXPECT_FALSE(rules.IsIgnored("build", false)) << "a file of that name";
  EXPECT_TRUE(rules.IsIgnored("build", true));
  EXPECT_TRUE(rules.IsFileExcluded("sub/build/x")) << "with its directory";
  EXPECT_FALSE(rules.IsIgnored("sub/special.log", false));
  EXPECT_TRUE(rules.IsIgnored("other/special.log", false));
  EXPECT_FALSE(rules.IsIgnored("nested", false)) << "rules hold below their folder";
}

}  // namespace
}  // namespace staged
