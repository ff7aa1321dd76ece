#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "staged/content_hash.h"
#include "staged/value.h"

namespace staged {

// Persisted: never renumber.
enum class EntryKind : uint8_t { kFile = 1, kExecutable = 2, kSymlink = 3 };

// "file", "executable", "symlink".
[[nodiscard]] std::string_view EntryKindName(EntryKind kind);

// What a path maps to. A symlink's content is its target's bytes.
struct Entry {
  EntryKind kind = EntryKind::kFile;
  ContentHash hash;
  friend bool operator==(const Entry&, const Entry&) = default;
};
using OptionalEntry = std::optional<Entry>;

enum class ActorKind : uint8_t { kAgent = 1, kHuman = 2, kSystem = 3 };
struct Actor {
  std::string name;
  ActorKind kind = ActorKind::kAgent;
  friend bool operator==(const Actor&, const Actor&) = default;
};

enum class BranchKind : uint8_t { kChat = 1, kReview = 2, kEvaluation = 3, kHuman = 4 };

// Persisted: never renumber.
enum class OperationType : uint8_t {
  kCreate = 1,
  kReplace = 2,
  kEdit = 3,
  kMode = 4,
  kMove = 5,
  kDelete = 6,
  kAdopt = 7,  // what a person saved in the live folder, or what init took in
  kReview = 8,
  kApprove = 9,  // payload says approved or rejected
  kSubmit = 10,
  kResolve = 11,
  kRebase = 12,
  kDiscard = 13,
  kUndo = 14,
  kPolicy = 15,
  kForget = 16,
  kWithdraw = 17,  // a submit whose publication met a change on disk: taken back, nothing lost
  kConfig = 18,    // payload: a setting's name and its new value
};
[[nodiscard]] std::string_view OperationTypeName(OperationType type);
// Whether operations of this type stage something: the first six, and a rebase or resolve that had
// to change bytes. Such an operation with at least one change is live until another consumes it.
[[nodiscard]] bool IsContentOperation(OperationType type);

struct PathChange {
  std::string path;
  OptionalEntry base;  // what the path was in the branch's working state (accepted tree: submit)
  OptionalEntry result;
  friend bool operator==(const PathChange&, const PathChange&) = default;
};

// One line of the journal. Plain data.
struct Operation {
  int64_t sequence = 0;  // the journal's number, from 1 without gaps
  int64_t time_ns = 0;   // wall clock, ns since 1970 UTC
  Actor actor;
  std::string branch;
  std::string turn;
  int64_t lease_epoch = 0;  // 0: none held
  OperationType type = OperationType::kCreate;
  std::vector<PathChange> changes;
  std::vector<int64_t> consumes;  // live operations that this one ends
  std::vector<int64_t> revives;   // consumed operations that it makes live again (redo, withdraw)
  Value payload;                  // evidence: edits, message, receipts, policy text ...
  std::string request_id;
  ContentHash chain;  // SHA-256(previous chain || canonical encoding without chain)
  friend bool operator==(const Operation&, const Operation&) = default;
};

}  // namespace staged
