#include "journal/sqlite_journal.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "journal/sqlite_connection.h"
#include "journal/sqlite_schema.h"

namespace staged {
namespace {

using Mode = SqliteJournalOptions::Mode;

class SqliteJournalTest : public testing::Test {
 protected:
  SqliteJournalTest() {
    std::string name = (std::filesystem::temp_directory_path() / "journal.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/journal.db";
  }
  ~SqliteJournalTest() override { std::filesystem::remove_all(folder_); }

  Result<std::unique_ptr<Journal>> Open(Mode mode) {
    return OpenSqliteJournal(path_, {.mode = mode});
  }

  void Fill(int count) {
    auto journal = Open(Mode::kCreate);
    ASSERT_TRUE(journal.ok()) << journal.status().message();
    for (int i = 0; i < count; ++i) {
      Operation operation;
      operation.branch = "b";
      operation.payload = std::string(300, static_cast<char>('a' + i % 26));
      operation.changes = {
          {"path" + std::to_string(i), {}, Entry{EntryKind::kFile, ContentHash::Of("x")}}};
      auto transaction = *(*journal)->BeginWrite(1000);
      ASSERT_TRUE(transaction->Append(operation).ok());
      ASSERT_TRUE(transaction->Commit(JournalTransaction::Durability::kRelaxed).ok());
    }
  }

  // Runs SQL behind the journal's back.
  void Tamper(const std::string& sql) {
    auto connection = *SqliteConnection::Open(path_, "", SqliteOpen::kExisting);
    const Status status = connection->ExecuteScript(sql);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  std::string folder_;
  std::string path_;
};

TEST_F(SqliteJournalTest, MissingJournalIsDataLossNeverAFreshOne) {
  EXPECT_EQ(Open(Mode::kOpenExisting).status().code(), ErrorCode::kDataLoss);
  EXPECT_FALSE(std::filesystem::exists(path_));
  {
    std::ofstream empty(path_);
  }
  EXPECT_EQ(Open(Mode::kOpenExisting).status().code(), ErrorCode::kDataLoss);
  EXPECT_TRUE(Open(Mode::kCreate).ok()) << "what a crash in creating leaves";
  EXPECT_EQ(Open(Mode::kCreate).status().code(), ErrorCode::kConflict);
  EXPECT_TRUE(Open(Mode::kOpenExisting).ok());
}

TEST_F(SqliteJournalTest, AHugeChangeLeavesNoLongLog) {
  constexpr size_t kChanges = 20'000;
  Operation operation;
  operation.branch = "b";
  for (size_t i = 0; i < kChanges; ++i) {
    operation.changes.push_back({"folder/path" + std::to_string(i),
                                 {},
                                 Entry{EntryKind::kFile, ContentHash::Of(std::to_string(i))}});
  }
  for (const bool is_read_meanwhile : {true, false}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    auto journal = *Open(Mode::kCreate);
    auto transaction = *journal->BeginWrite(1000);
    ASSERT_TRUE(transaction->Append(operation).ok());
    std::unique_ptr<JournalReader> reader;
    if (is_read_meanwhile) reader = *journal->BeginRead();
    ASSERT_TRUE(transaction->Commit(JournalTransaction::Durability::kDurable).ok());
    EXPECT_EQ(std::filesystem::file_size(path_ + "-wal") == 0, !is_read_meanwhile);
    if (reader != nullptr) {
      EXPECT_EQ(reader->Head()->sequence, 0);
    }
    reader.reset();
    transaction.reset();
    journal.reset();
    journal = *Open(Mode::kOpenExisting);
    EXPECT_TRUE(journal->Verify({}).ok());
    EXPECT_EQ((*journal->BeginRead())->Read(1)->changes.size(), kChanges);
  }
}

TEST_F(SqliteJournalTest, ForeignFilesAreRefused) {
  {
    std::ofstream(path_) << std::string(5000, 'x');
  }
  EXPECT_EQ(Open(Mode::kOpenExisting).status().code(), ErrorCode::kDataLoss);
  EXPECT_FALSE(Open(Mode::kCreate).ok());
  std::filesystem::remove(path_);
  {
    auto other = *SqliteConnection::Open(path_, "", SqliteOpen::kCreate);
    ASSERT_TRUE(other->Execute("CREATE TABLE t(a)").ok());
  }
  EXPECT_EQ(Open(Mode::kOpenExisting).status().code(), ErrorCode::kDataLoss);
  EXPECT_EQ(Open(Mode::kCreate).status().code(), ErrorCode::kConflict);
}

TEST_F(SqliteJournalTest, FilesAreTheOwnersAlone) {
  auto journal = *Open(Mode::kCreate);
  auto transaction = *journal->BeginWrite(0);
  Operation operation;
  ASSERT_TRUE(transaction->Append(operation).ok());
  ASSERT_TRUE(transaction->Commit(JournalTransaction::Durability::kDurable).ok());
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(file.status().permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << file.path();
    ++files;
  }
  EXPECT_EQ(files, 3);  // database, WAL, shared memory
}

TEST_F(SqliteJournalTest, NewerVersionIsRefused) {
  Fill(1);
  Tamper("PRAGMA user_version = 99");
  const Status status = Open(Mode::kOpenExisting).status();
  EXPECT_EQ(status.code(), ErrorCode::kUnsupportedEdit);
  EXPECT_NE(status.message().find("99"), std::string::npos);
  Tamper("PRAGMA user_version = 0");
  EXPECT_EQ(Open(Mode::kOpenExisting).status().code(), ErrorCode::kDataLoss);
}

TEST_F(SqliteJournalTest, OlderVersionIsUpgradedAfterABackup) {
  Fill(3);
  constexpr SchemaUpgrade kUpgrades[] = {
      {.from_version = 2, .script = "INSERT INTO settings VALUES('second', added)"},
      {.from_version = 1,
       .script = "ALTER TABLE settings ADD COLUMN later TEXT; CREATE TABLE extra(a)"}};
  Schema schema{.version = 3, .script = "", .upgrades = kUpgrades};
  const std::string backup = path_ + ".v1.backup";
  {
    std::ofstream(backup) << "left over from an upgrade that was cut short";
  }
  auto connection = *SqliteConnection::Open(path_, "", SqliteOpen::kExisting);
  // The second step fails (no such column): nothing is upgraded, the backup is there.
  EXPECT_FALSE(OpenSchema(*connection, schema, path_, "").ok());
  connection = *SqliteConnection::Open(path_, "", SqliteOpen::kExisting);
  EXPECT_EQ(*connection->QueryInteger("PRAGMA user_version"), 1);
  EXPECT_EQ(*connection->QueryInteger("SELECT count(*) FROM sqlite_schema WHERE name='extra'"), 0);
  constexpr SchemaUpgrade kGood[] = {
      {.from_version = 2, .script = "INSERT INTO settings VALUES('second', x'00', 'more')"},
      kUpgrades[1]};
  schema.upgrades = kGood;
  const Status upgraded = OpenSchema(*connection, schema, path_, "");
  ASSERT_TRUE(upgraded.ok()) << upgraded.message();
  EXPECT_EQ(*connection->QueryInteger("PRAGMA user_version"), 3);
  EXPECT_EQ(*connection->QueryInteger("SELECT count(*) FROM settings WHERE later='more'"), 1);
  EXPECT_TRUE(OpenSchema(*connection, schema, path_, "").ok()) << "again: nothing to do";
  connection.reset();
  EXPECT_EQ(Open(Mode::kOpenExisting).status().code(), ErrorCode::kUnsupportedEdit);
  // The backup is a whole journal of the old version.
  EXPECT_EQ(std::filesystem::status(backup).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  auto old = OpenSqliteJournal(backup, {});
  ASSERT_TRUE(old.ok()) << old.status().message();
  EXPECT_TRUE((*old)->Verify(nullptr).ok());
  EXPECT_EQ((*(*old)->BeginRead())->Head()->sequence, 3);
}

TEST_F(SqliteJournalTest, TooOldToUpgradeIsRefused) {
  Fill(1);
  const Schema schema{.version = 3, .script = "", .upgrades = {}};
  auto connection = *SqliteConnection::Open(path_, "", SqliteOpen::kExisting);
  EXPECT_EQ(OpenSchema(*connection, schema, path_, "").code(), ErrorCode::kUnsupportedEdit);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".v1.backup"));
}

TEST_F(SqliteJournalTest, VerifyFindsWhatSqlCanTamperWith) {
  Fill(5);
  ASSERT_TRUE((*Open(Mode::kOpenExisting))->Verify(nullptr).ok());
  Tamper("PRAGMA wal_checkpoint(TRUNCATE)");
  std::filesystem::copy(path_, path_ + ".good");
  for (const char* sql :
       {"UPDATE operations SET chain = zeroblob(32) WHERE sequence = 5",
        "UPDATE operations SET encoding = replace(encoding, 'a', 'z') WHERE sequence = 1",
        "UPDATE operations SET encoding = x'01' WHERE sequence = 3",
        "DELETE FROM operations WHERE sequence = 3",
        "UPDATE operations SET sequence = 7 WHERE sequence = 5",
        "UPDATE operations SET branch = 'c' WHERE sequence = 2",
        "UPDATE operations SET type = 3 WHERE sequence = 2",
        "UPDATE operations SET actor = 'c' WHERE sequence = 2",
        "DELETE FROM operation_paths WHERE sequence = 4",
        "UPDATE operation_paths SET base_hash = zeroblob(32) WHERE sequence = 4",
        "INSERT INTO operation_paths VALUES('q', 4, 9, NULL, NULL)"}) {
    for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(path_ + end);
    std::filesystem::copy_file(path_ + ".good", path_,
                               std::filesystem::copy_options::overwrite_existing);
    Tamper(sql);
    auto journal = Open(Mode::kOpenExisting);
    ASSERT_TRUE(journal.ok()) << journal.status().message();
    const Status status = (*journal)->Verify(nullptr);
    EXPECT_EQ(status.code(), ErrorCode::kDataLoss) << sql << ": " << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
  }
}

// Every byte that is damaged is found, unless it is one that holds nothing.
TEST_F(SqliteJournalTest, VerifyFindsDamagedBytes) {
  Fill(40);
  std::string good;
  {
    Tamper("PRAGMA wal_checkpoint(TRUNCATE)");
    std::ifstream file(path_, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  int found = 0;
  int unseen = 0;
  for (size_t offset = 0; offset < good.size(); offset += 97) {
    std::string bad = good;
    bad[offset] = static_cast<char>(bad[offset] ^ 0x55);
    for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(path_ + end);
    {
      std::ofstream(path_, std::ios::binary | std::ios::trunc) << bad;
    }
    auto journal = Open(Mode::kOpenExisting);
    Status status = journal.ok() ? (*journal)->Verify(nullptr) : journal.status();
    if (!status.ok()) {
      ++found;
      continue;
    }
    ++unseen;
    // Unseen: then it must not have changed what is read.
    auto reader = *(*journal)->BeginRead();
    int count = 0;
    ASSERT_TRUE(reader
                    ->Scan({},
                           [&](const Operation& operation) {
                             ++count;
                             return operation.payload.as_string().size() == 300;
                           })
                    .ok());
    EXPECT_EQ(count, 40) << offset;
  }
  EXPECT_GT(found, unseen / 4);
  RecordProperty("found", found);
  RecordProperty("unseen", unseen);
}

}  // namespace
}  // namespace staged
