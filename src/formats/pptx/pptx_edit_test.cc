#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "formats/pptx/pptx_test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using testing::MakeDeck;
using testing::MakeEdit;
using testing::ParsePptx;
using testing::ReadMember;
using testing::RelationshipElement;
using testing::SlideParagraph;
using testing::SlidePart;
using testing::SlideRun;
using testing::TextShape;

// The paragraphs of shape 2 after the edits, or the error.
std::string EditParagraphs(std::string_view paragraphs, const std::vector<Edit>& edits) {
  const std::string edited =
      ApplyEdits(*NewPptxFormat(), MakeDeck({{TextShape(2, paragraphs)}}), edits);
  if (edited.starts_with("ERROR")) return edited;
  const std::string xml = ReadMember(edited, "ppt/slides/slide1.xml");
  const size_t begin = xml.find("<a:bodyPr/>") + 11;
  return xml.substr(begin, xml.find("</p:txBody>") - begin);
}

Edit Replace(std::string find, std::string replace,
             std::string locator = "slide[256]/shape[2]/p[1]") {
  return MakeEdit("replace_text", std::move(locator),
                  {{"find", std::move(find)}, {"replace", std::move(replace)}});
}

Edit Set(std::string locator, std::string text) {
  return MakeEdit("set", std::move(locator), {{"text", std::move(text)}});
}

std::string SlideOrder(const std::string& bytes) {
  std::string order;
  ParsePptx(bytes).ForEach([&](const Record& record) {
    if (record.kind == "slide") order += record.locator;
    return true;
  });
  return order;
}

TEST(PptxEdit, ReplacesAcrossRunsInTheFirstOnesFormat) {
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("one tw", "b=\"1\"") +
                                          SlideRun("o th", "i=\"1\"") + SlideRun("ree")),
                           {Replace("two three", "2 3")}),
            SlideParagraph(SlideRun("one 2 3", "b=\"1\"")));
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("ab") + SlideRun("cd", "b=\"1\"")),
                           {Replace("bc", "X")}),
            SlideParagraph(SlideRun("aX") + SlideRun("d", "b=\"1\"")));
}

TEST(PptxEdit, EscapesTextAndKeepsOtherReferences) {
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("&#65; &amp; &lt;x> &amp;")),
                           {Replace("& <x", "<b>&")}),
            SlideParagraph(SlideRun("&#65; &lt;b&gt;&amp;> &amp;")));
  EXPECT_EQ(
      EditParagraphs(SlideParagraph("<a:r><a:t><![CDATA[a<b]]></a:t></a:r>"), {Replace("<b", "&")}),
      SlideParagraph(SlideRun("a&amp;")));
}

TEST(PptxEdit, NewlinesAreBreaksAndBreaksAreNewlines) {
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("a b", "b=\"1\"")), {Replace(" ", "\n")}),
            SlideParagraph(SlideRun("a", "b=\"1\"") + "<a:br><a:rPr b=\"1\"/></a:br>" +
                           SlideRun("b", "b=\"1\"")));
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("a") + "<a:br/>" + SlideRun("b")),
                           {Replace("a\nb", "c")}),
            SlideParagraph(SlideRun("c")));
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("a") + "<a:br/>" + SlideRun("b")),
                           {Replace("\n", "-")}),
            SlideParagraph(SlideRun("a") + SlideRun("-") + SlideRun("b")));
}

TEST(PptxEdit, SetsTextsAndKeepsFormats) {
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("big ", "b=\"1\"") + SlideRun("old end")),
                           {Set("slide[256]/shape[2]/p[1]", "big new end")}),
            SlideParagraph(SlideRun("big ", "b=\"1\"") + SlideRun("new end")));
  EXPECT_EQ(EditParagraphs(SlideParagraph(SlideRun("x", "b=\"1\"")),
                           {Set("slide[256]/shape[2]/p[1]", "")}),
            SlideParagraph(SlideRun("", "b=\"1\"")));
  EXPECT_EQ(EditParagraphs("<a:p><a:endParaRPr sz=\"900\"/></a:p>",
                           {Set("slide[256]/shape[2]/p[1]", "x")}),
            "<a:p>" + SlideRun("x", "sz=\"900\"") + "<a:endParaRPr sz=\"900\"/></a:p>");
  EXPECT_EQ(EditParagraphs("<a:p/>", {Set("slide[256]/shape[2]/p[1]", "x")}),
            SlideParagraph(SlideRun("x")));
}

TEST(PptxEdit, SetsTheLinesOfAShape) {
  const std::string paragraphs = SlideParagraph(SlideRun("one")) + SlideParagraph(SlideRun("two")) +
                                 SlideParagraph(SlideRun("three"));
  EXPECT_EQ(EditParagraphs(paragraphs, {Set("slide[256]/shape[2]", "one\nthree")}),
            SlideParagraph(SlideRun("one")) + SlideParagraph(SlideRun("three")));
  EXPECT_EQ(EditParagraphs(paragraphs, {Set("slide[256]/shape[2]", "one\n2\ntwo\nthree")}),
            SlideParagraph(SlideRun("one")) + SlideParagraph(SlideRun("2")) +
                SlideParagraph(SlideRun("two")) + SlideParagraph(SlideRun("three")));
}

TEST(PptxEdit, InsertsAndDeletesParagraphs) {
  const std::string first = "<a:p><a:pPr lvl=\"1\"/>" + SlideRun("one", "b=\"1\"") + "</a:p>";
  const std::string second = SlideParagraph(SlideRun("two"));
  EXPECT_EQ(EditParagraphs(first + second, {MakeEdit("insert_after", "slide[256]/shape[2]/p[1]",
                                                     {{"text", "new"}})}),
            first + "<a:p><a:pPr lvl=\"1\"/>" + SlideRun("new", "b=\"1\"") + "</a:p>" + second);
  EXPECT_EQ(EditParagraphs(first + second,
                           {MakeEdit("append", "slide[256]/shape[2]", {{"text", "end"}})}),
            first + second + SlideParagraph(SlideRun("end")));
  EXPECT_EQ(EditParagraphs(first + second, {MakeEdit("delete", "slide[256]/shape[2]/p[1]")}),
            second);
  EXPECT_TRUE(EditParagraphs(second, {MakeEdit("delete", "slide[256]/shape[2]/p[1]")})
                  .starts_with("ERROR unsupported_edit"));
}

TEST(PptxEdit, RefusesWhatItCannotDo) {
  const std::string shapes = TextShape(2, SlideParagraph(SlideRun("a")));
  const std::string twice = MakeDeck({{shapes + shapes}});
  EXPECT_EQ(ParsePptx(twice).Find("slide[256]/shape[2]#2/p[1]")->text, "a");
  for (const char* locator : {"slide[256]/shape[2]/p[1]", "slide[256]/shape[2]#2/p[1]"}) {
    EXPECT_TRUE(
        ApplyEdits(*NewPptxFormat(), twice, {Set(locator, "b")}).starts_with("ERROR ambiguous"));
  }
  const std::string deck = MakeDeck({{shapes}});
  EXPECT_TRUE(ApplyEdits(*NewPptxFormat(), deck, {Set("slide[256]/shape[9]/p[1]", "b")})
                  .starts_with("ERROR no_match"));
  EXPECT_TRUE(ApplyEdits(*NewPptxFormat(), deck,
                         {MakeEdit("set", "slide[256]/shape[2]/p[1]",
                                   {{"text", "b"}, {"expect", "other"}})})
                  .starts_with("ERROR no_match"));
  EXPECT_TRUE(ApplyEdits(*NewPptxFormat(), deck, {Set("slide[256]/notes", "b")})
                  .starts_with("ERROR unsupported_edit"));
  EXPECT_TRUE(EditParagraphs("<a:p><a:fld id=\"1\"><a:t>7</a:t></a:fld></a:p>", {Replace("7", "8")})
                  .starts_with("ERROR unsupported_edit"));
  EXPECT_TRUE(EditParagraphs(SlideParagraph(SlideRun("aa")), {Replace("a", "b")})
                  .starts_with("ERROR ambiguous"));
}

TEST(PptxEdit, WritesCellsAndNotes) {
  const std::string cell =
      "<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>old</a:t></a:r></a:p></a:txBody></a:tc>";
  const std::string table =
      "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"4\" name=\"T\"/></p:nvGraphicFramePr>"
      "<a:graphic><a:graphicData uri=\"t\"><a:tbl><a:tr h=\"9\">" +
      cell + cell + "</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
  const std::string notes =
      SlidePart("p:notes", testing::ShapeTree(TextShape(3, SlideParagraph(SlideRun("Say this")), "",
                                                        "<p:ph type=\"body\" idx=\"1\"/>")));
  const std::string deck =
      MakeDeck({{table, "", "", RelationshipElement("rIdN", "notesSlide", "../notes/n.xml")}},
               {{"ppt/notes/n.xml", notes}});
  const std::string edited = ApplyEdits(
      *NewPptxFormat(), deck,
      {Set("slide[256]/shape[4]/t/r:1/c:2", "new"), Set("slide[256]/notes", "Say that")});
  const View view = ParsePptx(edited);
  EXPECT_EQ(view.Find("slide[256]/shape[4]/t/r:1/c:1/p[1]")->text, "old");
  EXPECT_EQ(view.Find("slide[256]/shape[4]/t/r:1/c:2/p[1]")->text, "new");
  EXPECT_EQ(view.Find("slide[256]/notes/p[1]")->text, "Say that");
}

TEST(PptxEdit, SetsGeometryAltTextAndHiding) {
  const std::string deck = MakeDeck(
      {{TextShape(2, SlideParagraph(""), "", "<p:ph type=\"title\"/>") +
        TextShape(3, SlideParagraph(""),
                  "<a:xfrm><a:off x=\"1\" y=\"2\"/><a:ext cx=\"3\" cy=\"4\"/></a:xfrm>")}});
  const std::string edited = ApplyEdits(
      *NewPptxFormat(), deck,
      {MakeEdit("set_geometry", "slide[256]/shape[2]", {{"x", 7}}),
       MakeEdit("set_geometry", "slide[256]/shape[3]", {{"width", 9}, {"rotation", 60000}}),
       MakeEdit("set_alt_text", "slide[256]/shape[3]", {{"text", "a \"b\""}}),
       MakeEdit("set_hidden", "slide[256]", {{"value", true}})});
  const View view = ParsePptx(edited);
  EXPECT_EQ(*view.Find("slide[256]/shape[2]")->attrs.Find("geometry"),
            Value(Value::Object{{"x", 7}, {"y", 200}, {"width", 5}, {"height", 6}}));
  EXPECT_EQ(view.Find("slide[256]/shape[2]")->attrs.FindString("geometry_from"), "own");
  EXPECT_EQ(
      *view.Find("slide[256]/shape[3]")->attrs.Find("geometry"),
      Value(Value::Object{{"x", 1}, {"y", 2}, {"width", 9}, {"height", 4}, {"rotation", 60000}}));
  EXPECT_EQ(view.Find("slide[256]/shape[3]")->attrs.FindString("alt_text"), "a \"b\"");
  EXPECT_EQ(view.Find("slide[256]")->hidden, "hidden slide");
}

TEST(PptxEdit, MovesAndDeletesSlides) {
  const std::string text = TextShape(2, SlideParagraph(SlideRun("x")));
  const std::string notes = SlidePart("p:notes", testing::ShapeTree(""));
  const std::string deck = MakeDeck(
      {{text}, {text, "", "", RelationshipElement("rIdN", "notesSlide", "../notes/n.xml")}, {text}},
      {{"ppt/notes/n.xml", notes},
       {"ppt/notes/_rels/n.xml.rels",
        testing::RelationshipsPart(RelationshipElement("rId1", "slide", "../slides/slide2.xml"))}});
  const auto edit = [&](const std::vector<Edit>& edits) {
    const std::string edited = ApplyEdits(*NewPptxFormat(), deck, edits);
    return edited.starts_with("ERROR") ? edited : SlideOrder(edited);
  };
  EXPECT_EQ(edit({MakeEdit("move", "slide[258]", {{"before", "slide[256]"}})}),
            "slide[258]slide[256]slide[257]");
  EXPECT_EQ(edit({MakeEdit("move", "slide[256]", {{"after", "slide[257]"}})}),
            "slide[257]slide[256]slide[258]");
  EXPECT_EQ(edit({MakeEdit("move", "slide[256]", {{"to", 3}})}), "slide[257]slide[258]slide[256]");
  EXPECT_EQ(edit({MakeEdit("delete", "slide[257]")}), "slide[256]slide[258]");
  const std::string edited = ApplyEdits(*NewPptxFormat(), deck, {MakeEdit("delete", "slide[257]")});
  for (const char* gone : {"ppt/slides/slide2.xml", "ppt/slides/_rels/slide2.xml.rels",
                           "ppt/notes/n.xml", "ppt/notes/_rels/n.xml.rels"}) {
    EXPECT_EQ(ReadMember(edited, gone), "ERROR absent");
  }
  EXPECT_EQ(ReadMember(edited, "[Content_Types].xml").find("slide2"), std::string::npos);
  EXPECT_EQ(ReadMember(edited, "ppt/_rels/presentation.xml.rels").find("slide2"),
            std::string::npos);
  EXPECT_EQ(ReadMember(edited, "ppt/slideLayouts/layout.xml"),
            ReadMember(deck, "ppt/slideLayouts/layout.xml"));
}

TEST(PptxEdit, KeepsSlidesThatOthersLinkTo) {
  const std::string text = TextShape(2, SlideParagraph(SlideRun("x")));
  const std::string deck =
      MakeDeck({{text, "", "", RelationshipElement("rIdJ", "slide", "slide2.xml")}, {text}});
  EXPECT_TRUE(ApplyEdits(*NewPptxFormat(), deck, {MakeEdit("delete", "slide[257]")})
                  .starts_with("ERROR unsupported_edit"));
}

// An edited paragraph of a real file reads as asked, and no other record or part changes.
TEST(PptxCorpus, AnEditChangesOneParagraphOnly) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  constexpr uint32_t kSeed = 20240917;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  size_t edits = 0;
  const auto format = NewPptxFormat();
  for (const std::string& path : testing::CorpusFiles("pptx")) {
    const std::string bytes = testing::ReadFile(path);
    const View before = ParsePptx(bytes);
    std::vector<Record> paragraphs;
    before.ForEach([&](const Record& record) {
      if (record.kind == "paragraph" && record.locator.starts_with("slide[")) {
        paragraphs.push_back(record);
      }
      return true;
    });
    for (int round = 0; round < 3 && !paragraphs.empty(); ++round) {
      const Record& chosen = paragraphs[random() % paragraphs.size()];
      const std::string text = "new & <text> " + chosen.text.substr(0, chosen.text.find(' '));
      const std::string edited = ApplyEdits(*format, bytes, {Set(chosen.locator, text)});
      if (edited.starts_with("ERROR")) continue;
      const View after = ParsePptx(edited);
      ASSERT_EQ(after.record_count(), before.record_count()) << path << " " << chosen.locator;
      std::vector<Record> old_records = before.Records();
      std::vector<Record> new_records = after.Records();
      for (size_t i = 0; i < old_records.size(); ++i) {
        if (old_records[i].locator == chosen.locator) {
          EXPECT_EQ(new_records[i].text, text) << path << " " << chosen.locator;
        } else if (old_records[i].kind != "slide") {  // a slide's text is its title
          EXPECT_EQ(new_records[i].text, old_records[i].text) << path;
          EXPECT_EQ(new_records[i].attrs, old_records[i].attrs) << path << old_records[i].locator;
        }
      }
      size_t changed = 0;
      for (size_t i = 0; i < before.parts.size(); ++i) {
        changed += before.parts[i] == after.parts[i] ? 0 : 1;
      }
      EXPECT_EQ(changed, 1u) << path;
      ++edits;
    }
  }
  EXPECT_GT(edits, 50u);
  std::printf("made %zu edits\n", edits);
}

}  // namespace
}  // namespace staged
