#include "staged/content_hash.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

// FIPS 180-4 examples (NIST, SHA-256 of "abc" and of the empty message).
TEST(ContentHash, MatchesTheStandardsExamples) {
  EXPECT_EQ(ContentHash::Of("abc").ToString(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ContentHash::Of("").ToHex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(ContentHash, IncrementalEqualsWhole) {
  ContentHasher hasher;
  hasher.Update("a");
  hasher.Update("bc");
  EXPECT_EQ(hasher.Finish(), ContentHash::Of("abc"));
  hasher.Update("abc");
  EXPECT_EQ(hasher.Finish(), ContentHash::Of("abc"));
}

TEST(ContentHash, ParsesOnlyTheFullForm) {
  const ContentHash hash = ContentHash::Of("abc");
  EXPECT_EQ(*ContentHash::Parse(hash.ToString()), hash);
  for (const char* text : {"", "sha256:", "none", "sha256:BA7816", "md5:00"}) {
    EXPECT_EQ(ContentHash::Parse(text).status().code(), ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace staged
