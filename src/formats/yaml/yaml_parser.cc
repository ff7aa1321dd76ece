#include "formats/yaml/yaml_parser.h"

#include <yaml.h>

#include <algorithm>

#include "base/utf8.h"

namespace staged {
namespace {

// libyaml counts code points; this finds their bytes. One checkpoint for every so many of them.
class Offsets {
 public:
  explicit Offsets(std::string_view text) : text_(text) {
    is_ascii_ = std::all_of(text.begin(), text.end(),
                            [](char c) { return static_cast<uint8_t>(c) < 0x80; });
    if (is_ascii_) return;
    size_t count = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (!IsLead(text[i])) continue;
      if (count++ % kStep == 0) checkpoints_.push_back(i);
    }
  }

  [[nodiscard]] uint64_t ByteOf(size_t code_point) const {
    if (is_ascii_) return std::min(code_point, text_.size());
    const size_t checkpoint = code_point / kStep;
    if (checkpoint >= checkpoints_.size()) return text_.size();
    size_t at = checkpoints_[checkpoint];
    for (size_t left = code_point % kStep; left > 0 && at < text_.size(); --left) {
      ++at;
      while (at < text_.size() && !IsLead(text_[at])) ++at;
    }
    return at;
  }

 private:
  static constexpr size_t kStep = 64;
  static bool IsLead(char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }

  std::string_view text_;
  bool is_ascii_ = false;
  std::vector<size_t> checkpoints_;
};

std::string_view StyleName(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return "single";
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return "double";
    case YAML_LITERAL_SCALAR_STYLE:
      return "literal";
    case YAML_FOLDED_SCALAR_STYLE:
      return "folded";
    default:
      return "plain";
  }
}

std::string ToText(const yaml_char_t* text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
}

class Builder {
 public:
  Builder(std::string_view text, const Limits& limits)
      : text_(text), limits_(limits), offsets_(text) {}

  DataTree Build() {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
      tree_.issues.push_back({"out_of_memory", 0, "there is no memory to read YAML", true});
      return std::move(tree_);
    }
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text_.data()),
                                 text_.size());
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    bool more = true;
    while (more) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser, &event) == 0) {
        Fail(parser);
        break;
      }
      more = event.type != YAML_STREAM_END_EVENT && Take(event);
      yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (tree_.is_complete()) tree_.parsed_end = text_.size();
    tree_.Finish();
    CloseBlocks();
    FindComments();
    return std::move(tree_);
  }

 private:
  struct Open {
    uint32_t node;
    bool wants_key;  // of an object: the next event is a key
  };

  void Fail(const yaml_parser_t& parser) {
    const bool is_encoding = parser.error == YAML_READER_ERROR;
    const uint64_t offset = is_encoding ? std::min<uint64_t>(parser.problem_offset, text_.size())
                                        : offsets_.ByteOf(parser.problem_mark.index);
    std::string message = parser.problem == nullptr ? "the YAML is malformed" : parser.problem;
    if (parser.context != nullptr) message = std::string(parser.context) + ": " + message;
    Stop("syntax_error", offset, std::move(message));
  }

  void Stop(std::string code, uint64_t offset, std::string message) {
    tree_.issues.push_back({std::move(code), offset, std::move(message), true});
    tree_.parsed_end = std::min(last_end_, offset);
  }

  // False where the limits end the reading.
  bool Take(const yaml_event_t& event) {
    const uint64_t begin = offsets_.ByteOf(event.start_mark.index);
    const uint64_t end = offsets_.ByteOf(event.end_mark.index);
    if (key_depth_ > 0) {
      TakeInsideKey(event, end);
      return true;
    }
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        last_end_ = std::max(last_end_, end);
        return TakeScalar(event, begin, end);
      case YAML_ALIAS_EVENT:
        last_end_ = std::max(last_end_, end);
        return TakeAlias(event, begin, end);
      case YAML_SEQUENCE_START_EVENT:
        return TakeStart(event, DataType::kArray, begin, end);
      case YAML_MAPPING_START_EVENT:
        return TakeStart(event, DataType::kObject, begin, end);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        if (!open_.empty()) {
          DataNode& node = tree_.nodes[open_.back().node];
          if (node.style == "flow") node.end = end;
          last_end_ = std::max(last_end_, node.end);
          open_.pop_back();
        }
        return true;
      default:
        return true;
    }
  }

  bool WantsKey() const { return !open_.empty() && open_.back().wants_key; }

  // A key that is no scalar is known by its source.
  void TakeInsideKey(const yaml_event_t& event, uint64_t end) {
    const bool starts =
        event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
    const bool ends = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    if (starts) ++key_depth_;
    const bool is_flow_end = ends && key_is_flow_;
    if (!ends || is_flow_end) key_end_ = end;
    if (ends) --key_depth_;
    if (key_depth_ > 0) return;
    key_ = ReplaceInvalidUtf8(text_.substr(key_begin_, key_end_ - key_begin_));
    tree_.issues.push_back(
        {"complex_key", key_begin_, "this key is no scalar; it is shown as it is written", false});
    open_.back().wants_key = false;
    last_end_ = std::max(last_end_, key_end_);
  }

  void SetKey(std::string key, uint64_t begin, uint64_t end) {
    key_ = std::move(key);
    key_begin_ = begin;
    key_end_ = end;
    open_.back().wants_key = false;
  }

  DataNode* Add(DataType type, uint64_t begin, uint64_t end) {
    if (tree_.nodes.size() >= limits_.records_max) {
      Stop("limit_exceeded", begin, "the limit of records is reached");
      return nullptr;
    }
    DataNode& node = tree_.nodes.emplace_back();
    node.type = type;
    node.begin = begin;
    node.end = end;
    if (open_.empty()) {
      tree_.roots.push_back(static_cast<uint32_t>(tree_.nodes.size() - 1));
      return &node;
    }
    node.parent = open_.back().node;
    if (tree_.nodes[node.parent].type == DataType::kObject) {
      node.has_key = true;
      node.key = std::move(key_);
      node.key_begin = key_begin_;
      node.key_end = key_end_;
      open_.back().wants_key = true;
    }
    return &node;
  }

  static void SetProperties(DataNode& node, const yaml_char_t* anchor, const yaml_char_t* tag) {
    if (anchor != nullptr) node.attrs.Set("anchor", ToText(anchor));
    if (tag != nullptr) node.attrs.Set("tag", ToText(tag));
  }

  bool TakeScalar(const yaml_event_t& event, uint64_t begin, uint64_t end) {
    const auto& scalar = event.data.scalar;
    std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (WantsKey()) {
      SetKey(std::move(text), begin, end);
      return true;
    }
    const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const std::string tag = ToText(scalar.tag);
    DataType type = is_plain && tag.empty() ? PlainYamlType(text) : DataType::kString;
    if (tag == YAML_INT_TAG || tag == YAML_FLOAT_TAG) type = DataType::kNumber;
    if (tag == YAML_BOOL_TAG) type = DataType::kBoolean;
    if (tag == YAML_NULL_TAG) type = DataType::kNull;
    if (tag == YAML_TIMESTAMP_TAG) type = DataType::kDate;
    DataNode* node = Add(type, begin, end);
    if (node == nullptr) return false;
    node->text = std::move(text);
    node->style = StyleName(scalar.style);
    SetProperties(*node, scalar.anchor, scalar.tag);
    const bool is_block = node->style == "literal" || node->style == "folded";
    while (is_block && node->end > node->begin &&
           std::string_view(" \t\r\n").find(text_[node->end - 1]) != std::string_view::npos) {
      --node->end;  // the line breaks behind a block belong to the lines
    }
    return true;
  }

  bool TakeAlias(const yaml_event_t& event, uint64_t begin, uint64_t end) {
    std::string text = "*" + ToText(event.data.alias.anchor);
    if (WantsKey()) {
      SetKey(std::move(text), begin, end);
      return true;
    }
    DataNode* node = Add(DataType::kAlias, begin, end);
    if (node == nullptr) return false;
    node->text = std::move(text);
    return true;
  }

  bool TakeStart(const yaml_event_t& event, DataType type, uint64_t begin, uint64_t end) {
    const bool is_array = type == DataType::kArray;
    const bool is_flow = is_array ? event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                                  : event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    if (WantsKey()) {
      key_begin_ = begin;
      key_end_ = end;
      key_depth_ = 1;
      key_is_flow_ = is_flow;
      return true;
    }
    if (open_.size() >= limits_.depth_max) {
      Stop("limit_exceeded", begin, "values are nested deeper than the limit");
      return false;
    }
    DataNode* node = Add(type, begin, end);
    if (node == nullptr) return false;
    node->style = is_flow ? "flow" : "block";
    if (is_array) {
      SetProperties(*node, event.data.sequence_start.anchor, event.data.sequence_start.tag);
    } else {
      SetProperties(*node, event.data.mapping_start.anchor, event.data.mapping_start.tag);
    }
    last_end_ = std::max(last_end_, end);
    open_.push_back({static_cast<uint32_t>(tree_.nodes.size() - 1), !is_array});
    return true;
  }

  // A block collection ends where its last value does.
  void CloseBlocks() {
    for (size_t i = tree_.nodes.size(); i > 0; --i) {
      const DataNode& node = tree_.nodes[i - 1];
      if (node.parent == DataNode::kNoParent) continue;
      DataNode& parent = tree_.nodes[node.parent];
      if (parent.style == "block" || !tree_.is_complete()) {
        parent.end = std::max({parent.end, node.end, node.key_end});
      }
    }
  }

  // libyaml drops comments; they stand where no scalar does, behind a space or at a line's begin.
  void FindComments() {
    std::vector<ByteSpan> scalars;
    for (const DataNode& node : tree_.nodes) {
      if (node.has_key) scalars.push_back({node.key_begin, node.key_end});
      if (!node.is_container()) scalars.push_back({node.begin, node.end});
    }
    std::sort(scalars.begin(), scalars.end(),
              [](const ByteSpan& a, const ByteSpan& b) { return a.begin < b.begin; });
    const uint64_t stop = tree_.is_complete() ? text_.size() : tree_.parsed_end;
    uint64_t position = 0;
    size_t next = 0;
    while (position < stop) {
      const size_t sign = text_.find('#', position);
      if (sign >= stop) return;
      while (next < scalars.size() && scalars[next].end <= sign) ++next;
      if (next < scalars.size() && scalars[next].begin <= sign) {
        position = std::max<uint64_t>(scalars[next].end, sign + 1);
        continue;
      }
      position = sign + 1;
      const bool is_apart =
          sign == 0 || std::string_view(" \t\r\n").find(text_[sign - 1]) != std::string_view::npos;
      if (!is_apart) continue;
      const uint64_t end = std::min(text_.find_first_of("\r\n", sign), text_.size());
      tree_.comments.push_back({sign, end});
      position = end;
    }
  }

  std::string_view text_;
  const Limits& limits_;
  Offsets offsets_;
  DataTree tree_;
  std::vector<Open> open_;
  std::string key_;
  uint64_t key_begin_ = 0;
  uint64_t key_end_ = 0;
  size_t key_depth_ = 0;
  bool key_is_flow_ = false;
  uint64_t last_end_ = 0;
};

bool IsDigits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

bool IsCoreNumber(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.starts_with("0o")) return IsDigits(text.substr(2), "01234567");
  if (text.starts_with("0x")) return IsDigits(text.substr(2), "0123456789abcdefABCDEF");
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;
  const size_t exponent = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, exponent);
  if (exponent != std::string_view::npos) {
    std::string_view power = text.substr(exponent + 1);
    if (!power.empty() && (power[0] == '-' || power[0] == '+')) power.remove_prefix(1);
    if (!IsDigits(power, kDigits)) return false;
  }
  const size_t point = mantissa.find('.');
  if (point == std::string_view::npos) return IsDigits(mantissa, kDigits);
  const std::string_view whole = mantissa.substr(0, point);
  const std::string_view fraction = mantissa.substr(point + 1);
  const bool is_whole = whole.empty() || IsDigits(whole, kDigits);
  const bool is_fraction = fraction.empty() || IsDigits(fraction, kDigits);
  return is_whole && is_fraction && mantissa.size() > 1;
}

bool IsWordOf(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(words.begin(), words.end(), lower) != words.end();
}

}  // namespace

DataTree ParseYaml(std::string_view text, const Limits& limits) {
  return Builder(text, limits).Build();
}

DataType PlainYamlType(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return DataType::kNull;
  }
  for (const std::string_view word : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (text == word) return DataType::kBoolean;
  }
  return IsCoreNumber(text) ? DataType::kNumber : DataType::kString;
}

bool IsPlainYamlString(std::string_view text, bool in_flow) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (!IsValidUtf8(text) ||
      IsWordOf(text, {"null", "true", "false", "yes", "no", "on", "off", "y", "n"})) {
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_inside = std::string_view(" _./@+()-").find(c) != std::string_view::npos;
    const bool is_colon = c == ':' && !in_flow && i + 1 < text.size() && text[i + 1] != ' ';
    // Of what is not ASCII only letters of two to four bytes that are no separators.
    const bool is_wide = static_cast<uint8_t>(c) >= 0x80;
    if (!is_letter && !is_digit && !is_inside && !is_colon && !is_wide) return false;
  }
  for (const std::string_view odd : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF",
                                     "\xC2\xA0", "\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    if (text.find(odd) != std::string_view::npos) return false;
  }
  for (size_t at = 0; at + 1 < text.size(); ++at) {  // the controls U+0080 to U+009F
    if (text[at] == '\xC2' && static_cast<uint8_t>(text[at + 1]) < 0xA0) return false;
  }
  const char first = text.front();
  const bool begins_word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                           first == '_' || first == '/' || static_cast<uint8_t>(first) >= 0x80;
  if (begins_word) return true;
  // Versions and addresses: two points make no number.
  return first >= '0' && first <= '9' && std::count(text.begin(), text.end(), '.') >= 2 &&
         text.find(':') == std::string_view::npos;
}

}  // namespace staged
