#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "formats/odf/odf_test_support.h"

namespace staged {
namespace {

using testing::MakeOdf;

Record Find(const View& view, std::string_view locator) {
  Result<Record> record = view.Find(locator);
  EXPECT_TRUE(record.ok()) << locator;
  return record.ok() ? *record : Record();
}

TEST(OdtRead, CollapsesWhiteSpaceAndReadsItsElements) {
  const View view = testing::ParseOdt(
      MakeOdf("text",
              "<text:p> a\n  b <text:span> c</text:span><text:s text:c=\"2\"/>d<text:tab/>e"
              "<text:line-break/>f &amp;\tg</text:p>"));
  EXPECT_EQ(Find(view, "p:1").text, "a b c  d\te\nf & g");
}

TEST(OdtRead, ParagraphsHaveStylesRunsAndLists) {
  const View view = testing::ParseOdt(MakeOdf(
      "text",
      "<text:h text:style-name=\"P1\" text:outline-level=\"2\">Head</text:h>"
      "<text:list><text:list-item><text:p>one <text:span text:style-name=\"T1\">bold</text:span>"
      "</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list>"
      "</text:list-item></text:list>"
      "<text:p><text:a xlink:href=\"https://example.org/\">link</text:a></text:p>",
      "<style:style style:name=\"P1\" style:family=\"paragraph\" style:parent-style-name=\"H_2\">"
      "<style:paragraph-properties fo:text-align=\"center\"/></style:style>"
      "<style:style style:name=\"T1\" style:family=\"text\"><style:text-properties "
      "fo:font-weight=\"bold\"/></style:style>",
      "<office:styles><style:style style:name=\"H_2\" style:display-name=\"Heading 2\" "
      "style:family=\"paragraph\"/></office:styles>"));
  const Record head = Find(view, "p:1");
  EXPECT_EQ(head.attrs.FindString("style"), "Heading 2");
  EXPECT_EQ(head.attrs.Find("level")->as_integer(), 2);
  EXPECT_EQ(head.attrs.Find("properties")->FindString("paragraph-properties"), "text-align=center");
  EXPECT_EQ(*Find(view, "p:2").attrs.Find("runs"),
            Value(Value::Array{Value::Object{{"start", 4}, {"end", 8}, {"bold", true}}}));
  EXPECT_EQ(Find(view, "p:3").attrs.Find("list_level")->as_integer(), 2);
  EXPECT_EQ(Find(view, "p:4").attrs.Find("links")->as_array()[0].FindString("target"),
            "https://example.org/");
  EXPECT_EQ(Find(view, "prop:title").text, "A title");
}

TEST(OdtRead, NotesCommentsTablesAndTrackedChanges) {
  const View view = testing::ParseOdt(MakeOdf(
      "text",
      "<text:tracked-changes><text:changed-region text:id=\"c1\"><text:deletion>"
      "<office:change-info><dc:creator>Ann</dc:creator><dc:date>2024-01-02</dc:date>"
      "</office:change-info><text:p>gone</text:p></text:deletion></text:changed-region>"
      "</text:tracked-changes>"
      "<text:p>a<text:change text:change-id=\"c1\"/>b<text:note text:id=\"ftn1\" "
      "text:note-class=\"footnote\"><text:note-citation>1</text:note-citation><text:note-body>"
      "<text:p>note</text:p></text:note-body></text:note><office:annotation><dc:creator>Bob"
      "</dc:creator><text:p>why</text:p></office:annotation></text:p>"
      "<table:table table:name=\"T\"><table:table-header-rows><table:table-row><table:table-cell>"
      "<text:p>x</text:p></table:table-cell></table:table-row></table:table-header-rows>"
      "<table:table-row><table:table-cell table:number-columns-spanned=\"2\"><text:p>y</text:p>"
      "</table:table-cell><table:covered-table-cell/></table:table-row></table:table>"
      "<text:p>end</text:p>"));
  EXPECT_EQ(Find(view, "p:1").text, "ab");
  EXPECT_EQ(Find(view, "p:1").attrs.Find("revisions")->as_array()[0].FindString("author"), "Ann");
  EXPECT_EQ(Find(view, "rev:c1").text, "gone");
  EXPECT_EQ(Find(view, "rev:c1").hidden, "tracked deletion");
  EXPECT_EQ(Find(view, "fn:ftn1/p:1").text, "note");
  EXPECT_EQ(Find(view, "cm:1").attrs.FindString("author"), "Bob");
  EXPECT_EQ(Find(view, "cm:1/p:1").text, "why");
  EXPECT_EQ(Find(view, "t:1/r:1/c:1/p:1").text, "x");
  EXPECT_EQ(Find(view, "t:1/r:2/c:1").attrs.Find("column_span")->as_integer(), 2);
  EXPECT_EQ(Find(view, "p:2").text, "end");
}

TEST(OdsRead, CellsHaveTypedValuesTextsAndFormulas) {
  const View view = testing::ParseOds(MakeOdf(
      "spreadsheet",
      "<table:table table:name=\"Q3 Sales\"><table:table-row table:number-rows-repeated=\"3\">"
      "<table:table-cell table:number-columns-repeated=\"4\"/></table:table-row>"
      "<table:table-row><table:table-cell/><table:table-cell office:value-type=\"float\" "
      "office:value=\"1.5\" table:formula=\"of:=SUM([.A1:.A2])\"><text:p>1,50</text:p>"
      "</table:table-cell><table:table-cell table:number-columns-repeated=\"2\" "
      "office:value-type=\"string\"><text:p>two</text:p><text:p>lines</text:p></table:table-cell>"
      "<table:table-cell office:value-type=\"date\" office:date-value=\"2024-05-01\"><text:p>May"
      "</text:p></table:table-cell></table:table-row></table:table>"));
  const Record number = Find(view, "'Q3 Sales'!B4");
  EXPECT_EQ(*number.attrs.Find("value"), Value(1.5));
  EXPECT_EQ(number.text, "1,50");
  EXPECT_EQ(number.attrs.FindString("formula"), "=SUM([.A1:.A2])");
  EXPECT_EQ(Find(view, "'Q3 Sales'!C4").text, "two\nlines");
  EXPECT_EQ(Find(view, "'Q3 Sales'!D4").text, "two\nlines");
  EXPECT_EQ(*Find(view, "'Q3 Sales'!E4").attrs.Find("value"), Value("2024-05-01"));
}

TEST(OdsRead, RepetitionNeverBlowsUp) {
  const View view = testing::ParseOds(MakeOdf(
      "spreadsheet",
      "<table:table table:name=\"S\"><table:table-row table:number-rows-repeated=\"4000000000\">"
      "<table:table-cell table:number-columns-repeated=\"4000000000\" office:value-type=\"float\" "
      "office:value=\"1\"><text:p>1</text:p></table:table-cell></table:table-row></table:table>"));
  const Record cell = Find(view, "S!A1");
  EXPECT_EQ(*cell.attrs.Find("repeated"),
            Value(Value::Object{{"columns", 16384}, {"rows", 1048576}}));
  EXPECT_LT(view.record_count(), 10u);
}

TEST(OdsRead, HiddenSheetsRowsAndColumns) {
  const std::string cell =
      "<table:table-cell office:value-type=\"string\"><text:p>x</text:p>"
      "</table:table-cell>";
  const View view = testing::ParseOds(MakeOdf(
      "spreadsheet",
      "<table:table table:name=\"A\" table:style-name=\"ta1\"><table:table-row>" + cell +
          "</table:table-row></table:table><table:table table:name=\"B\"><table:table-column/>"
          "<table:table-column table:visibility=\"collapse\"/><table:table-row>" +
          cell + cell + "</table:table-row><table:table-row table:visibility=\"collapse\">" + cell +
          "</table:table-row></table:table><table:named-expressions><table:named-range "
          "table:name=\"N\" table:cell-range-address=\"$A.$A$1\"/></table:named-expressions>",
      "<style:style style:name=\"ta1\" style:family=\"table\"><style:table-properties "
      "table:display=\"false\"/></style:style>"));
  EXPECT_EQ(Find(view, "A!A1").hidden, "hidden sheet");
  EXPECT_EQ(Find(view, "B!A1").hidden, "");
  EXPECT_EQ(Find(view, "B!B1").hidden, "hidden column");
  EXPECT_EQ(Find(view, "B!A2").hidden, "hidden row");
  EXPECT_EQ(Find(view, "defined_name:N").attrs.FindString("refers_to"), "$A.$A$1");
}

TEST(OdpRead, PagesShapesAndNotes) {
  const View view = testing::ParseOdp(MakeOdf(
      "presentation",
      "<draw:page draw:name=\"page1\" draw:master-page-name=\"M\"><draw:frame svg:x=\"1cm\" "
      "presentation:class=\"title\"><draw:text-box><text:p>Title</text:p></draw:text-box>"
      "</draw:frame><draw:g><draw:custom-shape><text:p>in group</text:p></draw:custom-shape>"
      "</draw:g><draw:frame><table:table><table:table-row><table:table-cell><text:p>cell</text:p>"
      "</table:table-cell></table:table-row></table:table></draw:frame><presentation:notes>"
      "<draw:frame presentation:class=\"notes\"><draw:text-box><text:p>say</text:p>"
      "</draw:text-box></draw:frame></presentation:notes></draw:page>"));
  EXPECT_EQ(Find(view, "slide[page1]").text, "Title");
  EXPECT_EQ(Find(view, "slide[page1]/shape[1]/p[1]").text, "Title");
  EXPECT_EQ(Find(view, "slide[page1]/shape[1]").attrs.FindString("placeholder"), "title");
  EXPECT_EQ(Find(view, "slide[page1]/shape[2]/shape:1/p[1]").text, "in group");
  EXPECT_EQ(Find(view, "slide[page1]/shape[3]/t/r:1/c:1/p[1]").text, "cell");
  EXPECT_EQ(Find(view, "slide[page1]/notes/shape[1]/p[1]").hidden, "speaker notes");
}

TEST(OdfSniff, TellsTheKindsApart) {
  const std::string text = MakeOdf("text", "");
  EXPECT_EQ(NewOdtFormat()->Sniff(text, ""), 100);
  EXPECT_EQ(NewOdsFormat()->Sniff(text, ""), 0);
  const std::string flat = testing::OdfRoot(
      "document", "", " office:mimetype=\"application/vnd.oasis.opendocument.spreadsheet\"");
  EXPECT_EQ(NewOdsFormat()->Sniff(flat, "xml"), 100);
  EXPECT_EQ(NewOdtFormat()->Sniff(flat, "xml"), 0);
}

// The format that takes the file, or nullptr.
std::unique_ptr<Format> FormatOf(const std::string& bytes) {
  for (auto make : {NewOdtFormat, NewOdsFormat, NewOdpFormat}) {
    std::unique_ptr<Format> format = make();
    if (format->Sniff(bytes, "") == 100) return format;
  }
  return nullptr;
}

// Every text that an independent walk finds is in some record of ours.
TEST(OdfCorpus, LosesNoText) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t texts = 0;
  size_t files = 0;
  for (const char* folder : {"odf", "pairs/odf"}) {
    for (const testing::OracleFile& file : testing::OracleTexts("odf_texts.py", folder)) {
      const std::string bytes = testing::ReadFile(file.path);
      const std::unique_ptr<Format> format = FormatOf(bytes);
      ASSERT_NE(format, nullptr) << file.path;
      const View view = testing::ParseWith(*format, bytes);
      EXPECT_THAT(testing::UnsoundLocators(view), ::testing::IsEmpty()) << file.path;
      EXPECT_THAT(testing::TextsNotIn(view, file, testing::Counting::kOnce), ::testing::IsEmpty())
          << file.path;
      texts += file.texts.size();
      ++files;
    }
  }
  if (files == 0) GTEST_SKIP() << "1 test skipped: no python3";
  EXPECT_GT(files, 40u);
  std::printf("compared %zu texts of %zu files\n", texts, files);
}

TEST(OdfCorpus, HostileFilesEndInAViewOrAnError) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  for (auto make : {NewOdtFormat, NewOdsFormat, NewOdpFormat}) {
    EXPECT_EQ(testing::AnswersForHostileFiles(*make()), testing::CorpusFiles("hostile").size());
  }
}

}  // namespace
}  // namespace staged
