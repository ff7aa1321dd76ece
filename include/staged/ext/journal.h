#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "staged/operation.h"
#include "staged/status.h"

// The append-only list of operations with the state that follows from it, behind one interface that
// several databases implement. The journal stores; what an operation means is the workspace's
// business: it hands in each operation together with the projections (accepted entries, live set,
// receipts, ...) that change with it, all in one transaction, and fsck replays to compare.
// Strings that are paths, branches and turns are exact bytes (UTF-8).
namespace staged {

struct AcceptedEntry {
  std::string path;
  Entry entry;
  int64_t sequence = 0;  // operation that made it so
};

enum class ReceiptState : uint8_t {
  kMinted = 1,
  kPending = 2,
  kRejected = 3,
  kVoid = 4,
  kConsumed = 5,
};

struct ReceiptRow {
  std::string id;
  std::string branch;
  std::string path;
  ReceiptState state = ReceiptState::kMinted;
  OptionalEntry base;
  OptionalEntry staged;
  int64_t review_sequence = 0;  // operation that minted it
  int64_t staged_sequence = 0;  // live operation that produced the staged entry
  Value evidence;  // diff hash, parser and diff version, reviewer, shown whole, time ...
};

// A submit that is committed but perhaps not yet on disk everywhere.
struct PublicationRow {
  int64_t sequence = 0;  // the submit operation
  std::string owner;     // name of the publisher's lock file
  std::string path;
  OptionalEntry base;
  OptionalEntry result;
};

struct BranchRow {
  std::string name;
  BranchKind kind = BranchKind::kChat;
  int64_t created_sequence = 0;
  int64_t lease_epoch = 0;   // the highest granted
  std::string lease_holder;  // empty: none
  int64_t lease_expires_ns = 0;
};

struct OperationFilter {
  int64_t after_sequence = 0;          // exclusive
  int64_t up_to_sequence = INT64_MAX;  // inclusive
  std::optional<std::string> branch, path, actor, turn;
  std::vector<OperationType> types;  // empty: all
  bool newest_first = false;
  size_t limit = SIZE_MAX;
};

struct JournalHead {
  int64_t sequence = 0;  // 0: empty
  ContentHash chain;     // zero when empty
};

// A consistent snapshot. Never blocks a writer, is never blocked by one. Not thread-safe.
class JournalReader {
 public:
  virtual ~JournalReader() = default;
  virtual Result<JournalHead> Head() = 0;
  virtual Result<Operation> Read(int64_t sequence) = 0;  // kNotFound
  // Calls `visit` in order of sequence (or backwards) until it returns false.
  virtual Status Scan(const OperationFilter& filter,
                      const std::function<bool(const Operation&)>& visit) = 0;
  virtual Result<std::optional<AcceptedEntry>> Accepted(const std::string& path) = 0;
  // Sorted by path bytes.
  virtual Result<std::vector<AcceptedEntry>> AcceptedTree() = 0;
  // As it was after operation `sequence`.
  virtual Result<std::vector<AcceptedEntry>> AcceptedTreeAt(int64_t sequence) = 0;
  // The branch's live content operations, in order.
  virtual Result<std::vector<Operation>> LiveOperations(const std::string& branch) = 0;
  // Every (branch, path) with live operations: what others stage.
  virtual Result<std::vector<std::pair<std::string, std::string>>> LivePaths() = 0;
  // Whether this operation is live now.
  virtual Result<bool> IsLive(int64_t sequence) = 0;
  virtual Result<std::optional<ReceiptRow>> Receipt(const std::string& id) = 0;
  // Of one branch, in the states kMinted and kPending, and kRejected.
  virtual Result<std::vector<ReceiptRow>> Receipts(const std::string& branch) = 0;
  virtual Result<std::vector<PublicationRow>> Publications() = 0;
  virtual Result<std::optional<BranchRow>> Branch(const std::string& name) = 0;
  virtual Result<std::vector<BranchRow>> Branches() = 0;
  virtual Result<std::optional<std::string>> RequestAnswer(const std::string& request_id) = 0;
  // Whether some operation ever had this hash as base or result at that path.
  virtual Result<bool> WasAt(const std::string& path, const ContentHash& hash) = 0;
  // Every hash that any operation or projection names: what gc must keep.
  virtual Status ForEachHash(const std::function<void(const ContentHash&)>& visit) = 0;
  virtual Result<std::optional<std::string>> Setting(const std::string& name) = 0;
};

// One atomic change. Writers are serialised. Destroyed without Commit: nothing happened.
class JournalTransaction : public JournalReader {
 public:
  // Gives the operation its sequence and chain and appends it.
  virtual Status Append(Operation& operation) = 0;
  virtual Status SetAccepted(const std::string& path, const OptionalEntry& entry,
                             int64_t sequence) = 0;
  virtual Status SetLive(int64_t sequence, bool live) = 0;
  virtual Status PutReceipt(const ReceiptRow& receipt) = 0;  // inserts or replaces by id
  // One row for each path of a submit; another with its sequence and path replaces it.
  virtual Status PutPublication(const PublicationRow& publication) = 0;
  virtual Status RemovePublication(int64_t sequence, const std::string& path) = 0;
  virtual Status PutBranch(const BranchRow& branch) = 0;
  virtual Status PutRequestAnswer(const std::string& request_id, std::string_view answer) = 0;
  virtual Status PutSetting(const std::string& name, std::string_view value) = 0;
  // Makes sure that no commit which failed, or whose writer died in it, comes back with a power
  // loss from now on: it may have reached the disk whole although nobody can read it. Called before
  // what only such a commit names is removed for good. Durable on return, whatever becomes of this
  // transaction. Nothing to do in a database whose server decides what was committed.
  // Errors: kIoError; the transaction cannot be committed then.
  virtual Status RuleOutFailedCommits() = 0;
  // The commit point: durable on return (kDurable), or as soon as a later durable commit is
  // (kRelaxed: for what recovery would find out again by itself).
  enum class Durability : uint8_t { kDurable = 1, kRelaxed = 2 };
  virtual Status Commit(Durability durability) = 0;
};

// Thread-safe; several processes may have one open at once.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual Result<std::unique_ptr<JournalReader>> BeginRead() = 0;
  // Waits for other writers up to `wait_ms`, then kBusy.
  virtual Result<std::unique_ptr<JournalTransaction>> BeginWrite(int wait_ms) = 0;
  // Makes every commit so far durable, relaxed ones too.
  virtual Status Sync() = 0;
  // The database's own integrity check and the hash chain from the first operation to the head.
  // Errors: kDataLoss naming what is broken.
  virtual Status Verify(const std::function<void(int64_t done, int64_t total)>& progress) = 0;
};

}  // namespace staged
