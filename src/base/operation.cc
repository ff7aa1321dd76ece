#include "staged/operation.h"

namespace staged {

std::string_view OperationTypeName(OperationType type) {
  switch (type) {
    case OperationType::kCreate:
      return "create";
    case OperationType::kReplace:
      return "replace";
    case OperationType::kEdit:
      return "edit";
    case OperationType::kMode:
      return "mode";
    case OperationType::kMove:
      return "move";
    case OperationType::kDelete:
      return "delete";
    case OperationType::kAdopt:
      return "adopt";
    case OperationType::kReview:
      return "review";
    case OperationType::kApprove:
      return "approve";
    case OperationType::kSubmit:
      return "submit";
    case OperationType::kResolve:
      return "resolve";
    case OperationType::kRebase:
      return "rebase";
    case OperationType::kDiscard:
      return "discard";
    case OperationType::kUndo:
      return "undo";
    case OperationType::kPolicy:
      return "policy";
    case OperationType::kForget:
      return "forget";
    case OperationType::kWithdraw:
      return "withdraw";
    case OperationType::kConfig:
      return "config";
  }
  return "unknown";
}

std::string_view EntryKindName(EntryKind kind) {
  switch (kind) {
    case EntryKind::kFile:
      return "file";
    case EntryKind::kExecutable:
      return "executable";
    case EntryKind::kSymlink:
      return "symlink";
  }
  return "unknown";
}

bool IsContentOperation(OperationType type) {
  return type <= OperationType::kDelete || type == OperationType::kResolve ||
         type == OperationType::kRebase;
}

}  // namespace staged
