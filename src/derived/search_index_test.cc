#include "derived/search_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/test_seed.h"
#include "derived/test_folder.h"
#include "derived/test_formats.h"

namespace staged {
namespace {

using ::staged::testing::MakeRegistry;
using ::staged::testing::TestFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SearchIndexTest : public ::testing::Test {
 protected:
  void Reopen() {
    index_.reset();
    cache_.reset();
    database_ = std::make_unique<DerivedDatabase>(folder_.directory());
    cache_ = std::make_unique<ViewCache>(*database_, *registry_, ViewCacheOptions());
    index_ = std::make_unique<SearchIndex>(*cache_);
  }
  void SetUp() override { Reopen(); }

  void Put(const std::string& path, const std::string& text) {
    state_[path] = text;
    const ContentHash hash = ContentHash::Of(text);
    auto view = cache_->Get(hash, path, [&]() -> Result<std::string> { return text; });
    ASSERT_TRUE(view.ok());
    const Status indexed = index_->Index({hash, ExtensionOf(path)}, *view, LockWait::kWait);
    ASSERT_TRUE(indexed.ok()) << indexed.message();
  }
  std::shared_ptr<const SearchScope> Resolve() {
    std::vector<StateFile> files;
    for (const auto& [path, text] : state_) files.push_back({path, ContentHash::Of(text)});
    auto scope = index_->Resolve(files);
    EXPECT_TRUE(scope.ok()) << scope.status().message();
    return *scope;
  }
  SearchResult Search(const SearchQuery& query) {
    Result<SearchResult> result = index_->Search(query, *Resolve());
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : SearchResult();
  }
  std::vector<std::string> Found(const SearchQuery& query) {
    std::vector<std::string> found;
    for (const SearchHit& hit : Search(query).hits) found.push_back(hit.path + "#" + hit.locator);
    return found;
  }
  std::vector<std::string> Found(const std::string& text) { return Found(SearchQuery{text}); }

  TestFolder folder_;
  std::unique_ptr<FormatRegistry> registry_ = MakeRegistry();
  std::unique_ptr<DerivedDatabase> database_;
  std::unique_ptr<ViewCache> cache_;
  std::unique_ptr<SearchIndex> index_;
  std::map<std::string, std::string> state_;
};

TEST_F(SearchIndexTest, WordsPhrasesAndPrefixes) {
  Put("a.parts", "the quick brown fox\nquick the fox\nfoxes are brown\n");
  EXPECT_THAT(Found("quick fox"), ElementsAre("a.parts#line:2", "a.parts#line:1"));
  EXPECT_THAT(Found("\"the quick\""), ElementsAre("a.parts#line:1"));
  EXPECT_THAT(Found("fox* brown"), ElementsAre("a.parts#line:3", "a.parts#line:1"));
  EXPECT_THAT(Found("FOXES"), ElementsAre("a.parts#line:3"));
  EXPECT_THAT(Found("missing fox"), IsEmpty());
}

TEST_F(SearchIndexTest, HitsCarryHashTextAndSpans) {
  Put("a.parts",
      "x\nse\xC3\xA9"
      "ance in Paris\n");
  const SearchResult result = Search({"seeance paris"});
  ASSERT_EQ(result.hits.size(), 1u);
  const SearchHit& hit = result.hits[0];
  EXPECT_EQ(hit.hash, ContentHash::Of(state_["a.parts"]));
  EXPECT_EQ(hit.text,
            "se\xC3\xA9"
            "ance in Paris");
  EXPECT_THAT(hit.spans, ElementsAre(ByteSpan{0, 8}, ByteSpan{12, 17}));
  EXPECT_GT(hit.score, 0);
  EXPECT_FALSE(result.more);
}

TEST_F(SearchIndexTest, TitlesComeFirst) {
  Put("a.parts", "budget\nbudget budget\nheading:The budget of the whole year and more\n");
  EXPECT_EQ(Found("budget").front(), "a.parts#line:3");
  SearchQuery query{"budget"};
  query.kinds = {"heading"};
  EXPECT_THAT(Found(query), ElementsAre("a.parts#line:3"));
}

// Other processes keep the database and its log open meanwhile.
TEST_F(SearchIndexTest, NothingOfAForgottenContentIsLeftInAnyFile) {
  for (int i = 0; i < 50; ++i) Put("a" + std::to_string(i) + ".parts", std::to_string(i) + " on\n");
  Put("secret.parts", "heading:a zyqxoplatz\nanother zyqxoplatz\n");
  const auto files_with_word = [&] {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path())) {
      const std::string name = file.path().filename();
      const auto bytes = folder_.directory().ReadFile("derived/" + name, 1 << 30);
      if (bytes.ok() && bytes->find("qxoplatz") != std::string::npos) names.push_back(name);
    }
    return names;
  };
  DerivedDatabase other(folder_.directory());
  ASSERT_TRUE(other.Read([](Connection&) { return OkStatus(); }).ok());
  ASSERT_THAT(files_with_word(), ::testing::Not(IsEmpty()));
  const Status forgotten = cache_->Forget(ContentHash::Of(state_["secret.parts"]));
  ASSERT_TRUE(forgotten.ok()) << forgotten.message();
  EXPECT_THAT(files_with_word(), IsEmpty());
  state_.erase("secret.parts");
  EXPECT_EQ(Found("on").size(), 50u);
  EXPECT_THAT(Found("zyqxoplatz"), IsEmpty());
}

TEST_F(SearchIndexTest, TableRowsAreOneRow) {
  Put("a.parts", "cell:alpha\ncell:beta\nnote:gap\ncell:alpha\ncell:\ncell:gamma\n");
  const SearchResult result = Search({"alpha beta"});
  ASSERT_EQ(result.hits.size(), 1u);
  EXPECT_EQ(result.hits[0].locator, "line:1");
  EXPECT_EQ(result.hits[0].row_text, "alpha\tbeta");
  EXPECT_THAT(Found("gamma"), ElementsAre("a.parts#line:6"));
}

TEST_F(SearchIndexTest, ProcessesIndexAtOnce) {
  constexpr int kProcesses = 3;
  constexpr int kTexts = 40;
  const auto text = [](int number) {
    return "alpha only" + std::to_string(number) + "\n--- p\nshared words\n";
  };
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      Reopen();
      for (int i = 0; i < kTexts; ++i) Put("a.parts", text((i + process * 7) % kTexts));
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (int i = 0; i < kTexts; ++i) state_["f" + std::to_string(100 + i) + ".parts"] = text(i);
  for (int i = 0; i < kTexts; ++i) {
    EXPECT_THAT(Found("alpha only" + std::to_string(i)),
                ElementsAre("f" + std::to_string(100 + i) + ".parts#line:1"));
  }
  EXPECT_EQ(Found("shared").size(), static_cast<size_t>(kTexts));
}

TEST_F(SearchIndexTest, OnlyTheStateAnswers) {
  Put("a.parts", "old word\n--- p\nkept word\n");
  Put("a.parts", "new text\n--- p\nkept word\n");
  EXPECT_THAT(Found("old"), IsEmpty());
  EXPECT_THAT(Found("word"), ElementsAre("a.parts#p!line:1"));
  Put("copy.parts", state_["a.parts"]);
  EXPECT_THAT(Found("word"), ElementsAre("a.parts#p!line:1", "copy.parts#p!line:1"));
}

TEST_F(SearchIndexTest, FilesThatAreNotIndexedAreMissing) {
  Put("a.parts", "word\n");
  state_["b.parts"] = "word in b\n";
  const SearchResult result = Search({"word"});
  EXPECT_EQ(result.hits.size(), 1u);
  EXPECT_THAT(result.missing, ElementsAre("b.parts"));
  (void)cache_->Get(ContentHash::Of("word in b\n"), "b.parts",
                    []() -> Result<std::string> { return std::string("word in b\n"); });
  EXPECT_THAT(Search({"word"}).missing, ElementsAre("b.parts"));
  EXPECT_THAT(index_->HasIndexed({{ContentHash::Of("word\n"), "parts"},
                                  {ContentHash::Of("word in b\n"), "parts"}}),
              ElementsAre(true, false));
}

TEST_F(SearchIndexTest, FilesWhoseViewLacksContentAreNamed) {
  Put("a.parts", "word\n");
  Put("b.parts", "word BROKEN\n");
  Put("c.parts", "word LONG more\n");
  for (int i = 0; i < 2; ++i) {
    const SearchResult result = Search({"word"});
    EXPECT_EQ(result.hits.size(), 2u);
    EXPECT_THAT(result.missing, IsEmpty());
    EXPECT_THAT(result.cut, ElementsAre("b.parts", "c.parts"));
    Reopen();
  }
}

TEST_F(SearchIndexTest, GlobRegexAndNames) {
  Put("docs/a.parts", "alpha 12\n");
  Put("docs/deep/b.parts", "alpha 345\n");
  Put("c.parts", "alpha\n");
  SearchQuery query{"alpha"};
  query.path_glob = "docs/**";
  EXPECT_EQ(Found(query).size(), 2u);
  query.path_glob = "b.*";
  EXPECT_THAT(Found(query), ElementsAre("docs/deep/b.parts#line:1"));
  query = {"[0-9]{3}", SearchMode::kRegex};
  const SearchResult result = Search(query);
  ASSERT_EQ(result.hits.size(), 1u);
  EXPECT_EQ(result.hits[0].path, "docs/deep/b.parts");
  EXPECT_THAT(result.hits[0].spans, ElementsAre(ByteSpan{6, 9}));
  query = {"DEEP b", SearchMode::kName};
  EXPECT_THAT(Found(query), ElementsAre("docs/deep/b.parts#"));
}

TEST_F(SearchIndexTest, GlobLaws) {
  EXPECT_TRUE(MatchesFileGlob("*.txt", "a/b/c.txt"));
  EXPECT_FALSE(MatchesFileGlob("a/*.txt", "a/b/c.txt"));
  EXPECT_TRUE(MatchesFileGlob("a/**/*.txt", "a/b/c.txt"));
  EXPECT_TRUE(MatchesFileGlob("a/**/*.txt", "a/c.txt"));
  EXPECT_TRUE(MatchesFileGlob("**/c.?xt", "c.txt"));
  EXPECT_FALSE(MatchesFileGlob("b/**", "a/b/c.txt"));
  EXPECT_TRUE(MatchesFileGlob("a/*b*c*/d", "a/xbycz/d"));
  EXPECT_FALSE(MatchesFileGlob("a/*b*c*/d", "a/xcyb/d"));
  EXPECT_TRUE(MatchesFileGlob("[a-c].txt", "x/b.txt"));
  EXPECT_FALSE(MatchesFileGlob("[!a-c].txt", "x/b.txt"));
  EXPECT_TRUE(MatchesFileGlob("x/\\*.txt", "x/*.txt"));
  EXPECT_FALSE(MatchesFileGlob("x/\\*.txt", "x/a.txt"));
}

TEST_F(SearchIndexTest, BadQueriesAreRefused) {
  Put("a.parts", "word\n");
  for (const SearchQuery& query :
       {SearchQuery{""}, SearchQuery{"!!! --"}, SearchQuery{"(", SearchMode::kRegex},
        SearchQuery{"\"\"", SearchMode::kName}}) {
    Result<SearchResult> result = index_->Search(query, *Resolve());
    ASSERT_FALSE(result.ok()) << query.text;
    EXPECT_EQ(result.status().code(), ErrorCode::kInvalidArgument);
  }
  // What looks like FTS5's own syntax is only text.
  for (const char* text : {"NEAR(word", "word OR", "text:word", "word^", "{word}", "wo\"rd"}) {
    EXPECT_TRUE(index_->Search({text}, *Resolve()).ok()) << text;
  }
  EXPECT_EQ(database_->rebuild_count(), 0u);
}

TEST_F(SearchIndexTest, TheLimitAndTheBoundSayMore) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "common " + std::to_string(i) + "\n";
  Put("a.parts", text);
  const SearchResult result = Search({"common"});
  EXPECT_EQ(result.hits.size(), 50u);
  EXPECT_TRUE(result.more);
  EXPECT_THAT(Found("common 4321"), ElementsAre("a.parts#line:4322"));
  EXPECT_FALSE(Search({"common 4321"}).more);
}

TEST_F(SearchIndexTest, SweepRemovesRowsAndScopesAreMadeAnew) {
  Put("a.parts", "alpha one\n--- p\nshared\n");
  Put("b.parts", "alpha two\n--- p\nshared\n");
  const std::shared_ptr<const SearchScope> scope = Resolve();
  ASSERT_TRUE(cache_->Sweep({ContentHash::Of(state_["b.parts"])}).ok());
  state_.clear();
  Put("c.parts", "alpha three\n");
  Result<SearchResult> result = index_->Search({"alpha"}, *scope);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->hits.size(), 1u);
  EXPECT_EQ(result->hits[0].text, "alpha two");
  EXPECT_THAT(result->missing, ElementsAre("a.parts"));
}

// --- search equals a slow scan ---

std::vector<std::string> AsciiWords(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter))) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// path#locator of every line that has all the words (a trailing star: a prefix).
std::set<std::string> SlowScan(const std::map<std::string, std::string>& state,
                               const std::vector<std::string>& query) {
  std::set<std::string> found;
  for (const auto& [path, text] : state) {
    std::string part;
    int number = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("--- ")) {
        part = line.substr(4) + "!";
        number = 0;
        continue;
      }
      ++number;
      const size_t colon = line.find(':');
      const std::vector<std::string> words =
          AsciiWords(colon == std::string::npos ? line : line.substr(colon + 1));
      const bool has_all = std::all_of(query.begin(), query.end(), [&](const std::string& word) {
        return std::any_of(words.begin(), words.end(), [&](const std::string& candidate) {
          return word.ends_with('*') ? candidate.starts_with(word.substr(0, word.size() - 1))
                                     : candidate == word;
        });
      });
      if (has_all) found.insert(path + "#" + part + "line:" + std::to_string(number));
    }
  }
  return found;
}

TEST_F(SearchIndexTest, EqualsASlowScanWhileEditsHappen) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::vector<std::string> vocabulary = {"alpha", "alps",  "beta", "Beta2", "gamma",
                                               "delta", "omega", "x1",   "x12",   "over"};
  const auto word = [&] { return vocabulary[random() % vocabulary.size()]; };
  const auto make_text = [&] {
    std::string text;
    for (size_t part = random() % 4; part-- > 0;) {
      text += "--- p" + std::to_string(random() % 3) + std::string(part, 'q') + "\n";
      for (size_t line = random() % 6; line-- > 0;) {
        if (random() % 5 == 0) text += "heading:";
        for (size_t count = random() % 5; count-- > 0;)
          text += word() + (random() % 3 ? " " : ", ");
        text += "\n";
      }
    }
    return text;
  };
  for (int step = 0; step < 400; ++step) {
    const std::string path = "f" + std::to_string(random() % 8) + ".parts";
    switch (random() % 12) {
      case 0:
        state_.erase(path);
        break;
      case 1:
        if (!state_.empty()) Put(path, state_.begin()->second);
        break;
      case 2:
        if (step % 5 == 0) Reopen();
        if (step % 7 == 0) folder_.DeleteDerived();
        if (step % 3 == 0) {
          std::unordered_set<ContentHash> live;
          for (const auto& item : state_) live.insert(ContentHash::Of(item.second));
          ASSERT_TRUE(cache_->Sweep(live).ok());
        }
        for (const auto& [name, text] : std::map(state_)) Put(name, text);
        break;
      default:
        Put(path, make_text());
    }
    std::vector<std::string> query = {word()};
    if (random() % 2 == 0) query.push_back(word());
    for (std::string& item : query) {
      std::transform(item.begin(), item.end(), item.begin(), ::tolower);
      if (random() % 4 == 0) item = item.substr(0, 2) + "*";
    }
    SearchQuery search{query[0] + (query.size() > 1 ? " " + query[1] : "")};
    search.limit = 100000;
    const SearchResult result = Search(search);
    std::set<std::string> found;
    for (const SearchHit& hit : result.hits) {
      EXPECT_TRUE(found.insert(hit.path + "#" + hit.locator).second);
      EXPECT_EQ(hit.hash, ContentHash::Of(state_[hit.path]));
      EXPECT_FALSE(hit.spans.empty());
    }
    ASSERT_EQ(found, SlowScan(state_, query)) << search.text << " at step " << step;
    ASSERT_TRUE(result.missing.empty());
    ASSERT_FALSE(result.more);
  }
}

TEST(RowMapTest, EncodesAndRefusesDamage) {
  RowMap map;
  map.kinds = {"line", "heading"};
  map.titles = {{1, 4, 1, 1, 2, 0}, {1, 9, 3, 3, 1, 2}};
  map.bodies = {{0, 0, 1, 2, 4, 0}};
  Result<RowMap> decoded = RowMap::Decode(map.Encode());
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(FindRow(decoded->titles, 1).first_record, 5u);
  EXPECT_EQ(FindRow(decoded->titles, 2).first_record, 9u);
  EXPECT_EQ(FindRow(decoded->titles, 2).record_count, 3u);
  EXPECT_EQ(FindRow(decoded->titles, 3).record_count, 0u);
  EXPECT_EQ(FindRow(decoded->bodies, 3).first_record, 6u);
  EXPECT_FALSE(RowMap::Decode(map.Encode() + "x").ok());
  EXPECT_FALSE(RowMap::Decode(map.Encode().substr(0, 5)).ok());
}

}  // namespace
}  // namespace staged
