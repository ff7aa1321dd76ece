#include "derived/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/test_seed.h"
#include "record/grid_segment.h"
#include "record/segments.h"

namespace staged {
namespace {

void ExpectEqualRows(const RowTexts& left, const RowTexts& right) {
  EXPECT_EQ(left.text, right.text);
  EXPECT_EQ(left.ends, right.ends);
}

// Rows made from a sheet's columns are those made from its records.
TEST(RowsTest, SheetRowsEqualTheRowsOfTheirRecords) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    GridSegment::Builder builder({"Q3 'x' Sales", "xl/sheet.xml", "sheet:1", ""},
                                 ContentHash::Of(std::to_string(round)));
    const uint16_t general = builder.AddFormat("General");
    const uint16_t percent = builder.AddFormat("0.0%");
    for (uint32_t row = 1; row < 40; ++row) {
      for (uint32_t column = 1; column < 6; ++column) {
        switch (random() % 6) {
          case 0:
            builder.AddNumber({row, column}, static_cast<double>(random() % 1000) / 8, percent);
            break;
          case 1:
            builder.AddString({row, column}, builder.AddString("text " + std::to_string(row)),
                              general);
            break;
          case 2:
            builder.AddBlank({row, column}, general);
            break;
          case 3:
            builder.AddBoolean({row, column}, random() % 2 == 0, general);
            break;
          default:
            break;
        }
      }
    }
    const std::shared_ptr<const GridSegment> grid = builder.Finish();
    std::vector<Record> records;
    grid->ForEach([&](const Record& record) {
      records.push_back(record);
      return true;
    });
    const SegmentRows fast = BuildRows(*grid);
    const SegmentRows slow =
        BuildRows(RecordListSegment(grid->part(), grid->digest(), std::move(records)));
    ExpectEqualRows(fast.bodies, slow.bodies);
    EXPECT_EQ(fast.titles.count(), 0u);
    EXPECT_EQ(fast.map.Encode(), slow.map.Encode());
    EXPECT_GT(fast.bodies.count(), 20u);
  }
}

TEST(RowsTest, WideRowsAreContinuedAndEndlessCellsAreCut) {
  constexpr size_t kCellBytes = 1000;
  constexpr size_t kEndlessBytes = 300'000;
  constexpr size_t kIndexedBytesMax = 128 << 10;
  GridSegment::Builder builder({"Wide", "xl/sheet.xml", "Wide", ""}, ContentHash::Of("wide"));
  const uint16_t general = builder.AddFormat("General");
  for (uint32_t column = 1; column <= 200; ++column) {
    std::string text = "c" + std::to_string(column) + "x";
    text.resize(kCellBytes, 'x');
    builder.AddString({1, column}, builder.AddString(text), general);
  }
  std::string endless;
  while (endless.size() < kEndlessBytes) endless += "€";
  builder.AddString({2, 1}, builder.AddString(endless), general);
  builder.AddString({2, 2}, builder.AddString("behind"), general);
  const std::shared_ptr<const GridSegment> grid = builder.Finish();

  const SegmentRows rows = BuildRows(*grid);
  size_t records = 0;
  for (size_t row = 0; row < rows.bodies.count(); ++row) {
    EXPECT_LE(rows.bodies.At(row).size(), kIndexedBytesMax);
    const RowPlace place = FindRow(rows.map.bodies, row);
    EXPECT_EQ(place.first_record, records);
    records += place.record_count;
  }
  EXPECT_EQ(records, grid->cell_count());
  for (uint32_t column = 1; column <= 200; ++column) {
    EXPECT_NE(rows.bodies.text.find("c" + std::to_string(column) + "x"), std::string::npos);
  }
  EXPECT_EQ(rows.bodies.At(rows.bodies.count() - 1), "behind");
  const std::string_view cut = rows.bodies.At(rows.bodies.count() - 2);
  EXPECT_EQ(cut.size(), kIndexedBytesMax / 3 * 3) << "whole characters";
  ExpectEqualRows(rows.bodies, BuildRows(RecordListSegment(grid->part(), grid->digest(),
                                                           [&] {
                                                             std::vector<Record> list;
                                                             for (size_t i = 0;
                                                                  i < grid->cell_count(); ++i) {
                                                               list.push_back(grid->At(i));
                                                             }
                                                             return list;
                                                           }()))
                                   .bodies);
}

Record MakeRecord(std::string kind, std::string locator, std::string parent, std::string text) {
  Record record;
  record.kind = std::move(kind);
  record.locator = std::move(locator);
  record.parent = std::move(parent);
  record.text = std::move(text);
  return record;
}

TEST(RowsTest, CellsOfOneParentAreOneRow) {
  const SegmentRows rows = BuildRows(RecordListSegment(
      "", ContentHash(),
      {MakeRecord("cell", "r:1/c:a", "r:1", "x"), MakeRecord("cell", "r:1/c:b", "r:1", "y"),
       MakeRecord("cell", "r:2/c:a", "r:2", "z"), MakeRecord("cell", "Sheet1!A1", "Sheet1", "1"),
       MakeRecord("cell", "Sheet1!B1", "Sheet1", "2"),
       MakeRecord("cell", "Sheet1!A2", "Sheet1", "3")}));
  std::vector<std::string> texts;
  for (size_t i = 0; i < rows.bodies.count(); ++i) texts.emplace_back(rows.bodies.At(i));
  EXPECT_THAT(texts, ::testing::ElementsAre("x\ty", "z", "1\t2", "3"));
  EXPECT_EQ(FindRow(rows.map.bodies, 2).first_record, 3u);
  EXPECT_EQ(FindRow(rows.map.bodies, 2).record_count, 2u);
}

TEST(RowsTest, RowsWithARecordOfTheirOwnAreOneRun) {
  std::vector<Record> records;
  for (int row = 1; row <= 100; ++row) {
    const std::string name = "r:" + std::to_string(row);
    records.push_back(MakeRecord("row", name, "", ""));
    records.push_back(MakeRecord("cell", name + "/c:a", name, "x" + std::to_string(row)));
    records.push_back(MakeRecord("cell", name + "/c:b", name, "y"));
  }
  const SegmentRows rows = BuildRows(RecordListSegment("", ContentHash(), std::move(records)));
  EXPECT_EQ(rows.bodies.count(), 100u);
  EXPECT_EQ(rows.bodies.At(41), "x42\ty");
  EXPECT_EQ(rows.map.bodies.size(), 1u);
  EXPECT_EQ(FindRow(rows.map.bodies, 41).first_record, 124u);
  EXPECT_EQ(FindRow(rows.map.bodies, 41).record_count, 2u);
}

TEST(RowsTest, AMembersKeyIsFoundToo) {
  Record member = MakeRecord("member", "/name", "", "Ada");
  member.key = "name";
  Record object = MakeRecord("member", "/address", "", "");
  object.key = "address";
  const SegmentRows rows = BuildRows(RecordListSegment("", ContentHash(), {member, object}));
  ASSERT_EQ(rows.bodies.count(), 2u);
  EXPECT_EQ(rows.bodies.At(0), "name: Ada");
  EXPECT_EQ(rows.bodies.At(1), "address: ");
}

TEST(RowsTest, EmptyTextsAreNoRows) {
  const SegmentRows rows = BuildRows(RecordListSegment(
      "", ContentHash(),
      {MakeRecord("line", "line:1", "", ""), MakeRecord("cell", "A1", "", ""),
       MakeRecord("cell", "B1", "", ""), MakeRecord("heading", "h:1", "", "Title")}));
  EXPECT_EQ(rows.bodies.count(), 0u);
  EXPECT_EQ(rows.titles.count(), 1u);
  EXPECT_EQ(FindRow(rows.map.titles, 0).first_record, 3u);
}

}  // namespace
}  // namespace staged
