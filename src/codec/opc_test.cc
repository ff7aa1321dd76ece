#include "codec/opc.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

TEST(Opc, ResolvesTargets) {
  EXPECT_EQ(OpcResolveTarget("xl/workbook.xml", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml");
  EXPECT_EQ(OpcResolveTarget("xl/workbook.xml", "/xl/styles.xml"), "xl/styles.xml");
  EXPECT_EQ(OpcResolveTarget("xl/worksheets/sheet1.xml", "../drawings/./d.xml"),
            "xl/drawings/d.xml");
  EXPECT_EQ(OpcResolveTarget("", "word/document.xml"), "word/document.xml");
  EXPECT_EQ(OpcResolveTarget("a/b.xml", "../../../etc/passwd"), "etc/passwd");
  EXPECT_EQ(OpcResolveTarget("a/b.xml", "c.xml#part"), "a/c.xml");
  EXPECT_EQ(OpcResolveTarget("", "\\word\\document.xml"), "word/document.xml");
  EXPECT_EQ(OpcResolveTarget("a/b.xml", ""), "a");
}

TEST(Opc, NamesTheRelationshipsPart) {
  EXPECT_EQ(OpcRelationshipsPart("xl/workbook.xml"), "xl/_rels/workbook.xml.rels");
  EXPECT_EQ(OpcRelationshipsPart(""), "_rels/.rels");
  EXPECT_EQ(OpcRelationshipsPart("a.xml"), "_rels/a.xml.rels");
}

TEST(Opc, ReadsRelationshipsOfBothNamespaces) {
  const Result<OpcRelationships> relationships = OpcRelationships::Parse(
      "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
      "<Relationship Id='rId1' Target='document.xml' Type="
      "'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image'/>"
      "<Relationship Id='rId2' Target='http://x/?a=1&amp;b=2' TargetMode='External' Type="
      "'http://purl.oclc.org/ooxml/officeDocument/relationships/hyperlink'/></Relationships>",
      "word/document.xml", Limits{});
  ASSERT_TRUE(relationships.ok());
  ASSERT_EQ(relationships->all().size(), 2u);
  EXPECT_EQ(relationships->Find("rId1")->part, "word/document.xml");
  EXPECT_EQ(relationships->Find("rId1")->type_name(), "image");
  EXPECT_EQ(relationships->FindByType("hyperlink")->target, "http://x/?a=1&b=2");
  EXPECT_TRUE(relationships->Find("rId2")->is_external);
  EXPECT_EQ(relationships->Find("rId2")->part, "");
  EXPECT_EQ(relationships->Find("rId3"), nullptr);
  EXPECT_EQ(relationships->FindByType("styles"), nullptr);
}

TEST(Opc, RefusesDamagedRelationships) {
  EXPECT_EQ(OpcRelationships::Parse("<Relationships>", "", Limits{}).status().code(),
            ErrorCode::kParseFailed);
}

TEST(Opc, FindsContentTypesWithoutRegardToCase) {
  const Result<OpcContentTypes> types = OpcContentTypes::Parse(
      "<Types><Default Extension='XML' ContentType='application/xml'/>"
      "<Override PartName='/word/Document.xml' ContentType='main'/></Types>",
      Limits{});
  ASSERT_TRUE(types.ok());
  EXPECT_EQ(types->TypeOf("word/document.xml"), "main");
  EXPECT_EQ(types->TypeOf("word/other.xml"), "application/xml");
  EXPECT_EQ(types->TypeOf("word/other.bin"), "");
  EXPECT_EQ(types->TypeOf("a.xml/other"), "");
}

}  // namespace
}  // namespace staged
