#include "formats/xml/xml_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "codec/json.h"
#include "formats/builtin_formats.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using testing::ApplyEdits;
using testing::MakeEdit;
using ::testing::StartsWith;

View Parse(std::string_view bytes, std::string_view path = "a.xml") {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, Limits());
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

std::string Edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return ApplyEdits(*NewXmlFormat(), bytes, edits);
}
Edit Set(std::string locator, Value value) {
  return MakeEdit("set", std::move(locator), {{"value", std::move(value)}});
}
Edit Delete(std::string locator) { return MakeEdit("delete", std::move(locator)); }

constexpr const char* kProject = R"(<?xml version="1.0"?>
<!-- a project -->
<p:project xmlns:p="urn:x" id='1'>
  <name>A &amp; B</name>
  <item key="a"/>
  <item key="b"><![CDATA[1 < 2]]></item>
  <note>see <b>this</b> or that</note>
</p:project>
)";

TEST(XmlFormatTest, ElementsAttributesTextsAndComments) {
  const View view = Parse(kProject);
  EXPECT_EQ(view.format, "xml");
  EXPECT_TRUE(view.diagnostics.empty());
  EXPECT_EQ(view.Find("/comment()")->text, " a project ");
  EXPECT_EQ(view.Find("/p:project/@id")->text, "1");
  EXPECT_EQ(view.Find("/p:project/name")->text, "A & B");
  EXPECT_EQ(view.Find("/p:project/item[2]")->text, "1 < 2");
  EXPECT_EQ(view.Find("/p:project/item[2]")->key, "item[key=b]");
  EXPECT_EQ(view.Find("/p:project/item/@key")->text, "a");
  EXPECT_EQ(view.Find("/p:project/note/text()")->text, "see ");
  EXPECT_EQ(view.Find("/p:project/note/text()[2]")->text, " or that");
  EXPECT_EQ(view.Find("/p:project/note/b")->parent, "/p:project/note");
  const ByteSpan span = *view.Find("/p:project/item")->span;
  EXPECT_EQ(std::string(kProject).substr(span.begin, span.end - span.begin), "<item key=\"a\"/>");
  EXPECT_EQ(Parse(kProject, "noname").format, "xml");
}

TEST(XmlFormatTest, DamageBombsAndEncodings) {
  const View torn = Parse("<a>\n<b>1</b>\n<c></a>");
  EXPECT_EQ(torn.Find("/a/b")->text, "1");
  EXPECT_EQ(torn.diagnostics[0].severity, "error");
  EXPECT_EQ(torn.diagnostics[0].locator, "line:3");
  EXPECT_THAT(Edited("<a><b></a>", {Set("/a/b", "x")}), StartsWith("ERROR parse_failed"));
  const View bomb =
      Parse("<!DOCTYPE a [<!ENTITY x \"xxxxxxxx\"><!ENTITY y \"&x;&x;&x;\">]>\n<a>&y;&y;</a>");
  EXPECT_EQ(bomb.Find("/a")->text, "&y;&y;");
  const View latin = Parse("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE4</a>");
  EXPECT_EQ(latin.Find("/a")->text, "\xC3\xA4");
}

TEST(XmlEditTest, SetEscapesAndKeepsTheRest) {
  const std::string bytes = kProject;
  const auto with = [&](std::string_view old_piece, std::string_view piece) {
    std::string text = bytes;
    return text.replace(text.find(old_piece), old_piece.size(), piece);
  };
  EXPECT_EQ(Edited(bytes, {Set("/p:project/name", "x < y & z")}),
            with("A &amp; B", "x &lt; y &amp; z"));
  EXPECT_EQ(Edited(bytes, {Set("/p:project/@id", "it's \"2\"")}),
            with("'1'", "'it&apos;s &quot;2&quot;'"));
  EXPECT_EQ(Edited(bytes, {Set("/p:project/item[2]", "3 > 2")}), with("1 < 2", "3 > 2"));
  EXPECT_EQ(Edited(bytes, {Set("/p:project/item", "text")}),
            with("<item key=\"a\"/>", "<item key=\"a\">text</item>"));
  EXPECT_EQ(Edited(bytes, {Set("/p:project/item/@new", "n")}),
            with("key=\"a\"", "key=\"a\" new=\"n\""));
  EXPECT_EQ(Edited(bytes, {Set("/p:project/note/text()[2]", " & that")}),
            with(" or that", " &amp; that"));
  EXPECT_EQ(Edited(bytes, {MakeEdit("replace_text", "/p:project/name",
                                    {{"find", "& B"}, {"replace", "& <C>"}})}),
            with("A &amp; B", "A &amp; &lt;C&gt;"));
  EXPECT_EQ(Edited(bytes, {Set("/comment()", "new")}), with(" a project ", "new"));
  EXPECT_EQ(Edited("<a>\r\n<b>1\r\n2</b>\r\n</a>", {Set("/a/b", "3\n4\r")}),
            "<a>\r\n<b>3\r\n4&#13;</b>\r\n</a>");
  EXPECT_THAT(Edited(bytes, {Set("/p:project/note", "x")}), StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited(bytes, {Set("/p:project/name", "\x01")}), StartsWith("ERROR invalid_arg"));
  EXPECT_THAT(Edited(bytes, {Set("/comment()", "a--b")}), StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited(bytes, {Set("/p:project/nope", "x")}), StartsWith("ERROR no_match"));
  EXPECT_THAT(
      Edited(bytes, {MakeEdit("set", "/p:project/name", {{"value", "x"}, {"expect", "y"}})}),
      StartsWith("ERROR no_match"));
}

TEST(XmlEditTest, ElementsComeGoAndChangeNames) {
  const std::string bytes = "<a>\n  <b>1</b>\n  <b/>\n</a>\n";
  EXPECT_EQ(Edited(bytes, {MakeEdit("insert_after", "/a/b", {{"name", "c"}, {"text", "<2>"}})}),
            "<a>\n  <b>1</b>\n  <c>&lt;2&gt;</c>\n  <b/>\n</a>\n");
  EXPECT_EQ(Edited(bytes, {MakeEdit("insert_before", "/a/b", {{"xml", "<c d='1'><e/></c>"}})}),
            "<a>\n  <c d='1'><e/></c>\n  <b>1</b>\n  <b/>\n</a>\n");
  EXPECT_EQ(Edited(bytes, {MakeEdit("append", "/a",
                                    {{"name", "c"}, {"attributes", Value::Object{{"d", "1"}}}})}),
            "<a>\n  <b>1</b>\n  <b/>\n  <c d=\"1\"/>\n</a>\n");
  EXPECT_EQ(Edited(bytes, {MakeEdit("append", "/a/b[2]", {{"name", "c"}})}),
            "<a>\n  <b>1</b>\n  <b><c/></b>\n</a>\n");
  EXPECT_EQ(Edited(bytes, {Delete("/a/b")}), "<a>\n  <b/>\n</a>\n");
  EXPECT_EQ(Edited("<a>x<b/>y</a>", {Delete("/a/b")}), "<a>xy</a>");
  EXPECT_EQ(Edited("<a b='1' c='2'/>", {Delete("/a/@c")}), "<a b='1'/>");
  EXPECT_EQ(Edited("<a><b>1</b ></a>", {MakeEdit("rename", "/a/b", {{"to", "c"}})}),
            "<a><c>1</c ></a>");
  EXPECT_EQ(Edited("<a b='1'/>", {MakeEdit("rename", "/a/@b", {{"to", "c"}})}), "<a c='1'/>");
  EXPECT_THAT(Edited(bytes, {MakeEdit("append", "/a", {{"xml", "<c>"}})}),
              StartsWith("ERROR invalid_argument"));
  EXPECT_THAT(Edited("<a b='1' c='2'/>", {MakeEdit("rename", "/a/@b", {{"to", "c"}})}),
              StartsWith("ERROR unsupported_edit"));
  EXPECT_THAT(Edited(bytes, {Delete("/a")}), StartsWith("ERROR unsupported_edit"));
}

struct File {
  std::string path, values;
};

const std::vector<File>& OracleFiles() {
  static const auto* const files = [] {
    auto* read = new std::vector<File>();
    std::istringstream lines(testing::RunOracle("xml_paths.py", "/usr/share"));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("file\t")) {
        read->push_back({line.substr(5), ""});
      } else {
        read->back().values += line + "\n";
      }
    }
    return read;
  }();
  return *files;
}

TEST(XmlOracleTest, AgreesWithMinidom) {
  if (OracleFiles().empty()) GTEST_SKIP() << "no XML files or no Python: all skipped";
  for (const File& file : OracleFiles()) {
    const View view = Parse(testing::ReadFile(file.path));
    std::vector<std::string> lines;
    for (const Record& record : view.Records()) {
      const bool is_compared =
          record.kind == "element" || record.kind == "attribute" || record.kind == "comment";
      if (!is_compared) continue;
      std::string line = record.locator + "\t";
      AppendJsonString(line, record.text, true);
      lines.push_back(line + "\n");
    }
    std::sort(lines.begin(), lines.end());
    std::string ours;
    for (const std::string& line : lines) ours += line;
    EXPECT_TRUE(ours == file.values) << file.path << "\n"
                                     << ours.substr(0, 400) << "\n--\n"
                                     << file.values.substr(0, 400);
  }
}

TEST(XmlOracleTest, AnEditChangesItsPartAlone) {
  size_t edited = 0;
  for (const File& file : OracleFiles()) {
    const std::string bytes = testing::ReadFile(file.path);
    const View view = Parse(bytes);
    const std::vector<Record> before = view.Records();
    for (size_t i = 1; i < before.size(); i += 1 + before.size() / 5) {
      const bool is_leaf = before[i].kind == "element" && !before[i].text.empty();
      if (before[i].kind != "attribute" && !is_leaf) continue;
      const std::string after = Edited(bytes, {Set(before[i].locator, "planted <&> \"'x")});
      ASSERT_FALSE(after.starts_with("ERROR")) << file.path << before[i].locator << after;
      const std::vector<Record> found = Parse(after).Records();
      ASSERT_EQ(found.size(), before.size()) << file.path;
      for (size_t j = 0; j < found.size(); ++j) {
        EXPECT_EQ(found[j].text, i == j ? "planted <&> \"'x" : before[j].text) << file.path;
      }
      ++edited;
    }
  }
  // How many files there are is the machine's affair.
  if (edited == 0) GTEST_SKIP() << "no XML files: all edits skipped";
}

}  // namespace
}  // namespace staged
