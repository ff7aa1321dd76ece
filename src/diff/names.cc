#include "staged/diff.h"

namespace staged {

std::string_view ChangeOpName(ChangeOp op) {
  switch (op) {
    case ChangeOp::kInsert:
      return "insert";
    case ChangeOp::kDelete:
      return "delete";
    case ChangeOp::kModify:
      return "modify";
    case ChangeOp::kMove:
      return "move";
    case ChangeOp::kMoveModify:
      return "move_modify";
  }
  return "unknown";
}

std::string_view ChangeClassName(ChangeClass change_class) {
  switch (change_class) {
    case ChangeClass::kContent:
      return "content";
    case ChangeClass::kFormat:
      return "format";
    case ChangeClass::kStructure:
      return "structure";
    case ChangeClass::kDerived:
      return "derived";
    case ChangeClass::kSerialization:
      return "serialization";
    case ChangeClass::kOpaque:
      return "opaque";
  }
  return "unknown";
}

}  // namespace staged
