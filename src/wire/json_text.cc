#include "wire/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace staged {
namespace {

void AppendQuoted(std::string& out, std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const std::string clean = IsValidUtf8(text) ? std::string() : ReplaceInvalidUtf8(text);
  if (!clean.empty()) text = clean;
  out += '"';
  for (const char byte : text) {
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(byte) < 0x20) {
          out += "\\u00";
          out += kDigits[static_cast<unsigned char>(byte) >> 4];
          out += kDigits[static_cast<unsigned char>(byte) & 15];
        } else {
          out += byte;
        }
    }
  }
  out += '"';
}

template <typename Number>
void AppendNumber(std::string& out, Number number) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), static_cast<size_t>(end - text.data()));
}

void Append(std::string& out, const Value& value) {
  if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_integer()) {
    AppendNumber(out, value.as_integer());
  } else if (value.is_double() && std::isfinite(value.as_double())) {
    AppendNumber(out, value.as_double());
  } else if (value.is_string()) {
    AppendQuoted(out, value.as_string());
  } else if (value.is_array()) {
    out += '[';
    for (const Value& item : value.as_array()) {
      if (out.back() != '[') out += ',';
      Append(out, item);
    }
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    bool first = true;
    for (const Value::Member& member : value.as_object()) {
      if (!first) out += ',';
      first = false;
      AppendQuoted(out, member.first);
      out += ':';
      Append(out, member.second);
    }
    out += '}';
  } else {
    out += "null";
  }
}

// nlohmann's SAX events into a Value: keeps the order of members, throws nothing.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add({}); }
  bool boolean(bool flag) override { return Add(flag); }
  bool number_integer(number_integer_t number) override { return Add(int64_t{number}); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<uint64_t>(INT64_MAX)) return Add(static_cast<double>(number));
    return Add(static_cast<int64_t>(number));
  }
  bool number_float(number_float_t number, const string_t&) override { return Add(number); }
  bool string(string_t& text) override { return Add(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(Value::Object{}); }
  bool key(string_t& name) override {
    keys_.back() = name;
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(Value::Array{}); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }

  static constexpr size_t kDepthMax = 256;
  Value root;
  size_t position = 0;
  bool is_too_deep = false;

 private:
  bool Add(Value value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().as_array().push_back(std::move(value));
    } else {
      open_.back().as_object().emplace_back(keys_.back(), std::move(value));
    }
    return true;
  }
  bool Open(Value value) {
    if (open_.size() >= kDepthMax) {
      is_too_deep = true;
      return false;
    }
    open_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }
  bool Close() {
    Value value = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return Add(std::move(value));
  }

  std::vector<Value> open_;
  std::vector<std::string> keys_;
};

}  // namespace

std::string ToJson(const Value& value) {
  std::string out;
  Append(out, value);
  return out;
}

Result<Value> ParseJson(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    if (builder.is_too_deep) {
      return Status(ErrorCode::kInvalidArgument, "the JSON is nested more than " +
                                                     std::to_string(Builder::kDepthMax) +
                                                     " deep; make it flatter");
    }
    return Status(ErrorCode::kInvalidArgument, "the JSON is malformed at byte " +
                                                   std::to_string(builder.position) +
                                                   "; check it with a JSON tool");
  }
  return std::move(builder.root);
}

}  // namespace staged
