#include "formats/html/html_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <sstream>

#include "base/utf8.h"
#include "codec/json.h"
#include "formats/builtin_formats.h"
#include "formats/html/html_document.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using ::testing::ElementsAre;
using testing::MakeEdit;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.html",
           const Limits& limits = Limits()) {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, limits);
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

// "locator|kind|text|hidden" of every record but the file's.
std::vector<std::string> Lines(std::string_view bytes) {
  std::vector<std::string> lines;
  for (const Record& record : Parse(bytes).Records()) {
    if (record.kind == "file") continue;
    lines.push_back(record.locator + "|" + record.kind + "|" + record.text +
                    (record.hidden.empty() ? "" : "|" + record.hidden));
  }
  return lines;
}

TEST(HtmlFormatTest, HeadingsParagraphsAndLists) {
  const std::string page =
      "<!DOCTYPE html>\n<html lang=en><head><title>A &amp; B</title></head>\n<body>\n"
      "<h1>Notes</h1><p>One\n  two<br>three</p>\n<h2>To&nbsp;do</h2>\n"
      "<ul><li>first<li><p>second</p><p>more</p>\n<ol><li>inner</li></ol></ul>\n"
      "<h1>Notes</h1><div>loose <b>bold</b> text<pre>\n a\n  b\n</pre>rest</div>";
  EXPECT_THAT(Lines(page),
              ElementsAre("doctype|doctype|<!DOCTYPE html>", "meta:lang|metadata|en",
                          "meta:title|metadata|A & B", "h:notes|heading|Notes",
                          "block:1|paragraph|One two\nthree", "h:notes/to-do|heading|To\u00A0do",
                          "block:2|list_item|first", "block:3|list_item|second",
                          "block:4|paragraph|more", "block:5|list_item|inner",
                          "h:notes#2|heading|Notes", "block:6|paragraph|loose bold text",
                          "block:7|preformatted| a\n  b", "block:8|paragraph|rest"));
  const View view = Parse(page);
  EXPECT_EQ(view.format, "html");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(view.Find("block:1")->parent, "h:notes");
  EXPECT_EQ(view.Find("block:4")->parent, "block:3");
  EXPECT_EQ(view.Find("block:5")->attrs, Value(Value::Object{{"ordered", true}, {"level", 2}}));
  EXPECT_EQ(view.Find("h:notes/to-do")->parent, "h:notes");
  const ByteSpan span = *view.Find("block:3")->span;
  EXPECT_EQ(page.substr(span.begin, span.end - span.begin),
            "<li><p>second</p><p>more</p>\n<ol><li>inner</li></ol>");
}

TEST(HtmlFormatTest, TablesByCell) {
  const std::string page =
      "<table class=big><caption>Prices</caption><thead><tr><th>Region<th colspan=2>Units</thead>"
      "<tr><td>West<td>1<td><table><td>inner</table></td></tr></table><p>after";
  EXPECT_THAT(
      Lines(page),
      ElementsAre("t:1|table|", "block:1|paragraph|Prices", "t:1/r:1|table_row|",
                  "t:1/r:1/c:1|table_cell|Region", "t:1/r:1/c:2|table_cell|Units",
                  "t:1/r:2|table_row|", "t:1/r:2/c:1|table_cell|West", "t:1/r:2/c:2|table_cell|1",
                  "t:1/r:2/c:3|table_cell|", "t:2|table|", "t:2/r:1|table_row|",
                  "t:2/r:1/c:1|table_cell|inner", "block:2|paragraph|after"));
  const View view = Parse(page);
  EXPECT_EQ(*view.Find("t:1/r:1/c:2")->attrs.Find("colspan"), Value("2"));
  EXPECT_EQ(*view.Find("t:1/r:1/c:2")->attrs.Find("header"), Value(true));
  EXPECT_EQ(*view.Find("t:1")->attrs.Find("attributes"), Value(Value::Object{{"class", "big"}}));
  EXPECT_EQ(view.Find("t:2")->parent, "t:1/r:2/c:3");
}

TEST(HtmlFormatTest, LinksImagesScriptsAndMetadata) {
  const std::string page =
      "<meta charset=utf-8><meta name=description content='a &lt; b'>"
      "<link rel=stylesheet href=a.css><base href='/'><script src=a.js>let a = '<p>';</script>"
      "<style>p { color: red }</style><p class=x>See <a href='?a=1&copy=2'>the <b>page</b></a> "
      "<img src=i.png alt='An image'></p><svg width=1><title>Chart</title><path d=''/></svg>"
      "<script>let a = '<p>';</script>";
  const View view = Parse(page);
  EXPECT_EQ(view.Find("meta:charset")->text, "utf-8");
  EXPECT_EQ(view.Find("meta:description")->text, "a < b");
  EXPECT_EQ(view.Find("meta:link:stylesheet")->text, "a.css");
  EXPECT_EQ(view.Find("meta:base")->text, "/");
  EXPECT_EQ(view.Find("script:1")->text, "");
  EXPECT_EQ(*view.Find("script:1")->attrs.Find("src"), Value("a.js"));
  EXPECT_EQ(*view.Find("script:1")->attrs.Find("digest"),
            Value(ContentHash::Of("let a = '<p>';").ToString()));
  EXPECT_EQ(*view.Find("script:2")->attrs.Find("digest"),
            *view.Find("script:1")->attrs.Find("digest"));
  EXPECT_EQ(*view.Find("style:1")->attrs.Find("size_bytes"), Value(16));
  EXPECT_EQ(view.Find("block:1")->text, "See the page");
  EXPECT_EQ(view.Find("link:1")->text, "the page");
  EXPECT_EQ(view.Find("link:1")->parent, "block:1");
  EXPECT_EQ(*view.Find("link:1")->attrs.Find("href"), Value("?a=1&copy=2"));
  EXPECT_EQ(view.Find("img:1")->text, "An image");
  EXPECT_EQ(*view.Find("img:2")->attrs.Find("element"), Value("svg"));
  EXPECT_EQ(view.Find("block:2")->text, "Chart");
}

TEST(HtmlFormatTest, WhatIsHiddenSaysWhy) {
  const auto hidden = [](const std::string& markup) {
    for (const Record& record : Parse(markup).Records()) {
      if (record.text == "x") return record.hidden;
    }
    return std::string("not found");
  };
  EXPECT_EQ(hidden("<p>x"), "");
  EXPECT_EQ(hidden("<p hidden>x"), "hidden attribute");
  EXPECT_EQ(hidden("<div STYLE='color:red; Display : NONE !important'><p>x"), "display:none");
  EXPECT_EQ(hidden("<p style='visibility:hidden'>x"), "visibility:hidden");
  EXPECT_EQ(hidden("<p style='font-size:0px'>x"), "font-size:0");
  EXPECT_EQ(hidden("<p style='font-size:0.5em'>x"), "");
  EXPECT_EQ(hidden("<p style='opacity:0'>x"), "opacity:0");
  EXPECT_EQ(hidden("<p aria-hidden=true>x"), "aria-hidden");
  EXPECT_EQ(hidden("<input type=hidden name=t value=x>"), "type=hidden");
  EXPECT_EQ(hidden("<noscript><p>x</noscript>"), "noscript");
  EXPECT_EQ(hidden("<template><p>x</template>"), "template");
  EXPECT_EQ(hidden("<!--x-->"), "comment");
  EXPECT_EQ(hidden("<video>x</video>"), "fallback content");
  EXPECT_EQ(hidden("<dialog>x</dialog>"), "closed dialog");
  EXPECT_THAT(
      Lines("<p>seen <span hidden>not <b>seen</b></span> again"),
      ElementsAre("block:1|paragraph|seen again", "block:2|paragraph|not seen|hidden attribute"));
}

TEST(HtmlFormatTest, FormatIsApartFromText) {
  const auto format = [](const std::string& markup) {
    return std::string(Parse(markup).Find("block:1")->attrs.FindString("format"));
  };
  EXPECT_EQ(format("<p>plain text"), "");
  EXPECT_EQ(format("<p>one <b>two</b> three"), format("<p>eleven <b>twelve</b> thirteen"));
  EXPECT_NE(format("<p>one <b>two</b> three"), format("<p>one <i>two</i> three"));
  EXPECT_NE(format("<p>one <b>two</b> three"), format("<p>one <b class=x>two</b> three"));
  EXPECT_NE(format("<p>one <b>two</b> three"), format("<p><b>one two</b> three"));
  EXPECT_NE(format("<p>on<b>e</b>"), format("<p><b>one</b>"));
}

TEST(HtmlFormatTest, FormsWithTheirFields) {
  const View view = Parse(
      "<form action=/go method=post><p>Name <input name=user value='A&quot;B'>"
      "<select name=size><option value=s>Small<option selected>Large</select>"
      "<textarea name=note>\n two\n lines</textarea><button>Send</button>"
      "<input type=radio name=r value=1><input type=radio name=r value=2 checked></form>");
  EXPECT_EQ(*view.Find("form:1")->attrs.Find("action"), Value("/go"));
  EXPECT_EQ(view.Find("block:1")->text, "Name");
  EXPECT_EQ(view.Find("field:user")->text, "A\"B");
  EXPECT_EQ(view.Find("field:size/option:1")->text, "Small");
  EXPECT_EQ(*view.Find("field:size/option:2")->attrs.Find("selected"), Value(""));
  EXPECT_EQ(view.Find("field:note")->text, " two\n lines");
  EXPECT_EQ(view.Find("field:1")->text, "Send");
  EXPECT_EQ(*view.Find("field:r#2")->attrs.Find("checked"), Value(""));
}

TEST(HtmlFormatTest, NamesThatAreNumbersAreNoOthersNumbers) {
  EXPECT_THAT(
      Lines("<input value=a><input name=1 value=b><input name=2 value=c><input value=d>"),
      ElementsAre("field:1|field|a", "field:1#2|field|b", "field:2|field|c", "field:3|field|d"));
}

TEST(HtmlFormatTest, Encodings) {
  EXPECT_EQ(Parse("<p>\xC3\xA4").Find("block:1")->text, "\u00E4");
  const View guessed = Parse("<p>\xE4 and the price of it in \x80");
  EXPECT_EQ(guessed.Find("block:1")->text, "\u00E4 and the price of it in \u20AC");
  EXPECT_EQ(*guessed.Find("file")->attrs.Find("encoding"), Value("windows-1252"));
  EXPECT_EQ(guessed.diagnostics[0].code, "encoding_guessed");
  const View named =
      Parse("<meta http-equiv=Content-Type content='text/html; charset=latin1'>\xE4");
  EXPECT_EQ(named.Find("block:1")->text, "\u00E4");
  EXPECT_TRUE(named.diagnostics.empty());
  const View unread = Parse("<meta charset=shift_jis><p>a\x83\x41");
  EXPECT_EQ(unread.diagnostics[0].code, "encoding_not_read");
  EXPECT_EQ(unread.Find("block:1")->text,
            "a\uFFFD"
            "A");
  // What names no encoding is passed over, as browsers do.
  const View unknown = Parse("<meta charset=\"utf8mb4\"><p>\xC3\xA4");
  EXPECT_EQ(unknown.Find("block:1")->text, "\u00E4");
  EXPECT_EQ(unknown.Find("meta:charset")->text, "utf8mb4");
  EXPECT_TRUE(unknown.diagnostics.empty());
  EXPECT_EQ(Parse("<meta charset=none><p>\xE4").diagnostics[0].code, "encoding_guessed");
  EXPECT_EQ(Parse("<meta charset=none><meta charset=latin1><p>\xC3\xA4").Find("block:1")->text,
            "\u00C3\u00A4");
  EXPECT_EQ(Parse("<meta charset=KOI8-R><p>\xC3\xA4").Find("block:1")->text, "\uFFFD\uFFFD");
  const View marked = Parse("\xEF\xBB\xBF<meta charset=latin1><p>\xC3\xA4");
  EXPECT_EQ(marked.Find("block:1")->text, "\u00E4");
  const View wide = Parse(std::string_view("\xFF\xFE<\0p\0>\0\xE4\0", 10));
  EXPECT_EQ(wide.Find("block:1")->text, "\u00E4");
  EXPECT_FALSE(wide.Find("block:1")->span.has_value());
}

TEST(HtmlFormatTest, CharacterReferences) {
  EXPECT_EQ(Parse("<p>&lt;&AMP&notit;&notin;&#x41;&#128;&#0;&bogus;&;&amp").Find("block:1")->text,
            "<&\u00ACit;\u2209A\u20AC\uFFFD&bogus;&;&");
  EXPECT_EQ(Parse("<p>&NotEqualTilde;").Find("block:1")->text, "\u2242\u0338");
}

TEST(HtmlFormatTest, IsKnownByNameAndContent) {
  EXPECT_EQ(Parse("plain", "a.htm").format, "html");
  EXPECT_EQ(Parse("<!-- x -->\n<!DOCTYPE HTML>\n<p>", "noname").format, "html");
  EXPECT_EQ(Parse("<?xml version=\"1.0\"?>\n<html xmlns=\"x\"></html>", "noname").format, "html");
  EXPECT_EQ(Parse("<?xml version=\"1.0\"?>\n<a/>", "noname").format, "xml");
  EXPECT_EQ(Parse("<htmlish>", "noname").format, "text");
}

// The nesting of tags that are closed out of turn, or not at all.
TEST(HtmlFormatTest, TagsOutOfTurn) {
  EXPECT_THAT(Lines("<p>a<div>b</p>c</div></i></section>d"),
              ElementsAre("block:1|paragraph|a", "block:2|paragraph|b", "block:3|paragraph|c",
                          "block:4|paragraph|d"));
  EXPECT_THAT(Lines("<b><p>a</b>b</p>c"),
              ElementsAre("block:1|paragraph|ab", "block:2|paragraph|c"));
  EXPECT_THAT(Lines("<a href=1>one<a href=2>two</a>"),
              ElementsAre("block:1|paragraph|onetwo", "link:1|link|one", "link:2|link|two"));
  EXPECT_THAT(Lines("a < b <3 </ x><!bogus><?pi?>c<p"),
              ElementsAre("block:1|paragraph|a < b <3 c", "comment:1|comment|x|comment",
                          "comment:2|comment|bogus|comment", "comment:3|comment|?pi?|comment"));
  EXPECT_EQ(Parse("a<p class='x").diagnostics[0].code, "unfinished_tag");
  EXPECT_THAT(Lines("<script><!-- <script></script> --></script>x<!--a--!>y<!-->z"),
              ElementsAre("script:1|script|", "block:1|paragraph|xyz",
                          "comment:1|comment|a|comment", "comment:2|comment||comment"));
  EXPECT_THAT(Lines("<svg><style>p{}</style><![CDATA[<b>]]><p>x"),
              ElementsAre("img:1|image|", "style:1|style|", "block:1|paragraph|<b>",
                          "block:2|paragraph|x"));
}

TEST(HtmlFormatTest, LimitsHold) {
  const auto seconds = [](const std::string& bytes, const Limits& limits) {
    const std::clock_t begin = std::clock();  // the processor's time: others may keep it busy
    EXPECT_GT(Parse(bytes, "a.html", limits).record_count(), 0u);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const auto repeated = [](std::string_view piece, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += piece;
    return out;
  };
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)  // clang builds for sanitizers only
  constexpr size_t kCount = 20'000;
#else
  constexpr size_t kCount = 100'000;
#endif
  for (const std::string_view piece :
       {"<div>",         "<b x=1>",        "<p>",       "<a href=x>",
        "<table><td>",   "<svg>",          "<li>",      "</b>",
        "<!--",          "<ul><li><p>x",   "<select>",  "<span hidden>",
        "<h1>x",         "&notit",         "<b><p>",    "<template>",
        "<form>",        "<input name=a>", "<input>",   "<input name=1>",
        "<meta name=a>", "<button>",       "<math><mi>"}) {
    EXPECT_LT(seconds(repeated(piece, kCount), Limits()), 10.0) << piece;
  }
  EXPECT_LT(seconds("<p " + repeated("a=1 ", kCount) + ">x", Limits()), 5.0);
  EXPECT_LT(seconds("<p " + repeated("a", kCount) + "=1>" + repeated("<", kCount), Limits()), 5.0);
  const std::string spaces = "<h1>" + repeated("a&nbsp;", kCount * 10);  // not one by one
  EXPECT_EQ(Parse(spaces).Records()[1].locator, "h:" + repeated("a-", 100));
  const View deep = Parse(repeated("<div class=x>", 1000) + "end");
  EXPECT_EQ(deep.diagnostics[0].code, "depth");
  EXPECT_EQ(deep.Find("block:1")->text, "end");
  Limits few;
  few.records_max = 10;
  const HtmlDocument large = ReadHtmlDocument(repeated("<hr>", kHtmlNodesMax + 10), Limits());
  EXPECT_EQ(large.nodes.size(), kHtmlNodesMax);
  ASSERT_EQ(large.issues.size(), 1u);
  EXPECT_EQ(large.issues[0].code, "limit_exceeded");
  const View cut = Parse(repeated("<p>x", 1000), "a.html", few);
  EXPECT_EQ(cut.diagnostics[0].code, "limit_exceeded");
  EXPECT_LE(cut.record_count(), 12u);
}

std::string Bare(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(" \t\r\n\f").find(c) == std::string_view::npos) out.push_back(c);
  }
  return out;
}

// The texts of a page without their white space, a line a record.
std::string ShownTexts(std::string_view bytes) {
  std::string texts;
  for (const Record& record : Parse(bytes, "a.html").Records()) {
    const bool is_text = record.kind != "link" && record.kind != "comment" &&
                         record.kind != "doctype" && record.kind != "image" &&
                         (record.kind != "metadata" || record.locator.starts_with("meta:title")) &&
                         (record.kind != "field" || record.attrs.FindString("element") != "input");
    if (is_text) texts += Bare(record.text) + "\n";
  }
  return texts;
}

// Every text that an independent reader finds is the text of a record or part of one, and records
// have no others.
TEST(HtmlOracleTest, TextsAreThoseOfHtml5lib) {
  const std::string root = testing::CorpusFolder();
  if (root.empty()) GTEST_SKIP() << "no corpus: 88 files skipped";
  std::istringstream lines(testing::RunOracle("html_texts.py", root));
  std::map<std::string, std::vector<std::string>> files;
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("file\t")) {
      file = line.substr(5);
      files[file];
    } else {
      files[file].push_back(DecodeJsonString(line));
    }
  }
  ASSERT_GE(files.size(), 80u);
  for (const auto& [path, texts] : files) {
    const std::string ours = ShownTexts(testing::ReadFile(path));
    size_t theirs_size = 0;
    for (const std::string& text : texts) {
      theirs_size += Bare(text).size();
      EXPECT_NE(ours.find(Bare(text)), std::string::npos) << path << ": " << text;
    }
    EXPECT_EQ(Bare(ours).size(), theirs_size) << path;
  }
}

// Tags closed out of turn: no character is lost, none is shown twice.
TEST(HtmlOracleTest, GeneratedPagesShowWhatHtml5libShows) {
  const std::string seed = std::to_string(GTEST_FLAG_GET(random_seed));
  std::printf("seed %s\n", seed.c_str());
  std::istringstream lines(testing::RunOracle("html_generated.py", seed));
  size_t pages = 0;
  for (std::string source, expected; std::getline(lines, source);) {
    ASSERT_TRUE(std::getline(lines, expected));
    const std::string page = DecodeJsonString(source);
    const auto sorted = [](const std::string& text) {
      std::vector<uint32_t> characters;
      const std::string bare = Bare(text);
      for (size_t at = 0; at < bare.size();) characters.push_back(NextCodePoint(bare, at));
      std::sort(characters.begin(), characters.end());
      return characters;
    };
    EXPECT_EQ(sorted(ShownTexts(page)), sorted(DecodeJsonString(expected))) << page;
    std::set<std::string> locators;
    for (const Record& record : Parse(page).Records()) {
      EXPECT_TRUE(locators.insert(record.locator).second) << record.locator << ": " << page;
      EXPECT_TRUE(record.parent.empty() || locators.count(record.parent) > 0) << page;
    }
    ++pages;
  }
  EXPECT_EQ(pages, 1500u);
}

}  // namespace
}  // namespace staged
