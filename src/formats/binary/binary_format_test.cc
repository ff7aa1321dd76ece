#include "formats/binary/binary_format.h"

#include <gtest/gtest.h>

#include "formats/binary/file_type.h"
#include "formats/builtin_formats.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using std::string_literals::operator""s;

TEST(BinaryFormatTest, DetectsTypesByTheirFirstBytes) {
  EXPECT_EQ(DetectFileType("\x89PNG\r\n\x1A\n...."), "png");
  EXPECT_EQ(DetectFileType("SQLite format 3\0..."s), "sqlite");
  EXPECT_EQ(DetectFileType("SQLite format 4\0..."s), "");
  EXPECT_EQ(DetectFileType("\x7F"
                           "ELF\2\1\1"),
            "elf");
  EXPECT_EQ(DetectFileType(""), "");
}

TEST(BinaryFormatTest, OneOpaquePartAndNoEdits) {
  const FormatRegistry registry = NewBuiltinRegistry();
  const std::string bytes =
      "\x7F"
      "ELF\0\0\0"s;
  const Result<View> view = ParseView(registry, bytes, "a.out", Limits());
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->format, "binary");
  EXPECT_EQ(view->fallback, "");
  ASSERT_EQ(view->parts.size(), 1u);
  EXPECT_TRUE(view->parts[0].kinds.empty());
  EXPECT_EQ(view->Records()[0].attrs.FindString("digest"), ContentHash::Of(bytes).ToString());
  const Format& format = *registry.Find("binary");
  EXPECT_EQ(format.Apply(bytes, {}, Limits()).status().code(), ErrorCode::kUnsupportedEdit);
}

TEST(ParseViewTest, InputLimitIsAnError) {
  const FormatRegistry registry = NewBuiltinRegistry();
  Limits limits;
  limits.input_bytes_max = 3;
  EXPECT_EQ(ParseView(registry, "abcd", "a", limits).status().code(), ErrorCode::kLimitExceeded);
  EXPECT_TRUE(ParseView(registry, "abc", "a", limits).ok());
}

TEST(ParseViewTest, FailuresBecomeABinaryView) {
  const FormatRegistry registry = NewBuiltinRegistry();
  Limits limits;
  limits.records_max = 2;
  const Result<View> view = ParseView(registry, "a\nb\nc\n", "a.txt", limits);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->format, "text");
  EXPECT_EQ(view->fallback, "binary");
  ASSERT_EQ(view->diagnostics.size(), 1u);
  EXPECT_EQ(view->diagnostics[0].code, "limit_exceeded");
  EXPECT_EQ(view->record_count(), 1u);
}

}  // namespace
}  // namespace staged
