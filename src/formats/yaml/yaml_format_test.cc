#include "formats/yaml/yaml_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "codec/json.h"
#include "formats/builtin_formats.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using ::testing::HasSubstr;
using testing::MakeEdit;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.yaml") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewYamlFormat(), bytes, edits);
}
Edit Set(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}
Edit Delete(std::string locator) { return MakeEdit("delete", std::move(locator)); }

// What a span covers.
std::string Slice(const View& view, std::string_view bytes, const std::string& locator) {
  const Record record = *view.Find(locator);
  return std::string(bytes.substr(record.span->begin, record.span->end - record.span->begin));
}

constexpr const char* kConfig = R"(# settings
name: demo   # the name
version: 1.0.2
'on': "yes"
ports:
  - 80
  - 443
jobs:
  - name: build
    run: |
      make
      make test

  - name: lint
    if: {os: [linux, mac]}
big: 12345678901234567890123
none:
)";

TEST(YamlFormatTest, EveryValueHasAPointer) {
  const View view = Parse(kConfig);
  EXPECT_EQ(view.format, "yaml");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(view.Find("/name")->text, "demo");
  EXPECT_EQ(view.Find("/version")->attrs.FindString("type"), "string");
  EXPECT_EQ(view.Find("/on")->text, "yes");
  EXPECT_EQ(view.Find("/on")->attrs.FindString("style"), "double");
  EXPECT_EQ(view.Find("/ports/1")->attrs.FindString("type"), "number");
  EXPECT_EQ(view.Find("/jobs/0")->key, "name=build");
  EXPECT_EQ(view.Find("/jobs/0/run")->text, "make\nmake test\n");
  EXPECT_EQ(view.Find("/jobs/1/if/os/1")->text, "mac");
  EXPECT_EQ(view.Find("/big")->text, "12345678901234567890123");
  EXPECT_EQ(view.Find("/none")->attrs.FindString("type"), "null");
  EXPECT_EQ(view.Find("comment:1")->text, "# settings");
  EXPECT_EQ(view.Find("comment:2")->text, "# the name");
  EXPECT_EQ(Slice(view, kConfig, "/name"), "name: demo");
  EXPECT_EQ(Slice(view, kConfig, "/jobs/1/if"), "if: {os: [linux, mac]}");
  EXPECT_EQ(Slice(view, kConfig, "/ports"), "ports:\n  - 80\n  - 443");
}

TEST(YamlFormatTest, SpansAreBytesWhereOthersCountCharacters) {
  const std::string bytes =
      "\xEF\xBB\xBF\xC3\xA4: \xF0\x9F\x98\x80 x # \xC3\xBC\r\nb: [1, \"\xE2\x82\xAC\"]\r\n";
  const View view = Parse(bytes);
  EXPECT_EQ(Slice(view, bytes, "/\xC3\xA4"), "\xC3\xA4: \xF0\x9F\x98\x80 x");
  EXPECT_EQ(Slice(view, bytes, "/b/1"), "\"\xE2\x82\xAC\"");
  EXPECT_EQ(Slice(view, bytes, "comment:1"), "# \xC3\xBC");
  EXPECT_EQ(Edited(bytes, {Set("/b/0", "x")}),
            "\xEF\xBB\xBF\xC3\xA4: \xF0\x9F\x98\x80 x # \xC3\xBC\r\nb: [x, \"\xE2\x82\xAC\"]\r\n");
}

TEST(YamlFormatTest, AliasesAreShownNotExpanded) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\n";
  }
  const View view = Parse(bomb + "last:\n  <<: *a39\n");
  EXPECT_LT(view.record_count(), 200u);
  EXPECT_EQ(view.Find("/a0")->attrs.FindString("anchor"), "a0");
  EXPECT_EQ(view.Find("/a39/1")->attrs.FindString("type"), "alias");
  EXPECT_EQ(view.Find("/a39/1")->text, "*a38");
  EXPECT_EQ(view.Find("/last/<<")->text, "*a39");
  EXPECT_EQ(Edited("a: &x 1\nb: *x\n", {Set("/a", 2)}), "a: &x 2\nb: *x\n");
  EXPECT_THAT(Edited("a: &x 1\nb: *x\n", {Delete("/a")}), StartsWith("ERROR unsupported_edit"));
  EXPECT_EQ(Edited("a: &x 1\nb: *x\n", {Set("/b", 3)}), "a: &x 1\nb: 3\n");
}

TEST(YamlFormatTest, DocumentsDuplicatesAndDamage) {
  const std::string bytes = "a: 1\n---\nb: 2\na: [3]\n---\nplain\n";
  const View view = Parse(bytes);
  EXPECT_EQ(view.Find("/a")->text, "1");
  EXPECT_EQ(view.Find("doc:2/a/0")->text, "3");
  EXPECT_EQ(view.Find("doc:3")->text, "plain");
  EXPECT_EQ(Edited(bytes, {Set("doc:2/b", 5), Set("doc:3", "other")}),
            "a: 1\n---\nb: 5\na: [3]\n---\nother\n");
  const View twice = Parse("a: 1\na: 2\n");
  EXPECT_EQ(twice.Find("/a~2")->text, "2");
  EXPECT_EQ(twice.diagnostics[0].code, "duplicate_key");
  EXPECT_THAT(Edited("a: 1\na: 2\n", {Set("/a", 3)}), StartsWith("ERROR ambiguous"));
  EXPECT_EQ(Edited("a: 1\na: 2\n", {Delete("/a~2")}), "a: 1\n");
  const View torn = Parse("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_EQ(torn.Find("/a")->text, "1");
  EXPECT_EQ(torn.diagnostics[0].severity, "error");
  EXPECT_THAT(Edited("a: [1", {Set("/a", 3)}), StartsWith("ERROR parse_failed"));
  EXPECT_EQ(Parse("? [a, b]\n: 1\n").Find("/[a, b]")->text, "1");
}

TEST(YamlEditTest, SetKeepsQuotesAndComments) {
  EXPECT_EQ(Edited("a: 'x'  # c\n", {Set("/a", "it's")}), "a: 'it''s'  # c\n");
  EXPECT_EQ(Edited("a: \"x\"  # c\n", {Set("/a", "y")}), "a: \"y\"  # c\n");
  EXPECT_EQ(Edited("a: x  # c\n", {Set("/a", "two words")}), "a: two words  # c\n");
  EXPECT_EQ(Edited("a: x\n", {Set("/a", "no")}), "a: \"no\"\n");
  EXPECT_EQ(Edited("a: x\n", {Set("/a", "- # x: y")}), "a: \"- # x: y\"\n");
  EXPECT_EQ(Edited("a: x\n", {Set("/a", "12")}), "a: \"12\"\n");
  EXPECT_EQ(Edited("a: 1.0.2\n", {Set("/a", "1.0.3")}), "a: 1.0.3\n");
  EXPECT_EQ(Edited("a: 'x'\n", {Set("/a", true)}), "a: true\n");
  EXPECT_EQ(Edited("a:\nb: 1\n", {Set("/a", 1)}), "a: 1\nb: 1\n");
  EXPECT_EQ(Edited("a: |\n  one\n  two\n\nb: 1\n", {Set("/a", "1\n\n3\n")}),
            "a: |\n  1\n\n  3\n\nb: 1\n");
  EXPECT_EQ(Edited("a: |\n  one\nb: 1\n", {Set("/a", "x")}), "a: \"x\"\nb: 1\n");
  EXPECT_EQ(Edited("a: {b: 1}\n", {Set("/a", Value::Array{1, "x"})}), "a: [1, \"x\"]\n");
  EXPECT_EQ(Edited("a:\n  b: 1\n  c: 2\nd: 3\n", {Set("/a", "flat")}), "a: flat\nd: 3\n");
  EXPECT_THAT(Edited("a:\n  b: 1 # why\n  c: 2\n", {Set("/a", 1)}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_EQ(Edited("a: 1\n", {MakeEdit("set", "/a", {{"raw", "0x1F"}})}), "a: 0x1F\n");
  EXPECT_EQ(Edited("a: 1\n", {MakeEdit("set", "/a", {{"value", 2}, {"expect", 1}})}), "a: 2\n");
  EXPECT_THAT(Edited("a: 1\n", {MakeEdit("set", "/a", {{"value", 2}, {"expect", "x"}})}),
              StartsWith("ERROR no_match"));
}

TEST(YamlEditTest, NewMembersAndItems) {
  EXPECT_EQ(Edited("a: 1\n", {Set("/b", "x")}), "a: 1\nb: x\n");
  EXPECT_EQ(Edited("a: 1", {Set("/b", "x")}), "a: 1\nb: x");
  EXPECT_EQ(
      Edited("a:\n    b: 1 # c\n# end\n", {Set("/a/c", Value::Object{{"d", Value::Array{1, 2}}})}),
      "a:\n    b: 1 # c\n    c:\n        d:\n            - 1\n            - 2\n# end\n");
  EXPECT_EQ(Edited("a: {b: 1}\n", {Set("/a/c", 2)}), "a: {b: 1, c: 2}\n");
  EXPECT_EQ(Edited("a: []\n", {Set("/a/-", 2)}), "a: [2]\n");
  EXPECT_EQ(Edited("a:\n- 1\n- 2\n", {MakeEdit("append", "/a", {{"value", 3}})}),
            "a:\n- 1\n- 2\n- 3\n");
  EXPECT_EQ(Edited("- k: 1\n  m: 2\n",
                   {MakeEdit("append", "", {{"value", Value::Object{{"k", 3}, {"m", 4}}}})}),
            "- k: 1\n  m: 2\n- k: 3\n  m: 4\n");
  EXPECT_EQ(Edited("- 1\n- 3\n", {MakeEdit("insert_before", "/1", {{"value", 2}})}),
            "- 1\n- 2\n- 3\n");
  EXPECT_EQ(Edited("a: [1, 3]\n", {MakeEdit("insert_after", "/a/0", {{"value", 2}})}),
            "a: [1, 2, 3]\n");
  EXPECT_EQ(Edited("a: 1\r\n", {Set("/b", Value::Object{{"c", 1}})}), "a: 1\r\nb:\r\n  c: 1\r\n");
}

TEST(YamlEditTest, DeleteAndRename) {
  EXPECT_EQ(Edited(kConfig, {Delete("/ports/0")}).find("  - 80\n"), std::string::npos);
  EXPECT_EQ(Edited("a: 1\n# b\nb:\n  c: 2\nd: 3\n", {Delete("/b")}), "a: 1\n# b\nd: 3\n");
  EXPECT_EQ(Edited("a: 1\nb: 2", {Delete("/b")}), "a: 1");
  EXPECT_EQ(Edited("- a: 1\n  b: 2\n", {Delete("/0/a")}), "- b: 2\n");
  EXPECT_EQ(Edited("- a: 1\n  b: 2\n", {Delete("/0/b")}), "- a: 1\n");
  EXPECT_EQ(Edited("a:\n  b: 1\n", {Delete("/a/b")}), "a: {}\n");
  EXPECT_EQ(Edited("a:\n  - 1\n  - 2\nb: 1\n", {Delete("/a/0"), Delete("/a/1")}), "a: []\nb: 1\n");
  EXPECT_EQ(Edited("a: [1, 2, 3]\n", {Delete("/a/1")}), "a: [1, 3]\n");
  EXPECT_EQ(Edited("a: {b: 1, c: 2}\n", {Delete("/a/c")}), "a: {b: 1}\n");
  EXPECT_EQ(Edited("a: |\n  x\n\nb: 1\n", {Delete("/b")}), "a: |\n  x\n\n");
  EXPECT_EQ(Edited("'a': 1\n", {MakeEdit("rename", "/a", {{"to", "b c"}})}), "'b c': 1\n");
  EXPECT_THAT(Edited("a: 1\nb: 2\n", {MakeEdit("rename", "/a", {{"to", "b"}})}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("a: 1\n", {Delete("")}), StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited("a: 1\n", {Delete("/b")}), StartsWith("ERROR no_match"));
}

struct Document {
  std::string name, text, values;
};

std::vector<Document> ReadOracleDocuments() {
  std::vector<Document> documents;
  const std::string root = testing::CorpusFolder();
  const std::string folders = (root.empty() ? "" : root + "/json' '") + "/usr/share";
  std::istringstream lines(testing::RunOracle("yaml_values.py", folders));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("file\t")) {
      documents.back().values += line + "\n";
      continue;
    }
    const size_t tab = line.rfind('\t');
    documents.push_back({line.substr(5, tab - 5), DecodeJsonString(line.substr(tab + 1)), ""});
  }
  return documents;
}

const std::vector<Document>& OracleDocuments() {
  static const auto* const documents = new std::vector<Document>(ReadOracleDocuments());
  return *documents;
}

TEST(YamlOracleTest, AgreesWithPyYaml) {
  const std::vector<Document>& documents = OracleDocuments();
  if (documents.empty()) GTEST_SKIP() << "no PyYAML: all documents skipped";
  for (const Document& document : documents) {
    const View view = Parse(document.text);
    std::string ours;
    for (const Record& record : view.Records()) {
      if (record.kind != "member" && record.kind != "item" && record.kind != "value") continue;
      ours += record.locator + "\t";
      AppendJsonString(ours, record.text, true);
      ours += "\n";
    }
    EXPECT_TRUE(ours == document.values) << document.name << "\n"
                                         << ours.substr(0, 400) << "\n--\n"
                                         << document.values.substr(0, 400);
  }
  EXPECT_GT(documents.size(), 20u);
}

// An edit at each place of real documents is made or refused; when made, it shows and nothing else.
TEST(YamlOracleTest, AnEditChangesItsValueAlone) {
  size_t edited = 0, refused = 0;
  for (const Document& document : OracleDocuments()) {
    if (document.text.size() > 50'000) continue;
    const View view = Parse(document.text);
    const std::vector<Record> before = view.Records();
    for (size_t i = 1; i < before.size(); i += 1 + before.size() / 9) {
      const bool is_value = before[i].kind == "member" || before[i].kind == "item";
      const std::string_view type = before[i].attrs.FindString("type");
      if (!is_value || type == "object" || type == "array") continue;
      const std::string after = Edited(document.text, {Set(before[i].locator, "planted: #'x'\ny")});
      if (after.starts_with("ERROR ambiguous")) continue;
      if (after.starts_with("ERROR")) {
        ++refused;
        continue;
      }
      const std::vector<Record> found = Parse(after).Records();
      ASSERT_EQ(found.size(), before.size()) << document.name << " " << before[i].locator;
      for (size_t j = 0; j < found.size(); ++j) {
        EXPECT_EQ(found[j].text, j == i ? "planted: #'x'\ny" : before[j].text)
            << document.name << " " << before[i].locator;
      }
      const std::string deleted = Edited(document.text, {Delete(before[i].locator)});
      deleted.starts_with("ERROR") ? ++refused : ++edited;
    }
  }
  if (edited + refused == 0) GTEST_SKIP() << "no PyYAML: all edits skipped";
  EXPECT_GT(edited, 100u);
  EXPECT_LT(refused * 20, edited) << refused << " of " << edited;
}

}  // namespace
}  // namespace staged
