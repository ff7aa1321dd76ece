#include "formats/text/text_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "formats/builtin_formats.h"
#include "formats/test_support.h"
#include "record/segments.h"

namespace staged {
namespace {

using std::string_literals::operator""s;
using testing::ApplyEdits;
using testing::MakeEdit;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.txt") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

// The bytes that the records alone give.
std::string Rebuild(const View& view) {
  const std::vector<Record> records = view.Records();
  const Value& file = records[0].attrs;
  const auto newline_bytes = [](std::string_view name) -> std::string {
    return name == "crlf" ? "\r\n" : name == "cr" ? "\r" : "\n";
  };
  std::string bytes = file.Find("byte_order_mark")->as_bool() ? "\xEF\xBB\xBF" : "";
  for (size_t i = 1; i < records.size(); ++i) {
    const std::string_view raw = records[i].attrs.FindString("raw");
    for (size_t j = 0; j < raw.size(); j += 2) {
      bytes.push_back(static_cast<char>(std::stoi(std::string(raw.substr(j, 2)), nullptr, 16)));
    }
    if (raw.empty()) bytes += records[i].text;
    const bool is_last = i + 1 == records.size();
    if (is_last && !file.Find("final_newline")->as_bool()) continue;
    bytes += newline_bytes(records[i].attrs.FindString("newline", file.FindString("newline")));
  }
  return bytes;
}

TEST(TextFormatTest, BytesFollowFromTheRecords) {
  for (const std::string& bytes :
       {""s, "a"s, "a\n"s, "a\r\nb\nc"s, "\n\n"s, "\r\n"s, "a\rb\rc"s, "a\rb\nc"s,
        "\xEF\xBB\xBFx\n"s, "caf\xE9 au lait\nok\n"s, "\xEF\xBB\xBF"s}) {
    EXPECT_EQ(Rebuild(Parse(bytes)), bytes);
  }
}

TEST(TextFormatTest, LinesHaveLocatorsAndSpans) {
  const View view = Parse("\xEF\xBB\xBFone\r\ntwo\r\nthree");
  EXPECT_EQ(view.format, "text");
  const Result<Record> line = view.Find("line:2");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->text, "two");
  EXPECT_TRUE(line->attrs.is_null());
  EXPECT_EQ(line->span, (ByteSpan{8, 13}));
  EXPECT_EQ(view.Find("line:4").status().code(), ErrorCode::kNoMatch);
}

TEST(TextFormatTest, InvalidUtf8IsNamedByByte) {
  const View view = Parse(
      "abc\nd\xE9"
      "f and more text\n");
  ASSERT_EQ(view.diagnostics.size(), 1u);
  EXPECT_EQ(view.diagnostics[0].locator, "bytes:5-6");
  EXPECT_EQ(view.Find("line:2")->text,
            "d\xEF\xBF\xBD"
            "f and more text");
}

TEST(TextFormatTest, Utf16IsReadAndEdited) {
  const std::string bytes("\xFF\xFEh\0i\0\r\0\n\0\x3D\xD8\x00\xDE", 14);
  const View view = Parse(bytes);
  EXPECT_EQ(view.format, "text");
  EXPECT_EQ(view.Find("line:1")->text, "hi");
  EXPECT_EQ(view.Find("line:2")->text, "\xF0\x9F\x98\x80");
  EXPECT_EQ(view.Records()[0].attrs.FindString("encoding"), "utf-16le");
  EXPECT_EQ(ApplyEdits(*NewTextFormat(), bytes, {MakeEdit("replace", "line:1", {{"text", "yo"}})}),
            std::string("\xFF\xFEy\0o\0\r\0\n\0\x3D\xD8\x00\xDE", 14));
}

TEST(TextFormatTest, NulBytesAreBinary) {
  EXPECT_EQ(Parse("a\0b"s).format, "binary");
  EXPECT_EQ(Parse("\x01\x02\x03\x04\x05\x06").format, "binary");
}

TEST(TextFormatTest, SegmentSurvivesEncoding) {
  const View view = Parse(
      "one\r\ntwo\nd\xE9"
      "f\r\n");
  const Result<std::shared_ptr<const Segment>> decoded = DecodeSegment(view.segments[0]->Encode());
  ASSERT_TRUE(decoded.ok());
  std::vector<Record> records;
  (*decoded)->ForEach([&](const Record& record) {
    records.push_back(record);
    return true;
  });
  EXPECT_EQ(records, view.Records());
  for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ((*decoded)->At(i), records[i]);
  const std::string encoded = view.segments[0]->Encode();
  EXPECT_FALSE(DecodeSegment(encoded.substr(0, encoded.size() - 1)).ok());
}

TEST(TextFormatTest, ReplacesLinesAndKeepsTheNewlineStyle) {
  const auto format = NewTextFormat();
  const std::string bytes =
      "\xEF\xBB\xBF"
      "a\r\nb\r\nc\r\nd";
  EXPECT_EQ(ApplyEdits(*format, bytes, {MakeEdit("replace", "line:2-3", {{"text", "x\ny\nz\n"}})}),
            "\xEF\xBB\xBF"
            "a\r\nx\r\ny\r\nz\r\nd");
  EXPECT_EQ(ApplyEdits(*format, bytes, {MakeEdit("replace", "line:4", {{"text", "D\n"}})}),
            "\xEF\xBB\xBF"
            "a\r\nb\r\nc\r\nD");
  EXPECT_EQ(ApplyEdits(*format, "a\nb\r\n", {MakeEdit("replace", "line:2", {{"text", "B"}})}),
            "a\nB\r\n");
}

TEST(TextFormatTest, InsertsAppendsAndDeletes) {
  const auto format = NewTextFormat();
  EXPECT_EQ(ApplyEdits(*format, "a\nb\n",
                       {MakeEdit("insert_before", "line:1", {{"text", "0"}}),
                        MakeEdit("insert_after", "line:1", {{"text", "1"}}),
                        MakeEdit("insert_before", "line:2", {{"text", "2"}}),
                        MakeEdit("append", "", {{"text", "z"}})}),
            "0\na\n1\n2\nb\nz\n");
  EXPECT_EQ(ApplyEdits(*format, "a\nb", {MakeEdit("insert_after", "line:2", {{"text", "c"}})}),
            "a\nb\nc");
  EXPECT_EQ(ApplyEdits(*format, "", {MakeEdit("append", "", {{"text", "c"}})}), "c\n");
  EXPECT_EQ(
      ApplyEdits(*format, "a\nb\nc", {MakeEdit("delete", "line:2"), MakeEdit("delete", "line:3")}),
      "a");
  EXPECT_EQ(ApplyEdits(*format, "a\nb\nc\n", {MakeEdit("delete", "line:3")}), "a\nb\n");
  EXPECT_EQ(ApplyEdits(*format, "a", {MakeEdit("delete", "line:1")}), "");
}

TEST(TextFormatTest, ReplacesText) {
  const auto format = NewTextFormat();
  const auto replace = [&](std::string_view bytes, std::string locator,
                           std::vector<std::pair<std::string, Value>> more) {
    return ApplyEdits(*format, bytes, {MakeEdit("replace_text", std::move(locator), more)});
  };
  EXPECT_EQ(replace("a b a", "", {{"find", "b"}, {"replace", "$1&<"}}), "a $1&< a");
  EXPECT_THAT(replace("a b a", "", {{"find", "a"}, {"replace", "x"}}), StartsWith("ERROR ambig"));
  EXPECT_THAT(replace("a b a", "", {{"find", "q"}, {"replace", "x"}}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(replace("a", "", {{"find", ""}, {"replace", "x"}}), StartsWith("ERROR invalid_arg"));
  EXPECT_EQ(replace("a b a", "", {{"find", "a"}, {"replace", "x"}, {"all", true}}), "x b x");
  EXPECT_EQ(replace("a b a", "", {{"find", "a"}, {"replace", "x"}, {"occurrence", 2}}), "a b x");
  EXPECT_EQ(replace("a\na\n", "line:2", {{"find", "a"}, {"replace", "x"}}), "a\nx\n");
  EXPECT_EQ(replace("a\r\nb\r\n", "", {{"find", "a\nb"}, {"replace", "x\ny"}}), "x\r\ny\r\n");
}

TEST(TextFormatTest, EditsAreGuardedAndAllOrNone) {
  const auto format = NewTextFormat();
  EXPECT_EQ(ApplyEdits(*format, "a\r\nb\r\n",
                       {MakeEdit("replace", "line:1-2", {{"text", "x"}, {"expect", "a\nb"}})}),
            "x\r\n");
  EXPECT_THAT(ApplyEdits(*format, "a\nb\n",
                         {MakeEdit("replace", "line:1", {{"text", "x"}}),
                          MakeEdit("delete", "line:2", {{"expect", "c"}})}),
              StartsWith("ERROR no_match: edit 2: "));
  EXPECT_THAT(
      ApplyEdits(*format, "a\n",
                 {MakeEdit("replace", "line:1", {{"text", "x"}}), MakeEdit("delete", "line:1")}),
      StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(ApplyEdits(*format, "a\n", {MakeEdit("delete", "line:2")}),
              StartsWith("ERROR no_match"));
  EXPECT_THAT(ApplyEdits(*format, "a\n", {MakeEdit("delete", "line:0")}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(ApplyEdits(*format, "a\n", {MakeEdit("rename", "line:1")}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(ApplyEdits(*format, "caf\xE9\n", {MakeEdit("append", "", {{"text", "\xC3\xA9"}})}),
              StartsWith("ERROR unsupported_edit"));
}

TEST(TextFormatTest, ManyLinesAndOneLongLineAreFast) {
  std::string many;
  while (many.size() < 20'000'000) many += "some text of a log file, line by line\n";
  const std::string one(20'000'000, 'x');
  for (const std::string& bytes : {many, one}) {
    const std::clock_t begin = std::clock();
    const View view = Parse(bytes);
    size_t total = 0;
    view.ForEach([&](const Record& record) {
      total += record.text.size() + 1;
      return true;
    });
    EXPECT_GE(total, bytes.size());
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 3.0);  // generous: a sanitizer may be at work
    EXPECT_LT(view.segments[0]->memory_bytes(), bytes.size() * 2);
  }
}

}  // namespace
}  // namespace staged
