#include "record/grid_segment.h"

#include <gtest/gtest.h>

#include <limits>

#include "record/segments.h"

namespace staged {
namespace {

GridSheet Sheet() {
  GridSheet sheet;
  sheet.name = "Q3 Sales";
  sheet.part = "xl/worksheets/sheet1.xml";
  sheet.parent = "'Q3 Sales'";
  return sheet;
}

std::shared_ptr<const GridSegment> Sample() {
  GridSegment::Builder builder(Sheet(), ContentHash::Of("x"));
  const uint16_t two = builder.AddFormat("0.00");
  const uint16_t date = builder.AddFormat("yyyy-mm-dd");
  builder.AddNumber({1, 1}, 42, two);
  builder.AddNumber({1, 2}, 45376, date);
  builder.AddString({1, 3}, builder.AddString("text"), 0);
  builder.AddNumber({7, 2}, 0.5, 0);
  builder.SetFormula(builder.AddString("A1*2"));
  builder.AddBoolean({7, 3}, true, 0);
  builder.AddError({9, 1}, builder.AddString("#N/A"), 0);
  builder.AddBlank({1048576, 16384}, 0);
  builder.SetFormula(builder.AddString("NOW()"));
  return builder.Finish();
}

TEST(GridSegment, MakesTheRecordsOfItsCells) {
  const auto segment = Sample();
  ASSERT_EQ(segment->record_count(), 7u);
  const Record number = segment->At(0);
  EXPECT_EQ(number.kind, "cell");
  EXPECT_EQ(number.locator, "'Q3 Sales'!A1");
  EXPECT_EQ(number.key, "A1");
  EXPECT_EQ(number.parent, "'Q3 Sales'");
  EXPECT_EQ(number.text, "42.00");
  EXPECT_EQ(number.attrs, Value(Value::Object{{"type", Value("number")},
                                              {"value", Value(42)},
                                              {"number_format", Value("0.00")}}));
  const Record date = segment->At(1);
  EXPECT_EQ(date.text, "2024-03-25");
  EXPECT_EQ(date.attrs.FindString("type"), "date");
  EXPECT_EQ(*date.attrs.Find("value"), Value(45376));
  const Record formula = segment->At(3);
  EXPECT_EQ(formula.attrs.FindString("formula"), "A1*2");
  EXPECT_EQ(*formula.attrs.Find("value"), Value(0.5));
  EXPECT_EQ(segment->At(4).text, "TRUE");
  EXPECT_EQ(*segment->At(4).attrs.Find("value"), Value(true));
  EXPECT_EQ(segment->At(5).attrs.FindString("type"), "error");
  EXPECT_EQ(segment->At(5).text, "#N/A");
  EXPECT_EQ(segment->At(6).locator, "'Q3 Sales'!XFD1048576");
  EXPECT_TRUE(segment->At(6).attrs.Find("value")->is_null());
  size_t index = 0;
  segment->ForEach([&](const Record& record) {
    EXPECT_EQ(record, segment->At(index));
    return ++index < 5;
  });
  EXPECT_EQ(index, 5u);
}

TEST(GridSegment, FindsCells) {
  const auto segment = Sample();
  EXPECT_EQ(segment->FindCell({7, 2}), 3u);
  EXPECT_EQ(segment->FindCell({7, 1}), std::nullopt);
  EXPECT_EQ(segment->FindCell({2, 1}), std::nullopt);
  EXPECT_EQ(segment->FindCell({1048576, 16384}), 6u);
  EXPECT_EQ(segment->LowerBound(2), 3u);
  EXPECT_EQ(segment->LowerBound(1048577), 7u);
}

TEST(GridSegment, SortsAndLetsTheLastOfTwoCount) {
  GridSegment::Builder builder(Sheet(), ContentHash());
  builder.AddNumber({2, 2}, 1, 0);
  builder.AddNumber({1, 1}, 2, 0);
  builder.SetFormula(builder.AddString("B2"));
  builder.AddNumber({2, 2}, 3, 0);
  const auto segment = builder.Finish();
  ASSERT_EQ(segment->cell_count(), 2u);
  EXPECT_EQ(segment->address(0), (CellAddress{1, 1}));
  EXPECT_EQ(segment->formula(0), "B2");
  EXPECT_EQ(segment->number(1), 3);
  EXPECT_EQ(segment->formula(1), "");
}

TEST(GridSegment, DecodesWhatItEncodes) {
  const auto segment = Sample();
  const std::string encoded = segment->Encode();
  const auto decoded = DecodeSegment(encoded);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ((*decoded)->Encode(), encoded);
  EXPECT_EQ((*decoded)->digest(), segment->digest());
  EXPECT_EQ((*decoded)->part(), segment->part());
  ASSERT_EQ((*decoded)->record_count(), segment->record_count());
  for (size_t i = 0; i < segment->record_count(); ++i) {
    EXPECT_EQ((*decoded)->At(i), segment->At(i));
  }
}

TEST(GridSegment, DamageIsAnErrorOrAReadableSegment) {
  const std::string encoded = Sample()->Encode();
  for (size_t size = 1; size < encoded.size(); ++size) {
    EXPECT_EQ(DecodeSegment(std::string_view(encoded).substr(0, size)).status().code(),
              ErrorCode::kDataLoss);
  }
  for (size_t i = 1; i < encoded.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = encoded;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const auto decoded = DecodeSegment(damaged);
      if (!decoded.ok()) continue;
      for (size_t k = 0; k < (*decoded)->record_count(); ++k) {
        EXPECT_EQ((*decoded)->At(k).kind, "cell");
      }
    }
  }
}

TEST(GridSegment, ShowsNumbersThatAreNotFinite) {
  GridSegment::Builder builder(Sheet(), ContentHash());
  builder.AddNumber({1, 1}, std::numeric_limits<double>::infinity(), 0);
  EXPECT_EQ(builder.Finish()->At(0).text, "inf");
}

}  // namespace
}  // namespace staged
