#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "formats/test_support.h"
#include "formats/xlsx/xlsx_format.h"
#include "formats/xlsx/xlsx_test_support.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeEdit;
using testing::MakeWorkbook;
using testing::WorkbookXml;

Edit Set(const std::string& locator, Value value) {
  return MakeEdit("set", locator, {{"value", std::move(value)}});
}
Edit SetFormula(const std::string& locator, const std::string& formula) {
  return MakeEdit("set", locator, {{"formula", Value(formula)}});
}

std::string ReadMember(const std::string& bytes, const std::string& name) {
  const Result<ZipReader> zip = ZipReader::Open(bytes, Limits());
  if (!zip.ok()) return zip.status().message();
  const ZipMember* member = zip->Find(name);
  return member == nullptr ? "(absent)" : *zip->Read(*member);
}

struct Edited {
  std::string bytes;
  std::string sheet;  // what stands inside <sheetData>
  std::vector<std::string> members;
  std::vector<std::string> derived;
};

Edited Apply(const std::string& bytes, const std::vector<Edit>& edits) {
  const Result<EditOutcome> outcome = NewXlsxFormat()->Apply(bytes, edits, Limits());
  Edited edited;
  if (!outcome.ok()) {
    edited.sheet =
        std::string(ErrorCodeName(outcome.status().code())) + ": " + outcome.status().message();
    return edited;
  }
  edited.bytes = outcome->bytes;
  edited.members = outcome->rewritten_members;
  for (const DerivedEffect& effect : outcome->derived) {
    edited.derived.push_back(effect.locator + ": " + effect.description);
  }
  const std::string xml = ReadMember(edited.bytes, "xl/worksheets/sheet1.xml");
  const size_t begin = xml.find("<sheetData>");
  edited.sheet = begin == std::string::npos
                     ? xml
                     : xml.substr(begin + 11, xml.find("</sheetData>") - begin - 11);
  return edited;
}

std::string EditSheet(const std::string& sheet_data, const std::vector<Edit>& edits,
                      WorkbookXml xml = {}) {
  xml.sheet_data = sheet_data;
  return Apply(MakeWorkbook(xml), edits).sheet;
}

TEST(XlsxEdit, SetsValuesOfEveryTypeAndKeepsTheStyle) {
  const std::string row =
      "<row r=\"1\"><c r=\"A1\" s=\"0\"><v>1</v></c><c r=\"C1\"><v>3</v></c></row>";
  const auto edit = [&](Value value) {
    return EditSheet(row, {Set("Sheet1!A1", std::move(value))});
  };
  const std::string rest = "<c r=\"C1\"><v>3</v></c></row>";
  EXPECT_EQ(edit(42), "<row r=\"1\"><c r=\"A1\" s=\"0\"><v>42</v></c>" + rest);
  EXPECT_EQ(edit(0.1), "<row r=\"1\"><c r=\"A1\" s=\"0\"><v>0.1</v></c>" + rest);
  EXPECT_EQ(edit(true), "<row r=\"1\"><c r=\"A1\" s=\"0\" t=\"b\"><v>1</v></c>" + rest);
  EXPECT_EQ(edit(Value()), "<row r=\"1\"><c r=\"A1\" s=\"0\"/>" + rest);
  EXPECT_EQ(edit("a<b & c"),
            "<row r=\"1\"><c r=\"A1\" s=\"0\" t=\"inlineStr\"><is><t xml:space=\"preserve\">"
            "a&lt;b &amp; c</t></is></c>" +
                rest);
  EXPECT_EQ(EditSheet(row, {SetFormula("sheet1!A1", "=B1<2")}),
            "<row r=\"1\"><c r=\"A1\" s=\"0\"><f>B1&lt;2</f></c>" + rest);
}

TEST(XlsxEdit, PutsCellsAndRowsInOrder) {
  const std::string rows =
      "<row r=\"2\"><c r=\"B2\"><v>1</v></c></row><row r=\"4\"/><row r=\"6\"><c r=\"B6\"/></row>";
  EXPECT_EQ(
      EditSheet(rows,
                {Set("Sheet1!C2", 3), Set("Sheet1!A2", 2), Set("Sheet1!B4", 4), Set("Sheet1!A4", 5),
                 Set("Sheet1!A1", 6), Set("Sheet1!B1", 7), Set("Sheet1!A3", 8), Set("Sheet1!A9", 9),
                 Set("Sheet1!A8", 10), Set("Sheet1!B6", 11)}),
      "<row r=\"1\"><c r=\"A1\"><v>6</v></c><c r=\"B1\"><v>7</v></c></row>"
      "<row r=\"2\"><c r=\"A2\"><v>2</v></c><c r=\"B2\"><v>1</v></c><c r=\"C2\"><v>3</v></c></row>"
      "<row r=\"3\"><c r=\"A3\"><v>8</v></c></row>"
      "<row r=\"4\"><c r=\"A4\"><v>5</v></c><c r=\"B4\"><v>4</v></c></row>"
      "<row r=\"6\"><c r=\"B6\"><v>11</v></c></row>"
      "<row r=\"8\"><c r=\"A8\"><v>10</v></c></row><row r=\"9\"><c r=\"A9\"><v>9</v></c></row>");
  EXPECT_EQ(EditSheet("", {Set("Sheet1!B2", 1)}), "<row r=\"2\"><c r=\"B2\"><v>1</v></c></row>");
}

TEST(XlsxEdit, ExtendsTheDimensionAndInheritsStyles) {
  WorkbookXml xml;
  xml.before_data =
      "<dimension ref=\"B2:C3\"/><cols><col min=\"4\" max=\"5\" width=\"9\" style=\"1\"/></cols>";
  xml.cell_formats = "<xf/><xf/>";
  xml.sheet_data = "<row r=\"3\" s=\"2\" customFormat=\"1\"><c r=\"C3\"><v>1</v></c></row>";
  const Edited edited = Apply(MakeWorkbook(xml), {Set("Sheet1!E2", 1), Set("Sheet1!A3", 2)});
  EXPECT_THAT(ReadMember(edited.bytes, "xl/worksheets/sheet1.xml"),
              HasSubstr("<dimension ref=\"A2:E3\"/>"));
  EXPECT_EQ(edited.sheet,
            "<row r=\"2\"><c r=\"E2\" s=\"1\"><v>1</v></c></row><row r=\"3\" s=\"2\" "
            "customFormat=\"1\"><c r=\"A3\" s=\"2\"><v>2</v></c><c r=\"C3\"><v>1</v></c></row>");
}

TEST(XlsxEdit, AppendsSharedStringsOrTakesThoseThere) {
  WorkbookXml xml;
  xml.shared_strings = "<si><t>old</t></si>";
  xml.sheet_data = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\"><v>2</v></c></row>";
  const std::string bytes = MakeWorkbook(xml);
  Edited edited = Apply(bytes, {Set("Sheet1!B1", "new & \x01 _x0041_"), Set("Sheet1!C1", "old")});
  EXPECT_EQ(edited.sheet,
            "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c>"
            "<c r=\"C1\" t=\"s\"><v>0</v></c></row>");
  EXPECT_THAT(ReadMember(edited.bytes, "xl/sharedStrings.xml"),
              HasSubstr("count=\"3\" uniqueCount=\"2\"><si><t>old</t></si><si><t "
                        "xml:space=\"preserve\">new &amp; _x0001_ _x005F_x0041_</t></si></sst>"));
  EXPECT_THAT(edited.members,
              ::testing::UnorderedElementsAre("xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"));
}

TEST(XlsxEdit, KeepsEveryOtherMemberByteForByte) {
  WorkbookXml xml;
  xml.sheet_data = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>";
  xml.parts = {{"xl/media/a.png", "png"}, {"customXml/item1.xml", "<a/>"}};
  const std::string bytes = MakeWorkbook(xml);
  const Edited edited = Apply(bytes, {Set("Sheet1!A1", 2)});
  EXPECT_THAT(edited.members, ElementsAre("xl/worksheets/sheet1.xml"));
  const Result<ZipReader> before = ZipReader::Open(bytes, Limits());
  const Result<ZipReader> after = ZipReader::Open(edited.bytes, Limits());
  ASSERT_TRUE(before.ok() && after.ok());
  for (const ZipMember& member : before->members()) {
    if (member.name == "xl/worksheets/sheet1.xml") continue;
    EXPECT_EQ(after->CompressedBytes(*after->Find(member.name)), before->CompressedBytes(member));
  }
  const Edited nothing = Apply(bytes, {MakeEdit("clear", "Sheet1!Z9")});
  EXPECT_EQ(nothing.bytes, bytes);
}

TEST(XlsxEdit, FormulasAskForCalculation) {
  WorkbookXml xml;
  xml.workbook_rest = "<definedNames/><calcPr calcId=\"1\"/><extLst/>";
  xml.sheet_data = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>";
  Edited edited = Apply(MakeWorkbook(xml), {SetFormula("Sheet1!A1", "SUM(B:B)")});
  EXPECT_THAT(ReadMember(edited.bytes, "xl/workbook.xml"),
              HasSubstr("<calcPr fullCalcOnLoad=\"1\" calcId=\"1\"/>"));
  EXPECT_THAT(edited.derived, ::testing::Contains(HasSubstr("fullCalcOnLoad")));
  xml.workbook_rest = "<definedNames/><extLst/>";
  edited = Apply(MakeWorkbook(xml), {SetFormula("Sheet1!A1", "SUM(B:B)")});
  EXPECT_THAT(ReadMember(edited.bytes, "xl/workbook.xml"),
              HasSubstr("<definedNames/><calcPr fullCalcOnLoad=\"1\"/><extLst/>"));
  edited = Apply(MakeWorkbook(xml), {Set("Sheet1!A1", 2)});
  EXPECT_THAT(edited.members, ElementsAre("xl/worksheets/sheet1.xml"));
}

TEST(XlsxEdit, OverwritingAFormulaRemovesItsChainEntry) {
  WorkbookXml xml;
  xml.sheet_data =
      "<row r=\"1\"><c r=\"A1\"><f>1+1</f><v>2</v></c><c r=\"B1\"><f>2+2</f><v>4</v></c></row>";
  xml.workbook_relationships =
      "<Relationship Id=\"c\" Type=\"t/calcChain\" Target=\"calcChain.xml\"/>";
  xml.parts = {{"xl/calcChain.xml", "<calcChain><c r=\"A1\" i=\"1\"/><c r=\"B1\"/></calcChain>"}};
  Edited edited = Apply(MakeWorkbook(xml), {Set("Sheet1!A1", 5)});
  EXPECT_EQ(ReadMember(edited.bytes, "xl/calcChain.xml"),
            "<calcChain><c i=\"1\" r=\"B1\"/></calcChain>");
  EXPECT_THAT(edited.derived, ::testing::Contains(HasSubstr("Sheet1!A1: its entry")));
  edited = Apply(MakeWorkbook(xml), {Set("Sheet1!A1", 5), MakeEdit("clear", "Sheet1!B1")});
  EXPECT_EQ(ReadMember(edited.bytes, "xl/calcChain.xml"), "(absent)");
  EXPECT_THAT(ReadMember(edited.bytes, "xl/_rels/workbook.xml.rels"),
              ::testing::Not(HasSubstr("calcChain")));
  edited = Apply(MakeWorkbook(xml), {SetFormula("Sheet1!A1", "3+3")});
  EXPECT_EQ(ReadMember(edited.bytes, "xl/calcChain.xml"), xml.parts[0].second);
}

TEST(XlsxEdit, SharedFormulasFindANewHome) {
  const std::string rows =
      "<row r=\"1\"><c r=\"A1\"><f t=\"shared\" ref=\"A1:A4\" "
      "si=\"0\">B1&amp;\"x\"</f><v>1</v></c></row>"
      "<row r=\"2\"><c r=\"A2\"><f t=\"shared\" si=\"0\"/><v>1</v></c></row>"
      "<row r=\"3\"><c r=\"A3\"><f t=\"shared\" si=\"0\"/><v>1</v></c></row>"
      "<row r=\"4\"><c r=\"A4\"><f t=\"shared\" si=\"0\"/><v>1</v></c></row>";
  EXPECT_EQ(
      EditSheet(rows, {Set("Sheet1!A1", 5), Set("Sheet1!A2", 6)}),
      "<row r=\"1\"><c r=\"A1\"><v>5</v></c></row><row r=\"2\"><c r=\"A2\"><v>6</v></c></row>"
      "<row r=\"3\"><c r=\"A3\"><f t=\"shared\" ref=\"A3:A4\" si=\"0\">B3&amp;\"x\"</f><v>1</v>"
      "</c></row><row r=\"4\"><c r=\"A4\"><f t=\"shared\" si=\"0\"/><v>1</v></c></row>");
}

TEST(XlsxEdit, GuardsAndReplacesText) {
  WorkbookXml xml;
  xml.shared_strings = "<si><t>red & red</t></si><si><r><rPr><b/></rPr><t>bold</t></r></si>";
  xml.shared_strings.replace(xml.shared_strings.find("& "), 1, "&amp;");
  const std::string row =
      "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c>"
      "<c r=\"C1\"><f>A1</f><v>7</v></c></row>";
  const auto replace = [&](const std::string& cell, const std::string& find) {
    return EditSheet(
        row, {MakeEdit("replace_text", cell, {{"find", Value(find)}, {"replace", Value("x")}})},
        xml);
  };
  EXPECT_THAT(replace("Sheet1!A1", "red"), HasSubstr("<c r=\"A1\" t=\"s\"><v>2</v></c>"));
  EXPECT_THAT(replace("Sheet1!A1", "blue"), HasSubstr("no_match"));
  EXPECT_THAT(replace("Sheet1!B1", "bold"), HasSubstr("unsupported_edit"));
  EXPECT_THAT(replace("Sheet1!C1", "7"), HasSubstr("unsupported_edit"));
  const auto guarded = [&](const std::string& cell, Value expect) {
    return EditSheet(
        row, {MakeEdit("set", cell, {{"expect", std::move(expect)}, {"value", Value(1)}})}, xml);
  };
  EXPECT_THAT(guarded("Sheet1!A1", "red & red"), HasSubstr("<c r=\"A1\"><v>1</v></c>"));
  EXPECT_THAT(guarded("Sheet1!A1", "red"), HasSubstr("no_match"));
  EXPECT_THAT(guarded("Sheet1!C1", 7.0), HasSubstr("<c r=\"C1\"><v>1</v></c>"));
  EXPECT_THAT(guarded("Sheet1!C1", "=A1"), HasSubstr("<c r=\"C1\"><v>1</v></c>"));
  EXPECT_THAT(guarded("Sheet1!D1", Value()), HasSubstr("<c r=\"D1\"><v>1</v></c>"));
  EXPECT_THAT(guarded("Sheet1!D1", 1), HasSubstr("no_match"));
  // Later edits see what earlier ones did; all or none.
  Edit second = Set("Sheet1!A1", 3);
  second.expect = Value(2);
  EXPECT_THAT(EditSheet(row, {Set("Sheet1!A1", 2), second}, xml), HasSubstr("<v>3</v>"));
}

TEST(XlsxEdit, RefusesWhatItCannotDoRight) {
  WorkbookXml xml;
  xml.after_data = "<mergeCells><mergeCell ref=\"A1:B2\"/></mergeCells>";
  xml.sheet_relationships = "<Relationship Id=\"t\" Type=\"t/table\" Target=\"../tables/t.xml\"/>";
  xml.parts = {{"xl/tables/t.xml", "<table ref=\"D1:E3\"/>"}};
  const std::string row =
      "<row r=\"5\"><c r=\"A5\"><f t=\"array\" ref=\"A5:A6\">B1:B2</f></c></row>";
  const auto refuse = [&](const Edit& edit) { return EditSheet(row, {edit}, xml); };
  EXPECT_THAT(refuse(Set("Sheet1!B2", 1)), HasSubstr("set Sheet1!A1 instead"));
  EXPECT_THAT(refuse(Set("Sheet1!A6", 1)), HasSubstr("array formula"));
  EXPECT_THAT(refuse(Set("Sheet1!E1", 1)), HasSubstr("header"));
  EXPECT_THAT(refuse(Set("Sheet1!A1:B2", 1)), HasSubstr("unsupported_edit"));
  EXPECT_THAT(refuse(Set("A1", 1)), HasSubstr("invalid_argument"));
  EXPECT_THAT(refuse(Set("Other!A1", 1)), HasSubstr("no_match"));
  EXPECT_THAT(refuse(MakeEdit("insert_rows", "Sheet1!A1")), HasSubstr("use set"));
  EXPECT_THAT(refuse(MakeEdit("set", "Sheet1!A9")), HasSubstr("invalid_argument"));
  EXPECT_THAT(refuse(SetFormula("Sheet1!A9", "=")), HasSubstr("invalid_argument"));
  EXPECT_THAT(refuse(Set("Sheet1!A9", std::string(32768, 'x'))), HasSubstr("32767"));
  EXPECT_THAT(refuse(Set("Sheet1!A9", "\xff")), HasSubstr("UTF-8"));
  EXPECT_THAT(EditSheet("<row><c><v>1</v></c></row>", {Set("Sheet1!C3", 1)}),
              HasSubstr("without addresses"));
  EXPECT_EQ(EditSheet("<row><c><v>1</v></c></row>", {Set("Sheet1!A1", 2)}),
            "<row><c r=\"A1\"><v>2</v></c></row>");
}

// Every workbook of the corpus: one cell set, read back, everything else unchanged.
TEST(XlsxEdit, CorpusCellsReadBackAndNothingElseChanges) {
  const auto format = NewXlsxFormat();
  size_t edited = 0;
  size_t refused = 0;
  for (const std::string& path : testing::CorpusFiles("xlsx")) {
    const std::string bytes = testing::ReadFile(path);
    const auto before = format->Parse(bytes, Limits(), {});
    if (!before.ok()) continue;
    std::optional<Record> cell;
    std::map<std::string, Record> expected;
    for (const auto& segment : before->segments) {
      segment->ForEach([&](const Record& record) {
        if (record.kind == "cell" && !cell) cell = record;
        if (record.kind == "cell") expected[record.locator] = record;
        return true;
      });
    }
    if (!cell) continue;
    const Result<EditOutcome> outcome =
        format->Apply(bytes, {Set(cell->locator, "a <new> & text")}, Limits());
    if (!outcome.ok()) {
      EXPECT_EQ(outcome.status().code(), ErrorCode::kUnsupportedEdit)
          << path << ": " << outcome.status().message();
      ++refused;
      continue;
    }
    ++edited;
    const auto after = format->Parse(outcome->bytes, Limits(), {});
    ASSERT_TRUE(after.ok()) << path;
    size_t differences = 0;
    size_t count = 0;
    for (const auto& segment : after->segments) {
      segment->ForEach([&](const Record& record) {
        if (record.kind != "cell") return true;
        ++count;
        if (expected[record.locator] == record) return true;
        ++differences;
        EXPECT_EQ(record.locator, cell->locator) << path;
        EXPECT_EQ(record.attrs.FindString("value"), "a <new> & text") << path;
        return true;
      });
    }
    EXPECT_EQ(differences, 1u) << path;
    EXPECT_EQ(count, expected.size()) << path;
  }
  if (edited == 0) GTEST_SKIP() << "no corpus: the folder xlsx skipped";
  EXPECT_GT(edited, 60u);
  EXPECT_LT(refused, 10u);
}

}  // namespace
}  // namespace staged
