#include "staged/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "diff/align.h"
#include "diff/test_views.h"
#include "diff/words.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The exactness law in both directions; gives the diff back.
Diff CheckedDiff(const View& from, const View& to, const Profile& profile = TestProfile()) {
  const Diff diff = ComputeDiff(from, to, profile);
  const auto forward = ApplyDiff(diff, from.Records());
  EXPECT_TRUE(forward.ok()) << forward.status().message();
  if (forward.ok()) {
    EXPECT_EQ(*forward, to.Records());
  }
  const auto backward = ApplyDiff(InvertDiff(diff), to.Records());
  EXPECT_TRUE(backward.ok()) << backward.status().message();
  if (backward.ok()) {
    EXPECT_EQ(*backward, from.Records());
  }
  EXPECT_EQ(diff.identical, from.hash == to.hash);
  EXPECT_EQ(diff.changes.empty(), from.hash == to.hash);
  return diff;
}

std::vector<std::string> Outline(const Diff& diff) {
  std::vector<std::string> lines;
  for (const Change& change : diff.changes) {
    std::string line(1, "?+-~>*"[static_cast<int>(change.op)]);
    if (change.before) line += change.before->text;
    line += "|";
    if (change.after) line += change.after->text;
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> Numbered(size_t count) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < count; ++i) lines.push_back("line number " + std::to_string(i));
  return lines;
}

TEST(Diff, EqualHashesAreIdentical) {
  const View view = MakeLines({"a", "b"});
  const Diff diff = CheckedDiff(view, view);
  EXPECT_TRUE(diff.identical);
  EXPECT_THAT(diff.kept, SizeIs(1));
}

TEST(Diff, AnInsertionShiftsSpansAndOrdinalsWithoutBeingMoreThanOneChange) {
  std::vector<std::string> lines = Numbered(1000);
  const View from = MakeLines(lines);
  lines.insert(lines.begin(), "the new first line");
  const Diff diff = CheckedDiff(from, MakeLines(lines));
  EXPECT_THAT(Outline(diff), ElementsAre("+|the new first line"));
  EXPECT_THAT(diff.kept, SizeIs(1));
  EXPECT_EQ(diff.kept[0].locator.delta, 1);
  EXPECT_EQ(diff.summary.insertions, 1u);
}

TEST(Diff, DeletionModificationAndMove) {
  std::vector<std::string> lines = Numbered(40);
  const View from = MakeLines(lines);
  lines[20] = "line number twenty";
  lines.push_back(lines[3]);
  lines.erase(lines.begin() + 3);
  lines.erase(lines.begin() + 29);
  const Diff diff = CheckedDiff(from, MakeLines(lines));
  EXPECT_THAT(Outline(diff), ElementsAre("~line number 20|line number twenty", "-line number 30|",
                                         ">line number 3|line number 3"));
  EXPECT_THAT(diff.changes[0].facets, ElementsAre("text"));
  EXPECT_THAT(diff.changes[0].text_changes, SizeIs(1));
  EXPECT_EQ(diff.changes[0].text_changes[0].before, (ByteSpan{12, 14}));
  EXPECT_EQ(diff.summary.moves, 1u);
}

TEST(Diff, MovedAndEditedParagraphIsFollowedByItsKey) {
  std::vector<Record> records;
  for (int i = 0; i < 6; ++i) {
    records.push_back(MakeRecord("paragraph", "p:#" + std::to_string(i),
                                 "paragraph text of number " + std::to_string(i), "",
                                 "id" + std::to_string(i)));
  }
  const View from = MakeView(records);
  std::rotate(records.begin(), records.begin() + 1, records.end());
  records.back().text += " and more";
  const Diff diff = CheckedDiff(from, MakeView(records));
  ASSERT_THAT(diff.changes, SizeIs(1));
  EXPECT_EQ(diff.changes[0].op, ChangeOp::kMoveModify);
}

TEST(Diff, CellsAreMatchedByKeyAndJudgedByFacet) {
  std::vector<Record> records = {MakeRecord("cell", "S!A1", "1", "S", "A1"),
                                 MakeRecord("cell", "S!A2", "2", "S", "A2")};
  records[0].attrs.Set("style", "bold");
  records[1].attrs.Set("colour", "red");
  const View from = MakeView(records);
  records[0].attrs.Set("style", "plain");
  records[1].attrs.Set("colour", "blue");
  records.push_back(MakeRecord("cell", "S!B1", "3", "S", "B1"));
  const Diff diff = CheckedDiff(from, MakeView(records));
  ASSERT_THAT(diff.changes, SizeIs(3));
  EXPECT_THAT(diff.changes[0].facets, ElementsAre("style"));
  EXPECT_EQ(diff.changes[0].change_class, ChangeClass::kFormat);
  EXPECT_THAT(diff.changes[1].facets, ElementsAre("other"));
  EXPECT_EQ(diff.changes[1].change_class, ChangeClass::kContent);
  EXPECT_EQ(diff.changes[2].op, ChangeOp::kInsert);
  EXPECT_EQ(diff.changes[2].context, "S");
}

TEST(Diff, HiddenIsDerivedWhereOtherRecordsHide) {
  std::vector<Record> records = {MakeRecord("cell", "S!A1", "1", "S", "A1")};
  const View from = MakeView(records);
  records[0].hidden = "hidden row";
  const View to = MakeView(records);
  Profile profile = TestProfile();
  EXPECT_EQ(ComputeDiff(from, to, profile).summary.modifications, 1u);
  profile.kinds[0].hidden_by_others = true;
  const Diff diff = ComputeDiff(from, to, profile);
  ASSERT_THAT(diff.changes, SizeIs(1));
  EXPECT_THAT(diff.changes[0].facets, ElementsAre("hidden"));
  EXPECT_EQ(diff.changes[0].change_class, ChangeClass::kDerived);
  EXPECT_EQ(diff.summary.derived, 1u);
}

TEST(Diff, ATableThatMovesIsOneChangeAndAnInsertedOneNamesTheCause) {
  const auto table = [](int number, const std::string& text) {
    const std::string at = "t:" + std::to_string(number);
    return std::vector<Record>{MakeRecord("table", at, ""), MakeRecord("row", at + "/r:1", "", at),
                               MakeRecord("paragraph", at + "/r:1/p:1", text, at + "/r:1")};
  };
  const auto join = [](std::initializer_list<std::vector<Record>> lists) {
    std::vector<Record> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  };
  const View from = MakeView(join({table(1, "first"),
                                   {MakeRecord("paragraph", "p:1", "one")},
                                   {MakeRecord("paragraph", "p:2", "two")}}));
  const View moved = MakeView(join({{MakeRecord("paragraph", "p:1", "one")},
                                    {MakeRecord("paragraph", "p:2", "two")},
                                    table(1, "first")}));
  EXPECT_THAT(CheckedDiff(from, moved).changes, SizeIs(1));
  const View more = MakeView(join({table(1, "new here"),
                                   table(2, "first"),
                                   {MakeRecord("paragraph", "p:1", "one")},
                                   {MakeRecord("paragraph", "p:2", "two")}}));
  const Diff diff = CheckedDiff(from, more);
  ASSERT_THAT(diff.changes, SizeIs(3));
  EXPECT_EQ(diff.changes[0].caused_by, "");
  EXPECT_EQ(diff.changes[1].caused_by, "c1");
  EXPECT_EQ(diff.changes[2].caused_by, "c2");
}

TEST(Diff, PartsThatRecordsDoNotShowAreReported) {
  View from = MakeLines({"a"}), to = from;
  to.hash = ContentHash::Of("other bytes");
  from.parts.push_back({"styles.xml", ContentHash::Of("1"), 1, {"style"}});
  to.parts.push_back({"styles.xml", ContentHash::Of("2"), 2, {"style"}});
  from.parts.push_back({"vba.bin", ContentHash::Of("1"), 1, {}});
  to.parts.push_back({"vba.bin", ContentHash::Of("3"), 1, {}});
  const Diff diff = CheckedDiff(from, to);
  ASSERT_THAT(diff.changes, SizeIs(2));
  EXPECT_EQ(diff.changes[0].change_class, ChangeClass::kSerialization);
  EXPECT_EQ(diff.changes[1].change_class, ChangeClass::kOpaque);
  EXPECT_EQ(diff.summary.serialization, 1u);
  EXPECT_EQ(diff.summary.opaque, 1u);
  EXPECT_EQ(diff.changes[1].before->attrs.FindString("digest"), ContentHash::Of("1").ToString());
}

TEST(Diff, DifferentBytesNeverGiveAnEmptyDiff) {
  const View from = MakeLines({"a"});
  View to = from;
  to.hash = ContentHash::Of("a byte order mark");
  const Diff diff = CheckedDiff(from, to);
  ASSERT_THAT(diff.changes, SizeIs(1));
  EXPECT_EQ(diff.changes[0].kind, "part");
  EXPECT_EQ(diff.changes[0].after->attrs.FindString("digest"), to.hash.ToString());
}

TEST(Diff, EqualSegmentsAreSkippedWhereverTheyStand) {
  const auto one = std::make_shared<RecordListSegment>(
      "one", ContentHash::Of("one"), std::vector<Record>{MakeRecord("line", "1:1", "same text")});
  const auto two = std::make_shared<RecordListSegment>(
      "two", ContentHash::Of("two"), std::vector<Record>{MakeRecord("line", "2:1", "old text")});
  const auto new_two = std::make_shared<RecordListSegment>(
      "two", ContentHash::Of("two'"), std::vector<Record>{MakeRecord("line", "2:1", "new text")});
  View from = MakeView({}), to = MakeView({});
  from.segments = {one, two};
  to.segments = {new_two, one};
  to.hash = ContentHash::Of("to");
  EXPECT_THAT(Outline(CheckedDiff(from, to)), ElementsAre("~old text|new text"));
}

TEST(Diff, WholeFiles) {
  const View view = MakeLines({"a", "b"});
  const Diff created = ComputeWholeFileDiff(nullptr, &view);
  EXPECT_FALSE(created.from.has_value());
  EXPECT_EQ(created.summary.insertions, 2u);
  EXPECT_EQ(*ApplyDiff(created, {}), view.Records());
  EXPECT_EQ(*ApplyDiff(InvertDiff(created), view.Records()), std::vector<Record>());
  View empty = MakeView({});
  EXPECT_THAT(ComputeWholeFileDiff(&empty, nullptr).changes, SizeIs(1));
  View other = view;
  other.format = "other";
  other.hash = ContentHash::Of("other");
  EXPECT_THAT(CheckedDiff(view, other).changes, SizeIs(4));
}

TEST(Diff, ApplyRefusesOtherRecords) {
  const View from = MakeLines({"a", "b"}), to = MakeLines({"a", "c"});
  const Diff diff = ComputeDiff(from, to, TestProfile());
  EXPECT_EQ(ApplyDiff(diff, to.Records()).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ApplyDiff(diff, {}).status().code(), ErrorCode::kInvalidArgument);
}

TEST(Diff, HashBindsEverything) {
  const View from = MakeLines({"a", "b"}), to = MakeLines({"a", "c"});
  Diff diff = ComputeDiff(from, to, TestProfile());
  const ContentHash hash = DiffHash(diff);
  EXPECT_EQ(hash, DiffHash(ComputeDiff(from, to, TestProfile())));
  EXPECT_NE(hash, DiffHash(InvertDiff(diff)));
  diff.changes[0].after->text += "x";
  EXPECT_NE(hash, DiffHash(diff));
}

TEST(Diff, TextOutputKeepsItsBudgetAndCountsTheRest) {
  std::vector<std::string> lines = Numbered(200);
  const View from = MakeLines(lines);
  for (std::string& line : lines) line += " changed";
  const Diff diff = ComputeDiff(from, MakeLines(lines), TestProfile());
  const std::string whole = RenderDiffText(diff, "a.txt", 0);
  EXPECT_THAT(whole, HasSubstr("a.txt: 200 modifications (test)\n"));
  EXPECT_THAT(whole, HasSubstr("- line number 7\n+ line number 7 changed\n"));
  const std::string part = RenderDiffText(diff, "a.txt", 1000);
  EXPECT_LE(part.size(), 1000u);
  const size_t shown = static_cast<size_t>(std::count(part.begin(), part.end(), '+'));
  EXPECT_THAT(part, HasSubstr("… " + std::to_string(200 - shown) + " changes of 200 not shown"));
}

// Random edits of random forests; few distinct texts, so that duplicates abound.
class RandomViews {
 public:
  explicit RandomViews(uint32_t seed) : random_(seed) {}

  View Next() {
    std::vector<Record> records;
    for (uint32_t i = Below(12); i > 0; --i) AddBlock(records);
    View view = MakeView(records, {"paragraph"});
    return view;
  }

 private:
  uint32_t Below(uint32_t end) {
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random_);
  }
  std::string Text() {
    static constexpr const char* kWords[] = {"alpha", "beta", "gamma", "delta"};
    std::string text;
    for (uint32_t i = Below(4); i > 0; --i) text += std::string(kWords[Below(4)]) + " ";
    return text;
  }
  void AddBlock(std::vector<Record>& records) {
    const std::string ordinal = std::to_string(records.size() + 1);
    if (Below(3) > 0) {
      Record record = MakeRecord("paragraph", "p:" + ordinal, Text());
      if (Below(3) == 0) record.key = std::to_string(Below(5));
      if (Below(2) == 0) record.span = ByteSpan{records.size(), records.size() + Below(9)};
      if (Below(4) == 0) record.attrs.Set("style", static_cast<int>(Below(2)));
      records.push_back(std::move(record));
      return;
    }
    const std::string table = "t:" + ordinal;
    records.push_back(MakeRecord("table", table, ""));
    for (uint32_t i = Below(4); i > 0; --i) {
      const std::string at = std::to_string(i);
      if (Below(2) == 0) {
        records.push_back(MakeRecord("cell", table + "/c:" + at, Text(), table, at));
      } else {
        records.push_back(MakeRecord("paragraph", table + "/p:" + at, Text(), table));
      }
    }
  }
  std::mt19937 random_;
};

TEST(Diff, ExactForRandomForests) {
  const uint32_t seed = 20260817;
  for (uint32_t round = 0; round < 3000; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    RandomViews views(seed + round);
    const View from = views.Next(), to = views.Next();
    CheckedDiff(from, to);
    if (HasFailure()) return;
  }
}

TEST(Diff, ParentsInACycleAreSurvived) {
  const View from = MakeView({MakeRecord("row", "a", "x", "b"), MakeRecord("row", "b", "y", "a"),
                              MakeRecord("row", "c", "z", "c")});
  const View to = MakeView({MakeRecord("row", "a", "x", "b"), MakeRecord("row", "b", "w", "a"),
                            MakeRecord("row", "c", "z", "c")});
  EXPECT_THAT(CheckedDiff(from, to).changes, SizeIs(1));
}

// Of the processor, not of the clock: other processes may be at work. Limits are generous, since
// machines and sanitizers differ.
double SecondsOf(const View& from, const View& to) {
  const std::clock_t start = std::clock();
  CheckedDiff(from, to);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Diff, HostileInputsStayNearLinear) {
  std::vector<std::string> equal(100'000, "the same row"), other = equal;
  other.insert(other.begin() + 50'000, "another row");
  other.resize(90'000);
  EXPECT_LT(SecondsOf(MakeLines(equal), MakeLines(other)), 10);

  std::vector<std::string> left, right;  // two rows in random order: no anchor anywhere
  std::mt19937 random(7);
  for (int i = 0; i < 50'000; ++i) {
    left.push_back(random() % 2 ? "zero zero" : "one one");
    right.push_back(random() % 2 ? "zero zero" : "one one");
  }
  EXPECT_LT(SecondsOf(MakeLines(left), MakeLines(right)), 10);

  left.clear(), right.clear();  // nothing in common
  for (int i = 0; i < 50'000; ++i) {
    left.push_back("left " + std::to_string(i));
    right.push_back("right " + std::to_string(i));
  }
  EXPECT_LT(SecondsOf(MakeLines(left), MakeLines(right)), 10);

  std::string line(1 << 20, 'x');
  for (size_t i = 0; i < line.size(); i += 3) line[i] = ' ';
  std::string changed = line;
  for (size_t i = 1; i < changed.size(); i += 7) changed[i] = 'y';
  EXPECT_LT(SecondsOf(MakeLines({line}), MakeLines({changed})), 10);
}

TEST(Align, FindsAShortestScriptOnSmallInputs) {
  // Oracle: the longest common subsequence by dynamic programming.
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<uint64_t> left(2 + random() % 20), right(2 + random() % 20);
    for (uint64_t& item : left) item = random() % 2;
    for (uint64_t& item : right) item = random() % 2;
    std::vector<std::vector<size_t>> best(left.size() + 1, std::vector<size_t>(right.size() + 1));
    for (size_t i = 1; i <= left.size(); ++i) {
      for (size_t j = 1; j <= right.size(); ++j) {
        best[i][j] = left[i - 1] == right[j - 1] ? best[i - 1][j - 1] + 1
                                                 : std::max(best[i - 1][j], best[i][j - 1]);
      }
    }
    const std::vector<MatchedPair> pairs = AlignSequences(left, right);
    EXPECT_EQ(pairs.size(), best.back().back());
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(left[pairs[i].left], right[pairs[i].right]);
      if (i > 0) {
        EXPECT_TRUE(pairs[i - 1].left < pairs[i].left && pairs[i - 1].right < pairs[i].right);
      }
    }
  }
}

TEST(Words, ReplacementsRebuildTheText) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string before, after;
    for (uint32_t i = random() % 30; i > 0; --i) before += "ab ,é"[random() % 5];
    for (uint32_t i = random() % 30; i > 0; --i) after += "ab ,é"[random() % 5];
    std::string rebuilt;
    size_t at = 0;
    for (const TextReplacement& replacement : DiffWords(before, after)) {
      rebuilt += before.substr(at, replacement.before.begin - at);
      rebuilt +=
          after.substr(replacement.after.begin, replacement.after.end - replacement.after.begin);
      at = replacement.before.end;
    }
    rebuilt += before.substr(at);
    EXPECT_EQ(rebuilt, after);
  }
}

}  // namespace
}  // namespace staged
