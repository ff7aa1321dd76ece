#include "workspace/state_table.h"

namespace staged {
namespace {

constexpr Transition To(FileState next) { return {next, ErrorCode::kOk}; }
constexpr Transition Stay(FileState state, ErrorCode refusal) { return {state, refusal}; }

using enum FileState;

}  // namespace

// Columns: stage, review, submit, discard, accepted moved, accepted met, rebase clean, rebase
// conflict, resolve, resolve right. Review of nothing mints nothing and submit of nothing submits
// nothing: both succeed and change nothing.
constexpr std::array<std::array<Transition, kFileEventCount>, kFileStateCount> kStateTable = {{
    // initial
    {{To(kEdited), To(kInitial), To(kInitial), To(kInitial), To(kInitial), To(kInitial),
      To(kInitial), Stay(kInitial, ErrorCode::kInvalidArgument),
      Stay(kInitial, ErrorCode::kInvalidArgument), Stay(kInitial, ErrorCode::kInvalidArgument)}},
    // edited
    {{To(kEdited), To(kReviewed), Stay(kEdited, ErrorCode::kNotReviewed), To(kInitial),
      To(kConflict), To(kInitial), To(kEdited), Stay(kEdited, ErrorCode::kInvalidArgument),
      Stay(kEdited, ErrorCode::kInvalidArgument), Stay(kEdited, ErrorCode::kInvalidArgument)}},
    // reviewed
    {{To(kEdited), To(kReviewed), To(kInitial), To(kInitial), To(kConflict), To(kInitial),
      To(kReviewed), Stay(kReviewed, ErrorCode::kInvalidArgument),
      Stay(kReviewed, ErrorCode::kInvalidArgument), Stay(kReviewed, ErrorCode::kInvalidArgument)}},
    // conflict: a write based on what is accepted supersedes the chain; review mints nothing
    {{To(kEdited), Stay(kConflict, ErrorCode::kConflict), Stay(kConflict, ErrorCode::kConflict),
      To(kInitial), To(kConflict), To(kInitial), To(kEdited), Stay(kConflict, ErrorCode::kConflict),
      To(kEdited), To(kInitial)}},
}};

std::string_view FileStateName(FileState state) {
  switch (state) {
    case kInitial:
      return "initial";
    case kEdited:
      return "edited";
    case kReviewed:
      return "reviewed";
    case kConflict:
      return "conflict";
  }
  return "unknown";
}

}  // namespace staged
