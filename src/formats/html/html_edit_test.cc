#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/html/html_format.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using ::testing::HasSubstr;
using testing::MakeEdit;
using ::testing::StartsWith;

std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewHtmlFormat(), bytes, edits);
}
Edit Set(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}
Edit SetAttribute(std::string locator, std::string name, Value value) {
  return MakeEdit("set_attribute", std::move(locator),
                  {{"name", std::move(name)}, {"value", std::move(value)}});
}
Edit ReplaceText(std::string locator, std::string find, std::string replace) {
  return MakeEdit("replace_text", std::move(locator),
                  {{"find", std::move(find)}, {"replace", std::move(replace)}});
}

TEST(HtmlEditTest, SetWritesTextAndKeepsTheRest) {
  EXPECT_EQ(Edited("<P Class=x >\n  One &amp;\n  two </P>\n<p>b", {Set("block:1", "a < b & c")}),
            "<P Class=x >\n  a &lt; b &amp; c </P>\n<p>b");
  EXPECT_EQ(Edited("<ul><li><p>one</p><li>two</ul>", {Set("block:1", "1"), Set("block:2", "2")}),
            "<ul><li><p>1</p><li>2</ul>");
  EXPECT_EQ(Edited("<table><tr><td><b>1</b><td></td></table>",
                   {Set("t:1/r:1/c:1", "2"), Set("t:1/r:1/c:2", "3")}),
            "<table><tr><td><b>2</b><td>3</td></table>");
  EXPECT_EQ(Edited("<h1>Old</h1><p>x", {Set("h:old", "New\nname")}), "<h1>New<br>name</h1><p>x");
  EXPECT_EQ(Edited("<pre>\r\na\r\n b\r\n</pre>", {Set("block:1", "c\n  d")}),
            "<pre>\r\nc\r\n  d\r\n</pre>");
  EXPECT_EQ(Edited("<title>a</title>x", {Set("meta:title", "1 < 2")}), "<title>1 &lt; 2</title>x");
  EXPECT_EQ(Edited("<p>x<!-- old -->", {Set("comment:1", " new ")}), "<p>x<!-- new -->");
  EXPECT_EQ(Edited("<p>see <a href=x>this</a> page", {Set("link:1", "that")}),
            "<p>see <a href=x>that</a> page");
}

TEST(HtmlEditTest, WhatWouldBeLostIsRefused) {
  EXPECT_THAT(Edited("<p>one <b>two</b></p>", {Set("block:1", "x")}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited("<p>one <!-- note -->two</p>", {Set("block:1", "x")}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited("<p>one <button>go</button> two</p>", {Set("block:1", "x")}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited("<script>a</script>", {Set("script:1", "x")}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited("<!--a-->", {Set("comment:1", "a --> b")}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("<p>x", {Set("block:9", "x")}), StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("<p>x", {MakeEdit("set", "block:1", {{"value", "y"}, {"expect", "z"}})}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("<p>x", {Set("block:1", "y"), Set("block:1", "z")}), StartsWith("ERROR"));
  // Beside an edit of lines the result could not be compared with what was asked for.
  const Edit line = MakeEdit("replace", "line:1", {{"text", "<p>z"}});
  EXPECT_THAT(Edited("<p>x\n<p>y", {line, Set("block:2", "z")}),
              HasSubstr("do not go together in one request"));
  EXPECT_THAT(Edited("<p>x\n<p>y", {Set("block:2", "z"), line}),
              HasSubstr("do not go together in one request"));
  // An empty text would take the paragraph's record away.
  EXPECT_THAT(Edited("<p>x</p>", {Set("block:1", "")}), StartsWith("ERROR unsupported_edit"));
}

TEST(HtmlEditTest, ReplaceTextGoesThroughInlineElements) {
  EXPECT_EQ(Edited("<p>The <b>old</b> &amp;\n <i>good</i> way",
                   {ReplaceText("block:1", "old & good", "new <")}),
            "<p>The <b>new &lt;</b><i></i> way");
  EXPECT_EQ(
      Edited("<p>a a <b>a</b>", {MakeEdit("replace_text", "block:1",
                                          {{"find", "a"}, {"replace", "b"}, {"occurrence", 2}})}),
      "<p>a b <b>a</b>");
  EXPECT_EQ(Edited("<p>a&nbsp;a", {MakeEdit("replace_text", "block:1",
                                            {{"find", "a"}, {"replace", "&"}, {"all", true}})}),
            "<p>&amp;&nbsp;&amp;");
  EXPECT_EQ(Edited("<p>one <b>two</b> three",
                   {ReplaceText("block:1", "three", "3"), ReplaceText("block:1", "one", "1")}),
            "<p>1 <b>two</b> 3");
  EXPECT_EQ(Edited("<pre>a\nb\nc</pre>", {ReplaceText("block:1", "a\r\nb", "d")}),
            "<pre>d\nc</pre>");
  EXPECT_THAT(Edited("<p>a a", {ReplaceText("block:1", "a\r\na", "b")}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("<p>a a", {ReplaceText("block:1", "a", "b")}), StartsWith("ERROR ambiguous"));
  EXPECT_THAT(Edited("<p>a<br>b", {ReplaceText("block:1", "a\nb", "c")}),
              StartsWith("ERROR unsupported_edit"));
}

TEST(HtmlEditTest, AttributesAreSetAddedAndRemoved) {
  EXPECT_EQ(Edited("<p>x <a class=\"y\" href='a' target=_top>l</a>",
                   {SetAttribute("link:1", "href", "?q='1'&r=<2>\"")}),
            "<p>x <a class=\"y\" href='?q=&#39;1&#39;&amp;r=&lt;2&gt;\"' target=_top>l</a>");
  EXPECT_EQ(Edited("<p>x <a href=a/b>l</a>", {SetAttribute("link:1", "href", "c d")}),
            "<p>x <a href=\"c d\">l</a>");
  EXPECT_EQ(Edited("<p>x", {SetAttribute("block:1", "id", "one")}), "<p id=\"one\">x");
  EXPECT_EQ(Edited("<img src=a/>", {SetAttribute("img:1", "alt", "A")}), "<img src=a/ alt=\"A\">");
  EXPECT_EQ(Edited("<p class=a  id=b>x", {SetAttribute("block:1", "class", nullptr)}),
            "<p  id=b>x");
  EXPECT_EQ(Edited("<input name=a checked>", {SetAttribute("field:a", "checked", "1")}),
            "<input name=a checked=\"1\">");
  EXPECT_EQ(Edited("<input name=a value=1>", {Set("field:a", "2 & 3")}),
            "<input name=a value=\"2 &amp; 3\">");
  EXPECT_EQ(Edited("<html lang=en><meta name=author content='me'>",
                   {Set("meta:lang", "de"), Set("meta:author", "you")}),
            "<html lang=\"de\"><meta name=author content='you'>");
  EXPECT_THAT(Edited("<p>x", {SetAttribute("block:1", "on click", "y")}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("<p>x", {SetAttribute("block:1", "id", nullptr)}),
              StartsWith("ERROR no_match"));
  // A hidden attribute hides more than was asked for in one place.
  EXPECT_THAT(Edited("<p>x", {SetAttribute("doctype", "id", "y")}), StartsWith("ERROR no_match"));
}

TEST(HtmlEditTest, ElementsGoWhole) {
  EXPECT_EQ(Edited("<ul>\n  <li>a</li>\n  <li>b <a href=x>c</a></li>\n</ul>\n",
                   {MakeEdit("delete", "block:2")}),
            "<ul>\n  <li>a</li>\n</ul>\n");
  EXPECT_EQ(Edited("<p>a<img src=x>b</p>", {MakeEdit("delete", "img:1")}), "<p>ab</p>");
  EXPECT_THAT(Edited("<ul><li>a<li>b</ul>", {MakeEdit("delete", "block:1")}),
              StartsWith("ERROR unsupported_edit"));
}

TEST(HtmlEditTest, LinesAndEncodings) {
  EXPECT_EQ(Edited("<p>\r\na\r\n</p>", {MakeEdit("replace", "line:2", {{"text", "<b>c</b>"}})}),
            "<p>\r\n<b>c</b>\r\n</p>");
  EXPECT_EQ(Edited("<p>\xE4 a", {Set("block:1", "\u20AC")}), "<p>&#8364;");
  EXPECT_EQ(Edited("<meta charset=latin1><p title=\xE4>b", {Set("block:1", "\u00E4")}),
            "<meta charset=latin1><p title=\xE4>&#228;");
  EXPECT_EQ(Edited("\xEF\xBB\xBF<p>a", {Set("block:1", "\u20AC")}), "\xEF\xBB\xBF<p>\u20AC");
  EXPECT_EQ(Edited(std::string_view("\xFF\xFE<\0p\0>\0a\0", 10), {Set("block:1", "b")}),
            std::string("\xFF\xFE<\0p\0>\0b\0", 10));
}

// Over real files: a text that is set is what is read again, and nothing else changes.
TEST(HtmlEditTest, RealFilesTakeEdits) {
  const std::vector<std::string> files = testing::CorpusFiles("html");
  if (files.empty()) GTEST_SKIP() << "no corpus: its html files skipped";
  const auto format = NewHtmlFormat();
  size_t made = 0;
  size_t refused = 0;
  for (const std::string& file : files) {
    const std::string bytes = testing::ReadFile(file);
    Result<ParsedContent> content = format->Parse(bytes, Limits(), {});
    ASSERT_TRUE(content.ok());
    const size_t count = content->segments[0]->record_count();
    for (size_t i = 1; i < count; i += std::max<size_t>(1, count / 12)) {
      const Record record = content->segments[0]->At(i);
      if (record.text.empty()) continue;
      Result<EditOutcome> outcome =
          format->Apply(bytes, {Set(record.locator, "new <text> & more")}, Limits());
      if (!outcome.ok()) {
        ++refused;
        continue;
      }
      ++made;
      Result<ParsedContent> after = format->Parse(outcome->bytes, Limits(), {});
      ASSERT_TRUE(after.ok());
      EXPECT_EQ(after->segments[0]->At(i).text, "new <text> & more") << file << record.locator;
      EXPECT_EQ(after->segments[0]->record_count(), count);
    }
  }
  EXPECT_GT(made, 200u);
  EXPECT_LT(refused, made);
}

}  // namespace
}  // namespace staged
