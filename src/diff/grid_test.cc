#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "diff/cell_references.h"
#include "diff/test_views.h"
#include "staged/diff.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Profile GridProfile() {
  Profile profile;
  FacetRule value{"value", ChangeClass::kContent, {"text", "value"}};
  value.derived_from_attr = "formula";
  FacetRule formula{"formula", ChangeClass::kContent, {"formula"}};
  formula.holds_references = true;
  profile.kinds = {{"cell", Matching::kGrid, {value, formula}}};
  return profile;
}

using Cells = std::map<std::pair<uint32_t, uint32_t>, std::string>;

// A text that begins with '=' is a formula whose value is its length.
View MakeSheet(const Cells& cells) {
  std::vector<Record> records;
  for (const auto& [at, text] : cells) {
    const std::string address = FormatCellAddress({at.first, at.second});
    const bool formula = text[0] == '=';
    Record record = MakeRecord("cell", "'My 1'!" + address,
                               formula ? std::to_string(text.size()) : text, "'My 1'", address);
    record.attrs.Set("value", record.text);
    if (formula) record.attrs.Set("formula", text.substr(1));
    records.push_back(std::move(record));
  }
  return MakeView(std::move(records), {"cell"});
}

Cells Table(uint32_t rows) {
  Cells cells;
  for (uint32_t row = 1; row <= rows; ++row) {
    cells[{row, 1}] = "name " + std::to_string(row);
    cells[{row, 2}] = std::to_string(row * 7);
    cells[{row, 3}] = "=B" + std::to_string(row) + "*2";
  }
  cells[{rows + 2, 2}] = "=SUM(B1:$B$" + std::to_string(rows) + ")";
  return cells;
}

// Moves lines from `line` on by `distance`, references too, as a spreadsheet does.
Cells Shifted(const Cells& cells, uint32_t line, int32_t distance, bool rows) {
  Cells shifted;
  const auto move = [&](CellAddress cell) {
    uint32_t& number = rows ? cell.row : cell.column;
    if (number >= line) number = static_cast<uint32_t>(static_cast<int32_t>(number) + distance);
    return cell;
  };
  for (const auto& [at, text] : cells) {
    const CellAddress cell = move({at.first, at.second});
    shifted[{cell.row, cell.column}] =
        text[0] == '='
            ? RemapReferences(text, [&](std::string_view, CellAddress ref) { return move(ref); })
            : text;
  }
  return shifted;
}

Diff CheckedDiff(const Cells& from_cells, const Cells& to_cells) {
  const View from = MakeSheet(from_cells), to = MakeSheet(to_cells);
  Diff diff = ComputeDiff(from, to, GridProfile());
  EXPECT_EQ(*ApplyDiff(diff, from.Records()), to.Records());
  EXPECT_EQ(*ApplyDiff(InvertDiff(diff), to.Records()), from.Records());
  return diff;
}

std::vector<std::string> Meant(const Diff& diff) {
  std::vector<std::string> lines;
  for (const Change& change : diff.changes) {
    if (change.change_class == ChangeClass::kDerived) continue;
    lines.push_back(std::string(1, "?+-~>*"[static_cast<int>(change.op)]) +
                    (change.after ? change.after->locator : change.before->locator) +
                    (change.caused_by.empty() ? "" : "<" + change.caused_by));
  }
  return lines;
}

TEST(Grid, AnInsertedRowIsOneChangeWithItsCells) {
  const Cells from = Table(30);
  Cells to = Shifted(from, 5, 1, true);
  to[{5, 1}] = "new";
  to[{5, 2}] = "1";
  to[{9, 1}] = "renamed";
  const Diff diff = CheckedDiff(from, to);
  EXPECT_THAT(Meant(diff),
              ElementsAre("+'My 1'!row:5", "+'My 1'!A5<c1", "+'My 1'!B5<c1", "~'My 1'!A9"));
  EXPECT_EQ(diff.changes[0].after->text, "new\t1");
  // Every formula below moved its references; the sum grew.
  EXPECT_EQ(diff.summary.derived, 27u);
  EXPECT_EQ(diff.changes.back().caused_by, "c1");
}

TEST(Grid, DeletedRowsAndColumns) {
  const Cells from = Table(30);
  Cells without = from;
  for (uint32_t column = 1; column <= 3; ++column) without.erase({12, column});
  EXPECT_THAT(Meant(CheckedDiff(from, Shifted(without, 13, -1, true))),
              ElementsAre("-'My 1'!row:12", "-'My 1'!A12<c1", "-'My 1'!B12<c1", "-'My 1'!C12<c1"));
  Cells wider = Shifted(from, 2, 1, false);
  wider[{1, 2}] = "inserted";
  EXPECT_THAT(Meant(CheckedDiff(from, wider)), ElementsAre("+'My 1'!col:B", "+'My 1'!B1<c1"));
}

TEST(Grid, ABlankRowIsAChangeToo) {
  const Cells from = Table(10);
  EXPECT_THAT(Meant(CheckedDiff(from, Shifted(from, 4, 2, true))), SizeIs(2));
}

TEST(Grid, WhatDoesNotShiftIsComparedByAddress) {
  Cells from = Table(10), to = from;
  to[{3, 1}] = "other";
  to[{12, 1}] = "appended";
  to.erase({5, 2});
  EXPECT_THAT(Meant(CheckedDiff(from, to)), ElementsAre("~'My 1'!A3", "-'My 1'!B5", "+'My 1'!A12"));
}

TEST(Grid, RandomSheetsAreExact) {
  const uint32_t seed = 8;
  for (uint32_t round = 0; round < 500; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    std::mt19937 random(seed + round);
    const auto sheet = [&] {
      Cells cells;
      for (uint32_t i = random() % 40; i > 0; --i) {
        cells[{1 + random() % 12, 1 + random() % 4}] = random() % 4 == 0
                                                           ? "=A" + std::to_string(1 + random() % 9)
                                                           : std::to_string(random() % 3);
      }
      return cells;
    };
    const Cells from = sheet();
    Cells to = random() % 2 == 0 ? sheet()
                                 : Shifted(from, 1 + random() % 8, 1 + random() % 3, random() % 2);
    to[{1 + random() % 12, 1}] = "edit";
    CheckedDiff(from, to);
    if (HasFailure()) return;
  }
}

TEST(Grid, ReferencesOnly) {
  const auto down = [](std::string_view sheet, CellAddress cell) {
    if (sheet.empty() || sheet == "It's") ++cell.row;
    return cell;
  };
  EXPECT_EQ(RemapReferences("SUM($A1:B$2)+LOG10(C3)&\"A1\"", down),
            "SUM($A2:B$3)+LOG10(C4)&\"A1\"");
  EXPECT_EQ(RemapReferences("'It''s'!A1:B2+Other!A1*Tab[A1]+A1_x", down),
            "'It''s'!A2:B3+Other!A1*Tab[A1]+A1_x");
}

}  // namespace
}  // namespace staged
