#pragma once

#include <string>
#include <vector>

#include "staged/content_hash.h"

namespace staged::xlsx {

// The identity of a workbook's shared strings as far as sheets see it. A writer adds strings at the
// end: the identities of some shorter lists, each some strings less, are at hand, so that sheets
// that were read with one of those need not be read again.
class StringsIdentity {
 public:
  static constexpr size_t kShorterMax = 16;

  StringsIdentity() = default;  // of a workbook without shared strings
  explicit StringsIdentity(std::string xml);

  [[nodiscard]] const ContentHash& whole() const { return whole_; }
  // Of the lists without the last string, without the last two ... Hashed when they are asked for.
  [[nodiscard]] const std::vector<ContentHash>& Shorter();

 private:
  [[nodiscard]] ContentHash Of(size_t end);

  std::string xml_;
  size_t begin_ = 0;  // the strings: bytes [begin, end)
  size_t end_ = 0;
  std::string head_;
  ContentHash whole_;
  size_t hashed_end_ = 0;  // what is hashed at `hashed_` of the strings
  ContentHash hashed_;
  bool has_shorter_ = false;
  std::vector<ContentHash> shorter_;
};

}  // namespace staged::xlsx
