#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "staged/status.h"

namespace staged {

// One file's state on one branch (docs/contract.md). "Submitted" is "initial" at the new content.
enum class FileState : uint8_t { kInitial = 0, kEdited = 1, kReviewed = 2, kConflict = 3 };
inline constexpr size_t kFileStateCount = 4;

// What can happen to one file. Events are facts, not commands: a write that is refused is none.
enum class FileEvent : uint8_t {
  kStage = 0,          // an operation of this branch on the working entry
  kReview = 1,         // review of exactly what is staged
  kSubmit = 2,         // submit of the path
  kDiscard = 3,        // discard, or undo or rollback of all that is staged
  kAcceptedMoved = 4,  // another submit or a person's save: accepted is neither base nor staged
  kAcceptedMet = 5,    // the same, and accepted now equals what is staged
  kRebaseClean = 6,    // three-way merge without conflicts
  kRebaseConflict = 7,
  kResolve = 8,       // take left, base or given bytes
  kResolveRight = 9,  // take what is accepted
};
inline constexpr size_t kFileEventCount = 10;

// The next state, or the error that refuses the event and changes nothing.
struct Transition {
  FileState next;
  ErrorCode refusal;  // kOk: allowed
};

// Every state x every event: the whole table, read by the workspace and by one exhaustive test.
extern const std::array<std::array<Transition, kFileEventCount>, kFileStateCount> kStateTable;

[[nodiscard]] inline const Transition& NextState(FileState state, FileEvent event) {
  return kStateTable[static_cast<size_t>(state)][static_cast<size_t>(event)];
}

[[nodiscard]] std::string_view FileStateName(FileState state);

}  // namespace staged
