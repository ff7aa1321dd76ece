#include "formats/xlsx/strings_identity.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace staged::xlsx {
namespace {

std::string Strings(size_t count, const std::string& last = "") {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<sst xmlns=\"urn:x2006\" count=\"" + std::to_string(count) + "\">";
  for (size_t i = 0; i < count; ++i) xml += "<si><t>text " + std::to_string(i) + "</t></si>";
  return xml + last + "</sst>\n";
}

bool IsShorter(const std::string& longer, const std::string& shorter) {
  StringsIdentity identity(longer);
  const std::vector<ContentHash>& hashes = identity.Shorter();
  return std::find(hashes.begin(), hashes.end(), StringsIdentity(shorter).whole()) != hashes.end();
}

TEST(StringsIdentityTest, KnowsTheListsThatItGrewFrom) {
  for (const size_t count : {size_t{2}, size_t{20}, size_t{5000}}) {
    EXPECT_TRUE(IsShorter(Strings(count), Strings(count - 1))) << count;
    EXPECT_FALSE(IsShorter(Strings(count), Strings(count))) << count;
  }
  // Over more than one block of bytes, and with a boundary between the two lists.
  for (size_t count = 2600; count < 2800; ++count) {
    EXPECT_TRUE(IsShorter(Strings(count), Strings(count - 1))) << count;
  }
  EXPECT_TRUE(IsShorter(Strings(100), Strings(100 - StringsIdentity::kShorterMax)));
  EXPECT_FALSE(IsShorter(Strings(100), Strings(99 - StringsIdentity::kShorterMax)));
}

TEST(StringsIdentityTest, OtherListsAreOthers) {
  EXPECT_NE(StringsIdentity(Strings(3)).whole(),
            StringsIdentity(Strings(2, "<si><t>other</t></si>")).whole());
  // Empty items behind the last full one are strings, too.
  EXPECT_NE(StringsIdentity(Strings(3)).whole(), StringsIdentity(Strings(3, "<si/>")).whole());
  EXPECT_FALSE(IsShorter(Strings(4), Strings(3, "<si/>")));
  std::string head = Strings(3);
  head.insert(head.find("<sst"), "<!DOCTYPE sst>");
  EXPECT_NE(StringsIdentity(head).whole(), StringsIdentity(Strings(3)).whole());
  EXPECT_TRUE(StringsIdentity("no strings").Shorter().empty());
}

}  // namespace
}  // namespace staged::xlsx
