#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "staged/ext/env.h"
#include "staged/status.h"

namespace staged {

// Appends to a new file through a buffer; large pieces go past it. Not thread-safe.
class SequentialWriter {
 public:
  explicit SequentialWriter(File& file) : file_(file) {}

  [[nodiscard]] Status Append(std::string_view bytes);
  [[nodiscard]] Status Flush();
  [[nodiscard]] uint64_t size_bytes() const { return written_bytes_ + buffer_.size(); }

 private:
  File& file_;
  std::string buffer_;
  uint64_t written_bytes_ = 0;
};

}  // namespace staged
