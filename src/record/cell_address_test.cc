#include "record/cell_address.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

TEST(CellAddress, ReadsWhatItWrites) {
  for (const uint32_t column : {1u, 26u, 27u, 52u, 53u, 702u, 703u, 16384u}) {
    for (const uint32_t row : {1u, 9u, 10u, 1048576u}) {
      const CellAddress cell{row, column};
      EXPECT_EQ(ParseCellAddress(FormatCellAddress(cell)), cell) << row << ' ' << column;
    }
  }
  EXPECT_EQ(FormatCellAddress({1048576, 16384}), "XFD1048576");
  EXPECT_EQ(ParseCellAddress("$ab$12"), (CellAddress{12, 28}));
}

TEST(CellAddress, RefusesEverythingElse) {
  for (const char* text : {"", "A", "1", "A0", "A01", "XFE1", "A1048577", "A1 ", " A1", "A-1", "1A",
                           "$$A1", "A$", "AAAAAAAAAAAA1", "A99999999999999"}) {
    EXPECT_EQ(ParseCellAddress(text), std::nullopt) << text;
  }
}

TEST(CellRange, OrdersItsCorners) {
  EXPECT_EQ(ParseCellRange("D9:B2"), (CellRange{{2, 2}, {9, 4}}));
  EXPECT_EQ(ParseCellRange("B2"), (CellRange{{2, 2}, {2, 2}}));
  EXPECT_EQ(ParseCellRange("B2:"), std::nullopt);
  EXPECT_EQ(ParseCellRange("A:A"), std::nullopt);
  EXPECT_EQ(FormatCellRange({{2, 2}, {9, 4}}), "B2:D9");
  EXPECT_EQ(FormatCellRange({{2, 2}, {2, 2}}), "B2");
  EXPECT_TRUE((CellRange{{2, 2}, {9, 4}}).Contains({9, 4}));
  EXPECT_FALSE((CellRange{{2, 2}, {9, 4}}).Contains({9, 5}));
}

TEST(SheetName, IsQuotedWhereAFormulaWouldMisreadIt) {
  EXPECT_EQ(QuoteSheetName("Sheet1"), "Sheet1");
  EXPECT_EQ(QuoteSheetName("a.b_c"), "a.b_c");
  EXPECT_EQ(QuoteSheetName("Übersicht"), "Übersicht");
  EXPECT_EQ(QuoteSheetName("Q3 Sales"), "'Q3 Sales'");
  EXPECT_EQ(QuoteSheetName("it's"), "'it''s'");
  EXPECT_EQ(QuoteSheetName("AB12"), "'AB12'");
  EXPECT_EQ(QuoteSheetName("R1C1"), "'R1C1'");
  EXPECT_EQ(QuoteSheetName("rc"), "'rc'");
  EXPECT_EQ(QuoteSheetName("2024"), "'2024'");
  EXPECT_EQ(QuoteSheetName(""), "''");
}

TEST(SheetLocator, SplitsQuotedAndPlain) {
  for (const std::string name : {"Sheet1", "Q3 Sales", "it's", "a!b", "''", "AB12"}) {
    const auto split = SplitSheetLocator(QuoteSheetName(name) + "!B7");
    ASSERT_TRUE(split.has_value()) << name;
    EXPECT_EQ(split->sheet, name);
    EXPECT_EQ(split->rest, "B7");
  }
  EXPECT_EQ(SplitSheetLocator("Q3 Sales!B7")->sheet, "Q3 Sales");
  EXPECT_EQ(SplitSheetLocator("B7")->sheet, "");
  EXPECT_EQ(SplitSheetLocator("B7")->rest, "B7");
  EXPECT_FALSE(SplitSheetLocator("'open").has_value());
  EXPECT_FALSE(SplitSheetLocator("'a'b!C1").has_value());
}

}  // namespace
}  // namespace staged
