#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "codec/json.h"

// Strings, pointers and values: what the tokenizer does not need.
namespace staged {
namespace {

uint32_t HexValue(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<uint32_t>(c - 'A' + 10);
  return 16;
}

// Four hexadecimal digits at `at`, or nothing.
std::optional<uint32_t> ReadUnit(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  uint32_t unit = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const uint32_t digit = HexValue(text[i]);
    if (digit > 15) return std::nullopt;
    unit = unit * 16 + digit;
  }
  return unit;
}

// `at` is behind "\u" and moves behind what is read. Malformed escapes stay as they are.
void AppendUnicodeEscape(std::string& out, std::string_view text, size_t& at) {
  const std::optional<uint32_t> unit = ReadUnit(text, at);
  if (!unit) {
    out.append("\\u");
    return;
  }
  at += 4;
  uint32_t code_point = *unit;
  const bool is_high = code_point >= 0xD800 && code_point <= 0xDBFF;
  if (is_high && text.substr(at, 2) == "\\u") {
    const std::optional<uint32_t> low = ReadUnit(text, at + 2);
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (*low - 0xDC00);
      at += 6;
    }
  }
  AppendUtf8(out, code_point);
}

void AppendUnicodeUnit(std::string& out, uint32_t unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kDigits[(unit >> shift) & 15]);
}

Value NumberToValue(std::string_view number) {
  int64_t integer = 0;
  const char* const end = number.data() + number.size();
  const auto [integer_end, integer_error] = std::from_chars(number.data(), end, integer);
  if (integer_error == std::errc() && integer_end == end) return integer;
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(number.data(), end, real);
  if (real_error == std::errc() && real_end == end) return real;
  return std::string(number);  // beyond a double's range: its text
}

Status AppendScalar(std::string& out, const Value& value, const JsonStyle& style) {
  if (value.is_string()) {
    AppendJsonString(out, value.as_string(), style.ascii_only);
  } else if (value.is_bool()) {
    out.append(value.as_bool() ? "true" : "false");
  } else if (value.is_integer()) {
    out.append(std::to_string(value.as_integer()));
  } else if (value.is_double()) {
    if (!std::isfinite(value.as_double())) {
      return Status(ErrorCode::kInvalidArgument, "JSON has no infinite or undefined numbers");
    }
    char buffer[40];
    const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value.as_double());
    out.append(buffer, result.ptr);
  } else {
    out.append("null");
  }
  return OkStatus();
}

}  // namespace

std::string DecodeJsonString(std::string_view token) {
  std::string out;
  DecodeJsonStringTo(token, out);
  return out;
}

void DecodeJsonStringTo(std::string_view token, std::string& out) {
  if (token.size() >= 2) token = token.substr(1, token.size() - 2);
  const size_t begin = out.size();
  for (size_t at = 0; at < token.size();) {
    const size_t escape = std::min(token.find('\\', at), token.size());
    out.append(token.substr(at, escape - at));
    at = escape;
    if (at + 1 >= token.size()) {
      out.append(token.substr(at));
      break;
    }
    const char kind = token[at + 1];
    at += 2;
    switch (kind) {
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'u':
        AppendUnicodeEscape(out, token, at);
        break;
      default:
        if (kind != '"' && kind != '\\' && kind != '/') out.push_back('\\');
        out.push_back(kind);
    }
  }
  const std::string_view added = std::string_view(out).substr(begin);
  if (!IsValidUtf8(added)) out.replace(begin, std::string::npos, ReplaceInvalidUtf8(added));
}

void AppendJsonString(std::string& out, std::string_view text, bool ascii_only) {
  out.push_back('"');
  for (size_t at = 0; at < text.size();) {
    const uint32_t code_point = NextCodePoint(text, at);
    constexpr std::string_view kShort = "\b\t\n\v\f\r";
    constexpr std::string_view kLetters = "btn-fr";
    if (code_point == '"' || code_point == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(code_point));
    } else if (code_point >= '\b' && code_point <= '\r' && code_point != '\v') {
      out.push_back('\\');
      out.push_back(kLetters[kShort.find(static_cast<char>(code_point))]);
    } else if (code_point < 0x20 || (ascii_only && code_point >= 0x7F && code_point < 0x10000)) {
      AppendUnicodeUnit(out, code_point);
    } else if (ascii_only && code_point >= 0x10000) {
      AppendUnicodeUnit(out, 0xD800 + ((code_point - 0x10000) >> 10));
      AppendUnicodeUnit(out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
    } else {
      AppendUtf8(out, code_point);
    }
  }
  out.push_back('"');
}

std::string EscapePointerToken(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      out.append("~0");
    } else if (c == '/') {
      out.append("~1");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string UnescapePointerToken(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    if (is_escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out.push_back(token[++i] == '0' ? '~' : '/');
    } else {
      out.push_back(token[i]);
    }
  }
  return out;
}

std::string PointerToken(std::string_view key, uint32_t ordinal) {
  std::string token = EscapePointerToken(key);
  constexpr uint32_t kPlainOrdinalMax = 9;
  if (ordinal > kPlainOrdinalMax) return token + "~(" + std::to_string(ordinal) + ")";
  if (ordinal > 1) token += "~" + std::to_string(ordinal);
  return token;
}

Value JsonToValue(std::string_view input, const JsonTree& tree, size_t node) {
  // A stack of unfinished containers instead of recursion: depth is bounded by the parser's limit.
  struct Open {
    Value value;
    uint32_t end;
    std::string key;
  };
  std::vector<Open> open;
  const size_t stop = tree.nodes[node].subtree_end;
  Value result;
  const auto attach = [&](std::string key, bool has_key, Value value) {
    if (open.empty()) {
      result = std::move(value);
    } else if (has_key) {
      open.back().value.as_object().emplace_back(std::move(key), std::move(value));
    } else {
      open.back().value.as_array().push_back(std::move(value));
    }
  };
  for (size_t i = node; i <= stop; ++i) {
    while (!open.empty() && i >= open.back().end) {
      Open done = std::move(open.back());
      open.pop_back();
      const bool in_object = !open.empty() && open.back().value.is_object();
      attach(std::move(done.key), in_object, std::move(done.value));
    }
    if (i == stop) break;
    const JsonNode& at = tree.nodes[i];
    std::string key = at.has_key()
                          ? DecodeJsonString(input.substr(at.key_begin, at.key_end - at.key_begin))
                          : std::string();
    const std::string_view token = input.substr(at.begin, at.end - at.begin);
    if (at.is_container()) {
      open.push_back({at.type == JsonType::kObject ? Value(Value::Object()) : Value(Value::Array()),
                      at.subtree_end, std::move(key)});
      continue;
    }
    Value value;
    if (at.type == JsonType::kString) value = DecodeJsonString(token);
    if (at.type == JsonType::kNumber) value = NumberToValue(token);
    if (at.type == JsonType::kTrue || at.type == JsonType::kFalse) {
      value = at.type == JsonType::kTrue;
    }
    if (at.type == JsonType::kInvalid) value = token;
    attach(std::move(key), at.has_key() && i != node, std::move(value));
  }
  return result;
}

Status AppendJson(std::string& out, const Value& value, const JsonStyle& style,
                  const std::string& indent) {
  if (!value.is_array() && !value.is_object()) return AppendScalar(out, value, style);
  const bool is_object = value.is_object();
  const size_t size = is_object ? value.as_object().size() : value.as_array().size();
  out.push_back(is_object ? '{' : '[');
  const std::string inner = indent + style.indent_unit;
  const bool on_lines = !style.indent_unit.empty();
  for (size_t i = 0; i < size; ++i) {
    if (on_lines) {
      out.append(i > 0 ? "," : "").append(style.newline).append(inner);
    } else if (i > 0) {
      out.append(style.item_separator);
    }
    const Value& child = is_object ? value.as_object()[i].second : value.as_array()[i];
    if (is_object) {
      AppendJsonString(out, value.as_object()[i].first, style.ascii_only);
      out.append(style.key_separator);
    }
    STAGED_RETURN_IF_ERROR(AppendJson(out, child, style, inner));
  }
  if (on_lines && size > 0) out.append(style.newline).append(indent);
  out.push_back(is_object ? '}' : ']');
  return OkStatus();
}

}  // namespace staged
