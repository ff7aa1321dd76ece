#pragma once

#include <map>
#include <set>
#include <string>

#include "staged/ext/journal.h"
#include "staged/operation.h"
#include "workspace/tree.h"

// What an operation means for the state that the journal keeps beside it. One function, used when
// an operation is appended, when an archive is imported and when fsck replays: they cannot
// disagree.
namespace staged {

// Receives the effects of an operation.
class ProjectionSink {
 public:
  virtual ~ProjectionSink() = default;
  virtual Status SetAccepted(const std::string& path, const OptionalEntry& entry,
                             int64_t sequence) = 0;
  virtual Status SetLive(int64_t sequence, bool live) = 0;
  virtual Status PutReceipt(const ReceiptRow& receipt) = 0;
  virtual Status SetReceiptState(const std::string& id, ReceiptState state) = 0;
  virtual Status PutPolicy(const std::string& text) = 0;
  virtual Status PutConfig(const std::string& name, const std::string& value) = 0;  // "": unset
};

[[nodiscard]] Status Project(const Operation& operation, ProjectionSink& sink);

// Appends to the journal and projects, in the caller's transaction.
[[nodiscard]] Status AppendAndProject(JournalTransaction& transaction, Operation& operation);

// The state in memory, for replay and tests.
class MemoryProjection final : public ProjectionSink {
 public:
  Status SetAccepted(const std::string& path, const OptionalEntry& entry, int64_t) override {
    SetEntry(accepted, path, entry);
    return OkStatus();
  }
  Status SetLive(int64_t sequence, bool is_live) override {
    if (is_live) {
      live.insert(sequence);
    } else {
      live.erase(sequence);
    }
    return OkStatus();
  }
  Status PutReceipt(const ReceiptRow& receipt) override {
    receipts[receipt.id] = receipt;
    return OkStatus();
  }
  Status SetReceiptState(const std::string& id, ReceiptState state) override {
    if (const auto found = receipts.find(id); found != receipts.end()) found->second.state = state;
    return OkStatus();
  }
  Status PutPolicy(const std::string& text) override {
    policy = text;
    return OkStatus();
  }
  Status PutConfig(const std::string& name, const std::string& value) override {
    config[name] = value;
    return OkStatus();
  }

  Tree accepted;
  std::set<int64_t> live;
  std::map<std::string, ReceiptRow> receipts;
  std::string policy;
  std::map<std::string, std::string> config;
};

// Members of an operation's payload.
inline constexpr std::string_view kPayloadReceipts = "receipts";             // review: rows
inline constexpr std::string_view kPayloadReceiptStates = "receipt_states";  // [[id, state], ...]
inline constexpr std::string_view kPayloadPolicy = "policy";        // policy: the file's text
inline constexpr std::string_view kPayloadSetting = "setting";      // config: its name
inline constexpr std::string_view kPayloadValue = "value";          // config: its value, or null
inline constexpr std::string_view kPayloadMessage = "message";      // submit
inline constexpr std::string_view kPayloadPublisher = "publisher";  // submit: its publisher's name
inline constexpr std::string_view kPayloadWithdrawn = "withdrawn";  // withdraw: the submit's number
inline constexpr std::string_view kPayloadEdits = "edits";  // edit: [{op, locator, digest}, ...]
inline constexpr std::string_view kPayloadDerived = "derived";  // edit: [[locator, text], ...]
// What a writing call answered, where the changes alone do not say it: {path, to, base, hash}.
inline constexpr std::string_view kPayloadAnswer = "answer";
// {path, to, first}: one of the operations, from `first` on, that a command on a directory made.
inline constexpr std::string_view kPayloadDirectory = "directory";
inline constexpr std::string_view kPayloadForgotten = "forgotten";  // forget: the hash

[[nodiscard]] Value ReceiptToValue(const ReceiptRow& receipt);
[[nodiscard]] Result<ReceiptRow> ReceiptFromValue(const Value& value);
[[nodiscard]] Value EntryToValue(const OptionalEntry& entry);

// Adds "receipt `id` is now `state`" to the payload.
void AddReceiptState(Operation& operation, const std::string& id, ReceiptState state);

// The setting that holds the policy text in force.
inline constexpr std::string_view kPolicySetting = "policy";
// Before the name of a setting of `staged config`.
inline constexpr std::string_view kConfigPrefix = "config:";

}  // namespace staged
