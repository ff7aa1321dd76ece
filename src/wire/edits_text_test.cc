#include <gtest/gtest.h>

#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged {
namespace {

// The digits that come along with the value, or "" where the value says them itself.
std::string DigitsOf(const std::string& value) {
  const auto edits =
      ParseEdits(R"([{"op":"set","locator":"/a","expect":1,"value":)" + value + "}]");
  EXPECT_TRUE(edits.ok()) << edits.status().message();
  if (!edits.ok()) return "failed";
  EXPECT_EQ(edits->size(), 1u);
  EXPECT_NE(edits->front().arguments.Find("value"), nullptr);
  return std::string(edits->front().arguments.FindString("json"));
}

TEST(EditsTextTest, NumbersKeepTheirDigits) {
  EXPECT_EQ(DigitsOf("123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_EQ(DigitsOf("9223372036854775808"), "9223372036854775808");
  EXPECT_EQ(DigitsOf("1.0"), "1.0");
  EXPECT_EQ(DigitsOf("1e5"), "1e5");
  EXPECT_EQ(DigitsOf("-0"), "-0");
  EXPECT_EQ(DigitsOf("0.1000000000000000055511151231257827"),
            "0.1000000000000000055511151231257827");
  EXPECT_EQ(DigitsOf(R"({"a": [1, 2.50]})"), R"({"a": [1, 2.50]})");
}

TEST(EditsTextTest, WhatAValueSaysExactlyIsNotSaidTwice) {
  for (const char* value : {"1", "-7", "9223372036854775807", "0.1", "2.5", "\"1.0\"", "null",
                            R"({"a":[1,"1.0",true]})"}) {
    EXPECT_EQ(DigitsOf(value), "") << value;
  }
}

TEST(EditsTextTest, EachEditHasItsOwnDigits) {
  const auto edits = ParseEdits(
      R"([{"value":{"value":1.0},"op":"set"},{"op":"set","value":1},{"op":"set","value":1.00,)"
      R"("json":"2"},{"op":"x","other":1.0},{"op":"set","value":3.0}])");
  ASSERT_TRUE(edits.ok()) << edits.status().message();
  ASSERT_EQ(edits->size(), 5u);
  EXPECT_EQ((*edits)[0].arguments.FindString("json"), R"({"value":1.0})");
  EXPECT_EQ((*edits)[1].arguments.Find("json"), nullptr);
  EXPECT_EQ((*edits)[2].arguments.FindString("json"), "2");
  EXPECT_EQ((*edits)[3].arguments.Find("json"), nullptr);
  EXPECT_EQ((*edits)[4].arguments.FindString("json"), "3.0");
  EXPECT_EQ((*edits)[4].arguments.Find("value")->as_double(), 3.0);
}

TEST(EditsTextTest, NoEditsAreAnError) {
  EXPECT_EQ(ParseEdits("[]").status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ParseEdits("{}").status().code(), ErrorCode::kInvalidArgument);
}

TEST(JsonTextTest, DepthIsNamed) {
  const Status deep = ParseJson(std::string(1000, '[')).status();
  EXPECT_EQ(deep.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(deep.message().find("nested more than 256 deep"), std::string::npos) << deep.message();
  EXPECT_TRUE(ParseJson(std::string(256, '[') + std::string(256, ']')).ok());
}

}  // namespace
}  // namespace staged
