#include "codec/opc.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

// An archive of one empty member, to add to.
std::string Archive(const std::vector<std::pair<std::string, std::string>>& members) {
  const std::string empty = std::string("PK\5\6") + std::string(18, '\0');
  const ZipReader reader = *ZipReader::Open(empty, Limits());
  ZipSplicer splicer(reader);
  for (const auto& [name, content] : members) splicer.Add(name, content);
  return *splicer.Finish();
}

TEST(Opc, ResolvesTargets) {
  EXPECT_EQ(OpcResolve("xl/workbook.xml", "worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
  EXPECT_EQ(OpcResolve("xl/workbook.xml", "/xl/styles.xml"), "xl/styles.xml");
  EXPECT_EQ(OpcResolve("xl/worksheets/sheet1.xml", "../comments1.xml"), "xl/comments1.xml");
  EXPECT_EQ(OpcResolve("", "xl/workbook.xml"), "xl/workbook.xml");
  EXPECT_EQ(OpcResolve("a/b.xml", "../../../c.xml"), "c.xml");
  EXPECT_EQ(OpcResolve("a/b.xml", "./c//d.xml"), "a/c/d.xml");
  EXPECT_EQ(OpcRelationshipsPart("xl/workbook.xml"), "xl/_rels/workbook.xml.rels");
  EXPECT_EQ(OpcRelationshipsPart(""), "_rels/.rels");
}

TEST(Opc, ReadsRelationshipsOfEitherNamespace) {
  const std::string bytes = Archive(
      {{"_rels/.rels",
        "<r:Relationships xmlns:r='x'>"
        "<r:Relationship Id='a' Type='http://purl.oclc.org/ooxml/officeDocument/relationships/"
        "officeDocument' Target='XL/Workbook.xml'/>"
        "<r:Relationship Id='b' Type='t/hyperlink' Target='http://x/?a&amp;b' "
        "TargetMode='External'/></r:Relationships>"},
       {"xl\\workbook.xml", "<w/>"},
       {"my part.xml", "<p/>"}});
  const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
  ASSERT_TRUE(reader.ok());
  const OpcPackage package(*reader);
  const auto relationships = package.Relationships("", Limits());
  ASSERT_TRUE(relationships.ok());
  ASSERT_EQ(relationships->size(), 2u);
  EXPECT_EQ((*relationships)[0].type, "officeDocument");
  EXPECT_EQ(*package.ReadXml((*relationships)[0].target), "<w/>");
  EXPECT_EQ((*relationships)[1].target, "http://x/?a&b");
  EXPECT_TRUE((*relationships)[1].is_external);
  EXPECT_EQ(*package.ReadXml("my%20part.xml"), "<p/>");
  EXPECT_EQ(package.ReadXml("absent").status().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(package.Relationships("xl/workbook.xml", Limits())->empty());
}

TEST(Opc, KnowsEncryptedFiles) {
  std::string bytes = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
  EXPECT_TRUE(IsCompoundFile(bytes));
  EXPECT_FALSE(IsEncryptedOfficeFile(bytes));
  for (const char c : std::string("EncryptedPackage")) bytes += {c, '\0'};
  EXPECT_TRUE(IsEncryptedOfficeFile(bytes));
  EXPECT_FALSE(IsCompoundFile("PK\3\4"));
}

}  // namespace
}  // namespace staged
