#include "diff/segment_pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/test_seed.h"
#include "diff/test_views.h"
#include "record/grid_segment.h"
#include "staged/diff.h"

namespace staged {
namespace {

using ::testing::SizeIs;

constexpr uint32_t kColumns = 10;

using Numbers = std::map<std::pair<uint32_t, uint32_t>, double>;

Numbers Table(uint32_t rows) {
  Numbers numbers;
  for (uint32_t row = 1; row <= rows; ++row) {
    for (uint32_t column = 1; column <= kColumns; ++column) {
      numbers[{row, column}] = row * 100.0 + column;
    }
  }
  return numbers;
}

std::shared_ptr<const GridSegment> MakeGrid(const Numbers& numbers) {
  GridSheet sheet;
  sheet.name = sheet.parent = "Data";
  std::string key;
  for (const auto& [at, number] : numbers) key += std::to_string(number) + ",";
  GridSegment::Builder builder(sheet, ContentHash::Of(key));
  const uint16_t format = builder.AddFormat("General");
  const uint32_t text = builder.AddString("text");
  for (const auto& [at, number] : numbers) {
    const CellAddress cell{at.first, at.second};
    if (number < 0) {
      builder.AddString(cell, text, format);
    } else {
      builder.AddNumber(cell, number, format);
    }
  }
  return builder.Finish();
}

View ViewOfGrid(const std::shared_ptr<const GridSegment>& grid) {
  View view = MakeView({}, {"cell"});
  view.hash = grid->digest();
  view.segments = {grid};
  return view;
}

// The same records without what makes them a grid.
View Plain(const View& view) {
  View plain = view;
  plain.segments = {std::make_shared<RecordListSegment>("", view.hash, view.Records())};
  return plain;
}

Profile GridProfile() {
  Profile profile;
  profile.kinds = {
      {"cell", Matching::kGrid, {{"value", ChangeClass::kContent, {"text", "value"}}}}};
  return profile;
}

void ExpectSameAsPlain(const Numbers& before, const Numbers& after) {
  const View from = ViewOfGrid(MakeGrid(before));
  const View to = ViewOfGrid(MakeGrid(after));
  const Diff diff = ComputeDiff(from, to, GridProfile());
  const Diff plain = ComputeDiff(Plain(from), Plain(to), GridProfile());
  EXPECT_EQ(DiffHash(diff), DiffHash(plain));
  const auto applied = ApplyDiff(diff, from.Records());
  ASSERT_TRUE(applied.ok()) << applied.status().message();
  EXPECT_EQ(*applied, to.Records());
}

TEST(SegmentPairing, FewChangedCellsOfALargeGridAreTakenAlone) {
  const Numbers before = Table(1000);
  Numbers after = before;
  after[{3, 2}] = 5;
  after[{3, 4}] = -1;
  after[{1000, 10}] = 7;
  const View from = ViewOfGrid(MakeGrid(before));
  const View to = ViewOfGrid(MakeGrid(after));
  const SegmentPairing pairing = PairSegments(from, to);
  EXPECT_THAT(pairing.to_skipped[0].kept, testing::ElementsAre(21, 23, 9999));
  EXPECT_THAT(pairing.runs, SizeIs(3));
  EXPECT_THAT(ComputeDiff(from, to, GridProfile()).changes, SizeIs(3));
  ExpectSameAsPlain(before, after);
}

TEST(SegmentPairing, ChangedNeighbourRowsMayHaveMoved) {
  const Numbers before = Table(1000);
  Numbers after = before;  // row 500 goes, one comes before row 503
  for (uint32_t column = 1; column <= kColumns; ++column) {
    after[{500, column}] = before.at({501, column});
    after[{501, column}] = before.at({502, column});
    after[{502, column}] = column * 0.5;
  }
  const SegmentPairing pairing =
      PairSegments(ViewOfGrid(MakeGrid(before)), ViewOfGrid(MakeGrid(after)));
  EXPECT_FALSE(pairing.to_skipped[0].all);
  EXPECT_THAT(pairing.to_skipped[0].kept, SizeIs(0));
  ExpectSameAsPlain(before, after);
}

TEST(SegmentPairing, RandomEditsGiveTheSameScriptAsRecords) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937 random(static_cast<uint32_t>(seed));
  const Numbers before = Table(500);
  for (int round = 0; round < 10; ++round) {
    Numbers after = before;
    for (uint32_t edits = 1 + random() % 5; edits > 0; --edits) {
      const std::pair<uint32_t, uint32_t> cell{1 + random() % 500, 1 + random() % kColumns};
      after[cell] = random() % 3 == 0 ? -1 : random() % 1000;
    }
    ExpectSameAsPlain(before, after);
  }
}

Numbers WithoutRow(const Numbers& numbers, uint32_t gone) {
  Numbers left;
  for (const auto& [at, number] : numbers) {
    if (at.first != gone) left[{at.first - (at.first > gone ? 1 : 0), at.second}] = number;
  }
  return left;
}

TEST(SegmentPairing, RowsAtTheEndAreTakenAlone) {
  const Numbers before = Table(1000);
  Numbers after = before;
  for (uint32_t column = 1; column <= kColumns; ++column) after[{1001, column}] = column;
  const SegmentPairing pairing =
      PairSegments(ViewOfGrid(MakeGrid(before)), ViewOfGrid(MakeGrid(after)));
  EXPECT_TRUE(pairing.from_skipped[0].all);
  EXPECT_THAT(pairing.to_skipped[0].kept, SizeIs(kColumns));
  ExpectSameAsPlain(before, after);
  ExpectSameAsPlain(after, before);
  after[{17, 3}] = 1;
  ExpectSameAsPlain(before, after);
  ExpectSameAsPlain(after, before);
}

TEST(SegmentPairing, ARowInTheMiddleIsNoEnd) {
  const Numbers after = Table(1000);
  const Numbers before = WithoutRow(after, 300);
  const SegmentPairing pairing =
      PairSegments(ViewOfGrid(MakeGrid(before)), ViewOfGrid(MakeGrid(after)));
  EXPECT_FALSE(pairing.to_skipped[0].all);
  EXPECT_THAT(pairing.to_skipped[0].kept, SizeIs(0));
  ExpectSameAsPlain(before, after);
  ExpectSameAsPlain(WithoutRow(after, 998), after);
  ExpectSameAsPlain(after, WithoutRow(after, 998));
}

TEST(SegmentPairing, RandomEndsGiveTheSameScriptAsRecords) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937 random(static_cast<uint32_t>(seed));
  const Numbers whole = Table(500);
  for (int round = 0; round < 40; ++round) {
    Numbers after = whole;
    for (uint32_t edits = random() % 4; edits > 0; --edits) {
      const std::pair<uint32_t, uint32_t> cell{1 + random() % 500, 1 + random() % kColumns};
      after[cell] = random() % 3 == 0 ? -1 : random() % 1000;
    }
    for (uint32_t rows = random() % 3; rows > 0; --rows) {
      after = WithoutRow(after, 490 + random() % 10);
    }
    for (uint32_t cells = random() % 15; cells > 0; --cells) {
      after[{499 + random() % 5, 1 + random() % kColumns}] = random() % 1000;
    }
    ExpectSameAsPlain(whole, after);
    ExpectSameAsPlain(after, whole);
  }
}

}  // namespace
}  // namespace staged
