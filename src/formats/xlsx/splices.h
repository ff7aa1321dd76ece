#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace staged::xlsx {

// Replacements of byte ranges in one text, made together. Ranges do not overlap; several insertions
// at one place keep the order in which they were added.
class Splices {
 public:
  explicit Splices(std::string_view source) : source_(source) {}
  void Replace(size_t begin, size_t end, std::string text);
  void Insert(size_t at, std::string text) { Replace(at, at, std::move(text)); }
  [[nodiscard]] bool empty() const { return splices_.empty(); }
  [[nodiscard]] std::string Make() const;

 private:
  struct Splice {
    size_t begin;
    size_t end;
    std::string text;
  };
  std::string_view source_;
  std::vector<Splice> splices_;
};

}  // namespace staged::xlsx
