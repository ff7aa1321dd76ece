#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/pptx/pptx_test_support.h"

// What a reviewer must find besides the text: media, links, authors, and what nobody sees.
namespace staged {
namespace {

using testing::MakeDeck;
using testing::ParsePptx;
using testing::RelationshipElement;
using testing::RelationshipsPart;
using testing::SlideParagraph;
using testing::SlidePart;
using testing::SlideRun;
using testing::TextShape;

Record Find(const View& view, std::string_view locator) {
  Result<Record> record = view.Find(locator);
  EXPECT_TRUE(record.ok()) << locator;
  return record.ok() ? *record : Record();
}

Value AttributeOf(const View& view, std::string_view locator, std::string_view name) {
  const Record record = Find(view, locator);
  const Value* value = record.attrs.Find(name);
  return value == nullptr ? Value() : *value;
}

std::vector<std::string> KindsOf(const View& view, std::string_view part) {
  for (const Part& item : view.parts) {
    if (item.name == part) return item.kinds;
  }
  return {"no such part"};
}

TEST(PptxView, VideosAndVectorImagesAreNamedByDigest) {
  const std::string picture =
      "<p:pic><p:nvPicPr><p:cNvPr id=\"4\" name=\"Film\"><a:hlinkClick r:id=\"rIdH\" "
      "tooltip=\"play it\"/><a:hlinkHover r:id=\"rIdH\"/></p:cNvPr><p:nvPr><a:videoFile "
      "r:link=\"rIdV\"/></p:nvPr></p:nvPicPr><p:blipFill><a:blip r:embed=\"rIdI\">"
      "<asvg:svgBlip xmlns:asvg=\"http://schemas.microsoft.com/office/drawing/2016/SVG/main\" "
      "r:embed=\"rIdS\"/></a:blip></p:blipFill></p:pic>";
  const View view = ParsePptx(MakeDeck(
      {{picture, "",
        "<p:transition><p:sndAc><p:stSnd><p:snd r:embed=\"rIdW\"/></p:stSnd></p:sndAc>"
        "</p:transition>",
        RelationshipElement("rIdI", "image", "../media/i.png") +
            RelationshipElement("rIdS", "image", "../media/i.svg") +
            RelationshipElement("rIdV", "video", "../media/v.mp4") +
            RelationshipElement("rIdW", "audio", "../media/w.wav") +
            "<Relationship Id=\"rIdH\" Type=\"http://x/hyperlink\" Target=\"http://e.org/\" "
            "TargetMode=\"External\"/>"}},
      {{"ppt/media/i.png", "png"},
       {"ppt/media/i.svg", "svg"},
       {"ppt/media/v.mp4", "mp4"},
       {"ppt/media/w.wav", "wav"}}));
  const auto item = [](const char* element, const char* part, const char* content) {
    return Value(Value::Object{
        {"element", element}, {"part", part}, {"digest", ContentHash::Of(content).ToString()}});
  };
  EXPECT_EQ(AttributeOf(view, "slide[256]/shape[4]", "digest"),
            Value(ContentHash::Of("png").ToString()));
  EXPECT_EQ(AttributeOf(view, "slide[256]/shape[4]", "media"),
            Value(Value::Array{item("videoFile", "ppt/media/v.mp4", "mp4"),
                               item("svgBlip", "ppt/media/i.svg", "svg")}));
  EXPECT_EQ(AttributeOf(view, "slide[256]/transition", "media"),
            Value(Value::Array{item("snd", "ppt/media/w.wav", "wav")}));
  EXPECT_EQ(KindsOf(view, "ppt/media/v.mp4"), std::vector<std::string>{"image"});
  EXPECT_EQ(AttributeOf(view, "slide[256]/shape[4]", "tooltip"), Value("play it"));
  EXPECT_EQ(AttributeOf(view, "slide[256]/shape[4]", "hover_link").as_string(), "http://e.org/");
}

TEST(PptxView, GroupsLeaveTheirChildrensMediaToThem) {
  const std::string group =
      "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"8\" name=\"G\"/></p:nvGrpSpPr><p:grpSpPr/>" +
      TextShape(9, SlideParagraph(""), "<a:blipFill><a:blip r:embed=\"rIdI\"/></a:blipFill>") +
      "</p:grpSp>";
  const View view =
      ParsePptx(MakeDeck({{group, "", "", RelationshipElement("rIdI", "image", "../media/i.png")}},
                         {{"ppt/media/i.png", "png"}}));
  EXPECT_TRUE(AttributeOf(view, "slide[256]/shape[8]", "media").is_null());
  ASSERT_TRUE(AttributeOf(view, "slide[256]/shape[9]", "media").is_array());
}

TEST(PptxView, ChartsNameTheirWorkbookAndWhatIsDrawnOnThem) {
  const std::string frame =
      "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"5\" name=\"C\"/></p:nvGraphicFramePr>"
      "<a:graphic><a:graphicData uri=\"c\"><c:chart r:id=\"rIdC\"/></a:graphicData></a:graphic>"
      "</p:graphicFrame>";
  const View view = ParsePptx(MakeDeck(
      {{frame, "", "", RelationshipElement("rIdC", "chart", "../charts/c.xml")}},
      {{"ppt/charts/c.xml", SlidePart("c:chartSpace", "<c:chart/><c:externalData r:id=\"rIdX\"/>")},
       {"ppt/charts/_rels/c.xml.rels",
        RelationshipsPart(RelationshipElement("rIdX", "package", "../embeddings/b.xlsx") +
                          RelationshipElement("rIdU", "chartUserShapes", "../drawings/d.xml"))},
       {"ppt/embeddings/b.xlsx", "book"},
       {"ppt/drawings/d.xml", SlidePart("c:userShapes", SlideParagraph(SlideRun("look here")))}}));
  const Value media = AttributeOf(view, "slide[256]/shape[5]/chart", "media");
  ASSERT_TRUE(media.is_array());
  EXPECT_EQ(media.as_array()[0].FindString("digest"), ContentHash::Of("book").ToString());
  EXPECT_EQ(Find(view, "slide[256]/shape[5]/drawn:1").text, "look here");
  EXPECT_EQ(KindsOf(view, "ppt/drawings/d.xml"), std::vector<std::string>{"chart_text"});
}

TEST(PptxView, TextInTheColourOfItsShapeIsHidden) {
  const auto run = [](const std::string& text, const std::string& properties) {
    return "<a:r><a:rPr>" + properties + "</a:rPr><a:t>" + text + "</a:t></a:r>";
  };
  const auto fill = [](const std::string& color) {
    return "<a:solidFill><a:srgbClr val=\"" + color + "\"/></a:solidFill>";
  };
  const View view = ParsePptx(MakeDeck(
      {{TextShape(2,
                  SlideParagraph(run("secret", fill("112233"))) +
                      SlideParagraph(run("part", fill("112233")) + run("seen", fill("FFFFFF"))) +
                      SlideParagraph(run("outlined", "<a:ln/><a:noFill/>")) +
                      SlideParagraph(run("gone", "<a:noFill/>")) +
                      SlideParagraph(SlideRun("dust", "sz=\"100\"")),
                  fill("112233")) +
        TextShape(3, SlideParagraph(run("visible", fill("112233"))))}}));
  EXPECT_EQ(Find(view, "slide[256]/shape[2]/p[1]").hidden,
            "text in the colour of what is behind it");
  EXPECT_EQ(Find(view, "slide[256]/shape[2]/p[2]").hidden, "");
  EXPECT_EQ(AttributeOf(view, "slide[256]/shape[2]/p[2]", "hidden_text"),
            Value(Value::Array{Value::Object{
                {"start", 0}, {"end", 4}, {"reason", "text in the colour of what is behind it"}}}));
  EXPECT_EQ(Find(view, "slide[256]/shape[2]/p[3]").hidden, "");
  EXPECT_EQ(Find(view, "slide[256]/shape[2]/p[4]").hidden, "text without a colour");
  EXPECT_EQ(Find(view, "slide[256]/shape[2]/p[5]").hidden, "text too small to read");
  EXPECT_EQ(Find(view, "slide[256]/shape[3]/p[1]").hidden, "");
}

TEST(PptxView, AFallbackThatSaysSomethingElseIsShown) {
  const auto alternate = [](const std::string& choice, const std::string& fallback) {
    return "<mc:AlternateContent><mc:Choice Requires=\"x\">" + choice +
           "</mc:Choice><mc:Fallback>" + fallback + "</mc:Fallback></mc:AlternateContent>";
  };
  const auto shape = [](int id, const std::string& text) {
    return TextShape(id, SlideParagraph(SlideRun(text)));
  };
  const View view = ParsePptx(MakeDeck({{alternate(shape(2, "same"), shape(2, "sa me")) +
                                         alternate(shape(3, "pay 5"), shape(3, "pay 500"))}}));
  const Record other = Find(view, "slide[256]/alt[1]");
  EXPECT_EQ(other.text, "pay 500");
  EXPECT_NE(other.hidden, "");
  EXPECT_FALSE(view.Find("slide[256]/alt[2]").ok());
  const View nested =
      ParsePptx(MakeDeck({{alternate(alternate(shape(2, "x"), shape(2, "x")), shape(2, "x"))}}));
  EXPECT_FALSE(nested.Find("slide[256]/alt[1]").ok());
}

TEST(PptxView, AuthorsCustomShowsAndReplies) {
  const std::string comments = SlidePart(
      "p:cmLst",
      "<p:cm authorId=\"1\" idx=\"3\"><p:text>why?</p:text></p:cm><p:cm authorId=\"2\" idx=\"1\">"
      "<p:text>so</p:text><p:extLst><p:ext><p15:threadingInfo xmlns:p15=\"http://schemas.microsoft."
      "com/office/powerpoint/2012/main\"><p15:parentCm authorId=\"1\" idx=\"3\"/>"
      "</p15:threadingInfo></p:ext></p:extLst></p:cm>");
  std::string deck = MakeDeck(
      {{"", "", "", RelationshipElement("rIdK", "comments", "../comments/k.xml")}},
      {{"ppt/comments/k.xml", comments}},
      "<p:custShowLst><p:custShow id=\"0\" name=\"short\"/></p:custShowLst><p:modifyVerifier/>");
  const View view = ParsePptx(deck);
  EXPECT_EQ(AttributeOf(view, "slide[256]/comment[2.1]", "reply_to"),
            Value("slide[256]/comment[1.3]"));
  EXPECT_EQ(Find(view, "show:1").text, "short");
  EXPECT_EQ(AttributeOf(view, "presentation", "write_protected"), Value(true));
}

TEST(PptxView, ControlsBesideTheShapes) {
  const View view = ParsePptx(MakeDeck(
      {{"</p:spTree><p:controls><mc:AlternateContent><mc:Choice Requires=\"v\"><p:control "
        "name=\"Ok\" r:id=\"rIdA\"/></mc:Choice><mc:Fallback><p:control name=\"Ok\" r:id=\"rIdA\">"
        "<p:pic><p:blipFill><a:blip r:embed=\"rIdI\"/></p:blipFill></p:pic></p:control>"
        "</mc:Fallback></mc:AlternateContent></p:controls><p:spTree>",
        "", "",
        RelationshipElement("rIdA", "control", "../activeX/a.xml") +
            RelationshipElement("rIdI", "image", "../media/i.png")}},
      {{"ppt/activeX/a.xml", "<ocx/>"}, {"ppt/media/i.png", "png"}}));
  EXPECT_EQ(AttributeOf(view, "slide[256]/control[1]", "digest"),
            Value(ContentHash::Of("<ocx/>").ToString()));
  EXPECT_TRUE(AttributeOf(view, "slide[256]/control[1]", "media").is_array());
  EXPECT_FALSE(view.Find("slide[256]/control[2]").ok());
}

TEST(PptxView, PartsThatNothingShowsAreRecordsOfTheirTexts) {
  const View view = ParsePptx(MakeDeck(
      {{""}}, {{"customXml/item1.xml", "<x:secret xmlns:x=\"urn:x\" who=\"Ann\">key</x:secret>"}}));
  EXPECT_EQ(Find(view, "data:customXml/item1.xml").text, "Ann\nkey");
  EXPECT_EQ(KindsOf(view, "customXml/item1.xml"), std::vector<std::string>{"other_part"});
}

}  // namespace
}  // namespace staged
