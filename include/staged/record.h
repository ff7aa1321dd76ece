#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "staged/value.h"

namespace staged {

// Bytes [begin, end) of the native file, or of the uncompressed part for containers.
struct ByteSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

// One addressable thing in a view: a cell, a paragraph, a function. Plain data.
struct Record {
  std::string kind;     // "cell", "paragraph", "symbol": one of its format profile's kinds
  std::string locator;  // address within the view; unique within it
  std::string parent;   // locator of the containing record, empty at the top
  std::string key;      // durable identity where the format has one (paraId, cell address), or ""
  std::string text;     // what a person would read
  Value attrs;          // typed attributes: an object, or null for none
  std::optional<ByteSpan> span;
  std::string hidden;  // why a reader does not see it ("hidden sheet"), empty when visible

  friend bool operator==(const Record&, const Record&) = default;
};

// One structured edit. `op` is set, replace_text, replace, insert_before, insert_after, append,
// delete, ... as the format allows; everything else it carries is in `arguments` (an object:
// "value", "formula", "find", "replace", "text" ...).
struct Edit {
  std::string op;
  std::string locator;
  std::optional<Value> expect;  // the old value or text; a mismatch is kNoMatch
  Value arguments;
};

}  // namespace staged
