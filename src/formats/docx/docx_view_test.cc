#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/docx/docx_test_support.h"

// What a reviewer must find besides the text: what is drawn, embedded, linked, tracked and hidden.
namespace staged {
namespace {

using ::testing::ElementsAre;
using testing::MakeDocument;
using testing::ParseDocx;
using testing::Part;

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

std::string RunElement(const std::string& text, const std::string& properties = "") {
  return "<w:r><w:rPr>" + properties + "</w:rPr><w:t xml:space=\"preserve\">" + text +
         "</w:t></w:r>";
}

std::string Paragraph(const std::string& inner) { return "<w:p>" + inner + "</w:p>"; }

std::string External(const std::string& id, const std::string& type, const std::string& target) {
  return "<Relationship Id=\"" + id + "\" Type=\"http://x/" + type + "\" Target=\"" + target +
         "\" TargetMode=\"External\"/>";
}

std::string Internal(const std::string& id, const std::string& type, const std::string& target) {
  return "<Relationship Id=\"" + id + "\" Type=\"http://x/" + type + "\" Target=\"" + target +
         "\"/>";
}

constexpr std::string_view kDrawingNamespaces =
    " xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\""
    " xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\""
    " xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\""
    " xmlns:asvg=\"http://schemas.microsoft.com/office/drawing/2016/SVG/main\"";

std::string DrawingElement(const std::string& inner) {
  return "<w:r><w:drawing" + std::string(kDrawingNamespaces) + ">" + inner + "</w:drawing></w:r>";
}

TEST(DocxView, ImagesHaveDigestsAlternativeTextsAndLinks) {
  const std::string picture = DrawingElement(
      "<wp:docPr id=\"1\" name=\"Picture 1\" descr=\"a map\" title=\"Map\"><a:hlinkClick "
      "r:id=\"rIdL\"/></wp:docPr><pic:cNvPr id=\"2\" descr=\"the North\"/><a:blip "
      "r:embed=\"ximage\" r:link=\"rIdF\"><asvg:svgBlip r:embed=\"rIdS\"/></a:blip>");
  const View view = ParseDocx(MakeDocument(
      Paragraph(picture) + Paragraph("<w:del w:id=\"1\" w:author=\"Ann\">" + picture + "</w:del>"),
      {{"image", "pixels"}, {"vectors", "<svg/>"}},
      External("rIdL", "hyperlink", "http://example.org/map") +
          External("rIdF", "image", "file:///map.png") + Internal("rIdS", "image", "vectors.xml")));
  const Record image = Find(view, "img:1");
  EXPECT_EQ(image.text, "a map\nthe North");
  EXPECT_EQ(image.attrs.FindString("title"), "Map");
  EXPECT_EQ(image.attrs.FindString("link"), "http://example.org/map");
  EXPECT_EQ(image.attrs.FindString("part"), "word/image.xml");
  EXPECT_EQ(image.attrs.FindString("digest"), ContentHash::Of("pixels").ToString());
  EXPECT_EQ(image.attrs.FindString("vector_digest"), ContentHash::Of("<svg/>").ToString());
  EXPECT_EQ(image.attrs.FindString("target"), "file:///map.png");
  EXPECT_EQ(image.hidden, "");
  EXPECT_EQ(Find(view, "img:2").hidden, "tracked deletion");
  for (const staged::Part& part : view.parts) {
    if (part.name != "word/vectors.xml") continue;
    EXPECT_THAT(part.kinds, ElementsAre("image"));
  }
}

TEST(DocxView, ShapesWithoutTextAreRecordsAndTellWhatChanged) {
  const auto shape = [](const std::string& x) {
    return Paragraph(
        "<w:r><w:pict><v:rect xmlns:v=\"urn:schemas-microsoft-com:vml\" style=\"left:" + x +
        "\" alt=\"a box\"/></w:pict></w:r>");
  };
  const View before = ParseDocx(MakeDocument(shape("1")));
  const View after = ParseDocx(MakeDocument(shape("2")));
  EXPECT_EQ(Find(before, "shape:1").text, "a box");
  EXPECT_NE(AttributeOf(before, "shape:1", "format"), AttributeOf(after, "shape:1", "format"));
}

TEST(DocxView, EmbeddedObjectsAndImportedDocumentsAreNamedByDigest) {
  const View view = ParseDocx(MakeDocument(
      Paragraph("<w:r><w:object><o:OLEObject xmlns:o=\"urn:schemas-microsoft-com:office:office\" "
                "Type=\"Embed\" ProgID=\"Excel.Sheet.12\" r:id=\"xpackage\"/></w:object></w:r>") +
          "<w:altChunk r:id=\"xaFChunk\"/>" + Paragraph("<w:subDoc r:id=\"rIdS\"/>"),
      {{"package", "a workbook"}, {"aFChunk", "<html/>"}},
      External("rIdS", "subDocument", "chapter.docx")));
  EXPECT_EQ(AttributeOf(view, "obj:1", "program"), Value("Excel.Sheet.12"));
  EXPECT_EQ(AttributeOf(view, "obj:1", "digest"), Value(ContentHash::Of("a workbook").ToString()));
  EXPECT_EQ(AttributeOf(view, "import:1", "digest"), Value(ContentHash::Of("<html/>").ToString()));
  EXPECT_EQ(AttributeOf(view, "import:2", "target"), Value("chapter.docx"));
  EXPECT_EQ(Find(view, "import:2").parent, "p:2");
  ASSERT_EQ(view.diagnostics.size(), 1u);
  EXPECT_EQ(view.diagnostics[0].code, "alternate_chunk");
}

std::string RelationshipsPart(const std::string& elements) {
  return "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" +
         elements + "</Relationships>";
}

TEST(DocxView, ChartsNameTheirWorkbookAndWhatIsDrawnOnThem) {
  const std::string chart =
      "<c:chart xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\"";
  const View view = ParseDocx(testing::MakeArchive(
      {{"word/document.xml",
        Part("document",
             "<w:body>" + Paragraph(DrawingElement(chart + " r:id=\"rIdC\"/>")) + "</w:body>")},
       {"word/_rels/document.xml.rels",
        RelationshipsPart(Internal("rIdC", "chart", "charts/c.xml"))},
       {"word/charts/c.xml", chart + "><c:v>4.5</c:v></c:chart>"},
       {"word/charts/_rels/c.xml.rels",
        RelationshipsPart(Internal("a", "package", "book.xlsx") +
                          Internal("b", "chartUserShapes", "drawn.xml") +
                          External("c", "hyperlink", "http://example.org/"))},
       {"word/charts/drawn.xml",
        "<a:p xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:t>look here"
        "</a:t></a:p>"},
       {"word/charts/book.xlsx", "book"}}));
  EXPECT_EQ(Find(view, "chart:1").text, "4.5\nlook here");
  const Value media = AttributeOf(view, "chart:1", "media");
  ASSERT_TRUE(media.is_array());
  ASSERT_EQ(media.as_array().size(), 2u);
  EXPECT_EQ(media.as_array()[0].FindString("digest"), ContentHash::Of("book").ToString());
  EXPECT_EQ(media.as_array()[1].FindString("target"), "http://example.org/");
}

TEST(DocxView, CommentsTellWhatTheyAnswerAndWhetherTheyAreResolved) {
  const auto comment = [](const std::string& id) {
    return "<w:comment w:id=\"" + id + "\" w:author=\"Ann\"><w:p/><w:p w14:paraId=\"0" + id +
           "\"/></w:comment>";
  };
  const std::string extended =
      "<w15:commentsEx xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\">"
      "<w15:commentEx w15:paraId=\"01\" w15:done=\"1\"/>"
      "<w15:commentEx w15:paraId=\"02\" w15:paraIdParent=\"01\" w15:done=\"0\"/></w15:commentsEx>";
  const View view = ParseDocx(MakeDocument(
      "<w:p/>", {{"footnotes", Part("footnotes",
                                    "<w:footnote w:id=\"2\"><w:p><w:r><w:t>ab</w:t></w:r><w:r>"
                                    "<w:commentReference w:id=\"1\"/></w:r></w:p></w:footnote>")},
                 {"comments", Part("comments", comment("1") + comment("2"))},
                 {"commentsExtended", extended}}));
  EXPECT_EQ(AttributeOf(view, "cm:1", "resolved"), Value(true));
  EXPECT_EQ(AttributeOf(view, "cm:2", "reply_to"), Value("cm:1"));
  EXPECT_EQ(AttributeOf(view, "cm:2", "resolved"), Value());
  EXPECT_EQ(AttributeOf(view, "cm:1", "anchor"), Value("fn:2/p:1:2-2"));
  EXPECT_EQ(Find(view, "cm:1").hidden, "comment");
  EXPECT_EQ(Find(view, "cm:1/p:2").hidden, "comment");
}

TEST(DocxView, HeadersTellTheirSectionsAndWhetherAPageShowsThem) {
  const std::string text = Paragraph(RunElement("x"));
  const auto section = [](const std::string& references) {
    return "<w:sectPr>" + references + "</w:sectPr>";
  };
  const std::string first =
      "<w:headerReference w:type=\"default\" r:id=\"xheader1\"/>"
      "<w:headerReference w:type=\"first\" r:id=\"xheader2\"/>";
  const std::string second = "<w:headerReference w:type=\"even\" r:id=\"xheader3\"/><w:titlePg/>";
  const auto view_of = [&](const std::string& last) {
    return ParseDocx(MakeDocument("<w:p><w:pPr>" + section(first) + "</w:pPr></w:p>" + last,
                                  {{"header1", Part("hdr", text)},
                                   {"header2", Part("hdr", text)},
                                   {"header3", Part("hdr", text)},
                                   {"header4", Part("hdr", text)}}));
  };
  const View view = view_of(section(""));
  EXPECT_EQ(AttributeOf(view, "hdr:1", "sections"),
            Value(Value::Array{Value::Object{{"section", "sec:1"}, {"type", "default"}}}));
  EXPECT_EQ(Find(view, "hdr:1").hidden, "");
  EXPECT_EQ(Find(view, "hdr:2").hidden, "for first or even pages, which are not told apart");
  EXPECT_EQ(Find(view, "hdr:2/p:1").hidden, "for first or even pages, which are not told apart");
  EXPECT_EQ(Find(view, "hdr:4").hidden, "in no section");
  // The second section has a first page and inherits the header for it.
  const View with_title = view_of(section(second));
  EXPECT_EQ(Find(with_title, "hdr:2").hidden, "");
  EXPECT_EQ(Find(with_title, "hdr:3").hidden, "for first or even pages, which are not told apart");
}

TEST(DocxView, TellsWhatTextNobodySees) {
  const std::string styles = Part(
      "styles",
      "<w:style w:type=\"character\" w:styleId=\"Base\"><w:rPr><w:vanish/></w:rPr></w:style>"
      "<w:style w:type=\"character\" w:styleId=\"Ghost\"><w:basedOn w:val=\"Base\"/></w:style>"
      "<w:style w:type=\"paragraph\" w:styleId=\"Pale\"><w:rPr><w:color w:val=\"FFFFFF\"/></w:rPr>"
      "</w:style>");
  const std::string white = "<w:color w:val=\"FFFFFF\"/>";
  const std::string pale = "<w:pPr><w:pStyle w:val=\"Pale\"/></w:pPr>";
  const std::string body =
      Paragraph(RunElement("seen ") + RunElement("ghost", "<w:rStyle w:val=\"Ghost\"/>")) +
      Paragraph(RunElement("pale", white) + RunElement(" ")) +
      Paragraph(pale + RunElement("pale too")) +
      Paragraph(pale + RunElement("black", "<w:color w:val=\"000000\"/>")) +
      Paragraph(RunElement("on a ground", white + "<w:shd w:val=\"clear\" w:fill=\"0000FF\"/>")) +
      Paragraph(RunElement("tiny", "<w:sz w:val=\"2\"/>")) +
      Paragraph(RunElement("shown", "<w:rStyle w:val=\"Ghost\"/><w:vanish w:val=\"0\"/>")) +
      "<w:tbl><w:tr><w:tc>" + Paragraph(RunElement("in a cell", white)) + "</w:tc></w:tr></w:tbl>";
  const View view = ParseDocx(MakeDocument(body, {{"styles", styles}}));
  EXPECT_EQ(Find(view, "p:1").hidden, "");
  EXPECT_EQ(
      AttributeOf(view, "p:1", "hidden_text"),
      Value(Value::Array{Value::Object{{"start", 5}, {"end", 10}, {"reason", "hidden text"}}}));
  EXPECT_EQ(Find(view, "p:2").hidden, "text in the colour of the page");
  EXPECT_EQ(Find(view, "p:3").hidden, "text in the colour of the page");
  EXPECT_EQ(Find(view, "p:4").hidden, "");
  EXPECT_EQ(Find(view, "p:5").hidden, "");
  EXPECT_EQ(Find(view, "p:6").hidden, "text too small to read");
  EXPECT_EQ(Find(view, "p:7").hidden, "");
  EXPECT_EQ(Find(view, "t:1/r:1/c:1/p:1").hidden, "");
  const View on_black = ParseDocx(testing::MakeArchive(
      {{"word/document.xml",
        Part("document", "<w:background w:color=\"000000\"/><w:body>" + body + "</w:body>")}}));
  EXPECT_EQ(Find(on_black, "p:2").hidden, "");
  EXPECT_EQ(AttributeOf(on_black, "background:1", "format"), Value("color=000000"));
}

TEST(DocxView, AFallbackThatSaysSomethingElseIsShown) {
  const auto alternate = [](const std::string& choice, const std::string& fallback) {
    return "<mc:AlternateContent><mc:Choice Requires=\"wps\">" + choice +
           "</mc:Choice><mc:Fallback>" + fallback + "</mc:Fallback></mc:AlternateContent>";
  };
  const View view = ParseDocx(MakeDocument(
      Paragraph(alternate(RunElement("pay 5"), RunElement("pay ") + RunElement("5"))) +
      Paragraph("<w:r>" + alternate("<w:t>pay 5</w:t>", "<w:t>pay 500</w:t>") + "</w:r>") +
      alternate(Paragraph(RunElement("a")),
                Paragraph(RunElement("b")) + Paragraph(RunElement("c")))));
  const Record other = Find(view, "alt:1");
  EXPECT_EQ(other.text, "pay 500");
  EXPECT_EQ(other.parent, "p:2");
  EXPECT_NE(other.hidden, "");
  EXPECT_EQ(Find(view, "alt:2").text, "b\nc");
  EXPECT_FALSE(view.Find("alt:3").ok());
  // What an inner fallback repeats makes no difference to the outer one.
  const View nested = ParseDocx(MakeDocument(
      Paragraph(alternate(alternate(RunElement("x"), RunElement("x")), RunElement("x")))));
  EXPECT_FALSE(nested.Find("alt:1").ok());
}

TEST(DocxView, TrackedChangesOfMovesControlsListsAndEquations) {
  const std::string who = "w:author=\"Ann\" w:date=\"2024-01-01T00:00:00Z\"";
  const View view = ParseDocx(MakeDocument(
      "<w:moveFromRangeStart w:id=\"1\" w:name=\"move7\"/>" +
      Paragraph("<w:moveFrom w:id=\"2\" " + who + ">" + RunElement("away") + "</w:moveFrom>") +
      "<w:moveFromRangeEnd w:id=\"1\"/><w:customXmlInsRangeStart w:id=\"3\" " + who + "/>" +
      Paragraph("<w:pPr><w:numPr><w:numberingChange w:original=\"%1:1:0:.\" " + who +
                "/></w:numPr></w:pPr><m:oMath><m:r><m:t>a+</m:t></m:r><w:del " + who +
                "><m:r><m:t>b</m:t></m:r></w:del></m:oMath>") +
      "<w:tbl><w:tr><w:tc><w:tcPr><w:cellMerge " + who +
      "/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>"));
  EXPECT_EQ(AttributeOf(view, "p:1", "revisions").as_array()[0].FindString("move"), "move7");
  EXPECT_EQ(Find(view, "p:2").text, "a+");
  std::vector<std::string> types;
  const Value revisions = AttributeOf(view, "p:2", "revisions");
  for (const Value& revision : revisions.as_array()) {
    EXPECT_EQ(revision.FindString("author"), "Ann");
    types.emplace_back(revision.FindString("type"));
  }
  EXPECT_THAT(types, ElementsAre("control_insertion", "deletion", "numbering_change"));
  EXPECT_EQ(Find(view, "p:2/rev:1").text, "b");
  EXPECT_EQ(AttributeOf(view, "t:1/r:1/c:1", "revisions").as_array()[0].FindString("type"),
            "cell_merge_change");
}

TEST(DocxView, TagsPermissionsTooltipsAndMadeText) {
  const View view = ParseDocx(MakeDocument(
      "<w:p><w:smartTag w:uri=\"urn:x\" w:element=\"City\"><w:smartTagPr><w:attr w:name=\"n\" "
      "w:val=\"v\"/></w:smartTagPr>" +
          RunElement("Rome") + "</w:smartTag><w:permStart w:id=\"7\" w:edGrp=\"everyone\"/>" +
          RunElement("!") +
          "<w:permEnd w:id=\"7\"/><w:hyperlink w:anchor=\"top\" w:tooltip=\"go up\">" +
          RunElement("up") +
          "</w:hyperlink><w:r><w:pgNum/></w:r></w:p><w:customXml w:element=\"invoice\">" +
          Paragraph(RunElement("sum")) + "</w:customXml>",
      {}));
  EXPECT_EQ(AttributeOf(view, "p:1", "tags").as_array()[0],
            Value(Value::Object{{"start", 0},
                                {"end", 4},
                                {"element", "City"},
                                {"uri", "urn:x"},
                                {"values", Value::Object{{"n", "v"}}}}));
  EXPECT_EQ(AttributeOf(view, "p:1", "permissions").as_array()[0],
            Value(Value::Object{{"who", "everyone"}, {"start", 4}, {"end", 5}}));
  EXPECT_EQ(AttributeOf(view, "p:1", "links").as_array()[0].FindString("tooltip"), "go up");
  EXPECT_EQ(AttributeOf(view, "p:1", "fields").as_array()[0].FindString("instruction"), "pgNum");
  EXPECT_EQ(Find(view, "sdt:1").text, "invoice");
  EXPECT_EQ(Find(view, "p:2").text, "sum");
}

TEST(DocxView, SettingsNameTheTemplateThatIsLoaded) {
  const View view = ParseDocx(testing::MakeArchive(
      {{"_rels/.rels", RelationshipsPart(Internal("a", "officeDocument", "word/document.xml"))},
       {"word/document.xml", Part("document", "<w:body><w:p/></w:body>")},
       {"word/_rels/document.xml.rels",
        RelationshipsPart(Internal("b", "settings", "settings.xml"))},
       {"word/settings.xml", Part("settings",
                                  "<w:trackRevisions/><w:documentProtection "
                                  "w:edit=\"readOnly\" w:enforcement=\"1\"/>")},
       {"word/_rels/settings.xml.rels",
        RelationshipsPart(External("c", "attachedTemplate", "http://example.org/a.dotm"))}}));
  EXPECT_EQ(AttributeOf(view, "settings", "targets").as_array()[0].FindString("target"),
            "http://example.org/a.dotm");
  EXPECT_EQ(AttributeOf(view, "settings", "trackRevisions"), Value("true"));
  EXPECT_EQ(AttributeOf(view, "settings", "documentProtection"),
            Value("edit=readOnly enforcement=1"));
}

TEST(DocxView, PartsThatNothingShowsAreRecordsOfTheirTexts) {
  const View view = ParseDocx(MakeDocument(
      "<w:p/>", {{"item", "<x:secret xmlns:x=\"urn:x\" who=\"Ann\"><x:a>key</x:a></x:secret>"},
                 {"theme", "<a:theme xmlns:a=\"urn:a\"><a:b>look</a:b></a:theme>"}}));
  const Record record = Find(view, "data:word/item.xml");
  EXPECT_EQ(record.text, "Ann\nkey");
  EXPECT_EQ(record.hidden, "kept by the program");
  EXPECT_FALSE(view.Find("data:word/theme.xml").ok());
}

}  // namespace
}  // namespace staged
