#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "formats/test_support.h"
#include "formats/xlsx/xlsx_format.h"
#include "formats/xlsx/xlsx_test_support.h"

// What a workbook's view holds besides the values of its cells.
namespace staged {
namespace {

using ::testing::HasSubstr;
using testing::MakeWorkbook;
using testing::WorkbookXml;

class Records {
 public:
  explicit Records(const WorkbookXml& xml) {
    const Result<ParsedContent> content = NewXlsxFormat()->Parse(MakeWorkbook(xml), Limits(), {});
    EXPECT_TRUE(content.ok()) << content.status().message();
    if (!content.ok()) return;
    for (const auto& segment : content->segments) {
      segment->ForEach([&](const Record& record) {
        EXPECT_TRUE(records_.emplace(record.locator, record).second) << record.locator;
        return true;
      });
    }
    for (const Part& part : content->parts) parts_[part.name] = part;
  }

  // "absent" as the text of what is not there.
  [[nodiscard]] Record At(const std::string& locator) const {
    const auto found = records_.find(locator);
    if (found != records_.end()) return found->second;
    Record absent;
    absent.text = "absent";
    return absent;
  }
  [[nodiscard]] std::string Text(const std::string& locator) const { return At(locator).text; }
  [[nodiscard]] std::string Attr(const std::string& locator, const std::string& name) const {
    return std::string(At(locator).attrs.FindString(name));
  }
  [[nodiscard]] const Part& PartOf(const std::string& name) { return parts_[name]; }
  // Of the records of a kind, "locator: text".
  [[nodiscard]] std::vector<std::string> OfKind(const std::string& kind) const {
    std::vector<std::string> found;
    for (const auto& [locator, record] : records_) {
      if (record.kind == kind) found.push_back(locator + ": " + record.text);
    }
    return found;
  }

 private:
  std::map<std::string, Record> records_;
  std::map<std::string, Part> parts_;
};

std::string Relationship(const std::string& id, const std::string& type,
                         const std::string& target) {
  return "<Relationship Id='" + id + "' Type='t/" + type + "' Target='" + target + "'/>";
}

constexpr char kStyleSheet[] =
    "<styleSheet><fonts><font><sz val='11'/><name val='Calibri'/></font>"
    "<font><b/><i val='0'/><u/><sz val='14'/><name val='Calibri'/><color rgb='FFFF0000'/></font>"
    "<font><strike/><sz val='11'/><name val='Arial'/><color theme='4' tint='0.4'/></font></fonts>"
    "<fills><fill><patternFill patternType='none'/></fill>"
    "<fill><patternFill patternType='solid'><fgColor rgb='FFFFFF00'/></patternFill></fill>"
    "<fill><patternFill patternType='gray125'><fgColor indexed='10'/></patternFill></fill></fills>"
    "<borders><border/><border><left style='thin'/><right style='thin'/><top style='thin'/>"
    "<bottom style='thin'/></border><border><bottom style='double'><color rgb='FF00FF00'/>"
    "</bottom></border></borders>"
    "<cellStyleXfs><xf fontId='0'/><xf fontId='1'/></cellStyleXfs>"
    "<cellXfs><xf/><xf fontId='1' fillId='1' borderId='1'/>"
    "<xf fontId='2' fillId='2' borderId='2' xfId='1'><alignment horizontal='center' "
    "textRotation='45' wrapText='1'/><protection locked='0'/></xf></cellXfs>"
    "<cellStyles><cellStyle name='Normal' xfId='0'/><cellStyle name='Loud' xfId='1'/></cellStyles>"
    "<dxfs><dxf><font><color rgb='FF9C0006'/></font><fill><patternFill>"
    "<bgColor rgb='FFFFC7CE'/></patternFill></fill></dxf></dxfs></styleSheet>";

WorkbookXml Styled(const std::string& sheet_data) {
  WorkbookXml xml;
  xml.sheet_data = sheet_data;
  xml.parts = {{"xl/styles.xml", kStyleSheet}};  // the last of two counts
  return xml;
}

TEST(XlsxView, StylesAreWordsOfTheirCells) {
  const Records records(
      Styled("<row r='1'><c r='A1'><v>1</v></c><c r='B1' s='1'><v>2</v></c>"
             "<c r='C1' s='2'><v>3</v></c><c r='D1' s='1'/></row>"
             "<row r='2'><c r='B2' s='1'/></row>"));
  EXPECT_EQ(records.At("Sheet1!A1").attrs.Find("style"), nullptr);
  EXPECT_EQ(records.Attr("Sheet1!B1", "style"),
            "14pt, bold, underline, color #FF0000, fill #FFFF00, border thin");
  EXPECT_EQ(records.Attr("Sheet1!C1", "style"),
            "style Loud, Arial, struck through, color accent1 +40%, fill gray125 palette 10, "
            "bottom border double #00FF00, align center, rotated 45, wrapped, unlocked");
  EXPECT_THAT(records.OfKind("cell_style"),
              ::testing::ElementsAre("style:Loud: Calibri, 14pt, bold, underline, color #FF0000",
                                     "style:Normal: Calibri, 11pt"));
  EXPECT_THAT(records.Text("styles:dxfs"), HasSubstr("FF9C0006"));
}

// Empty cells have no record: their format has one, by ranges.
TEST(XlsxView, FormattedCellsAreRangesOfTheirFormat) {
  WorkbookXml xml = Styled(
      "<row r='1'><c r='A1' s='1'/><c r='B1' s='1'><v>1</v></c></row>"
      "<row r='2'><c r='A2' s='1'/><c r='B2' s='1'/><c r='D2' s='2'/></row>"
      "<row r='4'><c r='A4' s='1'/><c r='F4' s='2'/></row>"
      "<row r='5' s='2' customFormat='1'><c r='A5' s='2'/><c r='B5'/></row>");
  xml.before_data = "<cols><col min='6' max='6' width='9' style='2'/></cols>";
  std::map<std::string, std::string> ranges;
  const Records records(xml);
  for (const std::string& each : records.OfKind("format")) {
    const size_t colon = each.find(": ");
    ranges[each.substr(colon + 2).substr(0, 8)] = records.Attr(each.substr(0, colon), "ranges");
  }
  EXPECT_EQ(ranges["14pt, bo"], "A1:B2,A4");
  EXPECT_EQ(ranges["style Lo"], "D2");  // F4 has its column's, A5 its row's
  EXPECT_EQ(ranges["usual"], "B5");
  EXPECT_EQ(ranges.size(), 3u);
}

TEST(XlsxView, ManyRangesAreCountedAndDigested) {
  const auto make = [](int shift) {
    std::string rows;
    for (int row = 1; row <= 600; row += 2) {
      const std::string r = std::to_string(row);
      const std::string column = row == 599 && shift > 0 ? "B" : "A";
      rows += "<row r='" + r + "'><c r='" + column + r + "' s='1'/></row>";
    }
    return Records(Styled(rows));
  };
  const Records before = make(0);
  const Records after = make(1);
  const std::string name = before.OfKind("format").at(0);
  const std::string locator = name.substr(0, name.find(": "));
  EXPECT_EQ(before.At(locator).attrs.Find("range_count")->as_integer(), 300);
  EXPECT_EQ(before.Attr(locator, "ranges"), after.Attr(locator, "ranges"));
  EXPECT_NE(before.Attr(locator, "digest"), after.Attr(locator, "digest"));
}

TEST(XlsxView, HiddenRowsAndColumnsHideTheirCells) {
  WorkbookXml xml;
  xml.before_data =
      "<cols><col min='2' max='3' hidden='1' width='4.5'/><col min='5' max='5' width='20' "
      "outlineLevel='1'/></cols>";
  xml.sheet_data =
      "<row r='1'><c r='A1'><v>1</v></c><c r='C1'><v>2</v></c></row>"
      "<row r='2' hidden='1'><c r='A2'><v>3</v></c></row><row r='3' hidden='1'/>"
      "<row r='4' ht='30' customHeight='1'/><row r='5' ht='15'/>";
  const Records records(xml);
  EXPECT_EQ(records.At("Sheet1!A1").hidden, "");
  EXPECT_EQ(records.At("Sheet1!C1").hidden, "hidden column");
  EXPECT_EQ(records.At("Sheet1!A2").hidden, "hidden row");
  EXPECT_THAT(records.OfKind("row"),
              ::testing::ElementsAre("Sheet1!row:2:3: hidden", "Sheet1!row:4: height 30pt"));
  EXPECT_THAT(
      records.OfKind("column"),
      ::testing::ElementsAre("Sheet1!col:B: hidden, width 4.5", "Sheet1!col:C: hidden, width 4.5",
                             "Sheet1!col:E: width 20, outline level 1"));
}

TEST(XlsxView, FormatsOfPartsOfATextAndItsPhonetics) {
  WorkbookXml xml;
  xml.shared_strings =
      "<si><r><t>ab</t></r><r><rPr><b/><color rgb='FFFF0000'/></rPr><t>cd</t></r>"
      "<rPh sb='0' eb='1'><t>KANA</t></rPh></si>";
  xml.sheet_data =
      "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='inlineStr'><is><r><t>x</t></r><r>"
      "<rPr><i/></rPr><t>y</t></r></is></c><c r='C1' cm='1' vm='2'><v>1</v></c></row>";
  const Records records(xml);
  EXPECT_EQ(records.Text("Sheet1!A1"), "abcd");
  EXPECT_EQ(records.Attr("Sheet1!A1", "runs"), "2-4 bold, color #FF0000");
  EXPECT_EQ(records.Attr("Sheet1!A1", "phonetic"), "KANA");
  EXPECT_EQ(records.Attr("Sheet1!B1", "runs"), "1-2 italic");
  EXPECT_EQ(records.Attr("Sheet1!C1", "metadata"), "cm=1, vm=2");
}

TEST(XlsxView, ArrayFormulasAreThoseOfAllTheirCells) {
  WorkbookXml xml;
  xml.sheet_data =
      "<row r='1'><c r='A1'><f t='array' ref='A1:A3'>B1:B3*2</f><v>2</v></c></row>"
      "<row r='2'><c r='A2'><v>4</v></c><c r='C2'><v>9</v></c></row>"
      "<row r='3'><c r='A3'><f>1+1</f><v>2</v></c></row>"
      "<row r='5'><c r='B5'><f t='dataTable' ref='B5:B6' dt2D='0' r1='D1'/><v>1</v></c></row>"
      "<row r='6'><c r='B6'><v>2</v></c></row>";
  const Records records(xml);
  EXPECT_EQ(records.Attr("Sheet1!A1", "formula"), "B1:B3*2");
  EXPECT_EQ(records.Attr("Sheet1!A2", "formula"), "B1:B3*2");
  EXPECT_EQ(records.Attr("Sheet1!A2", "array"), "A1:A3");
  EXPECT_EQ(records.Attr("Sheet1!A3", "formula"), "1+1");
  EXPECT_EQ(records.Attr("Sheet1!C2", "array"), "");
  EXPECT_EQ(records.Attr("Sheet1!B6", "formula"), "TABLE(D1)");
}

TEST(XlsxView, ArraysThatOverlapWithoutEndAreCutWithAWord) {
  WorkbookXml xml;
  for (int row = 1; row <= 3000; ++row) {
    const std::string r = std::to_string(row);
    xml.sheet_data +=
        "<row r='" + r + "'><c r='A" + r + "'><f t='array' ref='A1:A3000'>B1</f><v>1</v></c></row>";
  }
  const auto content = NewXlsxFormat()->Parse(MakeWorkbook(xml), Limits(), {});
  ASSERT_TRUE(content.ok());
  ASSERT_EQ(content->diagnostics.size(), 1u);
  EXPECT_EQ(content->diagnostics[0].code, "bad_array");
}

TEST(XlsxView, PiecesAroundTheCells) {
  WorkbookXml xml = Styled("");
  xml.before_data =
      "<sheetPr><tabColor rgb='FF00FF00'/></sheetPr><sheetViews><sheetView showGridLines='0' "
      "zoomScale='85' workbookViewId='0'><pane ySplit='1' xSplit='2' topLeftCell='C2' "
      "state='frozen'/></sheetView></sheetViews>";
  xml.after_data =
      "<sheetProtection sheet='1' password='CC1A' sort='0'/>"
      "<autoFilter ref='A1:B9'><filterColumn colId='0'><filters><filter val='x'/></filters>"
      "</filterColumn></autoFilter>"
      "<scenarios><scenario name='Best'><inputCells r='B2' val='42'/></scenario></scenarios>"
      "<conditionalFormatting sqref='A1:A9 C1'><cfRule type='cellIs' dxfId='0' priority='1' "
      "operator='greaterThan'><formula>5</formula></cfRule></conditionalFormatting>"
      "<dataValidations count='1'><dataValidation type='list' sqref='B2' promptTitle='T' "
      "prompt='Choose' allowBlank='1'><formula1>\"a,b\"</formula1></dataValidation>"
      "</dataValidations><headerFooter><oddHeader>&amp;LLeft &amp;P</oddHeader></headerFooter>"
      "<extLst><ext><x14:sparklineGroups xmlns:x14='x' xmlns:xm='y'><x14:sparklineGroup>"
      "<x14:sparklines><x14:sparkline><xm:f>A1:A9</xm:f><xm:sqref>D1</xm:sqref></x14:sparkline>"
      "</x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>";
  const Records records(xml);
  EXPECT_EQ(records.Text("Sheet1!property:sheetPr"), "{tabColor: rgb=FF00FF00}");
  EXPECT_EQ(records.Text("Sheet1!view:1"), "frozen rows 1 columns 2, zoom 85%, grid lines hidden");
  EXPECT_EQ(records.Text("Sheet1!protection"), "protected, by password, allows sort");
  EXPECT_THAT(records.Text("Sheet1!filter"), HasSubstr("A1:B9: filterColumn colId=0"));
  EXPECT_EQ(records.Text("Sheet1!scenario:Best"), "Best: B2=42");
  EXPECT_EQ(records.At("Sheet1!scenario:Best").hidden, "scenario");
  EXPECT_EQ(records.Text("Sheet1!conditional_format:A1:A9,C1"),
            "cellIs operator=greaterThan 5: color #9C0006, fill #FFC7CE");
  EXPECT_EQ(records.Text("Sheet1!validation:B2"), "list \"a,b\"; promptTitle: T; prompt: Choose");
  EXPECT_EQ(records.Attr("Sheet1!validation:B2", "settings"), "allowBlank=1");
  EXPECT_EQ(records.Text("Sheet1!page:oddHeader"), "&LLeft &P");
  EXPECT_EQ(records.Text("Sheet1!sparkline:D1"), "line A1:A9");
}

// A long range in many rules: what the records say together has a bound.
TEST(XlsxView, WordsThatAreRepeatedHaveALimit) {
  std::string range = "A1";
  while (range.size() < 1 << 20) range += " A1";
  WorkbookXml xml;
  xml.after_data = "<conditionalFormatting sqref='" + range + "'>";
  for (int i = 0; i < 1000; ++i) xml.after_data += "<cfRule type='uniqueValues' priority='1'/>";
  xml.after_data += "</conditionalFormatting>";
  const auto content = NewXlsxFormat()->Parse(MakeWorkbook(xml), Limits(), {});
  ASSERT_TRUE(content.ok());
  ASSERT_EQ(content->diagnostics.size(), 1u);
  EXPECT_EQ(content->diagnostics[0].code, "limit_exceeded");
  uint64_t bytes = 0;
  for (const auto& segment : content->segments) bytes += segment->memory_bytes();
  EXPECT_GT(bytes, uint64_t{16} << 20);
  EXPECT_LT(bytes, uint64_t{128} << 20);
}

// Paragraphs inside paragraphs are read once.
TEST(XlsxView, NestedTextsAreNotMultiplied) {
  std::string nested = std::string(100'000, 'x');
  for (int i = 0; i < 200; ++i) nested = "<p><t>" + nested + "</t></p>";
  WorkbookXml xml;
  xml.sheet_relationships = Relationship("d1", "drawing", "../drawings/drawing1.xml");
  xml.parts = {{"xl/drawings/drawing1.xml", "<wsDr><a><sp>" + nested + "</sp></a></wsDr>"}};
  const Records records(xml);
  EXPECT_EQ(records.Text("Sheet1!shape:1").size(), 100'000u);
}

constexpr char kDrawing[] =
    "<xdr:wsDr xmlns:xdr='d' xmlns:a='a' xmlns:r='r' xmlns:c='c' xmlns:mc='mc'>"
    "<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>2</xdr:row></xdr:from><xdr:to>"
    "<xdr:col>3</xdr:col><xdr:row>5</xdr:row></xdr:to><xdr:pic><xdr:nvPicPr><xdr:cNvPr id='2' "
    "name='Picture 1' descr='A cat'/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed='i1'/>"
    "</xdr:blipFill></xdr:pic></xdr:twoCellAnchor>"
    "<xdr:twoCellAnchor><xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id='3' name='Chart 1'/>"
    "</xdr:nvGraphicFramePr><a:graphic><a:graphicData uri='x/chart'><c:chart r:id='c1'/>"
    "</a:graphicData></a:graphic></xdr:graphicFrame></xdr:twoCellAnchor>"
    "<mc:AlternateContent><mc:Choice><xdr:oneCellAnchor><xdr:sp textlink='Sheet1!$A$1'>"
    "<xdr:nvSpPr><xdr:cNvPr id='4' name='Box'/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>Hello</a:t>"
    "</a:r><a:r><a:t> you</a:t></a:r></a:p><a:p><a:r><a:t>there</a:t></a:r></a:p></xdr:txBody>"
    "</xdr:sp></xdr:oneCellAnchor></mc:Choice><mc:Fallback><xdr:oneCellAnchor><xdr:sp>"
    "<xdr:nvSpPr><xdr:cNvPr id='4' name='Box'/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>Old</a:t>"
    "</a:r></a:p></xdr:txBody></xdr:sp></xdr:oneCellAnchor></mc:Fallback></mc:AlternateContent>"
    "</xdr:wsDr>";

constexpr char kChart[] =
    "<c:chartSpace xmlns:c='c' xmlns:a='a'><c:chart><c:title><c:tx><c:rich><a:p><a:r>"
    "<a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx>"
    "<c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:pt><c:v>20_x0032_4</c:v></c:pt></c:strCache>"
    "</c:strRef></c:tx><c:cat><c:strRef><c:f>Sheet1!$A$2:$A$3</c:f><c:strCache><c:pt><c:v>N</c:v>"
    "</c:pt><c:pt><c:v>S</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef>"
    "<c:f>Sheet1!$B$2:$B$3</c:f><c:numCache><c:pt><c:v>1.5</c:v></c:pt></c:numCache></c:numRef>"
    "</c:val></c:ser></c:barChart><c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>Euro</a:t></a:r>"
    "</a:p></c:rich></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>";

TEST(XlsxView, DrawingsChartsAndPictures) {
  WorkbookXml xml;
  xml.sheet_relationships = Relationship("d1", "drawing", "../drawings/drawing1.xml");
  xml.parts = {{"xl/drawings/drawing1.xml", kDrawing},
               {"xl/drawings/_rels/drawing1.xml.rels",
                "<Relationships>" + Relationship("i1", "image", "../media/cat.png") +
                    Relationship("c1", "chart", "../charts/chart1.xml") + "</Relationships>"},
               {"xl/media/cat.png", "png"},
               {"xl/charts/chart1.xml", kChart}};
  Records records(xml);
  EXPECT_EQ(records.Text("Sheet1!image:1"), "A cat");
  EXPECT_EQ(records.Attr("Sheet1!image:1", "range"), "B3:D6");
  EXPECT_EQ(records.Attr("Sheet1!image:1", "content"), ContentHash::Of("png").ToString());
  EXPECT_EQ(records.At("Sheet1!image:1").key, "image:id2");
  EXPECT_EQ(records.Text("Sheet1!shape:1"), "Hello you\nthere");
  EXPECT_EQ(records.Attr("Sheet1!shape:1", "formula"), "Sheet1!$A$1");
  EXPECT_EQ(records.Text("Sheet1!shape:2"), "Old");
  EXPECT_NE(records.At("Sheet1!shape:2").hidden, "");
  EXPECT_EQ(records.Text("Sheet1!chart:1"), "Chart 1");
  EXPECT_EQ(records.Text("Sheet1!chart:1/definition"), "Sales");
  EXPECT_EQ(records.Attr("Sheet1!chart:1/definition", "types"), "barChart");
  EXPECT_EQ(records.Text("Sheet1!chart:1/series:1"), "2024");
  EXPECT_EQ(records.Attr("Sheet1!chart:1/series:1", "values_formula"), "Sheet1!$B$2:$B$3");
  EXPECT_EQ(records.Text("Sheet1!chart:1/text:2"), "Euro");
  EXPECT_EQ(records.Attr("Sheet1!chart:1/text:2", "role"), "valAx title");
  EXPECT_THAT(records.PartOf("xl/media/cat.png").kinds, ::testing::ElementsAre("image"));
  EXPECT_THAT(records.PartOf("xl/charts/chart1.xml").kinds, ::testing::Contains("series"));
}

TEST(XlsxView, PivotTablesAndTheirCaches) {
  WorkbookXml xml;
  xml.workbook_relationships =
      Relationship("p1", "pivotCacheDefinition", "pivotCache/definition1.xml");
  xml.sheet_relationships = Relationship("p2", "pivotTable", "../pivotTables/table1.xml");
  xml.parts = {
      {"xl/pivotTables/table1.xml",
       "<pivotTableDefinition name='Pivot1'><location ref='A3:B9'/><pivotFields><pivotField>"
       "<items><item x='0' h='1'/></items></pivotField></pivotFields><rowFields><field x='0'/>"
       "</rowFields><dataFields><dataField name='Total' fld='1'/></dataFields>"
       "</pivotTableDefinition>"},
      {"xl/pivotTables/_rels/table1.xml.rels",
       "<Relationships>" +
           Relationship("x", "pivotCacheDefinition", "../pivotCache/definition1.xml") +
           "</Relationships>"},
      {"xl/pivotCache/definition1.xml",
       "<pivotCacheDefinition refreshedBy='Ann'><cacheSource><worksheetSource ref='A1:B9' "
       "sheet='Data'/></cacheSource><cacheFields><cacheField name='Region'><sharedItems>"
       "<s v='North'/><m/></sharedItems></cacheField><cacheField "
       "name='Sum'><fieldGroup><groupItems><s v='Few'/><s v='Many'/>"
       "</groupItems></fieldGroup></cacheField></cacheFields>"
       "</pivotCacheDefinition>"}};
  const Records records(xml);
  EXPECT_EQ(records.Attr("Sheet1!pivot:Pivot1", "rows"), "Region");
  EXPECT_EQ(records.Attr("Sheet1!pivot:Pivot1", "values"), "Total (sum of Sum)");
  EXPECT_EQ(records.Attr("Sheet1!pivot:Pivot1", "left_out"), "Region 1");
  EXPECT_EQ(records.Text("pivot_cache:1"), "Data!A1:B9");
  EXPECT_EQ(records.Attr("pivot_cache:1/field:Sum", "groups"), "Few, Many");
  const Record field = records.At("pivot_cache:1/field:Region");
  EXPECT_EQ(field.hidden, "pivot cache");
  EXPECT_EQ(field.attrs.Find("items")->as_array().at(0).as_string(), "North");
}

TEST(XlsxView, WhatTheWorkbookItselfSays) {
  WorkbookXml xml;
  xml.workbook_properties = "<workbookProtection lockStructure='1'/>";
  xml.workbook_rest =
      "<externalReferences><externalReference r:id='e1'/></externalReferences>"
      "<calcPr calcId='1' calcMode='manual' fullCalcOnLoad='1'/>";
  xml.workbook_relationships = Relationship("e1", "externalLink", "externalLinks/link1.xml") +
                               Relationship("c1", "connections", "connections.xml");
  xml.parts = {
      {"xl/externalLinks/link1.xml",
       "<externalLink xmlns:r='r'><externalBook r:id='b'><sheetNames><sheetName val='Prices'/>"
       "</sheetNames><sheetDataSet><sheetData sheetId='0'><row r='1'><cell r='A1'><v>7</v></cell>"
       "</row></sheetData></sheetDataSet></externalBook></externalLink>"},
      {"xl/externalLinks/_rels/link1.xml.rels",
       "<Relationships><Relationship Id='b' Type='t/externalLinkPath' Target='other.xlsx' "
       "TargetMode='External'/></Relationships>"},
      {"xl/connections.xml",
       "<connections><connection name='Db'><dbPr connection='DSN=x' command='SELECT 1'/>"
       "</connection></connections>"},
      {"xl/metadata.xml", "<metadata><s v='MDX of a cube'/></metadata>"}};
  Records records(xml);
  EXPECT_EQ(records.At("workbook:workbookProtection").kind, "protection");
  EXPECT_EQ(records.Text("calculation"), "manual");
  EXPECT_EQ(records.Attr("calculation", "state"), "calcId=1 fullCalcOnLoad=1");
  EXPECT_EQ(records.Text("external_link:1"), "other.xlsx");
  EXPECT_EQ(records.Text("external_link:1/sheet:Prices"), "A1=7");
  EXPECT_EQ(records.Attr("connection:Db", "command"), "SELECT 1");
  EXPECT_EQ(records.Text("data:xl/metadata.xml"), "MDX of a cube");
  EXPECT_THAT(records.PartOf("xl/metadata.xml").kinds, ::testing::ElementsAre("other_part"));
  EXPECT_THAT(records.PartOf("[Content_Types].xml").kinds, ::testing::IsEmpty());
}

TEST(XlsxView, MacrosOfRealWorkbooksAreReadable) {
  size_t modules = 0;
  size_t files = 0;
  for (const std::string& path : testing::CorpusFiles("xlsx")) {
    const Result<ParsedContent> content =
        NewXlsxFormat()->Parse(testing::ReadFile(path), Limits(), {});
    if (!content.ok()) continue;
    size_t macros = 0;
    for (const auto& segment : content->segments) {
      segment->ForEach([&](const Record& record) {
        macros += record.kind == "macro_project" ? 1 : 0;
        if (record.kind != "macro_module") return record.kind != "cell";
        EXPECT_THAT(record.text, HasSubstr("Attribute VB_Name"));
        EXPECT_EQ(record.parent, "macros");
        EXPECT_EQ(record.hidden, "macro");
        ++modules;
        return true;
      });
    }
    for (const Part& part : content->parts) {
      if (!part.name.ends_with("vbaProject.bin")) continue;
      ++files;
      EXPECT_EQ(macros, 1u) << path;
      EXPECT_THAT(part.kinds, ::testing::Contains("macro_module")) << path;
    }
  }
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  EXPECT_GT(files, 3u);
  EXPECT_GT(modules, files);
}

TEST(XlsxView, MacrosThatCannotBeReadStayOpaqueWithAWord) {
  WorkbookXml xml;
  xml.workbook_relationships = Relationship("v", "vbaProject", "vbaProject.bin");
  xml.parts = {{"xl/vbaProject.bin", "no compound file"}};
  const auto content = NewXlsxFormat()->Parse(MakeWorkbook(xml), Limits(), {});
  ASSERT_TRUE(content.ok());
  ASSERT_EQ(content->diagnostics.size(), 1u);
  EXPECT_EQ(content->diagnostics[0].code, "macros");
  for (const Part& part : content->parts) {
    const bool is_covered = !part.kinds.empty();
    EXPECT_FALSE(part.name == "xl/vbaProject.bin" && is_covered);
  }
}

}  // namespace
}  // namespace staged
