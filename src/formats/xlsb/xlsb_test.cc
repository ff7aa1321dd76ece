#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "codec/zip.h"
#include "formats/test_support.h"
#include "formats/xlsb/functions.h"
#include "formats/xlsb/xlsb_format.h"
#include "record/cell_address.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Writes what the format calls records.
class Bytes {
 public:
  Bytes& Byte(uint8_t number) {
    bytes_ += static_cast<char>(number);
    return *this;
  }
  Bytes& Short(uint16_t number) {
    return Byte(static_cast<uint8_t>(number)).Byte(static_cast<uint8_t>(number >> 8));
  }
  Bytes& Long(uint32_t number) {
    return Short(static_cast<uint16_t>(number)).Short(static_cast<uint16_t>(number >> 16));
  }
  Bytes& Real(double number) {
    char raw[8];
    std::memcpy(raw, &number, sizeof(raw));
    return Raw({raw, sizeof(raw)});
  }
  Bytes& Units(const std::string& ascii) {
    for (const char c : ascii) Short(static_cast<uint8_t>(c));
    return *this;
  }
  Bytes& Text(const std::string& ascii) {
    return Long(static_cast<uint32_t>(ascii.size())).Units(ascii);
  }
  Bytes& Range(uint32_t first_row, uint32_t last_row, uint32_t first_column, uint32_t last_column) {
    return Long(first_row).Long(last_row).Long(first_column).Long(last_column);
  }
  Bytes& Cell(uint32_t column, uint32_t format = 0) { return Long(column).Long(format); }
  Bytes& Formula(const std::string& tokens, const std::string& extra = "") {
    Long(static_cast<uint32_t>(tokens.size())).Raw(tokens);
    return Long(static_cast<uint32_t>(extra.size())).Raw(extra);
  }
  Bytes& Record(uint32_t type, const Bytes& fields = Bytes()) {
    Number(type, 2);
    Number(static_cast<uint32_t>(fields.bytes_.size()), 4);
    return Raw(fields.bytes_);
  }
  Bytes& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void Number(uint32_t number, size_t bytes_max) {
    for (size_t i = 0; i < bytes_max; ++i) {
      const bool more = number >= 0x80 && i + 1 < bytes_max;
      Byte(static_cast<uint8_t>((number & 0x7F) | (more ? 0x80 : 0)));
      number >>= 7;
      if (!more) return;
    }
  }
  std::string bytes_;
};

constexpr uint16_t kRelativeColumn = 0x4000;
constexpr uint16_t kRelativeRow = 0x8000;
constexpr uint16_t kRelative = kRelativeColumn | kRelativeRow;

std::string Reference(uint32_t row, uint16_t column) {
  return Bytes().Byte(0x44).Long(row).Short(column).bytes();
}
std::string Integer(uint16_t number) { return Bytes().Byte(0x1E).Short(number).bytes(); }

// A workbook of the sheets "Data" and, hidden, "Q3 Sales".
std::string MakeBook(const Bytes& data_sheet, const Bytes& names = Bytes(), bool is_1904 = false) {
  const std::string office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
  const auto relationships = [](const std::string& items) {
    return "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>" +
           items + "</Relationships>";
  };
  const auto relationship = [&](const std::string& id, const std::string& type,
                                const std::string& target) {
    return "<Relationship Id='" + id + "' Type='" + office + type + "' Target='" + target + "'/>";
  };
  Bytes workbook;
  workbook.Record(131)
      .Record(153, Bytes().Long(is_1904 ? 1 : 0).Long(0).Text(""))
      .Record(156, Bytes().Long(0).Long(1).Text("rId1").Text("Data"))
      .Record(156, Bytes().Long(1).Long(7).Text("rId2").Text("Q3 Sales"))
      .Record(357)
      .Record(362, Bytes()
                       .Long(3)
                       .Long(0)
                       .Long(0)
                       .Long(0)
                       .Long(0)
                       .Long(1)
                       .Long(1)
                       .Long(0)
                       .Long(static_cast<uint32_t>(-2))
                       .Long(static_cast<uint32_t>(-2)))
      .Raw(names.bytes());
  Bytes strings;
  strings.Record(159, Bytes().Long(2).Long(2))
      .Record(19, Bytes().Byte(0).Text("first"))
      .Record(19, Bytes().Byte(1).Text("second").Long(1).Short(0).Short(1));
  Bytes styles;
  styles.Record(44, Bytes().Short(164).Text("yyyy-mm-dd"))
      .Record(617, Bytes().Long(2))
      .Record(47, Bytes().Short(0).Short(0).Raw(std::string(12, '\0')))
      .Record(47, Bytes().Short(0).Short(164).Raw(std::string(12, '\0')))
      .Record(618);
  const std::string empty = std::string("PK\5\6") + std::string(18, '\0');
  const ZipReader reader = *ZipReader::Open(empty, Limits());
  ZipSplicer splicer(reader);
  splicer.Add("_rels/.rels",
              relationships(relationship("rId1", "officeDocument", "xl/workbook.bin")));
  splicer.Add("xl/workbook.bin", workbook.bytes());
  splicer.Add("xl/_rels/workbook.bin.rels",
              relationships(relationship("rId1", "worksheet", "worksheets/sheet1.bin") +
                            relationship("rId2", "worksheet", "worksheets/sheet2.bin") +
                            relationship("rId3", "sharedStrings", "sharedStrings.bin") +
                            relationship("rId4", "styles", "styles.bin")));
  splicer.Add("xl/sharedStrings.bin", strings.bytes());
  splicer.Add("xl/styles.bin", styles.bytes());
  splicer.Add("xl/worksheets/sheet1.bin", data_sheet.bytes());
  splicer.Add("xl/worksheets/sheet2.bin", Bytes()
                                              .Record(0, Bytes().Long(0).Raw(std::string(8, '\0')))
                                              .Record(5, Bytes().Cell(0).Real(2.5))
                                              .bytes());
  return *splicer.Finish();
}

Bytes Row(uint32_t row, uint8_t flags = 0) {
  return Bytes().Record(0, Bytes().Long(row).Raw(std::string(7, '\0')).Byte(flags));
}

class XlsbTest : public ::testing::Test {
 protected:
  View Parse(const std::string& bytes) {
    registry_.Register(NewXlsbFormat());
    const auto content = registry_.Find("xlsb")->Parse(bytes, Limits(), {});
    View view;
    EXPECT_TRUE(content.ok()) << content.status().message();
    if (!content.ok()) return view;
    view.segments = content->segments;
    view.diagnostics = content->diagnostics;
    view.parts = content->parts;
    return view;
  }
  static std::string FormulaAt(const View& view, const std::string& locator) {
    const Result<Record> record = view.Find(locator);
    return record.ok() ? std::string(record->attrs.FindString("formula")) : "no such cell";
  }
  FormatRegistry registry_;
};

TEST_F(XlsbTest, ValuesOfEveryType) {
  const View view =
      Parse(MakeBook(Bytes()
                         .Raw(Row(1).bytes())
                         .Record(2, Bytes().Cell(0).Long((static_cast<uint32_t>(-1234) << 2) | 3))
                         .Record(2, Bytes().Cell(1).Long(0x3FF80000))
                         .Record(5, Bytes().Cell(2, 1).Real(42000))
                         .Record(4, Bytes().Cell(3).Byte(1))
                         .Record(3, Bytes().Cell(4).Byte(0x2A))
                         .Record(7, Bytes().Cell(5).Long(1))
                         .Record(6, Bytes().Cell(6).Text("inline"))
                         .Record(62, Bytes().Cell(7).Byte(1).Text("rich").Long(1).Short(0).Short(1))
                         .Record(1, Bytes().Cell(8))
                         .Record(8, Bytes().Cell(9).Text("made").Short(0).Formula(Integer(7)))));
  const std::pair<const char*, const char*> texts[] = {
      {"A2", "-12.34"}, {"B2", "1.5"},    {"C2", "2014-12-27"}, {"D2", "TRUE"}, {"E2", "#N/A"},
      {"F2", "second"}, {"G2", "inline"}, {"H2", "rich"},       {"J2", "made"}};
  for (const auto& [cell, text] : texts) {
    const Result<Record> record = view.Find(std::string("Data!") + cell);
    ASSERT_TRUE(record.ok()) << cell;
    EXPECT_EQ(record->text, text) << cell;
  }
  EXPECT_EQ(view.Find("Data!C2")->attrs.FindString("type"), "date");
  EXPECT_EQ(FormulaAt(view, "Data!J2"), "7");
  EXPECT_FALSE(view.Find("Data!I2").ok());  // only a look
  EXPECT_EQ(view.Find("'Q3 Sales'!A1")->hidden, "hidden sheet");
  EXPECT_EQ(view.Find("'Q3 Sales'")->attrs.FindString("state"), "hidden");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(Parse(MakeBook(Bytes().Raw(Row(0).bytes()).Record(5, Bytes().Cell(0, 1).Real(1)),
                           Bytes(), true))
                .Find("Data!A1")
                ->text,
            "1904-01-02");
}

TEST_F(XlsbTest, FormulasAsAPersonWritesThem) {
  const std::string plus = "\x03", parentheses = "\x15";
  const std::string names = Bytes().Byte(0x43).Long(1).bytes();
  const std::pair<std::string, std::string> formulas[] = {
      {Reference(0, 0 | kRelative) + Reference(1, 2) + plus, "A1+$C$2"},
      {Reference(0, 3 | kRelativeRow) + Reference(8, 1 | kRelativeColumn) + "\x07", "$D1^B$9"},
      {Bytes().Byte(0x25).Long(0).Long(8).Short(1 | kRelative).Short(1 | kRelative).bytes() +
           Bytes().Byte(0x19).Byte(0x10).Short(0).bytes(),
       "SUM(B1:B9)"},
      {Bytes().Byte(0x25).Long(0).Long(1048575).Short(1 | kRelative).Short(2 | kRelative).bytes() +
           Bytes().Byte(0x22).Byte(1).Short(4).bytes(),
       "SUM(B:C)"},
      {Bytes().Byte(0x25).Long(2).Long(3).Short(kRelative).Short(16383 | kRelative).bytes() +
           Bytes().Byte(0x42).Byte(1).Short(5).bytes(),
       "AVERAGE(3:4)"},
      {Bytes().Byte(0x17).Short(3).Units("a\"b").bytes() + Bytes().Byte(0x1D).Byte(0).bytes() +
           "\x08",
       "\"a\"\"b\"&FALSE"},
      {Bytes().Byte(0x1F).Real(300000).bytes() + Bytes().Byte(0x1F).Real(1e300).bytes() + "\x05",
       "300000*1E+300"},
      {Integer(1) + Integer(2) + plus + parentheses + "\x13" + "\x14", "-(1+2)%"},
      {Bytes().Byte(0x3A).Short(1).Long(0).Short(kRelative).bytes(), "'Q3 Sales'!A1"},
      {Bytes().Byte(0x3B).Short(0).Long(0).Long(1).Short(0).Short(0).bytes(), "Data!$A$1:$A$2"},
      {Bytes().Byte(0x3C).Short(0).Long(0).Short(0).bytes(), "Data!#REF!"},
      {Bytes().Byte(0x2A).Long(0).Short(0).bytes() + Bytes().Byte(0x1C).Byte(0x07).bytes() + plus,
       "#REF!+#DIV/0!"},
      {names + Integer(2) + "\x05", "rate*2"},
      {Integer(1) + "\x16" + Bytes().Byte(0x22).Byte(2).Short(1).bytes(), "IF(1,)"},
      {Integer(1) + Integer(2) + Bytes().Byte(0x41).Short(480).bytes(), "IFERROR(1,2)"},
      // The name of a later function is its first argument.
      {names + Integer(5) + Bytes().Byte(0x42).Byte(2).Short(255).bytes(), "rate(5)"},
  };
  Bytes sheet;
  uint32_t row = 0;
  for (const auto& [tokens, text] : formulas) {
    sheet.Raw(Row(row++).bytes()).Record(9, Bytes().Cell(0).Real(0).Short(0).Formula(tokens));
  }
  const std::string refers_to = Bytes().Byte(0x1F).Real(0.19).bytes();
  const View view = Parse(MakeBook(sheet, Bytes().Record(39, Bytes()
                                                                 .Long(1)
                                                                 .Byte(0)
                                                                 .Long(UINT32_MAX)
                                                                 .Text("rate")
                                                                 .Formula(refers_to)
                                                                 .Text("what is added"))));
  row = 0;
  for (const auto& [tokens, text] : formulas) {
    EXPECT_EQ(FormulaAt(view, "Data!A" + std::to_string(++row)), text);
  }
  const Record name = *view.Find("name:rate");
  EXPECT_EQ(name.text, "0.19");
  EXPECT_EQ(name.hidden, "hidden name");
  EXPECT_EQ(name.attrs.FindString("comment"), "what is added");
  EXPECT_TRUE(view.diagnostics.empty());
}

TEST_F(XlsbTest, FormulasOfRangesReachTheirCells) {
  // Offsets: the cell to the left, and the row above, which wraps around.
  const std::string left = Bytes().Byte(0x2C).Long(0).Short(0x3FFF | kRelative).bytes();
  const std::string at = Bytes().Byte(0x01).Long(0).bytes(), column = Bytes().Long(1).bytes();
  Bytes sheet;
  for (uint32_t row = 0; row < 3; ++row) {
    sheet.Raw(Row(row).bytes()).Record(9, Bytes().Cell(1).Real(row).Short(0).Formula(at, column));
    if (row == 0) {
      sheet.Record(427, Bytes().Range(0, 2, 1, 1).Formula(left + Integer(2) + "\x05"));
    }
    sheet.Record(9, Bytes().Cell(3).Real(row).Short(0).Formula(at, Bytes().Long(3).bytes()));
    if (row == 0) sheet.Record(426, Bytes().Range(0, 1, 3, 3).Byte(0).Formula(Integer(9)));
  }
  const View view = Parse(MakeBook(sheet));
  EXPECT_EQ(FormulaAt(view, "Data!B1"), "A1*2");
  EXPECT_EQ(FormulaAt(view, "Data!B3"), "A3*2");
  EXPECT_EQ(FormulaAt(view, "Data!D2"), "9");
  EXPECT_EQ(view.Find("Data!D1")->attrs.FindString("array"), "D1:D2");
  // D3 names a range that it is not in: its value stays, and it is said.
  EXPECT_EQ(FormulaAt(view, "Data!D3"), "");
  ASSERT_EQ(view.diagnostics.size(), 1U);
  EXPECT_EQ(view.diagnostics[0].code, "unread_formula");
  EXPECT_THAT(view.diagnostics[0].message, HasSubstr("D3"));
}

TEST_F(XlsbTest, WhatIsAroundTheCells) {
  const View view = Parse(MakeBook(
      Bytes()
          .Record(148, Bytes().Range(0, 9, 0, 3))
          .Record(60, Bytes().Long(1).Long(2).Long(0).Long(0).Short(1))
          .Raw(Row(0).bytes())
          .Record(5, Bytes().Cell(1).Real(1))
          .Raw(Row(4, 0x10).bytes())
          .Record(5, Bytes().Cell(0).Real(2))
          .Record(176, Bytes().Range(0, 1, 0, 1))
          .Record(494, Bytes().Range(4, 4, 0, 0).Text("").Text("Data!B1").Text("tip").Text("go"))
          .Record(535, Bytes().Short(1))));
  EXPECT_EQ(view.Find("Data")->attrs.FindString("dimension"), "A1:D10");
  EXPECT_EQ(view.Find("Data!B1")->hidden, "hidden column");
  EXPECT_EQ(view.Find("Data!A5")->hidden, "hidden row");
  EXPECT_EQ(view.Find("Data!merge:A1:B2")->text, "A1:B2");
  EXPECT_EQ(view.Find("Data!hyperlink:A5")->text, "Data!B1");
  EXPECT_EQ(view.Find("Data!hyperlink:A5")->attrs.FindString("tooltip"), "tip");
  EXPECT_EQ(view.Find("Data!unshown")->attrs.FindString("record_types"), "535");
}

TEST_F(XlsbTest, DamageIsSaidAndTheRestIsShown) {
  const Bytes sheet = Bytes()
                          .Raw(Row(0).bytes())
                          .Record(5, Bytes().Cell(0).Real(1))
                          .Record(7, Bytes().Cell(1).Long(99))
                          .Record(9, Bytes().Cell(2).Real(3).Short(0).Formula("\x18\x01"))
                          .Record(5, Bytes().Cell(20000).Real(1));
  Bytes torn = sheet;
  torn.Raw("\x05\x7F\x01");
  const View view = Parse(MakeBook(torn));
  EXPECT_EQ(view.Find("Data!A1")->text, "1");
  EXPECT_EQ(view.Find("Data!B1")->text, "");
  EXPECT_EQ(view.Find("Data!C1")->text, "3");
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : view.diagnostics) codes.push_back(diagnostic.code);
  EXPECT_THAT(codes, ElementsAre("truncated", "unread_formula"));
}

TEST(XlsbFormat, IsKnownByItsWorkbookAndOnlyRead) {
  const std::unique_ptr<Format> format = NewXlsbFormat();
  const std::string book = MakeBook(Row(0));
  EXPECT_EQ(format->Sniff(book, "zip"), 100);
  EXPECT_EQ(format->Sniff("text", "txt"), 0);
  const Status refused = format->Apply(book, {{}}, Limits()).status();
  EXPECT_EQ(refused.code(), ErrorCode::kUnsupportedEdit);
  EXPECT_THAT(refused.message(), HasSubstr(".xlsx"));
}

TEST(XlsbFunctions, AreInOrder) {
  EXPECT_EQ(xlsb::FindFunction(0)->name, "COUNT");
  EXPECT_EQ(xlsb::FindFunction(102)->name, "VLOOKUP");
  EXPECT_EQ(xlsb::FindFunction(484)->name, "AVERAGEIFS");
  EXPECT_EQ(xlsb::FindFunction(485), nullptr);
  for (uint16_t i = 0; i < 485; ++i) {
    const xlsb::Function* function = xlsb::FindFunction(i);
    EXPECT_TRUE(function == nullptr || function->number == i) << i;
  }
}

struct OracleCell {
  std::string kind, text;
};

std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

// By file and cell.
std::map<std::pair<std::string, std::string>, OracleCell> ReadOracle(const std::string& output) {
  std::map<std::pair<std::string, std::string>, OracleCell> cells;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> columns;
    std::istringstream row(line);
    for (std::string column; std::getline(row, column, '\t');) columns.push_back(column);
    columns.resize(4);
    cells[{columns[0], columns[1]}] = {columns[2], Unescaped(columns[3])};
  }
  return cells;
}

// Whether the cell is what the oracle says, as far as a conversion and a computation anew keep it.
bool Agrees(const Record& cell, const OracleCell& oracle) {
  std::string formula(cell.attrs.FindString("formula"));
  std::erase(formula, ' ');
  const std::string type(cell.attrs.FindString("type"));
  if (oracle.kind == "formula") {
    // It writes booleans as calls, and has no names and books that it does not know.
    const bool is_lost = oracle.text.find('#') != std::string::npos || type == "boolean";
    return is_lost || formula == oracle.text;
  }
  if (!formula.empty()) return false;
  const Value* value = cell.attrs.Find("value");
  if (oracle.kind == "number") {
    const double number = std::strtod(oracle.text.c_str(), nullptr);
    return value != nullptr && std::abs(value->as_double() - number) <= 1e-14 * std::abs(number);
  }
  if (oracle.kind == "date") return type == "date";
  return cell.text == oracle.text;
}

TEST(XlsbOracle, AgreesWithLibreOffice) {
  const std::vector<std::string> files = testing::CorpusFiles("xlsb");
  if (files.empty()) GTEST_SKIP() << testing::kNoCorpus;
  std::string others;
  for (size_t i = 1; i < files.size(); ++i) others += "'" + files[i] + "' ";
  const std::string output = testing::RunOracle("xlsb_cells.py", files[0], others);
  if (output.empty()) GTEST_SKIP() << "1 test skipped: LibreOffice or openpyxl is not installed";
  auto oracle = ReadOracle(output);
  size_t compared = 0;
  for (const std::string& path : files) {
    const std::string name = std::filesystem::path(path).stem().string();
    const auto content = NewXlsbFormat()->Parse(testing::ReadFile(path), Limits(), {});
    ASSERT_TRUE(content.ok()) << path;
    for (const auto& segment : content->segments) {
      segment->ForEach([&](const Record& record) {
        if (record.kind != "cell" || record.text.empty()) return true;
        const std::string sheet = SplitSheetLocator(record.locator)->sheet;
        const auto found = oracle.find({name, sheet + "!" + record.key});
        EXPECT_NE(found, oracle.end()) << path << " " << record.locator;
        if (found == oracle.end()) return true;
        EXPECT_TRUE(Agrees(record, found->second))
            << path << " " << record.locator << " " << record.text << " "
            << record.attrs.FindString("formula") << " against " << found->second.kind << " "
            << found->second.text;
        oracle.erase(found);
        ++compared;
        return true;
      });
    }
  }
  for (const auto& [place, cell] : oracle) {
    ADD_FAILURE() << place.first << " " << place.second << " is missing: " << cell.text;
  }
  EXPECT_GT(compared, 400U);
  std::printf("%zu cells agree\n", compared);
}

}  // namespace
}  // namespace staged
