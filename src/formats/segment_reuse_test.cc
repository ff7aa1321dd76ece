#include <gtest/gtest.h>

#include <map>
#include <set>

#include "formats/builtin_formats.h"
#include "formats/test_support.h"

// A view after an edit costs what changed: segments of parts that did not change come from before.
namespace staged {
namespace {

struct Reuse {
  size_t files = 0;            // that took an edit
  size_t segments = 0;         // of their views after it
  size_t parsed = 0;           // of those, made anew
  size_t parsed_in_vain = 0;   // of those, of parts that have the bytes that they had
  size_t records_in_vain = 0;  // of those segments
  size_t records = 0;          // of all segments
};

// The bytes with another text in some record of that kind; "" where no record takes one.
std::string EditedSomewhere(const Format& format, const std::string& bytes,
                            const ParsedContent& content, const std::string& kind,
                            const std::string& argument, const Value& value) {
  constexpr int kTriesMax = 20;
  int tries = 0;
  for (const auto& segment : content.segments) {
    for (size_t i = 0; i < segment->record_count() && tries < kTriesMax; ++i) {
      const Record record = segment->At(i);
      if (record.kind != kind || record.text.empty() || !record.hidden.empty()) continue;
      ++tries;
      const Result<EditOutcome> outcome = format.Apply(
          bytes, {testing::MakeEdit("set", record.locator, {{argument, value}})}, Limits());
      if (outcome.ok()) return outcome->bytes;
    }
  }
  return "";
}

void ParseAgain(const Format& format, const std::string& file, const std::string& kind,
                const std::string& argument, const Value& value, Reuse& reuse) {
  const std::string bytes = testing::ReadFile(file);
  Result<ParsedContent> before = format.Parse(bytes, Limits(), {});
  if (!before.ok()) return;
  const std::string edited = EditedSomewhere(format, bytes, *before, kind, argument, value);
  if (edited.empty()) return;
  std::map<std::pair<std::string, ContentHash>, std::shared_ptr<const Segment>> known;
  std::set<const Segment*> old;
  for (const auto& segment : before->segments) {
    known[{segment->part(), segment->digest()}] = segment;
    old.insert(segment.get());
  }
  const SegmentSource source = [&](const std::string& part, const ContentHash& digest) {
    const auto found = known.find({part, digest});
    return found == known.end() ? nullptr : found->second;
  };
  Result<ParsedContent> after = format.Parse(edited, Limits(), source);
  ASSERT_TRUE(after.ok()) << file;
  // Reuse changes no record.
  Result<ParsedContent> fresh = format.Parse(edited, Limits(), {});
  ASSERT_TRUE(fresh.ok());
  ASSERT_EQ(fresh->segments.size(), after->segments.size()) << file;
  for (size_t i = 0; i < fresh->segments.size(); ++i) {
    const Segment& expected = *fresh->segments[i];
    const Segment& given = *after->segments[i];
    ASSERT_EQ(expected.record_count(), given.record_count()) << file;
    for (size_t record = 0; record < expected.record_count(); ++record) {
      ASSERT_EQ(expected.At(record), given.At(record)) << file << given.At(record).locator;
    }
  }
  ++reuse.files;
  std::map<std::string, ContentHash> parts;
  for (const Part& part : before->parts) parts[part.name] = part.digest;
  std::set<std::string> changed;
  for (const Part& part : after->parts) {
    if (parts[part.name] != part.digest) changed.insert(part.name);
  }
  for (const auto& segment : after->segments) {
    ++reuse.segments;
    reuse.records += segment->record_count();
    if (old.count(segment.get()) > 0) continue;
    ++reuse.parsed;
    if (changed.count(segment->part()) > 0) continue;
    ++reuse.parsed_in_vain;
    reuse.records_in_vain += segment->record_count();
  }
}

Reuse OfCorpus(const std::string& name, const std::string& kind, const std::string& argument,
               const Value& value) {
  const FormatRegistry registry = NewBuiltinRegistry();
  Reuse reuse;
  constexpr size_t kFilesMax = 60;
  constexpr size_t kFileBytesMax = 400'000;
  for (const std::string& file : testing::CorpusFiles(name)) {
    if (!file.ends_with("." + name) || std::filesystem::file_size(file) > kFileBytesMax) continue;
    ParseAgain(*registry.Find(name), file, kind, argument, value, reuse);
    if (reuse.files == kFilesMax) break;
  }
  std::printf(
      "%s: %zu files; of %zu segments %zu parsed again, %zu of them in vain; of %zu "
      "records %zu in vain\n",
      name.c_str(), reuse.files, reuse.segments, reuse.parsed, reuse.parsed_in_vain, reuse.records,
      reuse.records_in_vain);
  return reuse;
}

// What is parsed again though its own bytes are the same: defined names; sheets that give cause for
// complaint; comments by their anchors; notes by their slide; a notebook's metadata, which move.
void ExpectLittleInVain(const Reuse& reuse, size_t files_min) {
  EXPECT_GE(reuse.files, files_min);
  EXPECT_LT(reuse.parsed, reuse.segments);
  EXPECT_LE(reuse.parsed_in_vain, reuse.files);
  EXPECT_LE(reuse.records_in_vain * 4, reuse.records);
}

class SegmentReuseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::CorpusFolder().empty()) GTEST_SKIP() << "no corpus: 200 files skipped";
  }
};

TEST_F(SegmentReuseTest, WorkbooksBySheet) {
  for (const Value& value : {Value(5217), Value("another text")}) {
    const Reuse reuse = OfCorpus("xlsx", "cell", "value", value);
    ExpectLittleInVain(reuse, 50);
    EXPECT_LE(reuse.parsed_in_vain * 5, reuse.files);
  }
}

TEST_F(SegmentReuseTest, DocumentsByPart) {
  ExpectLittleInVain(OfCorpus("docx", "paragraph", "text", "another text"), 50);
}

TEST_F(SegmentReuseTest, PresentationsBySlide) {
  ExpectLittleInVain(OfCorpus("pptx", "paragraph", "text", "another text"), 15);
}

TEST_F(SegmentReuseTest, NotebooksByCell) {
  ExpectLittleInVain(OfCorpus("ipynb", "cell", "text", "another text"), 30);
}

}  // namespace
}  // namespace staged
