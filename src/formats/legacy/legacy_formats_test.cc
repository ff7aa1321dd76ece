#include "formats/legacy/legacy_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/builtin_formats.h"
#include "formats/test_support.h"
#include "formats/xlsx/xlsx_test_support.h"

namespace staged {
namespace {

using ::testing::HasSubstr;

// Gives one workbook for everything, or an error.
class FakeConverter final : public OfficeConverter {
 public:
  explicit FakeConverter(Result<std::string> answer) : answer_(std::move(answer)) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& version() const override { return version_; }
  [[nodiscard]] Result<std::string> Convert(std::string_view bytes, std::string_view from,
                                            std::string_view to, const Limits&) const override {
    EXPECT_TRUE(bytes.starts_with("\x09\x08"));
    EXPECT_EQ(from, "xls");
    EXPECT_EQ(to, "xlsx");
    return answer_;
  }

 private:
  const Result<std::string> answer_;
  const std::string name_ = "fake";
  const std::string version_ = "7";
};

const std::string kOldBook = std::string("\x09\x08\x10\0\0\6", 6) + "old book";

View ViewOf(const std::shared_ptr<const OfficeConverter>& converter) {
  FormatRegistry registry = NewBuiltinRegistry();
  RegisterLegacyFormats(registry, converter);
  const Result<View> view = ParseView(registry, kOldBook, "a.xls", Limits());
  EXPECT_TRUE(view.ok());
  return view.ok() ? *view : View();
}

TEST(LegacyFormats, AreReadThroughTheConverterAndSaySo) {
  testing::WorkbookXml xml;
  xml.sheet_data = "<row r=\"1\"><c r=\"A1\"><v>42</v></c></row>";
  const View view = ViewOf(std::make_shared<FakeConverter>(testing::MakeWorkbook(xml)));
  EXPECT_EQ(view.format, "xls");
  EXPECT_EQ(view.fallback, "fake");
  EXPECT_THAT(view.parser.version, HasSubstr("fake-7"));
  EXPECT_EQ(view.hash, ContentHash::Of(kOldBook));
  EXPECT_EQ(view.Find("Sheet1!A1")->text, "42");
  ASSERT_EQ(view.parts.size(), 1U);
  EXPECT_EQ(view.parts[0].digest, view.hash);
  EXPECT_TRUE(view.parts[0].kinds.empty());
  ASSERT_FALSE(view.diagnostics.empty());
  EXPECT_EQ(view.diagnostics[0].code, "converted");
  view.ForEach([](const Record& record) {
    EXPECT_FALSE(record.span.has_value()) << record.locator;
    return true;
  });
}

TEST(LegacyFormats, WithoutAConverterSayWhatToInstall) {
  const View view = ViewOf(nullptr);
  EXPECT_EQ(view.format, "xls");
  EXPECT_EQ(view.fallback, "binary");
  ASSERT_EQ(view.diagnostics.size(), 1U);
  EXPECT_THAT(view.diagnostics[0].message, HasSubstr("apt-get install libreoffice-calc-nogui"));
}

TEST(LegacyFormats, AFileThatCannotBeConvertedIsBinaryButOneThatWasNotTriedHasNoView) {
  const View view =
      ViewOf(std::make_shared<FakeConverter>(Status(ErrorCode::kParseFailed, "it has a password")));
  EXPECT_EQ(view.fallback, "binary");
  EXPECT_EQ(view.diagnostics.at(0).message, "it has a password");
  FormatRegistry registry = NewBuiltinRegistry();
  RegisterLegacyFormats(registry,
                        std::make_shared<FakeConverter>(Status(ErrorCode::kIoError, "no memory")));
  EXPECT_EQ(ParseView(registry, kOldBook, "a.xls", Limits()).status().code(), ErrorCode::kIoError);
}

TEST(LegacyFormats, AreKnownByWhatTheyHold) {
  FormatRegistry registry = NewBuiltinRegistry();
  RegisterLegacyFormats(registry, nullptr);
  const auto detect = [&](std::string_view bytes, std::string_view path) {
    return registry.Detect(bytes, path).descriptor().name;
  };
  EXPECT_EQ(detect("{\\rtf1 text}", "a.doc"), "rtf");
  EXPECT_EQ(detect("plain text", "a.doc"), "text");
  EXPECT_EQ(detect(kOldBook, "unnamed"), "xls");
  const std::string broken = std::string("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") + "no more";
  EXPECT_EQ(detect(broken, "a.doc"), "binary");
  for (const std::string& path : testing::CorpusFiles("legacy")) {
    const std::string name = detect(testing::ReadFile(path), path);
    if (path.find("fuzz") != std::string::npos || path.ends_with("too_small.xls")) continue;
    EXPECT_TRUE(path.ends_with("." + name)) << path << " is " << name;
  }
}

TEST(LegacyFormats, AreOnlyRead) {
  FormatRegistry registry = NewBuiltinRegistry();
  RegisterLegacyFormats(registry, nullptr);
  for (const char* name : {"doc", "xls", "ppt", "rtf"}) {
    const Format* format = registry.Find(name);
    ASSERT_NE(format, nullptr);
    EXPECT_TRUE(format->descriptor().edit_ops.empty());
    EXPECT_FALSE(format->descriptor().profile.kinds.empty());
    const Status refused = format->Apply("", {}, Limits()).status();
    EXPECT_EQ(refused.code(), ErrorCode::kUnsupportedEdit);
    EXPECT_THAT(refused.message(), HasSubstr("save it as ."));
  }
}

}  // namespace
}  // namespace staged
