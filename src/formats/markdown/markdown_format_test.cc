#include "formats/markdown/markdown_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "formats/builtin_formats.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using testing::MakeEdit;
using testing::ReadFile;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.md") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}
// "kind locator < parent = text" of each record.
std::vector<std::string> Outline(const View& view) {
  std::vector<std::string> outline;
  for (const Record& record : view.Records()) {
    if (record.kind == "file") continue;
    outline.push_back(record.kind + " " + record.locator +
                      (record.parent.empty() ? "" : " < " + record.parent) + " = " + record.text);
  }
  return outline;
}
std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return testing::ApplyEdits(*NewMarkdownFormat(), bytes, edits);
}

TEST(MarkdownFormatTest, HeadingsAreParentsByTheirPath) {
  EXPECT_THAT(Outline(Parse("# Intro, *all*!\n\nText\nmore\n\n## Set up ##\n\nSetext\n===\n\nx\n")),
              ElementsAre("heading h:intro-all = Intro, *all*!",
                          "paragraph block:2 < h:intro-all = Text\nmore",
                          "heading h:intro-all/set-up < h:intro-all = Set up",
                          "heading h:setext = Setext", "paragraph block:5 < h:setext = x"));
  const View twice = Parse("# A\n# A\n");
  EXPECT_TRUE(twice.Find("h:a#2").ok());
  EXPECT_EQ(Parse("a\n\nTwo\nlines\n---\n").Find("h:two-lines")->span, (ByteSpan{3, 16}));
}

TEST(MarkdownFormatTest, ListsQuotesAndCode) {
  EXPECT_THAT(
      Outline(Parse("- [x] done\n- b\n  c\n\n  ```py x\n  code()\n  ```\n  1. d\n\n"
                    "> quoted\n> more\n\n---\n\n<div>\nhi\n</div>\n")),
      ElementsAre("list_item block:1 = done", "list_item block:2 = b\nc",
                  "code_block block:3 < block:2 = code()", "list_item block:4 < block:2 = d",
                  "quote block:5 = ", "paragraph block:6 < block:5 = quoted\nmore",
                  "thematic_break block:7 = ---", "html_block block:8 = <div>\nhi\n</div>"));
  const View view = Parse("- [x] done\n- [ ] open\n\n```py x\n```\n");
  EXPECT_EQ(*view.Find("block:1")->attrs.Find("checked"), Value(true));
  EXPECT_EQ(*view.Find("block:2")->attrs.Find("checked"), Value(false));
  EXPECT_EQ(view.Find("block:3")->attrs.FindString("language"), "py");
}

TEST(MarkdownFormatTest, TablesByCell) {
  const std::string bytes = "\xEF\xBB\xBF| a | b |\r\n|---|:-:|\r\n| 1 | x \\| y |\r\n";
  const View view = Parse(bytes);
  EXPECT_EQ(view.Find("t:1/r:1/c:2")->text, "b");
  const Record cell = *view.Find("t:1/r:2/c:2");
  EXPECT_EQ(cell.text, "x \\| y");
  EXPECT_EQ(cell.parent, "t:1/r:2");
  EXPECT_EQ(bytes.substr(cell.span->begin, cell.span->end - cell.span->begin), "x \\| y");
  EXPECT_EQ(Edited(bytes, {MakeEdit("replace", "t:1/r:2/c:1", {{"text", "p|q"}, {"expect", "1"}})}),
            "\xEF\xBB\xBF| a | b |\r\n|---|:-:|\r\n| p\\|q | x \\| y |\r\n");
}

TEST(MarkdownFormatTest, FrontMatterFootnotesAndReferences) {
  EXPECT_THAT(Outline(Parse("---\ntitle: x\n---\n# A\n\nsee[^n] [l]\n\n[^n]: Note.\n\n"
                            "[l]: https://example.org\n\n[^unused]: Never.\n\nlast\n")),
              ElementsAre("front_matter block:1 = title: x", "heading h:a = A",
                          "paragraph block:3 < h:a = see[^n] [l]",
                          "footnote block:4 < h:a = ", "paragraph block:5 < block:4 = Note.",
                          "definition block:6 < h:a = [l]: https://example.org",
                          "definition block:7 < h:a = [^unused]: Never.",
                          "paragraph block:8 < h:a = last"));
  EXPECT_THAT(Outline(Parse("---\na: 1\n---")), ElementsAre("front_matter block:1 = a: 1"));
  const std::string bytes = "see[^n-1]\n\n> [^n-1]: Note.\n";
  const View quoted = Parse(bytes);
  size_t footnotes = 0;
  quoted.ForEach([&](const Record& record) {
    if (record.kind != "footnote") return true;
    ++footnotes;
    EXPECT_EQ(record.attrs.FindString("label"), "n-1");
    EXPECT_EQ(record.span->begin, bytes.find("[^n-1]:"));
    return true;
  });
  EXPECT_EQ(footnotes, 1u);
}

TEST(MarkdownEditTest, EditsBlocks) {
  const std::string bytes = "# A\r\n\r\nfirst\r\n\r\nsecond";
  EXPECT_EQ(Edited(bytes, {MakeEdit("replace", "block:2", {{"text", "one\ntwo\n"}})}),
            "# A\r\n\r\none\r\ntwo\r\n\r\nsecond");
  EXPECT_EQ(Edited(bytes, {MakeEdit("delete", "block:2")}), "# A\r\n\r\nsecond");
  EXPECT_EQ(Edited(bytes, {MakeEdit("replace", "h:a", {{"text", "# B"}}),
                           MakeEdit("insert_after", "block:3", {{"text", "third"}}),
                           MakeEdit("insert_before", "block:3", {{"text", "half"}})}),
            "# B\r\n\r\nfirst\r\n\r\nhalf\r\n\r\nsecond\r\n\r\nthird");
  EXPECT_EQ(Edited("- a\n- b\n", {MakeEdit("insert_after", "block:1", {{"text", "- c"}})}),
            "- a\n- c\n- b\n");
  EXPECT_EQ(Edited(bytes, {MakeEdit("replace", "line:3", {{"text", "x"}})}),
            "# A\r\n\r\nx\r\n\r\nsecond");
  EXPECT_EQ(Edited(bytes, {MakeEdit("replace_text", "block:2",
                                    {{"find", "first"}, {"replace", "a < b & c"}})}),
            "# A\r\n\r\na < b & c\r\n\r\nsecond");
}

TEST(MarkdownEditTest, Refusals) {
  EXPECT_THAT(Edited("a\n", {MakeEdit("replace", "block:9", {{"text", "x"}})}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("a\n", {MakeEdit("replace", "block:1", {{"text", "x"}, {"expect", "b"}})}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("|a|\n|-|\n|b|\n", {MakeEdit("replace", "t:1/r:2/c:1", {{"text", "x\ny"}})}),
              StartsWith("ERROR invalid_argument"));
}

// Nothing is invisible: every line that is not blank lies in a record's span, locators are unique.
TEST(MarkdownCorpusTest, RecordsCoverTheInput) {
  size_t files = 0;
  for (const std::string& file : testing::CorpusFiles("md")) {
    const std::string bytes = ReadFile(file);
    const View view = Parse(bytes, file);
    if (view.format != "markdown") continue;
    std::vector<bool> covered(bytes.size());
    std::set<std::string> seen;
    view.ForEach([&](const Record& record) {
      EXPECT_TRUE(seen.insert(record.locator).second) << file << " " << record.locator;
      if (record.span) {
        for (uint64_t i = record.span->begin; i < record.span->end; ++i) covered[i] = true;
      }
      return true;
    });
    size_t invisible = 0;
    for (size_t i = view.segments[0]->At(0).attrs.Find("byte_order_mark")->as_bool() ? 3 : 0;
         i < bytes.size(); ++i) {
      if (covered[i] || std::isalnum(static_cast<unsigned char>(bytes[i])) == 0) continue;
      if (++invisible == 1) {
        ADD_FAILURE() << file << " at " << i << ": " << bytes.substr(i < 40 ? 0 : i - 40, 80);
      }
    }
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no corpus: all files skipped";
}

TEST(MarkdownFormatTest, HostileInputEnds) {
  for (const char* piece :
       {"> ", "- ", "[", "![", "**a", "`a``", "<a ", "|a", "[^a]", "1. > ", "# "}) {
    std::string bytes;
    while (bytes.size() < 50'000) bytes += piece;
    Parse(bytes);
  }
}

std::string ShortRows(int columns, int rows) {
  std::string text = "|";
  for (int i = 0; i < columns; ++i) text += "a|";
  text += "\n|";
  for (int i = 0; i < columns; ++i) text += "-|";
  text += "\n";
  for (int i = 0; i < rows; ++i) text += "|x\n";
  return text;
}

TEST(MarkdownFormatTest, ShortRowsHaveOnlyTheirOwnCells) {
  const View view = Parse("|a|b|c|\n|-|-|-|\n|1|2\n|3||\n");
  EXPECT_TRUE(view.Find("t:1/r:2/c:2").ok());
  EXPECT_FALSE(view.Find("t:1/r:2/c:3").ok());
  EXPECT_TRUE(view.Find("t:1/r:3/c:2").ok());
  EXPECT_FALSE(view.Find("t:1/r:3/c:3").ok());
  EXPECT_LT(Parse(ShortRows(300, 200)).Records().size(), 1000u);
}

TEST(MarkdownFormatTest, TablesThatWouldBeFilledWithoutEndAreParagraphs) {
  for (const char* prefix : {"", "> ", "   "}) {
    std::string text;
    for (const char c : prefix + ShortRows(20'000, 3'000)) {
      text += c;
      if (c == '\n') text += prefix;
    }
    const View view = Parse(text);
    EXPECT_LT(view.Records().size(), 10u);
    ASSERT_EQ(view.diagnostics.size(), 1u);
    EXPECT_EQ(view.diagnostics[0].code, "limit_exceeded");
  }
  EXPECT_TRUE(Parse(ShortRows(2'000, 4)).diagnostics.empty());
}

TEST(MarkdownFormatTest, TablesThatTheParserTakesLongForAreParagraphs) {
  std::string repeated;
  for (int i = 0; i < 8'000; ++i) repeated += "a|b\n|-|-|-|\n";
  for (const std::string& text : {repeated, ShortRows(20'000, 1)}) {
    const View view = Parse(text);
    EXPECT_LT(view.Records().size(), 10u);
    ASSERT_EQ(view.diagnostics.size(), 1u);
    EXPECT_EQ(view.diagnostics[0].code, "limit_exceeded");
  }
}

TEST(MarkdownFormatTest, ALongHeadingIsNotRepeatedWholeInLocators) {
  std::string text = "# " + std::string(1'000, 'x') + "\xC3\xA9\n";
  for (int i = 0; i < 100; ++i) text += "## y\n";
  const View view = Parse(text);
  for (const Record& record : view.Records()) EXPECT_LT(record.locator.size(), 220u);
  EXPECT_TRUE(view.Find("h:" + std::string(200, 'x') + "/y#100").ok());
}

}  // namespace
}  // namespace staged
