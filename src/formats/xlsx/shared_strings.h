#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "staged/limits.h"
#include "staged/status.h"

namespace staged::xlsx {

// The workbook's strings (ECMA-376 part 1, 18.4), by index; rich text joined, phonetic text left
// out. Immutable once read.
class SharedStrings {
 public:
  // What could be read; *status tells why no more (malformed XML).
  static SharedStrings Read(std::string_view xml, const Limits& limits, Status* status);

  [[nodiscard]] size_t size() const { return ends_.size(); }
  // REQUIRES: index < size().
  [[nodiscard]] std::string_view at(size_t index) const {
    const size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(pool_).substr(begin, ends_[index] - begin);
  }
  // Without formatting or phonetics. REQUIRES: index < size().
  [[nodiscard]] bool is_plain(size_t index) const { return is_plain_[index]; }
  struct Rich {
    std::string runs;      // formats of parts of the text: "0-4 bold"
    std::string phonetic;  // how it is pronounced
  };
  // nullptr for an item without either. REQUIRES: index < size().
  [[nodiscard]] const Rich* RichAt(size_t index) const {
    if (is_plain_[index]) return nullptr;
    const auto found = rich_.find(index);
    return found == rich_.end() ? nullptr : &found->second;
  }
  // The first item that is exactly this text, without formatting or phonetics.
  [[nodiscard]] std::optional<size_t> FindPlain(std::string_view text) const;

 private:
  std::string pool_;
  std::vector<size_t> ends_;
  std::vector<bool> is_plain_;
  std::unordered_map<size_t, Rich> rich_;
};

// Escapes of ST_Xstring (22.9.2.19): "_x000D_" stands for a carriage return.
[[nodiscard]] std::string DecodeXstring(std::string text);
// A text as the content of <t> or <v>: what XML cannot hold as "_xHHHH_", markup escaped.
[[nodiscard]] std::string EncodeXstring(std::string_view text);

}  // namespace staged::xlsx
