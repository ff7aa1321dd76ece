#include "journal/operation_encoding.h"

#include <algorithm>
#include <utility>

#include "base/binary.h"

namespace staged {
namespace {

constexpr uint8_t kAbsent = 0;

bool IsDeeperThan(const Value& value, int depth) {
  if (!value.is_array() && !value.is_object()) return false;
  if (depth == 0) return true;
  if (value.is_array()) {
    return std::any_of(value.as_array().begin(), value.as_array().end(),
                       [&](const Value& item) { return IsDeeperThan(item, depth - 1); });
  }
  return std::any_of(
      value.as_object().begin(), value.as_object().end(),
      [&](const Value::Member& member) { return IsDeeperThan(member.second, depth - 1); });
}

void PutEntry(BinaryWriter& writer, const OptionalEntry& entry) {
  if (!entry) {
    writer.PutByte(kAbsent);
    return;
  }
  writer.PutByte(static_cast<uint8_t>(entry->kind));
  writer.PutHash(entry->hash);
}

void PutSequences(BinaryWriter& writer, const std::vector<int64_t>& sequences) {
  writer.PutUnsigned(sequences.size());
  for (const int64_t sequence : sequences) writer.PutSigned(sequence);
}

// Turns false for a byte that names no member of the enumeration.
template <typename Enum>
Enum GetEnum(BinaryReader& reader, Enum first, Enum last, bool& valid) {
  const uint8_t byte = reader.GetByte();
  if (byte < static_cast<uint8_t>(first) || byte > static_cast<uint8_t>(last)) valid = false;
  return static_cast<Enum>(byte);
}

OptionalEntry GetEntry(BinaryReader& reader, bool& valid) {
  const uint8_t kind = reader.GetByte();
  if (kind == kAbsent) return std::nullopt;
  if (kind > static_cast<uint8_t>(EntryKind::kSymlink)) valid = false;
  return Entry{static_cast<EntryKind>(kind), reader.GetHash()};
}

std::vector<int64_t> GetSequences(BinaryReader& reader) {
  std::vector<int64_t> sequences(reader.GetCount(1));
  for (int64_t& sequence : sequences) sequence = reader.GetSigned();
  return sequences;
}

}  // namespace

Result<std::string> EncodeOperation(const Operation& operation) {
  if (IsDeeperThan(operation.payload, kPayloadDepthMax)) {
    return Status(ErrorCode::kLimitExceeded, "the operation's payload is nested more than " +
                                                 std::to_string(kPayloadDepthMax) +
                                                 " levels deep; flatten it");
  }
  BinaryWriter writer;
  writer.PutByte(kOperationEncodingVersion);
  writer.PutSigned(operation.sequence);
  writer.PutSigned(operation.time_ns);
  writer.PutString(operation.actor.name);
  writer.PutByte(static_cast<uint8_t>(operation.actor.kind));
  writer.PutString(operation.branch);
  writer.PutString(operation.turn);
  writer.PutSigned(operation.lease_epoch);
  writer.PutByte(static_cast<uint8_t>(operation.type));
  writer.PutUnsigned(operation.changes.size());
  for (const PathChange& change : operation.changes) {
    writer.PutString(change.path);
    PutEntry(writer, change.base);
    PutEntry(writer, change.result);
  }
  PutSequences(writer, operation.consumes);
  PutSequences(writer, operation.revives);
  writer.PutValue(operation.payload);
  writer.PutString(operation.request_id);
  return writer.Take();
}

Result<Operation> DecodeOperation(std::string_view encoding) {
  BinaryReader reader(encoding);
  const uint8_t version = reader.GetByte();
  if (reader.ok() && version > kOperationEncodingVersion) {
    return Status(ErrorCode::kUnsupportedEdit, "the journal has an operation of encoding version " +
                                                   std::to_string(version) +
                                                   "; open it with a newer staged");
  }
  bool valid = version == kOperationEncodingVersion;
  Operation operation;
  operation.sequence = reader.GetSigned();
  operation.time_ns = reader.GetSigned();
  operation.actor.name = reader.GetString();
  operation.actor.kind = GetEnum(reader, ActorKind::kAgent, ActorKind::kSystem, valid);
  operation.branch = reader.GetString();
  operation.turn = reader.GetString();
  operation.lease_epoch = reader.GetSigned();
  operation.type = GetEnum(reader, OperationType::kCreate, OperationType::kConfig, valid);
  constexpr uint64_t kChangeBytesMin = 3;  // an empty path and two absences
  const uint64_t change_count = reader.GetCount(kChangeBytesMin);
  for (uint64_t i = 0; i < change_count && reader.ok() && valid; ++i) {
    PathChange& change = operation.changes.emplace_back();
    change.path = reader.GetString();
    change.base = GetEntry(reader, valid);
    change.result = GetEntry(reader, valid);
  }
  operation.consumes = GetSequences(reader);
  operation.revives = GetSequences(reader);
  operation.payload = reader.GetValue();
  operation.request_id = reader.GetString();
  STAGED_RETURN_IF_ERROR(reader.Finish("an operation of the journal"));
  if (!valid || IsDeeperThan(operation.payload, kPayloadDepthMax)) {
    return Status(ErrorCode::kDataLoss,
                  "an operation of the journal is damaged; run `staged fsck`");
  }
  return operation;
}

ContentHash NextChain(const ContentHash& previous, std::string_view encoding) {
  ContentHasher hasher;
  hasher.Update(previous.raw());
  hasher.Update(encoding);
  return hasher.Finish();
}

}  // namespace staged
