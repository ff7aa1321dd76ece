#include "env/path.h"

#include <gtest/gtest.h>

#include <string>

namespace staged {
namespace {

ErrorCode CodeOf(std::string_view path) {
  return CheckRelativePath(path, EmptyPath::kRefused).code();
}

TEST(CheckRelativePath, AcceptsNamesBelowTheDirectory) {
  for (const char* path : {"a", "a/b", "..a/b..", "a b/\xff", ".hidden/...", "a\\b", "C:/x"}) {
    EXPECT_EQ(CodeOf(path), ErrorCode::kOk) << path;
  }
}

TEST(CheckRelativePath, RefusesToLeaveTheDirectory) {
  for (const char* path : {"..", "../a", "a/..", "a/../b", "/", "/a", "//a", "a//..", "./.."}) {
    EXPECT_EQ(CodeOf(path), ErrorCode::kPathEscape) << path;
  }
}

TEST(CheckRelativePath, RefusesOtherSpellings) {
  for (const char* path : {"", ".", "./a", "a/.", "a/./b", "a/", "a//b", "a/b/"}) {
    EXPECT_EQ(CodeOf(path), ErrorCode::kInvalidArgument) << path;
  }
  EXPECT_EQ(CodeOf(std::string_view("a\0/../b", 7)), ErrorCode::kInvalidArgument);
}

TEST(CheckRelativePath, TakesTheEmptyPathForTheDirectoryWhereAsked) {
  EXPECT_TRUE(CheckRelativePath("", EmptyPath::kMeansDirectoryItself).ok());
}

TEST(QuotePath, EscapesWhatIsNoPrintableText) {
  EXPECT_EQ(QuotePath("a/\xc3\xa9"), "\"a/\xc3\xa9\"");
  EXPECT_EQ(QuotePath("a\n\xff"), "\"a\\x0a\\xff\"");
}

}  // namespace
}  // namespace staged
