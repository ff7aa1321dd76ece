#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "formats/pdf/pdf_test_support.h"

namespace staged {
namespace {

using testing::CorpusFiles;
using testing::ReadFile;

using Bag = std::map<std::string, int64_t>;

void AddWords(const std::string& text, Bag& bag) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    if (end > at) ++bag[text.substr(at, end - at)];
    at = end + 1;
  }
}

// How many words of `of` are not in `in`.
int64_t Missing(const Bag& of, const Bag& in) {
  int64_t missing = 0;
  for (const auto& [word, count] : of) {
    const auto found = in.find(word);
    missing += std::max<int64_t>(0, count - (found == in.end() ? 0 : found->second));
  }
  return missing;
}

// Where the two read letters apart: right-to-left text, whose words PDFium puts together in another
// order, and Arabic glyphs that the font maps to several characters.
bool IsOfAnotherScript(const std::string& path) {
  return path.find("right_to_left_") != std::string::npos ||
         path.find("ThuluthFeatures") != std::string::npos;
}

struct Difference {
  int64_t words = 0;
  int64_t missing = 0;  // words of pdftotext that are in no record
  int64_t more = 0;     // words of blocks that pdftotext does not have
};

Difference Compare(const testing::OracleFile& file) {
  Bag theirs;
  for (const std::string& text : file.texts) AddWords(text, theirs);
  const View view = testing::ParsePdfBytes(ReadFile(file.path));
  Bag blocks;
  for (const std::string& text : testing::TextsOf(view, "block")) AddWords(text, blocks);
  // pdftotext reads what annotations and fields look like, too; here they are records of their own.
  Bag all = blocks;
  view.ForEach([&](const Record& record) {
    if (record.kind != "annotation" && record.kind != "field") return true;
    AddWords(record.text, all);
    if (const Value* options = record.attrs.Find("options")) {
      for (const Value& option : options->as_array()) AddWords(option.as_string(), all);
    }
    return true;
  });
  return {static_cast<int64_t>(file.texts.size()), Missing(theirs, all), Missing(blocks, theirs)};
}

// The words of every real file that pdftotext reads are those of our records.
TEST(PdfOracleTest, WordsAreThoseOfPdftotext) {
  Difference sum;
  Difference others;
  size_t files = 0;
  for (const testing::OracleFile& file : testing::OracleTexts("pdf_words.py", "pdf")) {
    if (file.path.empty()) continue;
    ++files;
    const Difference here = Compare(file);
    Difference& total = IsOfAnotherScript(file.path) ? others : sum;
    total.words += here.words;
    total.missing += here.missing;
    total.more += here.more;
    if (here.missing + here.more == 0) continue;
    std::printf("%s: %d words, %d missing, %d more\n",
                file.path.substr(file.path.rfind('/') + 1).c_str(), static_cast<int>(here.words),
                static_cast<int>(here.missing), static_cast<int>(here.more));
  }
  if (files == 0) GTEST_SKIP() << testing::kNoCorpus;
  EXPECT_GT(files, 60U);
  EXPECT_LT(sum.missing, sum.words * 15 / 1000) << "of " << sum.words;
  EXPECT_LT(sum.more, sum.words * 15 / 1000) << "of " << sum.words;
  EXPECT_LT(others.missing, others.words);
}

}  // namespace
}  // namespace staged
