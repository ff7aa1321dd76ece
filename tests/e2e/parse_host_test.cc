// Parsers of hostile bytes in worker processes: what they do there stays there.

#include "parse_host/parse_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/test_corpus.h"
#include "formats/builtin_formats.h"
#include "formats/pdf/pdf_test_support.h"
#include "record/segments.h"
#include "tests/e2e/parse_worker/misbehaving_formats.h"

namespace staged {
namespace {

using ::testing::HasSubstr;

// A sanitizer's shadow memory and calls are what a confined worker is denied.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STAGED_IS_INSTRUMENTED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STAGED_IS_INSTRUMENTED 1
#endif

class ParseHostTest : public ::testing::Test {
 protected:
#if defined(STAGED_IS_INSTRUMENTED)
  void SetUp() override {
    GTEST_SKIP() << "workers that are built with a sanitizer cannot be confined";
  }
#endif
  ParseHostOptions OptionsOfTest() {
    ParseHostOptions options;
    options.worker_command = {STAGED_BINARY_DIR "/misbehaving_parse_worker"};
    options.request_ns_max = int64_t{20} * 1'000'000'000;
    return options;
  }
  Result<std::string> TextOf(ParseHost& host, const std::string& format, std::string_view bytes,
                             const SegmentSource& reuse = {}) {
    STAGED_ASSIGN_OR_RETURN(const ParsedContent parsed, host.Parse(format, bytes, {}, reuse));
    return parsed.segments.at(0)->At(0).text;
  }
};

TEST_F(ParseHostTest, AnswersWhatTheParserAnswers) {
  ParseHost host(OptionsOfTest());
  for (const std::string& text : {std::string("one"), std::string(300000, 'x'), std::string()}) {
    const auto parsed = TextOf(host, "lines", text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(*parsed, text);
  }
}

TEST_F(ParseHostTest, AParserMayHaveThreads) {
  ParseHost host(OptionsOfTest());
  const std::string text = std::string(100, 'x') + "y";
  for (int round = 0; round < 3; ++round) {
    const auto parsed = TextOf(host, "threads", text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(*parsed, text);
  }
}

TEST_F(ParseHostTest, LargeBodiesGoBothWaysAndComeWhole) {
  ParseHost host(OptionsOfTest());
  for (const size_t bytes : {kSharedBodyBytesMin - 1, kSharedBodyBytesMin, size_t{5'000'001}}) {
    const auto parsed = TextOf(host, "lines", std::string(bytes, 'x'));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(parsed->size(), bytes);
    const auto outcome = host.Apply("lines", std::string(bytes, 'x'), {{"d", "", {}, {}}}, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(outcome->bytes, std::string(bytes, 'x') + "d");
  }
}

TEST_F(ParseHostTest, OneThatWasGotReadyIsUsed) {
  ParseHost host(OptionsOfTest());
  host.Prepare();
  EXPECT_EQ(TextOf(host, "lines", "bytes").value(), "bytes");
}

// Workers that answer what no worker of ours does.
TEST_F(ParseHostTest, WhatAWorkerSharesIsNotTrusted) {
  const std::pair<const char*, size_t> lies[] = {
      {"shares_nothing", 10}, {"shares_less", 100'000}, {"keeps_writing", 100'000}};
  for (const auto& [lie, request_bytes] : lies) {
    ParseHostOptions options = OptionsOfTest();
    options.worker_command.emplace_back(lie);
    ParseHost host(options);
    const Status refused = TextOf(host, "lines", std::string(request_bytes, 'x')).status();
    EXPECT_EQ(refused.code(), ErrorCode::kParseFailed) << lie << refused.message();
  }
}

TEST_F(ParseHostTest, ASegmentThatTheHostHasIsNotMadeAgain) {
  ParseHost host(OptionsOfTest());
  const auto known =
      std::make_shared<RecordListSegment>("part", ContentHash::Of("bytes"), std::vector<Record>());
  ContentHash asked;
  const auto parsed =
      host.Parse("lines", "bytes", {}, [&](const std::string& part, const ContentHash& digest) {
        EXPECT_EQ(part, "part");
        asked = digest;
        return known;
      });
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(asked, ContentHash::Of("bytes"));
  ASSERT_EQ(parsed->segments.size(), 1U);
  EXPECT_EQ(parsed->segments[0], known);  // this very object
}

TEST_F(ParseHostTest, EditsAndTheirErrorsComeBackWhole) {
  ParseHost host(OptionsOfTest());
  const auto outcome = host.Apply("lines", "abc", {{"d", "line:1", std::nullopt, {}}}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome->bytes, "abcd");
  EXPECT_EQ(outcome->rewritten_members, std::vector<std::string>{"member"});
  EXPECT_EQ(outcome->derived.at(0).description, "effect");
  const Status refused = host.Apply("lines", "abc", {}, {}).status();
  EXPECT_EQ(refused.code(), ErrorCode::kNoMatch);
  EXPECT_EQ(refused.message(), "nothing to do");
  EXPECT_EQ(refused.details(), Value("detail"));
}

TEST_F(ParseHostTest, ACrashIsAnErrorAndTheNextFileIsParsed) {
  ParseHost host(OptionsOfTest());
  for (const char* format : {"crashes", "aborts"}) {
    ASSERT_TRUE(TextOf(host, "lines", "before").ok());
    const Status crashed = TextOf(host, format, "bytes").status();
    EXPECT_EQ(crashed.code(), ErrorCode::kParseFailed);
    EXPECT_THAT(crashed.message(), HasSubstr("signal")) << format;
    EXPECT_TRUE(TextOf(host, "lines", "after").ok());
  }
}

TEST_F(ParseHostTest, TimeAndMemoryEnd) {
  ParseHostOptions options = OptionsOfTest();
  options.request_ns_max = 300'000'000;
  ParseHost impatient(options);
  EXPECT_EQ(TextOf(impatient, "hangs", "bytes").status().code(), ErrorCode::kLimitExceeded);
  ParseHost host(OptionsOfTest());
  const Status greedy = TextOf(host, "greedy", "bytes").status();
  EXPECT_EQ(greedy.code(), ErrorCode::kLimitExceeded) << greedy.message();
  EXPECT_THAT(greedy.message(), HasSubstr("memory"));
  EXPECT_TRUE(TextOf(host, "lines", "after").ok());
}

TEST_F(ParseHostTest, AnAnswerThatIsTooLargeIsNotTaken) {
  ParseHostOptions options = OptionsOfTest();
  options.answer_bytes_max = 1000;
  ParseHost host(options);
  EXPECT_TRUE(TextOf(host, "lines", std::string(500, 'x')).ok());
  EXPECT_EQ(TextOf(host, "lines", std::string(2000, 'x')).status().code(),
            ErrorCode::kLimitExceeded);
}

TEST_F(ParseHostTest, FilesNetworkProcessesAndCodeAreOutOfReach) {
  ParseHost host(OptionsOfTest());
  EXPECT_EQ(TextOf(host, "opens", "bytes").value(), "refused");
  for (const char* format : {"connects", "starts", "executes"}) {
    const Status killed = TextOf(host, format, "bytes").status();
    EXPECT_EQ(killed.code(), ErrorCode::kParseFailed) << format;
    EXPECT_THAT(killed.message(), HasSubstr("signal " + std::to_string(SIGSYS))) << format;
  }
}

TEST_F(ParseHostTest, AProgramThatIsNotThereIsAnErrorThatSaysSo) {
  ParseHostOptions options = OptionsOfTest();
  options.worker_command = {"/nowhere/worker"};
  ParseHost host(options);
  const Status failed = TextOf(host, "lines", "bytes").status();
  EXPECT_EQ(failed.code(), ErrorCode::kIoError);
  EXPECT_THAT(failed.message(), HasSubstr("parse in-process"));
}

// Where no parser could be run, a file has no view, rather than one that says it cannot be read.
TEST_F(ParseHostTest, AFileThatCouldNotBeTriedHasNoView) {
  ParseHostOptions options = OptionsOfTest();
  options.worker_command = {"/nowhere/worker"};
  const FormatRegistry sandboxed =
      SandboxFormats(std::make_shared<const FormatRegistry>(NewBuiltinRegistry()),
                     std::make_shared<ParseHost>(options));
  const Result<View> view = ParseView(sandboxed, "a,b\n", "a.csv", {});
  EXPECT_EQ(view.status().code(), ErrorCode::kIoError);
}

TEST_F(ParseHostTest, ManyCallersHaveAWorkerEach) {
  ParseHost host(OptionsOfTest());
  std::vector<std::thread> callers;
  for (int number = 0; number < 8; ++number) {
    callers.emplace_back([&host, number, this] {
      for (int round = 0; round < 20; ++round) {
        const std::string text = std::to_string(number * 100 + round);
        const auto parsed = TextOf(host, "lines", text);
        EXPECT_TRUE(parsed.ok() && *parsed == text);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// The builtin formats, by the program that people use.
TEST_F(ParseHostTest, TheBuiltinFormatsParseAlikeInAWorker) {
  const auto trusted = std::make_shared<const FormatRegistry>(NewBuiltinRegistry());
  ParseHostOptions options = OptionsOfTest();
  options.worker_command = {STAGED_BINARY_DIR "/staged", "parse-worker"};
  const FormatRegistry sandboxed = SandboxFormats(trusted, std::make_shared<ParseHost>(options));
  const std::pair<const char*, std::string> files[] = {
      {"a.csv", "name,count\nx,1\n"},
      {"a.json", R"({"a": [1, 2.50, "x"]})"},
      {"a.md", "# Title\n\ntext\n"},
      {"a.py", "def f():\n    return 1\n"},
      {"a.txt", "one\ntwo\n"},
      {"broken.xlsx", "PK\x03\x04 no archive"},
      {"a.pdf", testing::MakePagedPdf({testing::TextAt(72, 700, "One"), "", "/None Do"})},
  };
  for (const auto& [path, bytes] : files) {
    const auto here = ParseView(*trusted, bytes, path, {});
    const auto there = ParseView(sandboxed, bytes, path, {});
    ASSERT_TRUE(here.ok() && there.ok()) << path;
    EXPECT_EQ(here->Records(), there->Records()) << path;
    EXPECT_EQ(here->parts, there->parts) << path;
    EXPECT_EQ(here->diagnostics, there->diagnostics) << path;
    EXPECT_EQ(here->fallback, there->fallback) << path;
    if (path == std::string("a.pdf")) {
      EXPECT_EQ(testing::TextsOf(*there, "block"), std::vector<std::string>{"One"});
    }
  }
}

TEST_F(ParseHostTest, TheCorpusParsesAlikeInAWorker) {
  const std::string corpus = testing::CorpusFolder();
  if (corpus.empty()) GTEST_SKIP() << testing::kNoCorpus;
  const auto trusted = std::make_shared<const FormatRegistry>(NewBuiltinRegistry());
  ParseHostOptions options = OptionsOfTest();
  options.worker_command = {STAGED_BINARY_DIR "/staged", "parse-worker"};
  const FormatRegistry sandboxed = SandboxFormats(trusted, std::make_shared<ParseHost>(options));
  size_t compared = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!file.is_regular_file() || file.is_symlink()) continue;
    const std::string path = file.path().string();
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto here = ParseView(*trusted, bytes, path, {});
    const auto there = ParseView(sandboxed, bytes, path, {});
    ASSERT_EQ(here.ok(), there.ok()) << path;
    if (!here.ok()) continue;
    EXPECT_EQ(here->diagnostics, there->diagnostics) << path;
    EXPECT_EQ(here->parts, there->parts) << path;
    EXPECT_EQ(here->fallback, there->fallback) << path;
    ASSERT_EQ(here->segments.size(), there->segments.size()) << path;
    for (size_t i = 0; i < here->segments.size(); ++i) {
      EXPECT_EQ(here->segments[i]->Encode(), there->segments[i]->Encode()) << path;
    }
    ++compared;
  }
  EXPECT_GT(compared, 1000U);
}

}  // namespace
}  // namespace staged
