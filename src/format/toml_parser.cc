#include "format/toml_parser.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "format/toml_scalars.h"

namespace staged {
namespace {

struct Key {
  std::string text;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const Limits& limits) : text_(text), limits_(limits) {}

  DataTree Parse() {
    Node root;
    root.data.type = DataType::kObject;
    root.data.style = "table";
    nodes_.push_back(std::move(root));
    while (position_ < text_.size()) {
      line_ = position_;
      if (!ParseLine()) {
        tree_.issues.push_back({code_, error_at_, error_, true});
        break;
      }
      line_ = position_;
    }
    tree_.parsed_end = line_;
    Flatten();
    tree_.Finish();
    return std::move(tree_);
  }

 private:
  struct Node {
    DataNode data;
    std::vector<uint32_t> children;
  };

  bool Fail(uint64_t at, std::string message, std::string code = "syntax_error") {
    if (error_.empty()) {
      error_ = std::move(message);
      error_at_ = at;
      code_ = std::move(code);
    }
    return false;
  }

  [[nodiscard]] char Peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void SkipBlanks() {
    while (position_ < text_.size() && (Peek() == ' ' || Peek() == '\t')) ++position_;
  }

  // Blanks, a comment, and the newline or the text's end.
  bool ParseLineEnd() {
    SkipBlanks();
    if (Peek() == '#' && position_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', position_), text_.size());
      const size_t stop = end > position_ && text_[end - 1] == '\r' ? end - 1 : end;
      for (size_t i = position_; i < stop; ++i) {
        const auto c = static_cast<uint8_t>(text_[i]);
        if ((c < 0x20 && c != '\t') || c == 0x7F) {
          return Fail(i, "a comment holds no control characters");
        }
      }
      tree_.comments.push_back({position_, stop});
      position_ = stop;
    }
    if (position_ == text_.size()) return true;
    if (text_.substr(position_, 2) == "\r\n") ++position_;
    if (Peek() != '\n') return Fail(position_, "the line goes on where it should end");
    ++position_;
    return true;
  }

  bool ParseLine() {
    SkipBlanks();
    const char first = Peek();
    const bool is_empty =
        position_ == text_.size() || first == '#' || first == '\r' || first == '\n';
    if (is_empty) return ParseLineEnd();
    if (first == '[') return ParseHeader() && ParseLineEnd();
    return ParsePair(section_, 0) && ParseLineEnd();
  }

  bool ParseKey(std::vector<Key>& keys) {
    while (true) {
      SkipBlanks();
      Key key;
      key.begin = position_;
      if (Peek() == '"' || Peek() == '\'') {
        TomlString read = ReadTomlString(text_, position_);
        if (read.style.starts_with("multiline")) {
          return Fail(key.begin, "a key is written on one line");
        }
        if (!read.error.empty()) return Fail(key.begin, std::move(read.error));
        key.text = std::move(read.text);
      } else {
        const auto is_bare = [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_';
        };
        while (position_ < text_.size() && is_bare(Peek())) ++position_;
        key.text = text_.substr(key.begin, position_ - key.begin);
        if (key.text.empty()) return Fail(position_, "there is no key");
      }
      key.end = position_;
      keys.push_back(std::move(key));
      if (keys.size() > limits_.depth_max) {
        return Fail(position_, "the key is deeper than the limit", "limit_exceeded");
      }
      SkipBlanks();
      if (Peek() != '.') return true;
      ++position_;
    }
  }

  // nullptr: none. The last of several equal keys.
  uint32_t* FindChild(uint32_t parent, const std::string& key) {
    const auto found = places_.find(std::to_string(parent) + "/" + key);
    return found == places_.end() ? nullptr : &found->second;
  }

  bool Add(uint32_t parent, DataNode data, const Key* key, uint32_t& index) {
    if (nodes_.size() >= limits_.records_max) {
      return Fail(position_, "the limit of records is reached", "limit_exceeded");
    }
    index = static_cast<uint32_t>(nodes_.size());
    if (key != nullptr) {
      data.has_key = true;
      data.key = key->text;
      data.key_begin = key->begin;
      data.key_end = key->end;
      places_[std::to_string(parent) + "/" + key->text] = index;
    }
    nodes_[parent].children.push_back(index);
    nodes_.push_back({std::move(data), {}});
    return true;
  }

  bool AddTable(uint32_t parent, const Key& key, std::string_view style, ByteSpan span,
                uint32_t& index) {
    DataNode data;
    data.type = style == "tables" ? DataType::kArray : DataType::kObject;
    data.style = style;
    data.begin = span.begin;
    data.end = span.end;
    return Add(parent, std::move(data), &key, index);
  }

  // The table that all keys but the last lead to; what does not exist is made in `style`.
  bool Descend(uint32_t& table, const std::vector<Key>& keys, std::string_view style) {
    for (size_t i = 0; i + 1 < keys.size(); ++i) {
      uint32_t* known = FindChild(table, keys[i].text);
      const std::string known_style = known == nullptr ? "" : nodes_[*known].data.style;
      if (known_style == "tables" && style == "implicit") {
        table = nodes_[*known].children.back();
        continue;
      }
      // A dotted key goes on in what dotted keys made, a header in what headers made.
      const bool is_open =
          style == "dotted"
              ? known_style == "dotted"
              : known_style == "table" || known_style == "implicit" || known_style == "dotted";
      if (is_open) {
        table = *known;
      } else if (!AddTable(table, keys[i], style, {keys[i].begin, keys[i].end}, table)) {
        return false;
      }
    }
    return true;
  }

  bool ParseHeader() {
    const uint64_t begin = position_;
    const bool is_element = text_.substr(position_, 2) == "[[";
    position_ += is_element ? 2 : 1;
    std::vector<Key> keys;
    if (!ParseKey(keys)) return false;
    const std::string_view close = is_element ? "]]" : "]";
    if (text_.substr(position_, close.size()) != close) {
      return Fail(position_, "the header has no end");
    }
    position_ += close.size();
    uint32_t table = 0;
    if (!Descend(table, keys, "implicit")) return false;
    const ByteSpan span{begin, position_};
    uint32_t* known = FindChild(table, keys.back().text);
    const std::string known_style = known == nullptr ? "" : nodes_[*known].data.style;
    if (is_element) {
      uint32_t list = known_style == "tables" ? *known : 0;
      if (list == 0 && !AddTable(table, keys.back(), "tables", span, list)) return false;
      DataNode element;
      element.type = DataType::kObject;
      element.style = "table";
      element.begin = span.begin;
      element.end = span.end;
      return Add(list, std::move(element), nullptr, section_);
    }
    if (known_style != "implicit") return AddTable(table, keys.back(), "table", span, section_);
    section_ = *known;
    DataNode& data = nodes_[section_].data;
    data.style = "table";
    data.begin = span.begin;
    data.end = span.end;
    return true;
  }

  bool ParsePair(uint32_t table, size_t depth) {
    std::vector<Key> keys;
    if (!ParseKey(keys)) return false;
    if (Peek() != '=') return Fail(position_, "there is no = behind the key");
    ++position_;
    SkipBlanks();
    uint32_t owner = table;
    if (!Descend(owner, keys, "dotted")) return false;
    if (!ParseValue(owner, &keys.back(), depth)) return false;
    // Tables end where their last value does.
    for (uint32_t at : {table, owner}) {
      DataNode& data = nodes_[at].data;
      if (data.style == "table" || data.style == "dotted") data.end = position_;
    }
    return true;
  }

  bool ParseValue(uint32_t parent, const Key* key, size_t depth) {
    if (depth >= limits_.depth_max) {
      return Fail(position_, "values are nested deeper than the limit", "limit_exceeded");
    }
    DataNode data;
    data.begin = position_;
    const char first = Peek();
    uint32_t index = 0;
    if (first == '[' || first == '{') {
      const bool is_array = first == '[';
      data.type = is_array ? DataType::kArray : DataType::kObject;
      data.style = "inline";
      if (!Add(parent, std::move(data), key, index)) return false;
      ++position_;
      const bool is_whole = is_array ? ParseArray(index, depth) : ParseInlineTable(index, depth);
      nodes_[index].data.end = position_;  // or where it is cut off
      return is_whole;
    }
    if (first == '"' || first == '\'') {
      TomlString read = ReadTomlString(text_, position_);
      if (!read.error.empty()) return Fail(data.begin, std::move(read.error));
      data.type = DataType::kString;
      data.text = std::move(read.text);
      data.style = read.style;
    } else {
      const std::string_view word = ReadWord();
      data.type = BareTomlType(word);
      if (word.empty() || data.type == DataType::kString) {
        return Fail(data.begin, "this is no value of TOML");
      }
      data.text = word;
      data.style = "plain";
    }
    data.end = position_;
    return Add(parent, std::move(data), key, index);
  }

  std::string_view ReadWord() {
    const size_t begin = position_;
    const auto word_end = [&](size_t from) {
      return std::min(text_.find_first_of(" \t\r\n,]}#=", from), text_.size());
    };
    position_ = word_end(begin);
    // A date and its time may have a space between them.
    const bool may_go_on =
        BareTomlType(text_.substr(begin, position_ - begin)) == DataType::kDate && Peek() == ' ';
    if (may_go_on) {
      const size_t end = word_end(position_ + 1);
      if (BareTomlType(text_.substr(begin, end - begin)) == DataType::kDate) position_ = end;
    }
    return text_.substr(begin, position_ - begin);
  }

  bool SkipLines() {
    while (true) {
      SkipBlanks();
      const char c = Peek();
      if (c != '#' && c != '\n' && c != '\r') return true;
      if (!ParseLineEnd()) return false;
    }
  }

  bool ParseArray(uint32_t array, size_t depth) {
    while (true) {
      if (!SkipLines()) return false;
      if (Peek() == ']') break;
      if (!ParseValue(array, nullptr, depth + 1) || !SkipLines()) return false;
      if (Peek() == ']') break;
      if (Peek() != ',') return Fail(position_, "a comma or bracket is missing");
      ++position_;
    }
    ++position_;
    return true;
  }

  bool ParseInlineTable(uint32_t table, size_t depth) {
    SkipBlanks();
    if (Peek() == '}') {
      ++position_;
      return true;
    }
    while (true) {
      if (!ParsePair(table, depth + 1)) return false;
      SkipBlanks();
      if (Peek() == '}') break;
      if (Peek() != ',') return Fail(position_, "a comma or brace is missing");
      ++position_;
    }
    ++position_;
    return true;
  }

  // In document order with each table's children behind it.
  void Flatten() {
    std::vector<std::pair<uint32_t, uint32_t>> stack = {{0, DataNode::kNoParent}};
    tree_.roots = {0};
    tree_.nodes.reserve(nodes_.size());
    while (!stack.empty()) {
      const auto [index, parent] = stack.back();
      stack.pop_back();
      const auto place = static_cast<uint32_t>(tree_.nodes.size());
      Node& node = nodes_[index];
      node.data.parent = parent;
      tree_.nodes.push_back(std::move(node.data));
      for (size_t i = node.children.size(); i > 0; --i)
        stack.push_back({node.children[i - 1], place});
    }
  }

  std::string_view text_;
  const Limits& limits_;
  size_t position_ = 0;
  size_t line_ = 0;
  uint32_t section_ = 0;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, uint32_t> places_;
  DataTree tree_;
  std::string error_, code_;
  uint64_t error_at_ = 0;
};

}  // namespace

DataTree ParseToml(std::string_view text, const Limits& limits) {
  return Parser(text, limits).Parse();
}

}  // namespace staged
