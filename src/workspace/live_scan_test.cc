// What a scan takes in, what it remembers, and whose a difference on disk is.

#include "workspace/live_scan.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "env/posix_env.h"
#include "env/simulated_env.h"
#include "workspace/folder_lister.h"
#include "workspace/live_state.h"
#include "workspace/office_lock.h"

namespace staged {
namespace {

class LiveScan : public ::testing::Test {
 protected:
  LiveScan() {
    std::string pattern = std::filesystem::temp_directory_path() / "staged-scan-XXXXXX";
    root_ = mkdtemp(pattern.data());
    directory_ = *env_->OpenDirectory(root_);
  }
  ~LiveScan() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void Save(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path, std::ios::binary) << text;
  }
  std::vector<std::string> Scan(const ScanOptions& options) {
    auto scanned = ScanTree(*directory_, options);
    EXPECT_TRUE(scanned.ok());
    std::vector<std::string> paths;
    for (const auto& [path, entry] : scanned->entries) paths.push_back(path);
    return paths;
  }

  std::string root_;
  std::unique_ptr<Env> env_ = NewPosixEnv();
  std::unique_ptr<Directory> directory_;
};

// Answers what it is told, and counts.
class CountingMemory final : public HashMemory {
 public:
  OptionalEntry Lookup(const std::string& path, const FileStatus&) override {
    const auto found = known.find(path);
    return found == known.end() ? OptionalEntry() : OptionalEntry(found->second);
  }
  void Remember(const std::string& path, const FileStatus&, const Entry& entry) override {
    known[path] = entry;
    ++remembered;
  }
  std::map<std::string, Entry> known;
  int remembered = 0;
};

TEST_F(LiveScan, ThreadsFindTheSame) {
  Tree tracked;
  for (int outer = 0; outer < 20; ++outer) {
    for (int inner = 0; inner < 20; ++inner) {
      const std::string folder = "f" + std::to_string(outer) + "/g" + std::to_string(inner);
      Save(folder + "/a.txt", folder);
      Save(folder + "/ignored/b.txt", folder);
      if (inner % 5 == 0) tracked[folder + "/ignored/b.txt"] = {};
      if (inner % 3 == 0) Save(folder + "/__pycache__/c.txt", folder);
    }
    Save("f" + std::to_string(outer) + "/.gitignore", "ignored/\n");
  }
  ScanOptions options;
  options.tracked = &tracked;
  const std::vector<std::string> paths = Scan(options);
  EXPECT_GE(paths.size(), 20u * 20 + 20 * 4 + 20);
  for (int round = 0; round < 5; ++round) {
    for (options.threads = 2; options.threads <= 5; ++options.threads) {
      EXPECT_EQ(Scan(options), paths);
    }
  }
}

TEST_F(LiveScan, AListingAheadIsOnlyOfExpectedFolders) {
  Save("a/1", "");
  Save("b/2", "");
  FolderLister lister(*directory_, 3);
  lister.Expect({"a", "gone", "b"});
  EXPECT_EQ(lister.List("gone").status().code(), ErrorCode::kNotFound);
  for (const char* folder : {"b", "a", "b"}) {  // in any order, and again
    const auto items = lister.List(folder);
    ASSERT_TRUE(items.ok());
    ASSERT_EQ(items->size(), 1u);
    EXPECT_EQ((*items)[0].name, folder == std::string("a") ? "1" : "2");
  }
  lister.Expect({"a", "b"});  // never asked for
}

TEST_F(LiveScan, RulesHoldButTrackedFilesAreTakenIn) {
  Save(".gitignore", "*.o\nbuild/\n");
  Save("sub/.stagedignore", "!keep.o\n");
  Save("a.o", "a");
  Save("sub/keep.o", "a");
  Save("build/x", "a");
  Save("build/deep/y", "a");
  EXPECT_EQ(Scan({}), (std::vector<std::string>{".gitignore", "sub/.stagedignore", "sub/keep.o"}));
  const Tree tracked = {{"build/deep/y", {}}, {"a.o", {}}};
  EXPECT_EQ(Scan({.tracked = &tracked}),
            (std::vector<std::string>{".gitignore", "a.o", "build/deep/y", "sub/.stagedignore",
                                      "sub/keep.o"}));
  EXPECT_EQ(Scan({.ignore_rules = false}).size(), 6u);
}

TEST_F(LiveScan, TheMemorySavesReadingAndNothingElse) {
  Save("a", "one");
  Save("b", "two");
  CountingMemory memory;
  EXPECT_EQ(Scan({.memory = &memory}).size(), 2u);
  EXPECT_EQ(memory.remembered, 2);
  EXPECT_EQ(Scan({.memory = &memory}).size(), 2u);
  EXPECT_EQ(memory.remembered, 2);
}

TEST_F(LiveScan, EntriesAreKindAndContent) {
  Save("file", "bytes");
  Save("tool", "bytes");
  std::filesystem::permissions(root_ + "/tool", std::filesystem::perms(0755));
  std::filesystem::create_symlink("file", root_ + "/link");
  const auto entry = [&](const std::string& path) { return **ScanPath(*directory_, path, {}); };
  EXPECT_EQ(entry("file"), (Entry{EntryKind::kFile, ContentHash::Of("bytes")}));
  EXPECT_EQ(entry("tool"), (Entry{EntryKind::kExecutable, ContentHash::Of("bytes")}));
  EXPECT_EQ(entry("link"), (Entry{EntryKind::kSymlink, ContentHash::Of("file")}));
  EXPECT_FALSE(ScanPath(*directory_, "none", {})->has_value());
  EXPECT_FALSE(ScanPath(*directory_, "file/below", {})->has_value());
  EXPECT_FALSE(ScanPath(*directory_, "link/below", {})->has_value());
}

// A file that is saved in place while it is read, at the same size, is read again: else half of
// each state could be taken for one.
TEST(LiveScanMeanwhile, AFileThatChangesWhileItIsReadIsReadAgain) {
  SimulatedEnv machine;
  ASSERT_TRUE(machine.ExternalWrite("/a", "one", Durability::kDurable).ok());
  const auto root = *machine.OpenDirectory("/");
  const auto save_before_read = [&](int attempt, const std::string& bytes) {
    // Its status is asked, and then the bytes and the status of each attempt.
    machine.PlanExternalSave(machine.call_count() + 2 * static_cast<uint64_t>(attempt),
                             {"/a", bytes, true, Durability::kDurable, nullptr});
  };
  CountingMemory memory;
  save_before_read(1, "two");
  const auto entry = ScanPath(*root, "a", {.memory = &memory});
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ((*entry)->hash, ContentHash::Of("two"));
  EXPECT_EQ(memory.remembered, 1) << "it did not change in the second attempt";
  memory.known.clear();
  for (int attempt = 1; attempt <= 8; ++attempt)
    save_before_read(attempt, "a" + std::to_string(attempt) + "z");
  EXPECT_EQ(ScanPath(*root, "a", {.memory = &memory}).status().code(), ErrorCode::kBusy);
  EXPECT_EQ(memory.remembered, 1);
}

// While a publication is under way, both its sides are nobody's edit.
TEST(LiveState, APublicationsTwoSidesAreNobodysEdit) {
  const OptionalEntry a = Entry{EntryKind::kFile, ContentHash::Of("a")};
  const OptionalEntry b = Entry{EntryKind::kFile, ContentHash::Of("b")};
  const OptionalEntry c = Entry{EntryKind::kFile, ContentHash::Of("c")};
  const OptionalEntry none;
  const PublicationRow publication{7, "owner", "path", a, b};
  EXPECT_FALSE(IsPersonsChange(b, b, nullptr));
  EXPECT_TRUE(IsPersonsChange(a, b, nullptr));
  EXPECT_TRUE(IsPersonsChange(none, b, nullptr));
  EXPECT_FALSE(IsPersonsChange(a, b, &publication)) << "not published yet";
  EXPECT_FALSE(IsPersonsChange(b, b, &publication));
  EXPECT_TRUE(IsPersonsChange(c, b, &publication));
  EXPECT_TRUE(IsPersonsChange(none, b, &publication));
  const PublicationRow creation{7, "owner", "path", none, b};
  EXPECT_FALSE(IsPersonsChange(none, b, &creation));
}

TEST_F(LiveScan, OfficeLocksNameWhoHasTheFileOpen) {
  Save("sub/report.docx", "x");
  EXPECT_EQ(FindOfficeLock(*directory_, "sub/report.docx"), "");
  Save("sub/.~lock.report.docx#", ",Grace,host,now,file;");
  EXPECT_EQ(FindOfficeLock(*directory_, "sub/report.docx"), "Grace");
  Save("sub/.~lock.report.docx#", "");
  EXPECT_EQ(FindOfficeLock(*directory_, "sub/report.docx"), "somebody");
  std::filesystem::remove(root_ + "/sub/.~lock.report.docx#");
  Save("sub/~$port.docx", std::string("\3Ada") + std::string(51, '\0'));
  EXPECT_EQ(FindOfficeLock(*directory_, "sub/report.docx"), "Ada");
  std::filesystem::remove(root_ + "/sub/~$port.docx");
  Save("sub/~$report.docx", "");
  EXPECT_EQ(FindOfficeLock(*directory_, "sub/report.docx"), "somebody");
  EXPECT_EQ(FindOfficeLock(*directory_, "report.docx"), "") << "another folder's";
  Save("sub/~$ersicht.docx", std::string("\3Eva") + std::string(51, '\0'));
  EXPECT_EQ(FindOfficeLock(*directory_, "sub/\u00DCbersicht.docx"), "Eva") << "letters, not bytes";
}

}  // namespace
}  // namespace staged
