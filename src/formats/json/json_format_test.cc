#include "formats/json/json_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/json.h"
#include "formats/builtin_formats.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using testing::CorpusFiles;
using ::testing::HasSubstr;
using testing::MakeEdit;
using testing::ReadFile;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.json") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewJsonFormat(), bytes, edits);
}
Edit Set(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}
Edit Delete(std::string locator) { return MakeEdit("delete", std::move(locator)); }

TEST(JsonFormatTest, EveryValueHasAPointer) {
  const View view = Parse(R"({"a": {"b/c": [1, "x\ny", true]}, "~": null, "": 1e400})");
  EXPECT_EQ(view.format, "json");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(view.Find("/a/b~1c/1")->text, "x\ny");
  EXPECT_EQ(view.Find("/a/b~1c/1")->parent, "/a/b~1c");
  EXPECT_EQ(view.Find("/~0")->attrs.FindString("type"), "null");
  EXPECT_EQ(view.Find("/")->text, "1e400");
  EXPECT_EQ(view.Find("/a/b~1c/0")->span, (ByteSpan{15, 16}));
}

TEST(JsonFormatTest, BigNumbersKeepTheirText) {
  const View view = Parse("[12345678901234567890123, 1.10, -0]");
  EXPECT_EQ(view.Find("/0")->text, "12345678901234567890123");
  EXPECT_EQ(view.Find("/1")->text, "1.10");
  EXPECT_EQ(view.Find("/2")->text, "-0");
  EXPECT_EQ(Edited("[12345678901234567890123,1]", {Set("/1", 2)}), "[12345678901234567890123,2]");
}

TEST(JsonFormatTest, DuplicateKeysAreKeptAndReported) {
  const View view = Parse(R"({"a": 1, "\u0061": 2, "a": 3})");
  EXPECT_EQ(view.Find("/a")->text, "1");
  EXPECT_EQ(view.Find("/a~2")->text, "2");
  EXPECT_EQ(view.Find("/a~3")->text, "3");
  ASSERT_EQ(view.diagnostics.size(), 2u);
  EXPECT_EQ(view.diagnostics[0].code, "duplicate_key");
  EXPECT_THAT(Edited(R"({"a":1,"a":2})", {Set("/a", 3)}), StartsWith("ERROR ambiguous"));
  EXPECT_EQ(Edited(R"({"a":1,"a":2})", {Set("/a~2", 3)}), R"({"a":1,"a":3})");
}

TEST(JsonFormatTest, SyntaxErrorsLeaveAPartialView) {
  const View view = Parse("{\"a\": 1,\n \"b\": [2, }, \"c\": 3}");
  EXPECT_EQ(view.fallback, "");
  EXPECT_EQ(view.Find("/b/0")->text, "2");
  ASSERT_EQ(view.diagnostics.size(), 1u);
  EXPECT_EQ(view.diagnostics[0].severity, "error");
  EXPECT_EQ(view.diagnostics[0].locator, "line:2");
  EXPECT_EQ(view.Records().back().kind, "unparsed");
  EXPECT_EQ(view.Records().back().text, "}, \"c\": 3}");
  EXPECT_THAT(Edited("{\"a\": ]", {Set("/a", 1)}), StartsWith("ERROR parse_failed"));
  EXPECT_EQ(Edited("{\"a\": ]", {MakeEdit("replace", "line:1", {{"text", "{\"a\": []}"}})}),
            "{\"a\": []}");
}

TEST(JsonFormatTest, CommentsAndTrailingCommasAreReadAndKept) {
  const std::string bytes = "{\n  // port\n  \"port\": 80,\n}\n";
  const View view = Parse(bytes, "a.jsonc");
  EXPECT_EQ(view.Find("/port")->text, "80");
  EXPECT_EQ(view.Records().back().text, "// port");
  EXPECT_EQ(view.diagnostics.size(), 2u);
  EXPECT_EQ(Edited(bytes, {Set("/port", 8080)}), "{\n  // port\n  \"port\": 8080,\n}\n");
}

TEST(JsonFormatTest, DepthIsLimited) {
  const View view = Parse(std::string(100'000, '['));
  ASSERT_FALSE(view.diagnostics.empty());
  EXPECT_EQ(view.diagnostics[0].code, "limit_exceeded");
}

TEST(JsonFormatTest, ArrayItemsGetAnInferredKey) {
  const View view = Parse(R"([{"id": 7, "n": 1}, {"id": 8, "n": 1}])");
  EXPECT_EQ(view.Find("/1")->key, "id=8");
  EXPECT_EQ(Parse(R"([{"id": 7}, {"id": 7}])").Find("/1")->key, "");
  EXPECT_EQ(Edited(R"([{"id": 7, "n": 1}, {"id": 8, "n": 1}])", {Set("/id=8/n", 5)}),
            R"([{"id": 7, "n": 1}, {"id": 8, "n": 5}])");
}

TEST(JsonEditTest, SetReplacesOnlyTheValue) {
  const std::string bytes = "\xEF\xBB\xBF{\r\n\t\"a\" : 1,\r\n\t\"b\": [1,2]\r\n}";
  EXPECT_EQ(Edited(bytes, {Set("/a", "x \"y\" \xC3\xA9\n")}),
            "\xEF\xBB\xBF{\r\n\t\"a\" : \"x \\\"y\\\" \xC3\xA9\\n\",\r\n\t\"b\": [1,2]\r\n}");
  EXPECT_EQ(Edited(bytes, {Set("/b/1", nullptr)}),
            "\xEF\xBB\xBF{\r\n\t\"a\" : 1,\r\n\t\"b\": [1,null]\r\n}");
  EXPECT_EQ(Edited("1", {Set("", 2.5)}), "2.5");
}

TEST(JsonEditTest, NewMembersFollowTheFilesStyle) {
  EXPECT_EQ(Edited("{\n    \"a\": 1\n}\n", {Set("/b", Value::Object{{"c", Value::Array{1, 2}}})}),
            "{\n    \"a\": 1,\n    \"b\": {\n        \"c\": [\n            1,\n            2\n"
            "        ]\n    }\n}\n");
  EXPECT_EQ(Edited("{\"a\":1,\"c\":2}", {Set("/b", Value::Array{1, 2})}),
            "{\"a\":1,\"c\":2,\"b\":[1,2]}");
  EXPECT_EQ(Edited("{\r\n  \"a\": {}\r\n}", {Set("/a/b", 1), Set("/a/c", 2)}),
            "{\r\n  \"a\": {\r\n    \"b\": 1,\r\n    \"c\": 2\r\n  }\r\n}");
  EXPECT_EQ(Edited("{}", {Set("/a~1b", 1)}), "{\"a/b\": 1}");
  EXPECT_EQ(Edited("[1, 2]", {Set("/-", 3), Set("/2", 4)}), "[1, 2, 3, 4]");
  EXPECT_EQ(Edited("[\n  1\n]", {MakeEdit("append", "", {{"value", 3}})}), "[\n  1,\n  3\n]");
  EXPECT_EQ(Edited("[1, 2]", {MakeEdit("set", "/0", {{"json", "1.50"}})}), "[1.50, 2]");
}

TEST(JsonEditTest, DeletesTakeTheirCommas) {
  EXPECT_EQ(Edited("[1, 2, 3]", {Delete("/0")}), "[2, 3]");
  EXPECT_EQ(Edited("[1, 2, 3]", {Delete("/2")}), "[1, 2]");
  EXPECT_EQ(Edited("[1, 2, 3]", {Delete("/1"), Delete("/2")}), "[1]");
  EXPECT_EQ(Edited("[1, 2, 3]", {Delete("/0"), Delete("/2")}), "[2]");
  EXPECT_EQ(Edited("[1, 2]", {Delete("/0"), Delete("/1")}), "[]");
  EXPECT_EQ(Edited("[1, 2]", {Delete("/0"), Delete("/1"), Set("/-", 9)}), "[9]");
  EXPECT_EQ(Edited("[1, 2]", {Delete("/1"), Set("/-", 9)}), "[1, 9]");
  EXPECT_EQ(Edited("{\n  \"a\": 1,\n  \"b\": 2\n}", {Delete("/b")}), "{\n  \"a\": 1\n}");
  EXPECT_EQ(Edited("{\n  \"a\": 1,\n  \"b\": 2\n}", {Delete("/a")}), "{\n  \"b\": 2\n}");
}

TEST(JsonEditTest, InsertsAndRenames) {
  EXPECT_EQ(Edited("[1, 3]", {MakeEdit("insert_before", "/1", {{"value", 2}})}), "[1, 2, 3]");
  EXPECT_EQ(Edited("[\n  1,\n  3\n]", {MakeEdit("insert_after", "/0", {{"value", 2}})}),
            "[\n  1,\n  2,\n  3\n]");
  EXPECT_EQ(Edited("[1]", {MakeEdit("insert_after", "/0", {{"value", 2}})}), "[1, 2]");
  EXPECT_EQ(Edited("{\"a\" : 1}", {MakeEdit("rename", "/a", {{"to", "b"}})}), "{\"b\" : 1}");
  EXPECT_THAT(Edited("{\"a\":1,\"b\":2}", {MakeEdit("rename", "/a", {{"to", "b"}})}),
              StartsWith("ERROR invalid_argument"));
}

TEST(JsonEditTest, GuardsAndRefusals) {
  EXPECT_EQ(Edited("[1]", {MakeEdit("set", "/0", {{"value", 2}, {"expect", 1}})}), "[2]");
  EXPECT_THAT(Edited("[1]", {MakeEdit("set", "/0", {{"value", 2}, {"expect", 3}})}),
              StartsWith("ERROR no_match"));
  EXPECT_EQ(Edited("[12345678901234567890123]",
                   {MakeEdit("set", "/0", {{"value", 2}, {"expect", "12345678901234567890123"}})}),
            "[2]");
  EXPECT_THAT(Edited("[1]", {Delete("/1")}), StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("[1]", {Set("/5", 1)}), StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("[1]", {Set("/0/a", 1)}), StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("[1]", {MakeEdit("set", "/0")}), StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("[1]", {MakeEdit("set", "/0", {{"json", "{"}})}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("[[1]]", {Set("/0/0", 2), Delete("/0"), Set("/-", 1)}),
              StartsWith("ERROR invalid_argument"));
}

TEST(JsonLinesTest, LinesAreItems) {
  const std::string bytes = "{\"a\": 1}\n\n{\"a\": }\n{\"a\": 2}";
  const View view = Parse(bytes, "a.ndjson");
  EXPECT_EQ(view.format, "jsonl");
  EXPECT_EQ(view.Find("/0/a")->text, "1");
  EXPECT_EQ(view.Find("/1")->attrs.FindString("type"), "invalid");
  EXPECT_EQ(view.Find("/1")->text, "{\"a\": }");
  EXPECT_EQ(view.Find("/2/a")->text, "2");
  ASSERT_EQ(view.diagnostics.size(), 1u);
  EXPECT_EQ(view.diagnostics[0].locator, "line:3");
  const auto format = NewJsonLinesFormat();
  EXPECT_EQ(ApplyEdits(*format, bytes, {Set("/0/a", 9), Delete("/1"), Set("/-", Value::Array{1})}),
            "{\"a\": 9}\n\n{\"a\": 2}\n[1]");
  EXPECT_EQ(Parse("{\"a\":1}\n{\"a\":2}\n", "events").format, "jsonl");
}

TEST(JsonCorpusTest, TestSuite) {
  const auto format = NewJsonFormat();
  size_t accepted = 0, refused = 0;
  for (const std::string& file : CorpusFiles("json/nst+JSONTestSuite")) {
    const std::string name = std::filesystem::path(file).filename();
    const Result<ParsedContent> content = format->Parse(ReadFile(file), Limits(), {});
    ASSERT_TRUE(content.ok()) << file;
    size_t problems = 0;
    for (const Diagnostic& diagnostic : content->diagnostics) {
      problems += diagnostic.code == "duplicate_key" ? 0 : 1;
    }
    if (name.starts_with("y_")) {
      EXPECT_EQ(problems, 0u) << file;
      ++accepted;
    } else if (name.starts_with("n_")) {
      EXPECT_GT(problems, 0u) << file;
      ++refused;
    }
  }
  if (accepted + refused == 0) GTEST_SKIP() << "no corpus: all test suite cases skipped";
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(refused, 0u);
}

TEST(JsonCorpusTest, AgreesWithPython) {
  size_t compared = 0;
  for (const std::string& file : CorpusFiles("json")) {
    if (!file.ends_with(".json")) continue;
    const std::string theirs = testing::RunOracle("json_oracle.py", file);
    if (theirs.size() <= 1) continue;
    const View view = Parse(ReadFile(file));
    std::string ours;
    for (const Record& record : view.Records()) {
      if (record.kind == "file") continue;
      ours += record.locator + "\t" + std::string(record.attrs.FindString("type")) + "\t";
      AppendJsonString(ours, record.text, true);
      ours += "\n";
    }
    EXPECT_TRUE(ours == theirs) << file << "\n"
                                << ours.substr(0, 300) << "\n--\n"
                                << theirs.substr(0, 300);
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no corpus or no Python: all comparisons skipped";
  EXPECT_GT(compared, 30u);
}

// Every scalar of real files can be set, and setting changes that scalar alone.
TEST(JsonCorpusTest, SettingAValueChangesItAlone) {
  size_t edited = 0;
  for (const std::string& file : CorpusFiles("json")) {
    const std::string bytes = ReadFile(file);
    const View before = Parse(bytes, file);
    if (before.format != "json" || bytes.size() > 100'000) continue;
    if (!before.diagnostics.empty()) continue;
    const std::vector<Record> records = before.Records();
    for (size_t i = 1; i < records.size(); i += 1 + records.size() / 7) {
      if (records[i].text.empty()) continue;
      const std::string after = Edited(bytes, {Set(records[i].locator, "planted <&> text")});
      std::vector<Record> expected = records;
      const std::vector<Record> found = Parse(after, file).Records();
      ASSERT_EQ(found.size(), expected.size()) << file << " " << records[i].locator;
      for (size_t j = 0; j < found.size(); ++j) {
        if (j == i) {
          EXPECT_EQ(found[j].text, "planted <&> text");
        } else {
          EXPECT_EQ(found[j].locator, expected[j].locator);
          EXPECT_EQ(found[j].text, expected[j].text);
        }
      }
      ++edited;
    }
  }
  if (edited == 0) GTEST_SKIP() << "no corpus: all edits skipped";
}

}  // namespace
}  // namespace staged
