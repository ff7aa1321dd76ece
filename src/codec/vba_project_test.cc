#include "codec/vba_project.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "base/test_corpus.h"
#include "codec/compound_file.h"
#include "codec/zip.h"

namespace staged {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out.push_back(static_cast<char>(byte));
  return out;
}

constexpr uint64_t kNoLimit = UINT64_MAX;

// The examples of [MS-OVBA] 3.2.
TEST(VbaDecompress, TheSpecificationsExamples) {
  const std::string no_copies = Bytes({0x01, 0x19, 0xB0, 0x00, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
                                       0x67, 0x68, 0x00, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F,
                                       0x70, 0x00, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x2E});
  EXPECT_EQ(VbaDecompress(no_copies, kNoLimit).value(), "abcdefghijklmnopqrstuv.");
  const std::string some_copies =
      Bytes({0x01, 0x2F, 0xB0, 0x00, 0x23, 0x61, 0x61, 0x61, 0x62, 0x63, 0x64, 0x65, 0x82,
             0x66, 0x00, 0x70, 0x61, 0x67, 0x68, 0x69, 0x6A, 0x01, 0x38, 0x08, 0x61, 0x6B,
             0x6C, 0x00, 0x30, 0x6D, 0x6E, 0x6F, 0x70, 0x06, 0x71, 0x02, 0x70, 0x04, 0x10,
             0x72, 0x73, 0x74, 0x75, 0x76, 0x10, 0x77, 0x78, 0x79, 0x7A, 0x00, 0x3C});
  EXPECT_EQ(VbaDecompress(some_copies, kNoLimit).value(),
            "#aaabcdefaaaaghijaaaaaklaaamnopqaaaaaaaaaaaarstuvwxyzaaa");
  const std::string all_copies = Bytes({0x01, 0x03, 0xB0, 0x02, 0x61, 0x45, 0x00});
  EXPECT_EQ(VbaDecompress(all_copies, kNoLimit).value(), std::string(73, 'a'));
}

TEST(VbaDecompress, RefusesWhatIsNoContainer) {
  EXPECT_EQ(VbaDecompress("", kNoLimit).status().code(), ErrorCode::kParseFailed);
  EXPECT_EQ(VbaDecompress("text", kNoLimit).status().code(), ErrorCode::kParseFailed);
  // A copy before anything that it could copy.
  EXPECT_EQ(VbaDecompress(Bytes({0x01, 0x02, 0xB0, 0x01, 0x00, 0x00}), kNoLimit).status().code(),
            ErrorCode::kParseFailed);
  EXPECT_EQ(VbaDecompress(Bytes({0x01, 0x03, 0xB0, 0x02, 0x61, 0x45, 0x00}), 10).status().code(),
            ErrorCode::kLimitExceeded);
}

// The macros of the corpus' office files.
std::vector<std::string> RealProjects() {
  std::vector<std::string> projects;
  const std::string root = testing::CorpusFolder();
  if (root.empty()) return projects;
  for (const char* folder : {"/xlsx", "/docx", "/pptx"}) {
    for (const auto& item : std::filesystem::recursive_directory_iterator(root + folder)) {
      if (!item.is_regular_file()) continue;
      std::ifstream in(item.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      const Result<ZipReader> zip = ZipReader::Open(bytes, Limits());
      if (!zip.ok()) continue;
      for (const ZipMember& member : zip->members()) {
        if (!member.name.ends_with("vbaProject.bin")) continue;
        Result<std::string> project = zip->Read(member);
        if (project.ok()) projects.push_back(*std::move(project));
      }
    }
  }
  return projects;
}

// A module's source begins with attributes; the first is its name.
TEST(VbaProject, SourcesOfRealProjectsNameTheirModules) {
  const std::vector<std::string> projects = RealProjects();
  if (projects.empty()) GTEST_SKIP() << testing::kNoCorpus;
  size_t modules = 0;
  for (const std::string& bytes : projects) {
    const Result<VbaProject> project = ReadVbaProject(bytes, Limits());
    ASSERT_TRUE(project.ok()) << project.status().message();
    EXPECT_FALSE(project->modules.empty());
    for (const VbaModule& module : project->modules) {
      EXPECT_TRUE(module.source.starts_with("Attribute VB_Name = \"" + module.name + "\""))
          << module.name << ": " << module.source.substr(0, 80);
      ++modules;
    }
    const Result<CompoundFile> file = CompoundFile::Open(bytes, Limits());
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->streams().size(), project->streams.size());
    EXPECT_NE(file->Find("vba/DIR"), nullptr);
    EXPECT_EQ(file->Find("VBA"), nullptr);
  }
  EXPECT_GT(modules, 5u);
}

TEST(VbaProject, DamagedProjectsEndInAnAnswer) {
  const std::vector<std::string> projects = RealProjects();
  if (projects.empty()) GTEST_SKIP() << testing::kNoCorpus;
  const char* fixed = std::getenv("STAGED_SEED");
  const uint64_t seed = fixed != nullptr ? std::strtoull(fixed, nullptr, 10) : 20261201;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  size_t errors = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = projects[random() % projects.size()];
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    // Mostly where the tables and directories are.
    for (size_t i = 0, count = 1 + random() % 16; i < count && !bytes.empty(); ++i) {
      const size_t reach = random() % 2 == 0 ? std::min<size_t>(bytes.size(), 3072) : bytes.size();
      bytes[random() % reach] = static_cast<char>(random());
    }
    const Result<VbaProject> project = ReadVbaProject(bytes, Limits());
    if (project.ok()) continue;
    EXPECT_FALSE(project.status().message().empty());
    ++errors;
  }
  EXPECT_GT(errors, 100u);
}

}  // namespace
}  // namespace staged
