#include "formats/ipynb/ipynb_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

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

const FormatRegistry& Registry() {
  static const FormatRegistry registry = NewBuiltinRegistry();
  return registry;
}

View Parse(std::string_view bytes, std::string_view path = "a.ipynb") {
  Result<View> view = ParseView(Registry(), bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewIpynbFormat(), bytes, edits);
}

// A notebook as nbformat writes it, with `cells` between the brackets.
std::string NotebookOf(const std::string& cells, const std::string& minor = "5") {
  return "{\n \"cells\": [\n" + cells +
         "\n ],\n \"metadata\": {\n  \"kernelspec\": {\n   \"name\": \"python3\"\n  }\n },\n"
         " \"nbformat\": 4,\n \"nbformat_minor\": " +
         minor + "\n}\n";
}

constexpr const char* kCode = R"(  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "abc",
   "metadata": {
    "tags": [
     "x"
    ]
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1\n",
      "2\n"
     ]
    },
    {
     "data": {
      "image/png": "aGk=",
      "text/html": "<b>4</b>",
      "text/plain": "4"
     },
     "execution_count": 3,
     "metadata": {},
     "output_type": "execute_result"
    }
   ],
   "source": [
    "print(1)\n",
    "print(\"\u00e9\")\n",
    "2 + 2"
   ]
  })";
constexpr const char* kMarkdown = R"(  {
   "cell_type": "markdown",
   "id": "def",
   "metadata": {},
   "source": "# Title"
  })";

std::string Two() { return NotebookOf(std::string(kCode) + ",\n" + kMarkdown); }

// `text` with one piece replaced, which must be there.
std::string With(std::string text, std::string_view old_piece, std::string_view piece) {
  const size_t at = text.find(old_piece);
  EXPECT_NE(at, std::string::npos) << old_piece;
  return text.replace(at, old_piece.size(), piece);
}

TEST(IpynbFormatTest, CellsOutputsAndMetadata) {
  const View view = Parse(Two());
  EXPECT_EQ(view.format, "ipynb");
  EXPECT_TRUE(view.diagnostics.empty());
  const Record code = *view.Find("cell:abc");
  EXPECT_EQ(code.text, "print(1)\nprint(\"\xC3\xA9\")\n2 + 2");
  EXPECT_EQ(code.attrs.FindString("type"), "code");
  EXPECT_EQ(*code.attrs.Find("execution_count"), Value(3));
  EXPECT_EQ(code.attrs.FindString("source_form"), "list");
  EXPECT_EQ(view.Find("cell:abc/output:1")->text, "1\n2\n");
  EXPECT_EQ(view.Find("cell:abc/output:1")->attrs.FindString("name"), "stdout");
  EXPECT_EQ(view.Find("cell:abc/output:2")->text, "4");
  EXPECT_EQ(view.Find("cell:abc/output:2/data:text~1html")->text, "<b>4</b>");
  const Record image = *view.Find("cell:abc/output:2/data:image~1png");
  EXPECT_EQ(image.text, "");
  EXPECT_EQ(image.attrs.FindString("digest"), ContentHash::Of("aGk=").ToString());
  EXPECT_EQ(view.Find("cell:abc/metadata/tags")->attrs.FindString("type"), "json");
  EXPECT_EQ(view.Find("cell:def")->text, "# Title");
  EXPECT_EQ(view.Find("metadata/kernelspec/name")->text, "python3");
  EXPECT_EQ(view.Find("field:nbformat_minor")->text, "5");
}

// A long string is hashed once, with its cell; what its record says is what hashing it alone says.
TEST(IpynbFormatTest, LongDataHaveTheDigestOfTheirText) {
  const auto notebook = [](const std::string& picture) {
    return "{\"cells\": [{\"cell_type\": \"code\", \"id\": \"a\", \"metadata\": {}, \"source\": "
           "\"\", "
           "\"outputs\": [{\"output_type\": \"display_data\", \"metadata\": {}, \"data\": "
           "{\"image/png\": \"" +
           picture + "\"}}]}], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}";
  };
  const std::string base64(10'000, 'Q');
  std::set<ContentHash> cells;
  for (const auto& [written, text] :
       std::vector<std::pair<std::string, std::string>>{{base64, base64},
                                                        {base64 + "\\n", base64 + "\n"},
                                                        {"\\n" + base64, "\n" + base64},
                                                        {base64 + "\\\\n", base64 + "\\n"},
                                                        {base64 + "R", base64 + "R"},
                                                        {base64 + "\xFF", base64 + "\uFFFD"}}) {
    const View view = Parse(notebook(written));
    const Record data = *view.Find("cell:a/output:1/data:image~1png");
    EXPECT_EQ(data.attrs.FindString("digest"), ContentHash::Of(text).ToString());
    EXPECT_EQ(*data.attrs.Find("size_bytes"), Value(text.size()));
    cells.insert(view.parts[1].digest);
  }
  EXPECT_EQ(cells.size(), 6u);
}

TEST(IpynbFormatTest, ACellThatDidNotChangeIsReused) {
  const std::string before = Two();
  const std::string after = With(before, "# Title", "# Longer title");
  const View left = Parse(before);
  const View right = Parse(With(before, "print(1)", "print(1, 2)"));
  ASSERT_EQ(left.segments.size(), 3u);
  EXPECT_EQ(left.segments[2]->part(), "cell:def");
  EXPECT_EQ(left.segments[2]->digest(), right.segments[2]->digest());
  EXPECT_NE(left.segments[1]->digest(), right.segments[1]->digest());
  EXPECT_EQ(left.Find("cell:def")->span, right.Find("cell:def")->span);
}

TEST(IpynbFormatTest, IdsThatTellNoCellGiveWayToPlaces) {
  const std::string same = With(kMarkdown, "def", "abc");
  const std::string none = With(kMarkdown, "   \"id\": \"def\",\n", "");
  const std::string odd = With(kMarkdown, "def", "#1");
  const View view = Parse(NotebookOf(std::string(kCode) + ",\n" + same + ",\n" + none + ",\n" +
                                     odd + ",\n" + kMarkdown));
  std::vector<std::string> locators, codes;
  for (const Record& record : view.Records()) {
    if (record.kind == "cell") locators.push_back(record.locator);
  }
  for (const Diagnostic& diagnostic : view.diagnostics) codes.push_back(diagnostic.code);
  EXPECT_THAT(locators,
              ::testing::ElementsAre("cell:#1", "cell:#2", "cell:#3", "cell:#4", "cell:def"));
  EXPECT_THAT(codes, ::testing::ElementsAre("duplicate_cell_id", "duplicate_cell_id",
                                            "missing_cell_id", "invalid_cell_id"));
  EXPECT_THAT(Edited(NotebookOf(std::string(kCode) + ",\n" + same),
                     {MakeEdit("set", "cell:abc", {{"text", "x"}})}),
              HasSubstr("ERROR ambiguous: 'cell:abc' does not tell one cell; use its place: "
                        "cell:#1, cell:#2"));
}

TEST(IpynbFormatTest, VersionThree) {
  const std::string notebook = R"({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""},
    "worksheets": [{"cells": [
      {"cell_type": "heading", "level": 2, "source": "Top", "metadata": {}},
      {"cell_type": "code", "language": "python", "prompt_number": 1, "input": ["a = 1\n", "a"],
       "collapsed": false, "outputs": [{"output_type": "pyout", "prompt_number": 1, "text": ["1"],
       "png": "aGk="}, {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["t", "u"]}]}
    ], "metadata": {}}]})";
  const View view = Parse(notebook);
  EXPECT_EQ(view.Find("cell:#1")->text, "Top");
  EXPECT_EQ(*view.Find("cell:#1")->attrs.Find("level"), Value(2));
  EXPECT_EQ(view.Find("cell:#2")->text, "a = 1\na");
  EXPECT_EQ(view.Find("cell:#2/output:1")->text, "1");
  EXPECT_TRUE(view.Find("cell:#2/output:1/data:image~1png").ok());
  EXPECT_EQ(view.Find("cell:#2/output:2")->text, "t\nu");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(Edited(notebook, {MakeEdit("set", "cell:#2", {{"text", "a = 2\na"}})}),
            With(notebook, R"("a = 1\n")", R"("a = 2\n")"));
  const std::string inserted =
      Edited(notebook, {MakeEdit("insert_after", "cell:#2", {{"text", "b"}})});
  EXPECT_EQ(Parse(inserted).Find("cell:#3")->text, "b");
  EXPECT_THAT(inserted, HasSubstr("\"input\": [\"b\"]"));
}

TEST(IpynbFormatTest, Detection) {
  EXPECT_EQ(Parse(Two(), "notebook").format, "ipynb");
  EXPECT_EQ(Parse(Two(), "a.json").format, "json");
  EXPECT_EQ(Parse("{}", "a.ipynb").format, "ipynb");
  EXPECT_EQ(Parse("[1]", "a.ipynb").diagnostics[0].code, "not_a_notebook");
  const std::string torn = Two().substr(0, Two().find("# Title"));
  const View view = Parse(torn);
  EXPECT_EQ(view.Find("cell:abc")->text, "print(1)\nprint(\"\xC3\xA9\")\n2 + 2");
  EXPECT_EQ(view.diagnostics[0].severity, "error");
}

TEST(IpynbEditTest, SetKeepsWhatIsNotNamed) {
  EXPECT_EQ(Edited(Two(), {MakeEdit("set", "cell:abc",
                                    {{"text", "print(2)\nprint(\"\xC3\xA9\")\n2 + 2"}})}),
            With(Two(), "print(1)", "print(2)"));
  EXPECT_EQ(Edited(Two(), {MakeEdit("set", "cell:def", {{"value", "# \"New\"\n\ntext"}})}),
            With(Two(), "# Title", "# \\\"New\\\"\\n\\ntext"));
  EXPECT_EQ(Edited(Two(), {MakeEdit("replace_text", "cell:abc",
                                    {{"find", "2 + 2"}, {"replace", "2 + 3\n"}})}),
            With(Two(), "2 + 2", "2 + 3\\n"));
  EXPECT_THAT(Edited(Two(), {MakeEdit("set", "cell:abc", {{"text", "x"}, {"expect", "y"}})}),
              StartsWith("ERROR no_match"));
}

TEST(IpynbEditTest, LinesOfASource) {
  EXPECT_EQ(Edited(Two(), {MakeEdit("replace", "cell:abc/line:1", {{"text", "print(9)"}})}),
            With(Two(), "print(1)", "print(9)"));
  EXPECT_EQ(Edited(Two(), {MakeEdit("insert_after", "cell:abc/line:1", {{"text", "new()"}}),
                           MakeEdit("delete", "cell:abc/line:3")}),
            With(With(Two(), R"(\"\u00e9\")\n",
    "2 + 2")",
                      "\\\"\xC3\xA9\\\")\""),
                 "\"print(1)\\n\",\n", "\"print(1)\\n\",\n    \"new()\\n\",\n"));
}

TEST(IpynbEditTest, InsertDeleteMove) {
  const std::string cell =
      "  {\n   \"cell_type\": \"raw\",\n   \"id\": \"x1\",\n"
      "   \"metadata\": {},\n   \"source\": [\n    \"a\\n\",\n    \"b\"\n"
      "   ]\n  }";
  const Edit insert =
      MakeEdit("insert_before", "cell:def", {{"type", "raw"}, {"text", "a\nb"}, {"id", "x1"}});
  const std::string three = NotebookOf(std::string(kCode) + ",\n" + cell + ",\n" + kMarkdown);
  EXPECT_EQ(Edited(Two(), {insert}), three);
  EXPECT_EQ(Edited(three, {MakeEdit("delete", "cell:x1")}), Two());
  EXPECT_EQ(Edited(three, {MakeEdit("move", "cell:x1", {{"after", "cell:def"}})}),
            NotebookOf(std::string(kCode) + ",\n" + kMarkdown + ",\n" + cell));
  EXPECT_EQ(Edited(three,
                   {MakeEdit("move", "cell:def", {{"before", "cell:abc"}}),
                    MakeEdit("set", "cell:def", {{"text", "# T"}}), MakeEdit("delete", "cell:x1")}),
            NotebookOf(With(kMarkdown, "# Title", "# T") + ",\n" + kCode));
  const std::string empty =
      Edited(Two(), {MakeEdit("delete", "cell:abc"), MakeEdit("delete", "cell:def")});
  EXPECT_THAT(empty, HasSubstr("\"cells\": [],"));
  EXPECT_EQ(
      Edited(empty, {MakeEdit("append", "", {{"type", "raw"}, {"text", "a\nb"}, {"id", "x1"}})}),
      NotebookOf(cell));
}

TEST(IpynbEditTest, NewIdsFollowFromTheContentAndAreUnique) {
  const Edit insert = MakeEdit("insert_after", "cell:abc", {{"text", "a"}});
  const std::string once = Edited(Two(), {insert});
  EXPECT_EQ(once, Edited(Two(), {insert}));
  const View view = Parse(Edited(once, {insert, insert}));
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(view.segments.size(), 6u);
  const std::string old = NotebookOf(kMarkdown, "4");
  EXPECT_THAT(
      Edited(With(old, "   \"id\": \"def\",\n", ""), {MakeEdit("append", "", {{"text", "a"}})}),
      ::testing::Not(HasSubstr("\"id\"")));
  EXPECT_THAT(Edited(Two(), {MakeEdit("append", "", {{"text", "a"}, {"id", "abc"}})}),
              StartsWith("ERROR invalid_argument"));
}

TEST(IpynbEditTest, OutputsAndMetadata) {
  const std::string cleared = Edited(Two(), {MakeEdit("clear_outputs", "cell:abc")});
  EXPECT_THAT(cleared, HasSubstr("\"outputs\": [],"));
  EXPECT_THAT(cleared, HasSubstr("\"execution_count\": null,"));
  EXPECT_EQ(Edited(Two(), {MakeEdit("clear_outputs", "")}), cleared);
  EXPECT_EQ(Edited(cleared, {MakeEdit("clear_outputs", "")}), cleared);
  const View less = Parse(Edited(Two(), {MakeEdit("delete", "cell:abc/output:1")}));
  EXPECT_EQ(less.Find("cell:abc/output:1")->text, "4");
  EXPECT_FALSE(less.Find("cell:abc/output:2").ok());
  EXPECT_EQ(
      Edited(Two(), {MakeEdit("set_metadata", "cell:def",
                              {{"name", "tags"}, {"value", Value::Array{"y"}}})}),
      With(Two(), "\"metadata\": {},\n   \"source\": \"# T",
           "\"metadata\": {\n    \"tags\": [\n     \"y\"\n    ]\n   },\n   \"source\": \"# T"));
  EXPECT_EQ(Edited(Two(), {MakeEdit("set", "metadata/kernelspec/name", {{"value", "r"}})}),
            With(Two(), "\"python3\"", "\"r\""));
  EXPECT_EQ(Edited(Two(), {MakeEdit("set", "metadata/kernelspec/more", {{"value", 1}})}),
            With(Two(), "\"python3\"", "\"python3\",\n   \"more\": 1"));
  EXPECT_THAT(Edited(Two(), {MakeEdit("delete", "cell:abc/metadata/tags")}),
              HasSubstr("\"metadata\": {},\n   \"outputs\""));
  EXPECT_THAT(Edited(Two(), {MakeEdit("set", "metadata/a/b", {{"value", 1}})}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited(Two(), {MakeEdit("set", "cell:abc/output:1", {{"text", "x"}})}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited(Two(), {MakeEdit("delete", "cell:nope")}), StartsWith("ERROR no_match"));
}

// What Python's nbformat reads is found: sources in order, each text of each output.
TEST(IpynbCorpusTest, AgreesWithNbformat) {
  const std::string root = testing::CorpusFolder();
  size_t files = 0, texts = 0;
  std::set<std::string> found;
  std::string file, sources, expected_sources;
  std::istringstream lines(root.empty() ? "" : testing::RunOracle("ipynb_texts.py", root));
  for (std::string line; std::getline(lines, line);) {
    const std::string text = line.substr(line.find('\t') + 1);
    if (line.starts_with("file\t")) {
      EXPECT_TRUE(sources == expected_sources) << file;
      file = text;
      sources.clear();
      expected_sources.clear();
      found.clear();
      const View view = Parse(ReadFile(file), file);
      EXPECT_EQ(view.fallback, "");
      view.ForEach([&](const Record& record) {
        std::string shown;
        AppendJsonString(shown, record.text, true);
        if (record.attrs.Find("source_form") != nullptr) sources += shown + "\n";
        found.insert(std::move(shown));
        return true;
      });
      ++files;
    } else if (line.starts_with("source\t")) {
      expected_sources += text + "\n";
    } else {
      EXPECT_TRUE(found.count(text) > 0) << file << ": " << text.substr(0, 200);
      ++texts;
    }
  }
  EXPECT_TRUE(sources == expected_sources) << file;
  if (files == 0) GTEST_SKIP() << "no corpus or no Python: all notebooks skipped";
  EXPECT_GT(files, 100u);
  EXPECT_GT(texts, 300u);
}

// Setting one cell's source changes that record alone, and setting it back gives the old bytes.
TEST(IpynbCorpusTest, AnEditChangesItsCellAlone) {
  size_t edited = 0, restored = 0;
  const auto format = NewIpynbFormat();
  for (const std::string& file : CorpusFiles("ipynb")) {
    const std::string bytes = ReadFile(file);
    const View view = Parse(bytes, file);
    if (view.format != "ipynb" || !view.fallback.empty()) continue;
    const std::vector<Record> before = view.Records();
    size_t cell = 0;
    for (const Record& record : before) {
      if (record.kind != "cell" || cell++ % 5 != 0) continue;
      if (record.attrs.Find("source_form") == nullptr) continue;
      const std::string after = Edited(
          bytes,
          {MakeEdit("set", record.locator, {{"text", record.text + "\nplanted \"x\" & y"}})});
      if (after.starts_with("ERROR")) continue;
      std::vector<Record> expected = before, found = Parse(after, file).Records();
      ASSERT_EQ(found.size(), expected.size()) << file;
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].locator, expected[i].locator);
        const bool is_edited = found[i].locator == record.locator;
        EXPECT_EQ(found[i].text, expected[i].text + (is_edited ? "\nplanted \"x\" & y" : ""));
        EXPECT_TRUE(found[i].attrs == expected[i].attrs) << file << " " << record.locator;
      }
      ++edited;
      restored += Edited(after, {MakeEdit("set", record.locator, {{"text", record.text}})}) == bytes
                      ? 1
                      : 0;
      // A cell that comes and goes leaves no trace.
      const std::string inserted =
          Edited(bytes, {MakeEdit("insert_before", record.locator, {{"text", "a\nb"}})});
      const std::vector<Record> more = Parse(inserted, file).Records();
      ASSERT_EQ(more.size(), before.size() + 1) << file << record.locator << inserted.substr(0, 99);
    }
  }
  if (edited == 0) GTEST_SKIP() << "no corpus: all edits skipped";
  EXPECT_GT(edited, 100u);
  EXPECT_GT(restored * 10, edited * 8);
}

}  // namespace
}  // namespace staged
