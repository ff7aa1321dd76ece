#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "journal/sqlite_connection.h"
#include "staged/ext/journal.h"

// The reading half of the journal: what a snapshot and a transaction have in common.
namespace staged {

class SqliteQueries {
 public:
  explicit SqliteQueries(SqliteConnection& connection) : connection_(connection) {}

  Result<JournalHead> Head();
  Result<Operation> Read(int64_t sequence);
  Status Scan(const OperationFilter& filter, const std::function<bool(const Operation&)>& visit);
  Result<std::optional<AcceptedEntry>> Accepted(const std::string& path);
  Result<std::vector<AcceptedEntry>> AcceptedTree();
  Result<std::vector<AcceptedEntry>> AcceptedTreeAt(int64_t sequence);
  Result<std::vector<Operation>> LiveOperations(const std::string& branch);
  Result<std::vector<std::pair<std::string, std::string>>> LivePaths();
  Result<bool> IsLive(int64_t sequence);
  Result<std::optional<ReceiptRow>> Receipt(const std::string& id);
  Result<std::vector<ReceiptRow>> Receipts(const std::string& branch);
  Result<std::vector<PublicationRow>> Publications();
  Result<std::optional<BranchRow>> Branch(const std::string& name);
  Result<std::vector<BranchRow>> Branches();
  Result<std::optional<std::string>> RequestAnswer(const std::string& request_id);
  Result<bool> WasAt(const std::string& path, const ContentHash& hash);
  Status ForEachHash(const std::function<void(const ContentHash&)>& visit);
  Result<std::optional<std::string>> Setting(const std::string& name);

 private:
  SqliteConnection& connection_;
};

// `Interface` is JournalReader or JournalTransaction.
template <typename Interface>
class SqliteSnapshot : public Interface {
 public:
  explicit SqliteSnapshot(SqliteConnection& connection) : queries_(connection) {}

  Result<JournalHead> Head() override { return queries_.Head(); }
  Result<Operation> Read(int64_t sequence) override { return queries_.Read(sequence); }
  Status Scan(const OperationFilter& filter,
              const std::function<bool(const Operation&)>& visit) override {
    return queries_.Scan(filter, visit);
  }
  Result<std::optional<AcceptedEntry>> Accepted(const std::string& path) override {
    return queries_.Accepted(path);
  }
  Result<std::vector<AcceptedEntry>> AcceptedTree() override { return queries_.AcceptedTree(); }
  Result<std::vector<AcceptedEntry>> AcceptedTreeAt(int64_t sequence) override {
    return queries_.AcceptedTreeAt(sequence);
  }
  Result<std::vector<Operation>> LiveOperations(const std::string& branch) override {
    return queries_.LiveOperations(branch);
  }
  Result<std::vector<std::pair<std::string, std::string>>> LivePaths() override {
    return queries_.LivePaths();
  }
  Result<bool> IsLive(int64_t sequence) override { return queries_.IsLive(sequence); }
  Result<std::optional<ReceiptRow>> Receipt(const std::string& id) override {
    return queries_.Receipt(id);
  }
  Result<std::vector<ReceiptRow>> Receipts(const std::string& branch) override {
    return queries_.Receipts(branch);
  }
  Result<std::vector<PublicationRow>> Publications() override { return queries_.Publications(); }
  Result<std::optional<BranchRow>> Branch(const std::string& name) override {
    return queries_.Branch(name);
  }
  Result<std::vector<BranchRow>> Branches() override { return queries_.Branches(); }
  Result<std::optional<std::string>> RequestAnswer(const std::string& request_id) override {
    return queries_.RequestAnswer(request_id);
  }
  Result<bool> WasAt(const std::string& path, const ContentHash& hash) override {
    return queries_.WasAt(path, hash);
  }
  Status ForEachHash(const std::function<void(const ContentHash&)>& visit) override {
    return queries_.ForEachHash(visit);
  }
  Result<std::optional<std::string>> Setting(const std::string& name) override {
    return queries_.Setting(name);
  }

 protected:
  SqliteQueries queries_;
};

}  // namespace staged
