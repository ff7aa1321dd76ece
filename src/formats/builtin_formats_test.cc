#include "formats/builtin_formats.h"

#include <gtest/gtest.h>

#include <ctime>
#include <set>

#include "formats/test_support.h"
#include "record/segments.h"
#include "staged/ext/apply_edits.h"

namespace staged {
namespace {

using testing::ReadFile;

struct EditCase {
  const char* path;
  const char* bytes;
  const char* op;
  const char* locator;
  const char* argument;
};

// Result code of the case's edit with `text`.
ErrorCode EditedWith(const EditCase& one, std::string text) {
  const FormatRegistry registry = NewBuiltinRegistry();
  const Edit edit =
      testing::MakeEdit(one.op, one.locator, {{one.argument, Value(std::move(text))}});
  const Result<EditOutcome> outcome = ApplyEdits(registry, one.bytes, one.path, {edit}, Limits());
  if (!outcome.ok()) return outcome.status().code();
  EXPECT_EQ(registry.Detect(outcome->bytes, one.path).descriptor().name,
            registry.Detect(one.bytes, one.path).descriptor().name);
  return ErrorCode::kOk;
}

TEST(ApplyEditsTest, NoTextFileBecomesBinary) {
  const std::string nul("a\0b", 3);
  const std::string controls(20, '\x01');
  for (const EditCase& one : std::initializer_list<EditCase>{
           {"a.csv", "region,units\nEast,7\n", "set", "r:2/c:units", "value"},
           {"a.txt", "one\ntwo\n", "replace", "line:1", "text"},
           {"a.md", "# One\n\ntwo\n", "replace", "block:2", "text"},
           {"a.py", "one = 1\n", "replace", "line:1", "text"},
           {"a.json", "{\"a\": 1}\n", "set", "/a", "value"}}) {
    EXPECT_EQ(EditedWith(one, "plain"), ErrorCode::kOk) << one.path;
    // JSON spells control characters as escapes.
    const ErrorCode expected =
        one.path == std::string("a.json") ? ErrorCode::kOk : ErrorCode::kUnsupportedEdit;
    EXPECT_EQ(EditedWith(one, nul), expected) << one.path;
    EXPECT_EQ(EditedWith(one, controls), expected) << one.path;
  }
}

TEST(ApplyEditsTest, AScriptMayBecomePlainText) {
  const FormatRegistry registry = NewBuiltinRegistry();
  const std::string script = "#!/usr/bin/env python3\nprint(1)\n";
  EXPECT_NE(registry.Detect(script, "run").descriptor().name, "text");
  EXPECT_TRUE(
      ApplyEdits(registry, script, "run", {testing::MakeEdit("delete", "line:1")}, Limits()).ok());
}

// Every real and hostile file has a view, soon, whose records have kinds that its profile or its
// fallback knows and whose segments survive their encoding.
TEST(CorpusSweepTest, EveryFileHasAView) {
  const FormatRegistry registry = NewBuiltinRegistry();
  size_t files = 0;
  for (const std::string& file : testing::CorpusFiles("")) {
    const std::string bytes = ReadFile(file);
    const std::clock_t begin = std::clock();
    const Result<View> view = ParseView(registry, bytes, file, Limits());
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    ASSERT_TRUE(view.ok()) << file << ": " << view.status().message();
    EXPECT_LT(seconds, 20) << file;
    EXPECT_FALSE(view->parts.empty()) << file;
    for (const auto& segment : view->segments) {
      const Result<std::shared_ptr<const Segment>> decoded = DecodeSegment(segment->Encode());
      ASSERT_TRUE(decoded.ok()) << file;
      EXPECT_EQ((*decoded)->digest(), segment->digest());
      ASSERT_EQ((*decoded)->record_count(), segment->record_count()) << file;
      size_t index = 0;
      segment->ForEach([&](const Record& record) {
        const bool is_sampled = index % 97 == 0;
        if (is_sampled) {
          EXPECT_EQ((*decoded)->At(index), record) << file;
        }
        ++index;
        return true;
      });
      EXPECT_EQ(index, segment->record_count()) << file;
    }
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no corpus: all files skipped";
  EXPECT_GT(files, 1000u);
}

// Cut at any place and with any byte changed, a text file still has a view and takes or refuses an
// edit.
TEST(CorpusSweepTest, DamagedTextsHaveViews) {
  const FormatRegistry registry = NewBuiltinRegistry();
  size_t views = 0;
  uint32_t seed = 20'261'130;
  const auto next = [&seed] { return seed = seed * 1'664'525 + 1'013'904'223; };
  for (const char* folder : {"json", "csv", "md"}) {
    for (const std::string& file : testing::CorpusFiles(folder)) {
      std::string bytes = ReadFile(file);
      if (bytes.size() > 50'000) continue;
      for (int round = 0; round < 8; ++round) {
        std::string damaged = bytes.substr(0, bytes.empty() ? 0 : next() % bytes.size());
        for (int i = 0; i < 3 && !damaged.empty(); ++i) {
          damaged[next() % damaged.size()] = static_cast<char>(next() >> 24);
        }
        const Result<View> view = ParseView(registry, damaged, file, Limits());
        ASSERT_TRUE(view.ok()) << file << " seed 20261130";
        const std::vector<Record> records = view->Records();
        std::set<std::string> seen;
        for (const Record& record : records) {
          ASSERT_TRUE(seen.insert(record.locator).second)
              << file << ": " << record.locator << " seed 20261130";
        }
        const Edit edit =
            testing::MakeEdit("set", records[next() % records.size()].locator, {{"value", "x"}});
        const Result<EditOutcome> outcome =
            registry.Find(view->format)->Apply(damaged, {edit}, Limits());
        if (!outcome.ok()) {
          EXPECT_FALSE(outcome.status().message().empty());
        }
        ++views;
      }
    }
  }
  if (views == 0) GTEST_SKIP() << "no corpus: all files skipped";
}

}  // namespace
}  // namespace staged
