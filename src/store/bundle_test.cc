#include "store/bundle.h"

#include <gtest/gtest.h>

#include <string>

#include "store/bundle_builder.h"
#include "store/compression.h"
#include "store/content_cutter.h"

namespace staged {
namespace {

BundleHeader Example() {
  BundleHeader header;
  header.key.hash = ContentHash::Of("content");
  header.native_size_bytes = 1'000'000;
  header.encoder = "libdeflate-1.14-6";
  header.homes = {{ContentHash::Of("home"), {1, 2, 3, 4, 5, 6, 7, 8}}};
  header.steps = {{.kind = StepKind::kCopy, .home = 0, .first = 0, .count = 2},
                  {.kind = StepKind::kDeflate, .count = 1, .size_bytes = 1'234},
                  {.kind = StepKind::kCopy, .home = 1, .first = 70'000, .count = 300}};
  header.payloads = {
      {.ordinal = 0, .size_bytes = 100, .stored_size_bytes = 100, .hash = ContentHash::Of("0")},
      {.ordinal = 1,
       .codec = PayloadCodec::kZstd,
       .size_bytes = 40'000,
       .stored_size_bytes = 1'000,
       .hash = ContentHash::Of("1")},
      {.ordinal = 900, .size_bytes = 7, .stored_size_bytes = 7, .hash = header.key.hash}};
  header.key.id = MakeBundleId(header.payloads);
  return header;
}

TEST(BundleTest, HeaderComesBack) {
  BundleHeader header = Example();
  const std::string encoded = EncodeBundleHeader(header);
  const Result<BundleHeader> decoded = DecodeBundleHeader(encoded);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_TRUE(*decoded == header);
  const Result<BundleHead> head = DecodeBundleHead(encoded);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->header_size_bytes, encoded.size());
  EXPECT_EQ(head->payloads_size_bytes, 1'107U);
  EXPECT_EQ(decoded->Find(1)->offset, encoded.size() + 100);
  EXPECT_EQ(decoded->Find(900)->offset, encoded.size() + 1'100);
  EXPECT_EQ(decoded->Find(2), nullptr);
  EXPECT_EQ(decoded->Find(901), nullptr);
}

TEST(BundleTest, AnyChangedBitAndAnyCutIsFound) {
  BundleHeader header = Example();
  const std::string encoded = EncodeBundleHeader(header);
  for (size_t i = 0; i < encoded.size() * 8; ++i) {
    std::string damaged = encoded;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
    EXPECT_FALSE(DecodeBundleHeader(damaged).ok()) << "bit " << i;
  }
  for (size_t size = 0; size < encoded.size(); ++size) {
    EXPECT_EQ(DecodeBundleHeader(encoded.substr(0, size)).status().code(), ErrorCode::kDataLoss);
  }
}

TEST(BundleTest, NewerVersionsAreRefused) {
  BundleHeader header = Example();
  std::string encoded = EncodeBundleHeader(header);
  encoded[kBundleMagic.size()] = kBundleVersion + 1;
  const Status status = DecodeBundleHeader(encoded).status();
  EXPECT_EQ(status.code(), ErrorCode::kUnsupportedEdit);
  EXPECT_NE(status.message().find("newer"), std::string::npos) << status.message();
}

// Headers that no writer makes, with a right checksum.
TEST(BundleTest, ImpossibleHeadersAreRefused) {
  const auto expect_refused = [](const char* what, auto change) {
    BundleHeader header = Example();
    change(header);
    EXPECT_EQ(DecodeBundleHeader(EncodeBundleHeader(header)).status().code(), ErrorCode::kDataLoss)
        << what;
  };
  expect_refused("unknown home", [](BundleHeader& header) { header.steps[0].home = 2; });
  expect_refused("empty copy", [](BundleHeader& header) { header.steps[0].count = 0; });
  expect_refused("huge payload", [](BundleHeader& header) {
    header.payloads[1].size_bytes = kPayloadSizeMaxBytes + 1;
  });
  expect_refused("deflate without end", [](BundleHeader& header) { header.steps[1].count = 2; });
  expect_refused("deflate without encoder", [](BundleHeader& header) { header.encoder.clear(); });
  expect_refused("carrier with steps",
                 [](BundleHeader& header) { header.kind = BundleKind::kCarrier; });
  expect_refused("huge content",
                 [](BundleHeader& header) { header.native_size_bytes = kContentSizeMaxBytes + 1; });
  expect_refused("unknown codec", [](BundleHeader& header) {
    header.payloads[0].codec = static_cast<PayloadCodec>(2);
  });
}

TEST(BundleTest, KnownChunksAreNotStoredAgain) {
  std::string content;
  for (int64_t i = 0; content.size() < 2'000'000; ++i) content += std::to_string(i * 7919) + ",";
  const CutContent base_cut = CutForStorage(content, {}, 2);
  const EncodedBundle base = BuildBundle(base_cut, KnownChunks(), 2);
  EXPECT_EQ(base.header.steps.size(), 1U) << "one run";
  KnownChunks known;
  known.Add(base.header);
  std::string edited = content;
  edited.replace(1'000'000, 3, "abcdef");
  const CutContent cut = CutForStorage(edited, {}, 2);
  const EncodedBundle bundle = BuildBundle(cut, known, 2);
  EXPECT_LE(bundle.header.payloads.size(), 3U);
  EXPECT_LE(bundle.header.steps.size(), 3U);
  EXPECT_LT(bundle.encoded_header.size(), 300U);
}

TEST(BundleTest, ThreadsChangeNothing) {
  std::string content;
  for (int64_t i = 0; content.size() < 3'000'000; ++i) content += std::to_string(i * 7919) + ",";
  const CutContent one = CutForStorage(content, {}, 1);
  const CutContent two = CutForStorage(content, {}, 2);
  const EncodedBundle first = BuildBundle(one, KnownChunks(), 1);
  const EncodedBundle second = BuildBundle(two, KnownChunks(), 2);
  EXPECT_EQ(first.encoded_header, second.encoded_header);
  EXPECT_EQ(first.payloads, second.payloads);
}

TEST(CompressionTest, OnlyWhatShrinksIsCompressed) {
  Compressor compressor;
  Decompressor decompressor;
  std::string compressed;
  const std::string text(100'000, 'x');
  ASSERT_TRUE(compressor.Compress(text, compressed));
  std::string output = "before ";
  ASSERT_TRUE(decompressor.Append(PayloadCodec::kZstd, compressed, text.size(), output).ok());
  EXPECT_EQ(output, "before " + text);
  EXPECT_FALSE(decompressor.Append(PayloadCodec::kZstd, compressed, text.size() - 1, output).ok());
  EXPECT_FALSE(decompressor.Append(PayloadCodec::kZstd, compressed, text.size() + 1, output).ok());
  EXPECT_FALSE(decompressor.Append(PayloadCodec::kRaw, "abc", 2, output).ok());
  EXPECT_EQ(output, "before " + text) << "an error appends nothing";
  EXPECT_FALSE(compressor.Compress("ab", compressed));
}

}  // namespace
}  // namespace staged
