#include <stdlib.h>

#include <filesystem>

#include "env/posix_env.h"
#include "journal/env_vfs.h"
#include "journal/sqlite_journal.h"
#include "tests/conformance/journal_conformance.h"

namespace staged {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "journal.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class SqliteFixture : public JournalFixture {
 public:
  Result<std::unique_ptr<Journal>> Open() override {
    SqliteJournalOptions options;
    options.mode =
        created_ ? SqliteJournalOptions::Mode::kOpenExisting : SqliteJournalOptions::Mode::kCreate;
    options.vfs = Vfs();
    created_ = true;
    return OpenSqliteJournal(folder_.path() + "/journal.db", options);
  }

 protected:
  virtual std::string Vfs() { return ""; }

 private:
  TemporaryFolder folder_;
  bool created_ = false;
};

// The same on files of an Env.
class EnvFixture : public SqliteFixture {
 public:
  EnvFixture() : env_(NewPosixEnv()), vfs_(*RegisterEnvVfs(*env_)) {}

 protected:
  std::string Vfs() override { return vfs_->name(); }

 private:
  std::unique_ptr<Env> env_;
  std::unique_ptr<EnvVfs> vfs_;
};

template <typename Fixture>
JournalFactory FactoryOf(const std::string& name) {
  return {name, [] { return std::make_unique<Fixture>(); }};
}

std::string Name(const testing::TestParamInfo<JournalFactory>& parameter) {
  return parameter.param.name;
}

INSTANTIATE_TEST_SUITE_P(Sqlite, JournalConformanceTest,
                         testing::Values(FactoryOf<SqliteFixture>("SystemFiles"),
                                         FactoryOf<EnvFixture>("EnvFiles")),
                         Name);

}  // namespace
}  // namespace staged
