#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/limits.h"
#include "staged/status.h"

namespace staged {

// A compound file (MS-CFB): streams in folders. Borrows the bytes; reads only. Nothing in it is
// trusted: chains that run in circles or out of the file are errors.
class CompoundFile {
 public:
  struct Stream {
    std::string path;  // "VBA/Module1", UTF-8
    uint64_t size_bytes = 0;
    uint32_t first_sector = 0;
  };

  // Errors: kParseFailed, kLimitExceeded.
  [[nodiscard]] static Result<CompoundFile> Open(std::string_view bytes, const Limits& limits);

  [[nodiscard]] const std::vector<Stream>& streams() const { return streams_; }  // by path
  // nullptr when absent; names ignore the case of ASCII letters.
  [[nodiscard]] const Stream* Find(std::string_view path) const;
  // Errors: kParseFailed, kLimitExceeded.
  [[nodiscard]] Result<std::string> Read(const Stream& stream) const;

 private:
  CompoundFile(std::string_view bytes, const Limits& limits) : bytes_(bytes), limits_(limits) {}

  [[nodiscard]] Status ReadAllocation();
  [[nodiscard]] Status ReadDirectory();
  [[nodiscard]] std::string_view Sector(uint32_t sector) const;  // "" outside of the file
  // The sectors from `first` on, as far as `size_bytes`.
  [[nodiscard]] Result<std::string> ReadChain(uint32_t first, uint64_t size_bytes) const;

  std::string_view bytes_;
  Limits limits_;
  size_t sector_bytes_ = 0;
  size_t mini_sector_bytes_ = 0;
  uint32_t mini_cutoff_bytes_ = 0;
  std::vector<uint32_t> next_;       // sector allocation table
  std::vector<uint32_t> next_mini_;  // of the sectors of the mini stream
  std::string mini_stream_;
  std::vector<Stream> streams_;
};

}  // namespace staged
