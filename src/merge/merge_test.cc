#include "staged/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "merge/line_merge.h"
#include "merge/toy_formats.h"

namespace staged {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

MergeResult MergeAs(const std::string& path, const std::string& base, const std::string& left,
                    const std::string& right, OnConflict on_conflict = OnConflict::kReport) {
  const FormatRegistry registry = ToyRegistry();
  MergeOptions options;
  options.on_conflict = on_conflict;
  Result<MergeResult> result = Merge(registry, path, base, left, right, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : MergeResult();
}

TEST(Merge, TrivialCases) {
  EXPECT_EQ(MergeAs("a.bin", "b", "x", "x").method, "identical");
  EXPECT_EQ(MergeAs("a.bin", "b", "b", "x").bytes, "x");
  EXPECT_EQ(MergeAs("a.bin", "b", "x", "b").bytes, "x");
  EXPECT_EQ(MergeAs("a.bin", "b", "x", "b").method, "one_side");
}

TEST(Merge, BytesNobodyUnderstandsAreAConflictOfTheWholeFile) {
  const MergeResult result = MergeAs("a.bin", "b", "x", "y");
  EXPECT_FALSE(result.clean);
  ASSERT_THAT(result.conflicts, SizeIs(1));
  EXPECT_EQ(result.conflicts[0].kind, "whole_file");
  EXPECT_EQ(result.bytes, "");
  EXPECT_EQ(MergeAs("a.bin", "b", "x", "y", OnConflict::kRight).bytes, "y");
  EXPECT_FALSE(MergeAs("a.bin", "b", "x", "y", OnConflict::kRight).clean);
  MergeOptions markers;
  markers.on_conflict = OnConflict::kMarkers;
  EXPECT_EQ(Merge(ToyRegistry(), "a.bin", "b", "x", "y", markers).status().code(),
            ErrorCode::kUnsupportedEdit);
}

TEST(Merge, LinesKeepTheirBytes) {
  const MergeResult result = MergeAs("a.lines",
                                     "\xEF\xBB\xBF"
                                     "1\r\n2\r\n3\r\n4\r\n5",
                                     "\xEF\xBB\xBFone\r\n2\r\n3\r\n4\r\n5",
                                     "\xEF\xBB\xBF"
                                     "1\r\n2\r\n3\r\n4\r\nfive");
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(result.method, "lines");
  EXPECT_EQ(result.bytes, "\xEF\xBB\xBFone\r\n2\r\n3\r\n4\r\nfive");
}

TEST(Merge, ConflictsOfLinesAreValues) {
  const std::string base = "1\n2\n3\n4\n5\n6\n7\n", left = "1\ntwo\n3\n4\n5\n6\n7\nL\n",
                    right = "0\n1\nzwei\n3\n4\n6\n7\nR\n";
  const MergeResult result = MergeAs("a.lines", base, left, right);
  EXPECT_FALSE(result.clean);
  EXPECT_EQ(result.bytes, "");
  ASSERT_THAT(result.conflicts, SizeIs(2));
  EXPECT_EQ(result.conflicts[0].kind, "edit_edit");
  EXPECT_EQ(result.conflicts[0].locator, "line:2");
  EXPECT_EQ(result.conflicts[0].base, Value("2\n"));
  EXPECT_EQ(result.conflicts[0].left, Value("two\n"));
  EXPECT_EQ(result.conflicts[0].right, Value("zwei\n"));
  EXPECT_EQ(result.conflicts[1].kind, "insert_insert");
  EXPECT_EQ(result.conflicts[1].locator, "line:8");
  EXPECT_TRUE(result.conflicts[1].base.is_null());
  EXPECT_EQ(MergeAs("a.lines", base, left, right, OnConflict::kLeft).bytes,
            "0\n1\ntwo\n3\n4\n6\n7\nL\n");
  EXPECT_EQ(MergeAs("a.lines", base, left, right, OnConflict::kRight).bytes,
            "0\n1\nzwei\n3\n4\n6\n7\nR\n");
  EXPECT_EQ(MergeAs("a.lines", base, left, right, OnConflict::kBase).bytes,
            "0\n1\n2\n3\n4\n6\n7\n");
  EXPECT_EQ(MergeAs("a.lines", base, left, right, OnConflict::kMarkers).bytes,
            "0\n1\n<<<<<<< left\ntwo\n=======\nzwei\n>>>>>>> right\n3\n4\n6\n7\n"
            "<<<<<<< left\nL\n=======\nR\n>>>>>>> right\n");
}

TEST(Merge, LinesThatLookLikeMarkersAreText) {
  const std::string base = "<<<<<<< left\na\n=======\nb\n>>>>>>> right\n";
  const MergeResult result =
      MergeAs("a.lines", base, base + "<<<<<<<<<<<\nx\n", base + "|||||||\ny\n");
  ASSERT_THAT(result.conflicts, SizeIs(1));
  EXPECT_EQ(result.conflicts[0].left, Value("<<<<<<<<<<<\nx\n"));
  EXPECT_EQ(result.conflicts[0].right, Value("|||||||\ny\n"));
  EXPECT_EQ(result.conflicts[0].locator, "line:6");
}

TEST(Merge, LedgerOfLinesSeesLossAndInvention) {
  EXPECT_TRUE(LinesAreAccountedFor("a\nb\n", "a\nb\nc\n", "x\nb\n", "x\nb\nc\n"));
  EXPECT_FALSE(LinesAreAccountedFor("a\nb\n", "a\nb\nc\n", "x\nb\n", "x\nb\n"));
  EXPECT_FALSE(LinesAreAccountedFor("a\nb\n", "a\nb\nc\n", "x\nb\n", "a\nx\nb\nc\n"));
  EXPECT_FALSE(LinesAreAccountedFor("a\nb\n", "a\nb\nc\n", "x\nb\n", "x\nb\nc\nd\n"));
  EXPECT_FALSE(LinesAreAccountedFor("a\nb\n", "a\nb\nc\n", "x\nb\n", "x\nc\n"));
}

TEST(Merge, RecordsCompose) {
  const MergeResult result = MergeAs("a.toy", "a=1 red\nb=2\nc=3\nd=4\n",
                                     "a=1 blue\nb=5\nc=3\nd=4\n", "a=9 red\nb=2\nc=3\ne=6\n");
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(result.method, "records");
  EXPECT_EQ(result.bytes, "a=9 blue\nb=5\nc=3\ne=6\n");
}

TEST(Merge, TheOtherDirectionIsTriedWhenAnEditCannotSayIt) {
  // Only the value can be edited: right's style must be kept as bytes, so left is replayed.
  const std::string base = "a=1 red\nb=2\n", left = "a=1 red\nb=3\n", right = "a=1 blue\nb=2\n";
  EXPECT_EQ(MergeAs("a.toy", base, left, right).bytes, "a=1 blue\nb=3\n");
  EXPECT_EQ(MergeAs("a.toy", base, right, left).bytes, "a=1 blue\nb=3\n");
  // Both changed a style: no edit says that.
  const MergeResult both = MergeAs("a.toy", base, "a=1 green\nb=2\n", "a=1 red\nb=2 red\n");
  EXPECT_FALSE(both.clean);
  EXPECT_EQ(both.conflicts[0].kind, "whole_file");
}

TEST(Merge, ConflictsOfRecords) {
  const MergeResult result =
      MergeAs("a.toy", "a=1\nb=2\nc=3\nd=4\n", "a=2\nc=9\nd=4\nx=1\n", "a=3\nb=5\nd=4\nx=2\n");
  EXPECT_FALSE(result.clean);
  ASSERT_THAT(result.conflicts, SizeIs(4));
  std::map<std::string, std::string> kinds;
  for (const MergeConflict& conflict : result.conflicts) kinds[conflict.locator] = conflict.kind;
  EXPECT_EQ(kinds, (std::map<std::string, std::string>{{"a", "edit_edit"},
                                                       {"b", "delete_modify"},
                                                       {"c", "delete_modify"},
                                                       {"x", "insert_insert"}}));
  const MergeResult same = MergeAs("a.toy", "a=1\n", "a=1\nx=1\nb=1\n", "a=1\nx=1\n");
  EXPECT_TRUE(same.clean);
  EXPECT_EQ(same.bytes, "a=1\nx=1\nb=1\n");
}

TEST(Merge, ConflictsOfRecordsCanBeDecided) {
  const std::string base = "a=1\nb=1\nc=1\n", left = "a=2\nb=2\nc=1\n", right = "a=3\nb=1\nc=3\n";
  EXPECT_EQ(MergeAs("a.toy", base, left, right, OnConflict::kLeft).bytes, "a=2\nb=2\nc=3\n");
  EXPECT_EQ(MergeAs("a.toy", base, left, right, OnConflict::kRight).bytes, "a=3\nb=2\nc=3\n");
  const MergeResult decided = MergeAs("a.toy", base, left, right, OnConflict::kBase);
  EXPECT_EQ(decided.bytes, "a=1\nb=2\nc=3\n");
  EXPECT_FALSE(decided.clean);
  EXPECT_THAT(decided.conflicts, SizeIs(1));
}

TEST(Merge, OpaquePartsAreTakenFromTheSideThatChangedThem) {
  const std::string base = "a=1\nb=1\n%%old";
  EXPECT_EQ(MergeAs("a.toy", base, "a=2\nb=1\n%%old", "a=1\nb=1\n%%new").bytes, "a=2\nb=1\n%%new");
  EXPECT_EQ(MergeAs("a.toy", base, "a=2\nb=1\n%%new", "a=1\nb=2\n%%new").bytes, "a=2\nb=2\n%%new");
  const MergeResult both = MergeAs("a.toy", base, "a=1\nb=1\n%%new", "a=1\nb=1\n%%other");
  ASSERT_THAT(both.conflicts, SizeIs(1));
  EXPECT_EQ(both.conflicts[0].locator, "part:rest");
}

TEST(Merge, DerivedChangesDoNotConflict) {
  const MergeResult result =
      MergeAs("a.toy", "a=1 s x\nb=1\nc=1\n", "a=1 s y\nb=2\nc=1\n", "a=1 s z\nb=1\nc=2\n");
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(result.bytes, "a=1 s y\nb=2\nc=2\n");
}

// Planted truth: each entry is changed by nobody, one side, or both; the outcome is known.
TEST(Merge, PlantedEntries) {
  const uint32_t seed = 4711;
  for (uint32_t round = 0; round < 400; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    std::mt19937 random(seed + round);
    std::string base, left, right, expected;
    size_t conflicts = 0;
    for (int i = 0; i < 12; ++i) {
      const std::string key = "k" + std::to_string(i);
      const auto state = [&](uint32_t choice, const std::string& side) {
        return choice == 0 ? "" : key + "=" + (choice == 1 ? "base" : side) + "\n";
      };
      const uint32_t l = std::min<uint32_t>(random() % 8, 3),
                     r = std::min<uint32_t>(random() % 8, 3);
      const auto pick = [](uint32_t n) { return n == 0 ? 0u : n == 1 ? 2u : 1u; };
      base += state(1, "");
      left += state(pick(l), "left");
      right += state(pick(r), "right");
      const bool left_changed = pick(l) != 1, right_changed = pick(r) != 1;
      if (left_changed && right_changed && !(pick(l) == 0 && pick(r) == 0)) ++conflicts;
      expected += left_changed ? state(pick(l), "left") : state(pick(r), "right");
    }
    const MergeResult result = MergeAs("a.toy", base, left, right);
    const MergeResult mirrored = MergeAs("a.toy", base, right, left);
    EXPECT_EQ(result.clean, conflicts == 0);
    EXPECT_EQ(mirrored.clean, result.clean);
    EXPECT_THAT(result.conflicts, SizeIs(conflicts));
    if (result.clean) {
      EXPECT_EQ(result.bytes, expected);
      EXPECT_EQ(mirrored.bytes, expected);
    }
  }
}

std::string RunGitMergeFile(const std::string& folder, const std::string& base,
                            const std::string& left, const std::string& right, bool& clean) {
  std::ofstream(folder + "/base") << base;
  std::ofstream(folder + "/left") << left;
  std::ofstream(folder + "/right") << right;
  const std::string command =
      "cd " + folder + " && git merge-file -p -L left -L base -L right left base right";
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  for (int byte; (byte = fgetc(pipe)) != EOF;) output += static_cast<char>(byte);
  clean = pclose(pipe) == 0;
  return output;
}

TEST(Merge, LinesAgreeWithGit) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("staged_merge_test_" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  const uint32_t seed = 99;
  size_t clean_count = 0;
  for (uint32_t round = 0; round < 150; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    std::mt19937 random(seed + round);
    std::vector<std::string> base_lines;
    for (int i = 0; i < 30; ++i) base_lines.push_back("line " + std::to_string(random() % 12));
    const auto edit = [&] {
      std::string text;
      for (const std::string& line : base_lines) {
        const uint32_t choice = random() % 16;
        if (choice == 0) continue;
        text += choice == 1 ? "new " + std::to_string(random() % 4) : line;
        text += "\n";
      }
      return text;
    };
    std::string base;
    for (const std::string& line : base_lines) base += line + "\n";
    const std::string left = edit(), right = edit();
    bool git_clean = false;
    const std::string git = RunGitMergeFile(folder.string(), base, left, right, git_clean);
    const MergeResult result = MergeAs("a.lines", base, left, right, OnConflict::kMarkers);
    EXPECT_EQ(result.bytes, git);
    EXPECT_EQ(result.clean, git_clean);
    clean_count += git_clean ? 1 : 0;
  }
  EXPECT_GT(clean_count, 10u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace staged
