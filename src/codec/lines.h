#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "record/line_index.h"
#include "staged/status.h"

// What `line:3` means in every text format.
namespace staged {

// Lines [first, last], from 0.
struct LineRange {
  size_t first = 0;
  size_t last = 0;
};

// Whether `locator` is written like a line locator.
[[nodiscard]] bool IsLineLocator(std::string_view locator);
// Reads `line:3` or `line:3-5` (ordinals from 1). Errors: kInvalidArgument when it is written
// otherwise, kNoMatch when the text has no such line.
[[nodiscard]] Result<LineRange> ParseLineLocator(std::string_view locator, size_t line_count);
[[nodiscard]] std::string LineLocator(size_t line);  // "line:1" for line 0

// `text` with each of its newlines (of any kind) written as `newline`.
[[nodiscard]] std::string WithNewlines(std::string_view text, Newline newline);

}  // namespace staged
