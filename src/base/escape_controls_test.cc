#include "base/escape_controls.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

TEST(EscapeControlsTest, KeepsTextOnOneLine) {
  EXPECT_EQ(EscapeControls("a\nb\r.txt"), "a\\nb\\r.txt");
  EXPECT_EQ(EscapeControls("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(EscapeControls("\u0085next\u009b"), "\\u0085next\\u009b");
  EXPECT_EQ(EscapeControls(std::string_view("\0", 1)), "\\x00");
}

TEST(EscapeControlsTest, LeavesTheRestAsItIs) {
  const std::string text = "tab\there, \u00a0 é 漢字 🙂, \\n stays, broken \xC2";
  EXPECT_EQ(EscapeControls(text), text);
}

}  // namespace
}  // namespace staged
