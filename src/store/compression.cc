#include "store/compression.h"

#include <zstd.h>

#include <algorithm>
#include <array>

namespace staged {
namespace {

constexpr size_t kSampleBytes = 4 << 10;
constexpr size_t kSampledFromBytes = 8 * kSampleBytes;

}  // namespace

Compressor::Compressor() : context_(ZSTD_createCCtx()) {}
Compressor::~Compressor() { ZSTD_freeCCtx(context_); }

bool Compressor::Compress(std::string_view bytes, std::string& compressed) {
  if (bytes.size() >= kSampledFromBytes && !expect_smaller_) {
    std::array<char, kSampleBytes> room;
    bool shrinks = false;
    for (const size_t offset : {bytes.size() / 2, bytes.size() - kSampleBytes, size_t{0}}) {
      const size_t size = ZSTD_compressCCtx(context_, room.data(), room.size(),
                                            bytes.data() + offset, kSampleBytes, kZstdLevel);
      shrinks = ZSTD_isError(size) == 0 && size < kSampleBytes - kSampleBytes / 64;
      if (shrinks) break;
    }
    if (!shrinks) return false;
  }
  room_.resize(std::max(room_.size(), ZSTD_compressBound(bytes.size())));
  const size_t size = ZSTD_compressCCtx(context_, room_.data(), room_.size(), bytes.data(),
                                        bytes.size(), kZstdLevel);
  expect_smaller_ = ZSTD_isError(size) == 0 && size < bytes.size() - bytes.size() / 64;
  if (ZSTD_isError(size) != 0 || size >= bytes.size()) return false;
  compressed.assign(room_, 0, size);
  return true;
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {}
Decompressor::~Decompressor() { ZSTD_freeDCtx(context_); }

Status Decompressor::Append(PayloadCodec codec, std::string_view stored, uint64_t size_bytes,
                            std::string& output) {
  if (codec == PayloadCodec::kRaw) {
    if (stored.size() != size_bytes) {
      return Status(ErrorCode::kDataLoss, "payload has the wrong size");
    }
    output.append(stored);
    return OkStatus();
  }
  const size_t start = output.size();
  output.resize(start + size_bytes);
  const size_t size = ZSTD_decompressDCtx(context_, output.data() + start, size_bytes,
                                          stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != size_bytes) {
    output.resize(start);
    return Status(ErrorCode::kDataLoss, "payload does not decompress");
  }
  return OkStatus();
}

}  // namespace staged
