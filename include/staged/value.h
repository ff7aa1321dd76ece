#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace staged {

// A small self-describing value: what a record's attributes, an operation's payload and an error's
// details are made of. Objects keep their insertion order, so that everything printed or stored is
// deterministic. Plain data; safe to share between threads while nobody writes.
class Value {
 public:
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;

  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<int64_t>(value)) {}
  Value(unsigned value) : data_(static_cast<int64_t>(value)) {}
  Value(long value) : data_(static_cast<int64_t>(value)) {}
  Value(long long value) : data_(static_cast<int64_t>(value)) {}
  Value(unsigned long value) : data_(static_cast<int64_t>(value)) {}
  Value(unsigned long long value) : data_(static_cast<int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_integer() const { return std::holds_alternative<int64_t>(data_); }
  [[nodiscard]] bool is_double() const { return std::holds_alternative<double>(data_); }
  [[nodiscard]] bool is_number() const { return is_integer() || is_double(); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(data_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(data_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(data_); }

  // Typed reads. REQUIRES: the value is of that type (as_double also takes an integer).
  [[nodiscard]] bool as_bool() const { return std::get<bool>(data_); }
  [[nodiscard]] int64_t as_integer() const { return std::get<int64_t>(data_); }
  [[nodiscard]] double as_double() const {
    return is_integer() ? static_cast<double>(as_integer()) : std::get<double>(data_);
  }
  [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(data_); }
  [[nodiscard]] const Array& as_array() const { return std::get<Array>(data_); }
  [[nodiscard]] Array& as_array() { return std::get<Array>(data_); }
  [[nodiscard]] const Object& as_object() const { return std::get<Object>(data_); }
  [[nodiscard]] Object& as_object() { return std::get<Object>(data_); }

  // The member of that name, or nullptr when absent or when this is no object.
  [[nodiscard]] const Value* Find(std::string_view name) const;
  // The member as a string, or `fallback` when it is absent or no string.
  [[nodiscard]] std::string_view FindString(std::string_view name,
                                            std::string_view fallback = "") const;
  // Sets or replaces a member. A null value becomes an object first. REQUIRES: null or object.
  void Set(std::string_view name, Value value);

  friend bool operator==(const Value& left, const Value& right) = default;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> data_;
};

}  // namespace staged
