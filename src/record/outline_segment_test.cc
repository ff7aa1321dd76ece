#include "record/outline_segment.h"

#include <gtest/gtest.h>

#include "record/segments.h"

namespace staged {
namespace {

using Builder = OutlineSegment::Builder;

// {"a": [10, {"id": "x"}], "": 1, "b/c": null}, a comment behind it.
std::shared_ptr<const Segment> Sample() {
  Builder builder("part", ContentHash::Of("x"), {.has_spans = true, .span_offset = 3});
  const uint8_t member = builder.AddClass("member", Value::Object{{"type", "any"}});
  const uint8_t item = builder.AddClass("item", {});
  Record file;
  file.kind = "file";
  builder.AddLeading(file);
  builder.AddNamed({.class_id = member, .begin = 1, .end = 30}, "a");
  builder.AddAt({.class_id = item, .parent = 0, .begin = 7, .end = 9, .text = "10"}, 0, "");
  builder.AddAt({.class_id = item, .parent = 0, .begin = 11, .end = 22}, 1, "id=x");
  builder.AddNamed({.class_id = member, .parent = 2, .begin = 12, .end = 21, .text = "x"}, "id");
  builder.AddNamed({.class_id = member, .begin = 24, .end = 29, .text = "1"}, "");
  builder.AddNamed({.class_id = member, .begin = 30, .end = 41, .text = "null"}, "b~1c");
  Record comment;
  comment.kind = "comment";
  comment.locator = "bytes:50-60";
  builder.AddTrailing(comment);
  return builder.Finish();
}

std::vector<Record> All(const Segment& segment) {
  std::vector<Record> records;
  segment.ForEach([&](const Record& record) {
    records.push_back(record);
    return true;
  });
  return records;
}

TEST(OutlineSegment, MakesTheRecordsOfItsRows) {
  const auto segment = Sample();
  const std::vector<Record> records = All(*segment);
  ASSERT_EQ(records.size(), segment->record_count());
  ASSERT_EQ(records.size(), 8u);
  std::vector<std::string> locators;
  std::vector<std::string> parents;
  std::vector<std::string> keys;
  for (const Record& record : records) {
    locators.push_back(record.locator);
    parents.push_back(record.parent);
    keys.push_back(record.key);
  }
  using Texts = std::vector<std::string>;
  EXPECT_EQ(locators, (Texts{"", "/a", "/a/0", "/a/1", "/a/1/id", "/", "/b~1c", "bytes:50-60"}));
  EXPECT_EQ(parents, (Texts{"", "", "/a", "/a", "/a/1", "", "", ""}));
  EXPECT_EQ(keys, (Texts{"", "a", "", "id=x", "id", "", "b~1c", ""}));
  EXPECT_EQ(records[1].kind, "member");
  EXPECT_EQ(records[1].attrs.FindString("type"), "any");
  EXPECT_EQ(records[2].kind, "item");
  EXPECT_TRUE(records[2].attrs.is_null());
  EXPECT_EQ(records[2].text, "10");
  EXPECT_EQ(records[2].span, (ByteSpan{10, 12}));
  EXPECT_EQ(records[3].text, "");
  for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ(segment->At(i), records[i]) << i;
}

TEST(OutlineSegment, ARootHasNoLocator) {
  Builder builder("", ContentHash(), {.has_spans = false});
  builder.AddRoot({.class_id = builder.AddClass("value", {}), .text = "7"});
  const auto segment = builder.Finish();
  const std::vector<Record> records = All(*segment);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].locator, "");
  EXPECT_EQ(records[0].text, "7");
  EXPECT_FALSE(records[0].span.has_value());
}

TEST(OutlineSegment, ManyDifferentNamesStayApart) {
  Builder builder("", ContentHash(), {});
  const uint8_t member = builder.AddClass("member", {});
  constexpr int kRows = 70'000;  // more than are shared
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kRows; ++i) builder.AddNamed({.class_id = member}, std::to_string(i));
  }
  const auto segment = builder.Finish();
  for (const int i : {0, 1, 65'535, 65'536, kRows - 1}) {
    EXPECT_EQ(segment->At(static_cast<size_t>(i)).key, std::to_string(i));
    EXPECT_EQ(segment->At(static_cast<size_t>(kRows + i)).key, std::to_string(i));
  }
}

TEST(OutlineSegment, DecodesWhatItEncodes) {
  const auto segment = Sample();
  const auto decoded = DecodeSegment(segment->Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ((*decoded)->Encode(), segment->Encode());
  EXPECT_EQ((*decoded)->digest(), segment->digest());
  EXPECT_EQ((*decoded)->part(), "part");
  EXPECT_EQ(All(**decoded), All(*segment));
}

TEST(OutlineSegment, DamageIsAnErrorOrAReadableSegment) {
  const std::string encoded = Sample()->Encode();
  for (size_t size = 1; size < encoded.size(); ++size) {
    EXPECT_EQ(DecodeSegment(std::string_view(encoded).substr(0, size)).status().code(),
              ErrorCode::kDataLoss);
  }
  for (size_t at = 0; at < encoded.size(); ++at) {
    for (const int flip : {1, 2, 0x40, 0x80, 0xff}) {
      std::string damaged = encoded;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto decoded = DecodeSegment(damaged);
      if (!decoded.ok()) continue;
      const std::vector<Record> records = All(**decoded);
      for (size_t i = 0; i < (*decoded)->record_count(); ++i) (void)(*decoded)->At(i);
    }
  }
}

}  // namespace
}  // namespace staged
