#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "staged/value.h"

namespace staged {

// The stable error codes of the contract. Where several hold, the first of this order is given.
enum class ErrorCode : uint8_t {
  kOk = 0,
  kInvalidArgument = 1,
  kPathEscape = 2,
  kNotFound = 3,
  kConflict = 4,
  kStaleBase = 5,
  kReviewVoid = 6,
  kNotReviewed = 7,
  kNoMatch = 8,
  kAmbiguous = 9,
  kBusy = 10,
  kFenced = 11,
  kPermissionDenied = 12,
  kParseFailed = 13,
  kUnsupportedEdit = 14,
  kLimitExceeded = 15,
  kIoError = 16,
  kDataLoss = 17,
};

// The code as the contract writes it: "stale_base".
[[nodiscard]] std::string_view ErrorCodeName(ErrorCode code);

// The outcome of a call that yields nothing else. An error's message is one line that says what to
// do next; its details are an object for machines. Success costs no allocation.
class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  Status(ErrorCode code, std::string message, Value details = {})
      : error_(std::make_unique<Error>(Error{code, std::move(message), std::move(details)})) {}
  Status(const Status& other)
      : error_(other.error_ ? std::make_unique<Error>(*other.error_) : nullptr) {}
  Status& operator=(const Status& other) {
    error_ = other.error_ ? std::make_unique<Error>(*other.error_) : nullptr;
    return *this;
  }
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;
  ~Status() = default;

  [[nodiscard]] bool ok() const { return error_ == nullptr; }
  [[nodiscard]] ErrorCode code() const { return error_ ? error_->code : ErrorCode::kOk; }
  [[nodiscard]] const std::string& message() const;
  [[nodiscard]] const Value& details() const;  // null on success
  // The same error with a member added to its details. REQUIRES: !ok().
  [[nodiscard]] Status WithDetail(std::string_view name, Value value) &&;

 private:
  struct Error {
    ErrorCode code;
    std::string message;
    Value details;
  };
  std::unique_ptr<Error> error_;
};

[[nodiscard]] inline Status OkStatus() { return {}; }

// A value or the error that kept it from being made.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }
  Result(T value) : value_(std::move(value)) {}

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const& { return status_; }
  [[nodiscard]] Status status() && { return std::move(status_); }
  // REQUIRES: ok().
  [[nodiscard]] T& value() & {
    assert(ok());
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

#define STAGED_CONCAT_INNER(left, right) left##right
#define STAGED_CONCAT(left, right) STAGED_CONCAT_INNER(left, right)

// Returns the error of a Status expression from the enclosing function.
#define STAGED_RETURN_IF_ERROR(expression)                        \
  do {                                                            \
    if (::staged::Status status_ = (expression); !status_.ok()) { \
      return status_;                                             \
    }                                                             \
  } while (false)

// Declares or assigns `target` from a Result expression, or returns its error.
#define STAGED_ASSIGN_OR_RETURN(target, expression) \
  STAGED_ASSIGN_OR_RETURN_INNER(STAGED_CONCAT(result_, __LINE__), target, expression)
#define STAGED_ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                                     \
  if (!result.ok()) {                                             \
    return std::move(result).status();                            \
  }                                                               \
  target = std::move(result).value()

}  // namespace staged
