// Diffs and merges of the formats that are structure in text: by records where lines do not help.

#include <gtest/gtest.h>

#include "formats/builtin_formats.h"
#include "staged/diff.h"
#include "staged/merge.h"

namespace staged {
namespace {

const FormatRegistry& Registry() {
  static const FormatRegistry registry = NewBuiltinRegistry();
  return registry;
}

View Parse(const std::string& bytes, const std::string& path) {
  Result<View> view = ParseView(Registry(), bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

// `text` with one piece replaced, which must be there.
std::string With(std::string text, std::string_view old_piece, std::string_view piece) {
  const size_t at = text.find(old_piece);
  EXPECT_NE(at, std::string::npos) << old_piece;
  return at == std::string::npos ? text : text.replace(at, old_piece.size(), piece);
}

MergeResult MergeAs(const std::string& path, const std::string& base, const std::string& left,
                    const std::string& right) {
  Result<MergeResult> result = Merge(Registry(), path, base, left, right, MergeOptions());
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : MergeResult();
}

TEST(NotebookLaws, SourceOfOneCellAndMetadataOfAnother) {
  // On one line, so that no line merge helps.
  const std::string base =
      R"({"cells": [{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "source": "1"}, )"
      R"({"cell_type": "code", "id": "b", "metadata": {"k": 1}, "outputs": [], "source": "2"}], )"
      R"("metadata": {}, "nbformat": 4, "nbformat_minor": 5})";
  const std::string left = With(base, R"("source": "1")", R"("source": "one")");
  const std::string right = With(base, R"({"k": 1})", R"({"k": 2, "new": {"deep": [true]}})");
  const MergeResult merged = MergeAs("a.ipynb", base, left, right);
  EXPECT_TRUE(merged.clean);
  EXPECT_EQ(merged.method, "records");
  EXPECT_EQ(merged.bytes, With(right, R"("source": "1")", R"("source": "one")"));
  const std::string other = With(base, R"("source": "1")", R"("source": "uno")");
  const MergeResult conflict = MergeAs("a.ipynb", base, left, other);
  ASSERT_EQ(conflict.conflicts.size(), 1u);
  EXPECT_EQ(conflict.conflicts[0].locator, "cell:a");
}

TEST(NotebookLaws, AMovedCellAndAnotherCount) {
  const auto cell = [](const std::string& id, const std::string& source) {
    return R"({"cell_type": "code", "execution_count": 3, "id": ")" + id +
           R"(", "metadata": {}, "outputs": [], "source": ")" + source + "\"}";
  };
  const auto notebook = [](const std::string& cells) {
    return R"({"cells": [)" + cells + R"(], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})";
  };
  const std::string a = cell("a", "first = 1"), b = cell("b", "second = 2"), c = cell("c", "third");
  const View before = Parse(notebook(a + ", " + b + ", " + c), "a.ipynb");
  const Profile& profile = Registry().Find("ipynb")->descriptor().profile;
  const Diff moved =
      ComputeDiff(before, Parse(notebook(c + ", " + a + ", " + b), "a.ipynb"), profile);
  ASSERT_EQ(moved.changes.size(), 1u);
  EXPECT_EQ(moved.changes[0].op, ChangeOp::kMove);
  EXPECT_EQ(moved.changes[0].before->locator, "cell:c");
  const std::string counted = With(notebook(a + ", " + b + ", " + c), ": 3", ": 4");
  const Diff count = ComputeDiff(before, Parse(counted, "a.ipynb"), profile);
  ASSERT_EQ(count.changes.size(), 1u);
  EXPECT_EQ(count.changes[0].change_class, ChangeClass::kDerived);
}

// Both sides change neighbouring lines, which lines alone cannot merge.
TEST(YamlLaws, MembersMergeByKey) {
  const std::string base = "name: x\nsize: 1 # units\ntags: [a, b]\nold: 0\ndeep:\n  k: 'v'\n";
  const std::string left = "name: y\nsize: 1 # units\ntags: [a, b]\nold: 0\ndeep:\n  k: 'v'\n";
  const std::string right =
      "name: x\nsize: 2 # units\ntags: [a, c]\ndeep:\n  k: 'w'\n  new:\n    n: text\n";
  const MergeResult merged = MergeAs("a.yaml", base, left, right);
  EXPECT_TRUE(merged.clean);
  EXPECT_EQ(merged.method, "records");
  const View view = Parse(merged.bytes, "a.yaml");
  EXPECT_EQ(view.Find("/name")->text, "y");
  EXPECT_EQ(view.Find("/size")->text, "2");
  EXPECT_EQ(view.Find("/tags/1")->text, "c");
  EXPECT_EQ(view.Find("/deep/k")->text, "w");
  EXPECT_EQ(view.Find("/deep/new/n")->text, "text");
  EXPECT_EQ(view.Find("comment:1")->text, "# units");
  EXPECT_FALSE(view.Find("/old").ok());
  const MergeResult conflict = MergeAs("a.yaml", base, left, With(base, "name: x", "name: z"));
  ASSERT_EQ(conflict.conflicts.size(), 1u);
  EXPECT_FALSE(conflict.clean);
}

TEST(TomlLaws, KeysMergeByKey) {
  const std::string base = "name = 'x'\nsize = 1\ntags = ['a', 'b']\nold = 0\n[deep]\nk = 1\n";
  const std::string left = With(base, "'x'", "'y'");
  const std::string right =
      "name = 'x'\nsize = 2\ntags = ['a', 'c']\n[deep]\nk = 0x2\nnew = { n = 2020-01-01 }\n";
  const MergeResult merged = MergeAs("a.toml", base, left, right);
  EXPECT_TRUE(merged.clean);
  EXPECT_EQ(merged.bytes, With(right, "'x'", "'y'"));
  EXPECT_EQ(merged.method, "records");
  const MergeResult conflict = MergeAs("a.toml", base, left, With(base, "'x'", "'z'"));
  EXPECT_FALSE(conflict.clean);
}

TEST(XmlLaws, TextsAndAttributesMerge) {
  const std::string base = "<a v='1'><b>x</b><c k='1'>y</c><d/></a>";
  const std::string left = With(base, ">x<", ">left<");
  const std::string right = With(With(base, "k='1'", "k='2' n='3'"), "<d/>", "");
  const MergeResult merged = MergeAs("a.xml", base, left, right);
  EXPECT_TRUE(merged.clean);
  EXPECT_EQ(merged.method, "records");
  const View view = Parse(merged.bytes, "a.xml");
  EXPECT_EQ(view.Find("/a/b")->text, "left");
  EXPECT_EQ(view.Find("/a/c/@k")->text, "2");
  EXPECT_EQ(view.Find("/a/c/@n")->text, "3");
  EXPECT_FALSE(view.Find("/a/d").ok());
  const MergeResult conflict = MergeAs("a.xml", base, left, With(base, ">x<", ">right<"));
  EXPECT_FALSE(conflict.clean);
}

}  // namespace
}  // namespace staged
