#include <stdlib.h>

#include <filesystem>

#include "journal/sqlite_journal.h"
#include "tests/conformance/journal_conformance.h"

namespace staged {
namespace {

class SqliteFixture : public JournalFixture {
 public:
  SqliteFixture() {
    std::string name = (std::filesystem::temp_directory_path() / "journal.XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~SqliteFixture() override { std::filesystem::remove_all(folder_); }

  Result<std::unique_ptr<Journal>> Open() override {
    SqliteJournalOptions options;
    options.mode =
        created_ ? SqliteJournalOptions::Mode::kOpenExisting : SqliteJournalOptions::Mode::kCreate;
    created_ = true;
    return OpenSqliteJournal(folder_ + "/journal.db", options);
  }

 private:
  std::string folder_;
  bool created_ = false;
};

std::string Name(const testing::TestParamInfo<JournalFactory>& parameter) {
  return parameter.param.name;
}

INSTANTIATE_TEST_SUITE_P(Sqlite, JournalConformanceTest,
                         testing::Values(JournalFactory{
                             "Sqlite", [] { return std::make_unique<SqliteFixture>(); }}),
                         Name);

}  // namespace
}  // namespace staged
