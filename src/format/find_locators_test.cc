#include "format/find_locators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/segments.h"

namespace staged {
namespace {

using ::testing::ElementsAre;

// Ten bytes a line.
constexpr std::string_view kText = "line one.\nline two.\nthree ...\nfour ....\nfive ....\n";

View MakeView(std::vector<std::pair<std::string, ByteSpan>> spans) {
  std::vector<Record> records(1);
  records[0].kind = "file";
  records[0].locator = "file";
  for (auto& [locator, span] : spans) {
    Record record;
    record.locator = std::move(locator);
    record.span = span;
    records.push_back(std::move(record));
  }
  View view;
  view.segments.push_back(
      std::make_shared<RecordListSegment>("", ContentHash::Of("x"), std::move(records)));
  return view;
}

std::set<std::string> Find(const View& view, const std::string& locator,
                           std::string_view bytes = kText) {
  const auto found =
      FindLocators(view, locator, [&] { return Result<std::string>(std::string(bytes)); });
  if (!found.ok()) return {"error " + std::string(ErrorCodeName(found.status().code()))};
  return *found;
}

TEST(FindLocatorsTest, WhatALimitLeftOutIsNotSaidToBeAbsent) {
  View view = MakeView({{"a", {0, 10}}});
  EXPECT_THAT(Find(view, "b"), ElementsAre("error no_match"));
  view.diagnostics.push_back({"note", "limit_exceeded", "", "more issues were left out"});
  EXPECT_THAT(Find(view, "b"), ElementsAre("error no_match"));
  view.diagnostics.push_back({"error", "limit_exceeded", "", "the table has more cells"});
  EXPECT_THAT(Find(view, "a"), ElementsAre("a"));
  EXPECT_THAT(Find(view, "b"), ElementsAre("error limit_exceeded"));
  EXPECT_THAT(Find(view, "line:9"), ElementsAre("error limit_exceeded"));
}

TEST(FindLocatorsTest, Lines) {
  const View view = MakeView({{"root", {0, 50}},
                              {"a", {0, 10}},
                              {"b", {10, 30}},
                              {"b/1", {10, 20}},
                              {"b/2", {20, 30}},
                              {"c", {35, 45}}});
  EXPECT_THAT(Find(view, "line:1"), ElementsAre("a", "root"));
  EXPECT_THAT(Find(view, "line:2"), ElementsAre("b", "b/1"));
  EXPECT_THAT(Find(view, "line:3"), ElementsAre("b", "b/2"));
  EXPECT_THAT(Find(view, "line:2-4"), ElementsAre("b", "b/1", "b/2", "c"));
  EXPECT_THAT(Find(view, "line:5-9"), ElementsAre("c", "root"));
  for (const char* wrong : {"line:6", "line:0", "line:3-2", "line:x", "line:1-", "line:", "nothing",
                            "line:99999999999999999999"}) {
    EXPECT_THAT(Find(view, wrong), ElementsAre("error no_match")) << wrong;
  }
}

TEST(FindLocatorsTest, TheInnermostOfThoseThatGoThrough) {
  const View view = MakeView({{"class", {0, 50}}, {"method", {5, 35}}});
  EXPECT_THAT(Find(view, "line:2"), ElementsAre("method"));
  EXPECT_THAT(Find(view, "line:5"), ElementsAre("class"));
}

TEST(FindLocatorsTest, AByteOrderMarkMovesTheLines) {
  const View view = MakeView({{"a", {3, 13}}, {"b", {13, 23}}});
  EXPECT_THAT(Find(view, "line:2", "\xEF\xBB\xBF" + std::string(kText)), ElementsAre("b"));
}

TEST(FindLocatorsTest, AnExactLocatorIsItself) {
  const View view = MakeView({{"line:1", {0, 10}}, {"inside", {2, 4}}});
  EXPECT_THAT(Find(view, "line:1"), ElementsAre("line:1"));
  EXPECT_THAT(Find(MakeView({{"'Q3'!C5", {0, 1}}}), "Q3!C5"), ElementsAre("'Q3'!C5"));
  EXPECT_THAT(Find(view, "line:1-1"), ElementsAre("inside", "line:1"));
}

}  // namespace
}  // namespace staged
