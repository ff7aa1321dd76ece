#include "codec/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "codec/little_endian.h"

namespace staged {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Builds archives field by field, so that broken ones can be built too.
class ArchiveBuilder {
 public:
  struct Options {
    uint16_t flags = 0;
    bool stored = false;
    bool zip64 = false;      // sizes and offset in a zip64 extra
    std::string descriptor;  // bytes behind the data
    std::string local_extra;
    int64_t declared_size = -1;  // instead of the true one
  };

  ArchiveBuilder& Add(const std::string& name, const std::string& content) {
    return Add(name, content, Options());
  }
  ArchiveBuilder& Add(const std::string& name, const std::string& content, Options options) {
    const std::string data = options.stored ? content : ZipDeflate(content);
    const uint64_t size =
        options.declared_size >= 0 ? static_cast<uint64_t>(options.declared_size) : content.size();
    const bool in_descriptor = (options.flags & 8) != 0;
    std::string sizes;
    Put32(sizes, in_descriptor ? 0 : Crc32(content));
    Put32(sizes, in_descriptor ? 0 : data.size());
    Put32(sizes, in_descriptor ? 0 : size);
    std::string common;
    Put16(common, options.flags);
    Put16(common, options.stored ? 0 : 8);
    Put32(common, 0x58215678);  // time and date
    const uint64_t offset = bytes_.size();
    Put32(bytes_, 0x04034b50);
    Put16(bytes_, 45);
    bytes_ += common + sizes;
    Put16(bytes_, name.size());
    Put16(bytes_, options.local_extra.size());
    bytes_ += name + options.local_extra + data + options.descriptor;

    std::string extra;
    if (options.zip64) {
      Put16(extra, 1);
      Put16(extra, 24);
      Put64(extra, size);
      Put64(extra, data.size());
      Put64(extra, offset);
    }
    Put32(central_, 0x02014b50);
    Put16(central_, 45);
    Put16(central_, 45);
    central_ += common;
    Put32(central_, Crc32(content));
    Put32(central_, options.zip64 ? 0xFFFFFFFF : data.size());
    Put32(central_, options.zip64 ? 0xFFFFFFFF : size);
    Put16(central_, name.size());
    Put16(central_, extra.size());
    Put16(central_, 3);  // comment
    central_ += std::string(8, '\0');
    Put32(central_, options.zip64 ? 0xFFFFFFFF : offset);
    central_ += name + extra + "cmt";
    ++count_;
    return *this;
  }

  std::string Finish(const std::string& comment = "", bool zip64 = false) {
    std::string out = bytes_ + central_;
    const uint64_t zip64_end = out.size();
    if (zip64) {
      Put32(out, 0x06064b50);
      Put64(out, 44);
      Put32(out, 45 << 16 | 45);
      Put64(out, 0);
      Put64(out, count_);
      Put64(out, count_);
      Put64(out, central_.size());
      Put64(out, bytes_.size());
      Put32(out, 0x07064b50);
      Put32(out, 0);
      Put64(out, zip64_end);
      Put32(out, 1);
    }
    Put32(out, 0x06054b50);
    Put32(out, 0);
    Put16(out, zip64 ? 0xFFFF : count_);
    Put16(out, zip64 ? 0xFFFF : count_);
    Put32(out, zip64 ? 0xFFFFFFFF : central_.size());
    Put32(out, zip64 ? 0xFFFFFFFF : bytes_.size());
    Put16(out, comment.size());
    return out + comment;
  }

 private:
  static void Put16(std::string& out, uint64_t number) {
    out.append(2, '\0');
    Store16(out, out.size() - 2, static_cast<uint16_t>(number));
  }
  static void Put32(std::string& out, uint64_t number) {
    out.append(4, '\0');
    Store32(out, out.size() - 4, static_cast<uint32_t>(number));
  }
  static void Put64(std::string& out, uint64_t number) {
    out.append(8, '\0');
    Store64(out, out.size() - 8, number);
  }

  std::string bytes_;
  std::string central_;
  uint64_t count_ = 0;
};

std::string ReadNamed(const ZipReader& reader, std::string_view name) {
  const ZipMember* member = reader.Find(name);
  if (member == nullptr) return "(absent)";
  const Result<std::string> content = reader.Read(*member);
  return content.ok() ? *content : "(error) " + content.status().message();
}

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out.append(text);
  return out;
}

TEST(ZipDeflate, RoundTripsAndIsDeterministic) {
  for (const std::string& text : {std::string(), std::string("a"), Repeated("row 17 ", 9999)}) {
    const std::string compressed = ZipDeflate(text);
    EXPECT_EQ(compressed, ZipDeflate(text));
    for (const uint64_t hint : {uint64_t{0}, uint64_t{1}, uint64_t{text.size()}}) {
      const Result<std::string> inflated = ZipInflate(compressed, hint, 1 << 20);
      ASSERT_TRUE(inflated.ok());
      EXPECT_EQ(*inflated, text);
    }
  }
  EXPECT_THAT(std::string(ZipEncoderName()), HasSubstr("libdeflate"));
}

// What Debian 12's libdeflate 1.14 gives at level 1. Stores hold contents that only an encoder with
// this very output can give back: other bytes here mean that those stores cannot be read.
TEST(ZipDeflate, GivesTheBytesThatStoresRelyOn) {
  std::string text;
  uint64_t state = 1;
  for (int i = 0; i < 60000; ++i) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    text += std::to_string(state % 1000);
    text += (state & 0x10000) != 0 ? ';' : '\n';
  }
  EXPECT_EQ(ContentHash::Of(ZipDeflate(text)).ToHex(),
            "1fc9facf9bf7b206752a8854e2eebefadf8ee152ed7c9fdc6777d7a4332b0896");
}

TEST(ZipInflate, StopsAtItsLimitAndAtDamage) {
  const std::string compressed = ZipDeflate(std::string(100000, 'x'));
  EXPECT_EQ(ZipInflate(compressed, 10, 99999).status().code(), ErrorCode::kLimitExceeded);
  EXPECT_TRUE(ZipInflate(compressed, 10, 100000).ok());
  EXPECT_EQ(ZipInflate("\xff\xff\xff", 10, 1000).status().code(), ErrorCode::kParseFailed);
  EXPECT_EQ(ZipInflate("", 0, 1000).status().code(), ErrorCode::kParseFailed);
}

TEST(ZipReader, ReadsStoredDeflatedDescriptorAndZip64Members) {
  ArchiveBuilder builder;
  builder.Add("stored", "abc", {.stored = true});
  builder.Add("deflated", Repeated("abc", 100));
  builder.Add("described", "xyz", {.flags = 8, .descriptor = std::string(16, 'd')});
  builder.Add("wide", "64", {.zip64 = true});
  for (const bool zip64 : {false, true}) {
    const std::string bytes = builder.Finish("a comment", zip64);
    const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    EXPECT_EQ(reader->members().size(), 4u);
    EXPECT_EQ(ReadNamed(*reader, "stored"), "abc");
    EXPECT_EQ(ReadNamed(*reader, "deflated"), Repeated("abc", 100));
    EXPECT_EQ(ReadNamed(*reader, "described"), "xyz");
    EXPECT_EQ(ReadNamed(*reader, "wide"), "64");
    EXPECT_EQ(reader->Find("absent"), nullptr);
    EXPECT_THAT(reader->warnings(), ElementsAre());
  }
}

TEST(ZipReader, LastOfTwoMembersWithOneNameCounts) {
  const std::string bytes =
      ArchiveBuilder().Add("a", "first").Add("b", "other").Add("a", "second").Finish();
  const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->has_duplicate_names());
  EXPECT_EQ(ReadNamed(*reader, "a"), "second");
  EXPECT_THAT(reader->warnings(), ElementsAre(HasSubstr("same name")));
}

TEST(ZipReader, WarnsOfNamesThatLeaveTheArchive) {
  for (const std::string name :
       {"../evil", "/etc/passwd", "a/../../b", "c:\\x", "a\\..\\b", "", ".."}) {
    const std::string bytes = ArchiveBuilder().Add(name, "x").Finish();
    const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
    ASSERT_TRUE(reader.ok());
    EXPECT_THAT(reader->warnings(), ElementsAre(HasSubstr("unsafe"))) << name;
  }
  const std::string bytes = ArchiveBuilder().Add("a/..b/c..", "x").Finish();
  EXPECT_THAT(ZipReader::Open(bytes, Limits())->warnings(), ElementsAre());
}

TEST(ZipReader, NeverTrustsADeclaredSize) {
  const std::string text = Repeated("abc", 1000);
  for (const int64_t declared : {int64_t{0}, int64_t{2999}, int64_t{3001}, int64_t{0xFFFFFFF0}}) {
    const std::string bytes = ArchiveBuilder().Add("a", text, {.declared_size = declared}).Finish();
    Limits limits;
    limits.part_bytes_max = uint64_t{1} << 40;
    const Result<ZipReader> reader = ZipReader::Open(bytes, limits);
    ASSERT_TRUE(reader.ok());
    EXPECT_THAT(ReadNamed(*reader, "a"), HasSubstr("(error)")) << declared;
  }
}

TEST(ZipReader, BoundsBombsByTheLimits) {
  const std::string bytes = ArchiveBuilder()
                                .Add("a", std::string(1 << 20, '\0'))
                                .Add("b", std::string(1 << 20, '\0'))
                                .Finish();
  Limits limits;
  limits.part_bytes_max = (1 << 20) - 1;
  Result<ZipReader> reader = ZipReader::Open(bytes, limits);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->Read(reader->members()[0]).status().code(), ErrorCode::kLimitExceeded);
  limits = Limits();
  limits.expanded_bytes_max = (2 << 20) - 1;
  EXPECT_EQ(ZipReader::Open(bytes, limits).status().code(), ErrorCode::kLimitExceeded);
  limits = Limits();
  limits.parts_max = 1;
  EXPECT_EQ(ZipReader::Open(bytes, limits).status().code(), ErrorCode::kLimitExceeded);
  limits = Limits();
  limits.input_bytes_max = bytes.size() - 1;
  EXPECT_EQ(ZipReader::Open(bytes, limits).status().code(), ErrorCode::kLimitExceeded);
}

TEST(ZipReader, EveryTruncationIsAnErrorOrAReadableArchive) {
  const std::string bytes = ArchiveBuilder().Add("a", "text").Add("b", "more").Finish("comment");
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Result<ZipReader> reader =
        ZipReader::Open(std::string_view(bytes).substr(0, size), Limits());
    const bool only_comment_cut = size >= bytes.size() - 7;
    EXPECT_EQ(reader.ok(), only_comment_cut) << size;
    if (!reader.ok()) {
      EXPECT_EQ(reader.status().code(), ErrorCode::kParseFailed);
    }
  }
}

TEST(ZipReader, EveryFlippedByteIsAnErrorAWarningOrHarmless) {
  const std::string bytes =
      ArchiveBuilder().Add("a", Repeated("text", 20)).Add("b", "more").Finish("comment");
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const Result<ZipReader> reader = ZipReader::Open(damaged, Limits());
      if (!reader.ok()) continue;
      for (const ZipMember& member : reader->members()) {
        const Result<std::string> content = reader->Read(member);
        if (content.ok()) {
          EXPECT_TRUE(*content == Repeated("text", 20) || *content == "more") << i;
        }
      }
    }
  }
}

TEST(ZipReader, ReadsBehindLeadingBytesAndBeforeTrailingOnes) {
  const std::string plain = ArchiveBuilder().Add("a", "text").Finish();
  const std::string bytes = "#!/bin/sh\n" + plain + "trailing";
  const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(ReadNamed(*reader, "a"), "text");
  ZipSplicer splicer(*reader);
  splicer.Replace(0, "new text");
  splicer.Add("b", "added");
  const Result<std::string> spliced = splicer.Finish();
  ASSERT_TRUE(spliced.ok());
  EXPECT_EQ(spliced->substr(0, 10), "#!/bin/sh\n");
  EXPECT_EQ(spliced->substr(spliced->size() - 8), "trailing");
  const Result<ZipReader> again = ZipReader::Open(*spliced, Limits());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(ReadNamed(*again, "a"), "new text");
  EXPECT_EQ(ReadNamed(*again, "b"), "added");
}

TEST(ZipReader, RefusesEncryptedMembers) {
  std::string bytes = ArchiveBuilder().Add("a", "text", {.flags = 1}).Finish();
  Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(ReadNamed(*reader, "a"), HasSubstr("encrypted"));
}

TEST(ZipSplicer, WithoutAPlanGivesTheSameBytes) {
  const std::string bytes = ArchiveBuilder()
                                .Add("a", "text")
                                .Add("b", "xyz", {.flags = 8, .descriptor = std::string(12, 'd')})
                                .Add("c", "wide", {.zip64 = true})
                                .Finish("comment", true);
  const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
  ASSERT_TRUE(reader.ok());
  ZipSplicer splicer(*reader);
  EXPECT_EQ(*splicer.Finish(), bytes);
  EXPECT_THAT(splicer.rewritten_members(), ElementsAre());
}

TEST(ZipSplicer, ReplacesRemovesAndAddsAndKeepsTheRest) {
  for (const bool zip64 : {false, true}) {
    const std::string bytes =
        ArchiveBuilder()
            .Add("stored", "abc", {.stored = true})
            .Add("kept", "kept text", {.flags = 8, .descriptor = std::string(16, 'd')})
            .Add("gone", "gone text")
            .Add("changed", "old", {.flags = 8, .zip64 = zip64, .descriptor = std::string(16, 'd')})
            .Add("wide", "last", {.zip64 = zip64})
            .Finish("comment", zip64);
    const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
    ASSERT_TRUE(reader.ok());
    ZipSplicer splicer(*reader);
    splicer.Replace(0, "stored anew");
    splicer.Remove(2);
    splicer.Replace(3, "changed text");
    splicer.Add("n\xC3\xA9w", "added text");
    const Result<std::string> spliced = splicer.Finish();
    ASSERT_TRUE(spliced.ok()) << spliced.status().message();
    EXPECT_THAT(splicer.rewritten_members(), ElementsAre("changed", "n\xC3\xA9w"));
    const Result<ZipReader> again = ZipReader::Open(*spliced, Limits());
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_THAT(again->warnings(), ElementsAre());
    EXPECT_EQ(again->members().size(), 5u);
    EXPECT_EQ(ReadNamed(*again, "stored"), "stored anew");
    EXPECT_EQ(again->members()[0].method, 0);
    EXPECT_EQ(ReadNamed(*again, "gone"), "(absent)");
    EXPECT_EQ(ReadNamed(*again, "changed"), "changed text");
    EXPECT_EQ(ReadNamed(*again, "n\xC3\xA9w"), "added text");
    EXPECT_EQ(ReadNamed(*again, "wide"), "last");
    EXPECT_EQ(again->CompressedBytes(*again->Find("kept")),
              reader->CompressedBytes(*reader->Find("kept")));
    EXPECT_EQ(spliced->substr(spliced->size() - 7), "comment");
  }
}

TEST(ZipSplicer, RefusesOverlappingMembers) {
  std::string bytes = ArchiveBuilder().Add("a", "text").Add("b", "text").Finish();
  const Result<ZipReader> before = ZipReader::Open(bytes, Limits());
  // Both entries point to the first member.
  Store32(bytes, before->members()[1].central_offset + 42, 0);
  const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(reader->warnings(), ::testing::Contains(HasSubstr("overlaps")));
  ZipSplicer splicer(*reader);
  EXPECT_EQ(splicer.Finish().status().code(), ErrorCode::kUnsupportedEdit);
}

}  // namespace
}  // namespace staged
