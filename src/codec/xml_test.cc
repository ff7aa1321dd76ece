#include "codec/xml.h"

#include <gtest/gtest.h>

#include <string>

namespace staged {
namespace {

// One line a token: type letter, name or raw text, [begin,end).
std::string Trace(std::string_view input, const Limits& limits = {}) {
  XmlTokenizer tokenizer(input, limits);
  std::string out;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    constexpr std::string_view kLetters = "?SETDC!Y";
    out += kLetters[static_cast<size_t>(token.type)];
    out += token.type == XmlTokenType::kStart || token.type == XmlTokenType::kEnd
               ? std::string(token.name)
               : std::string(token.raw);
    for (const XmlAttribute& attribute : tokenizer.attributes()) {
      out += " " + std::string(attribute.name) + "=" + std::string(attribute.value);
    }
    out += "[" + std::to_string(token.begin) + "," + std::to_string(token.end) + ")\n";
  }
  if (!tokenizer.status().ok()) out += "error: " + tokenizer.status().message() + "\n";
  return out;
}

bool IsWellFormed(std::string_view input) {
  XmlTokenizer tokenizer(input, Limits{});
  while (tokenizer.Read()) {
  }
  return tokenizer.status().ok();
}

TEST(XmlTokenizer, GivesExactOffsets) {
  EXPECT_EQ(Trace("<?xml version='1.0'?>\n<a x=\"1\" y = '&lt;'><b/>t&amp;u<![CDATA[<]]></a >\n"),
            "! version='1.0'[0,21)\n"
            "Sa x=1 y=&lt;[22,42)\n"
            "Sb[42,46)\n"
            "Eb[46,46)\n"
            "Tt&amp;u[46,53)\n"
            "D<[53,66)\n"
            "Ea[66,71)\n");
}

TEST(XmlTokenizer, SkipsTheDocumentTypeWithoutExpansion) {
  const std::string bomb =
      "<!DOCTYPE r [<!ENTITY a \"]>x\"><!-- ]> ' --><!ENTITY b '&a;&a;&a;'><?p ]>?>]>"
      "<r>&b;</r>";
  EXPECT_EQ(Trace(bomb).substr(0, 2), "Y ");
  EXPECT_NE(Trace(bomb).find("T&b;["), std::string::npos);
  EXPECT_EQ(XmlDecode("&b;"), "&b;");
}

TEST(XmlTokenizer, AByteOrderMarkIsNoText) {
  EXPECT_EQ(Trace("\xEF\xBB\xBF<a/>"), "Sa[3,7)\nEa[7,7)\n");
}

TEST(XmlTokenizer, RefusesWhatIsNotWellFormed) {
  for (const std::string_view input : {"",
                                       " ",
                                       "x",
                                       "<a>",
                                       "<a></b>",
                                       "</a>",
                                       "<a/><b/>",
                                       "<a/>x",
                                       "x<a/>",
                                       "<a b></a>",
                                       "<a b=c/>",
                                       "<a b='1' b='2'/>",
                                       "<a b='1'c='2'/>",
                                       "<a b='<'/>",
                                       "<a>&</a>",
                                       "<a>& </a>",
                                       "<a>&#0;</a>",
                                       "<a>&#xD800;</a>",
                                       "<a>&#;</a>",
                                       "<a>&#xG;</a>",
                                       "<a>]]></a>",
                                       "<a><!-- -- --></a>",
                                       "<a><!-- </a>",
                                       "<a><![CDATA[</a>",
                                       "<a><?x</a>",
                                       "<a>\x01</a>",
                                       "<a>\xFF</a>",
                                       "<a>\xC0\x80</a>",
                                       "<a>\xED\xA0\x80</a>",
                                       "<a>\xEF\xBF\xBF</a>",
                                       "<1/>",
                                       "< a/>",
                                       "<a",
                                       "<a b='",
                                       "<",
                                       "<a><",
                                       "<a/><!DOCTYPE a>",
                                       "<!DOCTYPE a><!DOCTYPE a><a/>",
                                       "<!DOCTYPE a [",
                                       "<!DOCTYPE a [<!ENTITY b 'c>]><a/>",
                                       " <?xml version='1.0'?><a/>",
                                       "<a><?xml version='1.0'?></a>",
                                       "<a/ >",
                                       "<a></a",
                                       "<![CDATA[x]]><a/>",
                                       "<a b='\x02'/>",
                                       "<ab></a>",
                                       "<a></ab>"}) {
    EXPECT_FALSE(IsWellFormed(input)) << input;
  }
}

TEST(XmlTokenizer, AcceptsWhatIsWellFormed) {
  for (const std::string_view input :
       {"<a/>", "<a />", "<a\n b='1'\tc=\"2\"/>", "<a b='\"' c=\"'\"/>", "<a>]] ></a>", "<a>></a>",
        "<a>&unknown;</a>", "<!-- c --><?p i?><a/><!-- d -->", "<\xC3\xA9/>", "<a>\xEF\xBF\xBD</a>",
        "<!DOCTYPE a SYSTEM 'x>y'><a/>", "<a:b xmlns:a='u'></a:b >", "<a b='>'/>", "<a>\x7F</a>"}) {
    EXPECT_TRUE(IsWellFormed(input)) << Trace(input);
  }
}

TEST(XmlTokenizer, FindsTwinAmongManyAttributes) {
  std::string tag = "<a";
  for (int i = 0; i < 1000; ++i) tag += " a" + std::to_string(i) + "='v'";
  EXPECT_TRUE(IsWellFormed(tag + "/>"));
  EXPECT_FALSE(IsWellFormed(tag + " a500=''/>"));
}

TEST(XmlTokenizer, StopsAtTheDepthLimit) {
  Limits limits;
  limits.depth_max = 3;
  XmlTokenizer fits("<a><b><c/></b></a>", limits);
  while (fits.Read()) {
  }
  EXPECT_TRUE(fits.status().ok());
  XmlTokenizer deep("<a><b><c><d/></c></b></a>", limits);
  while (deep.Read()) {
  }
  EXPECT_EQ(deep.status().code(), ErrorCode::kLimitExceeded);
}

TEST(XmlTokenizer, KeepsItsErrorWithTheOffset) {
  XmlTokenizer tokenizer("<a><b></a>", Limits{});
  EXPECT_TRUE(tokenizer.Next().ok());
  EXPECT_TRUE(tokenizer.Next().ok());
  for (int i = 0; i < 2; ++i) {
    const Result<XmlToken> failed = tokenizer.Next();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.status().code(), ErrorCode::kParseFailed);
    EXPECT_EQ(failed.status().details().Find("offset")->as_integer(), 6);
  }
}

TEST(XmlTokenizer, GivesTokensBeforeAnIllegalCharacter) {
  XmlTokenizer tokenizer("<a>good<b/>\x01</a>", Limits{});
  int tokens = 0;
  while (tokenizer.Read()) ++tokens;
  EXPECT_EQ(tokens, 4);
  EXPECT_EQ(tokenizer.status().details().Find("offset")->as_integer(), 11);
}

TEST(XmlTokenizer, SkipsAnElement) {
  XmlTokenizer tokenizer("<a><b x='1'><b/>t</b><c/></a>", Limits{});
  ASSERT_TRUE(tokenizer.Next().ok());
  ASSERT_TRUE(tokenizer.Next().ok());
  const Result<size_t> end = tokenizer.SkipElement();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(*end, 21u);
  ASSERT_TRUE(tokenizer.Read());
  EXPECT_EQ(tokenizer.token().name, "c");
  EXPECT_EQ(*tokenizer.SkipElement(), 25u);
  EXPECT_EQ(tokenizer.depth(), 1u);
}

TEST(XmlDecode, DecodesReferencesAndLineEnds) {
  EXPECT_EQ(XmlDecode("&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;"), "<>&\"'A\xF0\x9F\x98\x80");
  EXPECT_EQ(XmlDecode("a\r\nb\rc\nd&#13;"), "a\nb\nc\nd\r");
  EXPECT_EQ(XmlDecode("&nbsp;&#0;&;&"), "&nbsp;&#0;&;&");
  EXPECT_EQ(XmlDecode("&amp;lt;"), "&lt;");
  EXPECT_EQ(XmlDecodeAttribute("a\r\nb\tc\nd&#10;"), "a b c d\n");
}

TEST(XmlEscape, RoundTrips) {
  const std::string text = "a<b>&\"'\r\n\t c";
  EXPECT_EQ(XmlEscapeText(text), "a&lt;b&gt;&amp;\"'&#13;\n\t c");
  EXPECT_EQ(XmlDecode(XmlEscapeText(text)), text);
  EXPECT_EQ(XmlDecodeAttribute(XmlEscapeAttribute(text)), text);
}

TEST(XmlCanHold, RefusesControlCharacters) {
  EXPECT_TRUE(XmlCanHold("a\t\n\r\xC3\xA9"));
  EXPECT_FALSE(XmlCanHold(std::string_view("\0", 1)));
  EXPECT_FALSE(XmlCanHold("\x0B"));
  EXPECT_FALSE(XmlCanHold("\xFF"));
}

std::string ToUtf16(std::u16string_view text, bool is_little) {
  std::string out;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF);
    const char high = static_cast<char>(unit >> 8);
    out.push_back(is_little ? low : high);
    out.push_back(is_little ? high : low);
  }
  return out;
}

TEST(XmlToUtf8, ReadsEveryEncoding) {
  const std::u16string_view text = u"<a>\u00E9\U0001F600</a>";
  const std::string expected = "<a>\xC3\xA9\xF0\x9F\x98\x80</a>";
  EXPECT_EQ(*XmlToUtf8(ToUtf16(text, true)), expected);
  EXPECT_EQ(*XmlToUtf8(ToUtf16(text, false)), expected);
  EXPECT_EQ(*XmlToUtf8("\xFF\xFE" + ToUtf16(text, true)), expected);
  EXPECT_EQ(*XmlToUtf8("\xFE\xFF" + ToUtf16(text, false)), expected);
  EXPECT_EQ(*XmlToUtf8("\xEF\xBB\xBF" + expected), "\xEF\xBB\xBF" + expected);
  EXPECT_EQ(*XmlToUtf8("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>"),
            "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xC3\xA9</a>");
}

TEST(XmlToUtf8, RefusesWhatItCannotConvert) {
  EXPECT_EQ(XmlToUtf8("<?xml encoding='shift_jis'?><a/>").status().code(), ErrorCode::kParseFailed);
  EXPECT_FALSE(XmlToUtf8(std::string_view("\xFF\xFE<\0\0\xD8", 6)).ok());
  EXPECT_FALSE(XmlToUtf8(std::string_view("\xFF\xFE<", 3)).ok());
}

}  // namespace
}  // namespace staged
