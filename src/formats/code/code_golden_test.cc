#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "formats/builtin_formats.h"
#include "formats/test_support.h"
#include "record/line_index.h"

// tests/data/code holds a source of each language and beside it, in a file of the same name with
// ".outline", what its records are.
namespace staged {
namespace {

using testing::ReadFile;

std::vector<std::string> Samples() {
  std::vector<std::string> samples;
  for (const auto& item :
       std::filesystem::directory_iterator(STAGED_SOURCE_DIR "/tests/data/code")) {
    if (item.path().extension() != ".outline") samples.push_back(item.path().string());
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "kind locator lines | signature | documentation", imports and diagnostics in the same way.
std::string Outline(const View& view) {
  std::ostringstream out;
  out << view.format << "\n";
  view.ForEach([&](const Record& record) {
    if (record.kind == "symbol") {
      out << record.attrs.FindString("symbol_kind") << " " << record.locator << " "
          << record.attrs.FindString("lines") << " | " << record.text;
      const std::string doc(record.attrs.FindString("doc"));
      if (!doc.empty()) out << " | " << Replaced(doc, "\n", " / ");
      out << "\n";
    } else if (record.kind == "import") {
      out << "import " << record.attrs.FindString("lines") << " | "
          << Replaced(record.text, "\n", " / ") << "\n";
    }
    return true;
  });
  for (const Diagnostic& diagnostic : view.diagnostics) {
    out << diagnostic.code << " " << diagnostic.locator << " | " << diagnostic.message << "\n";
  }
  return out.str();
}

View Parse(const std::string& bytes, const std::string& path) {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

TEST(CodeGoldenTest, Outlines) {
  std::set<std::string> formats;
  for (const std::string& sample : Samples()) {
    const View view = Parse(ReadFile(sample), sample);
    formats.insert(view.format);
    EXPECT_EQ(Outline(view), ReadFile(sample + ".outline")) << sample;
  }
  EXPECT_THAT(formats, ::testing::ElementsAre("bash", "c", "cpp", "csharp", "css", "go", "java",
                                              "javascript", "php", "python", "ruby", "rust", "sql",
                                              "tsx", "typescript"));
}

// A symbol lies within its parent, begins where its signature says and is found by its locator.
TEST(CodeGoldenTest, SymbolsLieInTheirParents) {
  for (const std::string& sample : Samples()) {
    const View view = Parse(ReadFile(sample), sample);
    std::set<std::string> locators;
    view.ForEach([&](const Record& record) {
      EXPECT_TRUE(locators.insert(record.locator).second) << record.locator;
      if (record.kind != "symbol" || record.parent.empty()) return true;
      const Result<Record> parent = view.Find(record.parent);
      EXPECT_TRUE(parent.ok()) << sample << " " << record.parent;
      if (!parent.ok() || parent->attrs.FindString("symbol_kind") == "namespace") return true;
      EXPECT_LE(parent->span->begin, record.span->begin) << sample << " " << record.locator;
      EXPECT_GE(parent->span->end, record.span->end) << sample << " " << record.locator;
      return true;
    });
  }
}

// Every symbol of every language can be replaced by itself, and deleted unless it shares its
// declaration; what is left still has the others.
TEST(CodeGoldenTest, SymbolsAreEdited) {
  const FormatRegistry registry = NewBuiltinRegistry();
  for (const std::string& sample : Samples()) {
    const std::string bytes = ReadFile(sample);
    const View view = Parse(bytes, sample);
    const Format& format = *registry.Find(view.format);
    size_t deleted = 0;
    view.ForEach([&](const Record& record) {
      if (record.kind != "symbol" || view.Find(record.locator + "#2").ok()) return true;
      const std::string source =
          bytes.substr(record.span->begin, record.span->end - record.span->begin);
      EXPECT_EQ(testing::ApplyEdits(format, bytes,
                                    {testing::MakeEdit("replace", record.locator,
                                                       {{"text", source}, {"expect", source}})}),
                bytes)
          << sample << " " << record.locator;
      const std::string rest =
          testing::ApplyEdits(format, bytes, {testing::MakeEdit("delete", record.locator)});
      if (rest.starts_with("ERROR unsupported_edit")) return true;
      EXPECT_LT(rest.size(), bytes.size()) << sample << " " << record.locator << rest;
      EXPECT_LE(Parse(rest, sample).record_count(), view.record_count());
      ++deleted;
      return true;
    });
    EXPECT_GT(deleted, 5u) << sample;
  }
}

// The last part of a qualified name without ordinal and template arguments.
std::string LastName(std::string key) {
  const size_t ordinal = key.rfind('#');
  const bool is_ordinal = ordinal != std::string::npos && ordinal + 1 < key.size() &&
                          key.find_first_not_of("0123456789", ordinal + 1) == std::string::npos;
  if (is_ordinal) key.erase(ordinal);
  key.erase(0, key.rfind('.') + 1);
  return key.substr(0, key.find('<', 1));
}

// What ctags finds in the folder and no symbol of ours is: "file:line kind name".
std::vector<std::string> MissedNames(const std::string& folder, size_t& found) {
  std::istringstream tags(testing::RunOracle("ctags_names.py", folder));
  std::map<std::string, std::set<std::string>> known;  // "first line-last line name" by file
  std::vector<std::string> missed;
  found = 0;
  for (std::string line; std::getline(tags, line); ++found) {
    std::istringstream fields(line);
    std::string path, number, kind, name;
    std::getline(fields, path, '\t');
    std::getline(fields, number, '\t');
    std::getline(fields, kind, '\t');
    std::getline(fields, name, '\t');
    const auto [file, is_new] = known.try_emplace(path);
    if (is_new) {
      const std::string bytes = ReadFile(path);
      const LineIndex lines(bytes);
      const View view = Parse(bytes, path);
      view.ForEach([&](const Record& record) {
        if (record.kind != "symbol") return true;
        const size_t last = lines.LineOf(record.span->end - 1);
        const std::string last_name = LastName(record.key);
        for (size_t at = lines.LineOf(record.span->begin); at <= last; ++at) {
          file->second.insert(std::to_string(at + 1) + " " + last_name);
        }
        return true;
      });
    }
    for (const char* mark : {"::", "\\", "."}) {
      const size_t at = name.rfind(mark);
      if (at != std::string::npos && at + 1 < name.size()) name.erase(0, at + strlen(mark));
    }
    if (file->second.contains(number + " " + name)) continue;
    missed.push_back(std::filesystem::path(path).filename().string() + ":" + number + " " + kind +
                     " " + name);
  }
  return missed;
}

// An independent reader finds no function and no type that is no symbol.
TEST(CodeGoldenTest, CtagsFindsNothingMore) {
  size_t found = 0;
  const std::vector<std::string> missed = MissedNames(STAGED_SOURCE_DIR "/tests/data/code", found);
  if (found == 0) GTEST_SKIP() << "ctags is not installed";
  EXPECT_GT(found, 100u);
  EXPECT_THAT(missed, ::testing::UnorderedElementsAre(
                          // A macro's use is no declaration, and a method's place no class.
                          "shapes.c:51 prototype EXPORT_SYMBOL", "shapes.js:47 class Shape"));
  const std::vector<std::string> own = MissedNames(STAGED_SOURCE_DIR "/src/codec", found);
  EXPECT_GT(found, 500u);
  // Types within functions.
  EXPECT_LE(own.size() * 100, found) << ::testing::PrintToString(own);
}

}  // namespace
}  // namespace staged
