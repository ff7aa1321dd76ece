#include "formats/yaml/yaml_writer.h"

#include <algorithm>

#include "base/utf8.h"
#include "codec/json.h"
#include "formats/yaml/yaml_parser.h"

namespace staged {
namespace {

std::string DoubleQuoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);  // JSON's escapes are YAML's too
  return out;
}

bool IsPrintable(std::string_view text, bool takes_newlines) {
  return IsValidUtf8(text) && std::all_of(text.begin(), text.end(), [&](char c) {
           return static_cast<uint8_t>(c) >= 0x20 ? c != 0x7F
                                                  : c == '\t' || (c == '\n' && takes_newlines);
         });
}

// Lines behind a "|", or nothing where that cannot hold the text.
std::optional<std::string> Literal(std::string_view text, const YamlPlace& place) {
  const bool ends_line = text.ends_with('\n');
  if (place.in_flow || text.size() < 2 || !IsPrintable(text, true)) return std::nullopt;
  if (text.ends_with("\n\n") || text.front() == ' ' || text.front() == '\n' ||
      text.front() == '\t') {
    return std::nullopt;
  }
  std::string out = ends_line ? "|" : "|-";
  if (ends_line) text.remove_suffix(1);
  while (true) {
    const size_t newline = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, newline);
    out += place.newline;
    if (!line.empty()) out.append(place.indent + place.unit).append(line);
    if (newline == text.size()) return out;
    text.remove_prefix(newline + 1);
  }
}

bool IsContainer(const Value& value) { return value.is_object() || value.is_array(); }

bool IsEmptyContainer(const Value& value) {
  return (value.is_object() && value.as_object().empty()) ||
         (value.is_array() && value.as_array().empty());
}

DataValue Plain(const Value& value) { return {value, false, DataType::kString}; }

std::string Members(const Value& object, const YamlPlace& place) {
  std::string out;
  for (const auto& [key, member] : object.as_object()) {
    if (!out.empty()) out += place.newline + place.indent;
    out += WriteYamlKey(key, "plain") + ":" + WriteYamlMember(Plain(member), place);
  }
  return out;
}

}  // namespace

std::string WriteYamlScalar(const Value& value, std::string_view style, const YamlPlace& place) {
  if (!value.is_string()) return DataScalarText(value);
  const std::string& text = value.as_string();
  const bool is_block = style == "literal" || style == "folded";
  const bool wants_lines = is_block || (style == "plain" && text.find('\n') < text.size());
  if (wants_lines) {
    if (std::optional<std::string> literal = Literal(text, place)) return *std::move(literal);
  }
  if (style == "single" && IsPrintable(text, false)) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
    return out + "'";
  }
  if (style == "plain" && IsPlainYamlString(text, place.in_flow)) return text;
  return DoubleQuoted(text);
}

std::string WriteYamlKey(const std::string& key, std::string_view style) {
  YamlPlace place;
  place.in_flow = true;  // never on several lines
  return WriteYamlScalar(key, style, place);
}

std::string WriteYamlFlow(const DataValue& value) {
  if (value.is_raw) return value.value.as_string();
  std::string out;
  (void)AppendJson(out, value.value, JsonStyle(), "");
  return out;
}

std::string WriteYamlMember(const DataValue& value, const YamlPlace& place) {
  if (value.is_raw || IsEmptyContainer(value.value)) return " " + WriteYamlFlow(value);
  if (!IsContainer(value.value)) return " " + WriteYamlScalar(value.value, "plain", place);
  YamlPlace inner = place;
  inner.indent += place.unit;
  const std::string begin = place.newline + inner.indent;
  if (value.value.is_object()) return begin + Members(value.value, inner);
  std::string out;
  for (const Value& item : value.value.as_array()) {
    out += begin + "-" + WriteYamlItem(Plain(item), inner);
  }
  return out;
}

std::string WriteYamlItem(const DataValue& value, const YamlPlace& place) {
  if (value.is_raw || IsEmptyContainer(value.value) || value.value.is_array()) {
    return " " + WriteYamlFlow(value);
  }
  if (!value.value.is_object()) return " " + WriteYamlScalar(value.value, "plain", place);
  YamlPlace inner = place;
  inner.indent += "  ";
  return " " + Members(value.value, inner);
}

}  // namespace staged
