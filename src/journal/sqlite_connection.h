#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "staged/operation.h"
#include "staged/status.h"

struct sqlite3;
struct sqlite3_stmt;

// SQLite as this project wants it: errors as Status, statements prepared once and reused.
namespace staged {

// What SQLite answered, as the contract's error; `doing` completes "while ...".
[[nodiscard]] Status SqliteError(sqlite3* database, int code, std::string_view doing);

class SqliteConnection;

// A prepared statement in use. Bind in order, then step. Strings that are bound must outlive it.
// An error of preparing or binding is answered by the first step.
class SqliteStatement {
 public:
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&&) = delete;
  ~SqliteStatement();

  SqliteStatement& BindInteger(int64_t number);
  SqliteStatement& BindText(std::string_view text);
  SqliteStatement& BindBlob(std::string_view bytes);
  SqliteStatement& BindHash(const ContentHash& hash) { return BindBlob(hash.raw()); }
  SqliteStatement& BindOptionalHash(const OptionalEntry& entry);  // null when absent
  SqliteStatement& BindEntry(const OptionalEntry& entry);         // two parameters: kind, hash
  // Starts anew with the next row of parameters.
  void Reset();

  Result<bool> Step();  // whether there is a row
  Status Run();         // for statements without rows

  [[nodiscard]] int64_t GetInteger(int column) const;
  [[nodiscard]] std::string_view GetBytes(int column) const;  // until the next step
  [[nodiscard]] std::string GetString(int column) const { return std::string(GetBytes(column)); }
  [[nodiscard]] bool IsNull(int column) const;
  Result<ContentHash> GetHash(int column) const;          // kDataLoss
  Result<OptionalEntry> GetEntry(int kind_column) const;  // kind, hash; kDataLoss

 private:
  friend class SqliteConnection;
  SqliteStatement(SqliteConnection* connection, sqlite3_stmt* statement, bool* in_use, int error)
      : connection_(connection), statement_(statement), in_use_(in_use), error_(error) {}
  SqliteStatement& BindNull();
  void Note(int code);

  SqliteConnection* connection_;
  sqlite3_stmt* statement_;
  bool* in_use_;  // null: not cached, finalized here
  int error_;
  int parameter_ = 0;
};

enum class SqliteOpen : uint8_t { kCreate = 1, kExisting = 2 };

// Not thread-safe. All statements must be gone before it is.
class SqliteConnection {
 public:
  // `vfs` empty: the default one.
  static Result<std::unique_ptr<SqliteConnection>> Open(const std::string& path,
                                                        const std::string& vfs, SqliteOpen mode);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  // The statement of that text, from the cache if it is there and free.
  SqliteStatement Prepare(std::string_view sql);
  Status Execute(std::string_view sql);  // one statement, rows ignored
  Status ExecuteScript(const std::string& sql);
  Result<int64_t> QueryInteger(std::string_view sql);

  // Leaves the write-ahead log there when the last connection closes, so that a short-lived process
  // does not pay for a checkpoint; and checkpoints only when asked to.
  void KeepLogOnClose();
  // Pages in the write-ahead log at this connection's last commit.
  [[nodiscard]] int log_pages() const { return log_pages_; }
  // Copies what it can from the log to the database without waiting for others. kCut: and makes the
  // log empty, if nobody else uses it now.
  enum class LogAfter : uint8_t { kKept = 0, kCut = 1 };
  void Checkpoint(LogAfter after);

  [[nodiscard]] bool in_transaction() const;
  void RollBack();  // if there is a transaction; also ends a reading one
  // False after an error that may have left the connection in an unknown state.
  [[nodiscard]] bool is_healthy() const { return healthy_; }
  [[nodiscard]] sqlite3* handle() const { return database_; }
  Status Error(int code, std::string_view doing);

 private:
  struct Cached {
    sqlite3_stmt* statement = nullptr;
    bool in_use = false;
  };
  explicit SqliteConnection(sqlite3* database) : database_(database) {}

  sqlite3* database_;
  std::unordered_map<std::string, Cached> statements_;
  bool healthy_ = true;
  int log_pages_ = 0;
};

}  // namespace staged
