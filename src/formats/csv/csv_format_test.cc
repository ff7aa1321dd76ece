#include "formats/csv/csv_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <set>

#include "codec/json.h"
#include "formats/builtin_formats.h"
#include "formats/test_support.h"
#include "record/segments.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using testing::CorpusFiles;
using testing::MakeEdit;
using testing::ReadFile;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.csv") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}
std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewCsvFormat(), bytes, edits);
}
Edit Set(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}
std::string TextAt(const View& view, std::string_view locator) {
  const Result<Record> record = view.Find(locator);
  return record.ok() ? record->text : "ABSENT";
}

TEST(CsvFormatTest, CellsHaveLocatorsKeysAndSpans) {
  const View view = Parse("\xEF\xBB\xBFid,name,name\r\n7,\"a, \"\"b\"\"\",c\r\n8,,\r\n");
  EXPECT_EQ(view.format, "csv");
  EXPECT_EQ(TextAt(view, "r:2/c:name"), "a, \"b\"");
  EXPECT_EQ(TextAt(view, "r:2/c:name#2"), "c");
  EXPECT_EQ(TextAt(view, "r:3/c:name"), "");
  EXPECT_EQ(TextAt(view, "r:1/c:id"), "id");
  EXPECT_EQ(view.Find("r:2")->key, "id=7");
  EXPECT_EQ(view.Find("r:2/c:id")->span, (ByteSpan{17, 18}));
  EXPECT_EQ(view.Find("r:2/c:name")->span, (ByteSpan{19, 29}));
  EXPECT_EQ(view.Find("r:2/c:name")->parent, "r:2");
  EXPECT_TRUE(view.diagnostics.empty());
}

TEST(CsvFormatTest, DetectsDialects) {
  const auto delimiter = [](std::string_view bytes) {
    return std::string(Parse(bytes).Records()[0].attrs.FindString("delimiter"));
  };
  EXPECT_EQ(delimiter("a;b;c\n1,5;2;3\n2,5;3;4\n"), ";");
  EXPECT_EQ(delimiter("a\tb\n1,2\t3\n"), "\t");
  EXPECT_EQ(delimiter("a|b\n1|2\n"), "|");
  EXPECT_EQ(delimiter("a,b\n\"x;y;z\",2\n\"p;q;r\",3\n"), ",");
  EXPECT_EQ(delimiter("one\ntwo\n"), ",");
  EXPECT_EQ(delimiter(""), ",");
}

TEST(CsvFormatTest, RaggedAndBlankRowsAreKept) {
  const View view = Parse("a,b\n1\n\n1,2,3\n");
  EXPECT_EQ(TextAt(view, "r:2/c:b"), "ABSENT");
  EXPECT_TRUE(view.Find("r:3").ok());
  EXPECT_EQ(TextAt(view, "r:4/c:3"), "3");
  ASSERT_EQ(view.diagnostics.size(), 2u);
  EXPECT_EQ(view.diagnostics[0].locator, "r:2");
}

TEST(CsvFormatTest, LocatorsAreUnique) {
  const View view = Parse("a,a,a#2,,4\n1,2,3,4,5,6\n");
  std::set<std::string> seen;
  view.ForEach([&](const Record& record) {
    EXPECT_TRUE(seen.insert(record.locator).second) << record.locator;
    return true;
  });
}

TEST(CsvFormatTest, SegmentSurvivesEncoding) {
  const View view = Parse("id,b\n1,\"x\ny\"\n\n2,caf\xE9 and some more\n3\n");
  const Result<std::shared_ptr<const Segment>> decoded = DecodeSegment(view.segments[0]->Encode());
  ASSERT_TRUE(decoded.ok());
  const std::vector<Record> records = view.Records();
  size_t i = 0;
  (*decoded)->ForEach([&](const Record& record) {
    EXPECT_EQ(record, records[i]);
    EXPECT_EQ((*decoded)->At(i), records[i]);
    ++i;
    return true;
  });
  EXPECT_EQ(i, (*decoded)->record_count());
}

TEST(CsvEditTest, SetsCells) {
  const std::string bytes = "\xEF\xBB\xBFid;name\r\n7;\"x\"\r\n8;y";
  EXPECT_EQ(Edited(bytes, {Set("r:2/c:name", "p"), Set("r:3/c:name", "a;\"b\"")}),
            "\xEF\xBB\xBFid;name\r\n7;\"p\"\r\n8;\"a;\"\"b\"\"\"");
  EXPECT_EQ(Edited(bytes, {Set("id=8/c:name", 2.5)}), "\xEF\xBB\xBFid;name\r\n7;\"x\"\r\n8;2.5");
  EXPECT_EQ(Edited("a,a\n1,2\n", {Set("r:2/c:a#2", nullptr)}), "a,a\n1,\n");
  EXPECT_EQ(Edited("a,b,c\n1\n", {Set("r:2/c:c", 3), Set("r:2/c:b", 2)}), "a,b,c\n1,2,3\n");
  EXPECT_EQ(Edited("a\n1\n", {Set("r:2/c:a", "")}), "a\n\"\"\n");
  EXPECT_EQ(Edited("a,b\nx y,2\n",
                   {MakeEdit("replace_text", "r:2/c:a", {{"find", "y"}, {"replace", "z,"}})}),
            "a,b\n\"x z,\",2\n");
}

TEST(CsvEditTest, InsertsAppendsAndDeletesRows) {
  EXPECT_EQ(Edited("a,b\n1,2\n", {MakeEdit("append", "", {{"values", Value::Array{3, "x,y"}}})}),
            "a,b\n1,2\n3,\"x,y\"\n");
  EXPECT_EQ(Edited("a,b\r\n1,2", {MakeEdit("append", "", {{"values", Value::Object{{"b", 4}}}})}),
            "a,b\r\n1,2\r\n,4");
  EXPECT_EQ(
      Edited("a,b\n1,2\n3,4\n", {MakeEdit("insert_before", "r:3", {{"values", Value::Array{0, 0}}}),
                                 MakeEdit("delete", "r:2")}),
      "a,b\n0,0\n3,4\n");
  EXPECT_EQ(Edited("a,b\n1,2\n3,4", {MakeEdit("delete", "r:3")}), "a,b\n1,2");
  EXPECT_EQ(Edited("\"a\",\"b\"\n\"1\",\"2\"\n",
                   {MakeEdit("insert_after", "r:2", {{"values", Value::Array{3, 4}}})}),
            "\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"4\"\n");
  EXPECT_EQ(Edited("a,b\n\"x\ny\",2\n3,4\n", {MakeEdit("delete", "r:2")}), "a,b\n3,4\n");
  EXPECT_EQ(Edited("a,b\n1,2\n", {MakeEdit("set", "r:2", {{"values", Value::Array{8, 9}}})}),
            "a,b\n8,9\n");
  EXPECT_EQ(Edited("a,b\n1,2\n", {MakeEdit("replace", "line:2", {{"text", "5,6"}})}), "a,b\n5,6\n");
}

TEST(CsvEditTest, GuardsAndRefusals) {
  EXPECT_EQ(Edited("a,b\n1,2\n", {MakeEdit("set", "r:2/c:a", {{"value", 5}, {"expect", 1}})}),
            "a,b\n5,2\n");
  EXPECT_THAT(Edited("a,b\n1,2\n", {MakeEdit("set", "r:2/c:a", {{"value", 5}, {"expect", "2"}})}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("a,b\n1,2\n", {Set("r:9/c:a", 1)}), StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("a,b\n1,2\n", {Set("r:2/c:z", 1)}), StartsWith("ERROR no_match"));
  EXPECT_THAT(Edited("a,b\n1,2\n", {Set("B7", 1)}), StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("a,b\n1,2\n1,3\n", {Set("a=1/c:b", 1)}), StartsWith("ERROR ambiguous"));
  EXPECT_THAT(Edited("a,b\n1,2\n", {Set("r:2/c:a", Value::Array{})}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("a,b\n1,2\n", {MakeEdit("append", "", {{"values", 3}})}),
              StartsWith("ERROR invalid_argument"));
}

TEST(CsvCorpusTest, AgreesWithPython) {
  size_t compared = 0;
  for (const std::string& file : CorpusFiles("csv")) {
    const std::string bytes = ReadFile(file);
    const View view = Parse(bytes, file);
    if (view.format != "csv") continue;
    const std::vector<Record> records = view.Records();
    const std::string_view delimiter = records[0].attrs.FindString("delimiter");
    const std::string theirs = testing::RunOracle(
        "csv_oracle.py", file + "@" + (delimiter == "\t" ? "tab" : std::string(delimiter)));
    if (theirs.empty()) continue;
    std::string ours;
    for (size_t i = 1; i < records.size();) {
      ours += "[";
      for (++i; i < records.size() && records[i].kind == "cell"; ++i) {
        if (ours.back() != '[') ours += ", ";
        AppendJsonString(ours, records[i].text, true);
      }
      ours += "]\n";
    }
    EXPECT_TRUE(ours == theirs) << file << "\n"
                                << ours.substr(0, 400) << "\n--\n"
                                << theirs.substr(0, 400);
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no corpus or no Python: all comparisons skipped";
  EXPECT_GT(compared, 30u);
}

TEST(CsvCorpusTest, SettingACellChangesItAlone) {
  size_t edited = 0;
  for (const std::string& file : CorpusFiles("csv")) {
    const std::string bytes = ReadFile(file);
    const View before = Parse(bytes, file);
    if (before.format != "csv" || bytes.size() > 100'000) continue;
    std::vector<Record> records = before.Records();
    for (size_t i = 1; i < records.size(); i += 1 + records.size() / 5) {
      if (records[i].kind != "cell" || records[i].parent == "r:1") continue;
      const std::string after = Edited(bytes, {Set(records[i].locator, "pl\"anted, text")});
      if (after.starts_with("ERROR unsupported_edit")) continue;
      const std::vector<Record> found = Parse(after, file).Records();
      ASSERT_EQ(found.size(), records.size()) << file << " " << records[i].locator << after;
      for (size_t j = 0; j < found.size(); ++j) {
        EXPECT_EQ(found[j].text, j == i ? "pl\"anted, text" : records[j].text)
            << file << " " << records[j].locator;
      }
      ++edited;
    }
  }
  if (edited == 0) GTEST_SKIP() << "no corpus: all edits skipped";
  EXPECT_GT(edited, 50u);
}

TEST(CsvFormatTest, ManyRowsAreFast) {
  std::string bytes = "id,name,price,comment\n";
  for (int i = 0; i < 100'000; ++i) {
    bytes += std::to_string(i) + ",some name,12.50,\"a, comment\"\n";
  }
  const std::clock_t begin = std::clock();
  const View view = Parse(bytes);
  size_t cells = 0;
  view.ForEach([&](const Record& record) {
    cells += record.kind == "cell" ? 1 : 0;
    return true;
  });
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(cells, 400'004u);
  EXPECT_LT(seconds, 3.0);
  EXPECT_LT(view.segments[0]->memory_bytes(), bytes.size() * 3);
}

}  // namespace
}  // namespace staged
