#include "formats/toml/toml_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "codec/json.h"
#include "formats/builtin_formats.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using testing::MakeEdit;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.toml") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewTomlFormat(), bytes, edits);
}
Edit Set(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}
Edit Delete(std::string locator) { return MakeEdit("delete", std::move(locator)); }

std::string Slice(const View& view, std::string_view bytes, const std::string& locator) {
  const Record record = *view.Find(locator);
  return std::string(bytes.substr(record.span->begin, record.span->end - record.span->begin));
}

constexpr const char* kPackage = R"(# a package
name = "demo"   # the name
big = 123_456_789_012_345_678_901
when = 1979-05-27 07:32:00Z
path = 'C:\x'
text = """
one
two \
   joined"""

[package.meta]
tags = [
  "a",
  "b", # second
]
point = { x = 1, y.z = 2 }

[package]
version = "1.0"

[[bin]]
name = "first"
[bin.options]
fast = true

[[bin]]
name = "second"
)";

TEST(TomlFormatTest, EveryValueHasAPointer) {
  const View view = Parse(kPackage);
  EXPECT_EQ(view.format, "toml");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(view.Find("/name")->text, "demo");
  EXPECT_EQ(view.Find("/big")->text, "123_456_789_012_345_678_901");
  EXPECT_EQ(view.Find("/when")->attrs.FindString("type"), "date");
  EXPECT_EQ(view.Find("/path")->text, "C:\\x");
  EXPECT_EQ(view.Find("/text")->text, "one\ntwo joined");
  EXPECT_EQ(view.Find("/package/meta/tags/1")->text, "b");
  EXPECT_EQ(view.Find("/package/meta/point/y/z")->text, "2");
  EXPECT_EQ(view.Find("/package/version")->text, "1.0");
  EXPECT_EQ(view.Find("/bin/0/options/fast")->attrs.FindString("type"), "boolean");
  EXPECT_EQ(view.Find("/bin/1")->key, "name=second");
  EXPECT_EQ(view.Find("comment:3")->text, "# second");
  EXPECT_EQ(Slice(view, kPackage, "/name"), "name = \"demo\"");
}

TEST(TomlFormatTest, DuplicatesAndDamage) {
  const View twice = Parse("a = 1\na = 2\n[b]\n[b]\nc = 1\n");
  EXPECT_EQ(twice.Find("/a~2")->text, "2");
  EXPECT_EQ(twice.Find("/b~2/c")->text, "1");
  ASSERT_EQ(twice.diagnostics.size(), 2u);
  EXPECT_EQ(twice.diagnostics[0].code, "duplicate_key");
  EXPECT_EQ(twice.diagnostics[0].locator, "line:2");
  EXPECT_EQ(Edited("a = 1\na = 2\n", {Delete("/a~2")}), "a = 1\n");
  const View torn = Parse("a = 1\nb = [1,\nc = = 2\n");
  EXPECT_EQ(torn.Find("/a")->text, "1");
  EXPECT_EQ(torn.diagnostics[0].severity, "error");
  EXPECT_EQ(torn.Find("unparsed")->text, "b = [1,\nc = = 2\n");
  EXPECT_EQ(Slice(torn, "a = 1\nb = [1,\nc = = 2\n", "/b"), "b = [1,\nc");
  EXPECT_THAT(Edited("a = 1\nb\n", {Set("/a", 2)}), StartsWith("ERROR parse_failed"));
  for (const char* wrong :
       {"a = 01", "a = 1__0", "a = 1.", "a = 2021-02-30", "a = \"\\x\"", "a = 'x", "a = tru", "[a",
        "a.b = 1\na.b.c = 2", "a = {b = 1,}", "a = 1 b = 2", "a = {}\n[a.b]", "a = [1]\n[[a]]"}) {
    EXPECT_FALSE(Parse(wrong).diagnostics.empty()) << wrong;
  }
}

TEST(TomlEditTest, SetKeepsQuotesAndComments) {
  const std::string bytes = kPackage;
  const auto with = [&](std::string_view old_piece, std::string_view piece) {
    std::string text = bytes;
    return text.replace(text.find(old_piece), old_piece.size(), piece);
  };
  EXPECT_EQ(Edited(bytes, {Set("/name", "a \"b\"\n")}), with("\"demo\"", "\"a \\\"b\\\"\\n\""));
  EXPECT_EQ(Edited(bytes, {Set("/path", "D:\\")}), with("'C:\\x'", "'D:\\'"));
  EXPECT_EQ(Edited(bytes, {Set("/path", "it's")}), with("'C:\\x'", "\"it's\""));
  EXPECT_EQ(Edited(bytes, {Set("/text", "x\ny\n")}),
            with("\"\"\"\none\ntwo \\\n   joined\"\"\"", "\"\"\"\nx\ny\n\"\"\""));
  EXPECT_EQ(Edited(bytes, {Set("/package/meta/point/x", 2.5)}), with("x = 1", "x = 2.5"));
  EXPECT_EQ(
      Edited(bytes, {Set("/package/meta/point", Value::Object{{"x y", Value::Array{1, "a"}}})}),
      with("{ x = 1, y.z = 2 }", "{ \"x y\" = [1, \"a\"] }"));
  EXPECT_EQ(Edited(bytes, {MakeEdit("set", "/when", {{"raw", "07:32:00"}})}),
            with("1979-05-27 07:32:00Z", "07:32:00"));
  EXPECT_THAT(Edited(bytes, {Set("/name", nullptr)}), StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited(bytes, {Set("/package", 1)}), StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited(bytes, {MakeEdit("set", "/name", {{"value", "x"}, {"expect", "y"}})}),
              StartsWith("ERROR no_match"));
}

TEST(TomlEditTest, NewKeysAndItems) {
  EXPECT_EQ(Edited("a = 1\n\n[b]\nc = 2\n", {Set("/d", "x"), Set("/b/e", true)}),
            "a = 1\nd = \"x\"\n\n[b]\nc = 2\ne = true\n");
  EXPECT_EQ(Edited("[b]\n  c = 2 # c\n[b.d]\n", {Set("/b/e", 1)}),
            "[b]\n  c = 2 # c\n  e = 1\n[b.d]\n");
  EXPECT_EQ(Edited("[b]\n", {Set("/a", 1), Set("/b/c d", 1)}), "a = 1\n[b]\n\"c d\" = 1\n");
  EXPECT_EQ(Edited("a = {}\n", {Set("/a/b", 1)}), "a = { b = 1 }\n");
  EXPECT_EQ(Edited("a = { b = 1 }\n", {Set("/a/c", 2)}), "a = { b = 1, c = 2 }\n");
  EXPECT_EQ(Edited("a = [1]\n", {Set("/a/-", 2)}), "a = [1, 2]\n");
  EXPECT_EQ(Edited("a = [\n  1,\n  2,\n]\n", {MakeEdit("append", "/a", {{"value", 3}})}),
            "a = [\n  1,\n  2,\n  3,\n]\n");
  EXPECT_EQ(Edited("a = [1, 3]\n", {MakeEdit("insert_before", "/a/1", {{"value", 2}})}),
            "a = [1, 2, 3]\n");
  EXPECT_EQ(Edited("[[a]]\nb = 1\n[a.c]\nd = 1\n[e]\n",
                   {MakeEdit("append", "/a", {{"value", Value::Object{{"b", 2}}}})}),
            "[[a]]\nb = 1\n[a.c]\nd = 1\n\n[[a]]\nb = 2\n[e]\n");
  EXPECT_EQ(Edited("", {Set("/a", 1)}), "a = 1\n");
}

TEST(TomlEditTest, DeleteAndRename) {
  EXPECT_EQ(Edited("a = 1\n# b\nb = 2\n", {Delete("/a")}), "# b\nb = 2\n");
  EXPECT_EQ(Edited("[a]\nb = 1\n[c]\n[a.d]\ne = 1\n", {Delete("/a")}), "[c]\n");
  EXPECT_EQ(Edited("[[a]]\nb = 1\n[[a]]\nb = 2\n", {Delete("/a/0")}), "[[a]]\nb = 2\n");
  EXPECT_EQ(Edited("a = [1, 2, 3]\n", {Delete("/a/0"), Delete("/a/2")}), "a = [2]\n");
  EXPECT_EQ(Edited("a = { b = 1, c = 2 }\n", {Delete("/a/c")}), "a = { b = 1 }\n");
  EXPECT_EQ(Edited("a.b = 1\nc = 2\n", {Delete("/a")}), "c = 2\n");
  EXPECT_EQ(Edited("a = 1\n", {MakeEdit("rename", "/a", {{"to", "b c"}})}), "\"b c\" = 1\n");
  EXPECT_EQ(Edited("[a]\nb = 1\n", {MakeEdit("rename", "/a", {{"to", "c"}})}), "[c]\nb = 1\n");
  EXPECT_THAT(Edited("[a]\nb = 1\n[a.d]\n", {MakeEdit("rename", "/a", {{"to", "c"}})}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited("a = 1\nb = 2\n", {MakeEdit("rename", "/a", {{"to", "b"}})}),
              StartsWith("ERROR invalid_argument"));
}

struct Document {
  std::string name, text, values;
};

const std::vector<Document>& OracleDocuments() {
  static const auto* const documents = [] {
    auto* read = new std::vector<Document>();
    const std::string root = testing::CorpusFolder();
    const std::string folders = (root.empty() ? "" : root + "/json' '") + "/usr/share";
    std::istringstream lines(testing::RunOracle("toml_values.py", folders));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("file\t")) {
        read->back().values += line + "\n";
        continue;
      }
      const size_t tab = line.rfind('\t');
      read->push_back({line.substr(5, tab - 5), DecodeJsonString(line.substr(tab + 1)), ""});
    }
    return read;
  }();
  return *documents;
}

TEST(TomlOracleTest, AgreesWithTomllib) {
  if (OracleDocuments().empty()) GTEST_SKIP() << "no tomllib: all documents skipped";
  for (const Document& document : OracleDocuments()) {
    const View view = Parse(document.text);
    if (document.values == "invalid\n") {
      EXPECT_FALSE(view.diagnostics.empty()) << document.name << "\n" << document.text;
      continue;
    }
    EXPECT_TRUE(view.diagnostics.empty()) << document.name << "\n" << document.text;
    std::vector<std::string> lines;
    for (const Record& record : view.Records()) {
      if (record.kind != "member" && record.kind != "item") continue;
      const std::string_view type = record.attrs.FindString("type");
      std::string line = record.locator + "\t" + std::string(type) + "\t";
      AppendJsonString(line, type == "string" ? record.text : "", true);
      lines.push_back(line + "\n");
    }
    std::sort(lines.begin(), lines.end());
    std::string ours;
    for (const std::string& line : lines) ours += line;
    EXPECT_TRUE(ours == document.values) << document.name << "\n"
                                         << ours.substr(0, 400) << "\n--\n"
                                         << document.values.substr(0, 400);
  }
}

TEST(TomlOracleTest, AnEditChangesItsValueAlone) {
  size_t edited = 0, refused = 0;
  for (const Document& document : OracleDocuments()) {
    const View view = Parse(document.text);
    if (!view.diagnostics.empty()) continue;
    const std::vector<Record> before = view.Records();
    for (size_t i = 1; i < before.size(); i += 1 + before.size() / 9) {
      const bool is_value = before[i].kind == "member" || before[i].kind == "item";
      const std::string_view type = before[i].attrs.FindString("type");
      if (!is_value || type == "object" || type == "array") continue;
      const std::string after = Edited(document.text, {Set(before[i].locator, "planted: #'x'\ny")});
      ASSERT_FALSE(after.starts_with("ERROR")) << document.name << before[i].locator << after;
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
  if (edited + refused == 0) GTEST_SKIP() << "no tomllib: all edits skipped";
  EXPECT_LT(refused * 10, edited + 10) << refused << " of " << edited;
}

}  // namespace
}  // namespace staged
