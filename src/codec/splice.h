#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/record.h"
#include "staged/status.h"

namespace staged {

// Replacements in one byte string, all planned against its old bytes. Everything no splice names
// keeps its bytes. Several insertions at one place keep the order in which they were added.
class SplicePlan {
 public:
  // Replaces [begin, end) by `text`; begin == end inserts.
  void Replace(uint64_t begin, uint64_t end, std::string text);
  void Insert(uint64_t at, std::string text) { Replace(at, at, std::move(text)); }

  [[nodiscard]] bool empty() const { return splices_.empty(); }
  // Errors: kInvalidArgument when two splices overlap or one lies outside `bytes`.
  [[nodiscard]] Result<std::string> Apply(std::string_view bytes) const;

 private:
  struct Splice {
    uint64_t begin;
    uint64_t end;
    std::string text;
  };
  std::vector<Splice> splices_;
};

}  // namespace staged
