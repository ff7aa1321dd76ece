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

TEST(BinaryFormatTest, ReadsImageSizes) {
  const auto size = [](std::string_view bytes) {
    const std::optional<ImageSize> found = ReadImageSize(bytes);
    return found ? std::to_string(found->width) + "x" + std::to_string(found->height) : "";
  };
  EXPECT_EQ(size("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\1\2\0\0\0\x10"s), "258x16");
  EXPECT_EQ(size("GIF89a\x02\x01\x03\0"s), "258x3");
  EXPECT_EQ(size("\xFF\xD8\xFF\xE0\0\4zz\xFF\xC2\0\x11\x08\0\x20\1\0\3"s), "256x32");
  EXPECT_EQ(size("\xFF\xD8\xFF\xE0\xFF\xFF"s), "");
  EXPECT_EQ(size("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x0F\0\0\x1F\0\0"s), "16x32");
  EXPECT_EQ(size("\x89PNG\r\n\x1A\n\0\0"s), "");
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
