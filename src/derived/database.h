#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "derived/full_text.h"
#include "staged/ext/env.h"
#include "staged/status.h"

// The one SQLite database of everything derived: views, segments, the search index. It holds no
// fact that cannot be made again, so a damaged one is deleted and rebuilt without asking, one that
// cannot be opened or deleted is moved to "derived.broken" first, and an answer of "busy" means "go
// on without caching". Where nothing may be written, a copy in memory takes its place.
namespace staged {

// A prepared statement, borrowed from its connection. Errors of binding show in the next Step.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  ~Statement();
  Statement(Statement&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters count from 1; borrowed bytes must live until the next Reset.
  void BindInteger(int index, int64_t number) { sqlite3_bind_int64(handle_, index, number); }
  void BindText(int index, std::string_view text);
  void BindBlob(int index, std::string_view bytes);

  // Whether there is a row.
  Result<bool> Step();
  // Runs a statement that yields no rows and makes it ready for new parameters.
  Status Run();
  void Reset() { sqlite3_reset(handle_); }

  // Columns count from 0; borrowed until the next Step or Reset.
  [[nodiscard]] int64_t Integer(int column) const { return sqlite3_column_int64(handle_, column); }
  [[nodiscard]] double Double(int column) const { return sqlite3_column_double(handle_, column); }
  [[nodiscard]] std::string_view Bytes(int column) const;
  [[nodiscard]] sqlite3_stmt* handle() const { return handle_; }

 private:
  sqlite3_stmt* handle_;
};

// Used by one thread at a time.
class Connection {
 public:
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Opens (or makes) the database with the schema of this version. Errors: kDataLoss (damaged, or
  // written by another version), kBusy, kIoError, kPermissionDenied.
  static Result<std::unique_ptr<Connection>> Open(const std::string& path);
  // A database in memory, with what the one at `path` has, if that can be read ("": none).
  static Result<std::unique_ptr<Connection>> OpenCopy(const std::string& path);

  // `sql` must be a string literal: statements are kept under its address.
  Result<Statement> Prepare(const char* sql);
  Status Execute(const char* sql);
  [[nodiscard]] int64_t LastInsertId() const { return sqlite3_last_insert_rowid(handle_); }
  // Whether the file was deleted or replaced under this connection.
  [[nodiscard]] bool HasMoved() const;
  // Changes whenever another connection committed.
  Result<int64_t> DataVersion();
  [[nodiscard]] sqlite3* handle() const { return handle_; }
  [[nodiscard]] FullText& full_text() { return *full_text_; }

 private:
  void WriteBackLongLog();
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  Status Configure();
  Status MakeSchema();

  std::optional<FullText> full_text_{std::in_place};  // of handle_: goes before it is closed
  sqlite3* handle_;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

// The error that the connection's last call left.
[[nodiscard]] Status DatabaseError(sqlite3* handle, int code);

// Where derived data is kept. SQLite opens it by path, on the system's own files.
enum class DerivedStorage : uint8_t { kFolder = 1, kNone = 2 };

// Opens connections as they are needed, and makes the database anew when it is damaged or gone.
// Thread-safe. Opening one does nothing until the first use.
class DerivedDatabase {
 public:
  using Body = std::function<Status(Connection&)>;

  // `staged_directory` is the folder that holds "derived"; it must outlive this.
  // With kNone every use answers kBusy, and no file is touched.
  explicit DerivedDatabase(Directory& staged_directory,
                           DerivedStorage storage = DerivedStorage::kFolder)
      : directory_(staged_directory), storage_(storage) {}

  // Runs `body` in one read snapshot. `body` runs again after damage was repaired.
  Status Read(const Body& body);
  // Runs `body` in one transaction that commits if it succeeds. kBusy, at once, when another
  // process or thread is writing and `wait` says so; kWait gives up after some seconds.
  Status Write(LockWait wait, const Body& body);

  // Makes sure that nothing of what was deleted so far is left in any file: neither in the search
  // index and free pages nor in the log, nor in folders that were set aside. Takes time in
  // proportion to the database. Errors: kBusy (another process reads or writes for some seconds).
  Status Scrub();

  // Whether there is a database at all, or nothing is kept.
  [[nodiscard]] bool is_kept() const { return storage_ != DerivedStorage::kNone; }
  // Whether the folder cannot be written and what is made from here on is gone with this object.
  [[nodiscard]] bool is_in_memory();

  [[nodiscard]] uint64_t rebuild_count() const { return rebuild_count_; }
  // What was repaired since the last call, a line each, for the user to know.
  [[nodiscard]] std::vector<std::string> TakeNotes();

 private:
  Result<std::unique_ptr<Connection>> Acquire();
  void Release(std::unique_ptr<Connection> connection);
  // `begin`: how the transaction begins; nullptr: `body` runs outside of any.
  Status Run(const char* begin, LockWait wait, const Body& body);
  Result<std::unique_ptr<Connection>> OpenOrMake();
  Status Rebuild(const Connection* damaged, const Status& why);
  // Moves the whole folder away, for what deleting the database's files does not help with.
  Status SetAside(const Connection* failed, const Status& why);
  // From here on; `why`: what is wrong with the one on disk.
  Status UseMemory(const Status& why);
  // Nothing: the database is on disk.
  std::optional<Status> RunInMemory(const char* begin, const Body& body);
  Status RunOnce(Connection& connection, const char* begin, LockWait wait, const Body& body);

  Directory& directory_;
  const DerivedStorage storage_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  // guarded by mutex_
  std::vector<std::string> notes_;                 // guarded by mutex_
  uint64_t rebuild_count_ = 0;
  std::mutex memory_mutex_;             // held for each use of the next: taken before mutex_
  std::unique_ptr<Connection> memory_;  // null: the database is on disk
};

}  // namespace staged
