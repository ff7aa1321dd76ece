#include "staged/status.h"

namespace staged {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return "ok";
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kPathEscape:
      return "path_escape";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kStaleBase:
      return "stale_base";
    case ErrorCode::kReviewVoid:
      return "review_void";
    case ErrorCode::kNotReviewed:
      return "not_reviewed";
    case ErrorCode::kNoMatch:
      return "no_match";
    case ErrorCode::kAmbiguous:
      return "ambiguous";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kFenced:
      return "fenced";
    case ErrorCode::kPermissionDenied:
      return "permission_denied";
    case ErrorCode::kParseFailed:
      return "parse_failed";
    case ErrorCode::kUnsupportedEdit:
      return "unsupported_edit";
    case ErrorCode::kLimitExceeded:
      return "limit_exceeded";
    case ErrorCode::kIoError:
      return "io_error";
    case ErrorCode::kDataLoss:
      return "data_loss";
  }
  return "unknown";
}

const std::string& Status::message() const {
  static const std::string empty;
  return error_ ? error_->message : empty;
}

const Value& Status::details() const {
  static const Value null;
  return error_ ? error_->details : null;
}

Status Status::WithDetail(std::string_view name, Value value) && {
  error_->details.Set(name, std::move(value));
  return std::move(*this);
}

}  // namespace staged
