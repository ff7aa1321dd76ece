#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "formats/odf/odf_test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using testing::MakeEdit;
using testing::MakeOdf;
using testing::ReadMember;

// The body after the edits, or the error.
std::string EditBody(const Format& format, const std::string& kind, std::string_view body,
                     const std::vector<Edit>& edits) {
  const std::string edited = ApplyEdits(format, MakeOdf(kind, body), edits);
  if (edited.starts_with("ERROR")) return edited;
  const std::string xml = ReadMember(edited, "content.xml");
  const size_t begin = xml.find("<office:" + kind + ">") + kind.size() + 9;
  return xml.substr(begin, xml.find("</office:" + kind + ">") - begin);
}

std::string EditText(std::string_view body, const std::vector<Edit>& edits) {
  return EditBody(*NewOdtFormat(), "text", body, edits);
}

std::string EditSheet(std::string_view rows, const std::vector<Edit>& edits) {
  const std::string before = "<table:table table:name=\"S\">";
  const std::string after = EditBody(*NewOdsFormat(), "spreadsheet",
                                     before + std::string(rows) + "</table:table>", edits);
  if (after.starts_with("ERROR")) return after;
  return after.substr(before.size(), after.rfind("</table:table>") - before.size());
}

Edit Replace(std::string locator, std::string find, std::string replace) {
  return MakeEdit("replace_text", std::move(locator),
                  {{"find", std::move(find)}, {"replace", std::move(replace)}});
}

Edit SetCell(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}

TEST(OdtEdit, ReplacesAcrossSpans) {
  EXPECT_EQ(
      EditText("<text:p>one <text:span text:style-name=\"T1\">two &amp;</text:span> x</text:p>",
               {Replace("p:1", "two & x", "<2>")}),
      "<text:p>one <text:span text:style-name=\"T1\">&lt;2&gt;</text:span></text:p>");
}

TEST(OdtEdit, SpacesNeverCollapse) {
  const auto text_after = [](std::string_view paragraph, const Edit& edit) {
    const std::string edited =
        ApplyEdits(*NewOdtFormat(),
                   MakeOdf("text", "<text:p>" + std::string(paragraph) + "</text:p>"), {edit});
    return edited.starts_with("ERROR") ? edited : testing::ParseOdt(edited).Find("p:1")->text;
  };
  EXPECT_EQ(text_after("a b c", Replace("p:1", "b", "")), "a  c");
  EXPECT_EQ(text_after("a b c", Replace("p:1", "b", "  b  ")), "a   b   c");
  EXPECT_EQ(text_after("a b", Replace("p:1", "a", "")), " b");
  EXPECT_EQ(text_after("a b", Replace("p:1", "b", "")), "a ");
  EXPECT_EQ(text_after("a", Replace("p:1", "a", "x\ty\n z")), "x\ty\n z");
  EXPECT_EQ(text_after("a b a", MakeEdit("replace_text", "p:1",
                                         {{"find", "a"}, {"replace", " "}, {"all", true}})),
            "  b  ");
}

TEST(OdtEdit, ParagraphsAreInsertedAndDeleted) {
  const std::string list =
      "<text:list><text:list-item><text:p>one</text:p></text:list-item><text:list-item>"
      "<text:p>two</text:p></text:list-item></text:list>";
  EXPECT_EQ(EditText(list, {MakeEdit("delete", "p:1")}),
            "<text:list><text:list-item><text:p>two</text:p></text:list-item></text:list>");
  EXPECT_EQ(EditText("<text:p text:style-name=\"P\">a</text:p>",
                     {MakeEdit("insert_after", "p:1", {{"text", "b"}})}),
            "<text:p text:style-name=\"P\">a</text:p><text:p text:style-name=\"P\">b</text:p>");
  EXPECT_EQ(EditText("<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>",
                     {MakeEdit("insert_before", "p:1", {{"text", "b"}})}),
            "<text:list><text:list-item><text:p>b</text:p></text:list-item><text:list-item>"
            "<text:p>a</text:p></text:list-item></text:list>");
  EXPECT_TRUE(EditText("<text:p>a<text:bookmark-start text:name=\"b\"/></text:p><text:p/>",
                       {MakeEdit("delete", "p:1")})
                  .starts_with("ERROR unsupported_edit"));
}

TEST(OdtEdit, WritesTableCells) {
  EXPECT_EQ(EditText("<table:table><table:table-row><table:table-cell><text:p>a</text:p>"
                     "</table:table-cell></table:table-row></table:table>",
                     {MakeEdit("set", "t:1/r:1/c:1", {{"text", "b\nc"}})}),
            "<table:table><table:table-row><table:table-cell><text:p>b</text:p><text:p>c</text:p>"
            "</table:table-cell></table:table-row></table:table>");
}

TEST(OdsEdit, KeepsValueTypeAndTextConsistent) {
  const std::string row =
      "<table:table-row><table:table-cell table:style-name=\"ce1\" "
      "office:value-type=\"float\" office:value=\"1\"><text:p>1</text:p>"
      "</table:table-cell></table:table-row>";
  EXPECT_EQ(EditSheet(row, {SetCell("S!A1", "a & b")}),
            "<table:table-row><table:table-cell table:style-name=\"ce1\" "
            "office:value-type=\"string\"><text:p>a &amp; b</text:p></table:table-cell>"
            "</table:table-row>");
  EXPECT_EQ(EditSheet(row, {SetCell("S!A1", 2.5)}),
            "<table:table-row><table:table-cell table:style-name=\"ce1\" "
            "office:value-type=\"float\" office:value=\"2.5\"><text:p>2.5</text:p>"
            "</table:table-cell></table:table-row>");
  EXPECT_EQ(EditSheet(row, {MakeEdit("set", "S!A1", {{"formula", "=SUM([.B1:.B2])"}})}),
            "<table:table-row><table:table-cell table:style-name=\"ce1\" "
            "table:formula=\"of:=SUM([.B1:.B2])\"/></table:table-row>");
  EXPECT_EQ(EditSheet(row, {MakeEdit("clear", "S!A1")}),
            "<table:table-row><table:table-cell table:style-name=\"ce1\"/></table:table-row>");
  EXPECT_TRUE(EditSheet(row, {MakeEdit("set", "S!A1", {{"formula", "=SUM(B1:B2)"}})})
                  .starts_with("ERROR unsupported_edit"));
  EXPECT_TRUE(EditSheet(row, {MakeEdit("set", "S!A1", {{"value", 2}, {"expect", 3}})})
                  .starts_with("ERROR no_match"));
}

TEST(OdsEdit, SplitsRepeatedRowsAndCells) {
  EXPECT_EQ(EditSheet("<table:table-row table:number-rows-repeated=\"5\"><table:table-cell "
                      "table:number-columns-repeated=\"4\"/></table:table-row>",
                      {SetCell("S!B2", 7)}),
            "<table:table-row><table:table-cell table:number-columns-repeated=\"4\"/>"
            "</table:table-row><table:table-row ><table:table-cell/><table:table-cell "
            "office:value-type=\"float\" office:value=\"7\"><text:p>7</text:p></table:table-cell>"
            "<table:table-cell table:number-columns-repeated=\"2\"/></table:table-row>"
            "<table:table-row table:number-rows-repeated=\"3\"><table:table-cell "
            "table:number-columns-repeated=\"4\"/></table:table-row>");
}

TEST(OdsEdit, WritesBeyondTheLastRowAndColumn) {
  const std::string edited =
      ApplyEdits(*NewOdsFormat(),
                 MakeOdf("spreadsheet",
                         "<table:table table:name=\"S\"><table:table-row><table:table-cell/>"
                         "</table:table-row></table:table>"),
                 {SetCell("S!D1", 1), SetCell("S!B4", "x"), SetCell("S!A4", true)});
  const View view = testing::ParseOds(edited);
  EXPECT_EQ(*view.Find("S!D1")->attrs.Find("value"), Value(1.0));
  EXPECT_EQ(view.Find("S!B4")->text, "x");
  EXPECT_EQ(*view.Find("S!A4")->attrs.Find("value"), Value(true));
}

TEST(OdsEdit, ReplacesTextInACellAndKeepsItsSpans) {
  EXPECT_EQ(EditSheet("<table:table-row><table:table-cell office:value-type=\"string\"><text:p>a "
                      "<text:span text:style-name=\"T1\">b</text:span></text:p></table:table-cell>"
                      "</table:table-row>",
                      {Replace("S!A1", "b", "c")}),
            "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>a <text:span "
            "text:style-name=\"T1\">c</text:span></text:p></table:table-cell></table:table-row>");
}

TEST(OdsEdit, EditsFlatFiles) {
  const std::string flat = testing::OdfRoot(
      "document",
      "<office:body><office:spreadsheet><table:table table:name=\"S\"><table:table-row>"
      "<table:table-cell/></table:table-row></table:table></office:spreadsheet></office:body>",
      " office:mimetype=\"application/vnd.oasis.opendocument.spreadsheet\"");
  const std::string edited = ApplyEdits(*NewOdsFormat(), flat, {SetCell("S!A1", "x")});
  EXPECT_EQ(testing::ParseOds(edited).Find("S!A1")->text, "x");
}

TEST(OdpEdit, WritesShapes) {
  EXPECT_EQ(EditBody(*NewOdpFormat(), "presentation",
                     "<draw:page draw:name=\"a\"><draw:frame><draw:text-box><text:p>old</text:p>"
                     "</draw:text-box></draw:frame></draw:page>",
                     {MakeEdit("set", "slide[a]/shape[1]", {{"text", "new\nline"}})}),
            "<draw:page draw:name=\"a\"><draw:frame><draw:text-box><text:p>new</text:p>"
            "<text:p>line</text:p></draw:text-box></draw:frame></draw:page>");
}

// An edited paragraph or cell of a real file reads as asked, and no other record changes.
TEST(OdfCorpus, AnEditChangesOneRecordOnly) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  constexpr uint32_t kSeed = 20240918;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  size_t edits = 0;
  for (const std::string& path : testing::CorpusFiles("odf")) {
    const std::string bytes = testing::ReadFile(path);
    std::unique_ptr<Format> format;
    for (auto make : {NewOdtFormat, NewOdsFormat, NewOdpFormat}) {
      if (make()->Sniff(bytes, "") == 100) format = make();
    }
    if (format == nullptr) continue;
    const View before = testing::ParseWith(*format, bytes);
    const std::vector<Record> old_records = before.Records();
    std::vector<Record> targets;
    for (const Record& record : old_records) {
      const bool is_text = record.kind == "paragraph" || record.kind == "cell";
      const bool is_cell_of_text =
          record.kind == "cell" && record.locator.find('!') == std::string::npos;
      const bool is_inside_cell = record.kind == "paragraph" && format->descriptor().name == "ods";
      // A cell that stands for many is split, which makes new records.
      const bool is_repeated = record.attrs.Find("repeated") != nullptr;
      if (is_text && !is_cell_of_text && !is_inside_cell && !is_repeated) targets.push_back(record);
    }
    for (int round = 0; round < 3 && !targets.empty(); ++round) {
      const Record& chosen = targets[random() % targets.size()];
      const std::string text = "new & <text>  " + chosen.text.substr(0, chosen.text.find(' '));
      const std::string edited =
          ApplyEdits(*format, bytes, {MakeEdit("set", chosen.locator, {{"text", text}})});
      if (edited.starts_with("ERROR")) continue;
      const std::vector<Record> new_records = testing::ParseWith(*format, edited).Records();
      ASSERT_EQ(new_records.size(), old_records.size()) << path << " " << chosen.locator;
      for (size_t i = 0; i < old_records.size(); ++i) {
        ASSERT_EQ(new_records[i].locator, old_records[i].locator) << path;
        if (old_records[i].locator == chosen.locator) {
          EXPECT_EQ(new_records[i].text, text) << path << " " << chosen.locator;
        } else if (old_records[i].kind != "slide") {  // a slide's text is its title
          EXPECT_EQ(new_records[i].text, old_records[i].text) << path << old_records[i].locator;
          EXPECT_EQ(new_records[i].attrs, old_records[i].attrs) << path << old_records[i].locator;
        }
      }
      ++edits;
    }
  }
  EXPECT_GT(edits, 50u);
  std::printf("made %zu edits\n", edits);
}

}  // namespace
}  // namespace staged
