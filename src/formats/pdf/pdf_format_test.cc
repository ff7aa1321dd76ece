#include "formats/pdf/pdf_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <thread>

#include "codec/zip.h"
#include "formats/pdf/pdf_test_support.h"

namespace staged {
namespace {

using testing::CodesOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePagedPdf;
using ::testing::Not;
using testing::ParsePdfBytes;
using testing::PdfStream;
using testing::TextAt;
using testing::TextsOf;

Record Find(const View& view, const std::string& locator) {
  const Result<Record> record = view.Find(locator);
  EXPECT_TRUE(record.ok()) << locator;
  return record.ok() ? *record : Record();
}

std::vector<double> NumbersOf(const Value* value) {
  std::vector<double> numbers;
  if (value == nullptr || !value->is_array()) return numbers;
  for (const Value& number : value->as_array()) numbers.push_back(number.as_double());
  return numbers;
}

std::vector<double> NumbersOf(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

// A paragraph of `lines`, each `leading` below the other.
std::string Paragraph(double x, double y, const std::vector<std::string>& lines,
                      double leading = 14) {
  std::string content;
  for (size_t i = 0; i < lines.size(); ++i) {
    content += TextAt(x, y - leading * static_cast<double>(i), lines[i]);
  }
  return content;
}

TEST(PdfFormatTest, BlocksAreParagraphsWithBoxesOfTheirLinesAndWords) {
  const View view =
      ParsePdfBytes(MakePagedPdf({TextAt(72, 720, "Quarterly report", 20) +
                                  Paragraph(72, 680, {"Revenue grew in all", "regions but West."}) +
                                  Paragraph(72, 620, {"East stays ahead."})}));
  EXPECT_THAT(TextsOf(view, "block"),
              ElementsAre("Quarterly report", "Revenue grew in all regions but West.",
                          "East stays ahead."));
  EXPECT_THAT(testing::UnsoundLocators(view), IsEmpty());
  const Record block = Find(view, "page:1/block:2");
  EXPECT_EQ(block.parent, "page:1");
  EXPECT_EQ(block.attrs.FindString("font"), "Helvetica");
  EXPECT_EQ(block.attrs.Find("size")->as_double(), 12);
  const Value::Array& lines = block.attrs.Find("lines")->as_array();
  ASSERT_EQ(lines.size(), 2U);
  const std::vector<double> line = NumbersOf(lines[1].as_string());
  ASSERT_EQ(line.size(), 5 + 2 * 3U);
  EXPECT_EQ(line[0], 20);
  EXPECT_EQ(block.text.substr(20), "regions but West.");
  const std::vector<double> words(line.begin() + 5, line.end());
  EXPECT_NEAR(words[0], 72, 1);
  // The advance widths of "regions " in Helvetica, in thousandths of the size.
  EXPECT_NEAR(words[2] - words[0], 12 * (333 + 4 * 556 + 222 + 500 + 278) / 1000.0, 0.2);
  EXPECT_GT(792 - 666, line[2]);  // the base line stands between the edges
  EXPECT_LT(792 - 666, line[4]);
  const std::vector<double> box = NumbersOf(block.attrs.Find("box"));
  EXPECT_EQ(box[3], line[4]);
}

TEST(PdfFormatTest, ColumnsAreReadOneAfterTheOther) {
  const std::vector<std::string> left = {"Left one is the first line here",
                                         "left two goes on for a",
                                         "left three ends this column so"};
  const std::vector<std::string> right = {"Right one is the first line there",
                                          "right two goes on as well as",
                                          "right three ends it all now"};
  std::string content =
      TextAt(72, 750, "A heading above both of the columns on the whole page", 16);
  // Drawn row by row, as some programs do.
  for (size_t i = 0; i < left.size(); ++i) {
    const double y = 700 - 14 * static_cast<double>(i);
    content += TextAt(72, y, left[i]) + TextAt(320, y, right[i]);
  }
  content += TextAt(72, 600, "One line below both.");
  const View view = ParsePdfBytes(MakePagedPdf({content}));
  EXPECT_THAT(TextsOf(view, "block"),
              ElementsAre("A heading above both of the columns on the whole page",
                          left[0] + " " + left[1] + " " + left[2],
                          right[0] + " " + right[1] + " " + right[2], "One line below both."));
}

TEST(PdfFormatTest, TablesAreReadByRow) {
  std::string content;
  const std::vector<std::vector<std::string>> rows = {{"Region", "July", "August"},
                                                      {"North", "12", "14"},
                                                      {"West", "9", "7"},
                                                      {"East", "21", "25"}};
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t column = 0; column < rows[row].size(); ++column) {
      content += TextAt(72 + 120.0 * static_cast<double>(column),
                        700 - 16 * static_cast<double>(row), rows[row][column]);
    }
  }
  const View view = ParsePdfBytes(MakePagedPdf({content}));
  EXPECT_THAT(TextsOf(view, "block"),
              ElementsAre("Region\tJuly\tAugust\nNorth\t12\t14\nWest\t9\t7\nEast\t21\t25"));
  EXPECT_TRUE(Find(view, "page:1/block:1").attrs.Find("table")->as_bool());
}

TEST(PdfFormatTest, BoxesAreThoseOfTheRotatedPage) {
  // Turned clockwise by 90 degrees, the text at the lower left runs down from the upper left.
  const View view =
      ParsePdfBytes(MakePagedPdf({TextAt(10, 10, "Turned")}, "/Rotate 90 /CropBox [0 0 400 600]"));
  const Record page = Find(view, "page:1");
  EXPECT_EQ(page.attrs.Find("rotation")->as_integer(), 90);
  EXPECT_EQ(page.attrs.Find("width")->as_double(), 600);
  EXPECT_EQ(page.attrs.Find("height")->as_double(), 400);
  const Record block = Find(view, "page:1/block:1");
  EXPECT_EQ(block.attrs.Find("angle")->as_integer(), 270);
  const std::vector<double> box = NumbersOf(block.attrs.Find("box"));
  ASSERT_EQ(box.size(), 4U);
  EXPECT_NEAR(box[1], 10, 1);
  EXPECT_LT(box[0], 10);
  EXPECT_GT(box[3] - box[1], box[2] - box[0]);
}

TEST(PdfFormatTest, WhatAReaderDoesNotSeeIsHidden) {
  const View view = ParsePdfBytes(MakePagedPdf(
      {TextAt(72, 700, "Seen.") + "3 Tr\n" + TextAt(72, 600, "Under the scan.") + "0 Tr\n" +
       TextAt(72, -300, "Below the page.")},
      "/Annots [6 0 R 7 0 R]", "",
      {"<< /Type /Annot /Subtype /Text /Rect [10 10 30 30] /Contents (Check this) /T (Ada) /F 2 >>",
       "<< /Type /Annot /Subtype /Highlight /Rect [70 695 110 715] /Contents (Good) /NM (n1) >>"}));
  for (const auto& [text, reason] : {std::pair{"Seen.", ""},
                                     {"Under the scan.", "invisible text"},
                                     {"Below the page.", "off the page"},
                                     {"Check this", "hidden annotation"},
                                     {"Good", ""}}) {
    bool found = false;
    view.ForEach([&](const Record& record) {
      if (record.text == text) {
        found = true;
        EXPECT_EQ(record.hidden, reason) << text;
      }
      return true;
    });
    EXPECT_TRUE(found) << text;
  }
  const Record note = Find(view, "page:1/annotation:1");
  EXPECT_EQ(note.attrs.FindString("author"), "Ada");
  EXPECT_EQ(note.attrs.FindString("type"), "Text");
  const Record highlight = Find(view, "page:1/annotation:2");
  EXPECT_EQ(highlight.attrs.FindString("quote"), "Seen.");
  EXPECT_EQ(highlight.key, "n1");
}

TEST(PdfFormatTest, DocumentHasOutlineLinksFieldsLabelsAndProperties) {
  const View view = ParsePdfBytes(MakePagedPdf(
      {TextAt(72, 700, "One"), TextAt(72, 700, "Two")}, "/Annots [9 0 R 10 0 R 11 0 R]",
      "/Outlines 8 0 R /PageLabels << /Nums [0 << /S /r >> 1 << /S /D /P (A-) >>] >> "
      "/AcroForm << /Fields [11 0 R] /DA (/F1 0 Tf) >>",
      {"<< /Type /Outlines /First 12 0 R /Last 12 0 R /Count 1 >>",
       "<< /Type /Annot /Subtype /Link /Rect [70 695 110 715] /A << /S /URI /URI "
       "(https://example.org/a) >> >>",
       "<< /Type /Annot /Subtype /Link /Rect [0 0 5 5] /Dest [6 0 R /Fit] >>",
       "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /TU (Your name) /Rect [10 10 "
       "90 "
       "30] /Ff 2 >>",
       "<< /Title (First \\(part\\)) /Parent 8 0 R /Dest [6 0 R /Fit] /First 13 0 R /Last 13 0 R "
       "/Count 1 >>",
       "<< /Title <FEFF00C400DF> /Parent 12 0 R /A << /S /URI /URI (https://example.org/b) >> >>",
       "<< /Title (A report) /Author (Grace) >>"},
      "/Info 14 0 R"));
  EXPECT_EQ(Find(view, "outline:1").text, "First (part)");
  EXPECT_EQ(Find(view, "outline:1").attrs.Find("page")->as_integer(), 2);
  EXPECT_EQ(Find(view, "outline:2").text, "Äß");
  EXPECT_EQ(Find(view, "outline:2").parent, "outline:1");
  EXPECT_EQ(Find(view, "outline:2").attrs.FindString("uri"), "https://example.org/b");
  EXPECT_EQ(Find(view, "page:1/link:1").attrs.FindString("uri"), "https://example.org/a");
  EXPECT_EQ(Find(view, "page:1/link:1").text, "One");
  EXPECT_EQ(Find(view, "page:1/link:2").attrs.Find("page")->as_integer(), 2);
  const Record field = Find(view, "field:name");
  EXPECT_EQ(field.text, "Ada");
  EXPECT_EQ(field.attrs.FindString("type"), "text");
  EXPECT_EQ(field.attrs.FindString("label"), "Your name");
  EXPECT_TRUE(field.attrs.Find("required")->as_bool());
  EXPECT_EQ(field.attrs.Find("page")->as_integer(), 1);
  EXPECT_EQ(Find(view, "page:1").attrs.FindString("label"), "i");
  EXPECT_EQ(Find(view, "page:2").attrs.FindString("label"), "A-1");
  EXPECT_EQ(Find(view, "prop:Title").text, "A report");
  EXPECT_EQ(Find(view, "prop:Author").text, "Grace");
  EXPECT_EQ(Find(view, "document").attrs.FindString("version"), "1.7");
  EXPECT_THAT(testing::UnsoundLocators(view), IsEmpty());
}

TEST(PdfFormatTest, ImagesAndAttachmentsHaveDigests) {
  const std::string pixels = "\x10\x20\x30\x40";
  const auto make = [&](const std::string& data, const std::string& file) {
    return MakePagedPdf(
        {"q 500 0 0 700 50 50 cm /I Do Q"}, "/Resources << /XObject << /I 6 0 R >> >>",
        "/Names << /EmbeddedFiles << /Names [(data.csv) 7 0 R] >> >>",
        {PdfStream(data,
                   "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray "
                   "/BitsPerComponent 8"),
         "<< /Type /Filespec /F (data.csv) /UF (data.csv) /EF << /F 8 0 R >> >>",
         PdfStream(file, "/Type /EmbeddedFile")});
  };
  const View view = ParsePdfBytes(make(pixels, "a,b\n"));
  const Record image = Find(view, "page:1/image:1");
  EXPECT_EQ(image.attrs.FindString("digest"), ContentHash::Of(pixels).ToString());
  EXPECT_EQ(image.attrs.Find("width")->as_integer(), 2);
  EXPECT_THAT(NumbersOf(image.attrs.Find("box")), ElementsAre(50, 42, 550, 742));
  const Record file = Find(view, "attachment:data.csv");
  EXPECT_EQ(file.attrs.FindString("digest"), ContentHash::Of("a,b\n").ToString());
  EXPECT_EQ(file.attrs.Find("size_bytes")->as_integer(), 4);
  EXPECT_EQ(file.hidden, "attached file");
  // An image that fills a page without text is said to be one.
  EXPECT_THAT(CodesOf(view), Contains("no_text"));
  EXPECT_TRUE(Find(view, "page:1").attrs.Find("scan")->as_bool());
  const View other = ParsePdfBytes(make("\x10\x20\x30\x41", "a,c\n"));
  EXPECT_NE(Find(other, "page:1/image:1").attrs.FindString("digest"),
            image.attrs.FindString("digest"));
}

TEST(PdfFormatTest, PagesThatAreTheSameShareTheirSegments) {
  const std::string one = TextAt(72, 700, "Same page");
  const View before = ParsePdfBytes(MakePagedPdf({one, TextAt(72, 700, "before")}));
  const View after = ParsePdfBytes(MakePagedPdf({one, TextAt(72, 700, "after")}));
  ASSERT_EQ(before.segments.size(), 3U);
  EXPECT_EQ(before.segments[1]->digest(), after.segments[1]->digest());
  EXPECT_NE(before.segments[2]->digest(), after.segments[2]->digest());
  EXPECT_NE(before.parts[0].digest, after.parts[0].digest);
}

TEST(PdfFormatTest, EditsAreRefusedWithAHint) {
  const auto format = NewPdfFormat();
  EXPECT_THAT(format->descriptor().edit_ops, IsEmpty());
  const std::string bytes = MakePagedPdf({TextAt(72, 700, "One")});
  const std::string answer = testing::ApplyEdits(
      *format, bytes, {testing::MakeEdit("set", "page:1/block:1", {{"text", "Two"}})});
  EXPECT_THAT(answer, HasSubstr("unsupported_edit"));
  EXPECT_THAT(answer, HasSubstr("read only"));
}

TEST(PdfFormatTest, ContentSaysWhatIsAPdf) {
  const auto format = NewPdfFormat();
  const std::string bytes = MakePagedPdf({""});
  EXPECT_EQ(format->Sniff(bytes, "bin"), 100);
  EXPECT_EQ(format->Sniff("junk\n" + bytes, "bin"), 95);
  EXPECT_EQ(format->Sniff("a program that prints %PDF-1.7", "c"), 0);
  EXPECT_EQ(format->Sniff("", "pdf"), 50);
  EXPECT_FALSE(format->Parse("", Limits(), {}).ok());
  EXPECT_FALSE(format->Parse("%PDF-1.7", Limits(), {}).ok());
}

TEST(PdfLimitsTest, PagesThatDoNotEndAreCutAndTheOthersAreRead) {
  // Each form draws the next one ten times: 10^12 drawings.
  std::vector<std::string> forms;
  std::string draw;
  for (int i = 0; i < 10; ++i) draw += "/X Do ";
  for (int i = 0; i < 12; ++i) {
    const std::string next = std::to_string(9 + i);
    forms.push_back(PdfStream(i == 11 ? TextAt(1, 1, "x") : draw,
                              "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << "
                              "/XObject << /X " +
                                  next + " 0 R >> /Font << /F1 3 0 R >> >>"));
  }
  const std::string bytes =
      MakePagedPdf({"/X Do", TextAt(72, 700, "Still here")},
                   "/Resources << /XObject << /X 8 0 R >> /Font << /F1 3 0 R >> >>", "", forms);
  const View view = ParsePdfBytes(bytes);
  EXPECT_THAT(TextsOf(view, "block"), Contains("Still here"));
  EXPECT_THAT(CodesOf(view), Contains("limit_exceeded"));
}

TEST(PdfLimitsTest, RecordsAndMemoryAreBounded) {
  const auto format = NewPdfFormat();
  const std::string bytes = MakePagedPdf(std::vector<std::string>(20, TextAt(72, 700, "One")));
  Limits few;
  few.records_max = 10;
  const Result<ParsedContent> cut = format->Parse(bytes, few, {});
  ASSERT_TRUE(cut.ok());
  size_t records = 0;
  for (const auto& segment : cut->segments) records += segment->record_count();
  EXPECT_EQ(records, 10U);
  EXPECT_EQ(cut->diagnostics.back().code, "limit_exceeded");
  Limits small;
  small.expanded_bytes_max = 1 << 20;
  const Result<ParsedContent> refused = format->Parse(bytes, small, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ErrorCode::kLimitExceeded);
}

TEST(PdfLimitsTest, LinksQuoteNoMoreThanTheBeginningOfWhatTheyCover) {
  std::string words;
  for (int i = 0; i < 600; ++i) words += "1 0 0 1 5 " + std::to_string(i + 9) + " Tm (ab) Tj\n";
  const View view = ParsePdfBytes(MakePagedPdf(
      {"BT /F1 1 Tf\n" + words + "ET"}, "/Annots [6 0 R]", "",
      {"<< /Type /Annot /Subtype /Link /Rect [0 0 612 792] /A << /S /URI /URI (https://a.org) >> "
       ">>"}));
  std::string quote = "ab";
  while (quote.size() < 1'000) quote += " ab";
  EXPECT_THAT(TextsOf(view, "link"), ElementsAre(quote.substr(0, 1'000)));
}

// As many as would take all of a page's steps if each were compared with each other.
TEST(PdfLimitsTest, PagesOfManyFragmentsAreReadInTheOrderOfDrawing) {
  constexpr int kFragments = 80'000;
  std::string content = "BT /F1 1 Tf\n";
  for (int i = 0; i < kFragments; ++i) {
    content += "1 0 0 1 " + std::to_string(i % 100 * 6) + " " + std::to_string(i / 100 % 780) +
               " Tm (a) Tj\n";
  }
  const View view = ParsePdfBytes(MakePagedPdf({content + "ET"}));
  EXPECT_THAT(CodesOf(view), IsEmpty());
  size_t letters = 0;
  for (const std::string& text : TextsOf(view, "block")) {
    letters += static_cast<size_t>(std::count(text.begin(), text.end(), 'a'));
  }
  EXPECT_EQ(letters, size_t{kFragments});
}

// A stream that takes more memory than `TightLimits` leave a parser.
std::string MemoryBomb(const std::string& entries) {
  return PdfStream("\x78\x01" + ZipDeflate(std::string(96 << 20, 'x')),
                   "/Filter /FlateDecode " + entries);
}
Limits TightLimits() {
  Limits limits;
  limits.expanded_bytes_max = 80 << 20;
  return limits;
}
std::vector<std::string> TextsOf(const ParsedContent& content, const std::string& kind) {
  std::vector<std::string> texts;
  for (const auto& segment : content.segments) {
    segment->ForEach([&](const Record& record) {
      if (record.kind == kind) texts.push_back(record.text);
      return true;
    });
  }
  return texts;
}
std::vector<std::string> LocatorsOf(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> locators;
  for (const Diagnostic& diagnostic : diagnostics) {
    locators.push_back(diagnostic.code + " " + diagnostic.locator);
  }
  return locators;
}

TEST(PdfLimitsTest, PagesAreReadThoughTheRestOfTheDocumentIsTooMuch) {
  const std::string bytes = MakePagedPdf({TextAt(72, 700, "Still here")}, "",
                                         "/Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>",
                                         {"<< /Type /Filespec /F (a) /UF (a) /EF << /F 7 0 R >> >>",
                                          MemoryBomb("/Type /EmbeddedFile")});
  const Result<ParsedContent> parsed = NewPdfFormat()->Parse(bytes, TightLimits(), {});
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_THAT(TextsOf(*parsed, "block"), ElementsAre("Still here"));
  EXPECT_THAT(LocatorsOf(parsed->diagnostics), ElementsAre("limit_exceeded document"));
}

TEST(PdfLimitsTest, FieldsThatCannotBeReadAreLeftOut) {
  const std::string bytes =
      MakePagedPdf({TextAt(72, 700, "Still here")}, "/Annots [6 0 R 7 0 R]",
                   "/AcroForm << /Fields [6 0 R 7 0 R] /DA (/F1 0 Tf) >>",
                   {"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [9 9 90 30] "
                    ">>",
                    "<< /Type /Annot /Subtype /Widget /FT /Tx /T (rest) /V 8 0 R /Rect [9 40 90 "
                    "60] >>",
                    MemoryBomb("")});
  const Result<ParsedContent> parsed = NewPdfFormat()->Parse(bytes, TightLimits(), {});
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_THAT(TextsOf(*parsed, "field"), ElementsAre("Ada"));
  EXPECT_THAT(LocatorsOf(parsed->diagnostics), ElementsAre("limit_exceeded page:1"));
}

// Bytes changed at random, and cut at any place.
TEST(PdfLimitsTest, DamagedFilesHaveViewsOrClearErrors) {
  const std::string whole = MakePagedPdf({TextAt(72, 700, "One"), TextAt(72, 700, "Two")});
  const auto format = NewPdfFormat();
  uint32_t seed = 20'261'201;
  size_t answers = 0;
  for (int round = 0; round < 60; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 6; ++i) {
      seed = seed * 1'664'525 + 1'013'904'223;
      damaged[(seed >> 8) % damaged.size()] = static_cast<char>(seed >> 24);
    }
    if (round % 3 == 0) damaged.resize(damaged.size() * static_cast<size_t>(round) / 60);
    const Result<ParsedContent> parsed = format->Parse(damaged, Limits(), {});
    if (!parsed.ok()) {
      EXPECT_FALSE(parsed.status().message().empty()) << "seed 20261201";
    }
    ++answers;
  }
  EXPECT_EQ(answers, 60U);
}

TEST(PdfThreadsTest, EachThreadHasPdfiumToItself) {
  const std::string first = MakePagedPdf(std::vector<std::string>(30, TextAt(72, 700, "First")));
  const std::string second = MakePagedPdf(std::vector<std::string>(30, TextAt(72, 700, "Second")));
  const size_t expected = TextsOf(ParsePdfBytes(first), "block").size();
  std::vector<std::thread> threads;
  std::vector<std::vector<std::string>> texts(4);
  for (size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) {
        texts[i] = TextsOf(ParsePdfBytes(i % 2 == 0 ? first : second), "block");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i].size(), expected);
    EXPECT_THAT(texts[i], ::testing::Each(i % 2 == 0 ? "First" : "Second"));
  }
}

}  // namespace
}  // namespace staged
