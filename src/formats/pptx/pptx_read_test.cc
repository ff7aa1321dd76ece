#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "formats/pptx/pptx_test_support.h"

namespace staged {
namespace {

using testing::MakeDeck;
using testing::ParsePptx;
using testing::RelationshipElement;
using testing::SlideParagraph;
using testing::SlidePart;
using testing::SlideRun;
using testing::TextShape;

Record Find(const View& view, std::string_view locator) {
  Result<Record> record = view.Find(locator);
  EXPECT_TRUE(record.ok()) << locator;
  return record.ok() ? *record : Record();
}

constexpr std::string_view kInside =
    "<a:xfrm><a:off x=\"10\" y=\"20\"/><a:ext cx=\"30\" cy=\"40\"/></a:xfrm>";

TEST(PptxRead, SlidesInOrderWithLayoutTitleAndHiddenOnes) {
  const View view = ParsePptx(
      MakeDeck({{TextShape(2, SlideParagraph(SlideRun("First")), "", "<p:ph type=\"title\"/>")},
                {TextShape(2, SlideParagraph(SlideRun("Second"))), " show=\"0\""}}));
  const Record first = Find(view, "slide[256]");
  EXPECT_EQ(first.text, "First");
  EXPECT_EQ(first.attrs.Find("number")->as_integer(), 1);
  EXPECT_EQ(first.hidden, "");
  EXPECT_EQ(Find(view, "slide[257]").hidden, "hidden slide");
  EXPECT_EQ(Find(view, "slide[257]/shape[2]/p[1]").hidden, "hidden slide");
  EXPECT_EQ(Find(view, "master[2147483648]/shape[2]/p[1]").text, "Master title");
  EXPECT_EQ(Find(view, "layout[2147483649]/shape[3]/p[1]").hidden, "prompt of a layout");
}

TEST(PptxRead, PlaceholdersInheritTheirGeometry) {
  const View view = ParsePptx(
      MakeDeck({{TextShape(2, SlideParagraph(""), "", "<p:ph type=\"ctrTitle\"/>") +
                 TextShape(3, SlideParagraph(""), "", "<p:ph idx=\"1\"/>") +
                 TextShape(4, SlideParagraph(""), kInside, "<p:ph idx=\"1\"/>") +
                 TextShape(5, SlideParagraph(""), "", "<p:ph type=\"body\" idx=\"7\"/>")}}));
  const auto place = [&](std::string_view locator) {
    const Record record = Find(view, locator);
    const Value* geometry = record.attrs.Find("geometry");
    if (geometry == nullptr) return std::string("none");
    return std::to_string(geometry->Find("x")->as_integer()) + " " +
           std::string(record.attrs.FindString("geometry_from"));
  };
  EXPECT_EQ(place("slide[256]/shape[2]"), "100 master");
  EXPECT_EQ(place("slide[256]/shape[3]"), "300 layout");
  EXPECT_EQ(place("slide[256]/shape[4]"), "10 own");
  EXPECT_EQ(place("slide[256]/shape[5]"), "none");
}

TEST(PptxRead, ParagraphsHaveLevelsRunsLinksAndBreaks) {
  const View view = ParsePptx(MakeDeck(
      {{TextShape(2, "<a:p><a:pPr lvl=\"2\" algn=\"ctr\"/>" + SlideRun("a&amp;", "b=\"1\"") +
                         SlideRun("b", "b=\"1\" lang=\"en-US\"") + "<a:br/>" +
                         "<a:r><a:rPr sz=\"1800\"><a:solidFill><a:srgbClr val=\"FF0000\"/>"
                         "</a:solidFill><a:hlinkClick r:id=\"rIdX\"/></a:rPr><a:t>c</a:t></a:r>"
                         "<a:fld id=\"{1}\" type=\"slidenum\"><a:t>7</a:t></a:fld></a:p>"),
        "", "",
        "<Relationship Id=\"rIdX\" Type=\"x/hyperlink\" Target=\"https://example.org/\" "
        "TargetMode=\"External\"/>"}}));
  const Record record = Find(view, "slide[256]/shape[2]/p[1]");
  EXPECT_EQ(record.text, "a&b\nc7");
  EXPECT_EQ(record.attrs.Find("level")->as_integer(), 3);
  EXPECT_EQ(record.attrs.FindString("alignment"), "ctr");
  const Value::Array& runs = record.attrs.Find("runs")->as_array();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0], Value(Value::Object{{"start", 0}, {"end", 3}, {"bold", true}}));
  EXPECT_EQ(runs[1], Value(Value::Object{
                         {"start", 4}, {"end", 5}, {"size_points", 18}, {"color", "FF0000"}}));
  EXPECT_EQ(record.attrs.Find("links")->as_array()[0].FindString("target"), "https://example.org/");
}

std::string Table() {
  return "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"4\" name=\"T\"/></p:nvGraphicFramePr>"
         "<p:xfrm><a:off x=\"1\" y=\"2\"/><a:ext cx=\"3\" cy=\"4\"/></p:xfrm><a:graphic>"
         "<a:graphicData uri=\"t\"><a:tbl><a:tblPr/><a:tblGrid/><a:tr h=\"9\">"
         "<a:tc gridSpan=\"2\"><a:txBody><a:bodyPr/><a:p><a:r><a:t>head</a:t></a:r></a:p>"
         "</a:txBody></a:tc><a:tc hMerge=\"1\"><a:txBody><a:bodyPr/><a:p/></a:txBody></a:tc>"
         "</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
}

TEST(PptxRead, TablesByCell) {
  const View view = ParsePptx(MakeDeck({{Table()}}));
  EXPECT_EQ(Find(view, "slide[256]/shape[4]").kind, "table");
  EXPECT_EQ(Find(view, "slide[256]/shape[4]/t/r:1/c:1/p[1]").text, "head");
  EXPECT_EQ(Find(view, "slide[256]/shape[4]/t/r:1/c:1").attrs.FindString("column_span"), "2");
  EXPECT_EQ(Find(view, "slide[256]/shape[4]/t/r:1/c:2").hidden, "covered by a merged cell");
}

TEST(PptxRead, GroupsKeepTheirChildrenAndFindThoseOffTheSlide) {
  const std::string group =
      "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"8\" name=\"G\"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>"
      "<a:off x=\"0\" y=\"0\"/><a:ext cx=\"9144000\" cy=\"6858000\"/><a:chOff x=\"0\" y=\"0\"/>"
      "<a:chExt cx=\"100\" cy=\"100\"/></a:xfrm></p:grpSpPr>" +
      TextShape(9, SlideParagraph(SlideRun("in")), kInside) +
      TextShape(10, SlideParagraph(SlideRun("out")),
                "<a:xfrm><a:off x=\"110\" y=\"20\"/><a:ext cx=\"3\" cy=\"4\"/></a:xfrm>") +
      "</p:grpSp>";
  const View view =
      ParsePptx(MakeDeck({{group + TextShape(11, SlideParagraph(SlideRun("left")),
                                             "<a:xfrm><a:off x=\"-900\" y=\"20\"/><a:ext cx=\"3\" "
                                             "cy=\"4\"/></a:xfrm>")}}));
  EXPECT_EQ(Find(view, "slide[256]/shape[9]").parent, "slide[256]/shape[8]");
  EXPECT_EQ(Find(view, "slide[256]/shape[9]").hidden, "");
  EXPECT_EQ(Find(view, "slide[256]/shape[10]").hidden, "off the slide");
  EXPECT_EQ(Find(view, "slide[256]/shape[11]/p[1]").hidden, "off the slide");
}

TEST(PptxRead, ChartsShowTypesTextsAndCachedValues) {
  const std::string frame =
      "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"5\" name=\"C\"/></p:nvGraphicFramePr>"
      "<a:graphic><a:graphicData uri=\"c\"><c:chart r:id=\"rIdC\"/></a:graphicData></a:graphic>"
      "</p:graphicFrame>";
  const std::string chart = SlidePart(
      "c:chartSpace",
      "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx>"
      "</c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>S!B1</c:f><c:strCache>"
      "<c:pt idx=\"0\"><c:v>East</c:v></c:pt></c:strCache></c:strRef></c:tx><c:val><c:numRef>"
      "<c:f>S!B2:B3</c:f><c:numCache><c:pt idx=\"0\"><c:v>4.5</c:v></c:pt><c:pt idx=\"1\">"
      "<c:v>x</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea>"
      "</c:chart>");
  const View view =
      ParsePptx(MakeDeck({{frame, "", "", RelationshipElement("rIdC", "chart", "../charts/c.xml")}},
                         {{"ppt/charts/c.xml", chart}}));
  EXPECT_EQ(Find(view, "slide[256]/shape[5]").kind, "chart");
  EXPECT_EQ(Find(view, "slide[256]/shape[5]/text:1").text, "Sales");
  EXPECT_EQ(Find(view, "slide[256]/shape[5]/chart").attrs.Find("types")->as_array()[0],
            Value("barChart"));
  const Record series = Find(view, "slide[256]/shape[5]/series:1");
  EXPECT_EQ(series.text, "East");
  EXPECT_EQ(*series.attrs.Find("values"), Value(Value::Array{4.5, "x"}));
  EXPECT_EQ(series.attrs.Find("references")->FindString("values"), "S!B2:B3");
}

TEST(PptxRead, DiagramsNotesAndComments) {
  const std::string frame =
      "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"6\" name=\"D\"/></p:nvGraphicFramePr>"
      "<a:graphic><a:graphicData uri=\"d\"><dgm:relIds r:dm=\"rIdD\"/></a:graphicData></a:graphic>"
      "</p:graphicFrame>";
  const std::string data = SlidePart(
      "dgm:dataModel",
      "<dgm:ptLst><dgm:pt modelId=\"{A}\"><dgm:t><a:p><a:r><a:t>Step</a:t></a:r></a:p></dgm:t>"
      "</dgm:pt><dgm:pt modelId=\"{B}\"><dgm:t><a:p/></dgm:t></dgm:pt></dgm:ptLst>");
  const std::string notes =
      SlidePart("p:notes", testing::ShapeTree(TextShape(3, SlideParagraph(SlideRun("Say this")), "",
                                                        "<p:ph type=\"body\" idx=\"1\"/>") +
                                              TextShape(4, SlideParagraph(SlideRun("9")), "",
                                                        "<p:ph type=\"sldNum\"/>")));
  const std::string comments = SlidePart(
      "p:cmLst", "<p:cm authorId=\"1\" dt=\"2024-01-02\" idx=\"3\"><p:text>why?</p:text></p:cm>");
  const View view =
      ParsePptx(MakeDeck({{frame, "", "<p:transition><p:fade/></p:transition><p:timing/>",
                           RelationshipElement("rIdD", "diagramData", "../diagrams/d.xml") +
                               RelationshipElement("rIdN", "notesSlide", "../notes/n.xml") +
                               RelationshipElement("rIdK", "comments", "../comments/k.xml")}},
                         {{"ppt/diagrams/d.xml", data},
                          {"ppt/notes/n.xml", notes},
                          {"ppt/comments/k.xml", comments}}));
  EXPECT_EQ(Find(view, "slide[256]/shape[6]/node:1/p[1]").text, "Step");
  EXPECT_FALSE(view.Find("slide[256]/shape[6]/node:2").ok());
  EXPECT_EQ(Find(view, "slide[256]/notes/p[1]").text, "Say this");
  EXPECT_EQ(Find(view, "slide[256]/notes/p[1]").hidden, "speaker notes");
  EXPECT_EQ(Find(view, "slide[256]/notes/shape[4]/p[1]").text, "9");
  EXPECT_EQ(Find(view, "slide[256]/comment[1.3]").text, "why?");
  EXPECT_EQ(Find(view, "slide[256]/transition").text, "{fade: true}");
  EXPECT_EQ(Find(view, "slide[256]/animation").kind, "animation");
}

TEST(PptxRead, OnlyWhatChangedIsReadAgain) {
  const std::string text = TextShape(2, SlideParagraph(SlideRun("x")));
  const std::string before = MakeDeck({{text}, {text}});
  const std::string after = MakeDeck({{text}, {TextShape(2, SlideParagraph(SlideRun("y")))}});
  const View first = ParsePptx(before);
  std::set<std::string> known;
  size_t made = 0;
  const View second = testing::ParseWith(
      *NewPptxFormat(), after, [&](const std::string& part, const ContentHash& digest) {
        for (const auto& segment : first.segments) {
          if (segment->part() == part && segment->digest() == digest) return segment;
        }
        ++made;
        return std::shared_ptr<const Segment>();
      });
  EXPECT_EQ(made, 1u);
  EXPECT_EQ(second.Records().size(), first.Records().size());
}

constexpr const char* kCorpusFolders[] = {"pptx", "pairs/pptx"};
const std::vector<std::string> kExtensions = {"pptx", "pptm", "potx", "potm", "ppsx", "ppsm"};

// Every text that an independent walk finds is in some record of ours, as often as it is there.
TEST(PptxCorpus, LosesNoText) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t texts = 0;
  size_t count = 0;
  for (const char* folder : kCorpusFolders) {
    const std::vector<testing::OracleFile> files = testing::OracleTexts("pptx_texts.py", folder);
    if (files.empty()) GTEST_SKIP() << "1 test skipped: no python3";
    EXPECT_EQ(files.size(), testing::CountCorpusFiles(folder, kExtensions));
    for (const testing::OracleFile& file : files) {
      const View view = ParsePptx(testing::ReadFile(file.path));
      EXPECT_THAT(testing::UnsoundLocators(view), ::testing::IsEmpty()) << file.path;
      EXPECT_THAT(testing::TextsNotIn(view, file), ::testing::IsEmpty()) << file.path;
      texts += file.texts.size();
    }
    count += files.size();
  }
  EXPECT_GT(count, 60u);
  std::printf("compared %zu texts of %zu files\n", texts, count);
}

// Every member of every archive is a part with its digest: covered by records, or opaque.
TEST(PptxCorpus, EveryMemberIsAPart) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t parts = 0;
  size_t opaque = 0;
  for (const char* folder : kCorpusFolders) {
    const std::vector<testing::OracleFile> files =
        testing::OracleTexts("office_parts.py", folder, ".pptx .pptm .potx .potm .ppsx .ppsm");
    if (files.empty()) GTEST_SKIP() << "1 test skipped: no python3";
    EXPECT_EQ(files.size(), testing::CountCorpusFiles(folder, kExtensions));
    for (const testing::OracleFile& file : files) {
      const View view = ParsePptx(testing::ReadFile(file.path));
      EXPECT_THAT(testing::UnsoundParts(view, file), ::testing::IsEmpty()) << file.path;
      parts += view.parts.size();
      for (const Part& part : view.parts) opaque += part.kinds.empty() ? 1 : 0;
    }
  }
  std::printf("%zu parts, %zu of them opaque\n", parts, opaque);
}

TEST(PptxCorpus, MacrosAreReadable) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t files = 0;
  size_t modules = 0;
  for (const std::string& path : testing::CorpusFiles("pptx")) {
    const View view = ParsePptx(testing::ReadFile(path));
    for (const staged::Part& part : view.parts) {
      if (!part.name.ends_with("vbaProject.bin")) continue;
      ++files;
      EXPECT_THAT(part.kinds, ::testing::Contains("macro_module")) << path;
    }
    view.ForEach([&](const Record& record) {
      if (record.kind != "macro_module") return true;
      EXPECT_THAT(record.text, ::testing::HasSubstr("Attribute VB_Name")) << path;
      EXPECT_EQ(record.hidden, "macro");
      ++modules;
      return true;
    });
  }
  EXPECT_GE(files, 2u);
  EXPECT_GE(modules, files);
}

TEST(PptxCorpus, HostileFilesEndInAViewOrAnError) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  EXPECT_EQ(testing::AnswersForHostileFiles(*NewPptxFormat()),
            testing::CorpusFiles("hostile").size());
}

}  // namespace
}  // namespace staged
