#include "formats/image/image_format.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "codec/json.h"
#include "codec/zip.h"
#include "formats/builtin_formats.h"
#include "formats/image/image_info.h"
#include "formats/test_support.h"

namespace staged {
namespace {

using std::string_literals::operator""s;

View Parse(std::string_view bytes, std::string_view path = "a.bin",
           const Limits& limits = Limits()) {
  static const FormatRegistry registry = NewBuiltinRegistry();
  Result<View> view = ParseView(registry, bytes, path, limits);
  EXPECT_TRUE(view.ok());
  return *std::move(view);
}

std::string Big(uint32_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift));
  return out;
}
std::string Chunk(const std::string& type, const std::string& data) {
  return Big(static_cast<uint32_t>(data.size())) + type + data + "crc4";
}
std::string Png(const std::string& chunks) {
  return "\x89PNG\r\n\x1A\n" + Chunk("IHDR", "\0\0\1\2\0\0\0\x10\x08\2\0\0\1"s) + chunks +
         Chunk("IDAT", "pixels") + Chunk("IEND", "");
}
// EXIF with two tags: an orientation, and a description behind the directory.
std::string Exif() {
  return "II*\0\x08\0\0\0\2\0"s +
         "\x12\1\3\0\1\0\0\0\6\0\0\0"s
         "\x0E\1\2\0\6\0\0\0\x26\0\0\0"s
         "\0\0\0\0Hello\0"s;
}

TEST(ImageFormatTest, HeadersSayWhatItIs) {
  const View png = Parse(Png(""));
  EXPECT_EQ(png.format, "image");
  EXPECT_TRUE(png.diagnostics.empty());
  const Record record = *png.Find("image");
  EXPECT_EQ(record.text, "258 x 16");
  EXPECT_EQ(*record.attrs.Find("bit_depth"), Value(8));
  EXPECT_EQ(*record.attrs.Find("color"), Value("rgb"));
  EXPECT_EQ(*record.attrs.Find("interlaced"), Value(true));
  EXPECT_EQ(Parse("GIF89a\x02\x01\x03\0\0\0\0;"s).Find("image")->text, "258 x 3");
  EXPECT_EQ(Parse("\xFF\xD8\xFF\xE0\0\4zz\xFF\xC2\0\x0B\x08\0\x20\1\0\1zzz\xFF\xDA\0\2"s)
                .Find("image")
                ->text,
            "256 x 32");
  EXPECT_EQ(Parse("RIFF\0\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\x0F\0\0\x1F\0\0"s).Find("image")->text,
            "16 x 32");
  EXPECT_EQ(Parse("BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0\x0F\0\0\0\xF0\xFF\xFF\xFF\1\0\x18\0"s)
                .Find("image")
                ->text,
            "15 x 16");
  EXPECT_EQ(Parse("BM is a text").format, "text");
}

TEST(ImageFormatTest, MetadataIsHiddenContent) {
  const View view =
      Parse(Png(Chunk("tEXt", "Title\0caf\xE9"s) + Chunk("tEXt", "Title\0again"s) +
                Chunk("iTXt", "Note\0\0\0en\0Note\0\xC3\xBC"s) + Chunk("eXIf", Exif())));
  EXPECT_EQ(view.Find("meta:png/Title")->text, "caf\u00E9");
  EXPECT_EQ(view.Find("meta:png/Title")->hidden, "metadata");
  EXPECT_EQ(view.Find("meta:png/Title#2")->text, "again");
  EXPECT_EQ(view.Find("meta:png/Note")->text, "\u00FC");
  EXPECT_EQ(view.Find("meta:exif/Orientation")->text, "6");
  EXPECT_EQ(view.Find("meta:exif/ImageDescription")->text, "Hello");
}

TEST(ImageFormatTest, ThePictureIsApartFromItsMetadata) {
  const auto digest = [](const std::string& bytes) {
    return std::string(Parse(bytes).Find("image")->attrs.FindString("picture_digest"));
  };
  EXPECT_EQ(digest(Png("")), digest(Png(Chunk("tEXt", "Title\0x"s))));
  EXPECT_NE(digest(Png("")), digest(Png(Chunk("PLTE", "abc"))));
  const std::string jpeg = "\xFF\xDB\0\4zz\xFF\xDA\0\2pixels\xFF\xD9"s;
  EXPECT_EQ(digest("\xFF\xD8" + jpeg), digest("\xFF\xD8\xFF\xFE\0\5abc"s + jpeg));
  EXPECT_NE(digest("\xFF\xD8" + jpeg), digest("\xFF\xD8" + jpeg + "more"));
  // How the colors are meant, what is unknown, and what stands behind damage are no metadata.
  EXPECT_NE(digest("\xFF\xD8\xFF\xEE\0\x0E"
                   "Adobe\0d\0\0\0\0\0"s +
                   jpeg),
            digest("\xFF\xD8\xFF\xEE\0\x0E"
                   "Adobe\0d\0\0\0\0\1"s +
                   jpeg));
  EXPECT_NE(digest("\xFF\xD8\xFF\xE0\0\5abc"s + jpeg), digest("\xFF\xD8\xFF\xE0\0\5abd"s + jpeg));
  EXPECT_NE(digest("\xFF\xD8\xFF\xDB\xFF\xFFone"s), digest("\xFF\xD8\xFF\xDB\xFF\xFFtwo"s));
  const std::string gif = "GIF89a\2\1\3\0\0\0\0"s;
  EXPECT_EQ(digest(gif + ";"), digest(gif + "!\xFE\2hi\0;"s));
  EXPECT_NE(digest(gif + "?one"), digest(gif + "?two"));
  EXPECT_NE(digest(Png("") + "one"), digest(Png("") + "two"));
}

TEST(ImageFormatTest, RangesOfThePictureGrowWithTheMetadataOnly) {
  std::string segments = "\xFF\xD8"s;
  for (int i = 0; i < 1000; ++i) segments += "\xFF\xDB\0\4zz"s;
  const std::string comment = "\xFF\xFE\0\5abc"s;
  const std::string jpeg = segments + comment + segments.substr(2) + "\xFF\xDA\0\2pixels"s;
  EXPECT_EQ(ReadImage("jpeg", jpeg, Limits()).picture.size(), 2u);
  std::string gif = "GIF89a\2\1\3\0\0\0\0"s;
  for (int i = 0; i < 1000; ++i) gif += "!\xF9\0"s;
  EXPECT_EQ(ReadImage("gif", gif + ";", Limits()).picture.size(), 1u);
}

TEST(ImageFormatTest, DamageAndLimits) {
  const std::string whole = Png(Chunk("tEXt", "Title\0text"s) + Chunk("eXIf", Exif()));
  for (size_t size = 8; size < whole.size(); ++size) {
    const View view = Parse(std::string_view(whole).substr(0, size));
    EXPECT_EQ(view.format, "image");
    ASSERT_EQ(view.diagnostics.size(), 1u) << size;
    EXPECT_EQ(view.diagnostics[0].code, "damaged_image");
  }
  std::string texts;
  for (int i = 0; i < 20'000; ++i) texts += Chunk("tEXt", "k\0v"s);
  const View many = Parse(Png(texts));
  EXPECT_EQ(many.diagnostics[0].code, "limit_exceeded");
  EXPECT_EQ(many.record_count(), 10'001u);
  // A directory that names itself as the one below it.
  const View loop = Parse("II*\0\x08\0\0\0\1\0\x69\x87\4\0\1\0\0\0\x08\0\0\0\x08\0\0\0"s);
  EXPECT_EQ(loop.format, "image");
  EXPECT_EQ(*loop.Find("image")->attrs.Find("type"), Value("tiff"));
}

// Work is limited by the structure's own size, whatever stands before it.
TEST(ImageFormatTest, SharedValuesOfExifAreLimited) {
  constexpr int kEntries = 8;
  std::string exif = "MM\0*\0\0\0\x08\0\x08"s;
  for (char i = 0; i < kEntries; ++i) exif += "\xC0"s + i + "\0\7\0\0\4\0\0\0\0\x80"s;
  exif.resize(128 + 1024);
  const View view = Parse(Png(Chunk("IDAT", std::string(100'000, 'p')) + Chunk("eXIf", exif)));
  ASSERT_EQ(view.diagnostics.size(), 1u);
  EXPECT_EQ(view.diagnostics[0].code, "limit_exceeded");
  EXPECT_EQ(view.record_count(), 1u + 3u);  // (2 * 1,152 + 1,024) / 1,024
}

// A text of more than 1 MiB is not shown, but inflating it is work: 16 times, not more.
TEST(ImageFormatTest, TextsThatAreNotShownCount) {
  const DeflatedContent large(std::make_shared<const std::string>(2 << 20, 'x'));
  const std::string chunk = Chunk("zTXt", "k\0\0\x78\x9C"s + large.compressed() + "sums");
  std::string chunks;
  for (int i = 0; i < 40; ++i) chunks += chunk;
  const View view = Parse(Png(chunks));
  ASSERT_EQ(view.diagnostics.size(), 1u);
  EXPECT_EQ(view.diagnostics[0].code, "limit_exceeded");
  EXPECT_EQ(view.record_count(), 1u + 15u);
  EXPECT_TRUE(view.Find("meta:png/k")->text.starts_with("compressed, not read: "));
}

TEST(ImageFormatTest, ReadOnly) {
  EXPECT_EQ(NewImageFormat()->Apply(Png(""), {}, Limits()).status().code(),
            ErrorCode::kUnsupportedEdit);
}

std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count));
  }
  return out;
}

TEST(ImageOracleTest, AgreesWithPillow) {
  const std::string root = testing::CorpusFolder();
  if (root.empty()) GTEST_SKIP() << "no corpus: 200 images of office files skipped";
  std::istringstream lines(testing::RunOracle("image_facts.py", root));
  std::map<std::string, size_t> seen;
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    const std::string json = line.substr(0, tab);
    const JsonTree tree = ParseJson(json, JsonSyntax::kDocument, Limits());
    ASSERT_TRUE(tree.is_complete());
    const Value facts = JsonToValue(json, tree, 0);
    const View view = Parse(FromBase64(std::string_view(line).substr(tab + 1)));
    ASSERT_EQ(view.format, "image") << line.substr(0, tab);
    const Record image = *view.Find("image");
    ++seen[std::string(facts.FindString("type"))];
    for (const char* name : {"type", "width", "height"}) {
      ASSERT_NE(image.attrs.Find(name), nullptr) << line.substr(0, tab);
      EXPECT_EQ(*image.attrs.Find(name), *facts.Find(name)) << line.substr(0, tab);
    }
    const Value* frames = image.attrs.Find("frames");
    EXPECT_EQ(frames == nullptr ? Value(1) : *frames, *facts.Find("frames")) << line.substr(0, tab);
    for (const char* source : {"exif", "png"}) {
      for (const auto& [name, text] : facts.Find(source)->as_object()) {
        const Result<Record> record = view.Find("meta:" + std::string(source) + "/" + name);
        ASSERT_TRUE(record.ok()) << name << line.substr(0, tab);
        EXPECT_EQ(record->text, text.as_string());
      }
    }
  }
  for (const char* type : {"png", "jpeg", "gif", "webp", "bmp", "tiff"}) {
    EXPECT_GE(seen[type], 4u) << type;
  }
  EXPECT_GT(seen["png"] + seen["jpeg"], 150u);
}

}  // namespace
}  // namespace staged
