#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "staged/status.h"
#include "store/object_format.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace staged {

// zstd with a context that is used again and again. Not thread-safe.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Puts a zstd frame of `bytes` into `compressed` and returns true, or returns false where that
  // would not be smaller. Looks at samples first, so that bytes that do not shrink cost little,
  // unless what came before shrank: samples are an eighth of the work.
  [[nodiscard]] bool Compress(std::string_view bytes, std::string& compressed);
  // What follows is another content: nothing is known of it.
  void Forget() { expect_smaller_ = false; }

 private:
  ZSTD_CCtx_s* context_;
  std::string room_;
  bool expect_smaller_ = false;
};

// Not thread-safe.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Appends the `size_bytes` that `stored` stands for. Errors: kDataLoss when it does not give
  // exactly that many. REQUIRES: size_bytes <= kPayloadSizeMaxBytes.
  [[nodiscard]] Status Append(PayloadCodec codec, std::string_view stored, uint64_t size_bytes,
                              std::string& output);

 private:
  ZSTD_DCtx_s* context_;
};

}  // namespace staged
