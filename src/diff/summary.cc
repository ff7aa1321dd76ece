#include "diff/summary.h"

namespace staged {

DiffSummary Summarise(const std::vector<Change>& changes) {
  DiffSummary summary;
  for (const Change& change : changes) {
    switch (change.change_class) {
      case ChangeClass::kDerived:
        ++summary.derived;
        continue;
      case ChangeClass::kSerialization:
        ++summary.serialization;
        continue;
      case ChangeClass::kOpaque:
        ++summary.opaque;
        continue;
      default:
        break;
    }
    switch (change.op) {
      case ChangeOp::kInsert:
        ++summary.insertions;
        break;
      case ChangeOp::kDelete:
        ++summary.deletions;
        break;
      case ChangeOp::kModify:
        ++summary.modifications;
        break;
      case ChangeOp::kMove:
      case ChangeOp::kMoveModify:
        ++summary.moves;
        break;
    }
  }
  return summary;
}

void NumberChanges(Diff& diff) {
  for (size_t i = 0; i < diff.changes.size(); ++i) diff.changes[i].id = ChangeId(i);
  diff.summary = Summarise(diff.changes);
}

}  // namespace staged
