#include "workspace/write_session.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "env/posix_env.h"
#include "journal/sqlite_journal.h"
#include "store/local_object_store.h"
#include "workspace/projection.h"

namespace staged {
namespace {

// Remembers nothing; tells when a scan of the whole folder has ended.
class ScanEnd final : public HashMemory {
 public:
  OptionalEntry Lookup(const std::string&, const FileStatus&) override { return {}; }
  void Remember(const std::string&, const FileStatus&, const Entry&) override {}
  void EndScan() override {
    if (then) std::exchange(then, nullptr)();
  }
  std::function<void()> then;  // once
};

// The parts that a session needs, over real files.
class Host final : public SessionHost {
 public:
  Host() {
    std::string pattern = std::filesystem::temp_directory_path() / "staged-session-XXXXXX";
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ + "/.staged/objects");
    root_directory_ = *env_->OpenDirectory(root_);
    metadata_ = *root_directory_->OpenDirectory(".staged");
    store_ = *OpenObjectStore(*env_, *metadata_->OpenDirectory("objects"));
    SqliteJournalOptions journal;
    journal.mode = SqliteJournalOptions::Mode::kCreate;
    journal_ = *OpenSqliteJournal(root_ + "/.staged/journal.db", std::move(journal));
  }
  ~Host() override {
    journal_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Env& env() override { return *env_; }
  Journal& journal() override { return *journal_; }
  ObjectStore& store() override { return *store_; }
  Directory& root_directory() override { return *root_directory_; }
  Directory& metadata() override { return *metadata_; }
  HashMemory* memory() override { return &scan_end; }
  const OpenOptions& options() override { return options_; }
  Status EndDeadPublications() override { return OkStatus(); }
  int64_t LastEnded() override { return 0; }
  void ClearEnded(int64_t) override {}
  void Committed(const std::vector<PathChange>&) override {}

  void Save(const std::string& path, const std::string& bytes) const {
    std::ofstream(root_ + "/" + path, std::ios::binary) << bytes;
  }
  // What lies in the folder is accepted.
  void Adopt() {
    auto session = WriteSession::Begin(*this, CallContext{}, {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    ASSERT_TRUE((*session)->Commit().ok());
  }
  ScanEnd scan_end;

 private:
  std::unique_ptr<Env> env_ = NewPosixEnv();
  std::string root_;
  OpenOptions options_;
  std::unique_ptr<Directory> root_directory_, metadata_;
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<Journal> journal_;
};

// Rule 13: the paths that a call is about are looked at again once other writers are kept out.
TEST(WriteSession, ASaveBetweenTheScanAndTheTransactionIsTakenIn) {
  Host host;
  host.Save("a.txt", "first\n");
  host.Save("b.txt", "first\n");
  host.Adopt();
  host.scan_end.then = [&] {
    host.Save("a.txt", "saved meanwhile\n");
    host.Save("b.txt", "saved meanwhile\n");
  };
  const auto session = WriteSession::Begin(host, CallContext{}, {"a.txt"});
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_EQ((*session)->adopted(), std::vector<std::string>{"a.txt"});
  const ContentHash saved = ContentHash::Of("saved meanwhile\n");
  EXPECT_EQ(HashOf(FindEntry((*session)->reduction().accepted, "a.txt")), saved);
  const auto stored = host.store().Get(saved);
  ASSERT_TRUE(stored.ok()) << stored.status().message();
  EXPECT_EQ(*stored, "saved meanwhile\n");
  ASSERT_TRUE((*session)->Commit().ok());
  // What the call is not about waits for the next scan.
  const auto next = WriteSession::Begin(host, CallContext{}, {});
  ASSERT_TRUE(next.ok()) << next.status().message();
  EXPECT_EQ((*next)->adopted(), std::vector<std::string>{"b.txt"});
}

// Rule 5: what a request asked for is compared part by part, not as one text.
TEST(WriteSession, ADigestKeepsArgumentsApart) {
  EXPECT_NE(RequestDigest("mv").Add("ab").Add("c").arguments(),
            RequestDigest("mv").Add("a").Add("bc").arguments());
  EXPECT_NE(RequestDigest("review").Add(std::vector<std::string>{"a", "b"}).arguments(),
            RequestDigest("review").Add(std::vector<std::string>{"a"}).Add("b").arguments());
  EXPECT_NE(RequestDigest("write").Add(BaseHash()).arguments(),
            RequestDigest("write").Add(BaseHash(ContentHash::Of(""))).arguments());
}

}  // namespace
}  // namespace staged
