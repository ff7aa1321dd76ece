#include "workspace/projection.h"

namespace staged {
namespace {

Status Malformed(const Operation& operation) {
  return {ErrorCode::kDataLoss, "operation " + std::to_string(operation.sequence) +
                                    " has a damaged payload; restore .staged from a copy or an "
                                    "export"};
}

// Writes into the journal's own projections.
class TransactionSink final : public ProjectionSink {
 public:
  explicit TransactionSink(JournalTransaction& transaction) : transaction_(transaction) {}
  Status SetAccepted(const std::string& path, const OptionalEntry& entry,
                     int64_t sequence) override {
    return transaction_.SetAccepted(path, entry, sequence);
  }
  Status SetLive(int64_t sequence, bool live) override {
    return transaction_.SetLive(sequence, live);
  }
  Status PutReceipt(const ReceiptRow& receipt) override { return transaction_.PutReceipt(receipt); }
  Status SetReceiptState(const std::string& id, ReceiptState state) override {
    STAGED_ASSIGN_OR_RETURN(auto receipt, transaction_.Receipt(id));
    if (!receipt) return OkStatus();
    receipt->state = state;
    return transaction_.PutReceipt(*receipt);
  }
  Status PutPolicy(const std::string& text) override {
    return transaction_.PutSetting(std::string(kPolicySetting), text);
  }
  Status PutConfig(const std::string& name, const std::string& value) override {
    return transaction_.PutSetting(std::string(kConfigPrefix) + name, value);
  }

 private:
  JournalTransaction& transaction_;
};

Result<OptionalEntry> EntryFromValue(const Value* value) {
  if (value == nullptr || value->is_null()) return OptionalEntry();
  const Value* kind = value->Find("kind");
  if (kind == nullptr || !kind->is_integer()) {
    return Status(ErrorCode::kDataLoss, "an entry in the journal is damaged; run `staged fsck`");
  }
  STAGED_ASSIGN_OR_RETURN(const ContentHash hash, ContentHash::Parse(value->FindString("hash")));
  return OptionalEntry(Entry{static_cast<EntryKind>(kind->as_integer()), hash});
}

int64_t FindInteger(const Value& value, std::string_view name) {
  const Value* member = value.Find(name);
  return member != nullptr && member->is_integer() ? member->as_integer() : 0;
}

}  // namespace

Value EntryToValue(const OptionalEntry& entry) {
  if (!entry) return {};
  return Value::Object{{"kind", static_cast<int>(entry->kind)}, {"hash", entry->hash.ToString()}};
}

Value ReceiptToValue(const ReceiptRow& receipt) {
  return Value::Object{{"id", receipt.id},
                       {"branch", receipt.branch},
                       {"path", receipt.path},
                       {"state", static_cast<int>(receipt.state)},
                       {"base", EntryToValue(receipt.base)},
                       {"staged", EntryToValue(receipt.staged)},
                       {"staged_sequence", receipt.staged_sequence},
                       {"evidence", receipt.evidence}};
}

Result<ReceiptRow> ReceiptFromValue(const Value& value) {
  ReceiptRow receipt;
  receipt.id = value.FindString("id");
  receipt.branch = value.FindString("branch");
  receipt.path = value.FindString("path");
  receipt.state = static_cast<ReceiptState>(FindInteger(value, "state"));
  STAGED_ASSIGN_OR_RETURN(receipt.base, EntryFromValue(value.Find("base")));
  STAGED_ASSIGN_OR_RETURN(receipt.staged, EntryFromValue(value.Find("staged")));
  receipt.staged_sequence = FindInteger(value, "staged_sequence");
  if (const Value* evidence = value.Find("evidence")) receipt.evidence = *evidence;
  return receipt;
}

void AddReceiptState(Operation& operation, const std::string& id, ReceiptState state) {
  Value states = Value::Array{};
  if (const Value* known = operation.payload.Find(kPayloadReceiptStates)) states = *known;
  states.as_array().push_back(Value::Array{id, static_cast<int>(state)});
  operation.payload.Set(kPayloadReceiptStates, std::move(states));
}

Status Project(const Operation& operation, ProjectionSink& sink) {
  const bool moves_accepted = operation.type == OperationType::kAdopt ||
                              operation.type == OperationType::kSubmit ||
                              operation.type == OperationType::kWithdraw;
  if (moves_accepted) {
    for (const PathChange& change : operation.changes) {
      STAGED_RETURN_IF_ERROR(sink.SetAccepted(change.path, change.result, operation.sequence));
    }
  }
  for (const int64_t sequence : operation.consumes) {
    STAGED_RETURN_IF_ERROR(sink.SetLive(sequence, false));
  }
  for (const int64_t sequence : operation.revives) {
    STAGED_RETURN_IF_ERROR(sink.SetLive(sequence, true));
  }
  if (IsContentOperation(operation.type) && !operation.changes.empty()) {
    STAGED_RETURN_IF_ERROR(sink.SetLive(operation.sequence, true));
  }
  if (const Value* receipts = operation.payload.Find(kPayloadReceipts)) {
    if (!receipts->is_array()) return Malformed(operation);
    for (const Value& value : receipts->as_array()) {
      STAGED_ASSIGN_OR_RETURN(ReceiptRow receipt, ReceiptFromValue(value));
      receipt.review_sequence = operation.sequence;
      STAGED_RETURN_IF_ERROR(sink.PutReceipt(receipt));
    }
  }
  if (const Value* states = operation.payload.Find(kPayloadReceiptStates)) {
    if (!states->is_array()) return Malformed(operation);
    for (const Value& state : states->as_array()) {
      if (!state.is_array() || state.as_array().size() != 2 || !state.as_array()[0].is_string() ||
          !state.as_array()[1].is_integer()) {
        return Malformed(operation);
      }
      STAGED_RETURN_IF_ERROR(
          sink.SetReceiptState(state.as_array()[0].as_string(),
                               static_cast<ReceiptState>(state.as_array()[1].as_integer())));
    }
  }
  if (operation.type == OperationType::kPolicy) {
    STAGED_RETURN_IF_ERROR(
        sink.PutPolicy(std::string(operation.payload.FindString(kPayloadPolicy))));
  }
  if (operation.type == OperationType::kConfig) {
    STAGED_RETURN_IF_ERROR(
        sink.PutConfig(std::string(operation.payload.FindString(kPayloadSetting)),
                       std::string(operation.payload.FindString(kPayloadValue))));
  }
  return OkStatus();
}

Status AppendAndProject(JournalTransaction& transaction, Operation& operation) {
  STAGED_RETURN_IF_ERROR(transaction.Append(operation));
  TransactionSink sink(transaction);
  return Project(operation, sink);
}

}  // namespace staged
