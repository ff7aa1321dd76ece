#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "codec/json.h"
#include "staged/content_hash.h"

namespace staged {

// A long string, decoded: pictures in base64.
struct LongText {
  uint64_t size_bytes = 0;
  ContentHash digest;
};

// The identity of a cell's bytes, and of the long strings in it by their node. Every byte is hashed
// once: a long string goes into the cell's digest by its own.
struct CellDigest {
  ContentHash digest;
  std::unordered_map<uint32_t, LongText> texts;
};

// `is_valid_utf8`: all of the text is.
[[nodiscard]] CellDigest DigestCell(std::string_view text, const JsonTree& tree, uint32_t cell,
                                    bool is_valid_utf8);

}  // namespace staged
