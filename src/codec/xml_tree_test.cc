#include "codec/xml_tree.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

constexpr XmlVocabulary::Namespace kNamespaces[] = {
    {"u:one", 1}, {"u:one-strict", 1}, {"u:two", 2}};
constexpr XmlVocabulary::Element kElements[] = {{1, "p", 10}, {1, "t", 11}, {2, "p", 20}};

class XmlTreeTest : public testing::Test {
 protected:
  XmlVocabulary vocabulary_{kNamespaces, kElements};
};

TEST_F(XmlTreeTest, NumbersNamesByNamespaceWhateverThePrefix) {
  const std::string_view xml =
      "<a:p xmlns:a='u:one'><b:p xmlns:b='u:two'/><p xmlns='u:one-strict'><t>x</t></p>"
      "<a:p xmlns:a='u:two'/><a:t/><c:p/></a:p>";
  const XmlTree tree(xml, vocabulary_, Limits{});
  ASSERT_TRUE(tree.error().ok());
  std::vector<int> names;
  for (uint32_t i = 0; i < tree.size(); ++i) names.push_back(tree[i].name);
  EXPECT_EQ(names, (std::vector<int>{10, 20, 10, 11, 0, 20, 11, 0}));
}

TEST_F(XmlTreeTest, GivesOffsetsAndText) {
  const std::string_view xml =
      "<p xmlns='u:one' k='&lt;1'>a&amp;<t><![CDATA[<b>]]></t><!--c-->d</p>";
  const XmlTree tree(xml, vocabulary_, Limits{});
  EXPECT_EQ(tree.Raw(0), xml);
  EXPECT_EQ(tree.Text(0), "a&<b>d");
  EXPECT_EQ(tree.AttributeText(0, "k"), "<1");
  EXPECT_EQ(tree.Attribute(0, "none"), std::nullopt);
  const uint32_t child = tree.Child(0, 11);
  ASSERT_NE(child, XmlTree::kNone);
  EXPECT_EQ(tree.Content(child), "<![CDATA[<b>]]>");
  EXPECT_EQ(tree.LocalName(child), "t");
  EXPECT_EQ(tree.Child(0, 99), XmlTree::kNone);
}

TEST_F(XmlTreeTest, KeepsWhatStandsBeforeAnError) {
  const XmlTree tree("<p xmlns='u:one'><t>one</t><t>two", vocabulary_, Limits{});
  EXPECT_EQ(tree.error().code(), ErrorCode::kParseFailed);
  EXPECT_EQ(tree.Text(0), "onetwo");
  EXPECT_EQ(tree[0].subtree_end, tree.size());
}

TEST_F(XmlTreeTest, ReadsAFragmentWithOuterDeclarations) {
  const XmlTree whole("<a:p xmlns:a='u:one' xmlns='u:two'><a:t/></a:p>", vocabulary_, Limits{});
  const XmlBindings bindings = whole.BindingsAt(1);
  const XmlTree fragment("<a:t><p/></a:t>", vocabulary_, Limits{}, bindings);
  EXPECT_EQ(fragment[0].name, 11);
  EXPECT_EQ(fragment[1].name, 20);
}

TEST_F(XmlTreeTest, CountsNodesAgainstTheLimit) {
  Limits limits;
  limits.records_max = 2;
  const XmlTree tree("<p><t/><t/></p>", vocabulary_, limits);
  EXPECT_EQ(tree.error().code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(tree.size(), 2u);
}

}  // namespace
}  // namespace staged
