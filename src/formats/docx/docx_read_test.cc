#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "formats/docx/docx_test_support.h"
#include "formats/docx/numbering.h"

namespace staged {
namespace {

using testing::MakeDocument;
using testing::ParseDocx;
using testing::Part;

std::string TextOf(const View& view, std::string_view locator) {
  const Result<Record> record = view.Find(locator);
  return record.ok() ? record->text : "ERROR " + record.status().message();
}

Value AttributeOf(const View& view, std::string_view locator, std::string_view name) {
  const Result<Record> record = view.Find(locator);
  const Value* value = record.ok() ? record->attrs.Find(name) : nullptr;
  return value == nullptr ? Value() : *value;
}

TEST(DocxRead, JoinsRunsAndMergesEqualFormats) {
  const View view = ParseDocx(MakeDocument(
      "<w:p w14:paraId=\"1A2B3C4D\"><w:r><w:t xml:space=\"preserve\">Plain </w:t></w:r>"
      "<w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r><w:proofErr w:type=\"spellStart\"/>"
      "<w:r w:rsidR=\"00AA\"><w:rPr><w:lang w:val=\"en-GB\"/><w:b w:val=\"1\"/></w:rPr>"
      "<w:t>ld</w:t></w:r><w:r><w:tab/><w:t>a&amp;b</w:t><w:br/><w:noBreakHyphen/><w:cr/></w:r></"
      "w:p>"));
  EXPECT_EQ(TextOf(view, "p:1"), "Plain bold\ta&b\n\xE2\x80\x91\n");
  EXPECT_EQ(view.Find("p:1")->key, "1A2B3C4D");
  const Value runs = AttributeOf(view, "p:1", "runs");
  ASSERT_TRUE(runs.is_array());
  ASSERT_EQ(runs.as_array().size(), 1u);
  EXPECT_EQ(runs.as_array()[0], Value(Value::Object{{"start", 6}, {"end", 10}, {"bold", true}}));
}

TEST(DocxRead, CountsParagraphsOutsideTablesAndNestsTables) {
  const View view = ParseDocx(MakeDocument(
      "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/>"
      "<w:vMerge w:val=\"restart\"/></w:tcPr><w:p><w:r><w:t>A</w:t></w:r></w:p><w:tbl><w:tr><w:tc>"
      "<w:p><w:r><w:t>inner</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/></w:tc>"
      "<w:sdt><w:sdtContent><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt>"
      "</w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr>"
      "</w:tbl><w:sdt><w:sdtPr><w:alias w:val=\"Name\"/></w:sdtPr><w:sdtContent>"
      "<w:p><w:r><w:t>two</w:t></w:r></w:p></w:sdtContent></w:sdt>"));
  EXPECT_EQ(TextOf(view, "p:2"), "two");
  EXPECT_EQ(TextOf(view, "t:1/r:1/c:1/p:1"), "A");
  EXPECT_EQ(TextOf(view, "t:1/r:1/c:1/t:1/r:1/c:1/p:1"), "inner");
  EXPECT_EQ(TextOf(view, "t:1/r:1/c:2/p:1"), "B");
  EXPECT_EQ(AttributeOf(view, "t:1/r:1/c:1", "row_span"), Value(2));
  EXPECT_EQ(AttributeOf(view, "t:1/r:1/c:1", "column_span"), Value(2));
  EXPECT_EQ(AttributeOf(view, "t:1/r:1/c:2", "column"), Value(3));
  EXPECT_EQ(AttributeOf(view, "t:1", "columns"), Value(3));
}

TEST(DocxRead, ShowsTheAcceptedViewAndKeepsWhatWasDeleted) {
  const View view = ParseDocx(MakeDocument(
      "<w:p><w:pPr><w:rPr><w:del w:id=\"9\" w:author=\"Ann\"/></w:rPr></w:pPr>"
      "<w:r><w:t xml:space=\"preserve\">keep </w:t></w:r>"
      "<w:del w:id=\"1\" w:author=\"Ann\" w:date=\"2020-01-01T00:00:00Z\"><w:r><w:delText>old"
      "</w:delText></w:r></w:del><w:ins w:id=\"2\" "
      "w:author=\"Bob\"><w:r><w:t>new</w:t></w:r></w:ins>"
      "<w:moveFrom w:id=\"3\" w:author=\"Bob\"><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>"
      "<w:p><w:r><w:t>next</w:t></w:r></w:p>"));
  EXPECT_EQ(TextOf(view, "p:1"), "keep new");
  EXPECT_EQ(TextOf(view, "p:2"), "next");
  EXPECT_EQ(TextOf(view, "p:1/rev:1"), "old");
  EXPECT_EQ(TextOf(view, "p:1/rev:2"), "moved");
  EXPECT_EQ(view.Find("p:1/rev:1")->hidden, "tracked deletion");
  const Value revisions = AttributeOf(view, "p:1", "revisions");
  ASSERT_EQ(revisions.as_array().size(), 4u);
  EXPECT_EQ(revisions.as_array()[0], Value(Value::Object{{"type", "deletion"},
                                                         {"author", "Ann"},
                                                         {"date", "2020-01-01T00:00:00Z"},
                                                         {"start", 5},
                                                         {"text", "old"}}));
  EXPECT_EQ(revisions.as_array()[1].FindString("text"), "new");
  EXPECT_EQ(revisions.as_array()[3].FindString("type"), "paragraph_deletion");
}

TEST(DocxRead, ReadsOneBranchOfAlternateContentAndItsTextBox) {
  const std::string box =
      "<w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>";
  const View view = ParseDocx(MakeDocument(
      "<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wps:txbx>" + box +
      "</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>" + box +
      "</w:pict></mc:Fallback></mc:AlternateContent><w:t>outside</w:t></w:r></w:p>"));
  EXPECT_EQ(TextOf(view, "p:1"), "outside");
  EXPECT_EQ(TextOf(view, "p:1/box:1/p:1"), "in the box");
  EXPECT_FALSE(view.Find("p:1/box:2").ok());
}

TEST(DocxRead, ReadsFieldsLinksEquationsAndRuby) {
  const View view = ParseDocx(MakeDocument(
      "<w:p><w:hyperlink r:id=\"rId7\"><w:r><w:t>link</w:t></w:r></w:hyperlink>"
      "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>"
      "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>5</w:t></w:r>"
      "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
      "<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den>"
      "</m:f></m:oMath><w:r><w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r>"
      "<w:t>K</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>",
      {},
      "<Relationship Id=\"rId7\" Type=\"http://x/hyperlink\" Target=\"http://example.org/\" "
      "TargetMode=\"External\"/>"));
  EXPECT_EQ(TextOf(view, "p:1"), "link5(a+b)/2K");
  EXPECT_EQ(AttributeOf(view, "p:1", "links").as_array()[0].FindString("target"),
            "http://example.org/");
  EXPECT_EQ(AttributeOf(view, "p:1", "fields").as_array()[0],
            Value(Value::Object{{"start", 4}, {"end", 5}, {"instruction", "PAGE"}}));
  EXPECT_EQ(AttributeOf(view, "p:1", "ruby").as_array()[0].FindString("text"), "kan");
}

TEST(DocxRead, ComputesListLabels) {
  const std::string level = "<w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>";
  const std::string numbering =
      Part("numbering",
           "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\">" + level +
               "<w:lvlText w:val=\"%1.\"/></w:lvl><w:lvl w:ilvl=\"1\">" + level +
               "<w:pStyle w:val=\"H2\"/><w:lvlText w:val=\"%1.%2\"/></w:lvl></w:abstractNum>"
               "<w:num w:numId=\"5\"><w:abstractNumId w:val=\"0\"/></w:num>");
  const std::string styles =
      Part("styles",
           "<w:style w:type=\"paragraph\" w:styleId=\"H2\"><w:name w:val=\"heading 2\"/>"
           "<w:pPr><w:numPr><w:numId w:val=\"5\"/></w:numPr><w:outlineLvl w:val=\"1\"/>"
           "</w:pPr></w:style>");
  const auto item = [](int list_level) {
    return "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"" + std::to_string(list_level) +
           "\"/><w:numId w:val=\"5\"/></w:numPr></w:pPr></w:p>";
  };
  const std::string heading = "<w:p><w:pPr><w:pStyle w:val=\"H2\"/></w:pPr></w:p>";
  const View view = ParseDocx(MakeDocument(item(0) + heading + heading + item(0) + heading,
                                           {{"numbering", numbering}, {"styles", styles}}));
  std::string labels;
  for (int i = 1; i <= 5; ++i) {
    labels += AttributeOf(view, "p:" + std::to_string(i), "label").as_string() + " ";
  }
  EXPECT_EQ(labels, "1. 1.1 1.2 2. 2.1 ");
  EXPECT_EQ(AttributeOf(view, "p:2", "style"), Value("Heading 2"));
  EXPECT_EQ(AttributeOf(view, "p:2", "level"), Value(2));
}

TEST(DocxRead, FormatsNumbers) {
  EXPECT_EQ(docx::FormatNumber(27, "lowerLetter"), "aa");
  EXPECT_EQ(docx::FormatNumber(1994, "upperRoman"), "MCMXCIV");
  EXPECT_EQ(docx::FormatNumber(12, "ordinal"), "12th");
  EXPECT_EQ(docx::FormatNumber(7, "decimalZero"), "07");
}

TEST(DocxRead, ReadsNotesCommentsAndHeaders) {
  const std::string text = "<w:p><w:r><w:t>hello</w:t></w:r></w:p>";
  const View view = ParseDocx(MakeDocument(
      "<w:p><w:r><w:t>ab</w:t></w:r><w:commentRangeStart w:id=\"4\"/><w:r><w:t>cd</w:t></w:r>"
      "<w:commentRangeEnd w:id=\"4\"/><w:r><w:commentReference w:id=\"4\"/></w:r>"
      "<w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>",
      {{"comments",
        Part("comments", "<w:comment w:id=\"4\" w:author=\"Ann\">" + text + "</w:comment>")},
       {"footnotes", Part("footnotes", "<w:footnote w:id=\"2\">" + text + "</w:footnote>")},
       {"header1", Part("hdr", text)}}));
  EXPECT_EQ(TextOf(view, "cm:4/p:1"), "hello");
  EXPECT_EQ(AttributeOf(view, "cm:4", "author"), Value("Ann"));
  EXPECT_EQ(AttributeOf(view, "cm:4", "anchor"), Value("p:1:2-4"));
  EXPECT_EQ(TextOf(view, "fn:2/p:1"), "hello");
  EXPECT_EQ(TextOf(view, "hdr:1/p:1"), "hello");
  EXPECT_EQ(AttributeOf(view, "p:1", "notes").as_array()[0].FindString("note"), "fn:2");
}

TEST(DocxRead, TwinParagraphIdentifiersAreNoKeys) {
  const View view = ParseDocx(
      MakeDocument("<w:p w14:paraId=\"0A\"/><w:p w14:paraId=\"0A\"/><w:p w14:paraId=\"0B\"/>"));
  EXPECT_EQ(view.Find("p:1")->key, "");
  EXPECT_EQ(view.Find("p:3")->key, "0B");
}

TEST(DocxRead, CoversEveryPartOrCallsItOpaque) {
  const std::string bytes = MakeDocument(
      "<w:p/>",
      {{"styles", Part("styles", "<w:style w:styleId=\"A\"/>")}, {"fontTable", Part("fonts", "")}});
  const View view = ParseDocx(bytes);
  EXPECT_EQ(view.parts.size(), ZipReader::Open(bytes, Limits())->members().size());
  for (const staged::Part& part : view.parts) {
    EXPECT_EQ(part.kinds.empty(),
              part.name != "word/document.xml" && part.name != "word/styles.xml")
        << part.name;
    EXPECT_EQ(part.digest, ContentHash::Of(testing::ReadMember(bytes, part.name)));
  }
}

TEST(DocxRead, ReusesSegmentsOfUnchangedParts) {
  const auto format = NewDocxFormat();
  const std::string bytes = MakeDocument("<w:p/>", {{"header1", Part("hdr", "<w:p/>")}});
  const Result<ParsedContent> first = format->Parse(bytes, Limits(), {});
  const std::string edited =
      testing::ApplyEdits(*format, bytes, {testing::MakeEdit("set", "hdr:1/p:1", {{"text", "x"}})});
  const SegmentSource source = [&](const std::string& part, const ContentHash& digest) {
    for (const auto& segment : first->segments) {
      if (segment->part() == part && segment->digest() == digest) return segment;
    }
    return std::shared_ptr<const Segment>();
  };
  const Result<ParsedContent> second = format->Parse(edited, Limits(), source);
  EXPECT_EQ(second->segments[0], first->segments[0]);
  EXPECT_NE(second->segments[1], first->segments[1]);
}

TEST(DocxRead, ReadsWhatStandsBeforeDamage) {
  const View view = ParseDocx(testing::MakeArchive(
      {{"word/document.xml",
        "<w:document" + std::string(testing::kWordNamespaces) +
            "><w:body><w:p><w:r><w:t>saved</w:t></w:r></w:p><w:p></w:body>"}}));
  EXPECT_EQ(TextOf(view, "p:1"), "saved");
  ASSERT_FALSE(view.diagnostics.empty());
  EXPECT_EQ(view.diagnostics[0].code, "damaged_xml");
}

constexpr const char* kCorpusFolders[] = {"docx", "pairs/docx"};
const std::vector<std::string> kExtensions = {"docx", "docm", "dotx", "dotm"};

// Every text that an independent walk finds is in some record of ours, as often as it is there.
TEST(DocxCorpus, LosesNoText) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t texts = 0;
  size_t count = 0;
  for (const char* folder : kCorpusFolders) {
    const std::vector<testing::OracleFile> files = testing::OracleTexts("docx_texts.py", folder);
    if (files.empty()) GTEST_SKIP() << "1 test skipped: no python3";
    EXPECT_EQ(files.size(), testing::CountCorpusFiles(folder, kExtensions));
    for (const testing::OracleFile& file : files) {
      const View view = ParseDocx(testing::ReadFile(file.path));
      EXPECT_THAT(testing::UnsoundLocators(view), ::testing::IsEmpty()) << file.path;
      EXPECT_THAT(testing::TextsNotIn(view, file), ::testing::IsEmpty()) << file.path;
      texts += file.texts.size();
    }
    count += files.size();
  }
  EXPECT_GT(count, 250u);
  std::printf("compared %zu texts of %zu files\n", texts, count);
}

// Every member of every archive is a part with its digest: covered by records, or opaque.
TEST(DocxCorpus, EveryMemberIsAPart) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t parts = 0;
  size_t opaque = 0;
  for (const char* folder : kCorpusFolders) {
    const std::vector<testing::OracleFile> files =
        testing::OracleTexts("office_parts.py", folder, ".docx .docm .dotx .dotm");
    if (files.empty()) GTEST_SKIP() << "1 test skipped: no python3";
    EXPECT_EQ(files.size(), testing::CountCorpusFiles(folder, kExtensions));
    for (const testing::OracleFile& file : files) {
      const View view = ParseDocx(testing::ReadFile(file.path));
      EXPECT_THAT(testing::UnsoundParts(view, file), ::testing::IsEmpty()) << file.path;
      parts += view.parts.size();
      for (const staged::Part& part : view.parts) opaque += part.kinds.empty() ? 1 : 0;
    }
  }
  std::printf("%zu parts, %zu of them opaque\n", parts, opaque);
}

// Each paragraph that python-docx reads whole is one of ours with the same text and style, as
// often.
TEST(DocxCorpus, AgreesWithPythonDocx) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  const std::vector<testing::OracleFile> files = testing::OracleTexts("docx_styles.py", "docx");
  if (files.empty()) GTEST_SKIP() << "1 test skipped: no python3-docx";
  size_t paragraphs = 0;
  for (const testing::OracleFile& file : files) {
    const View view = ParseDocx(testing::ReadFile(file.path));
    std::string default_style = "Normal";
    std::multiset<std::string> ours;
    view.ForEach([&](const Record& record) {
      const Value* is_default = record.attrs.Find("default");
      if (record.kind == "style" && is_default != nullptr &&
          record.attrs.FindString("type") == "paragraph") {
        default_style = record.text;
      }
      return true;
    });
    view.ForEach([&](const Record& record) {
      if (record.kind != "paragraph") return true;
      const std::string style(record.attrs.FindString("style"));
      ours.insert((style.empty() ? default_style : style) + "\t" + record.text);
      return true;
    });
    std::vector<std::string> missing;
    for (const std::string& text : file.texts) {
      const auto found = ours.find(text);
      if (found == ours.end()) {
        missing.push_back(text);
      } else {
        ours.erase(found);
      }
    }
    EXPECT_THAT(missing, ::testing::IsEmpty()) << file.path;
    paragraphs += file.texts.size();
  }
  EXPECT_GT(paragraphs, 10'000u);
  std::printf("compared %zu paragraphs of %zu files\n", paragraphs, files.size());
}

TEST(DocxCorpus, MacrosAreReadable) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t files = 0;
  size_t modules = 0;
  for (const std::string& path : testing::CorpusFiles("docx")) {
    const View view = ParseDocx(testing::ReadFile(path));
    for (const staged::Part& part : view.parts) {
      if (!part.name.ends_with("vbaProject.bin")) continue;
      ++files;
      EXPECT_THAT(part.kinds, ::testing::Contains("macro_module")) << path;
    }
    view.ForEach([&](const Record& record) {
      if (record.kind != "macro_module") return true;
      EXPECT_THAT(record.text, ::testing::HasSubstr("Attribute VB_Name")) << path;
      EXPECT_EQ(record.hidden, "macro");
      ++modules;
      return true;
    });
  }
  EXPECT_GE(files, 2u);
  EXPECT_GE(modules, files);
}

TEST(DocxCorpus, HostileFilesEndInAViewOrAnError) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  EXPECT_EQ(testing::AnswersForHostileFiles(*NewDocxFormat()),
            testing::CorpusFiles("hostile").size());
}

}  // namespace
}  // namespace staged
