#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "formats/test_support.h"
#include "formats/xlsx/formula.h"
#include "formats/xlsx/xlsx_format.h"
#include "formats/xlsx/xlsx_test_support.h"
#include "record/grid_segment.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeWorkbook;
using testing::WorkbookXml;

std::vector<Record> RecordsOf(const std::string& bytes, std::vector<Diagnostic>* complaints = {}) {
  const Result<ParsedContent> content = NewXlsxFormat()->Parse(bytes, Limits(), {});
  EXPECT_TRUE(content.ok()) << content.status().message();
  std::vector<Record> records;
  if (!content.ok()) return records;
  if (complaints != nullptr) *complaints = content->diagnostics;
  for (const auto& segment : content->segments) {
    for (size_t i = 0; i < segment->record_count(); ++i) records.push_back(segment->At(i));
  }
  return records;
}

// "A1=text", with the formula behind where there is one.
std::vector<std::string> Cells(const std::string& sheet_data, WorkbookXml xml = {}) {
  xml.sheet_data = sheet_data;
  std::vector<std::string> cells;
  for (const Record& record : RecordsOf(MakeWorkbook(xml))) {
    if (record.kind != "cell") continue;
    std::string cell = record.key + "=" + record.text;
    const std::string_view formula = record.attrs.FindString("formula");
    if (!formula.empty()) cell += " [" + std::string(formula) + "]";
    cells.push_back(cell);
  }
  return cells;
}

TEST(XlsxParse, EveryTypeOfCell) {
  WorkbookXml xml;
  xml.shared_strings =
      "<si><t>shared &amp; plain</t></si>"
      "<si><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r><rPh sb='0' eb='1'><t>KANA</t></rPh></si>"
      "<si><t>a_x000D_b_x005F_x0041_</t></si><si><t></t></si>";
  xml.cell_formats = "<xf numFmtId='164'/><xf numFmtId='2'/>";
  EXPECT_THAT(
      Cells("<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c>"
            "<c r='C1' t='s'><v>2</v></c><c r='D1' t='b'><v>1</v></c>"
            "<c r='E1' t='e'><v>#N/A</v></c><c r='F1' t='str'><f>A1&amp;\"x\"</f><v>y</v></c>"
            "<c r='G1' t='inlineStr'><is><r><t>in</t></r><r><t>line</t></r></is></c>"
            "<c r='H1' s='1'><v>45376</v></c><c r='I1' s='2'><v>1.005</v></c>"
            "<c r='J1' t='d'><v>2024-03-25T06:00:00Z</v></c><c r='K1'><f>NOW()</f></c>"
            "<c r='L1' s='1'/><c r='M1' t='s'><v>3</v></c>"
            "<c r='N1' t='inlineStr'><is><t><![CDATA[<b>]]></t></is></c></row>",
            xml),
      ElementsAre("A1=shared & plain", "B1=rich", "C1=a\rb_x0041_", "D1=TRUE", "E1=#N/A",
                  "F1=y [A1&\"x\"]", "G1=inline", "H1=2024-03-25", "I1=1.01",
                  "J1=2024-03-25 06:00:00", "K1= [NOW()]", "M1=", "N1=<b>"));
}

// A string of a megabyte in many cells: what the cells say together has a bound.
// The C library reads the same text to the same double, whatever its form.
TEST(XlsxParse, NumbersAreTheNearestDoubles) {
  const uint64_t seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::string> texts = {"0",
                                    "-0",
                                    "0.1",
                                    "-0.3",
                                    ".5",
                                    "5.",
                                    "999999999999999",
                                    "0.999999999999999",
                                    "1e3",
                                    "+7",
                                    " 12.50 ",
                                    "0000000000000000001.5",
                                    "123456789012345.678",
                                    "-.25"};
  for (int i = 0; i < 2000; ++i) {
    std::string digits = std::to_string(random() >> random() % 60);
    if (random() % 4 != 0) digits.insert(random() % (digits.size() + 1), ".");
    texts.push_back((random() % 3 == 0 ? "-" : "") + digits);
  }
  WorkbookXml xml;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string row = std::to_string(i + 1);
    xml.sheet_data += "<row r='" + row + "'><c r='A" + row + "'><v>" + texts[i] + "</v></c></row>";
  }
  size_t at = 0;
  for (const Record& record : RecordsOf(MakeWorkbook(xml))) {
    if (record.kind != "cell") continue;
    ASSERT_LT(at, texts.size());
    const double expected = std::strtod(texts[at].c_str(), nullptr);
    const Value* value = record.attrs.Find("value");
    ASSERT_TRUE(value != nullptr && value->is_number()) << texts[at];
    EXPECT_EQ(value->as_double(), expected) << texts[at];
    ++at;
  }
  EXPECT_EQ(at, texts.size());
}

TEST(XlsxParse, SharedTextHasALimit) {
  constexpr size_t kStringBytes = 1 << 20;
  constexpr size_t kCells = 2000;
  WorkbookXml xml;
  xml.shared_strings = "<si><t>" + std::string(kStringBytes, 'x') + "</t></si>";
  xml.sheet_data = "<row>";
  for (size_t i = 0; i < kCells; ++i) xml.sheet_data += "<c t='s'><v>0</v></c>";
  xml.sheet_data += "</row>";
  const Result<ParsedContent> content = NewXlsxFormat()->Parse(MakeWorkbook(xml), Limits(), {});
  ASSERT_TRUE(content.ok()) << content.status().message();
  uint64_t text_bytes = 0;
  size_t cells = 0;
  for (const auto& segment : content->segments) {
    const auto* grid = dynamic_cast<const GridSegment*>(segment.get());
    if (grid == nullptr) continue;
    text_bytes += grid->text_bytes();
    cells += grid->cell_count();
  }
  EXPECT_GT(text_bytes, uint64_t{32} << 20);
  EXPECT_LT(text_bytes, uint64_t{64} << 20);
  EXPECT_LT(cells, kCells);
  ASSERT_EQ(content->diagnostics.size(), 2u);
  EXPECT_EQ(content->diagnostics[1].severity, "note");
  EXPECT_THAT(content->diagnostics[1].message, HasSubstr("the first 131072 bytes"));
  EXPECT_EQ(content->diagnostics[0].code, "limit_exceeded");
  EXPECT_EQ(content->diagnostics[0].severity, "error");
  EXPECT_THAT(content->diagnostics[0].message,
              HasSubstr("the cells from " + FormatCellAddress({1, uint32_t(cells) + 1}) + " on"));
}

TEST(XlsxParse, CellsAndRowsWithoutAddresses) {
  EXPECT_THAT(Cells("<row><c><v>1</v></c><c r='D1'><v>2</v></c><c><v>3</v></c></row>"
                    "<row r='5'><c><v>4</v></c></row><row><c><v>5</v></c></row>"),
              ElementsAre("A1=1", "D1=2", "E1=3", "A5=4", "A6=5"));
}

TEST(XlsxParse, PrefixesAndStrictNamespace) {
  const std::string bytes = testing::MakeArchive(
      {{"_rels/.rels",
        "<Relationships><Relationship Id='r' Type='http://purl.oclc.org/ooxml/officeDocument/"
        "relationships/officeDocument' Target='book.xml'/></Relationships>"},
       {"book.xml",
        "<x:workbook xmlns:x='http://purl.oclc.org/ooxml/spreadsheetml/main' xmlns:q='r'>"
        "<x:sheets><x:sheet name='It&apos;s' sheetId='7' q:id='s' state='veryHidden'/></x:sheets>"
        "</x:workbook>"},
       {"_rels/book.xml.rels",
        "<Relationships><Relationship Id='s' Type='x/worksheet' Target='/s.xml'/>"
        "</Relationships>"},
       {"s.xml",
        "<x:worksheet xmlns:x='y'><x:sheetData><x:row r='2'><x:c r='B2'><x:v>7</x:v></x:c></x:row>"
        "</x:sheetData></x:worksheet>"}});
  const std::vector<Record> records = RecordsOf(bytes);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[2].locator, "calculation");
  EXPECT_EQ(records[0].locator, "'It''s'");
  EXPECT_EQ(records[0].hidden, "very hidden sheet");
  EXPECT_EQ(records[0].attrs.FindString("dimension"), "B2");
  EXPECT_EQ(records[1].locator, "'It''s'!B2");
  EXPECT_EQ(records[1].hidden, "very hidden sheet");
  EXPECT_EQ(records[1].parent, records[0].locator);
}

TEST(XlsxParse, Epoch1904) {
  WorkbookXml xml;
  xml.workbook_properties = "<workbookPr date1904='1'/>";
  xml.cell_formats = "<xf numFmtId='164'/>";
  EXPECT_THAT(
      Cells("<row><c s='1'><v>43914</v></c><c t='d' s='1'><v>2024-03-25</v></c></row>", xml),
      ElementsAre("A1=2024-03-25", "B1=2024-03-25"));
}

TEST(XlsxParse, SharedFormulasAreEachCellsOwn) {
  EXPECT_THAT(
      Cells("<row r='2'><c r='B2'><f t='shared' ref='B2:B4' si='0'>A1+$A$1+LOG10(A2)"
            "+'A1'!A1&amp;\"A1\"+Table1[A1]</f><v>1</v></c></row>"
            "<row r='4'><c r='C4'><f t='shared' si='0'/><v>2</v></c></row>"
            "<row r='5'><c r='A5'><f t='array' ref='A5:A6'>SUM(A1:A2)</f><v>3</v></c>"
            "</row>"),
      ElementsAre("B2=1 [A1+$A$1+LOG10(A2)+'A1'!A1&\"A1\"+Table1[A1]]",
                  "C4=2 [B3+$A$1+LOG10(B4)+'A1'!B3&\"A1\"+Table1[A1]]", "A5=3 [SUM(A1:A2)]"));
}

TEST(XlsxFormula, Shifts) {
  EXPECT_EQ(xlsx::ShiftFormula("A:A+1:1+$B:C", 1, 1), "B:B+2:2+$B:D");
  EXPECT_EQ(xlsx::ShiftFormula("A1", -1, 0), "#REF!");
  EXPECT_EQ(xlsx::ShiftFormula("XFD1", 0, 1), "#REF!");
  EXPECT_EQ(xlsx::ShiftFormula("A1_x+ABCD1+TRUE+1E3+_A1", 1, 1), "A1_x+ABCD1+TRUE+1E3+_A1");
  EXPECT_EQ(xlsx::ShiftFormula("[1]Sheet1!A1+\"a\"\"A1\"+Sheet1!$A2", 1, 1),
            "[1]Sheet1!B2+\"a\"\"A1\"+Sheet1!$A3");
  EXPECT_EQ(xlsx::ShiftFormula("", 1, 1), "");
  EXPECT_EQ(xlsx::ShiftFormula("\"open", 1, 1), "\"open");
  EXPECT_EQ(xlsx::ShiftFormula("T[[a]", 1, 1), "T[[a]");
}

TEST(XlsxParse, BlankStyledCellsCostNothing) {
  std::string rows;
  for (int i = 1; i <= 100000; ++i) {
    rows +=
        "<row r='" + std::to_string(i) + "' s='1'><c r='A" + std::to_string(i) + "' s='1'/></row>";
  }
  EXPECT_THAT(Cells(rows + "<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>"),
              ElementsAre("XFD1048576=1"));
}

TEST(XlsxParse, RecordsAroundTheCells) {
  WorkbookXml xml;
  xml.after_data =
      "<mergeCells><mergeCell ref='A1:B2'/></mergeCells>"
      "<hyperlinks><hyperlink ref='C3' r:id='h1' tooltip='tip'/></hyperlinks>"
      "<pageMargins left='1'/>";
  xml.workbook_rest =
      "<definedNames><definedName name='Rate'>Sheet1!$A$1</definedName><definedName name='P' "
      "localSheetId='0' hidden='1'>Sheet1!$B$1</definedName></definedNames>";
  xml.sheet_relationships =
      "<Relationship Id='h1' Type='t/hyperlink' Target='http://x/' TargetMode='External'/>"
      "<Relationship Id='c1' Type='t/comments' Target='../comments1.xml'/>"
      "<Relationship Id='t1' Type='t/table' Target='../tables/table1.xml'/>";
  xml.parts = {{"xl/comments1.xml",
                "<comments><authors><author>Ann</author></authors><commentList><comment ref='B7' "
                "authorId='0'><text><r><t>two </t></r><r><t>runs</t></r></text></comment>"
                "</commentList></comments>"},
               {"xl/tables/table1.xml",
                "<table displayName='Table1' ref='A1:B3'><tableColumns><tableColumn id='1' "
                "name='Qty'/><tableColumn id='2' name='Sum'><calculatedColumnFormula>Table1[Qty]*2"
                "</calculatedColumnFormula></tableColumn></tableColumns></table>"}};
  std::map<std::string, Record> by_locator;
  for (const Record& record : RecordsOf(MakeWorkbook(xml))) by_locator[record.locator] = record;
  EXPECT_EQ(by_locator["name:Rate"].text, "Sheet1!$A$1");
  EXPECT_EQ(by_locator["Sheet1!name:P"].hidden, "hidden name");
  EXPECT_EQ(by_locator["Sheet1!merge:A1:B2"].kind, "merge");
  EXPECT_EQ(by_locator["Sheet1!hyperlink:C3"].text, "http://x/");
  EXPECT_EQ(by_locator["Sheet1!comment:B7"].text, "two runs");
  EXPECT_EQ(by_locator["Sheet1!comment:B7"].attrs.FindString("author"), "Ann");
  EXPECT_EQ(by_locator["table:Table1"].attrs.FindString("range"), "A1:B3");
  EXPECT_EQ(by_locator["Table1[Sum]"].attrs.FindString("formula"), "Table1[Qty]*2");
  EXPECT_EQ(by_locator["Table1[Qty]"].parent, "table:Table1");
  EXPECT_EQ(by_locator["Sheet1!property:pageMargins"].kind, "sheet_property");
  EXPECT_EQ(by_locator["Sheet1!property:pageMargins"].text, "left=1");
  EXPECT_EQ(by_locator.size(), 12u);
}

TEST(XlsxParse, SaysWhatIsBrokenAndKeepsTheRest) {
  WorkbookXml xml;
  xml.shared_strings = "<si><t>a</t></si>";
  xml.sheet_data =
      "<row r='1'><c r='A1'><v>1</v></c><c r='?'><v>2</v></c><c r='C1' t='s'><v>9</v></c>"
      "<c r='D1'><v>inf</v></c></row><row r='2'><c r='A2'><v>3</v></row>";
  std::vector<Diagnostic> complaints;
  const std::vector<Record> records = RecordsOf(MakeWorkbook(xml), &complaints);
  std::vector<std::string> codes;
  for (const Diagnostic& complaint : complaints) codes.push_back(complaint.code);
  EXPECT_THAT(codes, ElementsAre("bad_address", "bad_shared_string", "bad_number", "malformed"));
  EXPECT_EQ(std::count_if(records.begin(), records.end(),
                          [](const Record& record) { return record.kind == "cell"; }),
            4);
}

TEST(XlsxParse, KeepsItsRecordLimit) {
  WorkbookXml xml;
  xml.sheet_data = "<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>";
  Limits limits;
  limits.records_max = 2;
  const auto content = NewXlsxFormat()->Parse(MakeWorkbook(xml), limits, {});
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->diagnostics.back().code, "limit_exceeded");
  ASSERT_GT(content->segments.size(), 1u);
  EXPECT_EQ(content->segments[1]->record_count(), 2u);
}

TEST(XlsxParse, ReusesSheetsWithoutReadingThem) {
  WorkbookXml xml;
  xml.sheet_data = "<row><c><v>1</v></c></row>";
  const std::string bytes = MakeWorkbook(xml);
  const auto format = NewXlsxFormat();
  const auto first = format->Parse(bytes, Limits(), {});
  ASSERT_TRUE(first.ok());
  std::map<ContentHash, std::shared_ptr<const Segment>> cache;
  for (const auto& segment : first->segments) cache[segment->digest()] = segment;
  size_t hits = 0;
  const SegmentSource source = [&](const std::string&, const ContentHash& digest) {
    const auto found = cache.find(digest);
    hits += found != cache.end();
    return found == cache.end() ? nullptr : found->second;
  };
  const auto second = format->Parse(bytes, Limits(), source);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(hits, 4u);
  EXPECT_EQ(second->segments, first->segments);
  EXPECT_EQ(second->parts, first->parts);
  xml.cell_formats = "<xf/>";
  const auto changed = format->Parse(MakeWorkbook(xml), Limits(), source);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(hits, 5u);  // what the workbook itself says
}

TEST(XlsxParse, EveryMemberIsAPart) {
  WorkbookXml xml;
  xml.parts = {{"xl/media/image1.png", "png"}, {"xl/media/image1.png", "twice"}};
  const auto content = NewXlsxFormat()->Parse(MakeWorkbook(xml), Limits(), {});
  ASSERT_TRUE(content.ok());
  std::map<std::string, Part> parts;
  for (const Part& part : content->parts) parts[part.name] = part;
  EXPECT_EQ(parts["xl/media/image1.png"].digest, ContentHash::Of("twice"));
  EXPECT_EQ(parts["xl/media/image1.png#1"].digest, ContentHash::Of("png"));
  EXPECT_THAT(parts["xl/media/image1.png"].kinds, ElementsAre());
  EXPECT_THAT(parts["xl/worksheets/sheet1.xml"].kinds, ::testing::Contains("cell"));
  EXPECT_THAT(parts["xl/styles.xml"].kinds, ::testing::Contains("cell_style"));
}

TEST(XlsxSniff, KnowsItsOwn) {
  const auto format = NewXlsxFormat();
  EXPECT_EQ(format->Sniff(MakeWorkbook({}), "zip"), 100);
  EXPECT_EQ(format->Sniff("text", "xlsx"), 50);
  EXPECT_EQ(format->Sniff("text", "txt"), 0);
  EXPECT_EQ(format->Sniff(testing::MakeArchive({{"word/document.xml", ""}}), "docx"), 0);
  EXPECT_EQ(format->Sniff(testing::MakeArchive({{"xl/workbook.bin", ""}}), "xlsb"), 0);
}

TEST(XlsxParse, CorpusAndHostileFilesGiveAViewOrAClearError) {
  size_t files = 0;
  for (const char* folder : {"xlsx", "hostile"}) {
    for (const std::string& path : testing::CorpusFiles(folder)) {
      const std::string bytes = testing::ReadFile(path);
      const auto format = NewXlsxFormat();
      const auto content = format->Parse(bytes, Limits(), {});
      ++files;
      if (content.ok()) {
        for (const auto& segment : content->segments) {
          segment->ForEach([&](const Record& record) { return !record.locator.empty(); });
        }
      } else {
        EXPECT_FALSE(content.status().message().empty()) << path;
        EXPECT_THAT(content.status().message(), ::testing::Not(HasSubstr("\n"))) << path;
      }
    }
  }
  if (files == 0) GTEST_SKIP() << "no corpus: 2 folders of real files skipped";
}

// Three sheets of 6,000 cells each, large enough to be read at the same time.
std::string MakeThreeSheets() {
  const std::string main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const std::string office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  std::string sheets;
  std::string relationships;
  std::vector<std::pair<std::string, std::string>> members;
  for (int sheet = 1; sheet <= 3; ++sheet) {
    const std::string number = std::to_string(sheet);
    sheets +=
        "<sheet name=\"S" + number + "\" sheetId=\"" + number + "\" r:id=\"r" + number + "\"/>";
    relationships += "<Relationship Id=\"r" + number + "\" Type=\"" + office +
                     "/worksheet\" Target=\"worksheets/sheet" + number + ".xml\"/>";
    std::string rows;
    for (int row = 1; row <= 6000; ++row) {
      const std::string at = std::to_string(row);
      rows += "<row r=\"" + at + "\"><c r=\"A" + at + "\" t=\"inlineStr\"><is><t>text " + number +
              " " + at + "</t></is></c></row>";
    }
    members.emplace_back(
        "xl/worksheets/sheet" + number + ".xml",
        "<worksheet xmlns=\"" + main + "\"><sheetData>" + rows + "</sheetData></worksheet>");
  }
  members.emplace_back("xl/workbook.xml", "<workbook xmlns=\"" + main + "\" xmlns:r=\"" + office +
                                              "\"><sheets>" + sheets + "</sheets></workbook>");
  members.emplace_back("xl/_rels/workbook.xml.rels",
                       "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/"
                       "relationships\">" +
                           relationships + "</Relationships>");
  return testing::MakeArchive(members);
}

TEST(XlsxParse, SheetsReadAtTheSameTimeKeepTheLimitsAsOneAfterTheOther) {
  const std::string bytes = MakeThreeSheets();
  const SegmentSource nothing = [](const std::string&, const ContentHash&) {
    return std::shared_ptr<const Segment>();
  };
  for (const uint64_t records_max : {100'000U, 13'000U, 12'001U, 7'000U, 20U}) {
    Limits limits;
    limits.records_max = records_max;
    const auto ahead = NewXlsxFormat()->Parse(bytes, limits, {});
    // Who might have seen the first sheets is asked for each of them before it is read.
    const auto in_turn = NewXlsxFormat()->Parse(bytes, limits, nothing);
    ASSERT_TRUE(ahead.ok() && in_turn.ok());
    EXPECT_EQ(ahead->diagnostics, in_turn->diagnostics) << records_max;
    EXPECT_EQ(ahead->parts, in_turn->parts);
    ASSERT_EQ(ahead->segments.size(), in_turn->segments.size()) << records_max;
    size_t records = 0;
    for (size_t i = 0; i < ahead->segments.size(); ++i) {
      EXPECT_EQ(ahead->segments[i]->Encode(), in_turn->segments[i]->Encode()) << records_max;
      records += ahead->segments[i]->record_count();
    }
    EXPECT_LE(records, records_max + 6) << "each sheet may say its name";
    const bool is_cut = std::any_of(
        ahead->diagnostics.begin(), ahead->diagnostics.end(),
        [](const Diagnostic& diagnostic) { return diagnostic.code == "limit_exceeded"; });
    EXPECT_EQ(is_cut, records_max < 18'000U);
  }
}

}  // namespace
}  // namespace staged
