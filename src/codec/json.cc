#include "codec/json.h"

#include <algorithm>
#include <cstring>

namespace staged {
namespace {

constexpr size_t kIssuesMax = 1000;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
         c == '.' || c == '_' || c == '$' || static_cast<uint8_t>(c) >= 0x80;
}
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// RFC 8259, section 6.
bool IsNumber(std::string_view word) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t before = at;
    while (at < word.size() && IsDigit(word[at])) ++at;
    return at - before;
  };
  if (at < word.size() && word[at] == '-') ++at;
  if (at < word.size() && word[at] == '0') {
    ++at;
  } else if (digits() == 0) {
    return false;
  }
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == word.size();
}

class JsonParser {
 public:
  JsonParser(std::string_view input, const Limits& limits, JsonTree& tree)
      : input_(input), limits_(limits), tree_(tree) {}

  // Each value but the first follows one of these, so that nodes never move: growth would take
  // twice their memory.
  void ReserveNodes() {
    // Blocks of a constant size in bytes let the compiler count many at a time.
    constexpr size_t kBlockBytes = 128;
    const auto precedes_value = [](char c) {
      return static_cast<uint8_t>((c == ',') | (c == '[') | (c == '{') | (c == '\n'));
    };
    uint64_t values = 0;
    size_t at = 0;
    for (; at + kBlockBytes <= input_.size(); at += kBlockBytes) {
      const char* const block = input_.data() + at;
      uint8_t count = 0;
      for (size_t i = 0; i < kBlockBytes; ++i) {
        count = static_cast<uint8_t>(count + precedes_value(block[i]));
      }
      values += count;
    }
    for (; at < input_.size(); ++at) values += precedes_value(input_[at]);
    tree_.nodes.reserve(std::min(values + 1, limits_.records_max));
  }

  void ParseDocument() {
    SkipSpace();
    if (ParseValue(input_.size())) {
      SkipSpace();
      if (position_ < input_.size()) Fail("syntax_error", "there is more behind the value");
    }
    tree_.parsed_end = position_;
  }

  void ParseLines() {
    JsonNode root;
    root.type = JsonType::kArray;
    root.end = static_cast<uint32_t>(input_.size());
    tree_.nodes.push_back(root);
    is_lines_ = true;
    size_t line = 0;
    while (line < input_.size() && tree_.nodes.size() < limits_.records_max) {
      size_t end = input_.find('\n', line);
      if (end == std::string_view::npos) end = input_.size();
      ParseLine(line, end);
      line = end + 1;
    }
    tree_.nodes[0].subtree_end = static_cast<uint32_t>(tree_.nodes.size());
    tree_.parsed_end = std::min(line, input_.size());
    if (line < input_.size()) {
      position_ = line;
      Fail("limit_exceeded", "the limit of records is reached");
    }
  }

 private:
  void ParseLine(size_t begin, size_t end) {
    position_ = begin;
    end_ = end;
    SkipSpace();
    if (position_ == end) return;
    const size_t first_node = tree_.nodes.size();
    bool ok = ParseValue(end);
    if (ok) {
      SkipSpace();
      ok = position_ == end;
      if (!ok) Report("syntax_error", "there is more behind the line's value", false);
    }
    if (!ok) {
      open_.clear();
      tree_.nodes.resize(first_node);
      JsonNode node;
      node.type = JsonType::kInvalid;
      node.begin = static_cast<uint32_t>(begin);
      node.end = static_cast<uint32_t>(end > begin && input_[end - 1] == '\r' ? end - 1 : end);
      node.subtree_end = static_cast<uint32_t>(first_node + 1);
      tree_.nodes.push_back(node);
    }
    ++tree_.nodes[0].child_count;
  }

  void Report(std::string_view code, std::string message, bool is_fatal) {
    if (tree_.issues.size() >= kIssuesMax && !is_fatal) {
      ++tree_.issues_left_out;
      return;
    }
    tree_.issues.push_back({code, position_, 0, std::move(message), is_fatal});
  }
  // Always false, so that a caller can return it.
  bool Fail(std::string_view code, std::string message) {
    Report(code, std::move(message), !is_lines_);
    return false;
  }

  [[nodiscard]] bool AtEnd() const { return position_ >= end_; }
  [[nodiscard]] char Peek() const { return AtEnd() ? '\0' : input_[position_]; }

  void SkipSpace() {
    while (!AtEnd()) {
      if (IsSpace(input_[position_])) {
        ++position_;
      } else if (input_[position_] != '/' || !SkipComment()) {
        return;
      }
    }
  }

  bool SkipComment() {
    const std::string_view rest = input_.substr(position_, end_ - position_);
    size_t length = std::string_view::npos;
    if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const size_t close = rest.find("*/", 2);
      if (close != std::string_view::npos) length = close + 2;
    }
    if (length == std::string_view::npos) return false;
    Report("comment", "JSON has no comments; this one is skipped and kept", false);
    position_ += length;
    if (tree_.issues_left_out == 0) tree_.issues.back().end = position_;
    return true;
  }

  // Parses one value with all its descendants.
  bool ParseValue(size_t end) {
    end_ = end;
    if (AtEnd()) return Fail("syntax_error", "there is no value");
    bool more = BeginValue(0, 0);
    while (more && !open_.empty()) {
      SkipSpace();
      more = NextInContainer();
    }
    if (!more) CloseAll();
    return more;
  }

  // One step inside the innermost container: its end, or the next child.
  bool NextInContainer() {
    const uint32_t container = open_.back();
    const bool is_object = tree_.nodes[container].type == JsonType::kObject;
    const char close = is_object ? '}' : ']';
    if (AtEnd()) return Fail("syntax_error", "the input ends inside a container");
    if (Peek() == close) return CloseContainer();
    if (tree_.nodes[container].child_count > 0) {
      if (Peek() != ',') return Fail("syntax_error", "a comma or closing bracket is missing");
      ++position_;
      SkipSpace();
      if (Peek() == close) {
        Report("trailing_comma", "JSON has no comma before a closing bracket", false);
        return CloseContainer();
      }
    }
    if (!is_object) return BeginValue(0, 0);
    if (Peek() != '"') return Fail("syntax_error", "a key in double quotes is missing");
    const size_t key_begin = position_;
    if (!SkipString()) return false;
    const size_t key_end = position_;
    SkipSpace();
    if (Peek() != ':') return Fail("syntax_error", "a colon is missing behind the key");
    ++position_;
    SkipSpace();
    return BeginValue(key_begin, key_end);
  }

  bool CloseContainer() {
    ++position_;
    JsonNode& node = tree_.nodes[open_.back()];
    node.end = static_cast<uint32_t>(position_);
    node.subtree_end = static_cast<uint32_t>(tree_.nodes.size());
    open_.pop_back();
    return true;
  }

  void CloseAll() {
    while (!open_.empty()) {
      JsonNode& node = tree_.nodes[open_.back()];
      node.end = static_cast<uint32_t>(position_);
      node.subtree_end = static_cast<uint32_t>(tree_.nodes.size());
      open_.pop_back();
    }
  }

  bool BeginValue(size_t key_begin, size_t key_end) {
    if (tree_.nodes.size() >= limits_.records_max) {
      return Fail("limit_exceeded", "the limit of records is reached");
    }
    JsonNode node;
    node.begin = static_cast<uint32_t>(position_);
    node.key_begin = static_cast<uint32_t>(key_begin);
    node.key_end = static_cast<uint32_t>(key_end);
    const char first = Peek();
    if (first == '{' || first == '[') {
      if (open_.size() >= limits_.depth_max) {
        return Fail("limit_exceeded", "containers are nested deeper than the limit");
      }
      node.type = first == '{' ? JsonType::kObject : JsonType::kArray;
      ++position_;
    } else if (first == '"') {
      node.type = JsonType::kString;
      if (!SkipString()) return false;
    } else if (!AtEnd() && IsWord(first)) {
      while (!AtEnd() && IsWord(Peek())) ++position_;
      node.type = WordType(input_.substr(node.begin, position_ - node.begin), node.begin);
    } else {
      return Fail("syntax_error", "a value is missing");
    }
    Add(node);
    return true;
  }

  void Add(JsonNode node) {
    const auto index = static_cast<uint32_t>(tree_.nodes.size());
    node.end = static_cast<uint32_t>(position_);
    node.subtree_end = index + 1;
    if (!open_.empty()) {
      node.parent = open_.back();
      ++tree_.nodes[open_.back()].child_count;
    }
    tree_.nodes.push_back(node);
    if (node.is_container()) open_.push_back(index);
  }

  JsonType WordType(std::string_view word, size_t begin) {
    if (word == "true") return JsonType::kTrue;
    if (word == "false") return JsonType::kFalse;
    if (word == "null") return JsonType::kNull;
    if (IsNumber(word)) return JsonType::kNumber;
    const size_t after = position_;
    position_ = begin;
    Report("invalid_literal", "this is no JSON value; it is kept as it is", false);
    position_ = after;
    return JsonType::kInvalid;
  }

  // Moves over eight bytes at a time while none of them is a quote, a backslash or a control
  // character.
  void SkipPlainBytes() {
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr uint64_t kHighBits = 0x8080808080808080;
    const auto zero_bytes = [](uint64_t word) { return (word - kOnes) & ~word & kHighBits; };
    while (end_ - position_ >= sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, input_.data() + position_, sizeof(word));
      const uint64_t controls = (word - kOnes * 0x20) & ~word & kHighBits;
      if ((zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) | controls) != 0) {
        return;
      }
      position_ += sizeof(word);
    }
  }

  // Moves behind the closing quote.
  bool SkipString() {
    ++position_;
    while (!AtEnd()) {
      SkipPlainBytes();
      if (AtEnd()) break;
      const char c = input_[position_];
      if (c == '"') {
        ++position_;
        return true;
      }
      if (c == '\\') {
        if (!SkipEscape()) return false;
        continue;
      }
      if (static_cast<uint8_t>(c) < 0x20) {
        Report("control_character", "a control character in a string must be escaped", false);
      }
      ++position_;
    }
    return Fail("syntax_error", "the input ends inside a string");
  }

  bool SkipEscape() {
    if (position_ + 1 >= end_) return Fail("syntax_error", "the input ends inside a string");
    const char escape = input_[position_ + 1];
    if (escape == 'u') {
      SkipUnicodeEscape();
      return true;
    }
    if (std::strchr("\"\\/bfnrt", escape) == nullptr || escape == '\0') {
      Report("invalid_escape", "this escape is none of JSON's", false);
    }
    position_ += 2;
    return true;
  }

  // The value of four hexadecimal digits at `at`, or -1.
  [[nodiscard]] int UnitAt(size_t at) const {
    if (at + 4 > end_) return -1;
    int unit = 0;
    for (size_t i = at; i < at + 4; ++i) {
      const int digit = HexDigit(input_[i]);
      if (digit < 0) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  void SkipUnicodeEscape() {
    const int unit = UnitAt(position_ + 2);
    if (unit < 0) {
      Report("invalid_escape", "\\u needs four hexadecimal digits", false);
      position_ += 2;
      return;
    }
    const bool is_high = unit >= 0xD800 && unit <= 0xDBFF;
    const bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (is_high && input_.substr(position_ + 6, 2) == "\\u") {
      const int low = UnitAt(position_ + 8);
      if (low >= 0xDC00 && low <= 0xDFFF) {
        position_ += 12;
        return;
      }
    }
    if (is_high || is_low) {
      Report("unpaired_surrogate", "half a surrogate pair is shown as U+FFFD", false);
    }
    position_ += 6;
  }

  std::string_view input_;
  const Limits& limits_;
  JsonTree& tree_;
  size_t position_ = 0;
  size_t end_ = input_.size();
  bool is_lines_ = false;
  std::vector<uint32_t> open_;
};

}  // namespace

std::string_view JsonTypeName(JsonType type) {
  switch (type) {
    case JsonType::kObject:
      return "object";
    case JsonType::kArray:
      return "array";
    case JsonType::kString:
      return "string";
    case JsonType::kNumber:
      return "number";
    case JsonType::kTrue:
    case JsonType::kFalse:
      return "boolean";
    case JsonType::kNull:
      return "null";
    case JsonType::kInvalid:
      return "invalid";
  }
  return "invalid";
}

bool JsonTree::is_complete() const {
  return std::none_of(issues.begin(), issues.end(),
                      [](const JsonIssue& issue) { return issue.is_fatal; });
}

JsonTree ParseJson(std::string_view input, JsonSyntax syntax, const Limits& limits) {
  JsonTree tree;
  JsonParser parser(input, limits, tree);
  parser.ReserveNodes();
  if (syntax == JsonSyntax::kDocument) {
    parser.ParseDocument();
  } else {
    parser.ParseLines();
  }
  return tree;
}

}  // namespace staged
