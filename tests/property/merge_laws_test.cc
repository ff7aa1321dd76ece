// Laws of the merge over real merges, and over files with planted changes.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>

#include "formats/builtin_formats.h"
#include "formats/xlsx/xlsx_test_support.h"
#include "merge/line_merge.h"
#include "staged/merge.h"
#include "tests/property/corpus_pairs.h"

namespace staged {
namespace {

class MergeLaws : public ::testing::Test {
 protected:
  MergeResult MergeAs(const std::string& path, const std::string& base, const std::string& left,
                      const std::string& right) const {
    Result<MergeResult> result = Merge(registry_, path, base, left, right, MergeOptions());
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : MergeResult();
  }
  FormatRegistry registry_ = NewBuiltinRegistry();
};

TEST_F(MergeLaws, HoldOverTheCorpus) {
  const std::vector<testing::CorpusPair> pairs = testing::ReadCorpusPairs();
  if (pairs.empty()) GTEST_SKIP() << "0 of all merges checked: the corpus is absent";
  std::map<std::string, size_t> outcomes;
  for (const testing::CorpusPair& pair : pairs) {
    if (pair.kind.rfind("merge3", 0) != 0) continue;
    SCOPED_TRACE(pair.directory);
    const std::string extension = pair.files[0].substr(pair.files[0].rfind('.'));
    const auto read = [&](const std::string& name) {
      return testing::ReadBytes(pair.directory + "/" + name + extension);
    };
    const std::string base = read("base"), left = read("left"), right = read("right");
    const std::string path = "a" + extension;
    EXPECT_EQ(MergeAs(path, base, base, right).bytes, right);
    EXPECT_EQ(MergeAs(path, base, left, left).bytes, left);
    const MergeResult result = MergeAs(path, base, left, right);
    const MergeResult mirrored = MergeAs(path, base, right, left);
    EXPECT_EQ(result.clean, mirrored.clean);
    EXPECT_EQ(result.clean, result.conflicts.empty());
    if (result.clean && result.method == "lines") {
      EXPECT_EQ(result.bytes, mirrored.bytes);
      EXPECT_TRUE(LinesAreAccountedFor(base, left, right, result.bytes));
    }
    std::string outcome = pair.kind + " " + pair.format + ": " + result.method;
    if (!result.clean) outcome += " conflict " + result.conflicts[0].kind;
    if (result.clean && pair.files.size() > 3) {
      const bool as_people_did = result.bytes == read("expected");
      outcome += as_people_did ? " as expected" : " otherwise";
      if (pair.kind == "merge3-clean") {
        EXPECT_TRUE(as_people_did) << "differs from what people committed";
      }
    }
    ++outcomes[outcome];
  }
  for (const auto& [outcome, count] : outcomes) std::printf("%4zu %s\n", count, outcome.c_str());
}

TEST_F(MergeLaws, TwoValuesOfOneJsonDocument) {
  const std::string base = R"({"name": "x", "size": 1, "tags": ["a", "b"], "deep": {"k": true}})";
  const MergeResult result = MergeAs(
      "a.json", base, R"({"name": "y", "size": 1, "tags": ["a", "b"], "deep": {"k": true}})",
      R"({"name": "x", "size": 1, "tags": ["a", "c"], "deep": {"k": false, "new": {"n": [1, {"z": "s"}]}}})");
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(result.method, "records");
  EXPECT_EQ(ParseView(registry_, result.bytes, "a.json", Limits())->Find("/deep/new/n/1/z")->text,
            "s");
  EXPECT_EQ(ParseView(registry_, result.bytes, "a.json", Limits())->Find("/name")->text, "y");
  EXPECT_EQ(ParseView(registry_, result.bytes, "a.json", Limits())->Find("/tags/1")->text, "c");
  const MergeResult conflict =
      MergeAs("a.json", R"({"a": 1, "b": 2})", R"({"a": 3, "b": 2})", R"({"a": 4})");
  ASSERT_EQ(conflict.conflicts.size(), 1u);
  EXPECT_EQ(conflict.conflicts[0].locator, "/a");
  EXPECT_EQ(conflict.conflicts[0].kind, "edit_edit");
}

// Every workbook of the histories: one side sets one cell, the other another; then both the same.
TEST_F(MergeLaws, TwoCellsOfAWorkbook) {
  const Format* xlsx = registry_.Find("xlsx");
  const std::vector<testing::CorpusPair> pairs = testing::ReadCorpusPairs();
  if (pairs.empty()) GTEST_SKIP() << "0 of all workbooks checked: the corpus is absent";
  if (xlsx == nullptr) GTEST_SKIP() << "0 of all workbooks checked: xlsx is not built in";
  size_t merged = 0, refused = 0;
  for (const testing::CorpusPair& pair : pairs) {
    if (pair.format != "xlsx") continue;
    SCOPED_TRACE(pair.directory);
    const std::string base = testing::ReadBytes(pair.directory + "/" + pair.files[0]);
    const View view = *ParseView(registry_, base, "a.xlsx", Limits());
    std::vector<Record> cells;
    view.ForEach([&](const Record& record) {
      const bool plain = record.kind == "cell" && record.attrs.Find("formula") == nullptr &&
                         record.attrs.FindString("type") == "number";
      if (plain) cells.push_back(record);
      return cells.size() < 2;
    });
    if (cells.size() < 2) continue;
    const auto set = [&](const Record& cell, double value) {
      Edit edit;
      edit.op = "set";
      edit.locator = cell.locator;
      edit.arguments.Set("value", value);
      return xlsx->Apply(base, {edit}, Limits());
    };
    const auto left = set(cells[0], 4711), right = set(cells[1], 815), other = set(cells[0], 42);
    if (!left.ok() || !right.ok() || !other.ok()) {
      ++refused;
      continue;
    }
    const MergeResult result = MergeAs("a.xlsx", base, left->bytes, right->bytes);
    EXPECT_TRUE(result.clean);
    if (!result.clean) continue;
    const View both = *ParseView(registry_, result.bytes, "a.xlsx", Limits());
    EXPECT_EQ(both.Find(cells[0].locator)->attrs.Find("value")->as_double(), 4711);
    EXPECT_EQ(both.Find(cells[1].locator)->attrs.Find("value")->as_double(), 815);
    const MergeResult conflict = MergeAs("a.xlsx", base, left->bytes, other->bytes);
    EXPECT_FALSE(conflict.clean);
    EXPECT_EQ(conflict.conflicts[0].kind, "edit_edit");
    EXPECT_EQ(conflict.conflicts[0].locator, cells[0].locator);
    ++merged;
  }
  std::printf("%zu workbooks merged, %zu that the writer refuses\n", merged, refused);
}

Edit TextEdit(const std::string& op, const std::string& locator, const std::string& text) {
  Edit edit{op, locator, std::nullopt, {}};
  if (op != "delete") edit.arguments.Set("text", text);
  return edit;
}

// Up to `most` paragraphs that a person would type into: each once in the document.
std::vector<Record> TypedParagraphs(const View& view, size_t most) {
  std::map<std::string, size_t> uses;
  view.ForEach([&](const Record& record) { return ++uses[record.text], true; });
  std::vector<Record> paragraphs;
  view.ForEach([&](const Record& record) {
    const bool typed = record.kind == "paragraph" && record.locator.starts_with("p:") &&
                       record.hidden.empty() && record.text.size() >= 20 &&
                       uses[record.text] == 1 && record.attrs.Find("revisions") == nullptr &&
                       record.attrs.Find("fields") == nullptr;
    if (typed) paragraphs.push_back(record);
    return paragraphs.size() < most;
  });
  return paragraphs;
}

bool HasParagraph(const View& view, const std::string& text) {
  bool found = false;
  view.ForEach([&](const Record& record) {
    found = found || (record.kind == "paragraph" && record.text == text);
    return !found;
  });
  return found;
}

// Every text document of the corpus: one person writes one paragraph and puts one in, the other
// writes or deletes another; then both write the same.
TEST_F(MergeLaws, TwoParagraphsOfADocument) {
  const std::vector<std::string> paths = testing::CorpusFiles({".docx", ".odt"});
  if (paths.empty()) GTEST_SKIP() << "0 of all documents checked: the corpus is absent";
  std::map<std::string, size_t> outcomes;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const std::string base = testing::ReadBytes(path);
    const Result<View> view = ParseView(registry_, base, path, Limits());
    if (!view.ok() || !view->fallback.empty()) continue;
    const std::vector<Record> paragraphs = TypedParagraphs(*view, 2);
    if (paragraphs.size() < 2) continue;
    const Format& format = *registry_.Find(view->format);
    const auto apply = [&](std::vector<Edit> edits) { return format.Apply(base, edits, Limits()); };
    const std::string &first = paragraphs[0].locator, &second = paragraphs[1].locator;
    const std::string this_text = paragraphs[0].text + " Left.";
    const std::string that_text = paragraphs[1].text + " Right.";
    const auto left = apply({TextEdit("set", first, this_text)});
    const auto inserting = apply(
        {TextEdit("set", first, this_text), TextEdit("insert_after", first, "Left put this in.")});
    const auto right = apply({TextEdit("set", second, that_text)});
    const auto deleting = apply({TextEdit("delete", second, "")});
    const auto other = apply({TextEdit("set", first, paragraphs[0].text + " Right.")});
    if (!left.ok() || !inserting.ok() || !right.ok() || !deleting.ok() || !other.ok()) {
      ++outcomes["that the writer refuses"];
      continue;
    }
    for (const bool mirrored : {false, true}) {
      const auto merge = [&](const std::string& one, const std::string& two) {
        return mirrored ? MergeAs(path, base, two, one) : MergeAs(path, base, one, two);
      };
      const MergeResult both = merge(inserting->bytes, right->bytes);
      ++outcomes[both.clean ? "merged" : "not merged: " + both.conflicts[0].kind];
      if (!both.clean) std::printf("not merged: %s\n", path.c_str());
      if (!both.clean) continue;
      const View merged = *ParseView(registry_, both.bytes, path, Limits());
      EXPECT_TRUE(HasParagraph(merged, this_text));
      EXPECT_TRUE(HasParagraph(merged, "Left put this in."));
      EXPECT_TRUE(HasParagraph(merged, that_text));
      EXPECT_EQ(merged.record_count(),
                ParseView(registry_, inserting->bytes, path, Limits())->record_count());
      const MergeResult gone = merge(left->bytes, deleting->bytes);
      ++outcomes[gone.clean ? "merged with a deletion" : "deletion: " + gone.conflicts[0].kind];
      if (!gone.clean) std::printf("deletion not merged: %s\n", path.c_str());
      if (gone.clean) {
        const View without = *ParseView(registry_, gone.bytes, path, Limits());
        EXPECT_TRUE(HasParagraph(without, this_text));
        EXPECT_FALSE(HasParagraph(without, paragraphs[1].text));
      }
      const MergeResult conflict = merge(left->bytes, other->bytes);
      ASSERT_FALSE(conflict.clean);
      EXPECT_EQ(conflict.conflicts[0].kind, "edit_edit");
      EXPECT_EQ(conflict.conflicts[0].locator, first);
    }
  }
  for (const auto& [outcome, count] : outcomes) std::printf("%4zu %s\n", count, outcome.c_str());
  EXPECT_GT(outcomes["merged"], 200U);
}

// One side changes how cells look and hides a row, the other values, also of a formatted cell: all
// of it is in the merge, in both directions.
TEST_F(MergeLaws, LooksAndValuesOfAWorkbook) {
  testing::WorkbookXml xml;
  xml.parts = {{"xl/styles.xml",
                "<styleSheet><fonts><font/><font><b/></font></fonts><fills><fill/><fill>"
                "<patternFill patternType='solid'><fgColor rgb='FFFFFF00'/></patternFill></fill>"
                "</fills><cellXfs><xf/><xf fillId='1'/><xf fontId='1'/></cellXfs></styleSheet>"}};
  const auto make = [&](const std::string& a1, const std::string& row2, const std::string& a2) {
    xml.sheet_data = "<row r=\"1\"><c r=\"A1\" s=\"1\">" + a1 + "</c></row><row r=\"2\"" + row2 +
                     "><c r=\"A2\"" + a2 + "><v>7</v></c><c r=\"B2\"><v>8</v></c></row>";
    return testing::MakeWorkbook(xml);
  };
  const std::string base = make("<v>1</v>", "", "");
  const std::string looks = make("<v>1</v>", " hidden=\"1\"", " s=\"2\"");
  const Format& format = *registry_.Find("xlsx");
  Edit clear{"clear", "Sheet1!A1", std::nullopt, {}};
  Edit set{"set", "Sheet1!B2", std::nullopt, {}};
  set.arguments.Set("value", 9);
  const Result<EditOutcome> values = format.Apply(base, {clear, set}, Limits());
  ASSERT_TRUE(values.ok()) << values.status().message();
  for (const bool looks_left : {true, false}) {
    const MergeResult result = looks_left ? MergeAs("a.xlsx", base, looks, values->bytes)
                                          : MergeAs("a.xlsx", base, values->bytes, looks);
    ASSERT_TRUE(result.clean);
    const Result<View> view = ParseView(registry_, result.bytes, "a.xlsx", Limits());
    ASSERT_TRUE(view.ok());
    EXPECT_FALSE(view->Find("Sheet1!A1").ok());
    EXPECT_EQ(view->Find("Sheet1!A2")->attrs.FindString("style"), "bold");
    EXPECT_EQ(view->Find("Sheet1!B2")->text, "9");
    EXPECT_EQ(view->Find("Sheet1!B2")->hidden, "hidden row");
  }
}

TEST_F(MergeLaws, TwoCellsOfOneRowOfATable) {
  const std::string base = "id,name,price\r\n1,a,10\r\n2,\"b, c\",20\r\n3,d,30\r\n";
  const MergeResult result =
      MergeAs("a.csv", base, "id,name,price\r\n1,a,11\r\n2,\"b, c\",21\r\n3,d,30\r\n",
              "id,name,price\r\n1,a,10\r\n2,\"x, y\",20\r\n0,new,1\r\n3,d,30\r\n");
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(result.method, "records");
  EXPECT_EQ(result.bytes, "id,name,price\r\n1,a,11\r\n2,\"x, y\",21\r\n0,new,1\r\n3,d,30\r\n");
}

// Planted truth in one-line JSON, which lines cannot merge: each member is left alone, changed by
// one side, or by both.
TEST_F(MergeLaws, PlantedJsonMembers) {
  const uint32_t seed = 20261130;
  std::printf("seed %u\n", seed);
  size_t clean_count = 0;
  for (uint32_t round = 0; round < 200; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    std::mt19937 random(seed + round);
    std::map<std::string, std::string> base, left, right, truth;
    bool conflict = false;
    for (int i = 0; i < 10; ++i) {
      const std::string key = "k" + std::to_string(i);
      base[key] = left[key] = right[key] = truth[key] = std::to_string(random() % 100);
      const auto change = [&](std::map<std::string, std::string>& side) {
        const uint32_t choice = random() % 8;
        if (choice == 0) side.erase(key);
        if (choice == 1) side[key] = "\"text " + std::to_string(random()) + "\"";
        return choice <= 1;
      };
      const bool by_left = change(left), by_right = change(right);
      if (by_left || by_right) {
        const auto& winner = by_left ? left : right;
        truth.erase(key);
        if (winner.count(key) > 0) truth[key] = winner.at(key);
      }
      conflict = conflict || (by_left && by_right && (left.count(key) > 0 || right.count(key) > 0));
    }
    const auto print = [](const std::map<std::string, std::string>& members) {
      std::string text = "{";
      for (const auto& [key, value] : members) {
        text += (text.size() > 1 ? ", \"" : "\"") + key + "\": " + value;
      }
      return text + "}\n";
    };
    const MergeResult result = MergeAs("a.json", print(base), print(left), print(right));
    EXPECT_EQ(result.clean, !conflict);
    if (result.clean) {
      EXPECT_EQ(result.bytes, print(truth));
      ++clean_count;
    }
  }
  EXPECT_GT(clean_count, 20u);
}

}  // namespace
}  // namespace staged
